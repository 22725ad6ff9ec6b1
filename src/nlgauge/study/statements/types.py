"""A design statement as a value: sections of fields, each with what is stated and where that comes from, or missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from nlgauge.errors import InputError
from nlgauge.io.outputs import DATABASE, FROZEN
from nlgauge.jsonable import Jsonable
from nlgauge.study.statements.told import CriterionTold

Source = Literal["file", "design", "store", "person", "elsewhere"]
SOURCES: Mapping[str, str] = {
    "file": "study file",
    "design": "frozen design",
    "store": "answers and log",
    "person": "statement part of the study file",
    "elsewhere": "those who ran the study",
}
REMEDIES: Mapping[str, str] = {
    "store": "known once judges have answered",
    "elsewhere": "not known: the study was run elsewhere",
    "design": "not told by this study's protocol",
}
UNKNOWN_WORDING = (
    "the exact wording of {} is not known: judges may have been led, and the results are to be read with caution "
    "(Schoch, Yang and Ji 2020)"
)
FOUND = {
    "order": "design.description",
    "practice": "statement.training",
    "checks": "statement.quality_control",
    "exclusions": "statement.exclusions",
}
"""Where somebody can say of a study that was run elsewhere what the program knows of its own."""
UNTOLD = (
    *("dates", "examples", "reasons", "planned_balance", "balance", "questions_each", "minutes_each", "planned"),
    *("judges", "languages_read", "screening", "haste", "rules", "personal_questions"),
)
"""What nobody here can know of such a study."""


@dataclass(frozen=True)
class Entry(Jsonable):
    """One part of a value: a text, perhaps with what it belongs to (a language, a panel, a system)."""

    KEYS = "..., not figure"

    text: str
    label: str = ""
    first: str = ""  # the text in the first of several languages, where it holds several: for the short form
    wording: str = ""  # the name of the wording, where judges read one of several
    # the coefficient that the text tells first, and its value: for the short form
    figure: tuple[str, str] | None = dataclasses.field(default=None, compare=False)


@dataclass(frozen=True)
class Field(Jsonable):
    """One thing that a reader must know; without entries it is missing."""

    KEYS = "key, name, entries, source, where, brief, missing"

    key: str  # of a field of one criterion `kind.criterion`
    title: str
    entries: tuple[Entry, ...]
    source: Source
    where: str  # the key of the study file, or the file, that it comes from or that would tell it
    brief: bool = False  # whether the short form has it
    about: str = ""  # the name of the criterion, where there are several

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.title} ({self.about})" if self.about else self.title

    @property
    def kind(self) -> str:
        """Its key without the criterion."""
        return self.key.partition(".")[0]

    @property
    def criterion(self) -> str:
        """The id of the criterion, where there are several."""
        return self.key.partition(".")[2]

    @property
    def missing(self) -> bool:
        """Whether nobody told it."""
        return not self.entries

    @property
    def text(self) -> str:
        """On one line."""
        return "; ".join(f"{entry.label}: {entry.text}" if entry.label else entry.text for entry in self.entries)

    @property
    def remedy(self) -> str:
        """How a missing value comes about."""
        return REMEDIES.get(self.source) or f"write it into the study file under {self.where}"


@dataclass(frozen=True)
class Section(Jsonable):
    """Fields about one subject."""

    key: str
    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Statement(Jsonable):
    """The statement of one study."""

    KEYS = (
        "study, title, protocol, form, completeness = _completeness, warnings, missing = _remedies, remarks, "
        "sections, criteria"
    )

    study: str  # its id
    title: str
    protocol: str
    sections: tuple[Section, ...]
    criteria: tuple[CriterionTold, ...] = ()
    remarks: tuple[str, ...] = ()  # what a reader must know first: simulated judges, a study that still runs
    form: Literal["long", "short"] = "long"

    def __iter__(self) -> Iterator[Field]:
        return (field for section in self.sections for field in section.fields)

    def __getitem__(self, key: str) -> Field:
        for field in self:
            if field.key == key:
                return field
        raise KeyError(key)

    @property
    def missing(self) -> tuple[Field, ...]:
        """What nobody told."""
        return tuple(field for field in self if field.missing)

    @property
    def gaps(self) -> tuple[tuple[str, str], ...]:
        """What nobody told, once and briefly: by how it could be known, with the keys that would tell it."""
        found: dict[str, list[str]] = {}
        for field in self.missing:
            asked = field.source in ("person", "file")
            remedy = "to be written into the study file" if asked else field.remedy
            found.setdefault(remedy, []).append(f"{field.name} ({field.where})" if asked else field.name)
        return tuple((remedy, ", ".join(names)) for remedy, names in found.items())

    @property
    def stated(self) -> int:
        """How many fields have a value."""
        return sum(not field.missing for field in self)

    @property
    def total(self) -> int:
        """How many fields there are."""
        return sum(1 for _ in self)

    @property
    def completeness(self) -> float:
        """The share of fields that have a value."""
        return self.stated / self.total if self.total else 0.0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What stands above everything else, wherever results of the study are shown."""
        lacking = [field.criterion for field in self.missing if field.kind == "wording"]
        if not lacking:
            return self.remarks
        what = "the question" if lacking == [""] else f"the question about {', '.join(lacking)}"
        return (*self.remarks, UNKNOWN_WORDING.format(what))

    def without(self, key: str) -> Statement:
        """The same with one field blanked."""
        self[key]

        def blanked(section: Section) -> Section:
            fields = (replace(field, entries=()) if field.key == key else field for field in section.fields)
            return replace(section, fields=tuple(fields))

        return replace(self, sections=tuple(map(blanked, self.sections)))

    def __str__(self) -> str:
        missing = self.missing
        tail = f" Missing: {', '.join(field.name.lower() for field in missing)}." if missing else ""
        return f"The statement has {self.stated} of {self.total} fields ({100 * self.completeness:.0f} %).{tail}"

    def _completeness(self) -> dict[str, Any]:
        return {"stated": self.stated, "total": self.total, "share": round(self.completeness, 4)}

    def _remedies(self) -> list[dict[str, str]]:
        return [{"key": field.key, "name": field.name, "remedy": field.remedy} for field in self.missing]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], origin: str = "the statement") -> Statement:
        """What `to_dict` wrote."""
        try:
            parts = values["sections"]
            criteria = tuple(CriterionTold.from_dict(row) for row in values["criteria"])
            names = {criterion.id: criterion.name for criterion in criteria}
            return cls(
                study=values["study"],
                title=values["title"],
                protocol=values["protocol"],
                sections=tuple(
                    Section(section["key"], section["name"], tuple(_field(row, names) for row in section["fields"]))
                    for section in parts
                ),
                criteria=criteria,
                remarks=tuple(values["remarks"]),
                form=values["form"],
            )
        except (KeyError, TypeError, AttributeError) as error:
            lacks = f": it has no {error.args[0]!r}" if isinstance(error, KeyError) else ""
            raise InputError(
                f"{origin} is no design statement{lacks}; expected what nlgauge study statement DIR --format json "
                "writes"
            ) from None


def _field(row: Mapping[str, Any], names: Mapping[str, str]) -> Field:
    about = names.get(row["key"].partition(".")[2], "")
    entries = (
        Entry(entry["text"], entry["label"], entry.get("first", ""), entry.get("wording", ""))
        for entry in row["entries"]
    )
    kept = {name: row[name] for name in ("key", "source", "where", "brief")}
    return Field(title=row["name"].removesuffix(f" ({about})"), about=about, entries=tuple(entries), **kept)


def entries_of(words: Mapping[str, str] | None, spoken: Sequence[str], names: Mapping[str, str]) -> tuple[Entry, ...]:
    """A wording in each of some languages; where there is one language, it needs no name."""
    found = {language: words[language] for language in (*spoken, "") if language in words} if words else {}
    found = found or dict(words or {})
    alone = len(spoken) == 1 and len(found) == 1
    return tuple(Entry(text, "" if alone else names.get(language, language)) for language, text in found.items())


def designed(key: str, title: str, entries: tuple[Entry, ...], *, brief: bool = False, about: str = "") -> Field:
    """A field that the frozen design tells."""
    return Field(key, title, entries, source="design", where=FROZEN, brief=brief, about=about)


def filed(
    key: str, title: str, entries: tuple[Entry, ...], where: str = "", *, brief: bool = False, about: str = ""
) -> Field:
    """A field that the study file tells, under its own name or at `where`."""
    return Field(key, title, entries, source="file", where=where or key, brief=brief, about=about)


def stored(key: str, title: str, entries: tuple[Entry, ...], *, brief: bool = False) -> Field:
    """A field that answers and log tell."""
    return Field(key, title, entries, source="store", where=DATABASE, brief=brief)


def told_by_hand(key: str, title: str, entries: tuple[Entry, ...], where: str, *, brief: bool = False) -> Field:
    """A field that only a person can tell, under `statement` of the study file."""
    return Field(key, title, entries, source="person", where=f"statement.{where}", brief=brief)


def plain(text: str) -> tuple[Entry, ...]:
    """A value of one text; nothing where there is none."""
    return (Entry(text),) if text.strip() else ()


def labelled(rows: Sequence[tuple[str, str]]) -> tuple[Entry, ...]:
    """A value of several texts, each with what it belongs to."""
    return tuple(Entry(text, label) for label, text in rows if text.strip())


def imported_section(section: Section) -> Section:
    """What is missing of a study that was run elsewhere, with where it can be said, or that nobody here can know it."""

    def asked(field: Field) -> Field:
        if field.missing and field.key in FOUND:
            return replace(field, source="person", where=FOUND[field.key])
        unknown = field.key in UNTOLD or field.kind == "origin"
        return replace(field, source="elsewhere", where="") if field.missing and unknown else field

    return replace(section, fields=tuple(asked(field) for field in section.fields))
