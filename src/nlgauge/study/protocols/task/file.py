"""The study file of tasks: outputs, questions that readers answer about them, and what is hidden meanwhile."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.designs import Design, Latin
from nlgauge.study.file.study import Study
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.file import SINGLE, OutputStudy, SinglePanel, WarmUp
from nlgauge.study.protocols.task.questions import Normalisation, TaskQuestion


@dataclass(frozen=True, kw_only=True)
class TaskStudy(OutputStudy, Study):
    """Questions about single outputs: success and time."""

    protocol: Literal["task"] = key("questions that a reader of an output can answer")
    criteria: tuple[CriterionEntry, ...] = key("not used: a task is scored by its key", default=())
    ask: tuple[TaskQuestion, ...] = key("the questions about each output, or about those of some items", default=())
    ask_column: str = key("in place of ask: the key of the set's rows that holds the questions of the item", default="")
    hide_text: bool = key(
        "whether the text disappears before the questions are shown; else it stays beside them", default=False
    )
    confidence: bool = key("whether judges say how sure they are, from 1 to 5", default=False)
    normalise: tuple[Normalisation, ...] = key(
        "what does not count when short texts are compared: width, case, accents, punctuation, articles (English)",
        default=("width", "case", "punctuation"),
    )
    guessing: Literal["none", "formula"] = key(
        "whether the analysis also corrects success for guessing among options (formula: a wrong choice of k options "
        "counts -1/(k - 1))",
        default="none",
    )
    panels: Mapping[str, SinglePanel] = key("groups of judges by name, for example experts and public")
    design: Annotated[Design, SINGLE] = key("who sees what", default=Latin())
    practice: WarmUp = key("texts before the first that counts", default=WarmUp())

    @cached_property
    def questions_asked(self) -> tuple[Worded, ...]:
        """None of the catalogue: what is asked is in `ask` or in the set."""
        return ()

    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """Nothing: a task has no criteria."""
        return None

    @property
    def main_wording(self) -> Mapping[str, str]:
        """The first question."""
        return self.ask[0].text if self.ask else {}


def task_study(study: Study) -> TaskStudy:
    """The same study, where questions are answered in it; refused where not."""
    if isinstance(study, TaskStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a task can do this")
