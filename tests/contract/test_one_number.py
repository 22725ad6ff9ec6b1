"""Every command gives the same number for the same data and metric, whatever the number and order of systems."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import orjson
import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import MissingExtra, MissingResource
from nlgauge.meta.evaluate import meta_evaluate
from nlgauge.meta.measures import score_texts
from nlgauge.meta.observations import observe
from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import load, names
from nlgauge.metrics.spec import parse

Row = dict[str, Any]
CLOSE = 1e-9
# Single precision: a model's numbers depend in their last bits on which texts it reads together.
MODEL_CLOSE = 1e-6
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    ".",
    "red",
    "naïve",
    "зима",
    "एक",
    "😀",
    "dogs",
    "ran",
    "3.5",
    "home",
]
VARIANTS = [
    "bertscore(idf=yes)",
    "cider(stem=porter)",
    "nist(multi=best)",
    "yisi1(idf=yes)",
    "meteor++(rare=2)",
]
SPECS = [*(name for name in names() if load(name).additive), *VARIANTS]


def made(systems: int, items: int, seed: int) -> list[Row]:
    """Rows of several references, in unequal numbers, with repeated and empty outputs, in random order."""
    draw = random.Random(seed)

    def text(low: int = 2) -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(low, 7)))

    rows = []
    for item in range(items):
        references = [text() for _ in range(1 + item % 3)]
        about = {
            "references": references,
            "reference_weights": [1.0, 0.5, -0.25][: len(references)],
            "source": f"who[{text()}] , what[{text()}]",
        }
        for system in range(systems):
            kept = references[0].split()
            output = " ".join(word if draw.random() < 0.7 else draw.choice(WORDS) for word in kept)
            output = "" if (item + system) % 7 == 6 else "the cat sat ." if item % 5 == 4 else output
            more = {"post_edits": [text(), references[0]], "ratings": {"q": draw.randint(1, 5)}}
            rows.append({"item": f"i{item}", "system": f"s{system}", "hypothesis": output, **about, **more})
    draw.shuffle(rows)
    return rows


def runnable(spec: str) -> Metric:
    metric = parse(spec)
    try:
        fitted = nlgauge.load(made(1, 2, 5))
        nlgauge.score(fitted, [metric])
    except (MissingExtra, MissingResource) as error:
        pytest.skip(f"{spec} cannot be computed here: {error}")
    return metric


def size(metric: Metric) -> list[tuple[int, int]]:
    """Systems and items: small sets for what takes long."""
    return [(1, 3), (3, 4)] if metric.models else [(1, 9), (3, 14), (7, 11)]


@pytest.mark.parametrize("spec", SPECS)
def test_score_compare_meta_and_explain_give_one_number(spec: str, tmp_path: Path) -> None:
    metric = runnable(spec)
    close = MODEL_CLOSE if metric.models else CLOSE
    for systems, items in size(metric):
        rows = made(systems, items, seed=systems)
        data = nlgauge.load(rows)
        found = nlgauge.score(data, [metric], segments=tmp_path / "segments.jsonl")
        scored = {one.system: one.value for one in found.scores}
        by_segment = {
            (row["item"], row["system"]): row[str(metric)]
            for row in map(orjson.loads, (tmp_path / "segments.jsonl").read_bytes().splitlines())
        }

        shuffled = random.Random(9).sample(rows, len(rows))
        observed = observe(shuffled)
        computed, score = score_texts(observed.rows, [metric], observed.origin)[metric]
        values = {
            (row.item, row.system): value for row, value in zip(observed.rows, score(computed), strict=True)
        }
        assert values == pytest.approx(by_segment, abs=close, rel=close, nan_ok=True)
        for system, value in scored.items():
            mine = [place for place, row in enumerate(observed.rows) if row.system == system]
            assert float(score(computed[mine].sum(axis=0))) == pytest.approx(value, abs=close, nan_ok=True)

        if systems > 2:
            options: dict[str, Any] = {"draws": 0, "test": "none", "score": "corpus"}
            points = meta_evaluate(shuffled, [metric], "q", level="system", **options).points[
                str(metric), "q"
            ]
            assert dict(zip(points.labels, points.metric, strict=True)) == pytest.approx(
                scored, abs=close, nan_ok=True
            )
            compared = nlgauge.compare(nlgauge.load(shuffled), [metric], baseline="s0", trials=2).comparisons
            for one in compared:
                assert one.value == pytest.approx(scored[one.system], abs=close, nan_ok=True)
                assert one.baseline_value == pytest.approx(scored["s0"], abs=close, nan_ok=True)

        for item, system in random.Random(3).sample(sorted(by_segment), 2):
            told = nlgauge.explain(nlgauge.load(shuffled), metric, item, system)
            assert told.score == pytest.approx(by_segment[item, system], abs=close, rel=close, nan_ok=True)


FITTED = ["ciderD", "cider", "nist", "yisi0", "meteor++(rare=2)"]


@pytest.mark.parametrize("spec", FITTED)
def test_a_fitted_metric_does_not_change_with_the_systems_beside_or_their_order(spec: str) -> None:
    rows = made(5, 12, seed=2)
    alone = nlgauge.score([row for row in rows if row["system"] == "s3"], spec).scores[0].value
    lacking = [row for row in rows if (row["system"], row["item"]) not in {("s0", "i1"), ("s4", "i2")}]
    for given in (rows, rows[::-1], lacking, lacking[::-1]):
        (score,) = (one.value for one in nlgauge.score(given, spec).scores if one.system == "s3")
        assert score == pytest.approx(alone, abs=CLOSE)
        points = meta_evaluate(given, spec, "q", level="system", draws=0, test="none").points[spec, "q"]
        assert points.metric[list(points.labels).index("s3")] == pytest.approx(alone, abs=CLOSE)


@pytest.mark.parametrize("joined", ["mean", "max"])
def test_references_taken_one_by_one_are_weighed_by_the_whole_corpus(joined: Any) -> None:
    """With one reference an item, taking references one by one is what the metric does anyway."""
    rows = [
        {"references": row.pop("references")[:1], **row, "reference_weights": None}
        for row in made(4, 12, seed=4)
    ]
    for spec in FITTED[:2]:
        metric = parse(spec)
        observed = observe(rows)
        whole, score = score_texts(observed.rows, [metric], "")[metric]
        alone, mean = score_texts(observed.rows, [metric], "", joined=joined)[metric]
        assert mean(alone) == pytest.approx(score(whole), abs=CLOSE)


def test_an_item_may_tell_its_references_in_one_row_in_every_command() -> None:
    rows = made(3, 8, seed=6)
    told = {row["item"]: row for row in rows}
    sparse = [
        row
        if row is told[row["item"]]
        else {
            key: value
            for key, value in row.items()
            if key not in ("references", "reference_weights", "source")
        }
        for row in rows
    ]
    for spec in ("ciderD", "parent", "deltableu"):
        scored = {one.system: one.value for one in nlgauge.score(sparse, spec).scores}
        points = meta_evaluate(sparse, spec, "q", level="system", draws=0, test="none").points[spec, "q"]
        assert dict(zip(points.labels, points.metric, strict=True)) == pytest.approx(scored, abs=CLOSE)


def test_the_pages_and_tables_print_the_number_that_score_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = sorted(made(4, 12, seed=8), key=lambda row: (row["system"], row["item"]))
    file = tmp_path / "set.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    scored = {one.system: one.value for one in nlgauge.score(str(file), "ciderD").scores}
    page = tmp_path / "page.html"
    assert (
        main(
            ["compare", str(file), "-m", "ciderD", "--baseline", "s0", "--trials", "50", "--html", str(page)]
        )
        == 0
    )
    printed = capsys.readouterr().out
    for value in scored.values():
        assert f"{value:.4f}" in page.read_text(encoding="utf-8")
        assert f"{value:.4f}" in printed
    assert (
        main(["meta", str(file), "-m", "ciderD", "--report", "belz-reiter", "--json", "--trials", "50"]) == 0
    )
    told = orjson.loads(capsys.readouterr().out)
    mine = {row["system"]: row["value"] for row in told["belz_reiter"]["scores"] if row["by"] == "ciderD"}
    assert mine == pytest.approx(scored, abs=CLOSE)
