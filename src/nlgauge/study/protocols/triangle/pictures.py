"""What `check` finds in the pictures of a study: broken files, sizes and kinds that differ, origins written inside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.freeze.pictures import KINDS, Picture, picture
from nlgauge.study.model import Text
from nlgauge.study.protocols.triangle.file import triangle_study
from nlgauge.study.protocols.triangle.giveaways import FAR, drawn_triads, numeric

LARGE = 3_000_000  # bytes of a picture from which a phone waits


def check_pictures(frozen: Frozen, folder: str | Path, line: int) -> Iterator[Finding]:
    """All findings about pictures."""
    shown = [text for text in frozen.served if text.image]
    found: dict[str, Picture] = {}
    for name in dict.fromkeys(text.image for text in shown if text.image):
        try:
            found[name] = picture(Path(folder) / name)
        except InputError as error:
            yield Finding("error", "images", f"{error}; judges would see a broken picture", line)
            continue
        expected = KINDS[Path(name).suffix.lower()]
        if found[name].kind != expected:
            yield Finding(
                "error",
                "images",
                f"the picture {name} is called {expected} by its name but is a {found[name].kind} file, which browsers "
                "refuse to show as what the site says it is; rename it",
                line,
            )
    readable = [text for text in shown if text.image in found]
    if not readable:
        return
    yield from _kinds(readable, found, line)
    if {text.subject for text in readable} == {"A", "B"} and len(readable) == len(frozen.served):
        yield from _sizes(frozen, found, line)
    yield from _origins(frozen, readable, found, line)
    yield from _names(frozen, readable, line)
    heavy = [name for name in found if (Path(folder) / name).stat().st_size > LARGE]
    if heavy:
        yield Finding(
            "risk",
            "images",
            f"{len(heavy)} pictures are larger than {LARGE // 1_000_000} MB (for example {heavy[0]}); on a phone "
            "judges would wait for them",
            line,
        )


def _kinds(shown: Sequence[Text], found: Mapping[str, Picture], line: int) -> Iterator[Finding]:
    kinds = {
        subject: Counter(found[text.image].kind for text in shown if text.image and text.subject == subject)
        for subject in "AB"
    }
    totals = {subject: sum(count.values()) for subject, count in kinds.items()}
    if not all(totals.values()):
        return
    for kind in sorted({*kinds["A"], *kinds["B"]}):
        shares = {subject: kinds[subject][kind] / totals[subject] for subject in "AB"}
        if abs(shares["A"] - shares["B"]) >= FAR:
            yield Finding(
                "risk",
                "images",
                f"{100 * shares['A']:.0f} % of A's pictures and {100 * shares['B']:.0f} % of B's are {kind} files: who "
                "saves a picture can tell the subjects apart; convert all to one kind",
                line,
                {"kind": kind, **shares},
            )


def _sizes(frozen: Frozen, found: Mapping[str, Picture], line: int) -> Iterator[Finding]:
    """Sizes in the unit of the test: how often a judge who compares nothing else would find the odd one."""
    texts = frozen.served
    drawn = drawn_triads(texts, seed=frozen.study.seed, inputs=triangle_study(frozen.study).inputs)
    sizes = {text.id: found[text.image] for text in texts if text.image}
    for name, value in (
        ("width of the pictures", {key: float(one.width) for key, one in sizes.items()}),
        ("height of the pictures", {key: float(one.height) for key, one in sizes.items()}),
        ("shape of the pictures", {key: one.width / one.height for key, one in sizes.items()}),
    ):
        unit = "times as wide as high" if name.startswith("shape") else "pixels"
        for trait in numeric(name, unit, texts, value, drawn):
            yield Finding("risk", "give-away", trait.message, line, {"trait": trait.name, **trait.figures})


def _origins(frozen: Frozen, shown: Sequence[Text], found: Mapping[str, Picture], line: int) -> Iterator[Finding]:
    carrying = {
        subject: sorted(
            {text.image for text in shown if text.image and text.subject == subject and found[text.image].metadata}
        )
        for subject in "AB"
    }
    number = len(carrying["A"]) + len(carrying["B"])
    if not number:
        return
    name = (carrying["A"] + carrying["B"])[0]
    where, words = found[name].metadata[0]
    quoted = f": “{words}”" if words else ""
    each = f"{len(carrying['A'])} of A's, {len(carrying['B'])} of B's"
    yield Finding(
        "risk",
        "images",
        f"{number} pictures carry metadata ({each}; for example {name}, {where}{quoted}), which the site passes on as "
        "it is and which may tell where a picture comes from; remove it, for example with exiftool -all=",
        line,
        {"A": len(carrying["A"]), "B": len(carrying["B"])},
    )


def _names(frozen: Frozen, shown: Sequence[Text], line: int) -> Iterator[Finding]:
    told = [
        text.image
        for text in shown
        if text.image
        and any(
            re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.image.replace("_", " "), re.I)
            for word in _called(frozen, text.subject)
        )
    ]
    folders = {
        subject: {str(Path(text.image).parent) for text in shown if text.image and text.subject == subject}
        for subject in "AB"
    }
    apart = all(folders.values()) and not folders["A"] & folders["B"]
    if told or apart:
        how = f"{len(told)} of them name the subject (for example {told[0]})" if told else "A's and B's lie apart"
        yield Finding(
            "note",
            "images",
            f"the names and folders of the pictures tell the source: {how}; judges never see these names, but do not "
            "link to the files elsewhere",
            line,
        )


def _called(frozen: Frozen, subject: str) -> list[str]:
    described = triangle_study(frozen.study).subjects[subject]
    return [word for word in (described.name, described.system) if len(word) > 2]
