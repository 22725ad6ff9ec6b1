"""What `study new` chooses and writes for any study of outputs: systems, criteria, what is shown, who judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.study.criteria.catalogue import defaults_for, find, for_protocol
from nlgauge.study.criteria.showing import conflicts
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.design import FILE
from nlgauge.study.protocols.outputs.check import INPUT
from nlgauge.study.protocols.outputs.file import REFERENCES
from nlgauge.study.template import Made, closing, heading, opened, quoted, recruiting, write
from nlgauge.types import EvaluationSet

QUESTIONS = (
    "questions: []  # about the judge, for example:",
    "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
)
LATIN = "or williams, random, crossed, overlap"
"""The designs that could stand in place of Latin squares."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The options of `study new`."""

    protocol: str
    seed: int
    judges: int | None = None
    systems: Sequence[str] = ()
    languages: Sequence[str] = ("en",)
    access: str = "links"
    title: str = ""
    task: str | None = None
    criteria: Sequence[str] = ()


@dataclass(frozen=True)
class Draft:
    """A study of a data set in the making."""

    root: Path
    source: Path
    wish: Wish
    content: EvaluationSet
    systems: list[str]

    @classmethod
    def of(cls, folder: str | Path, data: str | Path, wish: Wish) -> Draft:
        """The data is read; the folder must not hold a study yet."""
        root, source = Path(folder), Path(data)
        content = opened(root, source, wish.languages)
        return cls(root, source, wish, content, systems_of(content, wish.systems))

    @property
    def inputs(self) -> int:
        """All inputs of the data."""
        return len(self.content.items)

    @property
    def practice(self) -> int:
        """Inputs that serve for practice: one, where enough are left."""
        return 1 if self.inputs > 2 else 0

    @property
    def items(self) -> int:
        """Inputs that are judged."""
        return self.inputs - self.practice

    @cached_property
    def shown(self) -> list[str]:
        """What the data holds that can be shown beside a text."""
        return showable(self.content)

    def criteria(self, called: str, answered: str, usual: Sequence[str]) -> tuple[list[Criterion], list[str]]:
        """The criteria asked, and why some of the task's are not; the words are those of `chosen`."""
        return chosen(called, answered, self.wish.task, self.wish.criteria, self.shown, usual)

    def needed(self, asked: Sequence[Criterion]) -> list[str]:
        """What must be shown for these criteria, as far as the data has it."""
        return [what for what in self.shown if needs(asked, what)]

    @property
    def whole(self) -> str:
        """Which numbers of judges a Latin square wants."""
        return whole_squares(len(self.systems))

    def made(
        self,
        titles: Mapping[str, str],
        own: Sequence[str],
        *,
        instructions: Sequence[str],
        judges: int,
        about: str,
        practice: str,
        sentence: str,
        notes: list[str],
        panel: str = "public",
        checks: Sequence[str] = (),
        questions: Sequence[str] = QUESTIONS,
    ) -> Made:
        """Write the study: `own` are the protocol's lines from criteria to design, `checks` those after practice;
        `about` and `practice` say what the numbers of judges and of practice texts mean."""
        wish = self.wish
        lines = [
            *heading(wish.protocol, wish.title, titles, wish.languages),
            f"data: {quoted(self.source.name)}",
            f"systems: [{', '.join(map(quoted, self.systems))}]  # judges never see these names",
            *own,
            f"languages: [{', '.join(wish.languages)}]",
            *instructions,
            *recruiting(panel, judges, wish.access, about, wish.languages),
            f"practice: {self.practice}  # {practice}",
            *checks,
            "reasons: {text: no, highlight: no}  # no, optional or required",
            *questions,
            *closing(wish.seed),
        ]
        write(self.root, self.source, "\n".join(lines) + "\n")
        subjects = {name: name for name in self.systems}
        return Made(self.root / FILE, subjects, judges, self.inputs, sentence, notes)


def whole_squares(systems: int) -> str:
    """Which numbers of judges a Latin square of so many systems wants."""
    return f"a multiple of {systems}, the systems, keeps Latin squares whole"


def show_line(shown: Sequence[str], where: str = "beside each text") -> str:
    """What is shown, with what could be."""
    return f"show: [{', '.join(shown)}]  # {where}: source, reference, table, image, history"


def systems_of(content: EvaluationSet, named: Sequence[str]) -> list[str]:
    """The systems to be judged: those named, else all."""
    known = [*content.systems, REFERENCES]
    for name in named:
        if name not in known:
            raise InputError(f"{content.origin} has no system {name!r}; {suggest(name, known)}")
    return list(named) or list(content.systems)


def chosen(
    called: str,
    answered: str,
    task: str | None,
    named: Sequence[str],
    shown: Sequence[str],
    usual: Sequence[str],
) -> tuple[list[Criterion], list[str]]:
    """The criteria asked, and those of the task that one page cannot ask.

    `called` is what the catalogue calls the protocol, `answered` how its questions are answered, `usual` the criteria
    where neither task nor criteria are named.
    """
    if named:
        found = [for_protocol(find(name, task), called) for name in named]
        lacking = [name for name, one in zip(named, found, strict=True) if one is None]
        if lacking:
            raise InputError(
                f"the catalogue has no question for {lacking[0]} that is answered on {answered}; choose "
                "another criterion, or write a question of your own into the file"
            )
        return [one for one in found if one is not None], []
    if task is None:
        fitting = (for_protocol(find(name), called) for name in usual)
        return [one for one in fitting if one is not None], []
    asked: list[Criterion] = []
    notes = []
    for one in defaults_for(task, called):
        wrong = next(conflicts([*asked, one], shown), "")
        if wrong:
            notes.append(f"{one.id} was left out: {wrong}")
        else:
            asked.append(one)
    if not asked:
        raise InputError(
            f"the catalogue has no question for {task} that is answered on {answered}; choose another "
            "protocol, or name criteria with --criteria"
        )
    return asked, notes


def showable(content: EvaluationSet) -> list[str]:
    """What the rows hold that can be shown beside a text."""
    first: Any = next(iter(content))
    found = []
    if isinstance(first.source, str) and first.source.strip():
        found.append("source")
    elif isinstance(first.source, list) and first.source:
        found.append("table" if isinstance(first.source[0], list | tuple) else "history")
    return found


def needs(asked: Sequence[Criterion], what: str) -> bool:
    """Whether some criterion is judged by something."""
    return any(what in one.shown or (what in INPUT and one.shown & INPUT) for one in asked)
