"""The study file: what is asked of whom about which texts, and how much risk the conclusion may carry.

`load` reads `study.yaml` of a folder into the frozen `Study` of its protocol. Unknown keys, contradictions and missing
wordings are gathered with their lines; the first is the refusal, `nlgauge study check` lists them all. The keys, their
meaning and the JSON Schema all come from the dataclasses below and from those of the protocols.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import orjson
import yaml

from nlgauge.errors import InputError, option
from nlgauge.io.fields import Problem, Reader, Words, key, schema
from nlgauge.io.outputs import DATABASE, FROZEN, STUDY
from nlgauge.io.trees import read_tree, tree
from nlgauge.study.file.contradictions import contradictions
from nlgauge.study.file.places import line_of
from nlgauge.study.file.translations import Translation, read_all
from nlgauge.study.protocols import PROTOCOLS, forms, protocol_of
from nlgauge.study.statements.keys import Stated

FILE = STUDY
Asked = Literal["no", "optional", "required"]
SCALE = ("points", "low", "high")  # keys of a question that only a scale has
LATER = ("closing", "translations", "pages")  # keys of a study that are no part of its hash where they are empty


@dataclass(frozen=True)
class Listed:
    """One text written in the study file."""

    SHORT: ClassVar[str] = "text"
    text: str = key("the text")
    item: str = key("the input it was written for; without it, the n-th texts of both lists share an input", default="")
    image: str = key("a picture shown with it: a path inside the study's folder", default="")
    caption: str = key("what the picture shows, for those who do not see it", default="")
    context: str = key("shown above the text", default="")


@dataclass(frozen=True)
class Subject:
    """Who wrote one kind of text: a system of an evaluation set, its references, or a list."""

    data: str = key("an evaluation set inside the study's folder", default="")
    system: str = key("the system of that set whose outputs are the texts", default="")
    reference: int = key("in place of a system: the n-th reference of each item", default=0, least=0)
    texts: tuple[Listed, ...] = key("in place of data: the texts themselves", default=())
    items: tuple[str, ...] = key("only these items of the set", default=())
    image: str = key("the key of the set's rows that holds the path of a picture", default="")
    caption: str = key("the key of the set's rows that holds the picture's caption", default="")
    context: str = key("the key of the set's rows that holds what is shown above the text", default="")
    name: str = key("what the report calls this subject; judges never see it", default="")

    @property
    def called(self) -> str:
        """What the researcher calls it, as far as the file tells."""
        return self.name or self.system or ("reference" if self.reference else "")


@dataclass(frozen=True)
class Panel:
    """A group of judges whose answers are analysed together."""

    judges: int = key("how many judges are planned", least=1, most=100_000)
    evaluations: int = key("triads for each judge; more than one for a difference only", default=1, least=1, most=600)
    access: Literal["links", "open", "platform"] = key(
        "personal links, one open link, or a recruiting platform's parameters", default="links"
    )
    registrations: int = key(
        "most people who may register by its open link or a platform's; who has answered nothing counts for a day "
        "(0: twenty times the judges, at least 1,000)",
        default=0,
        least=0,
        most=10_000_000,
    )
    kind: Literal["people", "machine"] = key("who judges", default="people")
    recruitment: str = key("how the judges were found (for the statement)", default="")
    pay: str = key("what they were paid (for the statement)", default="")
    description: str = key("who they are: expertise, language (for the statement)", default="")
    completion: Completion | None = key("what its judges get at the end, in place of the study's", default=None)


@dataclass(frozen=True)
class Reasons:
    """What is asked after the choice."""

    text: Asked = key("a reason in words: no, optional or required", default="no")
    highlight: Asked = key("marking the words that gave it away: no, optional or required", default="no")


@dataclass(frozen=True)
class Question:
    """A question to the judge: about themselves before the first text is shown, or at the end."""

    id: str = key("a short name for the answers")
    text: Words = key("the question")
    type: Literal["choice", "several", "scale", "text", "number"] = key(
        "how it is answered: one option, any number of them, a point of a scale, words or a number",
        default="choice",
    )
    options: tuple[Words, ...] = key("the answers to choose from", default=())
    required: bool = key("whether it must be answered", default=False)
    points: int = key("of a scale: how many points it has", default=5, least=2, most=11)
    low: Words | None = key("of a scale: what its lowest point means", default=None)
    high: Words | None = key("of a scale: what its highest point means", default=None)


@dataclass(frozen=True)
class MultipleChoice:
    """A question of the comprehension test."""

    text: Words = key("the question")
    options: tuple[Words, ...] = key("the answers to choose from")
    answer: int = key("the number of the right one, from 1", least=1, most=20)


@dataclass(frozen=True)
class Comprehension:
    """A test before the first text: whoever does not pass it in so many attempts is thanked and goes."""

    SHORT: ClassVar[str] = "questions"
    questions: tuple[MultipleChoice, ...] = key("multiple choice, shown on one page")
    attempts: int = key("how often a judge may try", default=2, least=1, most=10)
    required: int = key("right answers needed; by default all", default=0, least=0, most=100, written=1)

    @property
    def needed(self) -> int:
        """How many answers must be right."""
        return self.required or len(self.questions)


@dataclass(frozen=True)
class Consent:
    """What a judge agrees to before anything is asked."""

    text: Words = key("what will be asked, stored and for how long, and who answers questions")
    agree: Words | None = key("the words beside the box to be ticked", default=None)


@dataclass(frozen=True)
class Completion:
    """What a judge reads and gets at the end."""

    text: Words | None = key("shown at the end", default=None)
    code: str = key("completion code for the recruiting platform", default="")
    failed_code: str = key("completion code for judges who did not pass", default="")
    redirect: str = key("address to go to at the end", default="")
    failed_redirect: str = key("address to go to for judges who did not pass", default="")
    screened_out_code: str = key(
        "completion code for judges who decline, leave, or find the study full or closed", default=""
    )
    screened_out_redirect: str = key(
        "address to go to for judges who decline, leave, or find the study full or closed", default=""
    )


@dataclass(frozen=True)
class Ethics:
    """Approval and the keeping of personal data."""

    approval: str = key("the approval's number, or why none was needed", default="")
    body: str = key("who approved", default="")
    contact: str = key("whom judges may ask", default="")
    retention_days: int = key("days after which personal data are erased", default=0, least=0, most=36_500)


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study as its file describes it: what every protocol's has. Each protocol adds its own keys in a subclass."""

    protocol: str = key("the kind of study")
    title: Words = key("what the study is called, for each language; judges see it")
    panels: Mapping[str, Panel] = key("groups of judges by name, for example experts and public")
    seed: int = key("the seed of every random choice", least=0, most=2**63 - 1)
    instructions: Words | None = key("what judges read before they begin", default=None)
    context: Words | None = key("shown once above the texts", default=None)
    languages: tuple[str, ...] = key("languages of the pages; by default those of the question", default=())
    translations: Mapping[str, str] = key(
        "your own translations of the pages: the file of each language, by its tag", default={}
    )
    pages: Mapping[str, Translation] = key("these files as fixed at launch", default={}, frozen=True)
    reasons: Reasons = key("what is asked after the choice", default=Reasons())
    questions: tuple[Question, ...] = key("questions about the judge", default=())
    closing: tuple[Question, ...] = key("questions after the last text, before the thanks", default=())
    consent: Consent | None = key("what a judge agrees to", default=None)
    completion: Completion = key("what a judge reads and gets at the end", default=Completion())
    timeout: float = key("minutes after which an abandoned evaluation is dealt again", default=30.0, least=0.1)
    surplus: Literal["exclude", "include"] = key(
        "whether late answers to evaluations dealt again are analysed", default="exclude"
    )
    extra: Literal["refuse", "continue"] = key(
        "what becomes of judges beyond the planned number: refused, or a balanced continuation",
        default="refuse",
    )
    corrections: Literal["refuse", "allow"] = key(
        "whether a judge may change an answer; both are kept", default="refuse"
    )
    too_fast: float = key("seconds below which an answer is called too fast", default=3.0, least=0)
    ethics: Ethics = key("approval and retention", default=Ethics())
    statement: Stated = key(
        "what only a person knows, for the design statement; no part of the design", default=Stated()
    )

    @property
    def main_wording(self) -> Mapping[str, str]:
        """The wording whose languages are the study's where it names none."""
        return {}

    @property
    def wordings(self) -> tuple[str, ...]:
        """The names of the wordings of which each judge reads one; none where all read the same."""
        return ()

    def wording_of(self, number: int) -> str:
        """The wording that the n-th judge of a machine's panel reads: machines take turns."""
        return self.wordings[(number - 1) % len(self.wordings)] if self.wordings else ""

    def worded(self, wording: str) -> Study:
        """The study as judges read it who were dealt a wording."""
        return self

    @property
    def authors(self) -> Mapping[str, str]:
        """The subjects of the texts in the order of the file, each with the system's name where it has one."""
        return {}

    @property
    def imported(self) -> bool:
        """Whether the study was run elsewhere and its answers were imported."""
        return False

    @property
    def test(self) -> Comprehension | None:
        """What must be passed before the first text."""
        return None

    @property
    def graded(self) -> bool:
        """Whether judges who fail by a rule end with a code of their own."""
        return False

    @property
    def fixed(self) -> bool:
        """Whether the number of answers is fixed beforehand, so that there is one look, at the end."""
        return True

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages of the pages: those named, else those of the question, else English."""
        named = tuple(language for language in self.main_wording if language)
        return self.languages or named or ("en",)

    @property
    def called(self) -> str:
        """The title as researchers read it."""
        return say(self.title, "en")

    def to_dict(self) -> dict[str, Any]:
        """Every key of the design with its value; one title for all languages as the plain text it always was, so that
        the hash of a design does not change; for the same reason nothing is told of scales and closing questions where
        there are none. What is stated beside the design may change after launch."""
        values = dataclasses.asdict(self) | ({"title": self.title[""]} if list(self.title) == [""] else {})
        del values["statement"]
        for asked in (*values["questions"], *values["closing"]):
            for name in SCALE if asked["type"] != "scale" else ():
                del asked[name]
        return {name: value for name, value in values.items() if value or name not in LATER}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Study:
        """The study that `to_dict` wrote."""
        reader = Reader(frozen=True)
        node = tree(_without_nothing(values))
        form = _form(node, reader)
        study = None if form is None else reader.read(form, node, "")
        if reader.problems or study is None:
            raise InputError(f"the frozen study cannot be read: {reader.problems[0].message}")
        found: Study = study
        return found


def say(words: Mapping[str, str] | None, language: str) -> str:
    """A wording in a language, else the one for all languages, else the first."""
    if not words:
        return ""
    return words.get(language) or words.get("") or next(iter(words.values()))


def study_schema() -> dict[str, Any]:
    """The JSON Schema of a study file: one of the protocols' forms."""
    return schema(forms(), "nlgauge study")


def load(folder: str | Path) -> Study:
    """The study of a folder; refused with the line of the first problem."""
    study, problems, _ = inspect(folder)
    if problems or study is None:
        more = f" ({len(problems) - 1} more: nlgauge study check {folder})" if len(problems) > 1 else ""
        raise InputError(f"{Path(folder) / FILE}, {problems[0]}{more}")
    return study


def refuse_broken_off(folder: str | Path) -> None:
    """Refuse a folder with a database and no frozen design, which is written last: what made it was killed."""
    if (Path(folder) / DATABASE).exists() and not (Path(folder) / FROZEN).exists():
        raise InputError(
            f"{folder} holds {DATABASE} but no {FROZEN}: an import or a launch was broken off there, or the file was "
            f"removed; put it back, or repeat the import or the launch with {option('fresh')}, which sets {DATABASE} "
            "aside"
        )


def inspect(folder: str | Path) -> tuple[Study | None, list[Problem], dict[str, int]]:
    """The study, everything wrong in its file, and the line of each key; None where it cannot be read at all."""
    path = Path(folder) / FILE
    if Path(folder).is_dir() and not path.exists():
        refuse_broken_off(folder)
        raise InputError(f"{folder} holds no {FILE}; make one with: nlgauge study new {folder} --from DATA")
    node = read_tree(path)
    if node is None:
        raise InputError(f"{path} is empty; make one with: nlgauge study new DIR --from DATA")
    reader = Reader()
    reader.lines[""] = node.start_mark.line + 1
    reader.refuse_unshowable(node)
    form = _form(node, reader)
    study: Study | None = None if form is None else reader.read(form, node, "")
    if study is not None:
        pages, faults = read_all(Path(folder), study.translations)
        study = dataclasses.replace(study, pages=pages)
        reader.problems += [Problem(line_of(reader.lines, where), where, told) for where, told in faults]
        unread = [problem.path for problem in reader.problems]
        reader.problems += [
            Problem(line_of(reader.lines, where), where, message)
            for where, message in contradictions(study)
            # what could not be read is told already, and looks as if it were not there
            if not where or not any(path.startswith(f"{where}.") for path in unread)
        ]
    return study, sorted(reader.problems, key=lambda problem: problem.line), reader.lines


def _form(node: Any, reader: Reader) -> type[Study] | None:
    """The dataclass that reads a file, by its `protocol`; None with a problem noted where that tells nothing."""
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(name, yaml.ScalarNode) and name.value == "protocol":
            known = isinstance(value, yaml.ScalarNode) and value.value in PROTOCOLS
            if not known:
                reader.read(Literal[PROTOCOLS], value, "protocol")
                return None
            return protocol_of(value.value).study
    if not isinstance(node, yaml.MappingNode):
        reader.read(Study, node, "")  # which says that it must have keys
        return None
    kinds = f"the kind of study, one of {', '.join(PROTOCOLS)}; add, for example, protocol: likert"
    reader.refuse(node, "", f"the key 'protocol' is missing: {kinds}")
    return None


def digest(values: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _without_nothing(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nothing(v) for name, v in value.items() if v is not None and v not in ("", {})}
    return [_without_nothing(v) for v in value] if isinstance(value, list | tuple) else value
