"""The study file of any study of outputs: systems, criteria, what is shown, and who judges."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from nlgauge.errors import InputError
from nlgauge.io.fields import Kinds, Words, key
from nlgauge.study.criteria.catalogue import catalogue
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion, Thing, Who
from nlgauge.study.designs import DESIGNS, Design
from nlgauge.study.designs.imported import KIND, Imported
from nlgauge.study.file.study import Comprehension, Listed, Panel, Study, Subject
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.outputs.judge import JUDGES, MachineJudge
from nlgauge.study.protocols.outputs.quality import Quality
from nlgauge.text import tables

if TYPE_CHECKING:
    Host = Study  # keys of outputs stand beside those of every study: both are parents of the family's class
else:
    Host = object

REFERENCES = "references"


KEYS: Mapping[str, str] = {"table": "source", "history": "source", "reference": REFERENCES}
"""The key of a row that holds what is shown, where it is not called like it."""


STANDARD: Any = "standard"
"""What a text is measured by in magnitude estimation; no thing that a study file can show by itself."""


SINGLE = Kinds({name: design for name, design in DESIGNS.items() if name not in ("bibd", "pairs")} | {KIND: Imported})
"""The designs that show one text at a time, and that of a study which was run elsewhere."""
SEVERAL = Kinds({name: DESIGNS[name] for name in ("bibd", "crossed", "overlap")})
"""The designs that show several texts at a time."""
SEVERAL_IMPORTED = Kinds({name: DESIGNS[name] for name in ("bibd", "crossed", "overlap")} | {KIND: Imported})
"""The same, and that of a study which was run elsewhere."""


@dataclass(frozen=True)
class RatedText(Listed):
    """One text written in the study file, with what stands beside it."""

    source: str = key("the input it was written for, as judges read it", default="")
    reference: tuple[str, ...] = key("texts by people for the same input, or the only one", default=(), alone=True)
    history: tuple[str, ...] = key("what was said before, turn by turn", default=())


@dataclass(frozen=True)
class RatedSubject(Subject):
    """A system whose outputs are rated."""

    texts: tuple[RatedText, ...] = key("in place of data: the texts themselves", default=())


@dataclass(frozen=True)
class Show:
    """Something that stands beside the text to be rated."""

    SHORT: ClassVar[str] = "what"
    what: Thing = key("source, reference, table, image, history, context, question or answer")
    column: str = key("the key of the set's rows that holds it; by default called like it", default="")
    label: Words | None = key("the heading above it, in place of the usual one", default=None)
    layout: Literal["auto", "text", "table"] = key(
        "how an input is shown that is written as name[Blue Spice], area[city centre]: as a table where every input is "
        "(auto), as it is written, or as a table",
        default="auto",
    )

    def rows(self, value: Any) -> list[list[str]]:
        """The rows of what is shown as a table; none where it is shown otherwise."""
        if self.what == "table" and isinstance(value, list):
            return value
        return tables.rows(value) if self.layout == "table" else []

    def heading(self, value: Any) -> Thing:
        """By what its usual heading is called: data are called data, whichever key of the rows holds them."""
        return "table" if self.rows(value) else self.what

    @property
    def held(self) -> str:
        """The key of the rows."""
        return self.column or KEYS.get(self.what, self.what)


@dataclass(frozen=True)
class OutputPanel(Panel):
    """A group of judges of outputs."""

    evaluations: int = key(
        "texts for each judge, in place of the design's items_per_judge; 0: as the design has it",
        default=0,
        least=0,
        most=100_000,
    )
    who: Who | None = key("what they can judge: checked against the criteria", default=None)
    show: tuple[Show, ...] | None = key(
        "what stands beside each text for these judges, in place of the study's", default=None
    )

    judge: Annotated[MachineJudge, JUDGES] | None = key(
        "of a machine's panel: which machine (openai, metric, command or comparator); each of its judges judges every "
        "screen",
        default=None,
    )
    like: str = key("of a machine's panel: the panel of people whose screens it judges (default: of all)", default="")

    @property
    def own_design(self) -> Design | None:
        """Who of this panel sees what, where it is not as the study has it."""
        return None


@dataclass(frozen=True)
class SinglePanel(OutputPanel):
    """A group of judges who are shown one text at a time."""

    design: Annotated[Design, SINGLE] | None = key("who sees what, in place of the study's", default=None)

    @property
    def own_design(self) -> Design | None:
        """Who of this panel sees what, where it is not as the study has it."""
        return self.design


REQUIRED = "right answers to examples with gold without which a judge does not go on; without it nobody is sent away"


@dataclass(frozen=True)
class GoldText(RatedText):
    """A text of practice; with gold, judges are told after it whether their answer was right."""

    gold: Known | None = key("the right answer, which judges are told after theirs", default=None)
    why: Words | None = key("why it is right, shown with it", default=None)

    @property
    def words(self) -> tuple[str, ...]:
        """The texts on the screen."""
        return (self.text,)


@dataclass(frozen=True)
class WarmUp:
    """Texts before the first that counts; never analysed. Without gold there is no right answer."""

    SHORT: ClassVar[str] = "texts"
    texts: int = key("drawn from the study's inputs, which then serve no more", default=0, least=0, most=50)
    items: tuple[str, ...] = key("the inputs to draw them from", default=())
    examples: tuple[GoldText, ...] = key("texts of their own", default=())
    required: int = key(REQUIRED, default=0, least=0, most=100)


@dataclass(frozen=True)
class Example:
    """Texts to be compared that only practice shows."""

    SHORT: ClassVar[str] = "texts"
    texts: tuple[RatedText, ...] = key("as many as the design has on a screen; what is shown stands with the first")
    gold: Known | None = key("the right answer, which judges are told after theirs", default=None)
    why: Words | None = key("why it is right, shown with it", default=None)

    @property
    def words(self) -> tuple[str, ...]:
        """The texts on the screen."""
        return tuple(rated_text.text for rated_text in self.texts)


@dataclass(frozen=True)
class WarmUpScreens:
    """Comparisons before the first that counts; never analysed. Without gold there is no right answer."""

    SHORT: ClassVar[str] = "texts"
    texts: int = key(
        "inputs drawn from the study's, which then serve no more: a comparison each",
        default=0,
        least=0,
        most=50,
    )
    items: tuple[str, ...] = key("the inputs to draw them from", default=())
    examples: tuple[Example, ...] = key("comparisons of their own", default=())
    required: int = key(REQUIRED, default=0, least=0, most=100)


@dataclass(frozen=True, kw_only=True)
class OutputStudy(ABC, Host):
    """The keys of a study of what systems wrote: whose outputs, judged for what, with what beside them.

    A family of protocols derives from them and from `Study`, and adds its own.
    """

    criteria: tuple[CriterionEntry, ...] = key("what is asked about each text, in this order")
    panels: Mapping[str, OutputPanel] = key("groups of judges by name, for example experts and public")
    data: str = key("an evaluation set inside the study's folder", default="")
    systems: tuple[str, ...] = key(
        "the systems of the set that are rated (default: all); references for the first reference", default=()
    )
    items: tuple[str, ...] = key("only these items of the set", default=())
    subjects: Mapping[str, RatedSubject] = key(
        "in place of data and systems: each system with where its texts come from", default={}
    )
    show: tuple[Show, ...] = key("what stands beside each text", default=())
    definitions: Literal["shown", "hidden"] = key(
        "whether judges read each criterion's definition below its question", default="shown"
    )
    render: Literal["plain", "markdown", "code"] = key(
        "how outputs are shown: as they are written, as Markdown without links and pictures, or as code",
        default="plain",
    )
    cannot_judge: bool = key(
        "whether judges may answer “I cannot judge this”, for every criterion that does not say otherwise",
        default=False,
    )
    criteria_order: Literal["listed", "random", "random-per-screen"] = key(
        "the order of the questions on a page: as listed; at random for each judge, who keeps it throughout; or at "
        "random on every screen",
        default="listed",
    )
    quality: Quality | None = key("checks of the judges, and what follows from them", default=None)

    @property
    def test(self) -> Comprehension | None:
        """What must be passed before the first text."""
        return None if self.quality is None else self.quality.comprehension

    @property
    def graded(self) -> bool:
        """Whether judges who fail by the rule end with a code of their own."""
        return self.quality is not None and self.quality.rule.codes

    if TYPE_CHECKING:  # keys of every protocol, each with its own designs and kind of practice

        @property
        def design(self) -> Design:
            """Who sees what."""

        @property
        def practice(self) -> WarmUp | WarmUpScreens:
            """What comes before the first screen that counts."""

    @property
    def examples(self) -> tuple[GoldText | Example, ...]:
        """The screens of practice that the file writes."""
        return self.practice.examples

    @property
    def plan(self) -> Design:
        """Who sees what."""
        return self.design

    @property
    def imported(self) -> bool:
        """Whether the study was run elsewhere and its answers were imported."""
        return isinstance(self.plan, Imported)

    def standard_of(self, beside: Mapping[str, Any]) -> tuple[float, str] | None:
        """The value and the text that numbers are measured by, where the study has one; `beside` is of a text."""
        return None

    @property
    @abstractmethod
    def questions_asked(self) -> Sequence[Worded]:
        """The questions, as fixed at launch or as the file means them."""

    @cached_property
    def wordings(self) -> tuple[str, ...]:
        """The names of the wordings of which each judge reads one, the same for every criterion that has several."""
        return next((tuple(worded.wordings) for worded in self.questions_asked if worded.wordings), ())

    def worded(self, wording: str) -> OutputStudy:
        """The study as judges read it who were dealt a wording."""
        return self._worded.get(wording, self)

    @cached_property
    def _worded(self) -> Mapping[str, OutputStudy]:
        asked: dict[str, dict[str, Any]] = {
            name: {
                "asked": tuple(
                    replace(worded, question=worded.wordings.get(name, worded.question))
                    for worded in self.questions_asked
                )
            }
            for name in self.wordings
        }
        return {name: replace(self, **changes) for name, changes in asked.items()}

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The questions that are asked at once, by their numbers from 0: all, but where the study parts them."""
        return (tuple(range(len(self.questions_asked))),)

    def order(self, judge: str, slot: str, part: int) -> tuple[int, ...]:
        """The questions of a part as a judge sees them on a screen, by their numbers from 0.

        It follows from the study's seed and the judge's id, so that nothing of it is stored.
        """
        numbers = list(self.parts[part])
        if self.criteria_order != "listed":
            screen = f"/{slot}" if self.criteria_order == "random-per-screen" else ""
            Random(f"{self.seed}/criteria/{judge}{screen}/{part}").shuffle(numbers)
        return tuple(numbers)

    def positions(self, judge: str, slot: str) -> dict[str, int]:
        """The place of each question on its page, from 1."""
        return {
            self.questions_asked[number].id: place
            for part in range(len(self.parts))
            for place, number in enumerate(self.order(judge, slot, part), start=1)
        }

    @cached_property
    def abstainable(self) -> frozenset[str]:
        """The questions that may be answered by “I cannot judge this”."""
        asked = zip(self.criteria, self.questions_asked, strict=False)
        return frozenset(
            one.id for entry, one in asked if (self.cannot_judge if entry.cannot_judge is None else entry.cannot_judge)
        )

    def explanation(self, one: Worded) -> Mapping[str, str]:
        """The definition that stands below a question; nothing where judges do not read it."""
        return one.explained if self.definitions == "shown" else {}

    @property
    def marks_source(self) -> bool:
        """Whether words of the input are marked, which therefore stays as it is written."""
        return False

    @property
    def apart(self) -> bool:
        """Whether the parts go to different judges, rather than one after the other to each judge."""
        return False

    def hidden_in(self, part: int) -> frozenset[str]:
        """What is not shown with a part, because one of its questions must be answered without."""
        hidden = (self.questions_asked[number].withheld for number in self.parts[part])
        return frozenset(thing for things in hidden for thing in things)

    def screens(self, evaluations: int) -> int:
        """The screens of the design that so many evaluations of a judge are: each page of a screen is one."""
        return evaluations if self.apart else evaluations // len(self.parts)

    @abstractmethod
    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """The criterion that an entry of the file means, in the protocol's form; None where it has none."""

    @property
    def main_wording(self) -> Mapping[str, str]:
        """The first question of one's own: those of the catalogue are in every language of the pages."""
        own = (worded.question for worded in self.questions_asked if worded.mark == "own")
        return next(own, {})

    @property
    def authors(self) -> Mapping[str, str]:
        """The systems; before launch as far as the file names them."""
        if self.subjects:
            return {name: subject.called for name, subject in self.subjects.items()}
        return {name: name for name in self.systems}

    @property
    def seen_by_all(self) -> frozenset[str]:
        """What every panel of people sees beside a text."""
        seen = [{str(show.what) for show in self.shown_to(name)} for name in self.people]
        return frozenset(set.intersection(*seen)) if seen else frozenset()

    def put(self, entry: CriterionEntry) -> CriterionEntry:
        """An entry as it is put to the judges of the study.

        Where the catalogue words a criterion for each kind of judge, the kind that the panels name decides, else what
        they see (the source: bilingual; a reference: monolingual).
        """
        known = catalogue().get(entry.id)
        if known is None or entry.judges or not any(wording.judges for wording in known.wordings) or self.imported:
            return entry
        kinds = {self.panels[name].who for name in self.people}
        every = [who for who in get_args(Who) if who in known.judges]
        fitting = [who for who in every if self.seen_by_all.issuperset(known.judges[who])]
        named = kinds.pop() if len(kinds) == 1 else None
        chosen = [who for who in every if who == named] if named else fitting
        return replace(entry, judges=(chosen[0],)) if len(chosen) == 1 else entry

    def shown_to(self, panel: str) -> tuple[Show, ...]:
        """What stands beside each text for judges of a panel."""
        own = self.panels[panel].show if panel in self.panels else None
        return self.show if own is None else own

    @property
    def every_show(self) -> tuple[Show, ...]:
        """What stands beside a text for anybody; of two of a kind the first."""
        found: dict[str, Show] = {}
        for show in (*self.show, *(show for name in self.panels for show in self.shown_to(name))):
            found.setdefault(show.what, show)
        return tuple(found.values())

    @property
    def asked_already(self) -> bool:
        """Whether a launch has written down what the file left open."""
        return bool(getattr(self, "asked", ()))

    @property
    def people(self) -> tuple[str, ...]:
        """The panels of people."""
        return tuple(name for name, panel in self.panels.items() if panel.kind == "people")

    def design_for(self, panel: str, evaluations: int = 0) -> Design:
        """Who of a panel sees what; with a number of screens for each judge, so many, those of checks among them."""
        own = self.panels[panel].own_design if panel in self.panels else None
        found = own or self.plan
        evaluations -= min(evaluations, self.quality.screens if self.quality is not None else 0)
        return replace(found, items_per_judge=evaluations) if evaluations else found

    def to_dict(self) -> dict[str, Any]:
        """Every key with its value."""
        found = super().to_dict() | {"design": self.plan.to_dict()}
        # what a study does not use is not written, so that its design keeps the hash it always had
        for criterion in (*found["criteria"], *found.get("asked", ())):
            _leave_out(criterion, "wordings")
        _leave_out(found, "quality", "cannot_judge")
        if self.criteria_order == "listed":
            del found["criteria_order"]
        for entry in found["criteria"]:
            if entry["cannot_judge"] is None:
                del entry["cannot_judge"]
        for part in (found["practice"], *found["practice"]["examples"]):
            _leave_out(part, "required", "gold", "why")
        for name, panel in self.panels.items():
            told = found["panels"][name]
            if panel.own_design is not None:
                told["design"] = panel.own_design.to_dict()
            _leave_out(told, "judge", "like")
            if panel.judge is not None:
                told["judge"] = panel.judge.to_dict()
        return found


def _leave_out(found: dict[str, Any], *names: str) -> None:
    """Take out those of the keys that are empty."""
    for name in names:
        if not found.get(name, True):
            del found[name]


def output_study(study: Study) -> OutputStudy:
    """The same study, where outputs are judged in it; refused where not."""
    if isinstance(study, OutputStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a study of outputs can do this")
