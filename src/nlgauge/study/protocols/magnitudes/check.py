"""What `study check` says of a magnitude study: texts, standard, neighbours that anchor, balance, a simulated run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nlgauge.errors import counted
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.magnitudes.each import of_each, of_one
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, RankmeStudy, estimation_study
from nlgauge.study.protocols.magnitudes.simulation import Estimators
from nlgauge.study.protocols.outputs.check import criteria_findings, design_findings, page_findings
from nlgauge.study.protocols.outputs.parts import plain_texts


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    study = estimation_study(frozen.study)
    yield from _texts(frozen, study, lines)
    yield from _standard(frozen, study, lines)
    yield from criteria_findings(study, lines)
    if isinstance(study, RankmeStudy):
        yield from _of_one(study, lines)
    if study.apart:
        yield from _apart(study, lines)
    else:
        yield from page_findings(study, lines)
    yield from design_findings(frozen, study, lines, Estimators(dropouts=0.1) if simulate else None)


def _texts(frozen: Frozen, study: EstimationStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    served = plain_texts(frozen.served)
    items, systems = len({text.item for text in served}), len(study.subjects)
    people = [slot for slot in frozen.slots if not slot.role and study.panels[slot.panel].kind == "people"]
    each = sum(len(slot.texts) for slot in people) / max(1, len(served) * len(study.parts))
    yield Finding(
        "note",
        "texts",
        f"{counted(items, 'item')} by {counted(systems, 'system')}: {counted(len(served), 'text')}, for each of which "
        f"{each:.1f} numbers are given on average for each criterion",
        lines.get("data", 0) or lines.get("subjects", 0),
        {"items": items, "systems": systems, "texts": len(served), "numbers_each": round(each, 2)},
    )
    if each < 1:
        yield Finding(
            "risk",
            "texts",
            f"{each:.1f} numbers for each text and criterion are fewer than one, so that some texts have none; ask "
            "more judges, or take fewer items (items: …)",
            lines.get("panels", 0),
        )
    if systems == 1:
        yield Finding("note", "texts", "there is one system, so nothing is compared", lines.get("systems", 0))


def _standard(frozen: Frozen, study: EstimationStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    standard = study.standard
    if standard is None:
        yield Finding(
            "note",
            "standard",
            "there is no standard: judges choose their own unit, and only ratios of systems can be told, none of one "
            "system to anything fixed (standard: {text: …, value: 100})",
        )
        return
    if study.divisor == "judge":
        yield Finding(
            "note",
            "standard",
            "numbers are divided by each judge's own geometric mean, so that the standard serves as an example only",
            lines.get("unit", 0),
        )
    same = [text for text in plain_texts(frozen.served) if standard.text and text.text == standard.text]
    if same:
        yield Finding(
            "risk",
            "standard",
            f"the standard is itself among the texts ({same[0].item!r} by {same[0].subject}): judges read its value "
            "beside it; take another text",
            lines.get("standard", 0),
        )


def _of_one(study: RankmeStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Questions of one's own that speak of one text where several are shown."""
    for place, asked in enumerate(study.questions_asked, start=1):
        for language, words in asked.question.items():
            if phrase := of_one(words, language):
                yield Finding(
                    "risk",
                    "criteria",
                    f"{asked.id} asks about “{phrase}”, but {study.per_screen} texts stand on the screen; ask about "
                    f"each of them, for example: {of_each(words, language)}",
                    lines.get(f"criteria.{place}", 0),
                )
                break


def _apart(study: EstimationStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    questions = len(study.parts)
    if questions == 1 and len(study.questions_asked) > 1:
        yield Finding(
            "risk",
            "criteria",
            "each judge is asked for all criteria at once, which then colour each other (Novikova, Dušek and Rieser "
            "2018); leave together out",
            lines.get("together", 0),
        )
    for name, panel in study.panels.items() if questions > 1 else ():
        whole, odd = divmod(panel.judges, questions)
        told = f"each judge is asked for one of {questions} criteria, in turn: {whole} judges or more for each"
        even = f"; a multiple of {questions} judges would be even" * bool(odd)
        yield Finding(
            "risk" if odd else "note", "criteria", f"panel {name}: {told}{even}", lines.get(f"panels.{name}", 0)
        )
