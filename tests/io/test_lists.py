"""Sets made from lists in memory."""

from __future__ import annotations

import pytest

import nlgauge as ng


def test_lists_equal_rows() -> None:
    systems = {"a": ["x y", ""], "b": ["x", "z w"]}
    references = [["x y"], ["z", "z w"]]
    made = ng.EvaluationSet.of(systems, references, ["s1", "s2"])
    rows = [
        {
            "item": str(k + 1),
            "system": name,
            "hypothesis": text,
            "references": references[k],
            "source": f"s{k + 1}",
        }
        for name, outputs in systems.items()
        for k, text in enumerate(outputs)
    ]
    loaded = ng.load(rows)
    assert made.digest == loaded.digest
    assert list(made) == list(loaded)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ng.InputError, match="system 'a' has 1 outputs for 2 segments"):
        ng.EvaluationSet.of({"a": ["x"]}, [["x"], ["y"]])
    with pytest.raises(ng.InputError, match="references of segment 0 are one string"):
        ng.EvaluationSet.of({"a": ["x"]}, ["x"])
    with pytest.raises(ng.InputError, match="one string"):
        ng.EvaluationSet.of({"a": "x"}, [["x"]])
