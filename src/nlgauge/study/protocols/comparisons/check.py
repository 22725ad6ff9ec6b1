"""What `study check` says of a comparative study: texts, what is shown, balance, a simulated run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb

from nlgauge.errors import counted
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.comparisons.file import ComparisonStudy, comparison_study
from nlgauge.study.protocols.comparisons.simulation import Choosers
from nlgauge.study.protocols.outputs.check import criteria_findings, design_findings


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    study = comparison_study(frozen.study)
    yield from _texts(frozen, study, lines)
    yield from criteria_findings(study, lines)
    yield from design_findings(frozen, study, lines, Choosers(dropouts=0.1) if simulate else None)


def _texts(frozen: Frozen, study: ComparisonStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    people = [slot for slot in frozen.slots if not slot.role and study.panels[slot.panel].kind == "people"]
    pairs = len(people) * comb(study.per_screen, 2) / comb(systems, 2)
    line = lines.get("data", 0) or lines.get("subjects", 0)
    shown = f"{counted(items, 'item')} by {systems} systems, {study.per_screen} on a screen"
    meet = f"{counted(len(people), 'comparison')}, in which two systems meet {pairs:.1f} times on average"
    figures = {"items": items, "systems": systems, "per_screen": study.per_screen, "comparisons": len(people)}
    yield Finding("note", "texts", f"{shown}: {meet}", line, {**figures, "meetings": round(pairs, 2)})
    if met := _unmet(frozen, study):
        yield Finding(
            "risk",
            "texts",
            f"the systems {met[0]} and {met[1]} are never on a screen together, nor linked by others that are: nothing "
            "compares them; ask more judges, or take another design",
            lines.get("design", 0) or lines.get("panels", 0),
        )
    yield from _same(frozen, study, line)


def _unmet(frozen: Frozen, study: ComparisonStudy) -> tuple[str, str] | None:
    """Two systems that no chain of comparisons links: their strengths would not be comparable."""
    linked = {name: {name} for name in study.subjects}
    for slot in (slot for slot in frozen.slots if not slot.role):
        systems = [frozen.text[text].subject for text in slot.texts]
        joined = set().union(*(linked[name] for name in systems))
        if len(joined) > len(linked[systems[0]]):
            linked |= dict.fromkeys(joined, joined)
    first = next(iter(study.subjects))
    other = next((name for name in study.subjects if name not in linked[first]), None)
    return None if other is None else (first, other)


def _same(frozen: Frozen, study: ComparisonStudy, line: int) -> Iterator[Finding]:
    """Outputs that are the same word for word: judges are asked for a difference that is not there."""
    known: dict[tuple[str, str], str] = {}
    same = [
        (text.item, other, text.subject)
        for text in frozen.served
        if (other := known.setdefault((text.item, text.text), text.subject)) != text.subject
    ]
    if same:
        item, one, other = same[0]
        remedy = "" if getattr(study, "ties", True) else "allow ties (ties: true), or "  # best-worst knows none
        yield Finding(
            "risk",
            "texts",
            f"{len(same):,} outputs are another system's word for word (for example {one} and {other} for {item!r}): "
            f"judges would be asked for a difference that is not there; {remedy}leave these items out (items: …)",
            line,
            {"same": len(same)},
        )
