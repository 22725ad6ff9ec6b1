"""What is wrong or risky in a study before it is launched: each finding with its figures and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study.check.drift import drift
from nlgauge.study.check.findings import SEVERITIES, Finding
from nlgauge.study.check.foresight import foreseen
from nlgauge.study.check.framing import wording_findings
from nlgauge.study.file.endings import ending
from nlgauge.study.file.places import PlacedError, line_of
from nlgauge.study.file.study import Study, inspect
from nlgauge.study.file.translations import missing, missing_note
from nlgauge.study.launch.frozen import Frozen, freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.outputs.passing import comprehension_findings

__all__ = ["Finding", "Reviewer", "check"]

SIMULATED_MOST = 2_000  # evaluations up to which a plan is run through the real verbs

Reviewer = Callable[[Study], Iterable[Finding]]
"""Reads the wordings of a study; further reviews are added to the list that `check` is given."""


def check(
    folder: str | Path, *, reviewers: Sequence[Reviewer] = (), simulate: bool = True, call: bool = False
) -> tuple[list[Finding], Frozen | None]:
    """All findings, errors first, and the study as it would be frozen; None where errors forbid that.

    With `call`, systems that judges will talk with are each asked for a short reply.
    """
    study, problems, lines = inspect(folder)
    found = [Finding("error", "file", problem.message, problem.line) for problem in problems]
    if study is None or problems:
        return found, None
    frozen: Frozen | None = None
    try:
        frozen = freeze(study, folder)
    except PlacedError as error:
        found.append(Finding("error", "texts", error.message, error.line))
    except InputError as error:
        found.append(Finding("error", "texts", str(error), line_of(lines, "data", "subjects", "goals")))
    protocol = protocol_of(study.protocol)
    found += protocol.plan(study, lines)
    found += _care(study, lines)
    found += protocol.review(study, lines)
    found += comprehension_findings(study.test, lines)
    found += _questions(folder, found)
    for reviewer in reviewers:
        found += reviewer(study)
    if frozen is not None:
        short = len(frozen.slots) <= SIMULATED_MOST
        found += foreseen(frozen, lines)
        found += wording_findings(frozen, lines)
        found += protocol.check(frozen, folder, lines, simulate=simulate and short)
        found += protocol.call(frozen, lines) if call else ()
    launched = drift(folder, frozen)
    if launched is not None:
        found.append(launched.finding())
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)), frozen


def _questions(folder: str | Path, told: Sequence[Finding]) -> Iterator[Finding]:
    """The review of the wordings, less what the triangle's own review of wordings has told of the same words."""
    from nlgauge.study.question_review import review_folder

    for remark in review_folder(folder):
        words = remark.words.casefold()
        if any(one.line == remark.line and words and words in one.message.casefold() for one in told):
            continue
        where = f"{remark.key} ({remark.language})" if remark.key else "the study"
        yield Finding(
            "risk",
            "question review",
            f"{where}, {remark.kind}: {remark.reason} ({remark.paper}). {remark.remedy}",
            remark.line,
            remark.to_dict(),
        )


def _care(study: Study, lines: dict[str, int]) -> Iterator[Finding]:
    """What judges are owed, and what the platforms need."""
    if study.consent is None:
        yield Finding("risk", "consent", "nobody is asked for consent; add consent: text: …")
    if not study.ethics.approval:
        yield Finding("risk", "ethics", "no ethics approval is stated; add ethics: approval: (or why none was needed)")
    if not study.ethics.contact:
        yield Finding(
            "note",
            "ethics",
            "no contact is stated, so judges who want to ask something or have their answers erased are sent to those "
            "who invited them; add ethics: contact:",
            lines.get("ethics", 0),
        )
    if (study.questions or study.closing) and not study.ethics.retention_days:
        asked = "questions about the judge" if study.questions else "questions at the end"
        yield Finding(
            "risk",
            "retention",
            f"{asked} are asked, but no retention period is stated; add ethics: retention_days:",
            lines.get("questions") or lines.get("closing", 0),
        )
    for key, questions in (("questions", study.questions), ("closing", study.closing)):
        for number, question in enumerate(questions, start=1):
            if question.type == "scale" and not question.low:
                yield Finding(
                    "risk",
                    "question review",
                    f"the scale of the question {question.id!r} has no words for its ends, so every judge gives the "
                    "points a meaning of their own; add low: … and high: …",
                    lines.get(f"{key}.{number}", 0),
                )
    for tag, made in study.pages.items():
        if note := missing_note(tag, study.translations[tag], made):
            line = lines.get(f"translations.{tag}", 0)
            yield Finding("note", "translation", note, line, {"missing": missing(made)})
    protocol = protocol_of(study.protocol)
    if not protocol.practises(study):
        yield Finding("note", "practice", protocol.unpractised)
    if study.instructions is None:
        yield Finding("risk", "instructions", protocol.uninstructed)
    for name, panel in study.panels.items():
        if panel.access == "platform" and not any(ending(study, name, "platform", "done")):
            yield Finding(
                "risk",
                "completion",
                f"panel {name} comes from a platform, but there is no completion code and no redirect",
                lines.get(f"panels.{name}", 0),
            )
