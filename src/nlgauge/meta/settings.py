"""How metrics are to be correlated with people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypedDict, get_args

from nlgauge.errors import InputError, suggest
from nlgauge.meta.table import Judgements
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.correlation.statistic import statistic
from nlgauge.stats.limits import check_level
from nlgauge.stats.multiple import trials_for

Level = Literal["segment", "system"]
Average = Literal["none", "item", "system"]
Over = Literal["items", "systems", "both"]
Test = Literal["auto", "perm-input", "perm-both", "perm-sys", "williams", "bootstrap", "none"]
Score = Literal["corpus", "mean"]
Standardise = Literal["none", "judges"]
CHOICES: Mapping[str, Any] = {
    "level": Level,
    "average": Average,
    "judgements": Judgements,
    "standardise": Standardise,
    "over": Over,
    "test": Test,
    "score": Score,
}


def listed(given: Any, what: str, example: str, single: type | tuple[type, ...] = str) -> tuple[Any, ...]:
    """One or several as a tuple: a word by itself is one, not its letters."""
    if isinstance(given, single):
        return (given,)
    if not isinstance(given, Iterable):
        raise InputError(f"{what} are given by name, such as {example!r}, or as a list of names; got {given!r}")
    found = tuple(given)
    if single is str and (wrong := [value for value in found if not isinstance(value, str)]):
        raise InputError(f"{what} are given by name, such as {example!r}; got {wrong[0]!r}")
    return found


class SettingsOptions(TypedDict, total=False):
    """The fields of `Settings` as keywords; `statistic` is one or several, by the names of the command line."""

    level: Level
    statistic: str | Sequence[str]
    statistics: str | Sequence[str]
    average: Average
    judgements: Judgements
    standardise: Standardise
    over: Over
    draws: int
    confidence: float
    score: Score
    test: Test
    trials: int
    seed: int
    digits: int
    margin: float | None


@dataclass(frozen=True)
class Settings:
    """How to correlate. `score` is how a system's score comes from its outputs: the metric's own corpus score, or the
    mean of its segment scores; `confidence` and `draws` (0: none) belong to the intervals."""

    level: Level = "segment"
    statistics: tuple[str, ...] = ("pearson",)
    average: Average = "none"
    judgements: Judgements = "mean"
    standardise: Standardise = "none"  # ratings as z-scores of each judge
    over: Over = "items"
    draws: int = 1000
    confidence: float = 0.95
    score: Score = "corpus"
    test: Test = "auto"
    trials: int = 0  # 0: as many as let the corrected p-values of all pairs fall below 0.05, at least 1,000
    seed: int = DEFAULT_SEED
    digits: int = 0  # significant digits to which segment scores are rounded; 0: as computed
    margin: float | None = None  # ratings become pairs of an item's outputs that differ by more (WMT: 25)

    def changed(self, options: SettingsOptions) -> Settings:
        """With fields given by name, as Python users give them: one statistic may be a plain word."""
        given: dict[str, Any] = {**options}
        if "statistic" in given:
            if "statistics" in given:
                raise InputError("give statistic or statistics, not both")
            given["statistics"] = given.pop("statistic")
        if "statistics" in given:
            given["statistics"] = listed(given["statistics"], "statistics", "kendall")
        known = {field.name for field in fields(self)}
        for name in given:
            if name not in known:
                raise InputError(f"there is no option {name!r}: {suggest(name, known)}")
        return replace(self, **given).checked()

    def checked(self) -> Settings:
        """With statistics under their own names; refuses combinations that mean nothing."""
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in get_args(allowed):
                choices = ", ".join(get_args(allowed))
                hint = " (the confidence of the intervals is confidence)" if name == "level" else ""
                raise InputError(f"{name} must be one of {choices}{hint}; got {getattr(self, name)!r}")
        for name in ("draws", "trials", "seed", "digits"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InputError(f"{name} must be a whole number from 0 up; got {value!r}")
        if not all(isinstance(name, str) for name in self.statistics) or not self.statistics:
            raise InputError("statistics are given by their names, such as pearson or kendall; at least one is needed")
        if self.judgements == "each" and (self.level == "system" or self.average == "system"):
            raise InputError(
                "judgements taken one by one can be pooled or averaged over items; at system level, and averaged "
                "over systems, use their mean"
            )
        check_level(self.confidence, "confidence level")
        if self.margin is not None and not (isinstance(self.margin, int | float) and 0 <= self.margin < math.inf):
            raise InputError(f"margin must be a number from 0 up, such as 25; got {self.margin!r}")
        names = tuple(dict.fromkeys(statistic(name).name for name in self.statistics))
        # Soft pairwise accuracy rests on permutations of segment scores, so a system's score is their mean.
        return replace(self, statistics=names, score="mean" if names == ("spa",) else self.score)

    def trials_for(self, comparisons: int, least: int = 1000) -> int:
        """Trials of a permutation test that is made for so many pairs."""
        return self.trials or trials_for(comparisons, least)

    def facts(self) -> dict[str, Any]:
        """What belongs into a result."""
        kept = ("level", "average", "judgements", "over", "draws", "confidence", "test", "seed")
        facts = {key: getattr(self, key) for key in kept}
        if self.level == "system":
            facts["score"] = self.score
        if self.digits:
            facts["digits"] = self.digits
        if self.standardise != "none":
            facts["standardise"] = self.standardise
        if self.margin is not None:
            facts["margin"] = self.margin
        return facts
