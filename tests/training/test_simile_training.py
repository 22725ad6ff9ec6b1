"""SIMILE's training: the formula, the loss, which texts are paraphrases, and what is learnt from captions."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.heads import Read
from nlgauge.learned.heads import Simile as Head
from nlgauge.learned.vectors import Encoder, Projection, Sight, VectorForm
from nlgauge.metrics.simile import Simile
from nlgauge.training.examples import gather
from nlgauge.training.heads import Simile as Plan
from nlgauge.training.run import read_config, recipe, train
from nlgauge.training.split import held_out
from nlgauge.training.vectors import VectorTraining

CONFIG = "kind: vectors\nname: s\ndata:\n  - {path: p.jsonl}\nsupervise: paraphrase\nhead: simile\nencoders: [glove]\n"


def write(folder: Path, rows: list[dict[str, Any]], text: str = CONFIG) -> VectorTraining:
    """A training beside its data."""
    (folder / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    training = read_config(folder / "s.yaml")
    assert isinstance(training, VectorTraining)
    return training


def captions(shared: Path, number: int) -> list[dict[str, Any]]:
    with gzip.open(shared / "data" / "flickr8k_references.jsonl.gz", "rt", encoding="utf-8") as file:
        return [{**json.loads(line), "system": "people"} for line, _ in zip(file, range(number), strict=False)]


def test_the_score_is_the_penalty_times_the_cosine_of_mapped_vectors() -> None:
    read = Read(
        np.array([[3.0, 4.0], [1.0, 0.0], [1.0, 1.0]]),
        np.array([[4.0, 3.0], [0.0, 2.0], [1.0, 1.0]]),
        penalty=np.array([1.0, math.exp(1 - 6 / 4), 0.0]),
    )
    m = np.array([[2.0, 0.0], [1.0, 1.0]])  # (3, 4) ↦ (10, 4), (4, 3) ↦ (11, 3), (1, 0) ↦ (2, 0), (0, 2) ↦ (2, 2)
    first = (10 * 11 + 4 * 3) / math.sqrt((100 + 16) * (121 + 9))
    second = math.exp(-0.5 * 0.25) / math.sqrt(2)
    np.testing.assert_allclose(Head().score(np, {"M": m}, read), [first, second, 0.0])
    flat = Head().score(np, {"M": m, "alpha": np.array([0.0])}, read)
    np.testing.assert_allclose(flat, [first, 1 / math.sqrt(2), 0.0])


def test_before_anything_is_learnt_the_metric_is_simile() -> None:
    sight = Sight((Encoder.of("minilm-int8"),), 1)
    form = VectorForm(Head(), sight, Projection(np.zeros(384), np.ones(384)), {"M": np.eye(384)})
    outputs = ["A dog runs on the grass.", "no", "", "Two men, talking."]
    references = [
        ["The dog is running over green grass today.", "A dog runs."],
        ["a cat"],
        ["a cat"],
        ["Two men are talking"],
    ]
    expected = Simile(model="minilm-int8").segments(outputs, references)
    np.testing.assert_allclose(form.predict(Batch(outputs, references)), expected, atol=1e-6)
    assert expected[2] == 0 and len(set(expected)) == 4


def test_the_margin_loss_takes_the_nearest_text_of_another_item() -> None:
    torch = pytest.importorskip("torch")
    angles = np.radians([[0, 40], [40, 0], [50, 20], [200, 230]])  # of s and v in the plane
    s, v = (np.column_stack([np.cos(part), np.sin(part)]) for part in angles.T)
    items = [0, 0, 1, 2]
    own = [40, 40, 30, 30]
    near = [20, 20, 10, 160]  # from s to the v at 20°, 20°, 40° and 40°
    expected = np.mean(
        [max(0.0, 0.4 - math.cos(math.radians(a)) + math.cos(math.radians(b))) for a, b in zip(own, near, strict=True)]
    )
    read = Read(torch.tensor(3 * s), torch.tensor(5 * v))
    weights = {"M": torch.eye(2, dtype=torch.double, requires_grad=True)}
    assert Plan().nearest(torch, weights, read, torch.tensor(items)).item() == pytest.approx(expected)
    alone = Plan().nearest(torch, weights, read, torch.zeros(4))
    alone.backward()
    assert alone.item() == 0 and bool((weights["M"].grad == 0).all())


def test_texts_of_an_item_are_paraphrases_and_those_of_others_are_not(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"item": str(n), "system": system, "hypothesis": f"{system} {n}", "references": [f"a {n}", f"b {n}"]}
        for n in range(30)
        for system in ("person", "machine")
    ]
    rows.append({"item": "x", "system": "machine", "hypothesis": "c", "references": ["only one"]})
    training = write(tmp_path, rows, CONFIG + "split: 0.3\n")
    examples = gather(training, tmp_path)
    assert len(examples) == 60  # each reference once, whatever the systems; one alone has no paraphrase
    assert all(set(row.references) == {f"{'ab'[row.text == f'a {row.item}']} {row.item}"} for row in examples.rows)
    held = held_out(examples, training.split, 1)
    whole, held = training.supervise.completed(examples, held, 1)
    assert len(whole) == 120 and len(whole.pairs) == 60
    for good, bad in whole.pairs:
        assert whole.targets[good] == 1 and whole.targets[bad] == 0 and held[good] == held[bad]
        assert whole.rows[good].item != (whole.rows[bad].text or "").split()[1]
    told = {folded(row.text or "") for row, out in zip(whole.rows, held, strict=True) if out}
    assert not told & {folded(row.text or "") for row, out in zip(whole.rows, held, strict=True) if not out}
    people = write(tmp_path, rows, CONFIG.replace("paraphrase", "{kind: paraphrase, people: [person]}"))
    texts = {(row.text, row.references) for row in gather(people, tmp_path).rows}
    assert ("person 3", ("a 3", "b 3")) in texts and ("a 3", ("b 3", "person 3")) in texts


def test_a_learnt_matrix_knows_paraphrases_better_than_the_vectors_as_they_are(shared: Path, tmp_path: Path) -> None:
    rows = captions(shared, 200)
    training = write(tmp_path, rows, recipe("simile").replace("paraphrases.jsonl", "p.jsonl"))
    still = train(replace(training, epochs=1, rate=1e-12), tmp_path / "still", beside=tmp_path).figures
    learnt = train(replace(training, epochs=15), tmp_path / "learnt", beside=tmp_path).figures
    assert learnt["held_out"]["auc"] > still["held_out"]["auc"] + 0.1
    assert "error" not in learnt["held_out"]  # 0 and 1 are no scores that were learnt


def test_one_item_held_out_is_refused(tmp_path: Path) -> None:
    rows = [{"item": str(n), "system": "s", "references": [f"a {n}", f"b {n}"]} for n in range(30)]
    with pytest.raises(InputError, match="what is held out is one item"):
        train(write(tmp_path, rows, CONFIG + "split: 0.03\n"), tmp_path / "kept", beside=tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"head: simile": "head: simile\nreduce: 5"}, "leave reduce out"),
        (
            {"supervise: paraphrase": "supervise: origin"},
            "simile learns by supervise: paraphrase, not by origin",
        ),
        ({"head: simile": "head: ruse"}, "ruse learns by supervise: ratings or origin, not by paraphrase"),
        (
            {},
            "20 texts of people with another of the same item are needed; found 0",
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused(tmp_path: Path, change: dict[str, str], said: str) -> None:
    text = CONFIG
    for old, new in change.items():
        text = text.replace(old, new)
    rows = [{"item": str(n), "system": "s", "hypothesis": "x", "references": [f"a {n}"]} for n in range(30)]
    with pytest.raises(InputError, match=said):
        train(write(tmp_path, rows, text), tmp_path / "kept", beside=tmp_path)
