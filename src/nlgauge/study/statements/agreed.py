"""Agreement for the statement: what the analysis found, as the log has it, beside what a person wrote.

A statement makes no analysis, which would be a look at the results; `study analyse` logs the agreement it found, and
that is stated as long as the answers are the same and nobody was left out since. What a person wrote under
`statement.agreement` stands beside it, and a number there that is none of the analysis is warned of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.study.protocols.outputs.analysis.wordings import WordingEffect
from nlgauge.study.statements.keys import Stated
from nlgauge.study.statements.types import Entry, labelled, plain
from nlgauge.study.statements.wording_effects import of_wording

_STALE = ("excluded", "readmitted")  # events after which an analysis says something else
_NUMBER = re.compile(r"(?<![\d.,])[01]?[.,]\d+(?![\d.,]*\d|\s*%)")
_OTHER = re.compile(r"(\bp\s*=|[<>≤≥])\s*$", re.I)  # before a p-value or a bound, which is no coefficient
HALF = 0.5 + 1e-6  # of the last digit that a person wrote


@dataclass(frozen=True)
class Agreed:
    """What the analysis found of one criterion in one panel."""

    panel: str
    criterion: str
    name: str
    text: str
    figures: tuple[float, ...]  # every coefficient with its limits
    first: tuple[str, str] | None = None  # the coefficient that is told first, and its value; logs of before hold none

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Agreed:
        """As an analysis logs it."""
        return cls(
            panel=row["panel"],
            criterion=row["criterion"],
            name=row["name"],
            text=row["text"] if "text" in row else _told(row),
            figures=tuple(row["figures"]),
            first=(row["coefficient"], f"{row['estimate']:.2f}") if "coefficient" in row else None,
        )


def _told(row: Mapping[str, Any]) -> str:
    """The coefficient that is told first, with its limits, in words; why there is none."""
    if "coefficient" in row:
        judges = "judges not named" if row["judges"] is None else f"{row['judges']:,} judges"
        low, high = row["low"], row["high"]
        sure = "" if low is None else f" ({100 * row['level']:g} % limits {low:.2f} to {high:.2f})"
        several = f"{row['n']:,} {row['unit']} that several of them judged"
        text = f"{row['coefficient']} {row['estimate']:.2f}{sure}; {judges}, {several}"
    else:
        text = f"none can be told: {row['cause']}"
    if "before" in row:
        return f"Krippendorff's alpha {row['before']:.2f} before the discussion; after it {text}"
    return text


def _of_wording(row: Mapping[str, Any]) -> str:
    """What the wordings of a question do; logs of before hold the words themselves."""
    return str(row["text"]) if "text" in row else of_wording(WordingEffect.of_log(row))


def logged(events: Sequence[Mapping[str, Any]], digest: str) -> tuple[tuple[Agreed, ...], tuple[tuple[str, str], ...]]:
    """The agreement of the last analysis that was of these answers and these judges, and what it says of wordings."""
    found: Mapping[str, Any] = {}
    for event in events:
        if event["kind"] in _STALE:
            found = {}
        elif event["kind"] == "analysed" and event["data"].get("agreement"):
            found = event["data"] if event["data"]["digest"] == digest else {}
    agreed = tuple(map(Agreed.from_dict, found.get("agreement", ())))
    return agreed, tuple((row["name"], _of_wording(row)) for row in found.get("wordings", ()))


def entries(agreed: Sequence[Agreed], stated: Stated, otherwise: str) -> tuple[Entry, ...]:
    """The analysis's figures by criterion, then a person's words; `otherwise`: what the protocol says of agreement."""
    rows = _rows(agreed)
    by_hand = [(name, criterion.agreement) for name, criterion in stated.criteria.items()]
    return (*rows, *labelled(by_hand), *plain(stated.agreement or ("" if rows else otherwise)))


def shortest(rows: Sequence[Entry]) -> tuple[str, str]:
    """The coefficient of every criterion without limits, and whatever else is said of agreement.

    >>> shortest([Entry("alpha 0.60 (95 % limits 0.43 to 0.77); 9 judges", "Fluency", figure=("alpha", "0.60"))])
    ('alpha: Fluency 0.60', '')
    """
    found: dict[str, list[str]] = {}
    other = []
    for entry in rows:
        if entry.figure is None:
            other.append(f"{entry.label}: {entry.text}" if entry.label else entry.text)
        else:
            coefficient, value = entry.figure
            found.setdefault(coefficient, []).append(f"{entry.label} {value}")
    return "; ".join(f"{name}: {', '.join(own)}" for name, own in found.items()), "; ".join(other)


def _rows(agreed: Sequence[Agreed]) -> list[Entry]:
    """By criterion, and by panel where there are several; those of which nothing can be told stand together."""
    panels = {row.panel for row in agreed}
    names: dict[tuple[str, str, tuple[str, str] | None], list[str]] = {}
    for row in agreed:
        name = f"{row.name}, {row.panel}" if len(panels) > 1 else row.name
        names.setdefault((row.text, name if row.figures else "", row.first), []).append(name)
    return [Entry(text, "; ".join(own), figure=first) for (text, _, first), own in names.items() if text.strip()]


def contradictions(agreed: Sequence[Agreed], stated: Stated) -> Iterator[str]:
    """What a person wrote that is none of the analysis's figures."""
    if not agreed:
        return
    told = [("statement.agreement", stated.agreement, agreed)]
    for name, criterion in stated.criteria.items():
        about = [row for row in agreed if row.criterion == name]
        told.append((f"statement.criteria.{name}.agreement", criterion.agreement, about))
    for where, text, own in told:
        figures = [value for row in own for value in row.figures]
        wrong = [shown for shown, value, digits in numbers(text) if not _found(value, digits, figures)]
        told_so = "; ".join(f"{entry.label}: {entry.text}" for entry in _rows(own))
        if wrong:
            yield (
                f"{where} says {', '.join(wrong)}, which is no figure of the analysis "
                f"({told_so or 'there is none of this criterion'})"
            )


def numbers(text: str) -> Iterator[tuple[str, float, int]]:
    """The coefficients that a text names: as written, their value, and how many decimals they have.

    >>> [shown for shown, _, _ in numbers("alpha .61 (95 % limits 0,55 to 0.67), p < 0.001; 3 judges, 87.5 %")]
    ['.61', '0,55', '0.67']
    """
    for found in _NUMBER.finditer(text):
        if not _OTHER.search(text[: found.start()]):
            number = found[0].replace(",", ".")
            yield found[0], float(number), len(number.partition(".")[2])


def _found(value: float, digits: int, figures: Sequence[float]) -> bool:
    """Signs are not compared: a dash before a number may be a minus, or stand between two limits."""
    return any(abs(value - abs(figure)) <= HALF * 10.0**-digits for figure in figures)
