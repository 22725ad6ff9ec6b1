"""A human study from Python: `load, check, launch, open, links, simulate, analyse, statement, export, close`.

    from nlgauge import study
    study.check("forecasts")                      what is wrong or risky
    study.launch("forecasts")                     freeze the design, deal out the texts
    study.links("forecasts")                      the addresses for judges, who answer on `nlgauge study serve`
    study.analyse("forecasts").sentences          the verdict, when all have answered
    study.statement("forecasts").to_latex()       what was asked, of whom and how, for the paper

These are names of `nlgauge.study`. A study is named by its folder, which holds `study.yaml`; `db` names its database,
where that is not in the folder.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, get_args

from nlgauge.errors import InputError, option, suggest
from nlgauge.options import DEFAULT_SEED
from nlgauge.report.study.renderers import AnyResult, renderer_of
from nlgauge.report.study.statement import statement_page
from nlgauge.report.study.words import in_json
from nlgauge.results import Result, Rows
from nlgauge.study.checks import run as checking
from nlgauge.study.checks.findings import Finding
from nlgauge.study.checks.run import drift
from nlgauge.study.exchange import export as rows_of
from nlgauge.study.exchange import people
from nlgauge.study.file import study as design
from nlgauge.study.file.study import Study
from nlgauge.study.file.template import Made
from nlgauge.study.freeze import frozen, in_use
from nlgauge.study.protocols import PROTOCOLS, protocol_of
from nlgauge.study.protocols.base import Crowd
from nlgauge.study.service import Service, opened
from nlgauge.study.service.launching import launch_whole
from nlgauge.study.simulation import Outcome, numbered, rehearse
from nlgauge.study.simulation import simulate as send
from nlgauge.study.statements import latex, markdown, short
from nlgauge.study.statements.read import Read, read
from nlgauge.study.statements.types import Field, Statement
from nlgauge.study.store import Store
from nlgauge.wording.paper import Paper

__all__ = ["analyse", "check", "close", "export", "launch", "links", "load", "new", "open", "simulate", "statement"]

Folder = str | Path
Table = Literal["judgements", "long", "set", "transcripts", "people"]


class NewOptions(TypedDict, total=False):
    """What `new` may be told; None or left out: as the protocol has it."""

    systems: Sequence[str]
    task: str | None
    criteria: Sequence[str] | None
    design: str | None
    scheme: str | None
    truth: str | None
    goal: str | None
    alpha: float | None
    beta: float | None
    p_d: float | None
    judges: int | None
    languages: Sequence[str]
    access: Literal["links", "open", "platform"]
    title: str
    columns: Mapping[str, str] | None
    seed: int | None


class CrowdOptions(TypedDict, total=False):
    """What simulated judges are like; None or left out: as the protocol has it. `nlgauge study simulate --help` says
    which protocols know what."""

    p_d: float | None
    spread: float | None
    judge_sd: float | None
    item_sd: float | None
    noise: float | None
    means: Mapping[str, float] | None
    strengths: Mapping[str, float] | None
    tie_width: float | None
    rates: Mapping[str, float] | None
    wordings: Mapping[str, float] | None
    spammers: float | None
    damage: float | None
    cannot_judge: float | None
    dropouts: float
    speeders: float
    seconds: float


NEW = {"systems": (), "languages": ("en",), "access": "links", "title": ""}
CROWD = {name: None for name in CrowdOptions.__annotations__ if name != "seconds"} | {"dropouts": 0.0, "speeders": 0.0}


@dataclass(frozen=True)
class Checked(Result, Rows[Finding]):
    """What is wrong with a study or risky, and whether it was launched."""

    findings: tuple[Finding, ...]
    digest: str | None
    launched: str | None  # the digest of the launched design
    changed: tuple[str, ...] = ()  # since then

    KEYS = "findings, errors, risks, digest, launched, changed"
    ROWS, NAMED = "findings", ("kind",)

    def count(self, severity: str) -> int:
        """How many errors, risks or notes there are."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def errors(self) -> int:
        """What must be mended before a launch."""
        return self.count("error")

    @property
    def risks(self) -> int:
        """What is to be weighed."""
        return self.count("risk")

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "nothing was found"


@dataclass(frozen=True)
class Simulated(Result):
    """What simulated judges were like, and what became of them."""

    study: Study
    crowd: Crowd
    outcome: Outcome

    KEYS = "*crowd, simulated, *outcome"

    @property
    def simulated(self) -> bool:
        """These are no people."""
        return True

    def paper(self) -> Paper:
        """Judges by panel."""
        headers, rows = protocol_of(self.study.protocol).table(self.outcome.panels)
        lines = [{"panel": name, **panel} for name, panel in self.outcome.panels.items()]
        part = ("Simulated judges", list(headers), [list(row) for row in rows], list(range(1, len(headers))))
        return Paper([part], [str(self)], (), lines)

    def __str__(self) -> str:
        said = protocol_of(self.study.protocol).remark(self.crowd)
        return f"{self.outcome}" + (f" {said}" if self.outcome.came and said else "")


@dataclass(frozen=True)
class Analysis(Result):
    """The analysis of a study: its sentences when printed, and `result` with every figure."""

    result: AnyResult

    @property
    def sentences(self) -> tuple[str, ...]:
        """What may be written in a paper."""
        return tuple(self.paper().said)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know."""
        return tuple(self.paper().notes)

    def paper(self) -> Paper:
        """The tables of the command."""
        return renderer_of(self.result).paper(self.result)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `nlgauge study analyse`."""
        return in_json(self.result)

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *(f"note: {warning}" for warning in self.warnings)])

    def write_page(self, path: Folder) -> Path:
        """The page with plots that `--html` writes."""
        return renderer_of(self.result).write(self.result, path)


@dataclass(frozen=True)
class StudyStatement(Result):
    """What a study asked, of whom and how, in all forms."""

    read: Read
    form: Literal["long", "short"] = "long"

    @property
    def statement(self) -> Statement:
        """Its fields."""
        return replace(self.read.statement, form=self.form)

    def __getitem__(self, key: str) -> Field:
        return self.statement[key]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return short.to_dict(self.statement) if self.form == "short" else self.statement.to_dict()

    def paper(self) -> Paper:
        """The fields as rows."""
        fields = [{"key": field.key, "name": field.name, "value": field.text} for field in self.statement]
        cells = [[field["name"], field["value"]] for field in fields]
        return Paper([("Design statement", ["field", "value"], cells, [])], [], self.statement.warnings, fields)

    def to_markdown(self) -> str:
        """In Markdown."""
        return markdown.markdown(self.statement)

    def to_latex(self) -> str:
        """In LaTeX."""
        return latex.latex(self.statement)

    def to_html(self) -> str:
        """As a page."""
        return statement_page(self.statement)

    def __str__(self) -> str:
        return self.to_markdown()


def new(folder: Folder, data: Folder, *, protocol: str = "triangle", **options: Unpack[NewOptions]) -> Made:
    """Make a folder with a commented study file that works as it stands.

    Args:
        folder: the folder to make
        data: an evaluation set with the texts
        protocol: the kind of study: triangle, likert, pairwise, ranking, spans, …
        options: what the file is to say otherwise than the protocol has it

    >>> from nlgauge import study
    >>> print(study.new("second", "texts.jsonl", judges=6).sentence)
    a triangle test of difference, A = a, B = b, 12 inputs, 6 judges
    """
    if protocol not in PROTOCOLS:
        raise InputError(f"there is no protocol {protocol!r}; known: {', '.join(PROTOCOLS)}")
    given: dict[str, Any] = {**dict.fromkeys(NewOptions.__annotations__), **NEW, **options}
    if given["seed"] is None:
        given["seed"] = secrets.randbelow(2**31)
    return protocol_of(protocol).new(folder, data, given)


def load(folder: Folder) -> Study:
    """The study file of a folder; what is wrong in it is refused by line.

    Args:
        folder: the study's folder

    >>> from nlgauge import study
    >>> study.load("tasting").protocol
    'likert'
    """
    return design.load(folder)


def check(folder: Folder, *, simulate: bool = True, call: bool = False) -> Checked:
    """Everything wrong or risky before a launch, errors first.

    Args:
        folder: the study's folder
        simulate: also run it with simulated judges
        call: also ask the systems of a chat study for a reply

    >>> from nlgauge import study
    >>> found = study.check("tasting", simulate=False)
    >>> found.errors, found.risks
    (0, 1)
    """
    found, planned = checking.check(folder, simulate=simulate, call=call)
    launched = drift(folder, planned)
    digest, changed = planned.digest if planned else None, launched.changed or () if launched else ()
    return Checked(tuple(found), digest, launched.digest if launched else None, tuple(changed))


def launch(folder: Folder, *, db: str | None = None, fresh: bool = False) -> Service:
    """Freeze the design and deal out texts to judges to come.

    Args:
        folder: the study's folder
        db: the database, for example postgresql://user@host/name
        fresh: set an earlier launch aside (its files are renamed) and start anew

    >>> from nlgauge import study
    >>> study.launch("tasting", fresh=True).status
    'open'
    """
    return launch_whole(load(folder), folder, _database(db), fresh=fresh)[0]


def open(folder: Folder, *, db: str | None = None, simulated: bool = False) -> Service:
    """A launched study, to be watched, paused, closed: what pages and commands call.

    Args:
        folder: the study's folder
        db: the database it was launched in
        simulated: those who answer are no people

    >>> from nlgauge import study
    >>> study.open("tasting").progress.planned_answers()
    (0, 66)
    """
    frozen.read(folder)  # refuses before a database is looked for
    return opened(folder, _store(folder, db), simulated=simulated)


def links(
    folder: Folder, *, panel: str | None = None, base: str = "http://127.0.0.1:8000", db: str | None = None
) -> list[str]:
    """The addresses to send to judges.

    Args:
        folder: the study's folder
        panel: of one panel only
        base: where the site is reached that `nlgauge study serve` starts
        db: the database it was launched in

    >>> from nlgauge import study
    >>> len(study.links("tasting", base="https://study.example.org"))
    6
    """
    return [base.rstrip("/") + link.path for link in open(folder, db=db).arrivals.links(panel)]


def simulate(
    folder: Folder,
    *,
    judges: int | None = None,
    seed: int = DEFAULT_SEED,
    scratch: bool = False,
    db: str | None = None,
    **crowd: Unpack[CrowdOptions],
) -> Simulated:
    """Send simulated judges through a study. A launched one then holds their answers, and turns people away.

    Args:
        folder: the study's folder
        judges: how many finish, by default as many as planned
        seed: seed of the judges
        scratch: in memory: leaves no trace, and needs no launch
        db: the database it was launched in
        crowd: what the judges are like: p_d, means, strengths, spammers, …

    >>> from nlgauge import study
    >>> study.simulate("tasting", scratch=True, seed=5).outcome.finished
    6
    """
    unknown = next((name for name in crowd if name not in CrowdOptions.__annotations__), None)
    if unknown is not None:
        raise InputError(f"simulated judges have no {unknown!r}; {suggest(unknown, CrowdOptions.__annotations__)}")
    study = load(folder)
    pool = protocol_of(study.protocol).crowd(study, {**CROWD, **crowd})
    if scratch:
        _, outcome = rehearse(frozen.freeze(study, folder), pool, seed=seed, judges=judges)
    else:
        service = open(folder, db=db, simulated=True)
        refuse_in_use(folder, service)
        service.context.generator = numbered(seed, after=len(service.people.judges()))
        outcome = send(service, pool, seed=seed, judges=judges)
    return Simulated(study, pool, outcome)


def refuse_in_use(folder: Folder, service: Service, *, beside: bool = False) -> None:
    """Not into a study that takes no judges, nor, unless `beside` a server for it, into one that people are sent to."""
    if service.status != "open":
        after = "reopen" if service.status == "closed" else "resume"
        raise InputError(
            f"{folder} is {service.status} and takes no judges, not even simulated ones: nlgauge study {after} "
            f"{folder}, or rehearse a copy of it with {option('scratch')}"
        )
    if not beside and not service.progress.report()["simulated"] and in_use.is_served(folder):
        raise InputError(
            f"{folder} is being served, and simulated judges would take the places of people: rehearse a copy of it "
            f"with {option('scratch')}, or stop the server"
        )


def analyse(
    folder: Folder,
    *,
    judgements: Folder | None = None,
    closed: bool = False,
    panel: str | None = None,
    recheck: Folder | None = None,
    unit: bool = False,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    db: str | None = None,
) -> Analysis:
    """Verdict, limits, biases and the sentences for a paper. A launched study logs that it was analysed.

    Args:
        folder: the study's folder
        judgements: an exported file in place of the database
        closed: with `judgements`: no more answers will come; fewer than planned are an exploratory study
        panel: one panel alone; a machine's may be looked at before people are done
        recheck: ratings: the study in which experts judged a sample again
        unit: ratings: every answer as a share of its scale, 0 to 1
        draws: triangle: draws of the Monte-Carlo exact tests (9,999)
        seed: seed of these draws
        db: the database it was launched in

    >>> from nlgauge import study
    >>> analysis = study.analyse("tasting")  # launched, and answered by simulated judges
    >>> [mean.system for mean in analysis.result.ratings[0].models.means]
    ['b', 'a']
    """
    protocol = protocol_of(frozen.read(folder).study.protocol)
    asked = {"recheck": recheck, "unit": unit, "draws": draws}
    given: dict[str, Any] = {name: value for name, value in asked.items() if value}
    for name in given:
        if name not in protocol.analysed_by:
            raise InputError(f"the protocol {protocol.name} has no use for {option(name)}; leave it out")
    given |= {"judgements": judgements, "db": _database(db), "closed": closed, "seed": seed, "panel": panel}
    return Analysis(protocol.analyse_folder(folder, **given))


def statement(folder: Folder, *, form: Literal["long", "short"] = "long", db: str | None = None) -> StudyStatement:
    """What a study asked, of whom and how: the design statement of a paper, from the plan on.

    Args:
        folder: the study's folder
        form: short fits one page
        db: the database it was launched in

    >>> from nlgauge import study
    >>> study.statement("tasting").form
    'long'
    """
    return StudyStatement(read(folder, _database(db)), form)


def export(folder: Folder, path: Folder, *, table: Table = "judgements", db: str | None = None) -> int:
    """Write what judges answered to a .csv, .tsv, .jsonl (.gz, .zst) or .parquet file, and say how many rows.

    Args:
        folder: the study's folder
        path: the file to write
        table: one row a judgement; `long`: a row for each number or preference, marked whether it counts; `set`: an
            evaluation set; `transcripts`: the conversations of a chat study; `people`: the judges (personal data)
        db: the database it was launched in

    >>> from nlgauge import study
    >>> study.export("tasting", "answers.csv")
    72
    """
    if table not in get_args(Table):
        raise InputError(f"table must be one of {', '.join(get_args(Table))}; got {table!r}")
    service = open(folder, db=db)
    if table == "people":
        return people.write(service, Path(path))
    written = write(service, Path(path), table)
    service.admin.note_export(judgements=len(service.judgements()))
    return written


def write(service: Service, path: Path, table: Table) -> int:
    """Write one of the tables of answers; how many rows it has."""
    if table == "judgements":
        return rows_of.write(service.judgements(), path, service.quality.excluded())
    writers = {"long": rows_of.write_long, "set": rows_of.write_set, "transcripts": rows_of.write_transcripts}
    return writers[table](service, path)


def close(folder: Folder, *, db: str | None = None) -> None:
    """End a study: nobody is dealt anything new, and answers that still come are surplus.

    Args:
        folder: the study's folder
        db: the database it was launched in

    >>> from nlgauge import study
    >>> study.close("tasting")
    >>> study.open("tasting").status
    'closed'
    """
    open(folder, db=db).admin.close()


def _database(db: str | None) -> str | None:
    """The address given, or that of the environment."""
    return db or os.environ.get("NLGAUGE_DB") or None


def _store(folder: Folder, db: str | None) -> Store:
    """The store of a folder; only a launch makes one, since an address may be mistyped."""
    if not Path(folder).is_dir():
        raise InputError(f"there is no folder {folder}; make a study with: nlgauge study new")
    return Store.at(folder, _database(db), create=False)
