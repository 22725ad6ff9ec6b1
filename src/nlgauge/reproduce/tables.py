"""Tables 1, 2, 3 and 5 of Zhou and Xu (2020) as facts: what each evaluator chose, and how it follows the oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.guidance.comparing import SCORE, Compares
from nlgauge.guidance.selection import select
from nlgauge.guidance.stopping import MODEL, EarlyStopping
from nlgauge.learned.comparator import Written, verdicts
from nlgauge.learned.form import sigmoid
from nlgauge.reproduce.evaluators import ABLATIONS, ADEM, ADVERSARIAL, BLEU, MAIN, Strengths
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.writing import Wrote
from nlgauge.stats.correlation.bootstrap import Draws, bootstrap_values, correlate_with_interval
from nlgauge.stats.correlation.levels import correlate
from nlgauge.stats.shares import sign_test
from nlgauge.stats.skill import Games, fit
from nlgauge.stats.skill.samples import rate_samples, score_against_references

PERPLEXITY = "perplexity"
EVALUATORS = (MAIN, ADEM, ADVERSARIAL, BLEU, PERPLEXITY)
SURELY = 1.96  # standard errors of a paired difference, beyond which an option is surely below the best
GAMES = 500  # of each model in the skill rating of all
STATISTICS = ("spearman", "pearson")
DRAWS = 1000


@dataclass(frozen=True)
class Group:
    """Options to choose from, and what evaluators say of their texts."""

    name: str
    options: Sequence[Wrote]


@dataclass(frozen=True)
class Said:
    """What evaluators say of texts: strengths of comparators by name, ADEM's scores, BLEU."""

    strengths: Mapping[str, Strengths]
    adem: Mapping[Written, float]
    bleu: Mapping[Written, float]

    def means(self, evaluator: str) -> Callable[[Wrote], float]:
        """What an evaluator without comparisons says of an option; the higher the better."""
        if evaluator == PERPLEXITY:
            return lambda option: -option.perplexity
        return lambda option: float(np.mean(self.singles(evaluator, option)))

    def singles(self, evaluator: str, option: Wrote) -> list[float]:
        """The same of its texts."""
        if evaluator == PERPLEXITY:
            return [-value for value in option.own]
        if evaluator == ADVERSARIAL:
            read = self.strengths[ADVERSARIAL].read
            return list(map(float, sigmoid(np.array([read[text][0] for text in option.texts]))))
        scores = self.adem if evaluator == ADEM else self.bleu
        return [scores[text] for text in option.texts]


@dataclass(frozen=True)
class Truth:
    """The oracle's means of a group's options over fresh outputs, and which are not surely below the highest."""

    means: tuple[float, ...]
    best: tuple[bool, ...]

    @classmethod
    def of(cls, group: Group) -> Truth:
        """Prompts are the same for all options, so that differences are paired."""
        fresh = np.array([option.fresh for option in group.options])
        means = fresh.mean(axis=1)
        gaps = fresh[int(means.argmax())] - fresh
        error = gaps.std(axis=1, ddof=1) / np.sqrt(fresh.shape[1])
        return cls(tuple(means.tolist()), tuple((gaps.mean(axis=1) <= SURELY * error).tolist()))


def choose(group: Group, evaluator: str, said: Said, settings: Settings, *, stopping: bool) -> int:
    """Which option an evaluator keeps: the comparator by games, others by the highest mean."""
    if evaluator not in said.strengths or evaluator == ADVERSARIAL:
        values = [said.means(evaluator)(option) for option in group.options]
        return int(np.argmax(values))
    return chosen_by_games(group, said.strengths[evaluator], settings, stopping=stopping)


def chosen_by_games(group: Group, compares: Compares, settings: Settings, *, stopping: bool) -> int:
    """By skill rating among options; or checkpoint after checkpoint until the rule says stop (the paper's §4.1)."""
    texts = [option.texts for option in group.options]
    if not stopping:
        named = {str(place): wrote for place, wrote in enumerate(texts)}
        return int(select(named, compares, comparisons=settings.comparisons, seed=settings.seed).best)
    watched = EarlyStopping(compares, comparisons=settings.comparisons, seed=settings.seed)
    for place, wrote in enumerate(texts):
        if watched.check(place, wrote).stop:
            break
    assert watched.best is not None
    return watched.best


def choices(groups: Sequence[Group], said: Said, settings: Settings, *, stopping: bool) -> list[dict[str, Any]]:
    """What each evaluator chose in each group."""
    known = [name for name in EVALUATORS if name != ADEM or said.adem]
    return [
        {
            "group": group.name,
            "options": [option.told for option in group.options],
            "chosen": {name: choose(group, name, said, settings, stopping=stopping) for name in known},
            **({"oracle": vars(Truth.of(group))} if group.options[0].fresh else {}),
        }
        for group in groups
    ]


def table3(made: Sequence[Mapping[str, Any]], seed: int, *, stopping: bool) -> dict[str, Any]:
    """How often each evaluator chose the truly best, and what its choices are worth; the comparator against each.

    Beside them what chance would, and of trainings what one has who never stops: the last checkpoint.
    """
    means = [group["oracle"]["means"] for group in made]
    best = [group["oracle"]["best"] for group in made]
    rows = []
    right: dict[str, NDArray[np.bool_]] = {}
    for name in made[0]["chosen"]:
        chosen = [group["chosen"][name] for group in made]
        right[name] = np.array([flags[place] for flags, place in zip(best, chosen, strict=True)])
        worth = np.array([scores[place] for scores, place in zip(means, chosen, strict=True)])
        highest = sum(place == int(np.argmax(scores)) for scores, place in zip(means, chosen, strict=True))
        low, high = _mean_limits(worth, seed)
        row = {"evaluator": name, "wins": int(right[name].sum()), "highest": highest}
        row |= {"score": float(worth.mean()), "low": low, "high": high}
        if name != MAIN:
            more, fewer = (
                int((one & ~other).sum()) for one, other in ((right[MAIN], right[name]), (right[name], right[MAIN]))
            )
            row |= {"only_comparator": more, "only_this": fewer, "p": sign_test(more, fewer)}
        rows.append(row)
    return {
        "groups": len(made),
        "rows": rows,
        "chance": float(sum(np.mean(flags) for flags in best)),
        **({"last": sum(flags[-1] for flags in best)} if stopping else {}),
        **({"last_score": float(np.mean([scores[-1] for scores in means]))} if stopping else {}),
        "best_score": float(np.mean([max(scores) for scores in means])),
        "mean_score": float(np.mean([np.mean(scores) for scores in means])),
        "spread": float(np.mean([max(scores) - min(scores) for scores in means])),
    }


def _mean_limits(values: Array, seed: int) -> tuple[float, float]:
    drawn = np.random.default_rng(seed).integers(len(values), size=(DRAWS, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def table1(groups: Sequence[Group], said: Said, settings: Settings) -> list[dict[str, Any]]:
    """Single texts: correlation with the oracle, by plays of each text, by common references, and of the others."""
    options = [option for group in groups for option in group.options]
    some = slice(0, settings.single)
    texts = [text for option in options for text in option.texts[some]]
    oracle = np.array([option.oracle[some] for option in options])
    plays, points = _single(texts, said, settings)
    rows = [
        _row(f"{MAIN}, skill rating", oracle, plays),
        _row(f"{MAIN}, common references", oracle, points),
    ]
    for name in EVALUATORS[1:]:
        scores = [value for option in options for value in said.singles(name, option)[some]]
        rows.append(_row(name, oracle, np.array(scores)))
    return rows


def table2(groups: Sequence[Group], said: Said, settings: Settings) -> list[dict[str, Any]]:
    """Models: correlation of the oracle's means over fresh outputs with what evaluators say of them."""
    options = [option for group in groups for option in group.options]
    oracle = _oracle(options)
    some = slice(0, settings.single)
    texts = [text for option in options for text in option.texts[some]]
    plays, points = (scores.reshape(len(options), -1) for scores in _single(texts, said, settings))
    rows = [
        _row(f"{MAIN}, skill rating", oracle, skills(options, said.strengths[MAIN], settings.seed)),
        _row(f"{MAIN}, mean of texts' skill ratings", oracle, np.nanmean(plays, axis=1)),
        _row(f"{MAIN}, mean points against references", oracle, points.mean(axis=1)),
    ]
    return rows + [
        _row(name, oracle, np.array([said.means(name)(option) for option in options])) for name in EVALUATORS[1:]
    ]


def _single(texts: Sequence[Written], said: Said, settings: Settings) -> tuple[Array, Array]:
    """Single texts by the comparator: in plays of each, and against common references."""
    asked = _asked(texts, said.strengths[MAIN])
    plays = rate_samples(len(texts), asked, plays=settings.plays, seed=settings.seed).scores
    return plays, score_against_references(len(texts), asked, seed=settings.seed).scores


def table5(groups: Sequence[Group], said: Said, settings: Settings) -> list[dict[str, Any]]:
    """Models, rated by comparators that lack a part each; the discriminator by its mean."""
    options = [option for group in groups for option in group.options]
    oracle = _oracle(options)
    scores = {
        name: np.array([said.means(name)(option) for option in options])
        if name == ADVERSARIAL
        else skills(options, said.strengths[name], settings.seed)
        for name in ABLATIONS
    }
    rows = []
    for name in ABLATIONS:
        row = _row(name, oracle, scores[name])
        if name != MAIN:
            row["difference"] = _difference(oracle, scores[name], scores[MAIN])
        rows.append(row)
    return rows


def _difference(oracle: Array, scores: Array, full: Array) -> dict[str, float | None]:
    """Of Spearman's coefficients, over the same draws of models."""
    found = [correlate(oracle, some, statistic="spearman", level="system").estimate for some in (scores, full)]
    draws = Draws.make((len(oracle), 1), "systems", DRAWS, 12345)
    less, more = (
        bootstrap_values(oracle[:, None], some[:, None], draws, statistic="spearman", level="system", average="none")
        for some in (scores, full)
    )
    gaps = (less - more)[~np.isnan(less - more)]
    low, high = np.percentile(gaps, [2.5, 97.5]) if len(gaps) else (np.nan, np.nan)
    return _limits(found[0] - found[1], low, high)


def skills(options: Sequence[Wrote], compares: Compares, seed: int) -> Array:
    """Strengths of models from games of texts for one prompt, drawn at random (Bradley and Terry)."""
    rng = np.random.default_rng(seed)
    number = GAMES * len(options) // 2
    first = rng.integers(len(options), size=number)
    second = (first + rng.integers(1, len(options), size=number)) % len(options)
    places = rng.integers(len(options[0].texts), size=number)
    ones, others = (
        [options[chosen].texts[place] for chosen, place in zip(side.tolist(), places.tolist(), strict=True)]
        for side in (first, second)
    )
    score = SCORE[verdicts(compares.outcomes(ones, others))]
    return fit(Games(tuple(map(str, range(len(options)))), first, second, score), **MODEL).strength


def _asked(texts: Sequence[Written], compares: Compares) -> Callable[[Sequence[tuple[int, int]]], list[str | None]]:
    def said(pairs: Sequence[tuple[int, int]]) -> list[str | None]:
        found = verdicts(compares.outcomes([texts[one] for one, _ in pairs], [texts[other] for _, other in pairs]))
        return ["a" if outcome == 0 else "b" if outcome == 1 else "tie" for outcome in found.tolist()]

    return said


def _oracle(options: Sequence[Wrote]) -> Array:
    return np.array([np.mean(option.fresh) for option in options])


def _row(name: str, oracle: Array, scores: Array) -> dict[str, Any]:
    """Both coefficients with limits; texts of one model are drawn together."""
    level: Literal["system", "segment"] = "system" if oracle.ndim == 1 else "segment"
    found = {
        statistic: correlate_with_interval(
            oracle, scores.reshape(oracle.shape), statistic=statistic, level=level, over="systems", draws=DRAWS
        )
        for statistic in STATISTICS
    }
    return {
        "evaluator": name,
        "n": found["spearman"].n,
        **{key: _limits(value.estimate, value.low, value.high) for key, value in found.items()},
    }


def _limits(estimate: float, low: float, high: float) -> dict[str, float | None]:
    found = {"estimate": estimate, "low": low, "high": high}
    return {name: None if np.isnan(value) else float(value) for name, value in found.items()}
