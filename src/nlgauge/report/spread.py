"""How ratings are distributed, by criterion and system: bars of shades for points, histograms for all other scales."""

from __future__ import annotations

from nlgauge.report.figures import Figure, grid, legend
from nlgauge.report.markup import section, signs
from nlgauge.report.svg import Drawing, Panel, Row, shade, swatch
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.sentences import number
from nlgauge.study.protocols.ratings.analysis.spread import Distribution


def spread_figures(result: RatingResult) -> list[Figure]:
    """One for each criterion and panel; of yes-or-no answers the share says it all."""
    return [
        _figure(rating, rating.distribution, result.where(rating))
        for rating in result.ratings
        if rating.distribution is not None and rating.criterion.points != 2
    ]


def spread_section(result: RatingResult) -> str:
    """The same as a section of the page; a legend stands above where all have the same."""
    figures = spread_figures(result)
    return section(
        "How the ratings are distributed",
        "All ratings that count, system by system, before any model. Bars: per cent of the ratings on each point, the "
        "best in full colour; histograms: upright lines are medians.",
        "".join(legend(keys) for keys in dict.fromkeys(tuple(figure.legend) for figure in figures)),
        grid(figures),
    )


def _figure(one: Rating, found: Distribution, where: str) -> Figure:
    said = f"{one.n:,} {'rating' if one.n == 1 else 'ratings'} by {one.by}"
    if found.points:
        keys = tuple((swatch(shade(k, len(found.points))), f"{point:g}") for k, point in enumerate(found.points))
        return Figure("ratings", where, said, _bars(found, where), keys)
    return Figure("ratings", where, said, _histograms(one, found, where))


def _bars(found: Distribution, where: str) -> Drawing:
    rows = [
        Row(
            spread.system,
            text=f"{spread.n:,}",
            about=f"{spread.system}: "
            + ", ".join(f"{point:g} {share:.0f} %" for point, share in zip(found.points, spread.shares, strict=True)),
            shares=spread.shares,
        )
        for spread in found.systems
    ]
    return Panel(
        rows,
        title=f"Distribution of ratings for {where}",
        desc="; ".join(row.about for row in rows),
        axis="per cent of ratings; at the right their number",
        tall=True,
    ).draw()


def _histograms(one: Rating, found: Distribution, where: str) -> Drawing:
    rows = []
    for spread in found.systems:
        low, first, middle, third, high = (number(value, one) for value in spread.summary)
        about = f"{spread.system}: median {middle}, quartiles {first} and {third}, from {low} to {high}"
        rows.append(
            Row(
                spread.system,
                spread.summary[2],
                text=middle,
                shape="median",
                about=about,
                values=spread.values,
            )
        )
    asked = one.criterion
    axis = asked.measure or "rating"
    if asked.ratios:
        axis = "natural logarithm of the magnitude" + (", less the judge's mean" if asked.by_judge else "")
    return Panel(
        rows,
        title=f"Distribution of ratings for {where}",
        desc="; ".join(signs(row.about) for row in rows),
        axis=f"{axis}; at the right the median",
        tall=True,
        span=(found.edges[0], found.edges[-1]),
    ).draw()
