"""What the reproduction runs, decided before anything is: sizes, ranges of hyperparameters, seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from nlgauge.generators.networks import NETWORKS
from nlgauge.generators.training import Decoding, Hyperparameters

SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)  # of a training, at which checkpoints are kept
TOPS = (1, 5, 20)  # 1: greedy
COOL, HOT = 0.4, 1.3  # temperatures of a search
MILD, WARM = 0.5, 1.0  # of a training that is watched, which people would not leave at an extreme
RATES = (2e-3, 6e-3)
FAST_RATES = (2e-3, 1e-2)
DROPOUTS = (0.0, 0.1, 0.3)
FEW = (0.0375, 0.1, 0.25)  # shares of the stories, with which a long training overfits


@dataclass(frozen=True)
class Settings:
    """Numbers of everything; the defaults are those of a GPU."""

    groups: int = 30  # of each kind: searches, and trainings that are watched
    options: int = 5  # of a search
    shares: tuple[float, ...] = SHARES
    learn: int = 4000  # stories to learn from
    valid: int = 300  # for perplexity
    shown: int = 250  # prompts whose texts the evaluators see
    samples: int = 2  # texts for each
    fresh: int = 600  # prompts of the outputs by which the oracle finds the truly best
    widths: tuple[int, ...] = (64, 128)
    steps: tuple[int, int] = (1200, 2400)  # of a search
    watched: int = 2000  # steps of a training that is watched
    runs: int = 30  # trainings whose texts the evaluators learn from
    read: int = 60  # prompts of each of those
    rated: int = 100  # prompts with four texts each that the oracle scored, for ADEM and as preferences
    games: int = 12_000
    batch: int = 32
    rate: float = 1e-4
    layers: int = 0  # of the encoder that learn; 0: all
    encoder: str = "nlgauge-mt"
    longest: int = 96  # units of a prompt and its text
    single: int = 10  # texts of each option in Table 1
    plays: int = 10_000
    comparisons: int = 1000
    seed: int = 12345

    def units(self) -> list[Unit]:
        """Trainings to learn from, searches, and trainings that are watched; each with options of its own."""
        kinds = {"run": self.runs, "search": self.groups, "stopping": self.groups}
        return [Unit(kind, number, self) for kind, count in kinds.items() for number in range(count)]


SMALL = Settings(
    groups=6,
    options=4,
    shares=(0.1, 0.25, 0.5, 0.75, 1.0),
    learn=2000,
    valid=100,
    shown=50,
    samples=2,
    fresh=500,
    widths=(48, 64),
    steps=(300, 600),
    watched=600,
    runs=9,
    read=40,
    rated=50,
    games=500,
    batch=16,
    rate=3e-4,
    layers=2,
    single=20,
    plays=5000,
)


@dataclass(frozen=True)
class Option:
    """One choice: a generator as it was at a step, and how it writes."""

    made: Hyperparameters
    step: int
    decoding: Decoding


@dataclass(frozen=True)
class Unit:
    """A piece of work, kept when done: a training to learn from (run), a search, a training watched (stopping)."""

    kind: str
    number: int
    settings: Settings

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number:03}"

    @property
    def options(self) -> list[Option]:
        """What is chosen from; the same whenever it is asked for."""
        random = Random(f"learning-to-compare/{self.settings.seed}/{self.name}")
        network = list(NETWORKS)[self.number % len(NETWORKS)]
        if self.kind == "search":
            return [self._searched(random, network) for _ in range(self.settings.options)]
        # half of the trainings to learn from are of either kind
        if self.kind == "run" and (self.number // len(NETWORKS)) % 2:
            drawn = self._searched(random, network)
            made, decodings = drawn.made, [drawn.decoding, _decoding(random)]
        else:
            made = self._watched(random, network)
            decodings = [Decoding(round(random.uniform(MILD, WARM), 2)) for _ in range(1 + (self.kind == "run"))]
        steps = sorted({max(1, round(share * made.steps)) for share in self.settings.shares})
        return [Option(made, step, decoding) for step in steps for decoding in decodings]

    def _searched(self, random: Random, network: str) -> Option:
        low, high = self.settings.steps
        made = Hyperparameters(
            network=network,
            width=random.choice(self.settings.widths),
            rate=_between(random, *RATES),
            dropout=random.choice(DROPOUTS),
            steps=round(_between(random, low, high)),
            stories=self.settings.learn,
            seed=random.randrange(2**31),
        )
        return Option(made, made.steps, _decoding(random))

    def _watched(self, random: Random, network: str) -> Hyperparameters:
        return Hyperparameters(
            network=network,
            width=random.choice(self.settings.widths),
            rate=_between(random, *FAST_RATES),
            dropout=random.choice(DROPOUTS[:2]),
            steps=self.settings.watched,
            stories=max(20, round(random.choice(FEW) * self.settings.learn)),
            seed=random.randrange(2**31),
        )


def _between(random: Random, low: float, high: float) -> float:
    """With the same chance for each ratio; three digits."""
    return float(f"{math.exp(random.uniform(math.log(low), math.log(high))):.3g}")


def _decoding(random: Random) -> Decoding:
    if random.random() < 0.3:
        return Decoding(1.0, random.choice(TOPS))
    return Decoding(round(random.uniform(COOL, HOT), 2))
