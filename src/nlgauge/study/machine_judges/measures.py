"""A metric of nlgauge as a judge: its number for each text, against the reference or source that the panel is shown.

A rating by a metric is the metric's own number, turned round where less is better; it is put on no scale of the study,
and the analysis holds it against people by rank and correlation only. A metric that is fitted is fitted on the whole
set that the study is of, as by `nlgauge score`, not on the screens of one panel. In a comparison the higher number
wins, and numbers that differ by no more than the margin are a tie.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge import __version__
from nlgauge.engine.local import system_rows
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse
from nlgauge.study.freeze.texts import read_set
from nlgauge.study.machine_judges.base import Choice, Sheet
from nlgauge.study.machine_judges.forms import Form, drawing, form_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.judge import unfit_metric
from nlgauge.types import Column, EvaluationSet

Key = tuple[str, str, str]
"""A text, its references and its source, as one key of scores."""


def scoring_form(study: OutputStudy) -> Form:
    """How the questions are answered, where scores of texts stand for answers."""
    form = form_of(study)
    if form is None or not form.scores:
        raise InputError(
            f"scores of texts stand for no answers of the protocol {study.protocol}; let a language model (openai) or "
            "a program that gives answers (command) judge"
        )
    return form


class Measured:
    """A metric as a judge."""

    side_by_side = 1

    def __init__(
        self,
        spec: str,
        study: OutputStudy,
        *,
        margin: float = 0.0,
        folder: str | Path | None = None,
        sets: Sequence[EvaluationSet] = (),
    ) -> None:
        unfit = unfit_metric(spec)
        if unfit:
            raise InputError(unfit)
        self.metric, self.study, self.margin = parse(spec), study, margin
        self._form = scoring_form(study)
        self._sets = list(sets)
        if folder is not None and self.metric.needs_prepare:
            self._sets += _sets(study, Path(folder))
        self._scores: dict[Key, float] = {}

    @property
    def settings(self) -> Mapping[str, Any]:
        """The metric with every option, and the margin."""
        found = {"judge": "metric", "metric": self.metric.full(), "margin": self.margin, "seed": self.study.seed}
        found |= {"fitted_on": [data.digest for data in self._sets]} if self._sets else {}
        return found | ({"model": self.metric.model_fact} if self.metric.model_fact else {})

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """The version that computed it."""
        return {"versions": {"nlgauge": __version__}, "direction": self.metric.direction}

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """Score every distinct text of an item once."""
        entries: dict[str, dict[tuple[str, Key], None]] = {}
        for sheet in sheets:
            for text, key in zip(sheet.checked, self._keys(sheet), strict=True):
                subject, item = getattr(text, "subject", ""), getattr(text, "item", key[1])
                entries.setdefault(subject, {})[item, key] = None
        columns = []
        for subject, own in entries.items():
            items, keys = [item for item, _ in own], [key for _, key in own]
            references, sources = ([json.loads(key[place]) for key in keys] for place in (1, 2))
            columns.append(Column(subject, items, [text for text, _, _ in keys], references, sources))
        corpus = [data.column(system) for data in self._sets for system in data.systems]
        rows = system_rows(columns, [self.metric], corpus=corpus or None)
        sign = 1.0 if self.metric.direction == "higher" else -1.0
        for subject, own in entries.items():
            values = self.metric.score(rows[subject][self.metric.rows_key()])
            self._scores |= {key: sign * float(value) for (_, key), value in zip(own, values, strict=True)}

    def remarks(self) -> list[str]:
        """What the metric says of the texts that it scored."""
        return self.metric.remarks()

    def decide(self, sheet: Sheet) -> Choice:
        """The numbers themselves, or what they stand for."""
        scores = [self._scores[key] for key in self._keys(sheet)]
        less = "" if self.metric.direction == "higher" else " (less is better: turned round)"
        client = f"{self.metric}{less}; {' '.join(f'{score:.6g}' for score in scores)}"
        return scored_choice(scores, self.study, sheet, client, margin=self.margin)

    def _keys(self, sheet: Sheet) -> list[Key]:
        return [self._key(sheet, place, shown.text) for place, shown in enumerate(sheet.texts)]

    def _key(self, sheet: Sheet, place: int, text: str) -> Key:
        reference = sheet.held("reference", place)
        source = sheet.held("source", place) or sheet.held("table", place)
        if "references" in self.metric.needs and reference is None:
            raise InputError(f"{self.metric} needs references, which its panel is not shown; add show: [reference]")
        if self.metric.reads_sources and source is None:
            raise InputError(f"{self.metric} needs the source, which its panel is not shown; add show: [source]")
        refs = json.dumps([] if reference is None else list(reference.parts))
        return text, refs, json.dumps(None if source is None else source.value)


def _sets(study: OutputStudy, folder: Path) -> list[EvaluationSet]:
    """The sets that the study's texts come from; none where the study file holds them."""
    names = dict.fromkeys([study.data, *(subject.data for subject in study.subjects.values())])
    return [read_set(folder / name, "data") for name in names if name]


def scored_choice(
    scores: Sequence[float] | Mapping[str, Sequence[float]],
    study: OutputStudy,
    sheet: Sheet,
    client: str,
    *,
    margin: float,
    reason: str = "",
    replies: tuple[Mapping[str, Any], ...] = (),
) -> Choice:
    """The answer that scores stand for, the same of all criteria or of each its own."""
    form, names = scoring_form(study), [worded.id for worded in study.questions_asked]
    by_name = {name: list(scores[name] if isinstance(scores, Mapping) else scores) for name in names}
    if not all(math.isfinite(value) for values in by_name.values() for value in values):
        return Choice(None, client, why_not="no number", replies=replies)
    if form.measures:
        answer: Any = {name: values[0] for name, values in by_name.items()}
        return Choice(answer, client, reason=reason, replies=replies, measured=True)
    made = {name: form.scored(values, margin, drawing(study.seed, sheet)) for name, values in by_name.items()}
    return Choice(
        {name: one for name, (one, _) in made.items()},
        client,
        reason=reason,
        tied=any(drawn for _, drawn in made.values()),
        replies=replies,
        scores=tuple(next(iter(by_name.values()))) if len(by_name) == 1 else (),
    )
