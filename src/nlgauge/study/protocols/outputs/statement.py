"""What every study of outputs tells for its design statement: where questions come from, balance, pages, checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nlgauge.study.criteria.catalogue import Construct, constructs, sources
from nlgauge.study.designs import balance
from nlgauge.study.designs.table import plain
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.statement.told import Sheets
from nlgauge.study.types import Slot, role_of

ORIGINS = {"quoted": "quoted from {}", "ours": "nlgauge's own wording", "own": "the study's own wording"}
CHECKS = {"check": "attention checks", "degraded": "damaged copies", "repeat": "repeated texts"}


def origin_of(mark: str, source: str) -> str:
    """Where a wording comes from."""
    found = sources()[source]["short"] if source in sources() else source or "a paper"
    return ORIGINS.get(mark, mark).format(found)


def known_constructs(measures: Iterable[str]) -> list[Construct]:
    """The constructs of the catalogue that a criterion measures."""
    return [constructs()[name] for name in measures if name in constructs()]


def common(values: Iterable[str], mixed: str = "") -> str:
    """What all constructs of a criterion are; where they differ, nobody but a person can say."""
    found = set(values)
    return found.pop() if len(found) == 1 else mixed if found else ""


def alike(said: Mapping[str, str]) -> str:
    """What holds of all panels once; where they differ, of each."""
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return " ".join(f"Panel {name}: {text}" for name, text in said.items())


def two_pages(study: OutputStudy) -> str:
    """That a text has two pages, where it has."""
    if len(study.parts) == 1:
        return " The questions about a text stand on one page in the order given here."
    first, rest = ([study.questions_asked[number].name for number in part] for part in study.parts)
    hidden = ", the ".join(sorted({str(show.what) for show in study.every_show} & study.hidden_in(0)))
    return (
        f" Each text has two pages: {', '.join(first)} without the {hidden}, and, once that is answered and stored, "
        f"{', '.join(rest)} with it."
    )


def asked_at_once(study: OutputStudy) -> str:
    """What is asked in one evaluation, where that is not every question."""
    if len(study.parts) == 1:
        return ""
    if study.apart:
        return f"one of the {len(study.parts)} questions"
    numbers = " and ".join(str(len(part)) for part in study.parts)
    return f"{numbers} questions on its two pages, each page an evaluation"


def checks_of(slots: Sequence[Slot]) -> str:
    """The screens that test the judge."""
    found = Counter(slot.triad for slot in slots)
    told = [f"{found[role]:,} {words}" for role, words in CHECKS.items() if found[role]]
    return ", ".join(told) or "no attention checks, damaged copies or repeated texts"


def balance_of(frozen: Frozen, study: OutputStudy, sheets: Sheets) -> str:
    """How evenly outputs and systems were shown; where judges rated different numbers of texts, by counts alone."""
    main = [
        [slot for slot in sheet if not role_of(slot.triad) and (study.apart or _last(frozen, slot))]
        for sheet in sheets
    ]
    lengths = Counter(map(len, main))
    if not lengths or set(lengths) == {0}:
        return "nothing"
    if len(lengths) == 1:
        served = plain_texts(frozen.served)
        systems = list(dict.fromkeys(text.subject for text in served))
        items = list(dict.fromkeys(text.item for text in served))
        row, column = {item: k for k, item in enumerate(items)}, {name: k for k, name in enumerate(systems)}
        shown = [[[frozen.text[text] for text in slot.texts] for slot in sheet] for sheet in main]
        item = np.array([[row[texts[0].item] for texts in sheet] for sheet in shown], dtype=np.int64)
        system = np.array(
            [[[column[text.subject] for text in texts] for texts in sheet] for sheet in shown], dtype=np.int64
        )
        return balance(plain(len(items), len(systems), item, system)).sentence()
    return _counts(frozen, main)


def _last(frozen: Frozen, slot: Slot) -> bool:
    """Whether a page is the last one of its text."""
    return bool(plain_texts(frozen.text[text] for text in slot.texts))


def _counts(frozen: Frozen, main: Sequence[Sequence[Slot]]) -> str:
    outputs = Counter({(text.item, text.subject): 0 for text in frozen.served})
    shown = [frozen.text[text] for sheet in main for slot in sheet for text in slot.texts]
    outputs.update((text.item, text.subject) for text in shown)
    systems: Counter[str] = Counter()
    for (_, system), number in outputs.items():
        systems[system] += number
    least, most = min(outputs.values()), max(outputs.values())
    listed = ", ".join(f"{name} {number:,}" for name, number in systems.items())
    return (
        f"{len(main):,} judges rated from {min(map(len, main)):,} to {max(map(len, main)):,} texts; each output was "
        f"judged {least:,} to {most:,} times; texts rated by system: {listed}."
    )
