"""What is wrong or risky in a study before it is launched: each finding with its figures and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, counted, option, unquoted
from nlgauge.stats.dealt import ALPHA, smallest
from nlgauge.study.checks.findings import SEVERITIES, Finding
from nlgauge.study.checks.foresight import POWER, SPREAD, foreseen
from nlgauge.study.file.endings import ending
from nlgauge.study.file.places import PlacedError, line_of
from nlgauge.study.file.study import Study, inspect
from nlgauge.study.file.translations import missing, missing_note
from nlgauge.study.freeze import frozen as frozen_file
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.outputs.passing import comprehension_findings
from nlgauge.study.protocols.ratings.file import RatingStudy

STRICTNESS = 0.15
"""By how much judges differ in their level, as a share of the scale (standard deviation): the median of the three
criteria of WebNLG 2017's crowd (0.11, 0.15, 0.18; 86 judges with 20 outputs or more)."""
TENTH = 0.1  # of the scale: an effect that would matter
MOST = 10_000  # judges of a wording


def wording_findings(frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
    """How many judges of each panel of people read each wording of the questions, and which effect of the wording they
    find. Wordings differ between judges, so the spread that counts is that of judges, not of answers."""
    study = frozen.study
    names = study.wordings
    for panel in study.panels if names else ():
        judges = study.panels[panel].judges
        if study.panels[panel].kind != "people":
            continue
        shares = [judges // len(names) + (place < judges % len(names)) for place in range(len(names))]
        least = "" if len(set(shares)) == 1 else f"{shares[-1]} or "
        found, figures = _detected(frozen, panel, shares[0], shares[-1])
        each = f"each of the {len(names)} wordings ({', '.join(names)}) is read by {least}{counted(shares[0], 'judge')}"
        severity, line = "note" if figures else "risk", lines.get(f"panels.{panel}", 0)
        told = f"panel {panel}: {each}; {found}"
        yield Finding(severity, "wordings", told, line, {"judges_each": shares, **figures})


def _detected(frozen: Frozen, panel: str, first: int, second: int) -> tuple[str, dict[str, Any]]:
    """The effect that so many judges of two wordings find, in words and figures."""
    if (1 + (first == second)) / math.comb(first + second, first) > ALPHA:
        few = "with so few no effect of a wording, however large, can be significant"
        return f"{few}; plan at least 4 judges for each", {}
    size = _smallest(1.0, first, second)
    power = f"with power {POWER:g}"
    if not isinstance(frozen.study, RatingStudy):
        told = f"an effect of {size:.2g} standard deviations between judges is found {power}"
        return told, {"standard_deviations": round(size, 4)}
    answers = frozen.study.screens(frozen.study.panels[panel].evaluations)
    spread = math.sqrt(STRICTNESS**2 + (SPREAD.residual + SPREAD.item_system) / max(1, answers))
    asked = next(question for question in frozen.study.questions_asked if question.wordings)
    points = size * spread * (asked.scale.high - asked.scale.low)
    each = next((n for n in range(4, MOST) if _smallest(spread, n, n) <= TENTH), MOST)
    told = (
        f"if judges differ in strictness as much as in WebNLG 2017, an effect of {points:.2g} on the level "
        f"({asked.id}, {asked.scale}) is found {power}"
    )
    if size * spread > TENTH:
        told += f"; to find a tenth of the scale takes {counted(each, 'judge')} for each wording"
    figures = {"difference": round(points, 4), "share_of_scale": round(size * spread, 4)}
    return told, {**figures, "judges_for_a_tenth": each}


def _smallest(spread: float, first: int, second: int) -> float:
    return smallest(spread, 1 / first + 1 / second, first + second - 2)


NAMED = 6  # differences


@dataclass(frozen=True)
class Drift:
    """That a folder was launched, and what its files say otherwise now; `changed` is None where they say nothing."""

    digest: str
    changed: tuple[str, ...] | None

    def finding(self) -> Finding:
        """The same for `check`."""
        if not self.changed:
            return Finding("note", "frozen", "the study was launched with these files, and is frozen")
        rest = len(self.changed) - NAMED
        more = f"; {counted(rest, 'more difference')}" if rest > 0 else ""
        told = (
            "the study is launched and frozen, so that these changes have no effect on it: "
            f"{'; '.join(self.changed[:NAMED])}{more}; undo them, or launch afresh ({option('fresh')}), which sets "
            "the answers "
            "aside"
        )
        return Finding("risk", "frozen", told, figures={"changed": list(self.changed)})


def drift(folder: str | Path, found: Frozen | None) -> Drift | None:
    """What differs between the launched study and the files as they would be frozen now; None where none is."""
    if not (Path(folder) / frozen_file.FILE).exists():
        return None
    launched = frozen_file.read(folder)
    if found is None:
        return Drift(launched.digest, None)
    then, files = launched.study.to_dict(), found.study.to_dict()
    if then.get("criteria") == files.get("criteria"):  # what an edition of the catalogue made of them is no edit
        then.pop("asked", None)
        files.pop("asked", None)
    changed = list(_differences(then, files))
    before, now = ({(text.subject, text.item): text for text in frozen.texts} for frozen in (launched, found))
    texts = sum(before.get(key) != now.get(key) for key in {*before, *now})
    if texts:
        changed.append(counted(texts, "text"))
    pictures = {*launched.images.items()} ^ {*found.images.items()}
    if pictures:
        changed.append(counted(len({name for name, _ in pictures}), "picture"))
    return Drift(launched.digest, tuple(changed))


def _differences(before: Any, now: Any, path: str = "") -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*before, *now]):
            below = f"{path}.{key}" if path and key else path or str(key)
            yield from _differences(before.get(key), now.get(key), below)
    elif isinstance(before, list | tuple) and isinstance(now, list | tuple) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now, strict=True), start=1):
            yield from _differences(one, other, f"{path}.{number}")
    elif before != now:
        plain = all(side is None or isinstance(side, str | int | float) for side in (before, now))
        yield f"{path} ({_said(before)} at launch, now {_said(now)})" if plain else path


def _said(value: Any) -> str:
    return "nothing" if value in (None, "") else unquoted(value)


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
        if any(finding.line == remark.line and words and words in finding.message.casefold() for finding in told):
            continue
        where = f"{remark.key} ({remark.language})" if remark.key else "the study"
        said = f"{where}, {remark.kind}: {remark.reason} ({remark.paper}). {remark.remedy}"
        yield Finding("risk", "question review", said, remark.line, remark.to_dict())


def _care(study: Study, lines: dict[str, int]) -> Iterator[Finding]:
    """What judges are owed, and what the platforms need."""
    if study.consent is None:
        yield Finding("risk", "consent", "nobody is asked for consent; add consent: text: …")
    if not study.ethics.approval:
        yield Finding("risk", "ethics", "no ethics approval is stated; add ethics: approval: (or why none was needed)")
    if not study.ethics.contact:
        told = (
            "no contact is stated, so judges who want to ask something or have their answers erased are sent to those "
            "who invited them; add ethics: contact:"
        )
        yield Finding("note", "ethics", told, lines.get("ethics", 0))
    if (study.questions or study.closing) and not study.ethics.retention_days:
        asked = "questions about the judge" if study.questions else "questions at the end"
        told = f"{asked} are asked, but no retention period is stated; add ethics: retention_days:"
        yield Finding("risk", "retention", told, lines.get("questions") or lines.get("closing", 0))
    for key, questions in (("questions", study.questions), ("closing", study.closing)):
        for number, question in enumerate(questions, start=1):
            if question.type == "scale" and not question.low:
                told = (
                    f"the scale of the question {question.id!r} has no words for its ends, so every judge gives the "
                    "points a meaning of their own; add low: … and high: …"
                )
                yield Finding("risk", "question review", told, lines.get(f"{key}.{number}", 0))
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
            told = f"panel {name} comes from a platform, but there is no completion code and no redirect"
            yield Finding("risk", "completion", told, lines.get(f"panels.{name}", 0))
