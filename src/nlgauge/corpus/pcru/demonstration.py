"""Frequency bias on forecasts that are all generated: pCRU's modes and the hand-written realiser on held-out inputs.

Five disjoint tenths of the corpus are test sets; for each the rules and the 2-gram model are trained on the other nine
tenths. Marks come from readers whose taste is assumed (`taste.toml`): they show what a metric of similarity to a corpus
must miss if readers are like that, and are no evidence that they are.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from nlgauge.corpus.pcru.generating import Generator, Mode, learn
from nlgauge.corpus.pcru.training import train, words_of
from nlgauge.corpus.pcru.wind import UNTIMED, Forecast, changes, make_corpus, realise, relations, wind_rules
from nlgauge.errors import InputError
from nlgauge.io.exported import SIMULATED, WARNING

FOLDS = 5
SIZE = 450
LEAST = 50
CORPUS, RULES = "corpus", "rules"
SHOWN: tuple[Mode, ...] = (
    "greedy",
    "roulette",
    "ngram",
    "random",
)  # the paper's modes; viterbi writes what greedy does with these rules
SYSTEMS = (CORPUS, RULES, *(f"pcru-{mode}" for mode in SHOWN))


@dataclass(frozen=True)
class Output:
    """What a system wrote for a held-out input, in which fold, and the marks it got."""

    forecast: Forecast
    system: str
    text: str
    fold: int
    raters: tuple[str, ...]
    ratings: dict[str, list[float | None]]

    def row(self, references: Sequence[str]) -> dict[str, Any]:
        """A row of an evaluation set."""
        return {
            "item": self.forecast.item,
            "system": self.system,
            "source": self.forecast.source(),
            "references": list(references),
            "hypothesis": self.text,
            "fold": self.fold,
            "ratings": self.ratings,
            "raters": list(self.raters),
            WARNING: SIMULATED,
        }


@dataclass(frozen=True)
class Demonstration:
    """The outputs, as rows against the two references (the paper's Table 2) and against the corpus (Table 4)."""

    outputs: tuple[Output, ...]

    def against_references(self) -> list[dict[str, Any]]:
        """With the corpus texts as a system."""
        return [output.row(output.forecast.references) for output in self.outputs]

    def against_corpus(self) -> list[dict[str, Any]]:
        """Without the corpus texts, which are the references here."""
        return [output.row([output.forecast.text]) for output in self.outputs if output.system != CORPUS]


def divisions(
    corpus: Sequence[Forecast], seed: int, folds: int = FOLDS
) -> Iterator[tuple[list[Forecast], list[Forecast]]]:
    """For each fold what is learnt from and what is held out: nine tenths and one, no input held out twice."""
    order = list(corpus)
    random.Random(seed).shuffle(order)
    size = len(order) // 10
    for fold in range(folds):
        start = fold * size
        yield order[:start] + order[start + size :], order[start : start + size]


def demonstrate(seed: int, size: int = SIZE) -> Demonstration:
    """Corpus, training, texts and marks, all from one seed."""
    if size < LEAST:
        raise InputError(f"the demonstration needs at least {LEAST} forecasts, for five test sets; got {size}")
    base, taste, rng = wind_rules(), read_taste(), random.Random(seed)
    readers = {
        group: [rng.gauss(0, settings["leniency"]) for _ in range(settings["readers"])]
        for group, settings in taste.items()
    }
    found: list[Output] = []
    for fold, (learnt, held) in enumerate(divisions(make_corpus(size, seed), seed), start=1):
        trained = train(base, [forecast.text for forecast in learnt]).base
        model = learn(words_of(forecast.text) for forecast in learnt)
        made = {f"pcru-{mode}": Generator(trained, mode, seed=seed + fold, model=model) for mode in SHOWN}
        for forecast in held:
            texts = {CORPUS: forecast.text, RULES: realise(forecast.winds)}
            texts |= {name: one.generate(relations(forecast.winds)) for name, one in made.items()}
            for place, (system, text) in enumerate(texts.items()):
                marks = _marks(forecast, text, len(found) // len(SYSTEMS) + place, taste, readers, rng)
                found.append(Output(forecast, system, text, fold, *marks))
    return Demonstration(tuple(found))


def read_taste() -> dict[str, Any]:
    """The assumed taste of each group of readers."""
    return tomllib.loads(files("nlgauge").joinpath("corpus/pcru/taste.toml").read_text(encoding="utf-8"))


def points(forecast: Forecast, text: str, settings: dict[str, Any]) -> float:
    """What a group's average reader would give a text, of 5."""
    words, (times, verbs) = words_of(text), _vocabulary()
    spaced = f" {' '.join(words)} "
    lost: float = sum(penalty * spaced.count(f" {phrase} ") for phrase, penalty in settings["dislikes"].items())
    timed = [change.wind.time for change in changes(forecast.winds) if change.wind.time != UNTIMED]
    lost += settings["untimed"] * max(0, len(timed) - sum(word in times for word in words))
    clear = sum(change.turn in ("veer", "back") for change in changes(forecast.winds))
    told = words.count("veering") + words.count("backing")
    vague = words.count("becoming") + words.count("shifting")
    lost += settings["unclear"] * min(vague, max(0, clear - told))
    used = Counter(word for word in words if word in verbs)
    lost += settings["repeated"] * sum(count - 1 for count in used.values())
    return float(settings["start"]) - lost


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[frozenset[str], frozenset[str]]:
    """The words by which a text names a time, and its verbs: those of the rules, which the realiser uses too."""
    times, verbs = set[str](), set[str]()
    for rule in wind_rules().rules:
        if rule.head.name == "time" and rule.head.arguments != (UNTIMED,):
            times.add(str(rule.body[-1]))
        elif rule.head.name in ("turning", "changing"):
            verbs.add(str(rule.body[0]))
    return frozenset(times), frozenset(verbs)


def _marks(
    forecast: Forecast,
    text: str,
    turn: int,
    taste: dict[str, Any],
    readers: dict[str, list[float]],
    rng: random.Random,
) -> tuple[tuple[str, ...], dict[str, list[float | None]]]:
    """Marks from 0 to 5 by readers who take turns, as in a Latin square: nobody reads two texts of one input, and all
    read as many texts of each system. A reader's place is empty in the ratings of the other group."""
    raters: list[str] = []
    marks: dict[str, list[float | None]] = {}
    for group, settings in taste.items():
        mean, everyone = points(forecast, text, settings), len(readers[group])
        chosen = [(turn + place) % everyone for place in range(0, everyone - len(SYSTEMS) + 1, len(SYSTEMS))]
        given = [mean + readers[group][place] + rng.gauss(0, settings["noise"]) for place in chosen]
        marks[group] = [*[None] * len(raters), *(float(min(5, max(0, round(mark)))) for mark in given)]
        raters += [f"{group} {place + 1}" for place in chosen]
    size = len(raters)
    return tuple(raters), {group: [*given, *[None] * (size - len(given))] for group, given in marks.items()}
