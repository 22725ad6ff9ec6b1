"""A new study: a folder with a study file that works as it stands, the data, and the schema for editors.

Wordings that a new study begins with, in the languages of the pages; a researcher edits them in the study file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from nlgauge.errors import InputError, counted, option, suggest
from nlgauge.io import load
from nlgauge.io.outputs import SCHEMA
from nlgauge.io.write import atomic_file
from nlgauge.jsonable import Jsonable
from nlgauge.stats import discrimination
from nlgauge.stats.discrimination.wording import MINIMUM
from nlgauge.study.file.contradictions import OWN
from nlgauge.study.file.study import FILE, study_schema
from nlgauge.study.languages import LANGUAGES, worded
from nlgauge.types import EvaluationSet

REFERENCES = "references"
RISKS = {
    "difference": "alpha: finding a difference where none is; beta: missing one that the share p_d perceives",
    "similarity": "beta: passing texts as similar that the share p_d tells apart; alpha: failing texts without a "
    "difference",
}
HUMAN = ("human", "humans", "people", "gold", "reference", "references", "author")


@dataclass(frozen=True)
class Made(Jsonable):
    """What `new` wrote and chose."""

    KEYS = "file = path, subjects, judges, inputs, notes"

    path: Path
    subjects: dict[str, str]
    judges: int
    inputs: int
    sentence: str  # what was made, in words
    notes: list[str] = field(default_factory=list)


def new(
    folder: str | Path,
    data: str | Path,
    *,
    goal: str = "difference",
    alpha: float = 0.05,
    beta: float = 0.05,
    p_d: float = 0.3,
    judges: int | None = None,
    systems: Sequence[str] = (),
    languages: Sequence[str] = ("en",),
    access: str = "links",
    title: str = "",
    seed: int,
    columns: Mapping[str, str] | None = None,
) -> Made:
    """Make a study of the two authors in a data set; the folder must not hold one yet."""
    root, source = Path(folder), Source(Path(data), columns or {})
    content = opened(root, source, languages)
    pair, notes = _pair(content, systems)
    plan = discrimination.plan(alpha, beta, p_d, goal=goal)
    wanted = judges or max(plan.stable, MINIMUM[goal])
    about = f"from {plan.stable} on every number of judges keeps the risks"
    lines = [
        *heading("triangle", title, worded("triangle.title"), languages),
        f"goal: {goal}  # difference or similarity",
        f"risks: {{alpha: {alpha:g}, beta: {beta:g}, p_d: {p_d:g}}}  # {RISKS[goal]}",
        "subjects:  # judges never see these names",
        *(_subject(name, source.name, system) for name, system in zip("AB", pair, strict=True)),
        *wording("question", worded("triangle.question"), languages),
        *wording("instructions", worded("triangle.instructions"), languages),
        *recruiting("public", wanted, access, about, languages),
        f"practice: {int(len(content.items) >= 12)}  # triads before the first that counts, with feedback",
        "reasons: {text: optional, highlight: optional}  # no, optional or required",
        "questions: []  # about the judge, for example:",
        "#  - {id: reads_forecasts, text: Do you read weather forecasts?, options: [daily, sometimes, never]}",
        *closing(seed),
    ]
    write(root, source, content, "\n".join(lines) + "\n")
    named = f"A = {pair[0]}, B = {pair[1]}, {counted(len(content.items), 'input')}, {counted(wanted, 'judge')}"
    sentence = f"a triangle test of {goal}, {named}"
    return Made(root / FILE, dict(zip("AB", pair, strict=True)), wanted, len(content.items), sentence, notes)


@dataclass(frozen=True)
class Source:
    """The data that a study is made of, and which columns hold which keys."""

    path: Path
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file in the study's folder: a copy, or, where keys have other names, its rows under the usual ones."""
        return f"{self.path.name.partition('.')[0]}.study.jsonl" if self.columns else self.path.name

    def content(self, data: EvaluationSet) -> bytes:
        """What that file holds."""
        if not self.columns:
            return self.path.read_bytes()
        return b"".join(orjson.dumps(segment.to_dict(), option=orjson.OPT_APPEND_NEWLINE) for segment in data)


def opened(root: Path, source: Source, languages: Sequence[str]) -> EvaluationSet:
    """The data of a study to be made; refused where the folder holds one, or pages or data are not to be had."""
    if (root / FILE).exists():
        raise InputError(f"{root / FILE} exists already; edit it, or choose another folder")
    for language in languages:
        if language not in LANGUAGES:
            raise InputError(f"there are no pages in {language!r}; {suggest(language, LANGUAGES)}; {OWN}")
    if source.path.is_dir():
        raise InputError(f"{source.path} is a folder; a study takes one file: .jsonl, .csv, .tsv or .parquet")
    return load(source.path, allow_extra=True, columns={"source": "source", **source.columns})


def write(root: Path, source: Source, data: EvaluationSet, text: str) -> None:
    """Put the study file, the data and the schema for editors into a folder: all of them, or nothing."""
    kept = root / source.name
    there = kept.exists()
    if there and kept.resolve() != source.path.resolve() and kept.read_bytes() != source.content(data):
        raise InputError(f"{kept} exists already and differs from {source.path}; remove one of them")
    with _or_nothing(root, (kept, root / SCHEMA, root / FILE)):
        for name, body in (
            *(() if there else ((source.name, source.content(data)),)),
            (SCHEMA, orjson.dumps(study_schema(), option=orjson.OPT_INDENT_2)),
            (FILE, text.encode()),
        ):
            with atomic_file(root / name, own=True) as out:
                out.write(body)


@contextmanager
def _or_nothing(root: Path, files: Sequence[Path]) -> Iterator[None]:
    """Make a folder and files in it; where one cannot be written, those that were not there before are removed."""
    made = [path for path in files if not path.exists()]
    folders = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        for path in made:
            path.unlink(missing_ok=True)
        for folder in folders:
            with suppress(OSError):  # somebody else may have put something in it
                folder.rmdir()
        if isinstance(error, OSError):
            raise InputError(f"cannot make a study in {root}: {error.strerror or error}") from None
        raise


def _pair(data: EvaluationSet, systems: Sequence[str]) -> tuple[tuple[str, str], list[str]]:
    """The two authors: those named, else a human and a system as far as the names tell."""
    complete = data.summary.references_min > 0
    known = [*data.systems, *([REFERENCES] if complete and REFERENCES not in data.systems else [])]
    if systems:
        if len(systems) != 2 or systems[0] == systems[1]:
            raise InputError(
                f"a triangle test compares two authors: name two different ones with {option('systems', 'A,B')}"
            )
        for name in systems:
            if name not in known:
                raise InputError(f"{data.origin} has no system {name!r}; {suggest(name, known)}")
        return (systems[0], systems[1]), []
    people = [name for name in data.systems if name.lower() in HUMAN]
    others = [name for name in data.systems if name not in people]
    human = people[:1] or ([REFERENCES] if complete and len(others) != 2 else [])
    chosen = ([*human, *others] if others else data.systems)[:2]
    if len(chosen) < 2:
        raise InputError(
            f"{data.origin} has one system and no references: there is nobody to compare it with; "
            "add another author's texts"
        )
    left = [name for name in known if name not in chosen]
    notes = [f"{', '.join(left)} could be compared too; choose with {option('systems', 'A,B')}"] if left else []
    return (chosen[0], chosen[1]), notes


def _subject(name: str, data: str, system: str) -> str:
    who = "reference: 1" if system == REFERENCES else f"system: {quoted(system)}"
    return f"  {name}: {{data: {quoted(data)}, {who}}}"


def quoted(text: str) -> str:
    """A text as YAML reads it back: JSON strings are YAML strings."""
    return orjson.dumps(text).decode()


def wording(key: str, words: Mapping[str, str], languages: Sequence[str], indent: str = "") -> list[str]:
    """A wording in each language, as lines of the file."""
    return [f"{indent}{key}:"] + [f"{indent}  {language}: {quoted(words[language])}" for language in languages]


def heading(protocol: str, title: str, usual: Mapping[str, str], languages: Sequence[str]) -> list[str]:
    """The first lines of a study file."""
    return [
        f"# yaml-language-server: $schema={SCHEMA}",
        "# All keys: nlgauge study schema. Before launching: nlgauge study check DIR.",
        f"protocol: {protocol}",
        *([f"title: {quoted(title)}"] if title else wording("title", usual, languages)),
    ]


def recruiting(
    panel: str, judges: int, access: str, about: str, languages: Sequence[str], who: Sequence[str] = ()
) -> list[str]:
    """What judges agree to, and the panel they are in; `about` says which numbers of judges are good."""
    return [
        "consent:",
        *wording("text", worded("consent"), languages, "  "),
        "panels:",
        f"  {panel}:",
        f"    judges: {judges}  # {about}",
        f"    access: {access}  # links (one for each judge), open (one for all) or platform",
        *(f"    {line}" for line in who),
        '    recruitment: ""  # how judges were found and what they were paid: for the statement',
        '    pay: ""',
    ]


def closing(seed: int) -> list[str]:
    """The last lines of a study file."""
    return [
        "# closing: [{id: more, text: What would you like to tell us?, type: text}]  # asked once, at the end",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        'statement: {paper: "", task: "", dataset: "", expertise: "", pay_per_hour: ""}  '
        "# what only you know; nlgauge study statement DIR lists the rest",
        f"seed: {seed}",
    ]
