"""Named bundles of metrics: what the field's own scripts print, and what is reported for a task.

`choose("coco", data)` gives the metrics that can be computed on these data and this machine, and notes on the rest.
Bundles with a `script` equal it to the digit, but where `apart` says otherwise. They are for English; for outputs in
another language the parts that know only English are exchanged or left out, and a note says so.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from nlgauge.engine.availability import Missing, runnable
from nlgauge.engine.scripts import for_language
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.metrics.survey import TASK_NAMES
from nlgauge.types import EvaluationSet
from nlgauge.wording.languages import language_code
from nlgauge.wording.numbers import listing


@dataclass(frozen=True)
class Preset(Jsonable):
    """Metrics that are reported together."""

    name: str
    about: str
    specs: tuple[str, ...]
    script: str = ""  # whose numbers these are; empty: the task has no common script
    apart: str = ""  # what differs from the script, or is not here
    task: str = ""  # the survey's task it stands for


_TABLES: dict[str, dict[str, Any]] = tomllib.loads(
    resources.files("nlgauge").joinpath("presets.toml").read_text(encoding="utf-8")
)
PRESETS = {name: Preset(name, **{**given, "specs": tuple(given["specs"])}) for name, given in _TABLES.items()}

_NEEDS = {
    "references": "references",
    "source": "sources",
    "source text": "sources that are texts",
    "post_edits": "post-edits",
    "reference_weights": "weights of the references",
}


def named(name: str) -> Preset:
    """The preset of a name, or of a task; an unknown one is refused with the near name."""
    known = name.strip().lower().replace(" ", "-").replace("_", "-")
    known = TASK_NAMES.get(known, known)
    tasks = {preset.task: preset for preset in PRESETS.values() if preset.task}
    found = PRESETS.get(known) or tasks.get(known)
    if found is None:
        names = [*PRESETS, *tasks, *TASK_NAMES]
        near = difflib.get_close_matches(known, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}? Known" if near else "known"
        raise InputError(f"there is no preset {name!r}; {hint}: {', '.join(PRESETS)}")
    return found


@dataclass(frozen=True)
class Choice:
    """What of a preset is computed, and what became of the rest, by spec."""

    preset: Preset
    metrics: tuple[Metric, ...]
    language: str  # of the outputs; empty: not known
    fitted: Mapping[str, str]  # what is computed in the place of a metric that is not for the language
    foreign: tuple[str, ...]  # what there is for English only
    exchanged: tuple[str, ...]  # on other models, in words
    unfed: Mapping[str, str]  # what the data lack
    lacking: Mapping[str, Missing]  # what this machine lacks

    @property
    def left_out(self) -> dict[str, str]:
        """Why each of the others is not computed."""
        return {
            **dict.fromkeys(self.foreign, f"not made for outputs in {self.language!r}"),
            **{spec: f"the data have no {need}" for spec, need in self.unfed.items()},
            **{spec: error.how for spec, error in self.lacking.items()},
        }

    def notes(self) -> list[str]:
        """What a reader must know: what was exchanged and left out, what differs from the script."""
        told = []
        if self.fitted:
            pairs = ", ".join(f"{spec} → {other}" for spec, other in self.fitted.items())
            told.append(f"exchanged for outputs in {self.language!r}: {pairs}")
        if self.foreign:
            told.append(f"left out, since not made for outputs in {self.language!r}: {listing(self.foreign)}")
        told += self.exchanged
        reasons: dict[str, list[str]] = {}
        for spec, why in self.left_out.items():
            if spec not in self.foreign:
                reasons.setdefault(why, []).append(spec)
        if reasons:
            told.append(f"left out: {'; '.join(f'{listing(specs)} ({why})' for why, specs in reasons.items())}")
        if self.preset.apart and self.metrics:
            told.append(f"differs from the script: {self.preset.apart}")
        return told


def choose(name: str, data: EvaluationSet | None = None, *, language: str = "") -> tuple[tuple[Metric, ...], list[str]]:
    """The metrics of a preset that can be computed, and notes on those that were exchanged or left out.

    The language is that of the data where none is given. Nothing left out is an error: nobody asked for it by name.
    """
    found = chosen(name, data, language=language)
    return found.metrics, found.notes()


def chosen(name: str, data: EvaluationSet | None = None, *, language: str = "") -> Choice:
    """The same as facts."""
    preset = named(name)
    spoken = _given(language) if language else data.language if data is not None else ""
    fitting = {spec: for_language(parse(spec), spoken) for spec in preset.specs}
    metrics = [metric for metric in fitting.values() if metric is not None]
    unfed: dict[str, str] = {}
    if data is not None:
        unfed = {str(metric): need for metric in metrics if (need := _lacks(data, metric))}
    found = runnable(metric for metric in metrics if str(metric) not in unfed)
    return Choice(
        preset=preset,
        metrics=found.metrics,
        language=spoken,
        fitted={spec: str(metric) for spec, metric in fitting.items() if metric not in (None, parse(spec))},
        foreign=tuple(spec for spec, metric in fitting.items() if metric is None),
        exchanged=tuple(found.notes()),
        unfed=unfed,
        lacking=found.lacking,
    )


def _given(language: str) -> str:
    """The code of the language that was named; its region does not matter, and a pair is not one language."""
    spoken = language_code(re.split("[-_]", language.strip())[0].lower())
    if not spoken:
        raise InputError(f"{language!r} is no code of a language; expected two or three letters, such as de")
    if (target := language_code(language.strip())) not in ("", spoken):
        raise InputError(f"{language!r} is a pair; name the language of the outputs only, such as {target}")
    return spoken


def _lacks(data: EvaluationSet, metric: Metric) -> str:
    """What of a metric's needs the data lack, in a word; empty: nothing."""
    for need in metric.needs:
        try:
            data.require([need])
        except InputError:
            return _NEEDS.get(need, need)
    return ""
