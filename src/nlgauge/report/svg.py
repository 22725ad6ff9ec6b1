"""Small plots as inline SVG: dots with intervals, differences around a zero line, spreads of segment scores.

A panel is 360 units wide, which is a phone's width, so that it is shown at its natural size everywhere.
Colours are CSS custom properties of the page (light and dark), and no meaning is carried by colour alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from nlgauge.wording.markup import element, joined

WIDTH = 360.0
GUTTER = 8.0
FONT = 12.0  # as in the page's style sheet
LABELS = 110.0  # the widest label that stands beside its row
WIDER = 150.0  # the same in a panel, whose longer labels stand above their rows
STACK = 18.0  # added to a row's height where labels stand above
LINE = 15.0  # from one line of an axis's title to the next
BINS = 24
FAINTEST = 0.15  # opacity of the lightest shade
BOLD = 1.1  # how much wider bold letters are
NARROW, BROAD = "iljtfr.,:;'|!()[] ", "mwMW@%—…"


@dataclass(frozen=True)
class Drawing:
    """A picture as wide as a phone, to be set into a page or written to a file (`report.figures`)."""

    body: Markup
    height: float
    title: str
    desc: str

    def __html__(self) -> Markup:
        return element(
            "svg",
            element("title", self.title),
            element("desc", self.desc),
            self.body,
            viewBox=f"0 0 {WIDTH:g} {self.height:.0f}",
            width=f"{WIDTH:g}",
            height=f"{self.height:.0f}",
            role="img",
        )

    def __str__(self) -> str:
        return self.__html__()


@dataclass(frozen=True)
class Row:
    """One line of a panel: a value with an interval, or a distribution."""

    label: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""  # what is printed at the right
    shape: str = "dot"  # dot, best, better, worse or open
    about: str = ""  # read out and shown on hover
    values: Sequence[float] = ()
    outer: tuple[float, float] | None = None  # a wider interval, drawn as a thin line
    shares: Sequence[float] = ()  # per cent that add up to 100: a bar of as many shades


@dataclass(frozen=True)
class Scale:
    """From data to horizontal position, with round ticks."""

    low: float
    high: float
    left: float
    right: float
    ticks: tuple[float, ...]
    places: int

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)


def text_width(text: str, size: float = FONT) -> float:
    """A cautious estimate: the fonts of the reader are unknown."""
    return size * sum(map(_em, text))


def _em(letter: str) -> float:
    """How wide a letter may be, in units of its size."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(letter) in ("W", "F"):
        return 1.05
    if letter in NARROW:
        return 0.38
    return 1.0 if letter in BROAD else 0.75 if letter.isupper() else 0.62


def wrapped(text: str, room: float, size: float = FONT) -> list[str]:
    """The text in lines that fit, broken between words; a word that is too long loses its middle."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(shorten(word, room, size))
    return lines


def shorten(text: str, room: float, size: float = FONT) -> str:
    """The text, with its middle left out where it does not fit (names tend to differ at both ends)."""
    if text_width(text, size) <= room:
        return text
    keep = len(text)
    while keep > 2 and text_width(text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :], size) > room:
        keep -= 1
    return text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]


def round_ticks(low: float, high: float, most: int) -> tuple[tuple[float, ...], int]:
    """At most `most` multiples of 1, 2 or 5 times a power of ten within [low, high], and their decimals."""
    span = high - low
    power = math.floor(math.log10(span / max(1, most)))
    for exponent in range(power, power + 3):
        for factor in (1, 2, 5):
            step = factor * 10.0**exponent
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first + 1 <= most:
                return tuple(number * step for number in range(first, last + 1)), max(0, -exponent)
    return (), 0


def make_scale(
    values: Sequence[float], left: float, right: float, *, zero: bool = False, start: float | None = None
) -> Scale:
    """A scale that holds all values with a little room (none below `start`); labels of its ticks never touch."""
    known = [value for value in values if math.isfinite(value)] + ([0.0] if zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * 0.06 or max(abs(high) * 0.05, 0.05)
    low, high = low - room if start is None else start, high + room
    for most in range(6, 0, -1):
        ticks, places = round_ticks(low, high, most)
        widest = max((text_width(f"{tick:.{places}f}") for tick in ticks), default=0.0)
        if len(ticks) < 2 or (ticks[1] - ticks[0]) / (high - low) * (right - left) > widest + 10:
            break
    return Scale(low, high, left, right, ticks=ticks, places=places)


def axis_title(words: str, ends: tuple[float, float], top: float) -> tuple[Markup, float]:
    """What an axis shows, under the middle of it and within the picture, and where that ends."""
    lines, parts = wrapped(words, WIDTH - 2 * GUTTER), []
    for number, line in enumerate(lines):
        half = text_width(line) / 2
        centre = min(max(sum(ends) / 2, half + 2), WIDTH - half - 2)
        parts.append(put("axis", centre, top + 10 + LINE * number, line, anchor="middle"))
    return joined(parts), top + LINE * len(lines)


class Panel:
    """Rows with labels at the left (above, where they are long), a plot area, texts at the right, an axis."""

    foot = 24.0  # room for the labels of ticks

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        title: str,
        axis: str,
        desc: str | None = None,  # what is read out; where none is given, what is told about the rows
        zero: bool = False,
        tall: bool = False,
        span: Sequence[float] = (),
    ) -> None:
        self.rows = rows
        self.title = title
        self.desc = "; ".join(row.about for row in rows) if desc is None else desc
        self.axis = axis
        # Names are shown whole: beside their rows where they fit, else all above.
        widest = BOLD * max((text_width(row.label) for row in rows), default=0.0)
        self.stacked = widest > WIDER
        self.left = GUTTER if self.stacked else widest + 2 * GUTTER
        printed = BOLD * max((text_width(row.text) for row in rows), default=0.0)
        self.right = WIDTH - GUTTER - (printed + GUTTER if printed else 0.0)
        self.step = (26.0 if tall else 22.0) + (STACK if self.stacked else 0.0)
        self.bottom = 6.0 + self.step * len(rows)
        bounds = [
            v
            for row in rows
            for v in (row.value, row.low, row.high, *(row.outer or ()), *_ends(row.values))
            if v is not None
        ]
        self.scale = make_scale([*bounds, *span], self.left, self.right, zero=zero)
        if any(row.shares for row in rows):
            self.scale = Scale(0.0, 100.0, self.left, self.right, ticks=(0.0, 25.0, 50.0, 75.0, 100.0), places=0)
        self.zero = zero
        self.tall = tall

    def middle(self, number: int) -> float:
        """The height of a row's centre line."""
        return 6.0 + self.step * number + (STACK if self.stacked else 0.0) + (13.0 if self.tall else 11.0)

    def draw(self) -> Drawing:
        """The panel; under the labels of its ticks stands what its axis shows."""
        body = [*self._grid(), *(self._row(number, row) for number, row in enumerate(self.rows))]
        top = self.bottom + self.foot
        name, height = axis_title(self.axis, (self.left, self.right), top)
        return Drawing(joined([*body, name]), height, self.title, self.desc)

    def _grid(self) -> list[Markup]:
        parts = []
        for tick in self.scale.ticks:
            x = self.scale(tick)
            label = f"{tick:.{self.scale.places}f}".replace("-", "−")
            parts.append(upright("grid", x, self.bottom))
            anchor = "middle"
            half = text_width(label) / 2
            if x + half > WIDTH:
                anchor = "end"
            elif x - half < 0:
                anchor = "start"
            parts.append(put("tick", x, self.bottom + 16, label, anchor=anchor))
        if self.zero:
            parts.append(upright("zero", self.scale(0.0), self.bottom))
        return parts

    def _row(self, number: int, row: Row) -> Markup:
        y = self.middle(number)
        room = WIDTH - 2 * GUTTER if self.stacked else WIDER + 1
        label_y = y - (14.0 if self.tall else 11.0) if self.stacked else y + 4
        strong, size = (" strong", FONT * BOLD) if row.shape == "best" else ("", FONT)
        label = shorten(row.label, room, size)
        parts = [element("title", row.about or row.label)]
        if self.stacked:  # no line of the grid runs through a name, between its words either
            long = text_width(label, size) + 4
            parts.append(element("rect", class_="ground", x=f"{GUTTER - 2:g}", y=label_y - 11, width=long, height=15))
        parts.append(put(f"label{strong}", GUTTER, label_y, label))
        if row.values:
            parts.append(self._histogram(row, y))
        if row.shares:
            parts.append(self._stack(row.shares, y))
        parts.append(self._mark(row, y))
        if row.text:
            parts.append(put(f"value{strong}", WIDTH - GUTTER, y + 4, row.text, anchor="end"))
        return element("g", *parts)

    def _mark(self, row: Row, y: float) -> Markup:
        if row.value is None or not math.isfinite(row.value):
            return Markup()
        parts = []
        if row.outer is not None and all(map(math.isfinite, row.outer)):
            a, b = map(self.scale, row.outer)
            parts.append(element("path", class_=f"outer {row.shape}", d=f"M{a:.1f} {y:.1f}H{b:.1f}"))
        if row.low is not None and row.high is not None and math.isfinite(row.low) and math.isfinite(row.high):
            a, b = self.scale(row.low), self.scale(row.high)
            line = f"M{a:.1f} {y:.1f}H{b:.1f}M{a:.1f} {y - 4:.1f}v8M{b:.1f} {y - 4:.1f}v8"
            parts.append(element("path", class_=f"range {row.shape}", d=line))
        return joined([*parts, shape(row.shape, self.scale(row.value), y)])

    def _stack(self, shares: Sequence[float], y: float) -> Markup:
        """A bar from light to dark, with the per cent of the parts that have room for them."""
        parts, done = list[Markup](), 0.0
        for place, value in enumerate(shares):
            start, end = self.scale(done), self.scale(done + value)
            done += value
            if not value:
                continue
            words = f"{value:.0f}"
            opacity = f"{shade(place, len(shares)):.2f}"
            box = {"x": start, "y": y - 8, "width": end - start, "height": 16}
            parts.append(element("rect", class_="part", **box, fill_opacity=opacity))
            if end - start > text_width(words, 10.5) + 2:
                parts.append(put("small label", (start + end) / 2, y + 4, words, anchor="middle"))
        return joined(parts)

    def _histogram(self, row: Row, y: float) -> Markup:
        counts = [0] * BINS
        known = [value for value in row.values if math.isfinite(value)]
        width = (self.scale.high - self.scale.low) / BINS
        for value in known:
            counts[min(BINS - 1, int((value - self.scale.low) / width))] += 1
        top = max(counts, default=0) or 1
        base, step = y + 10, (self.scale.right - self.scale.left) / BINS
        steps = "".join(f"V{base - 19 * tally / top:.1f}h{step:.2f}" for tally in counts)
        return element("path", class_="hist", d=f"M{self.scale.left:.1f} {base:.1f}{steps}V{base:.1f}z")


class Marked(Panel):
    """A panel with one more upright line, such as guessing or the limit that was planned."""

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        mark: float,
        name: str,
        title: str,
        axis: str,
        desc: str | None = None,
        tall: bool = False,
    ) -> None:
        told = "; ".join(row.about for row in rows) if desc is None else desc
        super().__init__([*rows, Row("", mark)], title=title, desc=f"{told}; line: {name}", axis=axis, tall=tall)
        self.rows = rows
        self.bottom -= self.step
        self.mark, self.name = mark, name

    foot = Panel.foot + 12  # and for the name of the line

    def _grid(self) -> list[Markup]:
        x = self.scale(self.mark)
        half = text_width(self.name, 10.5) / 2
        at = min(max(x, self.left + half), WIDTH - half)
        name = put("marklabel", at, self.bottom + 29, self.name, anchor="middle")
        return [*super()._grid(), upright("mark", x, self.bottom), name]


def put(look: str, x: float, y: float, content: str, anchor: str = "start") -> Markup:
    """Words at a place."""
    return element("text", content, class_=look, x=float(x), y=float(y), text_anchor=anchor)


def upright(look: str, x: float, bottom: float) -> Markup:
    """A line from the top of a panel."""
    return element("line", class_=look, x1=float(x), x2=float(x), y1=2, y2=float(bottom))


def _ends(values: Sequence[float]) -> tuple[float, ...]:
    known = [value for value in values if math.isfinite(value)]
    return (min(known), max(known)) if known else ()


PATHS = {
    "best": "M{x:.1f} {up:.1f}L{b:.1f} {y:.1f}L{x:.1f} {down:.1f}L{a:.1f} {y:.1f}z",
    "better": "M{a:.1f} {down:.1f}H{b:.1f}L{x:.1f} {up:.1f}z",
    "worse": "M{a:.1f} {up:.1f}H{b:.1f}L{x:.1f} {down:.1f}z",
    "median": "M{x:.1f} {up:.1f}v15",
}


def shape(name: str, x: float, y: float) -> Markup:
    """The shape of a row at a place: a circle (`dot` and `open`), or a path."""
    if name not in PATHS:
        return element("circle", class_=name, cx=float(x), cy=float(y), r="4.5")
    way = PATHS[name].format(x=x, y=y, a=x - 5.5, b=x + 5.5, up=y - 5.5, down=y + 4.5)
    return element("path", class_=name, d=way)


def mark(name: str) -> Markup:
    """A shape by itself in a square of 16 units, for a legend."""
    return shape(name, 8, 8)


def shade(place: int, number: int) -> float:
    """The opacity of one of several shades, the last full."""
    return 1.0 if number == 1 else FAINTEST + (1 - FAINTEST) * place / (number - 1)


def swatch(opacity: float) -> Markup:
    """A shade by itself in the same square."""
    return element("rect", class_="bar", x=1, y=2, width=14, height=12, fill_opacity=f"{opacity:.2f}")
