"""What `study new` chooses and writes for any study of outputs: systems, criteria, what is shown, who judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from nlgauge.errors import InputError, counted, option, suggest
from nlgauge.io.fields import Kinds, Words
from nlgauge.study.criteria.catalogue import defaults_for, find, for_protocol
from nlgauge.study.criteria.showing import conflicts
from nlgauge.study.criteria.showing import needs as needs_of
from nlgauge.study.criteria.types import Criterion, Thing
from nlgauge.study.designs import Design
from nlgauge.study.designs.imported import KIND
from nlgauge.study.file.study import FILE
from nlgauge.study.file.template import Made, Source, closing, heading, opened, quoted, recruiting, write
from nlgauge.study.languages import worded
from nlgauge.study.protocols.outputs.check import INPUT, lacking_of
from nlgauge.study.protocols.outputs.contradictions import options_told
from nlgauge.study.protocols.outputs.file import REFERENCES, Show
from nlgauge.study.protocols.outputs.gold import WRITTEN_AS
from nlgauge.study.protocols.outputs.passing import attention
from nlgauge.text import tables
from nlgauge.types import EvaluationSet, Segment

INPUTS: tuple[Thing, ...] = ("source", "table", "history", "context", "image")
OTHERS: tuple[Thing, ...] = ("question", "answer", "reference")
ORDER: tuple[Thing, ...] = get_args(Thing)
QUESTIONS = (
    "questions: []  # about the judge, for example:",
    "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
)


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
    design: str = ""  # who sees what, by its kind; the protocol's usual one where none is named
    scheme: str = ""  # of errors, where errors are marked
    truth: str = ""  # the key of the rows that holds the true class, where outputs are classified
    columns: Mapping[str, str] = field(default_factory=dict)  # where a key of the data has another name


@dataclass(frozen=True)
class Planned:
    """Who sees what, as the file has it."""

    each: int  # screens for a judge
    judges: int
    about: str  # which numbers of judges are good
    line: str = ""


def planned(wish: Wish, kinds: Kinds, usual: str, held: tuple[int, int], wanted: Planned, *, size: int = 1) -> Planned:
    """The design that was wished for, or the usual one, of items and systems, with `size` texts on a screen.

    The screens of a judge are lowered to what the design can give, and the judges, where their number is open, raised
    to what it wants to be even; for the usual design both are right already.
    """
    known = [name for name in kinds.known if name != KIND]
    chosen = wish.design or usual
    if chosen not in known:
        raise InputError(
            f"there is no design {chosen!r} for the protocol {wish.protocol}; choose one of {', '.join(known)}"
        )
    keys = {"per_screen": size} if size > 1 and hasattr(kinds.known[chosen], "per_screen") else {}
    if wish.design:
        design, each = _fitting(kinds.known[chosen], keys, *held, wanted.each)
        whole, judges = design.complete(*held), wanted.judges
        wanted = Planned(each, judges, "nlgauge study check says after how many everything is even")
        if whole > 1 and not wish.judges and whole <= 2 * judges:
            wanted = Planned(each, -(-judges // whole) * whole, f"a multiple of {whole} keeps the design even")
    written = "".join(f", {name}: {value}" for name, value in keys.items())
    others = ", ".join(name for name in known if name != chosen)
    line = f"design: {{kind: {chosen}{written}, items_per_judge: {wanted.each}}}  # or {others}"
    return replace(wanted, line=line)


def _fitting(form: type[Design], keys: Mapping[str, Any], items: int, systems: int, each: int) -> tuple[Design, int]:
    """The design with as many screens for a judge as it can give, up to `each`; refused where it has none."""
    for number in range(each, 0, -1):
        found = form(items_per_judge=number, **keys)
        try:
            found.check(items, systems)
        except InputError:
            if number == 1:
                raise
        else:
            return found, number
    raise InputError("a design needs at least one screen for a judge")


@dataclass(frozen=True)
class Draft:
    """A study of a data set in the making."""

    root: Path
    source: Source
    wish: Wish
    content: EvaluationSet
    systems: list[str]

    @classmethod
    def of(cls, folder: str | Path, data: str | Path, wish: Wish) -> Draft:
        """The data is read; the folder must not hold a study yet."""
        root, source = Path(folder), Source(Path(data), wish.columns)
        content = opened(root, source, wish.languages)
        found = cls(root, source, wish, content, systems_of(content, wish.systems))
        if not found.complete:
            raise InputError(
                f"{content.origin} has no item with a text by each of {', '.join(found.systems)}, and a study deals "
                f"whole grids; name systems that have the same items ({option('systems', 'A,B')})"
            )
        return found

    @cached_property
    def complete(self) -> list[str]:
        """The items of which every system has a text."""
        held: dict[str, set[str]] = {name: set() for name in self.systems}
        for segment in self.content:
            if segment.system in held:
                held[segment.system].add(segment.item)
            if segment.references and REFERENCES in held and REFERENCES not in self.content.systems:
                held[REFERENCES].add(segment.item)
        return [item for item in self.content.items if all(item in own for own in held.values())]

    @cached_property
    def rows(self) -> list[Segment]:
        """The rows of these items."""
        kept = set(self.complete)
        return [segment for segment in self.content if segment.item in kept]

    @property
    def inputs(self) -> int:
        """All inputs that can be judged."""
        return len(self.complete)

    @property
    def left_out(self) -> int:
        """Inputs of the data of which some system has no text."""
        return len(self.content.items) - self.inputs

    @property
    def practice(self) -> int:
        """Inputs that serve for practice: one, where enough are left."""
        return 1 if self.inputs > 2 else 0

    @property
    def items(self) -> int:
        """Inputs that are judged."""
        return self.inputs - self.practice

    @cached_property
    def shown(self) -> Mapping[str, str]:
        """What the data holds that can be shown beside a text, with the key of the rows that holds it."""
        return showable(self.rows)

    def criteria(
        self, called: str, answered: str, usual: Sequence[str], *, paged: bool = False
    ) -> tuple[list[Criterion], list[str]]:
        """The criteria asked, and why some of the task's are not; the words are those of `chosen`."""
        return chosen(self.wish, called, answered, self.shown, usual, paged=paged)

    def judged_by(self, asked: Sequence[Criterion]) -> tuple[list[Show], list[str]]:
        """What stands beside the texts for these criteria, and what of it the data does not hold."""
        shows = shown_for(asked, self.shown, self.wish.languages)
        return shows, unseen(asked, shows, self.source.name)

    def planned(self, kinds: Kinds, usual: str, each: int, judges: int, about: str, *, size: int = 1) -> Planned:
        """Who sees what."""
        held = self.items, len(self.systems)
        return planned(self.wish, kinds, usual, held, Planned(each, judges, about), size=size)

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
            *self._items(),
            *own,
            f"languages: [{', '.join(wish.languages)}]",
            *instructions,
            *recruiting(panel, judges, wish.access, about, wish.languages),
            f"practice: {self.practice}  # {practice}",
            *checks,
            "reasons: {text: no, highlight: no}  # no, optional or required",
            *questions,
            *options_told(wish.protocol),
            *closing(wish.seed),
        ]
        write(self.root, self.source, self.content, "\n".join(lines) + "\n")
        subjects = {name: name for name in self.systems}
        if self.left_out:
            are, them = ("are", "them") if self.left_out > 1 else ("is", "it")
            notes = [
                f"{self.left_out:,} of {counted(len(self.content.items), 'item')} {are} left out, because not every "
                f"system has a text for {them}; the others stand in the file (items)",
                *notes,
            ]
        return Made(self.root / FILE, subjects, judges, self.inputs, sentence, notes)

    def _items(self) -> list[str]:
        """The items of which every system has a text, where those are not all."""
        if not self.left_out:
            return []
        return [
            "items:  # those for which every system has a text",
            *(f"  - {quoted(name)}" for name in self.complete),
        ]


COMPREHENSION = (
    "  comprehension:",
    "    questions:",
    "      - {text: What is judged?, options: [the text, its author, its topic], answer: 1}",
    "      - {text: Who wrote the texts?, options: [I am not told, one person, the researchers], answer: 1}",
    "    attempts: 2",
)
SHARES = {3: 0.5, 4: 0.5, 5: 0.4, 6: 0.3, 7: 0.2, 8: 0.2}
"""Of so many attention checks one may be missed: the share from which on a judge fails."""


def enough_checks(chance: float) -> int:
    """The fewest attention checks, of which one may be missed, that keep careful judges and few who guess."""
    for number, share in SHARES.items():
        found = attention([chance], number, share)
        if found.careful >= 0.95 and found.guessing <= 0.2:
            return number
    return max(SHARES)


def checks_told(checks: Sequence[str], gold: str, *, more: Sequence[str] = (), exclude: str = "attention") -> list[str]:
    """The block of checks as a comment that keeps careful judges as it stands (`study check` says how many), and a line
    on training; `more` are the protocol's own lines of it."""
    lines = [
        "quality:  # checks of the judges; nobody is left out unless you say so (nlgauge study exclude DIR --by-rule)",
        "  attention:  # each with the answer that passes; where they come in a judge's list is drawn",
        *(f"    - {{{check}}}" for check in checks),
        f"  attention_each: {len(checks)}  # checks for each judge",
        *more,
        f"  rule: {{exclude: [{exclude}], failures: 1, attention: {SHARES.get(len(checks), 0.5)}}}",
        f"practice: {{examples: [{gold}]}}",
        "  # in place of practice above: training, where judges are told whether they were right, and why; with",
        "  # required: N in it, who has fewer right does not go on",
    ]
    return [f"# {line}" for line in lines]


def best_checks(criteria: Sequence[str], texts: int, chance: float, shows: Sequence[Show]) -> list[str]:
    """Checks of several texts on a screen: one of them says that it is the best."""
    places = [1 + (2 * number) % texts if texts > 2 else 1 + number % 2 for number in range(enough_checks(chance))]
    return [
        f"texts: [{', '.join(CHECKED[place == number] for number in range(1, texts + 1))}], answer: "
        f"{{{', '.join(f'{name}: {place}' for name in criteria)}}}{needless(shows)}"
        for place in places
    ]


CHECKED = {
    True: '"This page checks that texts are read: this text is the best one."',
    False: '"This page checks that texts are read: this text is worse."',
}


def needless(shows: Sequence[Show]) -> str:
    """What a check must have beside its text, where the text says everything."""
    names = dict.fromkeys(WRITTEN_AS.get(show.what, show.what) for show in shows if show.what != "image")
    return "".join(f', {name}: "(not needed here)"' for name in names)


def whole_squares(systems: int) -> str:
    """Which numbers of judges a Latin square of so many systems wants."""
    return f"a multiple of {systems}, the systems, keeps Latin squares whole"


def show_line(shows: Sequence[Show], where: str = "beside each text") -> str:
    """What is shown, with what could be."""
    return f"show: [{', '.join(map(_written, shows))}]  # {where}: source, reference, table, image, history"


def systems_of(content: EvaluationSet, named: Sequence[str]) -> list[str]:
    """The systems to be judged: those named, else all."""
    known = [*content.systems, REFERENCES]
    for name in named:
        if name not in known:
            raise InputError(f"{content.origin} has no system {name!r}; {suggest(name, known)}")
    return list(named) or list(content.systems)


def chosen(
    wish: Wish, called: str, answered: str, shown: Collection[str], usual: Sequence[str], *, paged: bool = False
) -> tuple[list[Criterion], list[str]]:
    """The criteria asked, and those of the task that one page cannot ask.

    `called` is what the catalogue calls the protocol, `answered` how its questions are answered, `usual` the criteria
    where neither task nor criteria are named, `shown` what the rows hold; `paged`: what must be asked before something
    is shown can have a page of its own.
    """
    task = wish.task
    if wish.criteria or task is None:
        names = wish.criteria or usual
        found = {name: for_protocol(find(name, task), called) for name in names}
        lacking = next((name for name in wish.criteria if found[name] is None), None)
        if lacking is not None:
            raise InputError(
                f"the catalogue has no question for {lacking} that is answered on {answered}; choose another "
                "criterion, or write a question of your own into the file"
            )
        return [criterion for name in names if (criterion := found[name]) is not None], []
    wanted = defaults_for(task, called)
    seen = [show.what for show in shown_for(wanted, shown)]
    if paged and not any(conflicts(wanted, seen, paged=True)):
        return list(wanted), []
    asked: list[Criterion] = []
    notes = []
    for criterion in wanted:
        wrong = next(conflicts([*asked, criterion], seen), "")
        if wrong:
            notes.append(f"{criterion.id} was left out: {wrong}")
        else:
            asked.append(criterion)
    if not asked:
        raise InputError(
            f"the catalogue has no question for {task} that is answered on {answered}; choose another "
            f"protocol, or name criteria with {option('criteria')}"
        )
    return asked, notes


def showable(rows: Sequence[Segment]) -> dict[str, str]:
    """What every row holds that can be shown beside a text, with the key that holds it in every row."""
    kept = [_held(segment) for segment in rows]
    first = kept[0] if kept else {}
    return {
        what: column
        for what in (*INPUTS, *OTHERS)
        if (column := first.get(what)) and all(held.get(what) == column for held in kept)
    }


def _held(segment: Segment) -> dict[str, str]:
    found = {what: what for what in (*INPUTS, *OTHERS) if segment.extra.get(what) not in (None, "", [])}
    source: Any = segment.source
    if tables.rows(source) or (isinstance(source, list) and source and isinstance(source[0], list | tuple)):
        found.setdefault("table", "source")
    elif isinstance(source, str) and source.strip():
        found["source"] = "source"
    elif isinstance(source, list) and source:
        found.setdefault("history", "source")
    return found | ({"reference": REFERENCES} if segment.references else {})


def needs(one: Criterion) -> frozenset[str]:
    """What a criterion is judged by, by whoever its wording is for: readers of the language, where it is for all."""
    whom = one.wording.judges or ("monolingual", *one.judges)
    return needs_of(one, next(who for who in whom if who in one.judges))


def shown_for(asked: Sequence[Criterion], held: Collection[str], languages: Sequence[str] = ()) -> list[Show]:
    """What criteria are judged by, as far as rows hold it; the input may have another form than the criterion names."""
    found: dict[str, Show] = {}
    wanted = {thing for criterion in asked for thing in needs(criterion)}
    for thing in (thing for thing in ORDER if thing in wanted):
        if thing in held:
            found.setdefault(thing, shown_as(thing, held))
        elif thing in INPUT and (other := next((what for what in INPUTS if what in held), None)):
            # questions that are judged by a table speak of the data
            words = worded("data")
            label = Words({code: words[code] for code in languages}) if thing == "table" and languages else None
            found.setdefault(other, replace(shown_as(other, held), label=label))
    if "question" in wanted and "question" not in found and "source" in held and "source" not in found:
        found["question"] = Show("question", column="source")  # of a set with contexts the source is the question
    return list(found.values())


def shown_as(what: Thing, held: Collection[str]) -> Show:
    """Something that rows hold, with its key where that is not the usual one."""
    column = held[what] if isinstance(held, Mapping) else ""
    return Show(what, column="" if column == Show(what).held else column)


def _written(show: Show) -> str:
    """As the study file has it."""
    keys = [f"what: {show.what}"]
    keys += [f"column: {show.column}"] if show.column else []
    if show.label:
        keys += [f"label: {{{', '.join(f'{code}: {words}' for code, words in show.label.items())}}}"]
    return f"{{{', '.join(keys)}}}" if len(keys) > 1 else str(show.what)


def unseen(asked: Sequence[Criterion], shows: Sequence[Show], data: str) -> list[str]:
    """What criteria are judged by and rows do not hold, in sentences; where pictures must lie."""
    seen = {show.what for show in shows}
    found = []
    for criterion in asked:
        found += [
            f"{criterion.id} is judged by the {thing}, which the rows of {data} do not hold: add it to them under "
            f"{thing!r}, and to show, or leave {criterion.id} out"
            for thing in sorted(lacking_of(criterion, seen))
        ]
    if "image" in seen:
        found.append("pictures are shown: put them beside study.yaml, where the rows say they are")
    return found
