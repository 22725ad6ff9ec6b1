"""Which metric belongs where: the taxonomy and the table of tasks of Sai, Mohankumar and Khapra (2022), "A Survey of
Evaluation Metrics Used for NLG Systems" (ACM Computing Surveys), figure 2 and table 3, as `survey.toml` has them.

`ENTRIES` has one for each metric of the survey, installed here or not, and for each of ours that the survey does not
name. Marks are facts of the table: a task for which the metric was *proposed*, tasks that *adopted* it. Where the
table cannot be right the original papers hold:

* the table's mark for data-to-text in the row of ROUGE-C is PARENT's, whose row is empty (Dhingra et al. 2019 propose
  PARENT for tables; He et al. 2008 propose ROUGE-C for summaries);
* "WER-family" stands for WER, MultiWER, TER, ITER and CDER of the figure; CharacTER, EED, YiSi and others that have no
  row in the table get the task of their own paper (`by="paper"`).

Names that printing has garbled in the figure (BEER, ESIM, WE_WPI, YiSi) are the papers' own.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from nlgauge.errors import InputError

TASKS = {
    "mt": "machine translation",
    "summarisation": "abstractive summarisation",
    "dialogue": "dialogue generation",
    "captioning": "image captioning",
    "qa": "question answering",
    "d2t": "data-to-text generation",
    "qg": "question generation",
}
# Other names of the tasks, the survey's abbreviations among them.
TASK_NAMES = {
    "as": "summarisation",
    "dg": "dialogue",
    "ic": "captioning",
    "summarization": "summarisation",
    "summary": "summarisation",
    "translation": "mt",
    "dialog": "dialogue",
    "caption": "captioning",
    "captions": "captioning",
    "data-to-text": "d2t",
    "data2text": "d2t",
    "question-answering": "qa",
    "question-generation": "qg",
}

Source = Literal["survey", "paper", "ours"]


@dataclass(frozen=True)
class Entry:
    """One line of the taxonomy."""

    title: str
    place: str
    names: tuple[str, ...] = ()  # registered names, present or to come
    proposed: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()
    by: Source = "survey"  # who says for which task: table 3, the metric's paper, or nobody (a relative of ours)
    resources: str = ""  # what it needs beside the texts
    model: bool = False  # whether that is a trained model or word vectors
    cite: str = ""  # for what is not installed; an installed metric says it itself
    named: bool = True  # whether the survey names it
    recipe: str = ""  # of a training (nlgauge train --recipe) that makes it, where no registered name runs it

    @property
    def training(self) -> str:
        """How it is made, where it must be trained first."""
        return f"train it: nlgauge train --recipe {self.recipe}" if self.recipe else ""

    def mark(self, task: str) -> str:
        """`proposed`, `adopted` or an empty string."""
        return "proposed" if task in self.proposed else "adopted" if task in self.adopted else ""


def _entries(place: str, lines: Sequence[Mapping[str, Any]]) -> Iterator[Entry]:
    for line in lines:
        given: dict[str, Any] = {"needs": "", **line, "place": place}
        for key in ("names", "proposed", "adopted"):
            given[key] = tuple(given.get(key, "").split())
        yield Entry(resources=given.pop("needs"), **given)


WORDNET, TABLES = "WordNet", "METEOR's tables"
_SURVEY = tomllib.loads(resources.files("nlgauge.metrics").joinpath("survey.toml").read_text(encoding="utf-8"))
BRANCHES: dict[str, str] = {branch["path"]: branch.get("about", "") for branch in _SURVEY["branch"]}
"""The branches of figure 2, from the root: path -> what it holds."""
ENTRIES = tuple(entry for branch in _SURVEY["branch"] for entry in _entries(branch["path"], branch.get("metrics", ())))


def task_named(name: str) -> str:
    """The task of that name or abbreviation; an unknown one is refused with the near name."""
    known = name.strip().lower().replace(" ", "-").replace("_", "-")
    known = TASK_NAMES.get(known, known)
    if known not in TASKS:
        near = difflib.get_close_matches(known, [*TASKS, *TASK_NAMES], n=1, cutoff=0.5)
        hint = f"did you mean {TASK_NAMES.get(near[0], near[0])}? Known" if near else "known"
        raise InputError(f"there is no task {name!r}; {hint}: {', '.join(TASKS)}")
    return known


def entries_of(task: str) -> list[Entry]:
    """The metrics proposed for or adopted by a task, those proposed for it first."""
    marked = [entry for entry in ENTRIES if entry.mark(task)]
    return sorted(marked, key=lambda entry: entry.mark(task) == "adopted")


def place_of(name: str) -> str | None:
    """The branch a registered name belongs to; None for a metric of another package."""
    return next((entry.place for entry in ENTRIES if name in entry.names), None)
