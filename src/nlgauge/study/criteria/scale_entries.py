"""Scales of a study file: one of the catalogue by its name, or one's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.errors import counted, shortened, suggest
from nlgauge.io.fields import Words, key
from nlgauge.study.criteria.catalogue import scales
from nlgauge.study.criteria.types import Scale
from nlgauge.wording.numbers import in_full

_Problems = Iterator[tuple[str, str]]
MOST_MARKS = 11  # labels along a slider
SAME = "two points bear the same label"
DEFAULT_SCALE = {"rating": "quality-5", "closed": "yes-no"}


@dataclass(frozen=True)
class ScaleEntry:
    """A scale of the catalogue by its name, or one's own."""

    SHORT: ClassVar[str] = "name"
    name: str = key("a scale of the catalogue, for example quality-5", default="")
    points: int | None = key("how many points; without it the scale is continuous", default=None, least=2, most=101)
    low: float | None = key("the lowest answer; by default 1, or 0 for a continuous scale", default=None)
    high: float | None = key("the highest answer; by default one step per point, or 100", default=None)
    labels: tuple[Words, ...] = key(
        "what stands at the two ends, or at every point from the lowest on; along a slider up to 11, equally far apart",
        default=(),
    )


def scale_of(scale: ScaleEntry, name: str) -> Scale:
    """The scale of a part; `name` is what one's own is called. Of an unknown scale, which `scale_problems` tells, the
    usual one stands, so that the rest of the file is read."""
    if scale.name:
        return scales().get(scale.name, scales()[DEFAULT_SCALE["rating"]])
    low, high = _ends(scale)
    return Scale(name, low, high, scale.points, tuple(scale.labels), "own")


def scale_problems(
    scale: ScaleEntry, path: str, *, labelled: bool = True, languages: Collection[str] = ()
) -> _Problems:
    """What is wrong with a scale, asked in these languages; of one that others showed the labels may not be known."""
    if scale.name:
        if scale.name not in scales():
            yield path, f"there is no scale {shortened(scale.name)}; {suggest(scale.name, scales())}"
        if any((scale.points, scale.low is not None, scale.high is not None, scale.labels)):
            how = "to change it, leave the name out and write it in full"
            yield path, f"{scale.name} is a scale of the catalogue; {how}"
        return
    if scale.points is None and scale.low is None and scale.high is None:
        yield path, "a scale of your own needs points, or low and high for a continuous one; add points: 5"
        return
    low, high = _ends(scale)
    if low >= high:
        yield path, f"the lowest answer, {in_full(low)}, must be below the highest, {in_full(high)}; mend low or high"
    if labelled or scale.labels:
        yield from _label_problems(scale, f"{path}.labels", languages)


def _label_problems(scale: ScaleEntry, path: str, languages: Collection[str]) -> _Problems:
    allowed = {2, scale.points or 2}
    if not scale.labels:
        meaning = "each judge would give them a meaning; label both ends (labels: [bad, good])"
        yield path, f"the ends have no labels, so {meaning}"
        return
    along = not scale.points and 2 <= len(scale.labels) <= MOST_MARKS
    if len(scale.labels) not in allowed and not along:
        wanted = " or ".join(str(count) for count in sorted(allowed))
        placed = f"label the ends or every point ({wanted} labels)"
        yield path, f"{counted(len(scale.labels), 'label')} cannot be placed; {placed}"
    for language in dict.fromkeys((*languages, *(name for words in scale.labels for name in words if name))):
        said = [words.get(language) or words.get("") or "" for words in scale.labels]
        if not all(said):
            yield path, f"label {said.index('') + 1} has no wording for {language}; add {language}: …"
        elif len(set(said)) < len(said):
            yield path, f"{SAME} in {language}, and judges could not tell them apart; change one"
    plain = [words.get("", "") for words in scale.labels]
    if not languages and all(plain) and len(set(plain)) < len(plain):
        yield path, f"{SAME}, and judges could not tell them apart; change one"


def _ends(scale: ScaleEntry) -> tuple[float, float]:
    low = scale.low if scale.low is not None else 1.0 if scale.points else 0.0
    high = scale.high if scale.high is not None else low + scale.points - 1 if scale.points else 100.0
    return low, high
