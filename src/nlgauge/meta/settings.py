"""How metrics are to be correlated with people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from nlgauge.errors import InputError
from nlgauge.meta.table import Judgements
from nlgauge.stats.correlation.levels import statistic_name

Level = Literal["segment", "system"]
Average = Literal["none", "item", "system"]
Over = Literal["items", "systems", "both"]
Test = Literal["auto", "perm-both", "williams", "bootstrap", "none"]


@dataclass(frozen=True)
class Settings:
    """How to correlate. `score` is how a system's score comes from its outputs: the metric's own corpus score, or the
    mean of its segment scores; `confidence` and `draws` (0: none) belong to the intervals."""

    level: Level = "segment"
    statistics: tuple[str, ...] = ("pearson",)
    average: Average = "none"
    judgements: Judgements = "mean"
    over: Over = "items"
    draws: int = 1000
    confidence: float = 0.95
    score: Literal["corpus", "mean"] = "corpus"
    test: Test = "auto"
    trials: int = 0  # 0: as many as let the corrected p-values of all pairs fall below 0.05, at least 1,000
    seed: int = 12345
    digits: int = 0  # significant digits to which segment scores are rounded; 0: as computed

    def checked(self) -> Settings:
        """With statistics under their own names; refuses combinations that mean nothing."""
        if self.judgements == "each" and (self.level == "system" or self.average == "system"):
            raise InputError(
                "judgements taken one by one can be pooled or averaged over items; at system level, and averaged "
                "over systems, use their mean"
            )
        if not 0 < self.confidence < 1:
            raise InputError(
                f"the confidence level must lie between 0 and 1, such as 0.95; got {self.confidence}"
            )
        return replace(self, statistics=tuple(dict.fromkeys(map(statistic_name, self.statistics))))

    def trials_for(self, comparisons: int, least: int = 1000) -> int:
        """Trials of a permutation test that is made for so many pairs."""
        return self.trials or max(least, 40 * comparisons)

    def facts(self) -> dict[str, Any]:
        """What belongs into a result."""
        kept = ("level", "average", "judgements", "over", "draws", "confidence", "test", "seed")
        facts = {key: getattr(self, key) for key in kept}
        if self.level == "system":
            facts["score"] = self.score
        if self.digits:
            facts["digits"] = self.digits
        return facts
