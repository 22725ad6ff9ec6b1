"""Studies that were run elsewhere and imported: what a person may still say of them, and what nobody here can know."""

from __future__ import annotations

from dataclasses import replace

from nlgauge.study.statement.types import Field, Section

FOUND = {
    "order": "design.description",
    "practice": "statement.training",
    "checks": "statement.quality_control",
    "exclusions": "statement.exclusions",
}
"""Where somebody can say of a study that was run elsewhere what the program knows of its own."""
UNTOLD = (
    *(
        "dates",
        "examples",
        "reasons",
        "planned_balance",
        "balance",
        "questions_each",
        "minutes_each",
        "planned",
    ),
    *("judges", "languages_read", "screening", "haste", "rules", "personal_questions"),
)


def imported_section(section: Section) -> Section:
    """What is missing of a study that was run elsewhere, with where it can be said, or that nobody here can know it."""

    def asked(field: Field) -> Field:
        if field.missing and field.key in FOUND:
            return replace(field, source="person", where=FOUND[field.key])
        unknown = field.key in UNTOLD or field.key.partition(".")[0] == "origin"
        return replace(field, source="elsewhere", where="") if field.missing and unknown else field

    return replace(section, fields=tuple(asked(field) for field in section.fields))
