"""The recorded cases of the official tools, for the tests in this folder.

A test asks for the cases of one or more metrics and takes each as the argument `case`:

    from recorded import Case, cases

    @pytest.mark.parametrize("case", cases("chrF", "chrF++"))
    def test_recorded(case: Case) -> None:
        got = Chrf(...).corpus(case.hypotheses, case.references)
        case.check(got)                      # or case.check(got, case.expected["corpus_F"])

The test id is the case id. `case.check(got, expected)` compares within the case's own tolerance: numbers,
lists of numbers, or dicts of either. One line per metric, "N of M recorded cases pass", is printed when
the run ends (see conftest.py): M counts every case on record for that metric, N those all of whose tests
passed, so a case that was left out shows, with the reason. Where the records are not beside the checkout the tests are
skipped, visibly.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures"


@dataclass(frozen=True, eq=False)
class Case:
    """Input, settings and the number another project states for them."""

    id: str
    metric: str
    system: str  # project@commit that states the number
    options: dict[str, Any]
    expected: Any
    tolerance: float
    note: str
    needs: Any  # a resource the case requires, or None
    hypothesis: Any  # as recorded: a list, {"file": …} or None
    reference: Any

    @property
    def hypotheses(self) -> list[str]:
        """One text per segment."""
        if isinstance(self.hypothesis, dict):
            return list(_lines(self.hypothesis["file"]))
        return list(self.hypothesis)

    @property
    def references(self) -> list[list[str]]:
        """One list of references per segment."""
        if isinstance(self.reference, dict):
            return [[line] for line in _lines(self.reference["file"])]
        return [list(texts) for texts in self.reference]

    def check(self, got: Any, expected: Any = None) -> None:
        """Fail unless `got` is within the tolerance of `expected` (by default all that the case expects)."""
        self._compare(got, self.expected if expected is None else expected, "")

    def _compare(self, got: Any, wanted: Any, where: str) -> None:
        if isinstance(wanted, dict):
            for key, value in wanted.items():
                self._compare(got[key], value, f"{where} {key}")
        elif isinstance(wanted, list):
            assert len(got) == len(wanted), f"{self.id} ({self.system}){where}: {len(got)} values, not {len(wanted)}"
            for number, (mine, theirs) in enumerate(zip(got, wanted, strict=True)):
                self._compare(mine, theirs, f"{where} [{number}]")
        else:
            same = got == pytest.approx(wanted, rel=0, abs=self.tolerance)
            assert same, f"{self.id} ({self.system}){where}: {got} is not {wanted} ± {self.tolerance}"


def cases(*metrics: str) -> list[Any]:
    """The cases of these metrics, as parameters for `pytest.mark.parametrize("case", …)`."""
    if not recorded():
        reason = f"no recorded numbers at {FIXTURES}: they are kept outside the project"
        return [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=reason))]
    unknown = set(metrics) - {case.metric for case in recorded()}
    if unknown:
        raise ValueError(f"no case on record for {', '.join(sorted(unknown))}")
    return [pytest.param(case, id=case.id) for case in recorded() if case.metric in metrics]


@cache
def recorded() -> tuple[Case, ...]:
    """Every case on record; none where the records are absent."""
    path = FIXTURES / "parity.json"
    if not path.is_file():
        return ()
    return tuple(
        Case(
            id=raw["id"],
            metric=raw["metric"],
            system=raw["system"],
            options=raw.get("options") or {},
            expected=raw["expected"],
            tolerance=raw.get("tolerance", 0.0),
            note=raw.get("note") or "",
            needs=raw.get("needs"),
            hypothesis=raw.get("hypothesis"),
            reference=raw.get("references"),
        )
        for raw in json.loads(path.read_text(encoding="utf-8"))["cases"]
    )


def summary(tried: Set[str], unmet: Mapping[str, str], *, whole: bool) -> list[str]:
    """What a run says of the cases it tried; `unmet` gives the reason for each that did not pass.

    Where the whole folder was run, the cases without any test are named too.
    """
    every = Counter(case.metric for case in recorded())
    passed = Counter(case.metric for case in recorded() if case.id in tried and case.id not in unmet)
    metrics = sorted({case.metric for case in recorded() if case.id in tried})
    lines = []
    for metric in metrics:
        reasons: dict[str, list[str]] = {}
        for case in recorded():
            if case.metric == metric and (case.id in unmet or case.id not in tried):
                reasons.setdefault(unmet.get(case.id, "not run"), []).append(case.id)
        note = "; ".join(f"{', '.join(ids)}: {reason}" for reason, ids in reasons.items())
        lines.append(
            f"{metric}: {passed[metric]} of {every[metric]} recorded cases pass{f' (not {note})' if note else ''}"
        )
    total = sum(every[metric] for metric in metrics)
    lines.append(f"all metrics above: {passed.total()} of {total} recorded cases pass")
    others = [case for case in recorded() if case.metric not in metrics]
    if whole and others:
        lines.append(f"without a test in this run: {len(others)} cases")
        lines += [f"  {case.id}: {_needs(case)}" for case in others]
    return lines


def _needs(case: Case) -> str:
    if case.needs:
        return f"needs {case.needs}"
    return case.note.partition(". ")[0] or "not run"


@cache
def _lines(name: str) -> tuple[str, ...]:
    # Only \n ends a line: str.splitlines() would also split at the rarer separators inside a segment.
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return tuple(text.removesuffix("\n").split("\n"))
