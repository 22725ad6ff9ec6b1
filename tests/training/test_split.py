"""What is held out shares no text with what is learnt, and says nothing of the scale of the targets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError
from nlgauge.training.examples import Examples, gather
from nlgauge.training.run import read_config, train
from nlgauge.training.split import Held, held_out, on_scale

KINDS = {
    "features": "kind: features\nfeatures: [chrf]",
    "vectors": "kind: vectors\nencoders: [glove]",
    "pair": "kind: pair",
    "sequence": "kind: sequence",
    "vectors of a context": "kind: vectors\nencoders: [glove]\nhead: adem",
    "pair of a context": "kind: pair\nreads: context",
    "sequence of a context": "kind: sequence\nnetwork: discriminator",
}


def rows(items: int = 60) -> list[dict[str, Any]]:
    """Items of three systems under names of their own; every third reference and source are those of another item."""
    random, made = Random(1), []
    for item in range(items):
        for system in ("one", "two", "three"):
            made.append(
                {
                    "item": f"{item}/{system}",
                    "system": system,
                    "hypothesis": f"{system} says {random.randrange(9)} of {item}",
                    "references": [f"Text {item}", f"shared {item // 3}" if item % 3 else f"alone {item}"],
                    "source": [f"what of {item - item % 2} ?"],
                    "dialogue": item // 4,
                    "ratings": {"quality": [random.gauss(3, 1), 10 * random.gauss(3, 1)]},
                }
            )
    return made


def write(folder: Path, given: Iterable[Mapping[str, Any]], kind: str, more: str = "") -> Path:
    (folder / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    path = folder / "metric.yaml"
    data = "data:\n  - {path: set.jsonl, human: quality}\n"
    path.write_text(f"{KINDS[kind]}\nname: x\n{data}{more}", encoding="utf-8")
    return path


def sides(folder: Path, path: Path) -> tuple[Any, Examples, Held]:
    training: Any = read_config(path)
    found = gather(training, folder)
    return training, found, held_out(found, training.split, training.seed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_text_of_what_is_held_out_is_learnt_from(tmp_path: Path, kind: str, seed: int) -> None:
    without = [{**row, "dialogue": None} for row in rows()]
    training, found, held = sides(tmp_path, write(tmp_path, without, kind, f"seed: {seed}\nsplit: 0.3"))
    by_source = kind.endswith("context")
    assert training.by_source == by_source

    def texts(side: bool) -> set[str]:
        chosen = [row for row, out in zip(found.rows, held, strict=True) if out == side]
        return {folded(text) for row in chosen for text in ([str(row.source)] if by_source else row.references)}

    assert 0.15 < held.mean() < 0.35
    assert not texts(True) & texts(False)


@pytest.mark.parametrize("kind", KINDS)
def test_systems_are_left_out_by_name(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, rows(), kind, "split: 0.3")
    path.write_text(path.read_text().replace("human: quality", "human: quality, without: [two]"))
    _, found, _ = sides(tmp_path, path)
    assert len(found) == 2 * len(rows()) / 3 and {row.system for row in found.rows} == {"one", "three"}


def test_rows_of_one_dialogue_stand_on_one_side_and_of_other_keys_where_they_are_named(
    tmp_path: Path,
) -> None:
    given = [{**row, "document": index // 30} for index, row in enumerate(rows())]
    for more, key in (("split: 0.3", "dialogue"), ("split: {held: 0.3, by: document}", "document")):
        _, found, held = sides(tmp_path, write(tmp_path, given, "features", more))
        keys = np.array([row.extra[key] for row in found.rows])
        assert held.any()
        assert not set(keys[held]) & set(keys[~held])
    with pytest.raises(InputError, match=r"split\.by names 'chapter', a key that no row has"):
        sides(tmp_path, write(tmp_path, given, "features", "split: {by: chapter}"))


def test_whole_data_sets_are_held_out_with_all_that_shares_their_texts(tmp_path: Path) -> None:
    path = write(tmp_path, [{**row, "dialogue": None} for row in rows()], "features", "split: {sets: [other]}")
    path.write_text(path.read_text().replace("data:\n", "data:\n  - {path: other.jsonl, human: quality}\n"))
    other = [{**row, "item": f"o{row['item']}", "references": ["text 4", "new"]} for row in rows(20)]
    (tmp_path / "other.jsonl").write_text("".join(json.dumps(row) + "\n" for row in other))
    _, found, held = sides(tmp_path, path)
    names = np.array(found.sets)
    assert held[names == "other"].all()
    taken = {row.item for row, out in zip(found.rows, held & (names == "set"), strict=True) if out}
    assert taken == {f"{item}/{system}" for item in (4, 5) for system in ("one", "two", "three")}
    same = "".join(json.dumps({**row, "references": ["one for all"]}) + "\n" for row in rows())
    for name in ("set", "other"):
        (tmp_path / f"{name}.jsonl").write_text(same)
    with pytest.raises(InputError, match="nothing is left to learn from beside other"):
        sides(tmp_path, path)


def test_a_large_group_is_learnt_from_and_what_hangs_together_whole_is_refused(tmp_path: Path) -> None:
    given = [{**row, "dialogue": None} for row in rows()]
    for row in given[:90]:
        row["references"] = [row["references"][0], "yes"]
    _, _, held = sides(tmp_path, write(tmp_path, given, "features"))
    assert 0.05 < held.mean() < 0.15
    assert not held[:90].any()
    for row in given:
        row["references"] = ["yes"]
    with pytest.raises(InputError, match="nothing can be held out: all 180 examples share texts"):
        sides(tmp_path, write(tmp_path, given, "features"))
    assert not sides(tmp_path, write(tmp_path, given, "features", "split: 0.0"))[2].any()


def test_of_few_items_one_is_held_out(tmp_path: Path) -> None:
    given = [{**row, "references": [f"r{place % 3}"], "dialogue": None} for place, row in enumerate(rows(20))]
    _, found, held = sides(tmp_path, write(tmp_path, given, "features"))
    assert len({item for item, out in zip(found.items, held, strict=True) if out}) == 1


def test_without_references_and_source_outputs_are_known_by_text_and_item(tmp_path: Path) -> None:
    given = [
        {
            "item": str(place // 2),
            "system": "ab"[place % 2],
            "hypothesis": f"t{place // 3}",
            "ratings": {"quality": place},
        }
        for place in range(120)
    ]
    path = write(tmp_path, given, "features", "split: 0.2")
    path.write_text(path.read_text().replace("[chrf]", "[length]"))
    _, found, held = sides(tmp_path, path)
    for known in (found.items, [row.text for row in found.rows]):
        assert not set(np.array(known)[held]) & set(np.array(known)[~held])
    assert 0.05 < held.mean() < 0.25


@pytest.mark.parametrize("more", ["scaled: true", "alike: true", "target: standardised"])
def test_ratings_that_are_held_out_do_not_move_the_targets_that_are_learnt(tmp_path: Path, more: str) -> None:
    given = rows()
    training, found, held = sides(tmp_path, write(tmp_path, given, "features", more))
    before = on_scale(found, training, held).targets
    assert not np.allclose(before, found.targets)
    for row, out in zip(given, held, strict=True):
        if out:
            row["ratings"] = {"quality": [100 * value for value in row["ratings"]["quality"]]}
    training, found, again = sides(tmp_path, write(tmp_path, given, "features", more))
    assert np.array_equal(again, held)
    after = on_scale(found, training, held).targets
    np.testing.assert_array_equal(after[~held], before[~held])
    assert not np.allclose(after[held], before[held])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"ratings": {"quality": 1e300}}, "item 3/one of one: a rating of 'quality' is 1e+300, too large"),
        ({"ratings": {"quality": "good"}}, "line 10: the rating 'quality' is a text ('good')"),
        ({"references": [], "source": None}, "set.jsonl: item '3/one' has no"),
        (None, "every output to learn from has the same rating of quality (3)"),
    ],
)
def test_every_kind_refuses_broken_rows_by_name_and_constant_targets(
    tmp_path: Path, kind: str, fault: dict[str, Any] | None, said: str
) -> None:
    given = rows()
    if fault is None:
        given = [{**row, "ratings": {"quality": 3}} for row in given]
    else:
        given[9] |= fault
    with pytest.raises(InputError) as refused:
        train(write(tmp_path, given, kind), tmp_path / "kept")
    assert said in str(refused.value)
    assert not list(tmp_path.glob("kept*"))


def test_targets_by_hand(tmp_path: Path) -> None:
    given = rows()
    training, found, held = sides(tmp_path, write(tmp_path, given, "features", "target: standardised"))
    judged = np.array([row["ratings"]["quality"] for row in given])
    known = judged[~held]
    z = ((judged - known.mean(axis=0)) / known.std(axis=0, ddof=1)).mean(axis=1)
    made = on_scale(found, training, held)
    np.testing.assert_allclose(made.targets, z)
    assert "judges are told apart by their place" in " ".join(made.notes)
    training, found, held = sides(tmp_path, write(tmp_path, given, "features", "alike: true"))
    means = judged.mean(axis=1)
    wanted = (means - means[~held].mean()) / means[~held].std()
    np.testing.assert_allclose(on_scale(found, training, held).targets, wanted)


def test_escapes_are_undone_in_sources_too(tmp_path: Path) -> None:
    given = [
        {**row, "hypothesis": "a &amp; b", "source": {"turns": ["c &quot;d&quot;", {"text": "&lt;"}]}} for row in rows()
    ]
    path = write(tmp_path, given, "features")
    path.write_text(path.read_text().replace("human: quality", "human: quality, unescape: true"))
    row = gather(read_config(path), tmp_path).rows[0]  # type: ignore[arg-type]
    assert row.text == "a & b"
    assert row.source == {"turns": ['c "d"', {"text": "<"}]}


def test_figures_on_a_data_set_held_out_whole_are_of_that_set(tmp_path: Path) -> None:
    path = write(tmp_path, rows(), "features", "split: {sets: [other]}\nalike: true\n")
    path.write_text(path.read_text().replace("data:\n", "data:\n  - {path: other.jsonl, human: quality}\n"))
    other = [{**row, "references": [f"new {row['item']}"], "dialogue": None} for row in rows(20)]
    (tmp_path / "other.jsonl").write_text("".join(json.dumps(row) + "\n" for row in other))
    found = train(read_config(path), tmp_path / "kept", beside=tmp_path)  # type: ignore[arg-type]
    assert found.figures["sets"] == {"other": {"learnt": 0, "held": 60}, "set": {"learnt": 180, "held": 0}}
    assert found.figures["held_out"]["error_of_the_mean"] == pytest.approx(1.0)  # standardised by its own
