"""Sets made from lists in memory."""

from __future__ import annotations

import pickle

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
        ng.EvaluationSet.of({"a": ["x", "y"]}, ["x", ["y"]])
    with pytest.raises(ng.InputError, match="one string"):
        ng.EvaluationSet.of({"a": "x"}, [["x"]])


def test_sets_can_be_pickled_at_any_time() -> None:
    data = ng.EvaluationSet.of({"a": ["x"], "b": ["y"]}, [["x"]])
    digest = data.digest
    assert pickle.loads(pickle.dumps(data)).digest == digest


def test_equal_digests_mean_equal_comparisons() -> None:
    """A's rows in order and B's in another one; the file may begin with either."""
    refs = {str(k): [f"the cat number {k} sat on the mat"] for k in range(12)}
    a = [{"item": k, "system": "a", "hypothesis": f"the cat number {k} sat", "references": refs[k]} for k in refs]
    b = [{"item": k, "system": "b", "hypothesis": f"cat {int(k) % 5} on mat", "references": refs[k]} for k in refs]
    b = b[7:] + b[:7]
    first, second = ng.load(a + b), ng.load(b + a)
    assert first.digest == second.digest
    one = ng.compare(first, "chrf", baseline="a", trials=200).comparisons[0]
    two = ng.compare(second, "chrf", baseline="a", trials=200).comparisons[0]
    assert (one.p, one.low, one.high) == (two.p, two.low, two.high)
