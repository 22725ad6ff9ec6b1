"""Plots with two axes as inline SVG: scatter plots of outputs or systems, and curves over a few whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from nlgauge.report.svg import GUTTER, WIDTH, Drawing, make_scale, put, shorten, text_width
from nlgauge.stats.regression import Line
from nlgauge.wording.markup import element, joined

HEIGHT = 250.0
TOP, BOTTOM = 8.0, 38.0
MOST_POINTS = 1500  # drawn in one plot; more are thinned out evenly
LABELLED = 25  # points that can carry names
STYLES = 4  # ways to draw a curve
MARGIN = 0.4  # of the height of the points, that a band may add above and below
STEPS = 24  # pieces of a band's edge
# for a legend
FIT = joined(
    [element("rect", class_="band", x=0, y=3, width=16, height=10), element("path", class_="fit", d="M0 8H16")]
)


def scatter(
    x: Sequence[float],
    y: Sequence[float],
    *,
    x_name: str,
    y_name: str,
    title: str,
    labels: Sequence[str] = (),
    line: Line | None = None,
    equal: bool = False,
) -> tuple[Drawing, int]:
    """The plot, with a line and its band where one is given, and how many points of very many are not drawn.

    With `equal` both axes have one range, and a line stands where they are the same.
    """
    known = [place for place in range(len(x)) if math.isfinite(x[place]) and math.isfinite(y[place])]
    step = max(1.0, len(known) / MOST_POINTS)
    shown = [known[int(number * step)] for number in range(int(len(known) / step))]
    xs, ys = [x[place] for place in known], [y[place] for place in known]
    both = [min(*xs, *ys), max(*xs, *ys)] if equal else []
    frame = Frame([*xs, *both], [*ys, *both, *(_reach(line, xs, ys) if line is not None else ())])
    parts = [*frame.axes(x_name, y_name), *(_fit(frame, line) if line is not None else ())]
    if both:
        (x1, x2), (y1, y2) = map(frame.x, both), map(frame.y, both)
        parts.append(element("path", class_="fit", d=f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"))
    named = len(shown) <= LABELLED and bool(labels)
    for place in shown:
        parts.append(_point(frame, (x[place], y[place]), labels[place] if named else "", named=named))
    if named:
        parts += _names(frame, [(x[place], y[place], labels[place]) for place in shown])
    desc = f"{len(known):,} points; horizontal {x_name}, vertical {y_name}"
    return Drawing(joined(parts), HEIGHT, title, desc), len(known) - len(shown)


def _reach(line: Line, xs: Sequence[float], ys: Sequence[float]) -> list[float]:
    """How high and low the band goes, as far as that leaves the points most of the plot."""
    room = MARGIN * (max(ys) - min(ys))
    ends = [value for x in (min(xs), max(xs)) for value in line.at(x)]
    return [min(max(value, min(ys) - room), max(ys) + room) for value in ends]


def _fit(frame: Frame, line: Line) -> list[Markup]:
    """The band as an area, and the line in it, from the first point to the last."""
    span = frame.ends
    xs = [span[0] + (span[1] - span[0]) * k / STEPS for k in range(STEPS + 1)]
    places = [(frame.x(x), *map(frame.y, line.at(x))) for x in xs]
    under = [f"{x:.1f} {low:.1f}" for x, low, _, _ in places]
    over = [f"{x:.1f} {high:.1f}" for x, _, _, high in reversed(places)]
    middle = "L".join(f"{x:.1f} {y:.1f}" for x, _, y, _ in places)
    return [
        element("path", class_="band", d=f"M{'L'.join([*under, *over])}z"),
        element("path", class_="fit", d=f"M{middle}"),
    ]


def curves(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]], *, x_name: str, y_name: str, title: str
) -> Drawing:
    """One line for each (name, x, y), with its name at its end."""
    xs = [value for _, x, _ in lines for value in x]
    ys = [value for _, _, y in lines for value in y if math.isfinite(value)]
    room = max((text_width(name, 10.5) for name, _, _ in lines), default=0.0)
    frame = Frame(xs, ys, right=min(110.0, room) + 6)
    parts = frame.axes(x_name, y_name, whole=True)
    taken: list[float] = []
    for number, (name, x, y) in enumerate(lines):
        points = [(frame.x(a), frame.y(b)) for a, b in zip(x, y, strict=True) if math.isfinite(b)]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        parts.append(element("path", class_=f"curve curve{number % STYLES}", d=f"M{path}"))
        height = points[-1][1] + 4
        while any(abs(height - other) < 12 for other in taken):
            height += 12
        taken.append(height)
        parts.append(put("small", points[-1][0] + 5, height, shorten(name, 108, 10.5)))
    desc = "; ".join(
        f"{name}: " + ", ".join(f"{a:g} → {b:.3f}" for a, b in zip(x, y, strict=True)) for name, x, y in lines
    )
    return Drawing(joined(parts), HEIGHT, title, desc)


class Frame:
    """The plot area and its two scales."""

    def __init__(self, x: Sequence[float], y: Sequence[float], *, right: float = 0.0) -> None:
        upright = make_scale(y, 0.0, HEIGHT - TOP - BOTTOM)
        widest = max((text_width(_tick(tick, upright.places)) for tick in upright.ticks), default=20.0)
        self.left = widest + 2 * GUTTER + 12
        self.right = WIDTH - GUTTER - right
        self.bottom = HEIGHT - BOTTOM
        self.x = make_scale(x, self.left, self.right)
        self.ends = min(x, default=0.0), max(x, default=0.0)
        self._upright = upright

    def y(self, value: float) -> float:
        """The height of a value: the scale runs upwards."""
        return self.bottom - self._upright(value)

    def axes(self, x_name: str, y_name: str, *, whole: bool = False) -> list[Markup]:
        """Grid, ticks and names of the axes."""
        parts = []
        for tick in self.x.ticks:
            if whole and tick != round(tick):
                continue
            at = self.x(tick)
            parts.append(element("line", class_="grid", x1=at, x2=at, y1=TOP, y2=self.bottom))
            label = _tick(tick, 0 if whole else self.x.places)
            # A label at the edge is moved in: half of it would lie outside.
            centre = min(at, WIDTH - 2 - text_width(label) / 2)
            parts.append(put("tick", centre, self.bottom + 15, label, anchor="middle"))
        for tick in self._upright.ticks:
            at = self.y(tick)
            parts.append(element("line", class_="grid", x1=self.left, x2=self.right, y1=at, y2=at))
            parts.append(put("tick", self.left - 5, at + 4, _tick(tick, self._upright.places), anchor="end"))
        middle = (self.left + self.right) / 2
        parts.append(put("axis", middle, HEIGHT - 5, shorten(x_name, self.right - self.left), anchor="middle"))
        height = (TOP + self.bottom) / 2
        turned = {"text_anchor": "middle", "transform": f"rotate(-90 12 {height:.1f})"}
        name = element("text", shorten(y_name, self.bottom - TOP), class_="axis", x=12, y=height, **turned)
        parts.append(element("g", element("title", y_name), name))
        return parts


def _point(frame: Frame, point: tuple[float, float], label: str, *, named: bool) -> Markup:
    x, y = point
    title = [element("title", f"{label}: {x:.4g}, {y:.4g}")] if label else []
    look, radius = ("named", 4.0) if named else ("point", 2.6)
    return element("circle", *title, class_=look, cx=frame.x(x), cy=frame.y(y), r=radius)


def _names(frame: Frame, points: Sequence[tuple[float, float, str]]) -> list[Markup]:
    """Names beside the points, where they do not cover each other."""
    marks = [(frame.x(x) - 4, frame.y(y) - 4, frame.x(x) + 4, frame.y(y) + 4) for x, y, _ in points]
    taken = list(marks)
    parts = []
    for x, y, label in points:
        text = shorten(label, 96, 10.5)
        long, at, height = text_width(text, 10.5), frame.x(x), frame.y(y)
        beside = ((at + 7, height), (at - 7 - long, height))
        above_and_below = ((at - long / 2, height - 11), (at - long / 2, height + 12))
        for left, level in (*beside, *above_and_below, *_farther(at, height, long)):
            box = (left, level - 6, left + long, level + 6)
            outside = left < frame.left or left + long > WIDTH or box[1] < 0 or box[3] > frame.bottom
            if outside or any(_meet(box, other) for other in taken):
                continue
            taken.append(box)
            if (left, level) not in (*beside, *above_and_below):
                near = min(max(at, left), left + long)
                parts.append(element("line", class_="lead", x1=at, y1=height, x2=near, y2=level))
            parts.append(put("small", left, level + 4, text))
            break
    return parts


def _farther(x: float, y: float, long: float) -> Iterator[tuple[float, float]]:
    """Places for a name away from its point, which a line then joins to it: nearer ones first."""
    for distance in (22.0, 36.0, 52.0, 70.0, 90.0):
        for turn in range(12):
            angle = math.pi * turn / 6
            across, down = distance * math.cos(angle), distance * math.sin(angle)
            yield x + across - (long if across < -1 else 0.0 if across > 1 else long / 2), y + down


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _tick(value: float, places: int) -> str:
    return f"{value:.{places}f}".replace("-", "−")
