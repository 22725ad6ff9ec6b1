"""Reading judged outputs: what other sets of rows would be refused for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rows import judged

from nlgauge.api import load
from nlgauge.errors import InputError
from nlgauge.meta.observations import observe, with_pairs
from nlgauge.meta.table import arrange, human_scores, judge_scores


def row(item: str, system: str | None, text: str | None, **more: Any) -> dict[str, Any]:
    return {"item": item, "system": system, "hypothesis": text, **more}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return str(path)


def test_rows_without_text_are_kept_for_their_scores() -> None:
    data = observe([row("1", "a", None, ratings={"q": 1}), row("1", "b", "", ratings={"q": 2})])
    assert [one.text for one in data.rows] == [None, ""]
    assert human_scores(data, "q").tolist() == [1.0, 2.0]


def test_rows_without_any_system_are_one_system() -> None:
    data = observe([row("1", None, "x", ratings={"q": 1}), row("2", None, "y", ratings={"q": 2})])
    assert data.systems == ["unnamed"]


def test_a_system_named_in_some_rows_only_is_refused() -> None:
    with pytest.raises(InputError, match="the key system is missing"):
        observe([row("1", "a", "x"), row("2", None, "y")])


def test_repeated_rows_become_items_of_their_own_and_are_counted() -> None:
    data = observe([row("1", "a", "x", ratings={"q": 1}), row("1", "a", "y", ratings={"q": 2})])
    assert [one.item for one in data.rows] == ["1", "1#2"]
    assert "repeated by 1 row," in data.notes[0]


def test_unknown_keys_are_kept_and_can_be_filtered_on() -> None:
    rows = [row("1", "a", "x", flag=True, part={"n": 1.0}), row("2", "a", "y", flag=False, part={"n": 2.0})]
    assert [one.item for one in observe(rows, where=[("flag", "false")]).rows] == ["2"]
    assert [one.item for one in observe(rows, where=[("part.n", "1")]).rows] == ["1"]
    with pytest.raises(InputError, match=r"no row of the data has flag=maybe; its values are: false, true"):
        observe(rows, where=[("flag", "maybe")])


def test_systems_can_be_left_out() -> None:
    data = observe(judged(), without=["s0"])
    assert data.systems == ["s1", "s2", "s3"]
    with pytest.raises(InputError, match="no system 's9' to leave out"):
        observe(judged(), without=["s9"])


def test_references_from_another_file(tmp_path: Path) -> None:
    data = write(tmp_path / "d.jsonl", [row("1", "a", "x"), row("2", "a", "y")])
    references = write(
        tmp_path / "r.jsonl", [{"item": "1", "references": ["x", "z"]}, {"item": "2", "references": ["w"]}]
    )
    found = observe(data, references=references)
    assert [one.references for one in found.rows] == [("x", "z"), ("w",)]
    found = observe(data, references=references, drop_judged=True)
    assert [one.references for one in found.rows] == [("z",), ("w",)]
    assert "in 1 row" in found.notes[0]


def test_sources_as_references() -> None:
    found = observe([row("1", "a", "x", source="s")], references="source")
    assert found.rows[0].references == ("s",)
    with pytest.raises(InputError, match="no text as its source"):
        observe([row("1", "a", "x")], references="source")


def test_pairs(tmp_path: Path) -> None:
    data = observe([row("1", "a", "x"), row("1", "b", "y")])
    pairs = write(
        tmp_path / "p.jsonl",
        [{"item": 1, "better": "b", "worse": "a"}, {"item": 1, "better": "c", "worse": "a"}],
    )
    found = with_pairs(data, pairs)
    assert found.pairs == ((1, 0),)
    assert "1 pairs name outputs that the data lack (c)" in found.notes[0]
    with pytest.raises(InputError, match="line 1: expected the keys item, better and worse"):
        with_pairs(data, write(tmp_path / "q.jsonl", [{"item": 1, "best": "b"}]))
    with pytest.raises(InputError, match="none of the pairs"):
        with_pairs(data, write(tmp_path / "q.jsonl", [{"item": 7, "better": "b", "worse": "a"}]))


def test_pairwise_rows_are_pairs(tmp_path: Path) -> None:
    rows = [
        {"item": "1", "hypothesis_a": "x", "hypothesis_b": "y", "ratings": {"preference": ["a", "b", "tie"]}},
        {"item": "2", "hypothesis_a": "x", "hypothesis_b": "z", "ratings": {"preference": "b"}},
    ]
    data = observe(write(tmp_path / "p.jsonl", rows))
    assert len(data) == 4
    assert data.pairs == ((0, 1), (1, 0), (3, 2))
    assert "1 votes for a tie" in data.notes[0]


def test_an_evaluation_set_and_its_rows_are_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", judged())
    assert sorted(observe(path).rows, key=str) == sorted(observe(load(path)).rows, key=str)


def test_a_folder_and_an_empty_list_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, which holds no judgements"):
        observe(str(tmp_path))
    with pytest.raises(InputError, match="the list of rows is empty"):
        observe([])


def test_human_scores_leave_out_judges_who_gave_none() -> None:
    data = observe(
        [
            row("1", "a", "x", ratings={"q": [1, None, 4]}),
            row("2", "a", "x", ratings={"q": [None]}),
            row("3", "a", "x", ratings={"q": 0.1}),
        ]
    )
    np.testing.assert_array_equal(human_scores(data, "q"), [2.5, np.nan, 0.1])
    np.testing.assert_array_equal(human_scores(data, "q", "median"), [2.5, np.nan, 0.1])
    np.testing.assert_array_equal(
        human_scores(data, "q", "each"),
        [[1, np.nan, 4], [np.nan] * 3, [0.1, np.nan, np.nan]],
    )


def test_a_mean_does_not_depend_on_the_order_of_the_judges() -> None:
    data = observe(
        [
            row("1", "a", "x", ratings={"q": [0.1, 0.2, 0.3]}),
            row("2", "a", "x", ratings={"q": [0.3, 0.2, 0.1]}),
        ]
    )
    first, second = human_scores(data, "q")
    assert first == second


def test_judges_are_told_apart_by_name_where_rows_name_them() -> None:
    rows = [
        row("1", "a", "x", ratings={"q": [1, 2]}, raters=[7, 9]),
        row("2", "a", "x", ratings={"q": [3, 4]}, raters=[9, 8]),
    ]
    found = judge_scores(observe(rows), "q")
    assert list(found) == ["7", "9", "8"]
    np.testing.assert_array_equal(found["9"], [2, 3])
    unnamed = judge_scores(observe([{**one, "raters": None} for one in rows]), "q")
    np.testing.assert_array_equal(unnamed["1"], [1, 3])


def test_unknown_criterion() -> None:
    with pytest.raises(InputError, match="has no criterion 'qality': did you mean quality"):
        human_scores(observe(judged()), "qality")


def test_the_grid_holds_every_observation_once() -> None:
    data = observe(judged(3, 5)[:-1])
    by_system, stacked = arrange(data, by_system=True), arrange(data, by_system=False)
    values = np.arange(len(data), dtype=float)
    for grid in (by_system, stacked):
        spread = grid.spread(values)
        assert sorted(spread[~np.isnan(spread)]) == values.tolist()
    assert by_system.systems == ("s0", "s1", "s2")
    assert np.isnan(by_system.spread(values)[2, 4])
    twice = by_system.spread(np.stack([values, values + 100], axis=1))
    assert twice.shape == (6, 5)


def test_judged_texts_are_found_among_references_whatever_their_white_space() -> None:
    def row(item: str, system: str, text: str, references: list[str]) -> dict[str, Any]:
        return {
            "item": item,
            "system": system,
            "hypothesis": text,
            "references": references,
            "ratings": {"q": 1},
        }

    rows = [
        row("1", "human", "a b\n", ["a  b", "c"]),
        row("1", "x", "d", ["a  b", "c"]),
        row("2", "human", "e\n", ["e"]),
        row("2", "x", "f", ["e"]),
    ]
    found = observe(rows, drop_judged=True)
    assert [one.references for one in found.rows] == [("c",), ("c",)]
    assert any("2 of 4 outputs were left out" in note for note in found.notes)
    assert any("changed nothing" in note for note in observe(rows[1:2], drop_judged=True).notes)


def test_references_given_apart_replace_those_of_the_rows(tmp_path: Path) -> None:
    rows = [row(i, "a", "x", references=["own"], ratings={"q": 1}) for i in "12"]
    path = write(tmp_path / "refs.jsonl", [{"item": "1", "references": ["new"]}])
    data = observe(rows, references=path)
    assert [one.references for one in data.rows] == [("new",), ("own",)]
    assert "replaced those of 1 row" in data.notes[0] and "row kept references of their own" in data.notes[1]
    twice = [{"item": "1", "references": [text]} for text in ("new", "other")]
    with pytest.raises(InputError, match="'1' twice"):
        observe(rows, references=write(tmp_path / "twice.jsonl", twice))


def test_a_pair_needs_two_systems(tmp_path: Path) -> None:
    data = observe([row("1", name, "x") for name in "ab"])
    same = write(tmp_path / "pairs.jsonl", [{"item": "1", "better": "a", "worse": "a"}])
    with pytest.raises(InputError, match=r"line 1: better and worse are both 'a'"):
        with_pairs(data, same)


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(InputError, match="no row of the data has the key nokey"):
        observe([row("1", "a", "x")], where=[("nokey", "1")])


def test_ratings_beyond_floats_are_refused() -> None:
    data = observe([row("1", "a", "x", ratings={"q": [1e308, 1.5e308]})])
    with pytest.raises(InputError, match="too large"):
        human_scores(data, "q")
