"""A design statement as a value: sections of fields, each with what is stated and where that comes from, or missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from nlgauge.errors import InputError
from nlgauge.study.statement.told import CriterionTold

Source = Literal["file", "design", "store", "person", "elsewhere"]
SOURCES: Mapping[str, str] = {
    "file": "study file",
    "design": "frozen design",
    "store": "answers and log",
    "person": "statement part of the study file",
    "elsewhere": "those who ran the study",
}
UNKNOWN_WORDING = (
    "the exact wording of {} is not known: judges may have been led, and the results are to be read with caution "
    "(Schoch, Yang and Ji 2020)"
)


@dataclass(frozen=True)
class Entry:
    """One part of a value: a text, perhaps with what it belongs to (a language, a panel, a system)."""

    text: str
    label: str = ""
    first: str = ""  # the text in the first of several languages, where it holds several: for the short form
    wording: str = ""  # the name of the wording, where judges read one of several


@dataclass(frozen=True)
class Field:
    """One thing that a reader must know; without entries it is missing."""

    key: str
    name: str
    entries: tuple[Entry, ...]
    source: Source
    where: str  # the key of the study file, or the file, that it comes from or that would tell it
    brief: bool = False  # whether the short form has it

    @property
    def missing(self) -> bool:
        """Whether nobody told it."""
        return not self.entries

    @property
    def text(self) -> str:
        """On one line."""
        return "; ".join(f"{one.label}: {one.text}" if one.label else one.text for one in self.entries)

    @property
    def remedy(self) -> str:
        """How a missing value comes about."""
        if self.source == "store":
            return "known once judges have answered"
        if self.source == "elsewhere":
            return "not known: the study was run elsewhere"
        if self.source == "design":
            return "not told by this study's protocol"
        return f"write it into the study file under {self.where}"

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return asdict(self) | {"entries": [asdict(one) for one in self.entries], "missing": self.missing}


@dataclass(frozen=True)
class Section:
    """Fields about one subject."""

    key: str
    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Statement:
    """The statement of one study."""

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
        lacking = [field.key.partition(".")[2] for field in self.missing if field.key.startswith("wording")]
        if not lacking:
            return self.remarks
        what = "the question" if lacking == [""] else f"the question about {', '.join(lacking)}"
        return (*self.remarks, UNKNOWN_WORDING.format(what))

    def without(self, key: str) -> Statement:
        """The same with one field blanked."""
        self[key]
        sections = tuple(
            replace(
                section,
                fields=tuple(replace(field, entries=()) if field.key == key else field for field in section.fields),
            )
            for section in self.sections
        )
        return replace(self, sections=sections)

    def __str__(self) -> str:
        missing = self.missing
        tail = f" Missing: {', '.join(field.name.lower() for field in missing)}." if missing else ""
        return f"The statement has {self.stated} of {self.total} fields ({100 * self.completeness:.0f} %).{tail}"

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form, which `from_dict` reads."""
        return {
            "study": self.study,
            "title": self.title,
            "protocol": self.protocol,
            "form": self.form,
            "completeness": {
                "stated": self.stated,
                "total": self.total,
                "share": round(self.completeness, 4),
            },
            "warnings": list(self.warnings),
            "missing": [{"key": field.key, "name": field.name, "remedy": field.remedy} for field in self.missing],
            "remarks": list(self.remarks),
            "sections": [
                {
                    "key": section.key,
                    "name": section.name,
                    "fields": [field.to_dict() for field in section.fields],
                }
                for section in self.sections
            ],
            "criteria": [one.to_dict() for one in self.criteria],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], origin: str = "the statement") -> Statement:
        """What `to_dict` wrote."""
        try:
            sections = tuple(
                Section(one["key"], one["name"], tuple(_field(row) for row in one["fields"]))
                for one in values["sections"]
            )
            criteria = tuple(CriterionTold.from_dict(one) for one in values["criteria"])
            return cls(
                values["study"],
                values["title"],
                values["protocol"],
                sections,
                criteria,
                tuple(values["remarks"]),
                values["form"],
            )
        except (KeyError, TypeError, AttributeError) as error:
            lacks = f": it has no {error.args[0]!r}" if isinstance(error, KeyError) else ""
            raise InputError(
                f"{origin} is no design statement{lacks}; expected what nlgauge study statement DIR --format json "
                "writes"
            ) from None


def _field(row: Mapping[str, Any]) -> Field:
    entries = tuple(
        Entry(one["text"], one["label"], one.get("first", ""), one.get("wording", "")) for one in row["entries"]
    )
    return Field(row["key"], row["name"], entries, row["source"], row["where"], row["brief"])


def entries_of(words: Mapping[str, str] | None, spoken: Sequence[str], names: Mapping[str, str]) -> tuple[Entry, ...]:
    """A wording in each of some languages; where there is one language, it needs no name."""
    found = {language: words[language] for language in (*spoken, "") if language in words} if words else {}
    found = found or dict(words or {})
    alone = len(spoken) == 1 and len(found) == 1
    return tuple(Entry(text, "" if alone else names.get(language, language)) for language, text in found.items())


def plain(text: str) -> tuple[Entry, ...]:
    """A value of one text; nothing where there is none."""
    return (Entry(text),) if text.strip() else ()


def labelled(rows: Sequence[tuple[str, str]]) -> tuple[Entry, ...]:
    """A value of several texts, each with what it belongs to."""
    return tuple(Entry(text, label) for label, text in rows if text.strip())
