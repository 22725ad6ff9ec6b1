"""Single outputs rated by what a judge says of pairs of them, asked as the games are drawn (Zhou and Xu 2020, §4).

`plays`: each output a player, 10,000 games by default; `references`: 3, 1 or 0 points against common references;
`comparisons`: k of them turned into a score from 1 to 5. Outputs of one item meet; `across` lets outputs of all items
meet, each read after its own input, as references always do. Two outputs are judged once, however often they play.
A game across items stands under that of the text shown first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from nlgauge.errors import InputError
from nlgauge.judging.asking import Verdict
from nlgauge.judging.matches import TURNED, Contest, Match
from nlgauge.skill import OutputRatings
from nlgauge.stats.skill.samples import (
    COMPARISONS,
    PLAYS,
    REFERENCES,
    SampleScores,
    common_references,
    rate_samples,
    score_against_references,
    score_by_comparisons,
)
from nlgauge.types import Segment

Judging = Callable[[Sequence[Match]], Sequence[Verdict]]
NAMES = {"plays": "skill", "references": "points", "comparisons": "score"}


@dataclass(frozen=True)
class Ways:
    """How outputs are rated: one of three numbers says the way, and none of them 10,000 plays."""

    plays: int | None = None
    references: int | None = None
    comparisons: int | None = None
    across: bool = False

    def __post_init__(self) -> None:
        given = [name for name in NAMES if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"outputs are rated in one way: give {' or '.join(given)}, not both")
        for name in given:
            least = 2 if name == "references" else 1
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}; got {getattr(self, name)}")

    @property
    def way(self) -> str:
        """Plays, references or comparisons."""
        return next((name for name in NAMES if getattr(self, name) is not None), "plays")

    @property
    def fact(self) -> str:
        """For the receipt."""
        number = getattr(self, self.way) or PLAYS
        return f"samples({self.way}={number}{',across=yes' if self.across and self.way != 'references' else ''})"

    @property
    def given(self) -> bool:
        """Whether anything was."""
        return self != Ways()


@dataclass(frozen=True)
class SampleRatings(OutputRatings):
    """The same with the outputs themselves; `name` is what their rating is called in rows."""

    segments: tuple[Segment, ...]
    name: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The evaluation set with the ratings beside those of people."""
        return [
            replace(segment, ratings={**segment.ratings, self.name: sample.score}).to_dict()
            for segment, sample in zip(self.segments, self.found.samples, strict=True)
            if sample.games
        ]


def rate_outputs(
    found: Contest, judging: Judging, ways: Ways, *, level: float, seed: int
) -> tuple[list[Verdict], SampleRatings]:
    """Draw the games, have them judged, and rate the outputs; the verdicts are those on distinct pairs."""
    assert found.whole is not None
    outputs = list(found.outputs or found.whole())
    asked = _Asked(found, outputs, judging)
    contexts = None if ways.across else [output.item for output in outputs]
    method: Callable[..., SampleScores]
    if ways.way == "references":
        count = min(ways.references or REFERENCES, len(outputs))
        chosen = common_references(len(outputs), count, seed=seed)
        method = partial(score_against_references, references=chosen)
    elif ways.way == "plays":
        method = partial(rate_samples, plays=ways.plays or PLAYS, contexts=contexts)
    else:
        method = partial(score_by_comparisons, k=ways.comparisons or COMPARISONS, contexts=contexts)
    scores = method(len(outputs), asked.said, level=level, seed=seed)
    if ways.way == "plays" and len(asked.verdicts) < len(scores.games):
        judged = f"{len(asked.verdicts):,} pairs were judged"
        told = f"{judged}, and played again with the same verdict: limits are too narrow"
        scores = replace(scores, notes=(*scores.notes, told))
    named = tuple((output.item, output.system) for output in outputs)
    made = SampleRatings(named, scores, len(asked.verdicts), tuple(outputs), NAMES[ways.way])
    return asked.verdicts, made


class _Asked:
    """Pairs of numbers of outputs, each judged once, with what people said of them."""

    def __init__(self, found: Contest, outputs: Sequence[Segment], judging: Judging) -> None:
        self.outputs, self.judging = outputs, judging
        self.verdicts: list[Verdict] = []
        self._human = {(match.item, match.a, match.b): match.human for match in found.matches}
        self._human |= {(match.item, match.b, match.a): match.turned.human for match in found.matches if match.human}

    def said(self, pairs: Sequence[tuple[int, int]]) -> list[str | None]:
        """What is said of each pair, all asked at once."""
        drawn: dict[frozenset[int], tuple[int, int]] = {}
        for pair in pairs:
            drawn.setdefault(frozenset(pair), pair)
        self.verdicts = list(self.judging([self._match(*pair) for pair in drawn.values()]))
        outcomes = {pair: verdict.outcome for pair, verdict in zip(drawn.values(), self.verdicts, strict=True)}
        return [outcomes[pair] if pair in outcomes else _turned(outcomes[pair[1], pair[0]]) for pair in pairs]

    def _match(self, a: int, b: int) -> Match:
        one, other = self.outputs[a], self.outputs[b]
        human = self._human.get((one.item, one.system, other.system), ()) if one.item == other.item else ()
        return Match.of(one, other, human)


def _turned(outcome: str | None) -> str | None:
    return None if outcome is None else TURNED[outcome]
