"""Criteria of a study file: one of the catalogue by its id, one of the catalogue asked otherwise, or one's own.

    criteria:
      - fluency
      - {id: adequacy, wording: ours, scale: quality-7}
      - id: formality
        definition: The text keeps the tone of an official letter.
        question: {en: "How formal is this text?", de: "Wie förmlich ist dieser Text?"}
        scale: {points: 7, labels: [{en: Not at all, de: Gar nicht}, {en: Completely, de: Vollständig}]}

`CriterionEntry` is a part of the study file like those of `study.design`: `study.fields.Reader` reads it by line, the
JSON Schema comes from it. `contradictions` says what the keys allow one by one but not together, `resolve` makes the
criterion, and `from_mapping` does all three for a mapping that has been read already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import orjson
import yaml

from nlgauge.errors import InputError, shortened, suggest
from nlgauge.io.fields import Reader, Words, key
from nlgauge.metrics.survey import TASK_NAMES, TASKS
from nlgauge.study.criteria.catalogue import catalogue, constructs, find, scales
from nlgauge.study.criteria.comparing import constructs_in
from nlgauge.study.criteria.scale_entries import DEFAULT_SCALE, ScaleEntry, scale_of, scale_problems
from nlgauge.study.criteria.showing import may_judge
from nlgauge.study.criteria.types import Criterion, Direction, Form, Frame, Scale, Thing, Unit, Who, Wording
from nlgauge.study.languages import LANGUAGES

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words


_Problems = Iterator[tuple[str, str]]
# what an output is judged by, going by what stands beside it: else by its input
FRAMES: Mapping[frozenset[str], Frame] = {frozenset(): "itself", frozenset(("reference",)): "outside"}
_OF_DEFINITION = ("name", "definition", "measures", "same_as", "frame", "unit", "synonyms", "source")


@dataclass(frozen=True)
class CriterionEntry:
    """One criterion of a study file."""

    SHORT: ClassVar[str] = "id"
    id: str = key("an id of the catalogue, or a short name of your own")
    task: str = key("the task, where a name of the catalogue belongs to several", default="")
    name: str = key("what the report calls it", default="")
    definition: Words = key(
        "what is judged, in a sentence, for each language: judges read it beside the question, and studies are "
        "compared by it, not by the name",
        default={},
    )
    question: Words | None = key("the exact wording judges read, for each language", default=None)
    wordings: Mapping[str, Words] = key(
        "in place of question: two or more wordings of it by name, each read by an equal share of the judges",
        default={},
    )
    form: Form | None = key(
        "how the question asks: for a degree (rating), for yes or no (closed), or which of several (comparison)",
        default=None,
    )
    wording: Literal["first", "quoted", "ours"] = key("which of the catalogue's wordings is asked", default="first")
    scale: ScaleEntry | None = key("a scale of the catalogue by its name, or one's own", default=None)
    cannot_judge: bool | None = key(
        "whether judges may answer “I cannot judge this”; by default as the study says", default=None
    )
    direction: Direction | None = key("which end of the answers, as given, is the better one", default=None)
    reverse: bool | None = key("a high answer is a bad one: answers are turned round for the analysis", default=None)
    judges: tuple[Who, ...] = key("who may judge it", default=())
    shown: tuple[Thing, ...] = key("what must be shown beside the output", default=())
    withheld: tuple[Thing, ...] = key("what its judges must never see", default=())
    before: tuple[Thing, ...] = key("it is asked before these are shown", default=())
    measures: tuple[str, ...] = key("the constructs it measures; else they are read from the definition", default=())
    same_as: str = key("the criterion of the catalogue that measures the same", default="")
    frame: Frame | None = key(
        "what the output is judged by: itself, its input, or something outside both; by default as shown says",
        default=None,
    )
    unit: Unit | None = key("what is judged: a text (default) or a conversation", default=None)
    synonyms: tuple[str, ...] = key("names under which others measure the same", default=())
    source: str = key("where the definition comes from", default="")

    def __post_init__(self) -> None:
        if self.wordings and self.question is None:  # the first stands wherever one is needed
            object.__setattr__(self, "question", next(iter(self.wordings.values())))

    @property
    def defined(self) -> str:
        """The definition that studies are compared by: in English, where there is one."""
        words = self.definition
        return words.get("en") or words.get("") or next(iter(words.values()), "")


def from_mapping(mapping: Mapping[str, Any] | str, where: str) -> Criterion:
    """The criterion that a part of a study file describes; refused with the first thing that is wrong.

    `where` is the place of the part, for example "criteria.2"; every refusal names it.
    """
    try:
        document = orjson.dumps(mapping, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError as error:
        raise InputError(f"{where} holds what no study file can: {error}") from None
    return from_node(yaml.compose(document, Loader=yaml.SafeLoader), where)


def from_node(node: yaml.Node, where: str) -> Criterion:
    """The same of a part of a study file that is read as a tree."""
    reader = Reader()
    entry: CriterionEntry | None = reader.read(CriterionEntry, node, where)
    if entry is None or reader.problems:
        raise InputError(reader.problems[0].message)  # which names the place itself
    for place, message in (*contradictions(entry, where), *_language_problems(entry, where)):
        raise InputError(f"{place}: {message}")
    return resolve(entry)


def _language_problems(entry: CriterionEntry, path: str) -> _Problems:
    """Languages that the package's pages do not speak; of a study its own translations decide."""
    for language in entry.question or {}:
        if language and language not in LANGUAGES:
            told = f"the question has the language {shortened(language)}, which pages do not speak"
            yield f"{path}.question", f"{told}; {suggest(language, LANGUAGES)}"


def contradictions(entry: CriterionEntry, path: str) -> _Problems:
    """The place of a key and what is wrong there, for everything that is."""
    if entry.task and entry.task not in {*TASKS, *TASK_NAMES}:
        yield f"{path}.task", f"there is no task {shortened(entry.task)}; {suggest(entry.task, TASKS)}"
        return
    known = _known(entry)
    if known is None:
        yield from _own_problems(entry, path)
    else:
        yield from _catalogue_problems(entry, known, path)
    yield from _question_problems(entry, path)
    if entry.scale is not None:
        spoken = [language for language in entry.question or {} if language]
        yield from scale_problems(entry.scale, f"{path}.scale", languages=spoken)
    if entry.direction is not None and entry.reverse and entry.direction != "lower":
        yield (
            f"{path}.reverse",
            f"reverse says that a high answer is a bad one, direction says that the better end is {entry.direction}; "
            "leave one of them out",
        )
    shown = {*entry.shown, *(known.shown if known else ())}
    for thing in dict.fromkeys((*entry.withheld, *entry.before)):
        if thing in shown:
            yield f"{path}.shown", f"the {thing} is to be shown and to be kept from its judges; choose one"
        if thing in entry.withheld and thing in entry.before:
            yield (
                f"{path}.before",
                f"the {thing} is withheld throughout, so nothing can be asked before it is shown; take it out of one",
            )


def resolve(entry: CriterionEntry) -> Criterion:
    """The criterion of an entry without contradictions."""
    known = _known(entry)
    if known is not None:
        return _changed(known, entry)
    same = catalogue().get(entry.same_as)
    return Criterion(
        id=entry.id,
        name=entry.name or entry.id,
        tasks=(TASK_NAMES.get(entry.task, entry.task),) if entry.task else (),
        definition=entry.defined,
        measures=entry.measures or (same.measures if same else ()),
        wordings=(_own_wording(entry),),
        judges=dict.fromkeys(entry.judges or ("monolingual",), entry.shown),
        frame=entry.frame or (same.frame if same else FRAMES.get(frozenset(entry.shown), "input")),
        unit=entry.unit or (same.unit if same else "text"),
        withheld=entry.withheld,
        before=entry.before,
        synonyms=entry.synonyms,
        source=entry.source,
        own=True,
        explained=dict(entry.definition),
    )


def _known(entry: CriterionEntry) -> Criterion | None:
    """The criterion of the catalogue that an entry means: by id, or by name where it brings no definition."""
    if entry.id in catalogue():
        return catalogue()[entry.id]
    if entry.definition:
        return None
    try:
        return find(entry.id, entry.task or None)
    except InputError:
        return None


def _own_problems(entry: CriterionEntry, path: str) -> _Problems:
    if not entry.definition and entry.question is None:
        try:
            find(entry.id, entry.task or None)
        except InputError as error:
            yield path, f"{error}; a criterion of your own needs a definition and a question"
        return
    if not entry.definition:
        yield (
            path,
            f"{entry.id} has a question but no definition; say in a sentence what is judged, for studies are compared "
            "by definition",
        )
    elif entry.defined.strip(" .").casefold() in {entry.id.casefold(), entry.name.casefold()}:
        yield f"{path}.definition", f"the definition of {entry.id} only repeats its name; say what is judged"
    if entry.question is None:
        yield path, f"{entry.id} has no question; write the exact wording that judges read"
    if entry.wording != "first":
        yield (
            f"{path}.wording",
            f"{entry.id} is not of the catalogue, so it has no other wordings to choose from; leave wording out",
        )
    for name in entry.measures:
        if name not in constructs():
            yield f"{path}.measures", f"there is no construct {shortened(name)}; {suggest(name, constructs())}"
    if entry.same_as:
        yield from _same_problems(entry, path)
    if "bilingual" in entry.judges and "source" not in entry.shown:
        yield f"{path}.judges", "bilingual judges compare with the source, so shown must list it; add shown: [source]"
    if entry.frame == "input" and not entry.shown and "end_user" not in entry.judges:
        yield f"{path}.frame", "it is judged by its input, of which nothing is shown; list under shown what judges see"


def _same_problems(entry: CriterionEntry, path: str) -> _Problems:
    same = catalogue().get(entry.same_as)
    if same is None:
        known = suggest(entry.same_as, catalogue())
        yield f"{path}.same_as", f"there is no criterion {shortened(entry.same_as)}; {known}"
        return
    said = f"same_as says that it measures what {same.id} does ({', '.join(same.measures)})"
    if entry.measures and set(entry.measures) != set(same.measures):
        yield f"{path}.measures", f"{said}, measures says {', '.join(entry.measures)}; leave one of them out"
        return
    read = set(constructs_in(entry.defined))
    close = {*same.measures, *(kin for name in same.measures for kin in constructs()[name].akin)}
    if read and not read & close:
        speaks = f"but its definition speaks of {', '.join(sorted(read))}; leave same_as out or mend the definition"
        yield f"{path}.same_as", f"{said}, {speaks}"


def _redefined(entry: CriterionEntry, known: Criterion) -> bool:
    """Whether a definition differs from the catalogue's; one in a language that it lacks translates it."""
    theirs = {"": known.definition, **known.explained}
    return any(text != theirs.get(language, text) for language, text in entry.definition.items())


def _catalogue_problems(entry: CriterionEntry, known: Criterion, path: str) -> _Problems:
    defaults = {field.name: field.default for field in dataclasses.fields(CriterionEntry)}
    for name in _OF_DEFINITION:
        other = getattr(entry, name) not in (defaults[name], getattr(known, name, None))
        if _redefined(entry, known) if name == "definition" else other:
            yield (
                f"{path}.{name}",
                f"{known.id} is a criterion of the catalogue, whose {name} is fixed so that studies can be compared; "
                "choose another id for yours",
            )
    task = TASK_NAMES.get(entry.task, entry.task)
    if task and task not in known.tasks:
        yield (
            f"{path}.task",
            f"{known.id} is a criterion of {', '.join(known.tasks)}, not of {task}; leave task out, or name one of "
            "these",
        )
    if entry.wording != "first" and entry.question is not None:
        yield f"{path}.wording", "a question of your own replaces the catalogue's wordings; leave one of the two out"
    elif entry.wording != "first" and known.worded(entry.form, entry.wording) is None:
        asked = f"{known.id} in the form {entry.form}" if entry.form else known.id
        yield f"{path}.wording", f"the catalogue has no {entry.wording} wording of {asked}; leave wording out"
    if entry.question is None:
        yield from _keying_problems(entry, known, path)
    for who in entry.judges:
        if not may_judge(known, who):
            yield (
                f"{path}.judges",
                f"{known.id} is not for {who} judges; name those who can judge it: {', '.join(known.judges)}",
            )
    for thing in entry.shown:
        if thing in known.withheld or thing in known.before:
            when = "must never be shown" if thing in known.withheld else "is shown only after it is answered"
            yield f"{path}.shown", f"the {thing} {when} to those who judge {known.id}; take it out of shown"


def _keying_problems(entry: CriterionEntry, known: Criterion, path: str) -> _Problems:
    """A wording of the catalogue knows which of its ends is the better one."""
    asked = _asked(known, entry)
    keyed = "reverse-keyed" if asked.reverse else "not reverse-keyed"
    if entry.reverse is not None and entry.reverse != asked.reverse:
        yield f"{path}.reverse", f"the question “{asked.wording.say('en')}” is {keyed}; leave reverse out"
    if entry.direction is not None and entry.direction != asked.direction:
        yield (
            f"{path}.direction",
            f"the better end of the answers to “{asked.wording.say('en')}” is the {asked.direction} one; leave "
            "direction out",
        )
    if entry.form is not None and known.worded(form=entry.form) is None:
        yield f"{path}.form", f"the catalogue has no {entry.form} wording of {known.id}; give a question of your own"


def _question_problems(entry: CriterionEntry, path: str) -> _Problems:
    yield from wording_problems(entry, f"{path}.wordings")
    if entry.form == "comparison" and entry.scale is not None:
        yield f"{path}.scale", "a comparison is answered by choosing an output, and has no scale; leave scale out"
    if entry.form == "comparison" and entry.reverse:
        yield f"{path}.reverse", "a comparison cannot be reverse-keyed; ask which output is better"


def _own_scale(entry: CriterionEntry) -> Scale | None:
    if entry.form == "comparison":
        return None
    if entry.scale is None:
        return scales()[DEFAULT_SCALE[entry.form or "rating"]]
    return scale_of(entry.scale, f"{entry.id} (own)")


def _own_wording(entry: CriterionEntry) -> Wording:
    reverse = bool(entry.reverse)
    return Wording(
        text=dict(entry.question or {}),
        form=entry.form or "rating",
        scale=_own_scale(entry),
        mark="own",
        direction=entry.direction or ("lower" if reverse else "higher"),
        reverse=reverse,
    )


def _asked(known: Criterion, entry: CriterionEntry) -> Criterion:
    """The catalogue's criterion with the wording that the entry chooses in front."""
    mark = entry.wording if entry.wording != "first" else None
    who = entry.judges[0] if len(entry.judges) == 1 else None
    chosen = known.worded(entry.form, mark, who) or known.worded(entry.form, mark)
    return chosen or known.worded(mark=mark) or known


def _changed(known: Criterion, entry: CriterionEntry) -> Criterion:
    found = _asked(known, entry)
    if entry.question is not None:
        found = dataclasses.replace(found, wordings=(_own_wording(entry), *found.wordings))
    elif entry.scale is not None:
        found = found.scaled(_own_scale(entry))
    judges = {who: found.judges.get(who, found.judges.get("monolingual", ())) for who in entry.judges}
    return dataclasses.replace(
        found,
        judges={who: tuple(dict.fromkeys((*things, *entry.shown))) for who, things in (judges or found.judges).items()},
        withheld=tuple(dict.fromkeys((*found.withheld, *entry.withheld))),
        before=tuple(dict.fromkeys((*found.before, *entry.before))),
        explained={**found.explained, **{code: text for code, text in entry.definition.items() if code}},
    )


LONGEST_NAME = 32  # characters of a wording's name


def wording_problems(entry: CriterionEntry, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the wordings of an entry: each is read by a share of the judges, to see whether it matters.

    - id: fluency
      wordings:
        neutral: How fluent is this text?
        positive: How wonderfully fluent is this text?
    """
    named = list(entry.wordings)
    if not named:
        return
    if len(named) < 2:
        yield path, f"{entry.id} has one wording, so nothing can be compared; add another, or write question: …"
    elif set(named) <= set(LANGUAGES):
        yield (
            path,
            f"{', '.join(named)} are languages, and wordings have names of your choice, such as neutral and positive; "
            "of one question in several languages write question: {en: …, de: …}",
        )
    if entry.question != entry.wordings[named[0]]:
        yield path, f"{entry.id} has a question and wordings; leave one of the two out"
    if any("/" in name or "=" in name or not name.isprintable() for name in named):
        yield path, "the name of a wording has no /, no = and nothing that cannot be seen; write, for example, neutral"
    if long := next((name for name in named if len(name) > LONGEST_NAME), ""):
        yield path, f"the name of the wording {shortened(long)} is longer than {LONGEST_NAME} characters; shorten it"
    said = [dict(words) for words in entry.wordings.values()]
    if any(one in said[:place] for place, one in enumerate(said)):
        yield path, f"two wordings of {entry.id} are the same; change one or leave it out"
    if any(set(words) != set(said[0]) for words in said):
        yield path, f"the wordings of {entry.id} are not in the same languages; give each in all of them"
