"""Makes `src/nlgauge/demo/forecasts.jsonl`, the bundled example: marine wind forecasts by five systems.

    python tools/make_demo.py [FILE]

Everything in the file is made by this script from one seed: the weather, the three reference texts per item
(three invented forecasters with their own habits), the outputs of the five systems, and the ratings. No
person wrote a text or gave a rating. The ratings are simulated: each output's true faults, which the script
knows because it put them there, are turned into marks from 0 to 5 and blurred by a judge's leniency and
noise. They serve to try out commands, never to support a claim about metrics or systems.

The setting (numeric wind data in, one or two lines of forecaster's English out, a hand-written rule system
against statistical ones) follows Belz and Reiter (2006), "Comparing automatic and human evaluation of NLG
systems"; no text is taken from there. The systems:

* `rules`   hand-written rules: complete and exact, with unambiguous words for times
* `neural`  fluent and close to the forecasters' habits, but sometimes a number or a direction is wrong
* `stock`   strings stock phrases together, repeats itself, and calls everything "later"
* `sparse`  leaves out times, gusts and sometimes a whole change
* `clumsy`  picks phrases at random: wrong verbs, clumsy order, cut-off texts, once nothing at all

None of them is a mode of pCRU, the statistical generator of that paper; `nlgauge corpus pcru` has those.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

SEED = 13
ITEMS = 60
TARGET = Path(__file__).resolve().parents[1] / "src" / "nlgauge" / "demo" / "forecasts.jsonl"

COMPASS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"]
SCALE = [
    (3, 6),
    (5, 9),
    (8, 12),
    (10, 14),
    (12, 16),
    (15, 20),
    (18, 23),
    (22, 27),
    (25, 30),
    (30, 36),
    (35, 42),
]
HOURS = ["06", "09", "12", "15", "18", "21", "24"]
JUDGES = 3


@dataclass(frozen=True)
class State:
    """The wind at one time; direction None is variable, gust None is no mention."""

    hour: str
    direction: int | None
    speed: int  # position in SCALE
    gust: int | None

    @property
    def span(self) -> tuple[int, int]:
        return SCALE[self.speed]


@dataclass
class Draft:
    """A text on the way, with what is wrong with it."""

    text: str
    wrong: int = 0  # false statements
    missing: int = 0  # facts left out
    clumsy: int = 0  # hard or unpleasant to read


@dataclass(frozen=True)
class Style:
    """How a writer words a forecast; a wording given twice is chosen twice as often."""

    veer: Sequence[str] = ("veering",)
    back: Sequence[str] = ("backing",)
    turn: Sequence[str] = ("becoming",)
    rise: Sequence[str] = ("increasing",)
    fall: Sequence[str] = ("easing",)
    span: str = "{}-{}"
    direction: str = "{}"
    variable: str = "variable"
    both: Sequence[str] = ("{turn} {direction} and {change} {span}", "{turn} {direction} {span}")
    speed: str = "{change} {span}"
    gusts: Sequence[str] = (", gusts {}",)
    links: Sequence[str] = (", ", " then ")
    first: Sequence[str] = ("",)
    slow: Sequence[str] = ("",)  # adverb before a small change over many hours
    times: Mapping[str, Sequence[str]] = field(default_factory=dict)


_PLAIN = {
    "09": ("by mid-morning", "this morning"),
    "12": ("by midday",),
    "15": ("by mid-afternoon", "this afternoon"),
    "18": ("by early evening", "by evening"),
    "21": ("by late evening", "this evening"),
    "24": ("by midnight", "later"),
}

# Offshore shorthand; likes "gradually" and the hour named exactly.
KEATING = Style(
    fall=("easing", "easing", "decreasing"),
    both=("{turn} {direction} and {change} {span}", "{turn} {direction} {span}", "{turn} {direction} {span}"),
    gusts=(", gusts {}", " with gusts {}"),
    links=(", ", " then ", ", then "),
    slow=("gradually ", ""),
    times=_PLAIN,
)
# Fuller sentences with units; a fondness for "falling" and "freshening", and "later" for the end of the day.
OYELARAN = Style(
    turn=("becoming",),
    rise=("rising to", "increasing to", "freshening to"),
    fall=("falling to", "easing to", "moderating to"),
    span="{}-{} knots",
    direction="{}'ly",
    both=("{turn} {direction} and {change} {span}",),
    gusts=(", gusting to {}", ", with gusts of {}"),
    links=(", ", ", then "),
    first=("", " at first"),
    slow=("slowly ", "gradually ", ""),
    times={
        "09": ("during the morning", "this morning"),
        "12": ("by midday", "around midday"),
        "15": ("during the afternoon", "this afternoon"),
        "18": ("by evening", "towards evening"),
        "21": ("during the evening", "late evening"),
        "24": ("later", "by midnight", "overnight"),
    },
)
# Plain and brief; "for a time" for what will not last, "soon" for the morning.
SANDVIK = Style(
    rise=("increasing", "increasing to"),
    fall=("decreasing", "easing to"),
    gusts=(", gusts {}", ", gusts to {}"),
    links=(", ", ", ", " then "),
    first=("", " for a time"),
    times={
        "09": ("by mid-morning", "soon"),
        "12": ("by midday", "from midday"),
        "15": ("by mid-afternoon", "in the afternoon"),
        "18": ("by early evening", "in the evening"),
        "21": ("by late evening", "in the evening"),
        "24": ("by midnight", "later"),
    },
)
FORECASTERS = (KEATING, OYELARAN, SANDVIK)

# What may truly be said of an hour; "later" is true of the late hours and says too little of the others.
TRUE_TIMES = {hour: {phrase for style in FORECASTERS for phrase in style.times[hour]} | {"later"} for hour in HOURS[1:]}
VAGUE = {hour: {"later"} for hour in HOURS[1:-2]}
FALLING = {"easing", "falling", "decreasing", "moderating", "dropping"}

RULES = Style(
    both=("{turn} {direction} and {change} to {span}",),
    speed="{change} to {span}",
    gusts=(", gusts {}",),
    links=(", then ",),
    times={hour: words[:1] for hour, words in _PLAIN.items()},
)
NEURAL = Style(
    both=("{turn} {direction} and {change} {span}", "{turn} {direction} {span}"),
    gusts=(", gusts {}",),
    links=(", ", ", then ", ", "),
    slow=("gradually ", "", ""),
    times={hour: (words[0], *words) for hour, words in _PLAIN.items()},
)
STOCK = Style(
    both=("{turn} {direction} {span}",),
    links=(" then ",),
    times=dict.fromkeys(HOURS, ("later",)) | {"12": ("by midday",), "09": ("this morning", "later")},
)
SPARSE = Style(both=("{turn} {direction} {span}",), gusts=("",), links=(", ",), times=dict.fromkeys(HOURS, ("",)))
CLUMSY = Style(
    veer=("veering", "backing", "becoming", "turning"),
    back=("backing", "veering", "becoming", "turning"),
    turn=("becoming", "turning", "veering"),
    rise=("increasing", "freshening", "rising", "strengthening", "easing"),
    fall=("easing", "falling", "decreasing", "dropping", "increasing"),
    both=("from {direction} {change} {span}", "{change} {span} and {turn} {direction}", "{direction} {span}"),
    gusts=(", gusts {}", " gusting {}", " at times {}", ""),
    links=(" and ", " then ", " for a time ", ", later "),
    first=("", " at first", " for a time"),
    slow=("", "soon ", "occasionally "),
    times={hour: tuple(word for words in _PLAIN.values() for word in words) for hour in HOURS},
)


def weather(rng: random.Random) -> list[State]:
    """A start at 06 and one to three changes during the day, mostly with one trend."""
    hours = ["06", *sorted(rng.sample(HOURS[1:], rng.choice((1, 2, 2, 2, 3))))]
    sense, trend = rng.choice((-1, 1)), rng.choice((-1, 1))
    direction: int | None = rng.randrange(16)
    speed = rng.randrange(2, 9)
    states = [State("06", direction, speed, _gust(rng, speed))]
    for hour in hours[1:]:
        if rng.random() < 0.25:
            trend = -trend
        kind = rng.choice(("both", "both", "direction", "speed"))
        if kind != "speed" or direction is None:
            origin = rng.randrange(16) if direction is None else direction
            direction = (origin + sense * rng.choice((1, 2, 2, 3, 4))) % 16
        if kind != "direction" or speed < 2:
            step = rng.choice((1, 2, 2, 3)) * trend
            speed = speed + step if 0 <= speed + step < len(SCALE) else speed - step
        if speed <= 1 and rng.random() < 0.6:
            direction = None
        states.append(State(hour, direction, speed, _gust(rng, speed)))
    return states


def _gust(rng: random.Random, speed: int) -> int | None:
    low, high = SCALE[speed]
    return 5 * round((high + rng.randint(8, 14)) / 5) if low >= 15 and rng.random() < 0.55 else None


def table(states: Sequence[State]) -> list[list[str]]:
    """The source: [time, attribute, value] tuples."""
    rows = []
    for state in states:
        clock = "00:00" if state.hour == "24" else f"{state.hour}:00"
        where = "variable" if state.direction is None else COMPASS[state.direction]
        rows.append([clock, "wind direction", where])
        rows.append([clock, "wind speed", "{}-{} kn".format(*state.span)])
        if state.gust:
            rows.append([clock, "gusts", f"{state.gust} kn"])
    return rows


def realise(states: Sequence[State], style: Style, rng: random.Random) -> Draft:
    """The text of a forecast in a style, with what it says falsely or not at all."""
    start = states[0]
    draft = Draft(f"{_direction(start, style)} {_span(start, style)}" + rng.choice(style.first))
    _add_gusts(draft, start, style, rng)
    for before, after in pairwise(states):
        draft.text += rng.choice(style.links)
        _add_change(draft, before, after, style, rng)
    draft.text = draft.text[0].upper() + draft.text[1:] + "."
    return draft


def _add_change(draft: Draft, before: State, after: State, style: Style, rng: random.Random) -> None:
    turned, faster = after.direction != before.direction, after.speed > before.speed
    turn = rng.choice(_turning(before, after, style))
    change = rng.choice(style.rise if faster else style.fall) if after.speed != before.speed else ""
    phrase = "{turn} {direction}" if turned else style.speed
    if turned and change:
        phrase = rng.choice(style.both)
    small = abs(after.speed - before.speed) <= 1 and int(after.hour) - int(before.hour) >= 6
    time = rng.choice(style.times[after.hour])
    draft.text += rng.choice(style.slow) if small else ""
    draft.text += phrase.format(turn=turn, change=change, direction=_direction(after, style), span=_span(after, style))
    draft.text += f" {time}" if time else ""
    if "{turn}" in phrase and turn in ("veering", "backing"):
        draft.wrong += turn not in _turning(before, after, RULES)
    if "{change}" in phrase:
        draft.wrong += (change.split()[0] in FALLING) == faster
    draft.wrong += bool(time) and time not in TRUE_TIMES[after.hour]
    draft.missing += not time or time in VAGUE.get(after.hour, ())
    if after.gust != before.gust:
        _add_gusts(draft, after, style, rng)


def _add_gusts(draft: Draft, state: State, style: Style, rng: random.Random) -> None:
    if state.gust:
        mention = rng.choice(style.gusts).format(state.gust)
        draft.text += mention
        draft.missing += not mention


def _turning(before: State, after: State, style: Style) -> Sequence[str]:
    if before.direction is None or after.direction is None:
        return style.turn
    clockwise = (after.direction - before.direction) % 16
    return style.veer if 0 < clockwise < 8 else style.back if clockwise > 8 else style.turn


def _direction(state: State, style: Style) -> str:
    return style.variable if state.direction is None else style.direction.format(COMPASS[state.direction])


def _span(state: State, style: Style) -> str:
    return style.span.format(*state.span)


def rules(states: Sequence[State], rng: random.Random) -> Draft:
    """Complete and exact."""
    return realise(states, RULES, rng)


def neural(states: Sequence[State], rng: random.Random) -> Draft:
    """Fluent; about one text in four states something false."""
    return _realise_misread(states, NEURAL, 0.27, rng)


def _realise_misread(states: Sequence[State], style: Style, chance: float, rng: random.Random) -> Draft:
    """The text, with one wrong direction or speed at the given chance."""
    if rng.random() >= chance:
        return realise(states, style, rng)
    told = list(states)
    while told == list(states) or any(_same(before, after) for before, after in pairwise(told)):
        place = rng.randrange(len(told))
        told = [_misread(state, rng) if number == place else state for number, state in enumerate(states)]
    draft = realise(told, style, rng)
    draft.wrong += 1
    return draft


def _same(before: State, after: State) -> bool:
    return (before.direction, before.speed) == (after.direction, after.speed)


def _misread(state: State, rng: random.Random) -> State:
    if state.direction is not None and rng.random() < 0.5:
        return replace(state, direction=(state.direction + rng.choice((-2, -1, 1, 2))) % 16)
    step = rng.choice((-1, 1))
    return replace(state, speed=state.speed + step if 0 <= state.speed + step < len(SCALE) else state.speed - step)


def stock(states: Sequence[State], rng: random.Random) -> Draft:
    """Frequent phrases only, some of them twice."""
    draft = realise(states, STOCK, rng)
    draft.clumsy = max(0, draft.text.count("later") - 1)
    if len(states) > 2 and rng.random() < 0.2:
        parts = draft.text.split(" then ")
        draft.text = " then ".join([parts[0], parts[1], *parts[1:]])
        draft.clumsy += 2
    if rng.random() < 0.35:
        tail = rng.choice((" later", " then later", " by evening later", " and later easing"))
        draft.text = draft.text[:-1] + tail + "."
        draft.clumsy += 2
        draft.wrong += tail.endswith("easing")
    return draft


def sparse(states: Sequence[State], rng: random.Random) -> Draft:
    """Leaves out gusts, times, and now and then the change in the middle."""
    told = list(states)
    dropped = False
    if len(told) > 2 and rng.random() < 0.35:
        place = rng.randrange(1, len(told) - 1)
        dropped = not _same(told[place - 1], told[place + 1])
        if dropped:
            del told[place]
    draft = realise(told, SPARSE, rng)
    if rng.random() < 0.4:
        draft.text = draft.text[:-1] + " later."
        draft.missing -= told[-1].hour in ("21", "24")
    draft.missing += 3 * dropped
    return draft


def clumsy(states: Sequence[State], rng: random.Random) -> Draft:
    """Any rule that fits the grammar, and some that do not."""
    draft = _realise_misread(states, CLUMSY, 0.4, rng)
    draft.clumsy = sum(
        draft.text.count(phrase) for phrase in ("for a time", "occasionally", "from", ", later", "at times")
    )
    if rng.random() < 0.12:
        words = draft.text.split()
        draft.text = " ".join(words[: max(3, len(words) // 2)])
        draft.missing += 2
        draft.clumsy += 2
    return draft


SYSTEMS = {"rules": rules, "neural": neural, "stock": stock, "sparse": sparse, "clumsy": clumsy}


def ratings(draft: Draft, rng: random.Random, leniency: Sequence[float]) -> dict[str, list[int]]:
    """Marks from 0 to 5 by three simulated judges; nobody was asked."""
    if not draft.text:
        return {"clarity": [0] * JUDGES, "accuracy": [0] * JUDGES}
    clarity = 4.7 - 0.65 * min(4, draft.clumsy) - 0.15 * draft.missing
    accuracy = 4.8 - 1.3 * draft.wrong - 0.45 * draft.missing
    return {
        name: [_mark(true + bias + rng.gauss(0, 0.45)) for bias in leniency]
        for name, true in (("clarity", clarity), ("accuracy", accuracy))
    }


def _mark(value: float) -> int:
    return min(5, max(0, round(value)))


def kind(states: Sequence[State]) -> str:
    """What the wind does over the day."""
    first, last = states[0].speed, states[-1].speed
    return "increasing" if last > first else "easing" if last < first else "shifting"


def make() -> list[dict[str, Any]]:
    """All rows, item by item, systems in a fixed order."""
    rng = random.Random(SEED)
    leniency = [rng.gauss(0, 0.2) for _ in range(JUDGES)]
    silent = rng.randrange(ITEMS)  # the item for which `clumsy` produces nothing
    rows = []
    for number in range(ITEMS):
        states = weather(rng)
        references = [realise(states, style, rng).text for style in FORECASTERS]
        for name, system in SYSTEMS.items():
            draft = system(states, rng)
            if name == "clumsy" and number == silent:
                draft = Draft("")
            rows.append(
                {
                    "item": f"f{number + 1:02d}",
                    "system": name,
                    "source": table(states),
                    "references": references,
                    "hypothesis": draft.text,
                    "ratings": ratings(draft, rng, leniency),
                    "category": kind(states),
                }
            )
    return rows


def dump(rows: Sequence[dict[str, Any]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    """Write the file."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(dump(make()), encoding="utf-8")
    print(f"{target}: {ITEMS} items, {len(SYSTEMS)} systems", file=sys.stderr)


if __name__ == "__main__":
    main()
