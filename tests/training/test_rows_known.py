"""Rows that a trained metric learnt from are recognised wherever it is asked about them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from test_training import write_config

import nlgauge
from nlgauge.learned.folder import SIZE, is_known, packed, row_digests, unpacked
from nlgauge.training.run import train


def test_a_row_is_known_whatever_its_capitals_spaces_escapes_and_order_of_references() -> None:
    known = row_digests('The "old" fox', ["A fox.", "One fox."])
    assert known == row_digests("the  &quot;old&quot; fox", ["one fox.", "a FOX."])
    assert known.isdisjoint(row_digests("The fox", ["A fox."]))
    assert row_digests("a", [], "x") != row_digests("a", [], "y")


def test_a_row_is_known_with_any_of_its_references() -> None:
    learnt = row_digests("The old fox", ["A fox.", "One fox."])
    assert is_known(learnt, "The old fox", ["One fox."])
    assert is_known(learnt, "The old fox", ["Foxes.", "a fox."])
    assert not is_known(learnt, "The old fox", ["Foxes."])
    assert not is_known(learnt, "The fox", ["A fox.", "One fox."])
    earlier = {sha256(b"the old fox\0a fox.\0one fox.").digest()[:SIZE]}
    assert is_known(earlier, "The old fox", ["One fox.", "A fox."])


def test_digests_are_kept_each_once_and_a_damaged_text_holds_none() -> None:
    digests = set().union(*(row_digests(str(number), []) for number in range(50)))
    assert unpacked(packed([*digests, *digests])) == digests
    assert all(len(digest) == SIZE for digest in digests)
    assert unpacked("no digests!") is unpacked(None) is None


@pytest.mark.parametrize("text", [None, "", "{}", '{"learnt_rows": 1}'])
def test_a_story_that_does_not_tell_which_rows_were_learnt_is_remarked_on(tmp_path: Path, text: str | None) -> None:
    train(write_config(tmp_path), tmp_path / "kept")
    story = tmp_path / "kept" / "training.json"
    story.unlink()
    if text is not None:
        story.write_text(text)
    found = nlgauge.score(nlgauge.load(tmp_path / "judged.jsonl"), [f"trained(model={tmp_path / 'kept'})"])
    said = "which rows were learnt from, so whether these are among them is not known"
    assert sum(said in note and str(story) in note for note in found.notes) == 1


@pytest.mark.parametrize("asked", ["score", "compare", "meta"])
def test_whoever_is_asked_about_learnt_rows_says_so(tmp_path: Path, asked: str) -> None:
    train(write_config(tmp_path), tmp_path / "kept")
    path, metric = tmp_path / "judged.jsonl", f"trained(model={tmp_path / 'kept'})"
    if asked == "score":
        notes = nlgauge.score(nlgauge.load(path), [metric]).notes
    elif asked == "compare":
        notes = nlgauge.compare(nlgauge.load(path), [metric]).notes
    else:
        notes = nlgauge.meta_evaluate(path, [metric], draws=0).notes
    assert "108 of 120 rows are among those that share learnt from" in " ".join(notes)


def test_new_rows_are_not_taken_for_learnt_ones(tmp_path: Path) -> None:
    train(write_config(tmp_path), tmp_path / "kept")
    story = json.loads((tmp_path / "kept/training.json").read_text())
    held = {
        (item, system) for systems in story["held_rows"].values() for system, items in systems.items() for item in items
    }
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    new = tmp_path / "new.jsonl"
    new.write_text("".join(json.dumps(row) + "\n" for row in rows if (row["item"], row["system"]) in held))
    found = nlgauge.score(nlgauge.load(new), [f"trained(model={tmp_path / 'kept'})"])
    assert not any("rows are among" in note for note in found.notes)


def test_a_feature_that_learnt_from_the_same_rows_is_told(tmp_path: Path) -> None:
    train(write_config(tmp_path), tmp_path / "inner")
    path = tmp_path / "outer.yaml"
    path.write_text(
        "kind: features\nname: outer\ndata:\n  - {path: judged.jsonl, human: quality}\n"
        f'features: ["trained(model={tmp_path / "inner"})", chrf]\n'
    )
    found = train(path, tmp_path / "outer")
    assert any("share learnt from 108 of these 120 rows itself" in note for note in found.notes)
    told = nlgauge.score(nlgauge.load(tmp_path / "judged.jsonl"), [f"trained(model={tmp_path / 'outer'})"]).notes
    assert sum("rows are among those that" in note for note in told) == 2  # the outer one and the one within


def test_what_a_reader_of_the_figures_must_know_is_noted(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    path.write_text(f"{path.read_text()}split: 0.5\n")
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    random = Random(1)
    for row in rows:
        row.update(hypothesis=row["system"], ratings={"quality": random.random()})
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    notes = train(path, tmp_path / "kept").notes
    assert "on what was held out it is not shown to be better than always saying the mean" in notes
    assert any("60 of the 60 outputs held out stand word for word among those learnt from" in n for n in notes)
    assert all(note in (tmp_path / "kept/README.md").read_text() for note in notes)


def test_ranking_says_how_many_pairs_were_learnt_from(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    told = path.read_text(encoding="utf-8")
    path.write_text(told.replace("learner: linear", "learner: ranking"), encoding="utf-8")
    assert any(note.endswith("pairs of outputs were learnt from") for note in train(path, tmp_path / "kept").notes)


def test_a_row_that_was_learnt_with_its_source_is_known_where_it_has_references_too() -> None:
    learnt = row_digests("The old fox", [], "name[Fox]")
    assert is_known(learnt, "The old fox", ["A fox."], "name[Fox]")
    assert not is_known(learnt, "The old fox", ["A fox."], "name[Wolf]")
