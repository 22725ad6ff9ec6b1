"""What `check` finds in the pictures of a study: broken files, sizes and kinds that differ, origins written inside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.freeze.pictures import KINDS, Picture, picture
from nlgauge.study.protocols.triangle.file import triangle_study
from nlgauge.study.protocols.triangle.giveaways import FAR, drawn_triads, numeric

LARGE = 3_000_000  # bytes of a picture from which a phone waits


Shown = Mapping[str, Sequence[str]]
"""The pictures of each subject's texts, one for each text."""
Told = Iterator[tuple[str, dict[str, Any]]]
"""What is wrong, and its figures."""


def check_pictures(frozen: Frozen, folder: str | Path, line: int) -> Iterator[Finding]:
    """All findings about pictures."""
    found: dict[str, Picture] = {}
    for name in dict.fromkeys(text.image for text in frozen.served if text.image):
        try:
            found[name] = picture(Path(folder) / name)
        except InputError as error:
            yield Finding("error", "images", f"{error}; judges would see a broken picture", line)
            continue
        expected = KINDS[Path(name).suffix.lower()]
        if found[name].kind != expected:
            mistaken = f"the picture {name} is called {expected} by its name but is a {found[name].kind} file"
            remedy = "which browsers refuse to show as what the site says it is; rename it"
            yield Finding("error", "images", f"{mistaken}, {remedy}", line)
    shown = {letter: [text.image or "" for text in frozen.served if text.subject == letter] for letter in "AB"}
    readable = {letter: [name for name in names if name in found] for letter, names in shown.items()}
    if not any(readable.values()):
        return
    for message, figures in _kinds(readable, found):
        yield Finding("risk", "images", message, line, figures)
    if readable == shown and all(shown.values()):
        yield from _sizes(frozen, found, line)
    for message, figures in _origins(readable, found):
        yield Finding("risk", "images", message, line, figures)
    for message, figures in _names(frozen, readable):
        yield Finding("note", "images", message, line, figures)
    heavy = [name for name in found if (Path(folder) / name).stat().st_size > LARGE]
    if heavy:
        large = f"{len(heavy)} pictures are larger than {LARGE // 1_000_000} MB (for example {heavy[0]})"
        yield Finding("risk", "images", f"{large}; on a phone judges would wait for them", line)


def _kinds(shown: Shown, found: Mapping[str, Picture]) -> Told:
    if not all(shown.values()):
        return
    kinds = {letter: [found[name].kind for name in names] for letter, names in shown.items()}
    for kind in sorted({*kinds["A"], *kinds["B"]}):
        shares = {letter: own.count(kind) / len(own) for letter, own in kinds.items()}
        if abs(shares["A"] - shares["B"]) >= FAR:
            yield (
                f"{100 * shares['A']:.0f} % of A's pictures and {100 * shares['B']:.0f} % of B's are {kind} files: who "
                "saves a picture can tell the subjects apart; convert all to one kind",
                {"kind": kind, **shares},
            )


def _sizes(frozen: Frozen, found: Mapping[str, Picture], line: int) -> Iterator[Finding]:
    """Sizes in the unit of the test: how often a judge who compares nothing else would find the odd one."""
    texts = frozen.served
    drawn = drawn_triads(texts, seed=frozen.study.seed, inputs=triangle_study(frozen.study).inputs)
    sizes = {text.id: found[text.image] for text in texts if text.image}
    for name, unit, value in (
        ("width", "pixels", {key: float(one.width) for key, one in sizes.items()}),
        ("height", "pixels", {key: float(one.height) for key, one in sizes.items()}),
        ("shape", "times as wide as high", {key: one.width / one.height for key, one in sizes.items()}),
    ):
        for trait in numeric(f"{name} of the pictures", unit, texts, value, drawn):
            yield Finding("risk", "give-away", trait.message, line, {"trait": trait.name, **trait.figures})


def _origins(shown: Shown, found: Mapping[str, Picture]) -> Told:
    carrying = {letter: sorted({name for name in names if found[name].metadata}) for letter, names in shown.items()}
    figures = {letter: len(names) for letter, names in carrying.items()}
    for name in [*carrying["A"], *carrying["B"]][:1]:
        where, words = found[name].metadata[0]
        quoted = f": “{words}”" if words else ""
        each = f"{figures['A']} of A's, {figures['B']} of B's"
        yield (
            f"{sum(figures.values())} pictures carry metadata ({each}; for example {name}, {where}{quoted}), which the "
            "site passes on as it is and which may tell where a picture comes from; remove it, for example with "
            "exiftool -all=",
            figures,
        )


def _names(frozen: Frozen, shown: Shown) -> Told:
    called = {}
    for letter, subject in triangle_study(frozen.study).subjects.items():
        words = [re.escape(word) for word in (subject.name, subject.system) if len(word) > 2]
        called[letter] = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)" if words else "(?!)", re.I)
    told = [
        name
        for text in frozen.served
        if (name := text.image or "") in shown[text.subject] and called[text.subject].search(name.replace("_", " "))
    ]
    folders = {letter: {str(Path(name).parent) for name in names} for letter, names in shown.items()}
    if told or (all(folders.values()) and not folders["A"] & folders["B"]):
        how = f"{len(told)} of them name the subject (for example {told[0]})" if told else "A's and B's lie apart"
        yield (
            f"the names and folders of the pictures tell the source: {how}; judges never see these names, but do not "
            "link to the files elsewhere",
            {},
        )
