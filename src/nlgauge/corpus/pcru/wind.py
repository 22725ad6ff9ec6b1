"""Wind forecasts: tuples [index, time, direction, min, max, gust_min, gust_max], their changes, and a corpus.

The corpus is generated from the rules that ship: nobody wrote a text. Its forecasters differ in the weights of the
rules, so that some wordings are frequent, others rare, and no two write alike.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from nlgauge.corpus.pcru.generating import Generator, spelled
from nlgauge.corpus.pcru.rules import Relation, RuleBase, parse_rules
from nlgauge.errors import InputError

COMPASS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"]
NOTHING = "-"
TIMES = ("0600", "0900", "1200", "1500", "1800", "2100", "0000")
UNTIMED = "NOTIME"
REFERENCES = ("buoy", "cairn")  # columns of weights: who rewrites the corpus
KEPT = 0.6  # how likely a choice of the corpus text stays as it is when it is rewritten
SPEEDS = ((4, 8), (8, 12), (10, 14), (12, 16), (16, 20), (18, 22), (22, 26), (25, 30), (30, 35))


@dataclass(frozen=True)
class Wind:
    """One tuple of an input; what a change leaves open is None."""

    time: str
    direction: str | None
    speed: tuple[int, int] | None
    gust: tuple[int, int] | None

    def listed(self, index: int) -> list[Any]:
        """The tuple."""
        spans = [list(span) if span else [NOTHING, NOTHING] for span in (self.speed, self.gust)]
        return [index, self.time, self.direction or NOTHING, *spans[0], *spans[1]]


@dataclass(frozen=True)
class Change:
    """What is new in a tuple: how the wind turns, and whether it rises or falls; None where it does not."""

    wind: Wind
    turn: str | None  # veer, back, or turn where neither can be said
    trend: str | None


@dataclass(frozen=True)
class Forecast:
    """An input of the corpus, its text with who wrote it, and the text as two others rewrote it."""

    item: str
    winds: tuple[Wind, ...]
    writer: str
    text: str
    references: tuple[str, ...]

    def source(self) -> list[list[Any]]:
        """The tuples."""
        return [wind.listed(index) for index, wind in enumerate(self.winds)]


def wind_rules() -> RuleBase:
    """The rule base that ships."""
    text = files("nlgauge").joinpath("corpus/pcru/wind.pcru").read_text(encoding="utf-8")
    return parse_rules(text, "wind.pcru")


def read_tuples(source: Any, place: str) -> tuple[Wind, ...]:
    """The tuples of an input, checked; the first must be whole."""
    if not isinstance(source, list | tuple) or not source:
        raise InputError(f"{place}: no input; expected {_FORM}")
    found = []
    for number, given in enumerate(source, start=1):
        if not isinstance(given, list | tuple) or len(given) != 7:
            raise InputError(f"{place}, tuple {number}: expected {_FORM}")
        _, time, direction, *speeds = given
        if time not in (*TIMES, UNTIMED):
            raise InputError(f"{place}, tuple {number}: the time {time!r} is none of {', '.join(TIMES)} and NOTIME")
        if direction not in (*COMPASS, "VAR", NOTHING):
            raise InputError(
                f"{place}, tuple {number}: the direction {direction!r} is no point of the compass (SSW), VAR or -"
            )
        spans = [_span(speeds[:2], f"{place}, tuple {number}"), _span(speeds[2:], f"{place}, tuple {number}")]
        found.append(Wind(time, None if direction == NOTHING else direction, *spans))
    if found[0].direction is None or found[0].speed is None:
        raise InputError(f"{place}, tuple 1: the first tuple needs a direction and speeds")
    return tuple(found)


_FORM = "a list of tuples [index, time, direction, min, max, gust_min, gust_max], - where nothing is known"


def _span(given: Sequence[Any], place: str) -> tuple[int, int] | None:
    if all(value == NOTHING for value in given):
        return None
    numbers = [int(value) if str(value).isascii() and str(value).isdigit() else -1 for value in given]
    if not 0 <= numbers[0] <= numbers[1]:
        raise InputError(f"{place}: {given[0]} to {given[1]} is no range of speeds; expected numbers, or - twice")
    return numbers[0], numbers[1]


def changes(winds: Sequence[Wind]) -> list[Change]:
    """What each tuple after the first changes; one that changes nothing is left out."""
    found = []
    direction, speed = winds[0].direction, winds[0].speed
    for wind in winds[1:]:
        turn = trend = None
        if wind.direction is not None and wind.direction != direction:
            turn = _turn(direction, wind.direction)
            direction = wind.direction
        if wind.speed is not None and speed is not None and sum(wind.speed) != sum(speed):
            trend = "rise" if sum(wind.speed) > sum(speed) else "fall"
            speed = wind.speed
        if turn or trend:
            found.append(Change(wind, turn, trend))
    return found


def _turn(before: str | None, after: str) -> str:
    if before not in COMPASS or after not in COMPASS:
        return "turn"
    clockwise = (COMPASS.index(after) - COMPASS.index(before)) % 16
    return "veer" if clockwise < 8 else "back" if clockwise > 8 else "turn"


def relations(winds: Sequence[Wind]) -> list[Relation]:
    """An input for the rules: the first wind, then changes; gusts are relations of their own."""
    first = winds[0]
    assert first.direction is not None and first.speed is not None  # checked when read
    found = [Relation("first", (_said(first.direction), *map(str, first.speed)))]
    found += _gusts(first)
    for change in changes(winds):
        wind = change.wind
        where = (change.turn, _said(wind.direction)) if change.turn and wind.direction else ()
        speed = (change.trend, *map(str, wind.speed)) if change.trend and wind.speed else ()
        name = "both" if where and speed else "turned" if where else "changed"
        found.append(Relation(name, (*where, *speed, wind.time)))
        found += _gusts(wind)
    return found


def _gusts(wind: Wind) -> list[Relation]:
    return [Relation("gust", tuple(map(str, wind.gust)))] if wind.gust else []


def _said(direction: str | None) -> str:
    return "variable" if direction == "VAR" else str(direction)


def make_corpus(size: int, seed: int) -> list[Forecast]:
    """Forecasts by the forecasters of the rules that ship, each also rewritten by two others."""
    base = wind_rules()
    rng = random.Random(seed)
    names = [name for name in base.columns if name not in REFERENCES]
    made = {name: Generator(base, "roulette", seed=rng.randrange(2**32), column=name) for name in base.columns}
    found = []
    for number in range(size):
        winds = _weather(rng)
        writer = rng.choice(names)
        trees = made[writer].derive(relations(winds))
        texts = [spelled([word for tree in trees for word in tree.words()])]
        for name in REFERENCES:
            again = [made[name].rewrite(tree, KEPT) for tree in trees]
            texts.append(spelled([word for tree in again for word in tree.words()]))
        found.append(Forecast(f"w{number + 1:04d}", winds, writer, texts[0], tuple(texts[1:])))
    return found


def _weather(rng: random.Random) -> tuple[Wind, ...]:
    """A wind at 0600 and one to three changes during the day."""
    times = sorted(rng.sample(range(1, len(TIMES)), rng.choice((1, 2, 2, 2, 3))))
    point, speed = rng.randrange(16), rng.randrange(2, 8)
    sense, trend = rng.choice((-1, 1)), rng.choice((-1, 1))
    found = [Wind(TIMES[0], COMPASS[point], SPEEDS[speed], _gust(speed, rng))]
    for place in times:
        kind = rng.choice(("both", "both", "turned", "changed"))
        direction = gust = None
        if kind != "changed":
            point = (point + sense * rng.choice((1, 2, 2, 3))) % 16
            direction = COMPASS[point]
        if kind != "turned":
            step = trend * rng.choice((1, 2, 2, 3))
            speed = speed + step if 0 <= speed + step < len(SPEEDS) else speed - step
            gust = _gust(speed, rng)
        if direction and kind == "both" and speed == 0:
            direction = "VAR"
        time = UNTIMED if rng.random() < 0.08 else TIMES[place]
        found.append(Wind(time, direction, SPEEDS[speed] if kind != "turned" else None, gust))
    return tuple(found)


def _gust(speed: int, rng: random.Random) -> tuple[int, int] | None:
    high = SPEEDS[speed][1]
    return (high + 5, high + 10) if speed >= 5 and rng.random() < 0.3 else None


# A hand-written realiser in the manner of SumTime: words are chosen for readers, not by how frequent they are.
#
# Reiter et al. (2005) found that readers of forecasts dislike "later", which means something else in other forecasts,
# and phrases with "evening", which they read differently. Both are the most frequent words of the corpus for the late
# hours. The realiser names an hour instead, names one for every change that has one, says "veering" and "backing"
# wherever the data tell which, and has one verb for each kind of change.


AVOIDED = ("later", "evening", "this", "for a time", "soon", "becoming")
SPOKEN_TIMES = {
    "0600": "by 0600",
    "0900": "by mid-morning",
    "1200": "by midday",
    "1500": "by mid-afternoon",
    "1800": "by 1800",
    "2100": "by 2100",
    "0000": "by midnight",
}
TURNS = {"veer": "veering", "back": "backing", "turn": "turning"}
TRENDS = {"rise": "increasing", "fall": "easing"}
LIGHT = 10  # a variable wind up to here is "10 or less": its lower limit helps nobody


def realise(winds: Sequence[Wind]) -> str:
    """The forecast of an input."""
    first = winds[0]
    text = f"{_direction(first)} {_speed(first)}{_gust_phrase(first)}"
    for number, change in enumerate(changes(winds)):
        text += (" then " if number % 2 == 0 else ", then ") + _changed(change)
        text += f" {SPOKEN_TIMES[change.wind.time]}" if change.wind.time in SPOKEN_TIMES else ""
        text += _gust_phrase(change.wind)
    return text


def _changed(change: Change) -> str:
    if change.turn is None:
        return f"{TRENDS[change.trend or 'rise']} {_speed(change.wind)}"
    turned = f"{TURNS[change.turn]} {_direction(change.wind)}"
    if change.trend is None:
        return turned
    return f"{turned} and {TRENDS[change.trend]} {_speed(change.wind)}"


def _direction(wind: Wind) -> str:
    return "variable" if wind.direction == "VAR" else wind.direction or ""


def _speed(wind: Wind) -> str:
    if wind.speed is None:
        return ""
    return f"{LIGHT} or less" if wind.direction == "VAR" and wind.speed[1] <= LIGHT else "{}-{}".format(*wind.speed)


def _gust_phrase(wind: Wind) -> str:
    return " gusts {}-{}".format(*wind.gust) if wind.gust else ""
