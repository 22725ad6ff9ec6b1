"""What `study check` says of any study of outputs: what is shown, neighbours that anchor, balance, a simulated run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nlgauge.study.criteria.comparing import anchors
from nlgauge.study.designs import balance
from nlgauge.study.findings import Finding
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.base import Crowd
from nlgauge.study.protocols.outputs.file import OutputStudy

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
        answers = round(panel.evaluations * len(study.questions_asked) / len(study.parts))
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
        design = study.design_for(name, study.screens(panel.evaluations))
        apart = len(study.parts) if study.apart else 1  # each part has the whole design
        table = design.sheets(items, systems, -(-panel.judges // apart), seed=study.seed, panel=name)
        found = balance(table)
        line = lines.get(f"panels.{name}", 0)
        each = "each criterion by itself: " if apart > 1 else ""
        yield Finding("note", "design", f"panel {name}: {each}{design.describe(items, systems)}", line)
        yield Finding("note", "balance", f"panel {name}: {each}{found.sentence()}", line, found.to_dict())
        whole = apart * design.complete(items, systems)
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


def page_findings(study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """That a screen has two pages, where it has."""
    if len(study.parts) > 1:
        first = [study.questions_asked[number].id for number in study.parts[0]]
        kept = sorted({str(show.what) for show in study.every_show} & study.hidden_in(0))
        yield Finding(
            "note",
            "pages",
            f"each text has two pages: {', '.join(first)} without the {', the '.join(kept)}, then the rest with it; "
            "the first answer is stored before the second page is shown",
            lines.get("criteria", 0),
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
