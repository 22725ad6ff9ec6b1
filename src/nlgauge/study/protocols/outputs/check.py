"""What `study check` says of any study of outputs: what is shown, neighbours that anchor, balance, a simulated run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nlgauge.study.criteria.comparing import anchors
from nlgauge.study.designs import balance
from nlgauge.study.findings import Finding
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.base import Crowd
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.quality import LEAST_REPEATS, least_degraded

INPUT = frozenset(("source", "table", "image", "history", "context"))
"""The input in whatever form: one of them stands for another."""


MANY = 100  # ratings after which judges tire


def criteria_findings(study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """What is not shown, not defined, next to its like, or too much."""
    shown = _seen_by_all(study)
    for number, one in enumerate(study.questions_asked, start=1):
        lacking = [
            thing for thing in one.shown if thing not in shown and not (thing in INPUT and shown & INPUT)
        ]
        if lacking and "monolingual" not in _without(study, number):
            yield Finding(
                "risk",
                "criteria",
                f"{one.id} is judged by comparison with the {lacking[0]}, which judges do not see; add "
                f"show: [{lacking[0]}]",
                lines.get(f"criteria.{number}", 0),
            )
        if not one.definition:
            yield Finding(
                "risk",
                "criteria",
                f"{one.id} has no definition: what was judged cannot be compared with other studies",
                lines.get(f"criteria.{number}", 0),
            )
    found = [study.meant(entry) for entry in study.criteria]
    for anchor in anchors([one for one in found if one is not None]):
        yield Finding("risk", "anchoring", str(anchor), lines.get("criteria", 0))
    for name, panel in study.panels.items():
        answers = panel.evaluations * len(study.questions_asked)
        if answers > MANY and panel.kind == "people":
            yield Finding(
                "risk",
                "fatigue",
                f"panel {name}: {panel.evaluations} screens with {len(study.questions_asked)} questions are {answers} "
                f"answers of each judge; more than {MANY} tire, so give each judge fewer (evaluations: …)",
                lines.get(f"panels.{name}", 0),
                {"answers_each": answers},
            )


def _seen_by_all(study: OutputStudy) -> set[str]:
    """What every panel of people sees beside a text."""
    seen = [{one.what for one in study.shown_to(name)} for name in study.panels]
    return {str(what) for what in set.intersection(*map(set, seen))} if seen else set()


def _without(study: OutputStudy, number: int) -> Sequence[str]:
    """Who may judge a criterion without anything beside the text."""
    found = study.meant(study.criteria[number - 1])
    return [who for who, things in found.judges.items() if not things] if found else []


def balance_findings(frozen: Frozen, study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """The design in a sentence, and what came of it."""
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    for name, panel in study.panels.items():
        design = study.design_for(name, panel.evaluations)
        table = design.sheets(items, systems, panel.judges, seed=study.seed, panel=name)
        found = balance(table)
        line = lines.get(f"panels.{name}", 0)
        yield Finding("note", "design", f"panel {name}: {design.describe(items, systems)}", line)
        yield Finding("note", "balance", f"panel {name}: {found.sentence()}", line, found.to_dict())
        whole = design.complete(items, systems)
        if 1 < whole <= 2 * panel.judges and panel.judges % whole:
            nearest = -(-panel.judges // whole) * whole
            yield Finding(
                "risk",
                "balance",
                f"panel {name}: everything is even after each {whole} judges, but {panel.judges} are planned; "
                f"{nearest} would be balanced",
                line,
                {"complete": whole},
            )


def quality_findings(study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Checks that cannot tell anything, and the rule in a sentence."""
    quality = study.quality
    if quality is None:
        return
    line, rule = lines.get("quality", 0), quality.rule
    least = least_degraded(rule.alpha)
    if 0 < quality.degraded < least and rule.test != "t":
        yield Finding(
            "risk",
            "quality",
            f"{quality.degraded} damaged copies for each judge cannot reach p < {rule.alpha:g}, so that nobody passes "
            f"or fails by them; show at least {least}, better 10 or more",
            lines.get("quality.degraded", line),
            {"least": least},
        )
    if 0 < quality.repeats < LEAST_REPEATS and "repeats" in rule.exclude:
        yield Finding(
            "risk",
            "quality",
            f"{quality.repeats} repeats for each judge are no ground to leave anybody out; show at least "
            f"{LEAST_REPEATS}, or take repeats out of the rule",
            lines.get("quality.repeats", line),
        )
    added = quality.added
    told = f"{added} additional screens for each judge" if added else "no additional screens"
    out = ", ".join(rule.exclude)
    yield Finding(
        "note",
        "quality",
        f"{told}; "
        + (
            f"judges who fail {rule.failures} of {out} are left out by the rule (study exclude --by-rule)"
            if out
            else "judges who fail are named, and nobody is left out by a rule"
        ),
        line,
        {"screens": added, "exclude": list(rule.exclude)},
    )
    if quality.comprehension is not None and study.instructions is None:
        yield Finding(
            "risk",
            "quality",
            "there is a comprehension test but no instructions of the study's own that it could ask about",
            lines.get("quality.comprehension", line),
        )


def rehearsal_findings(frozen: Frozen, crowd: Crowd) -> Iterator[Finding]:
    """The plan run once with simulated judges, some of whom go away."""
    from nlgauge.study.simulate import rehearse

    _, outcome = rehearse(frozen, crowd, seed=frozen.study.seed)
    for name, result in outcome.panels.items():
        panel = frozen.study.panels[name]
        planned = panel.judges * panel.evaluations
        if panel.kind == "people":
            complete = result["answers"] == planned
            yield Finding(
                "note" if complete else "error",
                "simulation",
                f"panel {name}: a simulated run with {outcome.dropped} drop-outs gave {result['answers']:,} of "
                f"{planned:,} answers" + ("" if complete else ": please report this"),
                figures={"answers": result["answers"], "dropped": outcome.dropped},
            )
