"""Heads over the reader: one pass gives what separate passes would, and what ships does what its card says."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nlgauge.kernels.batch import Batch
from nlgauge.learned.featured import Featured
from nlgauge.learned.folder import HEADS
from nlgauge.learned.one_pass import Read, seen
from nlgauge.learned.trained import Trained, opened
from nlgauge.metrics.spec import parse
from nlgauge.models.reader import reader
from nlgauge.training.run import RECIPES, read_config, train

REFERENCE = "A man is playing a guitar."
OUTPUTS = [
    "A man is playing a guitar.",
    "A man plays the guitar.",
    "A man is eating.",
    "Shares fell on Monday.",
]


def test_one_pass_gives_the_readers_entailment_and_the_means_of_either_part() -> None:
    model = reader()
    pairs = [(REFERENCE, output) for output in OUTPUTS]
    shares, vectors = model.pair_vectors(pairs)
    assert shares == pytest.approx(model.probabilities_entailment(pairs), abs=1e-5)
    width = model.bert.width
    for pair, row in zip(pairs, vectors, strict=True):
        ((ids, first),) = model.units([pair])
        alone = model.bert.vectors(model._batch([(ids, first)]))[0]
        assert row[:width] == pytest.approx(alone[0], abs=1e-4)
        assert row[width : 2 * width] == pytest.approx(alone[:first].mean(axis=0), abs=1e-4)
        assert row[2 * width :] == pytest.approx(alone[first:].mean(axis=0), abs=1e-4)


def test_a_score_is_the_linear_function_of_what_is_seen() -> None:
    form = opened("reading-similarity").form
    assert isinstance(form, Read)
    values = seen(reader().pair_vectors([(REFERENCE, output) for output in OUTPUTS])[1])
    weights, bias = form.learner.arrays()["weights"], form.learner.arrays()["bias"]
    expected = ((values - form.scale.mean) / form.scale.deviation) @ weights + bias
    found = parse("reading").segments(OUTPUTS, [[REFERENCE]] * len(OUTPUTS))
    assert found == pytest.approx(expected, abs=1e-3)
    assert found[0] > 4 > found[3]


def test_of_several_references_the_most_similar_counts() -> None:
    both = [[REFERENCE, OUTPUTS[3]]]
    alone = parse("reading").segments([OUTPUTS[3]] * 2, [[REFERENCE], [OUTPUTS[3]]])
    assert parse("reading").segments([OUTPUTS[3]], both)[0] == pytest.approx(alone[1])


def test_the_similarity_of_sts_b_is_linear_in_its_features_and_keeps_to_the_scale() -> None:
    form = opened("sts").form
    assert isinstance(form, Featured)
    outputs = [*OUTPUTS, "not a man is playing no guitar"]
    references = [[REFERENCE]] * len(outputs)
    values = np.column_stack([metric.segments(outputs, references) for metric in form.features])
    weights, bias = form.learner.arrays()["weights"], form.learner.arrays()["bias"]
    expected = ((values - form.scale.mean) / form.scale.deviation) @ weights + bias
    found = parse("sts").segments(outputs, references)
    assert found == pytest.approx(np.clip(expected, 0, 5), abs=1e-6)
    assert found[0] > 4 and all(one > other for one, other in pairwise(found[:4]))


def test_the_figures_of_one_pass_are_those_of_its_heads() -> None:
    references = [[REFERENCE]] * len(OUTPUTS)
    for name in HEADS:
        head = Trained(model=f"reading-{name}").scores(Batch(OUTPUTS, references))
        assert parse(f"reading(output={name})").segments(OUTPUTS, references) == pytest.approx(head, abs=1e-4)
    for label in ("entailment", "neutral", "contradiction"):
        model = parse(f"entailment(output={label})").segments(OUTPUTS, references)
        assert parse(f"reading(output={label})").segments(OUTPUTS, references) == pytest.approx(model, abs=1e-4)


@pytest.mark.parametrize("name", ["sts", *(f"reading-{head}" for head in HEADS)])
def test_what_ships_is_small_and_made_by_its_recipe(name: str) -> None:
    recipe, folder = read_config(RECIPES / f"{name}.yaml"), opened(name)
    assert isinstance(folder.form, Read | Featured)
    assert [metric.full() for metric in folder.form.features] == [
        parse(spec).full()
        for spec in recipe.features  # type: ignore[attr-defined]
    ]
    assert sum(file.stat().st_size for file in folder.path.iterdir()) < 150_000
    assert "research use" in (folder.path / "README.md").read_text(encoding="utf-8")


def test_a_head_is_learnt_kept_and_opened_again(tmp_path: Path) -> None:
    rows = [
        {
            "item": str(number),
            "system": "one",
            "hypothesis": f"The number is {number}.",
            "references": [f"It is {other}."],
            "ratings": {"near": [float(number == other)]},
        }
        for number in range(6)
        for other in range(6)
    ]
    (tmp_path / "rated.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "near.yaml").write_text(
        "kind: reading\nname: near\ndata: [{path: rated.jsonl, human: near}]\nfeatures: [chrf]\nsplit: 0.2\n",
        encoding="utf-8",
    )
    folder = train(tmp_path / "near.yaml", tmp_path / "near").folder
    batch = Batch([row["hypothesis"] for row in rows], [row["references"] for row in rows])  # type: ignore[misc]
    again = Trained(model=str(folder.path)).scores(batch)
    assert np.corrcoef(again, [row["ratings"]["near"][0] for row in rows])[0, 1] > 0.5  # type: ignore[index]
    assert again == pytest.approx(folder.form.predict(batch))


@pytest.mark.long
def test_the_similarity_follows_people_on_the_test_part_of_sts_b(shared: Path) -> None:
    with gzip.open(shared / "data" / "stsb.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["split"] == "test"]
    people = [row["ratings"]["similarity"] for row in rows]
    found = parse("sts").segments([row["hypothesis"] for row in rows], [row["references"] for row in rows])
    assert np.corrcoef(found, people)[0, 1] == pytest.approx(0.843, abs=0.003)
