"""Who sees what: the sheets of the study's design as slots.

A design is an endless sequence of sheets, and late judges get those that follow, so a continuation needs nothing but
the number of slots there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from nlgauge.errors import counted, shortened, suggest
from nlgauge.study.designs import Role
from nlgauge.study.designs.triangle import panel_prefix
from nlgauge.study.file.places import PlacedError, placed
from nlgauge.study.freeze.texts import MOST_NAMED
from nlgauge.study.model import Slot, Text
from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.outputs.damage import DEGRADED, damaged_copies
from nlgauge.study.protocols.outputs.file import OutputPanel, OutputStudy
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.outputs.parts import named_in, parted, parted_practice, plain_texts
from nlgauge.study.protocols.outputs.texts import check_texts, grid, read_texts, subjects_of, with_layouts

WarmUps = Callable[[Any, Sequence[Text]], tuple[list[Slot], list[Text]]]
"""Makes the practice of a study from its texts: slots, and texts that only practice shows."""


ROLES = {
    Role.MAIN: "",
    Role.WARM_UP: "warmup",
    Role.ATTENTION: "check",
    Role.DEGRADED: "degraded",
    Role.REPEAT: "repeat",
}
"""What a slot says of its screen where a triangle test has the triad."""


def lay_out(study: OutputStudy, folder: str | Path, warm_up: WarmUps) -> Layout:
    """The same for any study of outputs whose questions are fixed; `warm_up` sets the practice aside."""
    root = Path(folder)
    if study.imported:
        with placed("design"):
            study.plan.check(0, 0)  # which refuses: nothing can be dealt
    study = replace(study, subjects=subjects_of(study, root), data="", systems=(), items=())
    texts = read_texts(study, root)
    study = with_layouts(study, texts)
    practice, extra = warm_up(study, texts)
    held = {text for slot in practice for text in slot.texts}
    inputs = {text.item for text in texts if text.id in held}
    serving = [text for text in texts if text.item not in inputs]
    serving += added_texts(study, serving)
    slots: list[Slot] = []
    panels: dict[str, OutputPanel] = {}
    for name, panel in sorted(study.panels.items(), key=lambda one: one[1].kind == "machine"):
        if panel.kind == "machine":
            own = machine_sheets(study, name, slots)
        else:
            own = slots_of(study, serving, name, panel.judges, evaluations=panel.evaluations)
        panels[name] = replace(panel, evaluations=len(own) // panel.judges)
        slots += own
    panels = {name: panels[name] for name in study.panels}
    if study.quality is not None:
        study = replace(study, quality=replace(study.quality, screens=study.quality.added))
    added = [text for text in serving if text.role]
    every = (*texts, *extra, *added)
    return Layout(
        replace(study, panels=panels),
        (*every, *parted(study, every)),
        tuple(slots),
        tuple(parted_practice(study, practice)),
    )


def added_texts(study: OutputStudy, outputs: Sequence[Text]) -> list[Text]:
    """Attention checks, and a damaged copy of every output: late judges may be shown any of them."""
    if study.quality is None:
        return []
    copies = damaged_copies(outputs, study.seed) if study.quality.degraded else []
    return [*check_texts(study, study.quality.attention), *copies]


def slots_of(
    study: OutputStudy, texts: Sequence[Text], panel: str, judges: int, *, evaluations: int, start: int = 0
) -> list[Slot]:
    """The slots of some sheets, from sheet `start` on; `evaluations` are screens of the design.

    Parts of the questions follow each other on each screen, or each is a sheet of its own (`apart`).
    """
    systems = list(study.subjects)
    items, text = grid(plain_texts(text for text in texts if not text.role), systems)
    if not items:
        raise PlacedError(
            "no text is left to be judged: practice takes all inputs; lower practice, or add inputs",
            "practice",
        )
    parts = len(study.parts)
    first, last = (start // parts, -(-(start + judges) // parts)) if study.apart else (start, start + judges)
    named = f"panels.{panel}"
    with placed(f"{named}.evaluations" if evaluations else f"{named}.design", "design", named):
        table = study.design_for(panel, evaluations).sheets(
            len(items), len(systems), last - first, seed=study.seed, panel=panel, start=first
        )
    added = [text for text in texts if text.role] or added_texts(study, texts)  # the same again for late judges
    checks = _checks(added)
    if study.quality is not None:
        with placed("quality"):
            table = study.quality.extras.insert(table, seed=study.seed, panel=panel, checks=len(checks))
    names = {text.id: (text.subject, text.item) for text in texts if not text.role}
    copies = {(text.subject, text.item): text.id for text in added if text.role == DEGRADED}
    prefix, each = panel_prefix(panel, study.seed), table.screens * (1 if study.apart else parts)
    found = []
    for screen in table.rows():
        if screen.role == Role.ATTENTION:
            shown = checks[screen.item]
        else:
            shown = tuple(text[screen.item, system] for system in screen.systems)
        if screen.role == Role.DEGRADED:
            shown = tuple(copies[names[name]] for name in shown)
        for part in range(parts):
            sheet = screen.sheet * parts + part if study.apart else screen.sheet
            place = screen.position if study.apart else screen.position * parts + part
            number = sheet * each + place + 1
            own = tuple(named_in(name, part, study) for name in shown)
            if start <= sheet < start + judges:
                role = ROLES[screen.role]
                found.append(Slot(f"{prefix}-{number}", panel, number, sheet + 1, role, own))
    return sorted(found, key=lambda slot: slot.number)


def screens(slots: Iterable[Slot]) -> list[Slot]:
    """What of people's evaluations a machine judges: each screen that counts, once."""
    found: dict[tuple[str, ...], Slot] = {}
    for slot in slots:
        if not slot.role:
            found.setdefault(slot.texts, slot)
    return list(found.values())


def machine_sheets(study: OutputStudy, name: str, slots: Sequence[Slot]) -> list[Slot]:
    """A machine's panel: for each of its judges every screen of the people it is set beside, in both orders where
    that is asked for."""
    panel = study.panels[name]
    beside = (panel.like,) if panel.like else study.people
    shown = [slot.texts for slot in screens(slot for slot in slots if slot.panel in beside)]
    if panel.judge is not None and panel.judge.both_orders:
        shown = list(dict.fromkeys(order for texts in shown for order in (texts, texts[::-1])))
    prefix = panel_prefix(name, study.seed)
    return [
        Slot(f"{prefix}-{number}", name, number, judge + 1, "", texts)
        for judge in range(panel.judges)
        for number, texts in enumerate(shown, start=judge * len(shown) + 1)
    ]


def _checks(texts: Sequence[Text]) -> list[tuple[str, ...]]:
    """The texts of each attention check, in the order of the file."""
    found: dict[str, list[str]] = {}
    for text in texts:
        if text.role == CHECK:
            found.setdefault(text.item, []).append(text.id)
    return [tuple(shown) for shown in found.values()]


def later_slots(
    study: OutputStudy, texts: Sequence[Text], panel: str, count: int, *, each: int, before: int
) -> list[Slot]:
    """So many slots after those before, from the sheets that follow."""
    first, skipped = divmod(before, each)
    sheets = -(-(skipped + count) // each)
    found = slots_of(study, texts, panel, sheets, evaluations=study.screens(each), start=first)
    return list(islice(found, skipped, skipped + count))


def practice_items(study: OutputStudy, texts: Sequence[Text], named: Sequence[str], count: int) -> Sequence[str]:
    """The inputs that practice takes from the study: those named, else drawn."""
    items = list(dict.fromkeys(text.item for text in texts))
    pool = list(named) or Random(f"{study.seed}/practice").sample(items, len(items))
    unknown = [item for item in pool if item not in set(items)]
    if unknown:
        raise PlacedError(
            f"practice.items: there is no input {shortened(unknown[0])} in the study; "
            f"{suggest(unknown[0], items) if len(items) <= MOST_NAMED else 'name items of the set'}",
            "practice.items",
        )
    if count >= len(items):
        raise PlacedError(
            f"{counted(count, 'text')} for practice would take all of the {counted(len(items), 'input')}; lower "
            "practice, or set practice: 0",
            "practice.texts",
            "practice",
        )
    return pool[:count]
