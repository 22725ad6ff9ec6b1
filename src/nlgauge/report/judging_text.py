"""The report card of a judge in words, and the tables of what it said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nlgauge.errors import as_called, counted, option

if TYPE_CHECKING:
    from nlgauge.judging.asking import Spent
    from nlgauge.judging.card import Agreement, Card
    from nlgauge.judging.estimates import Band
    from nlgauge.judging.judge import Judged
    from nlgauge.judging.rating import RatingCard
    from nlgauge.judging.samples import SampleRatings
    from nlgauge.stats.results import Estimate

Row = tuple[str, str, str]
CARD = ("", "estimate", "what it says")
ENDED = {
    "certainty": "the order of the systems was certain",
    "order": "the order of the systems had stood while each was drawn 50 times",
    "games": "the budget was spent",
    "recorded": "no match was left, before the order was certain",
}
RATES = ("system", "people alone", "with the machine", "λ", "control variates", "worth")


def card_rows(card: Card) -> Iterator[Row]:
    """One row for each fact."""
    if (one := card.position) is not None:
        p = "" if math.isnan(one.p) else f" (sign test p = {one.p:.3g})"
        yield (
            "position bias",
            _share(one.first),
            f"decided answers for the text shown first, before orders were joined; 50 % is none. Of {one.both:,} "
            f"matches the first won in both orders {one.first_twice:,} times, the second {one.second_twice:,} times{p}",
        )
    if card.ties is not None:
        yield "ties", _share(card.ties), f"of {counted(card.judged, 'verdict')}"
    if card.orders_agree is not None:
        told = f"of {counted(card.orders_agree.n, 'match', 'matches')}; a match whose orders disagree is a tie"
        yield "same in both orders", _share(card.orders_agree), told
    if card.samples_agree is not None:
        yield "same in two samples", _share(card.samples_agree), f"of {card.samples_agree.n:,} pairs of samples"
    if card.longer_wins is not None:
        given = " where people see no difference" if card.given_people else ""
        yield "length bias", _share(card.longer_wins), f"chance that the longer text wins{given}; 50 % is none"
    if (mine := card.own) is not None:
        told = f"win rate of {mine.system}"
        told += "" if mine.people is None else f"; by people on the same matches {_share(mine.people)}"
        if (gap := mine.difference) is not None:
            points = f"{100 * gap.estimate:+.1f} points ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
            told += f"; difference {points}"
        yield "self-preference", _share(mine.machine), told
    if card.agreement is not None:
        yield from _agreement(card.agreement)
    if card.cost_per_1000 is not None:
        yield "cost", f"{card.cost_per_1000:.4g}", "for 1,000 verdicts, in the currency of the prices"


def _agreement(one: Agreement) -> Iterator[Row]:
    between = "" if one.between_people is None else f"; two people agree in {_share(one.between_people)}"
    told = f"of three outcomes, against {one.accuracy.n:,} human verdicts{between}"
    yield "accuracy", _share(one.accuracy), told
    if one.decided is not None:
        yield "accuracy without ties", _share(one.decided), f"where people decided ({one.decided.n:,} verdicts)"
    if one.kappa is not None:
        yield "κ with people", _number(one.kappa), "Cohen's"


def rating_card_rows(card: RatingCard) -> Iterator[Row]:
    """One row for each fact of a judge that rates outputs alone."""
    if card.ties is not None:
        yield "ties", _share(card.ties), f"two outputs of one item rated alike, of {card.ties.n:,} pairs"
    if card.samples_agree is not None:
        apart = "" if card.samples_apart is None else f"; mean distance {_number(card.samples_apart)} points"
        told = f"of {card.samples_agree.n:,} pairs of samples{apart}"
        yield "same in two samples", _share(card.samples_agree), told
    given = " that people rate alike" if card.given_people else ""
    if card.longer is not None:
        yield "length bias", _number(card.longer), f"points for a text twice as long{given}; 0 is none"
    if card.own is not None:
        told = f"points for the judge's own texts, against others{given}; 0 is none"
        yield "self-preference", _number(card.own), told
    if card.spearman is not None:
        told = f"over {card.spearman.n:,} outputs that people rated"
        yield "Spearman with people", _number(card.spearman), told
    if card.pearson is not None:
        yield "Pearson with people", _number(card.pearson), "over the same"
    if card.decided is not None:
        told = f"pairs of an item in the order of people, where they decided ({card.decided.n:,} verdicts)"
        yield "accuracy without ties", _share(card.decided), told
    if card.cost_per_1000 is not None:
        yield "cost", f"{card.cost_per_1000:.4g}", "for 1,000 outputs, in the currency of the prices"


def spent_lines(spent: Spent, left: int, *, what: tuple[str, str], cost: float | None) -> Iterator[str]:
    """What was asked, what failed, what it cost."""
    if spent.cached and spent.stored:
        yield f"{spent.cached:,} answers were known already; {spent.requests:,} requests were answered now."
    if spent.failures:
        told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(spent.failures.items()))
        yield f"Attempts that failed: {told}."
    if spent.refused or spent.unreadable or spent.no_reply:
        yield (
            f"{spent.refused:,} answers were refused, {spent.unreadable:,} could not be read, and {spent.no_reply:,} "
            "requests had no reply."
        )
    tokens = spent.prompt_tokens + spent.completion_tokens
    if tokens:
        price = "" if cost is None else f", which cost {cost:.4g}"
        yield f"{spent.prompt_tokens:,} tokens were sent and {spent.completion_tokens:,} received in this run{price}."
    if spent.untold:
        yield (
            f"{counted(spent.untold, 'reply', 'replies')} came without numbers of tokens, so that their cost is not "
            "known."
        )
    if left:
        told = f"1 {what[1]} is" if left == 1 else f"{left:,} {what[0]} are"
        yield f"{told} open: the same command asks again, and not about what was answered."


def judged_lines(judged: Judged) -> Iterator[str]:
    """What follows the tables."""
    yield from spent_lines(judged.spent, judged.left, what=("matches", "match"), cost=judged.cost)
    yield from (f"note: {note}" for note in judged.notes)
    if judged.unrated:
        yield f"The systems are not rated: {judged.unrated}. Options of nlgauge rate on the games (-o) may help."
    if judged.band is not None:
        yield _band(judged.band)
    if judged.repeated:
        yield f"{judged.repeated:,} games of the schedule were repeated: their pairs have no more items."
    if judged.stopped:
        yield f"The schedule ended when {ENDED[judged.stopped]}."


def _band(band: Band) -> str:
    told = f"Differences of scores up to {band.margin:.4g} are ties"
    if not band.folds:
        return f"{told}: the band whose share of ties is nearest to the rate given, over {band.matches:,} matches."
    none = f" People named no ties: {option('tie_rate')} sets their share." if band.ties == 0 else ""
    return (
        f"{told}: learned from {band.matches:,} matches that people judged; these were decided with the bands of other "
        f"folds.{none}"
    )


def sample_lines(rated: SampleRatings) -> Iterator[str]:
    """How outputs were rated, below the means of their ratings."""
    found = rated.found
    games = f"{len(found.games):,} games of {len(rated.outputs):,} outputs, {rated.recorded:,} pairs judged"
    yield f"{found.method}: {games}; {as_called('--json', 'to_dict()')} has the rating of each output."
    yield from (f"note: {note}" for note in found.notes)


def rate_rows(judged: Judged) -> Iterator[Sequence[str]]:
    """Each system's win rate by each way of estimating it."""
    for rate in judged.win_rates:
        one, other = rate.powered, rate.controlled
        people, helped = _within(one.plain, one.plain_low, one.plain_high), _within(one.estimate, one.low, one.high)
        controlled = _within(other.estimate, other.low, other.high)
        worth = f"{one.n} items as {one.n * one.efficiency:.0f}"
        yield rate.system, people, helped, f"{one.weight:.2f}", controlled, worth


def _limits(estimate: float, low: float, high: float) -> str:
    return f"{100 * estimate:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _within(estimate: float, low: float, high: float) -> str:
    """A share whose limits are those of a mean, and may lie beyond 0 and 1."""
    return _limits(estimate, max(low, 0.0), min(high, 1.0))


def _number(one: Estimate) -> str:
    return f"{one.estimate:.2f} ({one.low:.2f} to {one.high:.2f})"


def _share(one: Estimate) -> str:
    return f"{100 * one.estimate:.1f} %" if math.isnan(one.low) else _limits(one.estimate, one.low, one.high)
