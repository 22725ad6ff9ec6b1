"""Receipts: what a score depends on is in its line, and what it does not depend on is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nlgauge as ng
from nlgauge.metrics import receipt
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
    assert data[0].digest_of(sources=True) != data[1].digest_of(sources=True)
    assert data[0].digest_of(sources=False) == data[1].digest_of(sources=False) == data[0].digest


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
    assert ng.parse(f'cider(df="{frequencies}")').reads_file == str(frequencies)
    assert ng.parse(f'parent(entailment="{counts}")').reads_file == str(counts)
    assert not ng.parse("cider").reads_file and not ng.parse("parent").reads_file
    made = ng.score(EvaluationSet.of(OUTPUTS, REFERENCES), f'cider(df="{frequencies}")')
    assert "|file=" in next(iter(made.receipts.values()))
