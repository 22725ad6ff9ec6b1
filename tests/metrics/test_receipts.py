"""Receipts: what a score depends on is in its line, and what it does not depend on is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nlgauge as ng
from nlgauge import receipt
from nlgauge.types import EvaluationSet

TABLES: list[Any] = [[["name", "ada"], ["job", "poet"]], [["name", "bob"]]]
TEXTS = ["ada is a poet", "bob"]
OUTPUTS = {"a": ["ada is a poet", "bob sings"], "b": ["ada", "bob"]}
REFERENCES = [["ada is a poet"], ["bob sings loudly"]]


def data_of(sources: list[Any] | None, *specs: str) -> list[str]:
    made = ng.score(EvaluationSet.of(OUTPUTS, REFERENCES, sources), list(specs))
    return [receipt.read(line)["data"] for line in made.receipts.values()]


def test_other_tables_give_another_receipt_of_parent_but_not_of_bleu() -> None:
    changed = [TABLES[0], [["name", "bea"]]]
    bleu, parent = data_of(TABLES, "bleu", "parent")
    other_bleu, other_parent = data_of(changed, "bleu", "parent")
    assert bleu == other_bleu == data_of(None, "bleu")[0]
    assert len({bleu, parent, other_parent}) == 3


@pytest.mark.parametrize("spec", ["sari", "gleu-gec", "rougeC", "copyrate"])
def test_other_sources_give_another_receipt(spec: str) -> None:
    assert data_of(TEXTS, spec) == data_of(list(TEXTS), spec)
    assert data_of(TEXTS, spec) != data_of(["ada is a poet", "bob sings"], spec)


def test_a_table_is_not_its_json_as_text() -> None:
    as_text = [json.dumps(table, ensure_ascii=False) for table in TABLES]
    data = [EvaluationSet.of(OUTPUTS, REFERENCES, sources) for sources in (TABLES, as_text)]
    assert data[0].digests(sources=True).items().isdisjoint(data[1].digests(sources=True).items())
    assert data[0].digests(sources=False) == data[1].digests(sources=False)


def test_streamed_compared_and_measured_sources_have_the_same_digest(tmp_path: Path) -> None:
    from nlgauge.api import score_large
    from nlgauge.meta.measures import measure, wanted
    from nlgauge.meta.observations import observe

    rows = [
        {"item": str(k), "system": name, "hypothesis": text, "references": REFERENCES[k], "source": TEXTS[k]}
        for name, texts in OUTPUTS.items()
        for k, text in enumerate(texts)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row | {"ratings": {"q": 1}}) for row in rows))
    seen = observe(path)
    lines = [
        ng.score(path, "sari").receipts["sari"],
        score_large({"path": path}, "sari").receipts["sari"],
        ng.compare(path, "sari", trials=9).receipts["sari"],
        measure(seen, wanted(["sari"], seen, "segment"))[0].receipt,
    ]
    assert len({receipt.read(line)["data"] for line in lines}) == 1


def test_the_file_that_a_spec_names_has_its_digest_in_the_receipt(tmp_path: Path) -> None:
    train = tmp_path / "train.txt"
    found = []
    for text in ("ada is here\n", "bob is here\n"):
        train.write_text(text)
        made = ng.score(EvaluationSet.of(OUTPUTS, REFERENCES), f'novelty(train="{train}")')
        found.append(receipt.read(next(iter(made.receipts.values())))["file"])
    assert len(set(found)) == 2 and all(len(digest) == 12 for digest in found)
    frequencies = tmp_path / "df.jsonl"
    frequencies.write_text(json.dumps({"references": ["ada is a poet"]}) + "\n")
    counts = tmp_path / "pairs.jsonl"
    counts.write_text(json.dumps({"table": TABLES[0], "text": "ada is a poet"}) + "\n")
    assert ng.parse(f'cider(df="{frequencies}")').reads_files == (str(frequencies),)
    assert ng.parse(f'parent(entailment="{counts}")').reads_files == (str(counts),)
    assert not ng.parse("cider").reads_files and not ng.parse("parent").reads_files
    made = ng.score(EvaluationSet.of(OUTPUTS, REFERENCES), f'cider(df="{frequencies}")')
    assert "|file=" in next(iter(made.receipts.values()))


def rows_of(systems: dict[str, list[str]]) -> list[dict[str, Any]]:
    return [
        {"item": f"i{k}", "system": name, "hypothesis": text, "references": REFERENCES[k], "source": TEXTS[k]}
        for name, texts in systems.items()
        for k, text in enumerate(texts)
    ]


def named_testset(made: ng.Scores) -> str:
    return receipt.read(next(iter(made.receipts.values())))["testset"]


def test_two_papers_with_other_systems_on_one_test_set_share_its_digest(tmp_path: Path) -> None:
    from nlgauge.api import score_large
    from nlgauge.meta.measures import digests
    from nlgauge.meta.observations import observe

    ours = ng.score(rows_of(OUTPUTS), ["bleu"])
    theirs = rows_of({"c": ["bob", "ada"], "d": ["", "bob sings loudly"], "e": ["x", "y"]})[::-1]
    lacking = [*theirs, *rows_of({"part": ["one item only"]})]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row | {"ratings": {"q": 1}}) for row in lacking))
    known = {
        named_testset(made)
        for made in (
            ours,
            ng.score(theirs, ["chrf"]),
            ng.score(path, ["chrf"]),
            score_large({"path": path}, ["ter"]),
        )
    }
    assert known == {named_testset(ours)} == {digests(observe(path))["testset"]}


def test_another_reference_item_or_source_that_is_read_is_another_test_set() -> None:
    rows = rows_of(OUTPUTS)
    changed = [
        [row | new if row["item"] == "i1" else row for row in rows]
        for new in (
            {"references": ["bob sings"]},
            {"references": ["bob sings", "loudly"]},
            {"item": "i2"},
            {"source": "b"},
        )
    ]
    found = [named_testset(ng.score(some, ["sari"])) for some in (rows, *changed)]
    assert len(set(found)) == len(found)
    assert named_testset(ng.score(changed[-1], ["bleu"])) == named_testset(ng.score(rows, ["bleu"]))


def test_systems_on_different_items_have_a_digest_of_all_of_them() -> None:
    rows = rows_of(OUTPUTS)
    apart = [row for row in rows if (row["system"], row["item"]) in (("a", "i0"), ("b", "i1"))]
    assert named_testset(ng.score(apart, ["bleu"])) != named_testset(ng.score(apart[:1], ["bleu"]))
