"""A hand-written realiser in the manner of SumTime: words are chosen for readers, not by how frequent they are.

Reiter et al. (2005) found that readers of forecasts dislike "later", which means something else in other forecasts, and
phrases with "evening", which they read differently. Both are the most frequent words of the corpus for the late hours.
The realiser names an hour instead, names one for every change that has one, says "veering" and "backing" wherever the
data tell which, and has one verb for each kind of change.
"""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.corpus.pcru.wind import Change, Wind, changes

AVOIDED = ("later", "evening", "this", "for a time", "soon", "becoming")
TIMES = {
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
    text = f"{_direction(first)} {_speed(first)}{_gusts(first)}"
    for number, change in enumerate(changes(winds)):
        text += (" then " if number % 2 == 0 else ", then ") + _changed(change)
        text += f" {TIMES[change.wind.time]}" if change.wind.time in TIMES else ""
        text += _gusts(change.wind)
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


def _gusts(wind: Wind) -> str:
    return " gusts {}-{}".format(*wind.gust) if wind.gust else ""
