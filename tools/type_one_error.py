"""How often the leading test of each study protocol finds a difference where there is none: the table of
docs/mixed-models.md.

    python tools/type_one_error.py [--studies 2000] [--favour 0.3] [--output 0.4] [--width 0] [PROTOCOL …]

Three systems are equal on average. Judges differ in lenience and in what they think of a system, items in ease and in
how well a system does on them, and answers have noise: all of it normal, on a latent scale, and turned into the answers
of the protocol. The answers go through the protocol's own analysis of a criterion; a study counts where the test that
is reported first has p < 0.05. `--favour` and `--output` are the deviations of judge × system and item × system, and
two texts of a pair that look less than `--width` apart are a tie. Of the triangle, whose test is exact, the level is
computed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.stats.discrimination.binomial import at_least
from nlgauge.study.protocols.comparisons.analysis import rows as compared
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, fit_column
from nlgauge.study.protocols.magnitudes.analysis import magnitude
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.protocols.ratings.analysis.rows import Criterion, column_of
from nlgauge.study.protocols.task.analysis.pace import LOG
from nlgauge.study.protocols.task.analysis.rows import ASKED, SUCCESS

Array = NDArray[np.float64]
SYSTEMS = 3
DESIGNS = ((5, 15), (10, 20))
JUDGE, ITEM = 0.5, 0.7  # deviations, that of the noise being 1
WIDTH = 0.0  # set from the command line


@dataclass(frozen=True)
class SetUp:
    """Deviations of judge × system and item × system."""

    favour: float = 0.3
    output: float = 0.4

    def latent(self, rng: np.random.Generator, judges: int, items: int) -> Array:
        """What every judge thinks of every output: judges × items × systems."""
        eta = JUDGE * rng.normal(size=(judges, 1, 1)) + ITEM * rng.normal(size=(1, items, 1))
        eta = eta + self.favour * rng.normal(size=(judges, 1, SYSTEMS))
        eta = eta + self.output * rng.normal(size=(1, items, SYSTEMS))
        return np.asarray(eta + rng.normal(size=(judges, items, SYSTEMS)))


def of_ratings(asked: Criterion, answer: Callable[[Array], Array]) -> Callable[[Array], float]:
    """The p-value of a protocol whose answers are numbers of single outputs."""

    def p(eta: Array) -> float:
        judge, item, system = (codes.ravel().astype(str).tolist() for codes in np.indices(eta.shape))
        column = column_of(asked, "all", answer(eta).ravel().tolist(), system, item, judge)
        # of yes and no the logistic model leads, of amounts that of square roots
        leader = fit(column, means_only=asked.points != 2 and not asked.amount).leader
        return np.nan if leader is None else leader.test().p

    return p


def leading(models: Models) -> float:
    """Of the test that comparisons report first."""
    return math.nan if models.test is None else models.test.p


def smallest(models: Models) -> float:
    """Of the pairs that follow it."""
    return min((pair.p_adjusted for pair in models.pairs), default=math.nan)


def of_comparisons(protocol: str, told: Callable[[Models], float] = leading) -> Callable[[Array], float]:
    """The p-value of a protocol that shows the outputs of an item side by side."""
    asked = compared.Question("q", "q", "Which is better?")

    def answers(own: Array) -> list[tuple[tuple[int, ...], dict[str, object]]]:
        if protocol == "pairwise":
            pairs = [(a, b) for a in range(SYSTEMS) for b in range(a + 1, SYSTEMS)]
            return [(pair, {"preference": preferred(float(own[pair[0]] - own[pair[1]]))}) for pair in pairs]
        every = tuple(range(SYSTEMS))
        if protocol == "ranking":
            return [(every, {"ranks": (1 + np.argsort(np.argsort(-own))).tolist()})]
        return [(every, {"best": int(own.argmax()), "worst": int(own.argmin())})]

    def p(eta: Array) -> float:
        screens = tuple(
            compared.Screen(f"j{judge}", f"i{item}", tuple(f"s{k}" for k in shown), answer)
            for judge, item in np.ndindex(eta.shape[:2])
            for shown, answer in answers(eta[judge, item])
        )
        return told(fit_column(compared.Column(protocol, asked, "all", screens)))

    return p


def preferred(gap: float) -> str:
    return "tie" if abs(gap) < WIDTH else "a" if gap > 0 else "b"


def penalties(eta: Array) -> Array:
    """Errors of weight 1, 5 and 25: none in half of the texts, a severe one in few."""
    return np.select([eta > 2.5, eta > 1.0, eta > 0.0], [25.0, 5.0, 1.0], 0.0)


def rated(low: float, high: float, points: int = 0) -> Criterion:
    return Criterion("q", "q", low, high, points, False, "How good is it?")


def measured(most: float) -> Criterion:
    """An amount measured on the answers, low being good."""
    return Criterion("q", "q", 0.0, most, 0, False, "", measure="an amount", lower=True, ends=(0.0, np.inf))


PROTOCOLS: dict[str, Callable[[Array], float]] = {
    "likert": of_ratings(rated(1, 5, 5), lambda eta: np.digitize(eta, [-1.5, -0.5, 0.5, 1.5]) + 1.0),
    "continuous": of_ratings(rated(0, 100), lambda eta: np.clip(np.round(50 + 15 * eta), 0, 100)),
    "binary": of_ratings(rated(0, 1, 2), lambda eta: (eta > -0.5).astype(float)),
    "magnitude": of_ratings(magnitude("q", "q", modulus=10.0, by_judge=False), lambda eta: 10 * np.exp(eta / 2)),
    "rankme": of_ratings(magnitude("q", "q", modulus=1.0, by_judge=True), lambda eta: np.exp(eta / 2)),
    "pairwise": of_comparisons("pairwise"),
    "pairwise, any pair": of_comparisons("pairwise", smallest),
    "ranking": of_comparisons("ranking"),
    "ranking, any pair": of_comparisons("ranking", smallest),
    "best-worst": of_comparisons("best-worst"),
    "best-worst, any pair": of_comparisons("best-worst", smallest),
    "post-edit (HTER)": of_ratings(measured(100), lambda eta: np.maximum(0, 20 + 20 * eta)),
    "spans (penalty)": of_ratings(measured(25), penalties),
    "task (success)": of_ratings(ASKED[SUCCESS], lambda eta: (eta > -1.0).astype(float)),
    "task (time)": of_ratings(LOG, lambda eta: 3.5 + eta / 2),
    "chat": of_ratings(rated(1, 7, 7), lambda eta: np.clip(np.round(4 + eta), 1, 7)),
}


def rate(name: str, judges: int, items: int, studies: int, setup: SetUp) -> tuple[float, int]:
    """The share of studies with p < 0.05, and of how many it is."""
    rng = np.random.default_rng([list(PROTOCOLS).index(name), judges, items])
    found = np.array([PROTOCOLS[name](setup.latent(rng, judges, items)) for _ in range(studies)])
    known = found[~np.isnan(found)]
    return float((known < 0.05).mean()), len(known)


def triangle(answers: int) -> float:
    """The level of the exact test of a third of the answers right."""
    least = next(x for x in range(answers + 1) if at_least(x, answers, 1 / 3) <= 0.05)
    return float(at_least(least, answers, 1 / 3))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocol", nargs="*", choices=[[], *PROTOCOLS, "triangle"])
    parser.add_argument("--studies", type=int, default=2_000)
    for name, default in (("--favour", SetUp.favour), ("--output", SetUp.output), ("--width", WIDTH)):
        parser.add_argument(name, type=float, default=default)
    given = parser.parse_args()
    globals()["WIDTH"] = given.width
    setup = SetUp(given.favour, given.output)
    heads = [f"{judges} judges × {items} items" for judges, items in DESIGNS]
    print(f"| protocol | {' | '.join(heads)} |\n|---|---|---|")
    for name in given.protocol or (*PROTOCOLS, "triangle"):
        shares = [
            triangle(judges * items) if name == "triangle" else rate(name, judges, items, given.studies, setup)[0]
            for judges, items in DESIGNS
        ]
        print(f"| {name} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
