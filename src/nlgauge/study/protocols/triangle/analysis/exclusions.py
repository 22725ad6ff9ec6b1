"""Judges left out of a triangle study: the verdict with all judges beside the one without them.

Who is left out is an event of the log with a reason (`study.excluding`); what they answered stays in the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.stats.discrimination.wording import percent
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan
from nlgauge.study.protocols.triangle.analysis.verdict import Verdict, judge
from nlgauge.study.protocols.triangle.analysis.wording import p_text

FOLLOWED = (
    "the rule of stopping was followed with the answers of all judges while the study ran, and is followed again "
    "without those left out: the risks stated are those of all judges"
)


@dataclass(frozen=True)
class Exclusion:
    """One panel with and without the judges who are left out."""

    panel: str
    left_out: Mapping[str, str]  # with reasons
    every: Verdict
    kept: Verdict

    @property
    def same(self) -> bool:
        """Whether both conclude the same."""
        return self.every.concluded == self.kept.concluded

    @property
    def sentence(self) -> str:
        """Who is left out and what that changes."""
        named = "; ".join(f"{name} ({reason})" for name, reason in self.left_out.items())
        verb = "is" if len(self.left_out) == 1 else "are"
        return (
            f"{len(self.left_out):,} of {self.every.judges:,} judges {verb} left out: {named}. With all judges "
            f"{_figures(self.every)}; without those left out {_figures(self.kept)}; the conclusion "
            f"{'is the same' if self.same else 'changes'}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "panel": self.panel,
            "excluded": dict(self.left_out),
            "same_conclusion": self.same,
            "all_judges": self.every.to_dict(),
            "without_those_left_out": self.kept.to_dict(),
            "sentence": self.sentence,
        }


def _figures(one: Verdict) -> str:
    told = f"{one.correct:,} of {one.answers:,} answers are correct"
    if one.test is None:
        return f"{told}, and nothing is concluded yet"
    share = one.test.p_d
    return (
        f"{told} (p_d {percent(share.estimate)}, at least {percent(share.low)}, at most {percent(share.high)}; "
        f"{p_text(one.test.p_value)})"
    )


def exclusions(
    plan: Plan,
    panels: Sequence[PanelPlan],
    answers: Sequence[Judgement],
    kept: Sequence[Verdict],
    excluded: Mapping[str, str],
) -> tuple[Exclusion, ...]:
    """Each panel that somebody is left out of; `answers` are those of all judges, `kept` the verdicts without them."""
    verdicts = {one.panel: one for one in kept}
    found = []
    for panel in panels:
        own = [one for one in answers if one.panel == panel.name]
        out = {name: why for name, why in excluded.items() if any(one.judge == name for one in own)}
        if out and panel.name in verdicts:
            found.append(Exclusion(panel.name, out, judge(plan, panel, own), verdicts[panel.name]))
    return tuple(found)
