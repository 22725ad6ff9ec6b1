"""What a machine is shown of a study of outputs: the texts of a screen, and what stands beside them for its panel.

Headings are those of the pages, in the judge's language; the pages' phrases are handed in (`Say`), because the pages
stand above the studies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.study.file.study import say as worded
from nlgauge.study.freeze.texts import segments_of
from nlgauge.study.machine_judges.base import Beside, Sheet
from nlgauge.study.machine_judges.forms import Say
from nlgauge.study.model import Evaluation, Text
from nlgauge.study.protocols.outputs.file import STANDARD, OutputStudy, Show


def output_study(study: Any) -> OutputStudy:
    """The same study, where outputs are judged in it; refused where not."""
    if isinstance(study, OutputStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a study of outputs can do this")


def showing(study: OutputStudy, panel: str, language: str, say: Say) -> Callable[[Evaluation], Sheet]:
    """Makes sheets as judges of a panel see their screens; a panel that came later sees what `panel` sees."""
    shows = study.shown_to(panel)

    def sheet(evaluation: Evaluation) -> Sheet:
        first = evaluation.texts[0]
        found = tuple(made for show in shows for made in _beside(show, first.beside.get(show.what), language, say))
        return replace(Sheet.of(evaluation.texts), beside=(*found, *_standard(study, first, say)))

    return sheet


def _standard(study: OutputStudy, first: Text, say: Say) -> Iterator[Beside]:
    """The text that magnitudes are measured by, as it stands on the page."""
    standard = study.standard_of(first.beside)
    if standard is not None:
        value, words = standard
        yield Beside(STANDARD, say("magnitude_standard", value=f"{value:.10g}"), (words,), words)


def with_references(
    show: Callable[[Evaluation], Sheet], study: OutputStudy, folder: str | Path
) -> Callable[[Evaluation], Sheet]:
    """The same sheets with the references of the study's set, which people may not be shown, for a metric."""
    by_item: dict[str, list[str]] = {}
    read: dict[Path, Any] = {}
    for name, subject in study.subjects.items():
        if subject.data:
            for segment in segments_of(f"subjects.{name}", subject, Path(folder) / subject.data, read):
                by_item.setdefault(segment.item, list(segment.references))

    def sheet(evaluation: Evaluation) -> Sheet:
        found, kept = show(evaluation), evaluation.texts[0]
        if found.held("reference") is not None:
            return found
        value = kept.beside.get("reference") or by_item.get(kept.item)
        if not value:
            raise InputError(
                f"there is no reference for the input {kept.item!r}, in the study or in its set; a metric without "
                "references can judge, or a study whose set has some"
            )
        return replace(found, beside=(*found.beside, Beside("reference", "", tuple(value), value)))

    return sheet


def _beside(show: Show, value: Any, language: str, say: Say) -> Iterator[Beside]:
    """One thing, in the parts that a page shows; pictures are not sent."""
    if show.what == "image" or not value:
        return
    heading = worded(show.label, language) or say(f"show_{show.heading(value)}")
    rows = show.rows(value)
    if rows:
        parts: tuple[str, ...] = ("\n".join(" | ".join(map(str, row)) for row in rows),)
    elif show.what == "history" and isinstance(value, list):
        turns = (turn if isinstance(turn, str) else f"{turn[0]}: {turn[1]}" for turn in value)
        parts = ("\n".join(turns),)
    else:
        parts = tuple(map(str, value)) if isinstance(value, list) else (str(value),)
    yield Beside(show.what, heading, parts, value)


def sheet_values(sheet: Sheet) -> Mapping[str, Any]:
    """A sheet as plain values, for programs."""
    return {
        "texts": [dict(vars(shown)) for shown in sheet.texts],
        "beside": [
            {"what": material.what, "heading": material.heading, "value": material.value}
            | ({} if material.of is None else {"of": material.of})
            for material in sheet.beside
        ],
    }
