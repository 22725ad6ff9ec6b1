"""The interface of a protocol: everything in which a triangle test and a rating study differ, for the engine.

The engine (dealing, answering, store, export, pages' routes) knows slots, texts and answers, and asks the protocol what
they mean. An answer is any JSON value but a bare text; the stored value is the answer itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import InputError, option, suggest
from nlgauge.jsonable import Jsonable
from nlgauge.study.analysis.counting import sort
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.checks.findings import Finding
    from nlgauge.study.file.study import Study
    from nlgauge.study.file.template import Made
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.model import Evaluation
    from nlgauge.study.service import Service

Place = tuple[str, str]
"""The path of a key of the study file, and what is wrong there."""
Seen = tuple[str, str]
"""A slot that a judge has answered, and its triad or role."""


FLAGS = {
    **{"p_d": "pd", "spread": "gamma", "means": "mean", "strengths": "strength", "rates": "rate"},
    "wordings": "wording-effect",
}
"""What a command calls an option, where it is not called like it."""


def accepted(options: Mapping[str, Any], names: Sequence[str], protocol: str) -> dict[str, Any]:
    """The options of a command that were given; refused where one is none of the protocol's."""
    given = {name: value for name, value in options.items() if value is not None}
    foreign = [name for name in given if name not in names]
    if foreign:
        called = option(foreign[0], flag=FLAGS.get(foreign[0], ""))
        raise InputError(f"{called} means nothing in a study of the protocol {protocol}")
    return given


def told_of(judgement: Judgement) -> dict[str, Any]:
    """What every row of `Protocol.long` says of its judgement."""
    return {
        "judge": judgement.judge,
        "panel": judgement.panel,
        "shown_at": judgement.shown_at if judgement.dated else None,
        "answered_at": judgement.answered_at if judgement.dated else None,
        "seconds": judgement.known_seconds,
        "judgement": judgement.id,
        "slot": judgement.slot,
        "number": judgement.number,
        "role": judgement.role,
        "practice": judgement.practice,
        "surplus": judgement.surplus,
        "replaces": judgement.replaces,
        "language": judgement.language,
    } | ({"wording": judgement.wording} if judgement.wording else {})


@dataclass(frozen=True)
class Layout:
    """What a launch fixes, but for the pictures."""

    study: Study  # with everything that the file left open
    texts: tuple[Text, ...]
    slots: tuple[Slot, ...]
    practice: tuple[Slot, ...]


class Crowd(Jsonable, ABC):
    """What simulated judges are like; each protocol adds how they judge."""

    dropouts: float  # share who leave with an evaluation on screen
    speeders: float  # share who answer at once
    seconds: float  # median time for an answer
    wordings: Mapping[str, float] = MappingProxyType({})  # by how much NAME or NAME/SYSTEM moves what is seen
    largest: ClassVar[float] = 1.0  # effect of a wording; of ratings the whole scale

    def moved(self, wording: str, system: str) -> float:
        """By how much a judge who reads a wording sees a system otherwise."""
        return self.wordings.get(wording, 0.0) + self.wordings.get(f"{wording}/{system}", 0.0)

    def check_wordings(self, study: Study) -> None:
        """Refuse effects of wordings and on systems that the study does not have, and sizes that nothing has."""
        known = [*study.wordings, *(f"{name}/{author}" for name in study.wordings for author in study.authors)]
        for name, size in self.wordings.items():
            if not known:
                raise InputError(
                    f"the wording {name!r} cannot have an effect: every judge of this study reads the same questions"
                )
            if name not in known:
                raise InputError(f"the study has no wording {name!r}; {suggest(name, known)}")
            if not -self.largest <= size <= self.largest:
                raise InputError(
                    f"the effect of the wording {name!r} must lie between {-self.largest:g} and {self.largest:g}, not "
                    f"{size:g}"
                )

    def check_most(self, **most: float) -> None:
        """Refuse figures below 0, or above the most that each can be."""
        for name, top in most.items():
            if not 0 <= getattr(self, name) <= top:
                raise InputError(f"{name} must lie between 0 and {top:g}, not {getattr(self, name):g}")

    @abstractmethod
    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """One of them."""

    def seconds_for(self, shown: Evaluation) -> float:
        """The median time for an answer to what is on screen."""
        return self.seconds


def known_systems(named: Iterable[str], systems: Sequence[str]) -> None:
    """Refuse figures of systems that the study does not have."""
    unknown = next((name for name in named if name not in systems), None)
    if unknown is not None:
        raise InputError(f"the study has no system {unknown!r}; {suggest(unknown, systems)}")


def spread(given: Mapping[str, float], systems: Sequence[str], low: float, width: float) -> dict[str, float]:
    """A figure for every system: as given, the others evenly from `low` over a range of such a `width`."""
    known_systems(given, systems)
    step = width / max(1, len(systems) - 1)
    return {name: given.get(name, low + step * place) for place, name in enumerate(systems)}


class Rater(ABC):
    """A simulated judge."""

    careless: bool = False  # answers without reading

    def prepare(self, judge: str, shown: Evaluation) -> None:  # noqa: B027 - most do nothing
        """Do what comes between the showing and the answer; on pages that is done page by page."""

    @abstractmethod
    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """The answer to what is on screen, and the place of the text to mark where marks are asked for.

        `look` tells what is on screen; who guesses does not ask.
        """


class Protocol(ABC):
    """One kind of study. Only what is abstract must be written; the rest has a usual form."""

    study: ClassVar[type[Study]]  # the dataclass that reads the file
    kinds: ClassVar[tuple[str, ...]] = ()  # kinds of screens that are counted while the study runs
    machines: ClassVar[bool] = False  # machines can be judges
    records: ClassVar[bool] = False  # what happens before the answer is recorded, and belongs to it
    whole: ClassVar[tuple[str, ...]] = ()  # columns of `long` that hold whole numbers
    samples: ClassVar[bool] = False  # each judge of a machine's panel has a sheet of its own with every screen
    analysed_by: ClassVar[tuple[str, ...]] = ()  # options of `analyse_folder` beyond the usual ones
    columns: ClassVar[tuple[str, ...]] = ("item", "system", "judge", "panel", "criterion", "value")
    declinable: ClassVar[bool] = False  # the keys of a study may offer “I cannot judge this”
    reworded: ClassVar[bool] = True  # a question may have several wordings
    unordered: ClassVar[str] = ""  # why questions have no order that could be drawn, where they have none
    unpractised: ClassVar[str] = "there is no practice: the first answer of each judge counts"
    uninstructed: ClassVar[str] = "there are no instructions; judges must know what they are to do"

    def __init__(self, name: str) -> None:
        self.name = name

    # --------------------------------------------------------------------------------------- the study file

    @abstractmethod
    def describe(self, study: Study) -> str:
        """The study in a few words: “triangle test of difference …”."""

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys allow one by one, but not together."""
        yield from ()

    def wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Wordings that judges read, beyond those of every study, with their places."""
        yield from ()

    @abstractmethod
    def practises(self, study: Study) -> bool:
        """Whether something comes before the first evaluation that counts."""

    def plan(self, study: Study, lines: Mapping[str, int]) -> Iterator[Finding]:
        """What `study check` says of the number of judges."""
        yield from ()

    def review(self, study: Study, lines: Mapping[str, int]) -> Iterator[Finding]:
        """What it says of the wordings."""
        yield from ()

    @abstractmethod
    def check(
        self, frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool
    ) -> Iterator[Finding]:
        """What it says of texts and design, and of a simulated run where one is asked for."""

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Seconds that the answer to a screen takes besides reading, as a plan assumes."""
        return 5.0

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """The smallest difference that a panel's screens find with usual power, in words and figures; empty where
        the plan says it otherwise."""
        return "", {}

    def call(self, frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
        """What it says of other servers that the study needs, after a short call of each."""
        yield from ()

    @abstractmethod
    def new(self, folder: str | Path, data: str | Path, options: Mapping[str, Any]) -> Made:
        """Write a commented study file that works as it stands, for `study new`."""

    # ---------------------------------------------------------------------------------------------- launch

    @abstractmethod
    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """Read the texts, set practice aside, and materialise every assignment."""

    @abstractmethod
    def more(self, frozen: Frozen, panel: str, count: int, *, each: int, before: Sequence[Slot]) -> list[Slot]:
        """The balanced continuation for late judges: so many slots after those before."""

    def screens(self, slots: Sequence[Slot]) -> list[Slot]:
        """Which of a panel's evaluations a machine that is set beside it makes: all."""
        return list(slots)

    def block(self, number: int, each: int) -> int:
        """The block of a slot, by its number and the evaluations of a judge."""
        return (number - 1) // each + 1

    # -------------------------------------------------------------------------------------------- a judge's way

    def next_slot(self, frozen: Frozen, slots: Sequence[Any], seen: Sequence[Seen]) -> Any:
        """Which of several slots a judge is dealt next: the first by number."""
        return min(slots, key=lambda slot: slot.number)

    def required(self, study: Study) -> int:
        """How many practice answers must be right to go on."""
        return 0

    def feedback(self, study: Study) -> bool:
        """Whether judges are told after each practice answer whether it was right."""
        return False

    # ------------------------------------------------------------------------------------------------- answers

    @abstractmethod
    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> Any:
        """The answer in its canonical form, or `Refused("invalid", …)` with a sentence."""

    def completed(self, answer: Any, record: Sequence[Mapping[str, Any]], shown: Sequence[Text], study: Study) -> Any:
        """A checked answer with what was recorded before it (`Turns`); refused where that is not enough."""
        return answer

    def corrected(self, answer: Any, before: Any) -> Any:
        """A checked answer that replaces another, with what of the record stays as it was."""
        return answer

    def impersonal(self, answer: Any) -> Any:
        """An answer without what its judge said in a record, for a judge who is forgotten."""
        return answer

    def check_measure(self, answer: Any, shown: Sequence[Text], study: Study) -> Any:
        """What a measure says in place of an answer: numbers that are on no scale of the study."""
        raise Refused("invalid", f"a measure gives no answers of the protocol {self.name}")

    def right(self, frozen: Frozen, judgement: Judgement) -> bool | None:
        """Whether an answer was right, where there is a right one; without, practice is a warm-up."""
        return None

    @abstractmethod
    def fault(self, judgement: Judgement) -> str:
        """What in a row of a file cannot be a judgement of this protocol, or nothing; the study is not at hand."""

    def unasked(self, judgement: Judgement, frozen: Frozen) -> str:
        """What a judgement answers that the study does not ask, or leaves out that it asks; or nothing."""
        return ""

    def unknown_wordings(self, study: Study) -> tuple[str, ...]:
        """What was asked in words that nobody knows: everything that shows an answer to it says so."""
        return ()

    def later(self, judgement: Judgement, texts: Mapping[str, Text]) -> bool:
        """Whether an evaluation that was added for late judges can have looked like this."""
        return True

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """The judgement as rows of `columns` and `told_of`: of ratings one for each number, with item and system."""
        return ()

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """The study as an evaluation set: the outputs with their ratings; refused where outputs get no numbers."""
        raise InputError(
            f"answers of the protocol {self.name} say nothing of single outputs, so that they make no evaluation set; "
            f"export them without {option('set')}"
        )

    def transcript(self, judgement: Judgement, frozen: Frozen) -> dict[str, Any] | None:
        """What was said before the answer, where there was a conversation."""
        return None

    def watched(self, service: Service) -> Sequence[str]:
        """What the researcher must see while the study runs, in sentences; nothing of what was answered."""
        return ()

    # ------------------------------------------------------------------------------------------ quality control

    def rule_excludes(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, str]:
        """Whom the rule of the study file leaves out, each with the reason; refused where it has none."""
        raise InputError(f"studies of the protocol {self.name} have no rule of exclusion; name a judge and a reason")

    def fails(self, frozen: Frozen, own: Sequence[Judgement]) -> str:
        """Why a judge who has finished gets the code of those who fail; empty for the others, and by default."""
        return ""

    tries: ClassVar[bool] = False  # practice may be tried again after its right answer was told
    again: ClassVar[bool] = False  # texts can be judged again: a sample by experts, some after a discussion

    def disagreements(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, float]:
        """For each text with several judges how far apart they are, 0 to 1; refused where that cannot be told."""
        raise InputError(f"a discussion needs ratings of one text at a time; the protocol {self.name} has none")

    def record(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, tuple[int, int]]:
        """By judge: how many of so many answers with a known truth were right."""
        return {}

    def plain(self, found: Mapping[str, Any]) -> str:
        """The figures of `summary` in a line."""
        return f"{found['correct']:,} of {found['answers']:,} correct"

    def with_and_without(self, frozen: Frozen, judgements: Sequence[Judgement], excluded: Mapping[str, str]) -> str:
        """Plain figures with and without the judges left out, side by side, for the statement."""
        given = sort(judgements, frozen.study.surplus).given
        said = []
        for panel in dict.fromkeys(judgement.panel for judgement in given):
            own = [judgement for judgement in given if judgement.panel == panel]
            kept = [judgement for judgement in own if judgement.judge not in excluded]
            if kept and len(kept) < len(own):
                every, rest = (self.plain(self.summary(frozen, some, 0)) for some in (own, kept))
                judges = len({judgement.judge for judgement in own})
                said.append(f"panel {panel}: all {judges} judges {every}; without those left out {rest}")
        return ". ".join(said)

    # ------------------------------------------------------------------------------------------------ analysis

    @abstractmethod
    def analyse_folder(self, folder: str | Path, **options: Any) -> Any:
        """The analysis of a study's folder: of an export (`judgements`) or of its database; see `folder_by`."""

    @abstractmethod
    def analyse_service(self, service: Service, **options: Any) -> Any:
        """The analysis of a launched study; its log says so from now on."""

    # ---------------------------------------------------------------------------------------------- simulation

    @abstractmethod
    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Simulated judges, from the options of `study simulate`; what is None has a default."""

    @abstractmethod
    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """What a simulation tells of a panel's completed evaluations; has answers, surplus and judges."""

    @abstractmethod
    def table(self, panels: Mapping[str, Mapping[str, Any]]) -> tuple[Sequence[str], list[Sequence[str]]]:
        """The same as a table: heads and rows."""

    def remark(self, crowd: Crowd) -> str:
        """What is said below it, in a sentence."""
        return ""
