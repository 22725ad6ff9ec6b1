"""What protocols say and show beyond means and agreement: conversations, tasks, magnitudes, classes, annotations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nlgauge.report.study.annotations import own_parts, own_sentences
from nlgauge.report.study.ratings_words import exclusions, machines, means, sentences, without_machines
from nlgauge.report.study.sentences import Sentence, agreement, beyond
from nlgauge.report.study.triangle_text import Part
from nlgauge.stats.discrimination.wording import exact_chance, percent, plain
from nlgauge.stats.results import Estimate
from nlgauge.study.protocols import part_of
from nlgauge.study.protocols.annotations.analysis.results import Edited, Marked
from nlgauge.study.protocols.chat.analysis.covariates import Covariates
from nlgauge.study.protocols.classification.analysis import Classified, OfPanel
from nlgauge.study.protocols.classification.answers import Group
from nlgauge.study.protocols.magnitudes.analysis.implied import Implied, Rankings
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.task.analysis import Task
from nlgauge.study.protocols.task.analysis.difficulty import Difficulty
from nlgauge.study.protocols.task.analysis.pace import Pace
from nlgauge.study.protocols.task.analysis.rows import SUCCESS, WHOLE
from nlgauge.study.protocols.task.analysis.success import LEVEL, Corrected
from nlgauge.wording.numbers import counts, figure, figures

KEY = (
    "Success is agreement with the key. Agreement between judges is whether they were right and wrong about the same "
    "questions; judges can agree with each other and be wrong."
)
GOINGS = ["criterion", "measure", "r", "low", "high", "conversations"]
IMPLIED = "Implied ranking"
SHOWN = 30  # questions in a table; the JSON object has all
LENGTHS = {
    "replies": "replies",
    "judge_words": "words of the judge",
    "system_words": "words of the system",
    "failures": "failed requests",
    "seconds": "seconds",
}


# ------------------------------------------------------------------------------------------------- conversations


def _of_chat(found: Covariates) -> list[Part]:
    """How long conversations were, and how that goes together with ratings."""
    lengths = [[row.system, f"{row.n:,}", *(f"{row.means[name]:.1f}" for name in LENGTHS)] for row in found.lengths]
    goings = [
        [row.criterion, LENGTHS[row.measure], *map(_three, (row.estimate, row.low, row.high)), f"{row.n:,}"]
        for row in found.goings
    ]
    heads = ["system", "conversations", *LENGTHS.values()]
    return [
        ("Conversations (means)", heads, lengths, _right(heads)),
        ("Ratings and lengths, within systems", GOINGS, goings, [2, 3, 4, 5]),
    ]


def _right(heads: Sequence[str]) -> list[int]:
    """All columns but the first are numbers."""
    return list(range(1, len(heads)))


def _chat(result: RatingResult, found: Covariates) -> Iterator[Sentence]:
    yield from sentences(result)
    listed = "; ".join(
        f"{row.system} {row.means['replies']:.1f} replies, {row.means['system_words']:.0f} words of the system, "
        f"{row.means['seconds']:.0f} seconds"
        for row in found.lengths
    )
    yield "Conversations", f"Conversations were on average as long as this: {listed}."


# --------------------------------------------------------------------------------------------------------- tasks


def _task(result: RatingResult, found: Task) -> Iterator[Sentence]:
    several = result.several_panels
    for rating in result.ratings:
        where = f", panel {rating.panel}" if several else ""
        yield f"Means: {rating.criterion.name}{where}", means(rating, rating.criterion.name, _answered(rating, where))
    for rating in result.ratings:
        if rating.criterion.id == SUCCESS:
            yield "Agreement between judges", f"{KEY} {_between_judges(rating)}"
    for pace in found.paces:
        yield "Time", f"{pace.panel + ': ' if several else ''}{_pace(pace)}"
    for corrected in found.corrected:
        yield "Guessing", f"{corrected.panel + ': ' if several else ''}{_corrected(corrected)}"
    if found.confidence:
        yield "Confidence", sureness(found)
    yield "Questions", _hardest(found.questions)
    yield from machines(result)
    yield from beyond(without_machines(result), (), result.judging)
    yield from exclusions(result)


def sureness(found: Task) -> str:
    """How sure judges were, where they were right and where not."""
    right, wrong = (
        "n/a" if mean is None else f"{mean:.2f}" for mean in (found.confidence["right"], found.confidence["wrong"])
    )
    return (
        f"From 1 to 5, judges were {right} sure on average where all their answers were right and {wrong} where some "
        "were wrong."
    )


def _answered(one: Rating, where: str) -> str:
    who = f"{one.judges:,} {'judge' if one.judges == 1 else 'judges'}{where}"
    if one.criterion.id == SUCCESS:
        return f"{who} answered {one.n:,} questions; the shares of right answers are"
    if one.criterion.id == WHOLE:
        return f"{who} answered the questions about {one.n:,} texts; the shares of texts with every answer right are"
    return f"{who} said how sure they were, from 1 to 5, {one.n:,} times; the means are"


def _between_judges(one: Rating) -> str:
    """Without a diagnosis: that judges fail at other questions is no sign of careless judges."""
    found = one.agreeing
    if found.agreement is None:
        return f"Between judges it cannot be told: {found.reason}."
    return f"On whether answers are right: {found.agreement.sentence}"


def _hardest(hard: Sequence[Difficulty]) -> str:
    first = hard[0]
    said = (
        f"{len(hard):,} questions were answered; the hardest was {first.question} about {first.item!r} ("
        f"{100 * first.share:.0f} % right)"
    )
    useless = sum(question.share in (0.0, 1.0) for question in hard)
    return f"{said}; {useless:,} were answered rightly by all or by nobody and tell systems apart in nothing."


def _pace(pace: Pace) -> str:
    listed = ", ".join(
        f"{system_mean.system} {math.exp(system_mean.mean):.1f} s"
        + _two_limits(math.exp(system_mean.low), math.exp(system_mean.high))
        for system_mean in pace.fastest
    )
    said = f"The geometric means of the time for a text are {listed}"
    if pace.models.linear is not None and len(pace.models.means) > 1:
        test = pace.models.linear.test()
        verdict = "differ" if test.p < 0.05 else "were not shown to differ"
        said += f"; times {verdict} (log seconds, linear mixed model: {test})"
    rates = ", ".join(
        f"{ratio.system} {ratio.estimate:.2f}{_two_limits(ratio.low, ratio.high)}" for ratio in pace.efficiency
    )
    return f"{said}. Right answers per minute: {rates} (bootstrap over judges)."


def _pace_table(pace: Pace) -> Part:
    """Seconds and right answers per minute."""
    rate = {ratio.system: ratio for ratio in pace.efficiency}
    rows = []
    for mean in pace.fastest:
        seconds = figures(math.exp(mean.mean), math.exp(mean.low), math.exp(mean.high), places=1)
        own = rate[mean.system]
        rows.append([mean.system, f"{mean.n:,}", *seconds, *figures(own.estimate, own.low, own.high, places=2)])
    heads = ["system", "texts", "seconds", "low", "high", "right per minute", "low", "high"]
    return f"Time and efficiency: {pace.panel}", heads, rows, _right(heads)


def _two_limits(low: float, high: float, places: int = 2) -> str:
    return "" if math.isnan(low) else f" ({low:.{places}f} to {high:.{places}f})"


def _corrected(corrected: Corrected) -> str:
    listed = ", ".join(
        f"{ratio.system} {ratio.estimate:.3f}{_two_limits(ratio.low, ratio.high, 3)}" for ratio in corrected.systems
    )
    return (
        f"Corrected for guessing by formula scoring, success is {listed} ({100 * LEVEL:g} % limits of a bootstrap "
        "over judges)."
    )


def _corrected_table(corrected: Corrected) -> Part:
    """Scores without what guessing brings."""
    rows = [[row.system, *figures(row.estimate, row.low, row.high), f"{row.n:,}"] for row in corrected.systems]
    return (
        f"Corrected for guessing: {corrected.panel}",
        ["system", "score", "low", "high", "answers"],
        rows,
        [1, 2, 3, 4],
    )


def _questions_table(found: Sequence[Difficulty]) -> Part:
    """The hardest questions, for the report."""
    systems = list(dict.fromkeys(name for row in found for name in row.by_system))
    rows = []
    for row in found[:SHOWN]:
        shares = [f"{value:.2f}" for value in (row.share, row.low, row.high)]
        shares += [f"{row.by_system[name]:.2f}" if name in row.by_system else "-" for name in systems]
        rows.append([row.item, row.question, f"{row.n:,}", *shares])
    more = f" (the hardest {SHOWN} of {len(found):,})" if len(found) > SHOWN else ""
    heads = ["item", "question", "answers", "right", "low", "high", *systems]
    return f"Questions{more}", heads, rows, list(range(2, 6 + len(systems)))


def _of_task(found: Task) -> list[Part]:
    return [*map(_pace_table, found.paces), *map(_corrected_table, found.corrected), _questions_table(found.questions)]


# ---------------------------------------------------------------------------------------------------- magnitudes


def _magnitudes(result: RatingResult, found: Rankings) -> Iterator[Sentence]:
    yield from sentences(result)
    for ranking in found.rankings:
        yield f"{IMPLIED}: {ranking.where}", of_ranking(ranking)


def _of_magnitudes(found: Rankings) -> list[Part]:
    """Systems from best to worst, by each ranking that there is."""
    heads = ["system", "strength", "low", "high", "ranks", "won", "tied", "lost", "TrueSkill"]
    tables = []
    for ranking in found.rankings:
        skill = (
            {} if ranking.trueskill is None else {row.player: f"{row.rating:.1f}" for row in ranking.trueskill.ratings}
        )
        rows = []
        for row in ranking.ratings.ratings if ranking.ratings is not None else ():
            strength = [f"{value:.2f}" for value in (row.rating, row.low, row.high)]
            games = counts(row.wins, row.ties, row.losses)
            own = skill.get(row.player, "-")
            rows.append([row.player, *strength, f"{row.rank_low}-{row.rank_high}", *games, own])
        tables += [(f"{IMPLIED}: {ranking.where}", heads, rows, _right(heads))] if ranking.ratings is not None else []
    return tables


def _of_classes(found: Classified) -> list[Part]:
    return [table for of_panel in found.panels for table in _class_tables(of_panel)]


def of_ranking(ranking: Implied) -> str:
    """The order of the systems, and how it goes with the magnitudes."""
    found = ranking.ratings
    if found is None:
        return f"The numbers for {ranking.where} give no ranking: {ranking.reason}."
    listed = ", ".join(f"{row.player} {row.rating:.2f} ({row.low:.2f} to {row.high:.2f})" for row in found.ratings)
    same = "" if math.isnan(ranking.tau) else f" Kendall's τ with the magnitudes is {ranking.tau:.2f}."
    return (
        f"By which number on a screen is the larger, the systems have the strengths {listed} for {ranking.where} "
        f"({found.model}; {found.interval}).{same}"
    )


# ------------------------------------------------------------------------------------------------------- classes


def _classes(result: RatingResult, found: Classified) -> Iterator[Sentence]:
    for of_panel, text in zip(found.panels, conclusions(result), strict=True):
        yield f"Accuracy: {of_panel.panel}", text
    for of_panel in found.panels:
        rating = next(rating for rating in result.ratings if rating.panel == of_panel.panel)
        yield f"Agreement: {of_panel.panel}", agreement(rating, "the class")
    yield from sentences(result, agreeing=False)


def conclusions(result: RatingResult) -> list[str]:
    """What was found, where it is not which system has the highest mean."""
    if not isinstance(result.own, Classified):
        return []
    panels = result.own.panels
    return [_conclusion(of_panel, several=len(panels) > 1) for of_panel in panels]


def _conclusion(of_panel: OfPanel, *, several: bool) -> str:
    """Accuracy, sensitivity and agreement of a panel in words."""
    found = of_panel.whole
    who = f"{len(found.judges):,} {'judge' if len(found.judges) == 1 else 'judges'}"
    said = f"Panel {of_panel.panel}: " * several
    alpha = found.alpha
    agreed = "" if alpha is None else f"; Krippendorff's alpha {plain(alpha.estimate)}{_plain_limits(alpha)}"
    if not found.known:
        return f"{said}{who} classified {found.outputs:,} outputs, whose true class is not known{agreed}."
    share = found.accuracy
    said += (
        f"{who} named the true class in {percent(share.estimate)} of {len(found.known):,} answers "
        f"(95 % limits {percent(share.low)} to {percent(share.high)}; {percent(found.chance)} by guessing"
    )
    said += ")" if math.isnan(found.p) else f", permutation test {exact_chance(found.p)})"
    shares = [judge.accuracy.estimate for judge in of_panel.judges.values() if judge.known]
    if len(shares) > 1:
        said += f", single judges in {percent(min(shares))} to {percent(max(shares))}"
    if (seen := found.sensitivity) is not None:
        said += f"; d′ = {plain(seen.d_prime.estimate)}{_plain_limits(seen.d_prime)}, c = {plain(seen.criterion)}"
    return f"{said}{agreed}."


def _plain_limits(estimate: Estimate) -> str:
    return "" if math.isnan(estimate.low) else f" ({plain(estimate.low)} to {plain(estimate.high)})"


def _class_tables(of_panel: OfPanel) -> Iterator[Part]:
    known = of_panel.whole.known
    if known:
        yield _accuracy_table(f"Accuracy: {of_panel.panel}", "system", {part.called: part for part in of_panel.parts})
        yield _accuracy_table(f"Judges by accuracy: {of_panel.panel}", "judge", of_panel.judges)
        yield _class_table(of_panel)
    for part in of_panel.parts:
        yield _confusion_table(part, of_panel.panel)
    yield _alpha_table(of_panel)


def _accuracy_table(heading: str, what: str, parts: Mapping[str, Group]) -> Part:
    """Of systems p by permutation; of single judges by the exact binomial test."""
    heads = [what, "answers", "correct", "low", "high", "p (guessing)"]
    sensed = len(next(iter(parts.values())).names) == 2
    heads += ["d′", "d′ low", "d′ high", "c"] if sensed else []
    rows = []
    for name, part in parts.items():
        share, p = part.accuracy, part.p_chance if what == "judge" else part.p
        row = [name, f"{len(part.known):,}", *map(_three, (share.estimate, share.low, share.high))]
        row.append("n/a" if p is None or math.isnan(p) else "< 0.0001" if p < 0.0001 else f"{p:.4f}")
        if sensed:
            seen = part.sensitivity
            d = Estimate(math.nan) if seen is None else seen.d_prime
            row += map(_three, (d.estimate, d.low, d.high, math.nan if seen is None else seen.criterion))
        rows.append(row)
    return heading, heads, rows, _right(heads)


def _class_table(of_panel: OfPanel) -> Part:
    heads = ["class", "answers about it", "recall", "low", "high", "answers that name it", "precision"]
    heads += ["precision low", "precision high"]
    group, rows = of_panel.whole, []
    for place, name in enumerate(of_panel.whole.names):
        row = [name]
        for share in (group.recall(place), group.precision(place)):
            row += [f"{share.n:,}", *map(_three, (share.estimate, share.low, share.high))]
        rows.append(row)
    return f"Classes: {of_panel.panel}", heads, rows, _right(heads)


def _confusion_table(part: Group, panel: str) -> Part:
    """Answers by true class, with the share of each row."""
    rows = []
    for name, row in zip((*part.names, "unknown"), part.confusion.tolist(), strict=True):
        if total := sum(row):
            rows.append([name, *(f"{count:,} ({100 * count / total:.0f} %)" for count in row)])
    where = f"{panel}, {part.called}" if part.system else panel
    heads = ["true class", *part.names]
    return f"Confusion: {where}", heads, rows, _right(heads)


def _alpha_table(of_panel: OfPanel) -> Part:
    """Krippendorff's alpha on the class by system."""
    rows = []
    for part in of_panel.parts:
        alpha = Estimate(math.nan) if part.alpha is None else part.alpha
        rows.append([part.called, f"{alpha.n:,}", *map(_three, (alpha.estimate, alpha.low, alpha.high))])
    heads = ["system", "outputs", "alpha", "low", "high"]
    return f"Agreement by system: {of_panel.panel}", heads, rows, [1, 2, 3, 4]


def _three(value: float) -> str:
    return figure(value) if not math.isinf(value) else "∞" if value > 0 else "-∞"


# --------------------------------------------------------------------------------------------------- annotations


def _annotations(result: RatingResult, found: Edited | Marked) -> Iterator[Sentence]:
    yield from own_sentences(found)
    yield from sentences(result)


class Spoken(NamedTuple):
    """How what a protocol finds is told."""

    said: Callable[[RatingResult, Any], Iterator[Sentence]]  # all sentences of the analysis
    tables: Callable[[Any], list[Part]]
    first: bool = False  # whether its tables stand before the means
    opened: tuple[str, ...] = ()  # the kinds of its tables that are read first, beside those of ratings


SPOKEN: Mapping[type, Spoken] = {
    Covariates: Spoken(_chat, _of_chat),
    Task: Spoken(_task, _of_task),
    Rankings: Spoken(_magnitudes, _of_magnitudes),
    Classified: Spoken(_classes, _of_classes, first=True, opened=("Accuracy", "Confusion")),
    Edited: Spoken(_annotations, own_parts, first=True),
    Marked: Spoken(_annotations, own_parts, first=True, opened=("Errors by category and severity",)),
}


def spoken_of(result: RatingResult) -> Spoken | None:
    """How what the result's protocol finds of its own is told, if anything; a new one has that in its part `report`."""
    if result.own is None:
        return None
    return SPOKEN.get(type(result.own)) or part_of(result.protocol, "report").SPOKEN


def all_sentences(result: RatingResult) -> Iterator[Sentence]:
    """Headings and texts of any study of ratings."""
    spoken = spoken_of(result)
    return sentences(result) if spoken is None else spoken.said(result, result.own)


def tables(result: RatingResult, *, first: bool) -> list[Part]:
    """What a protocol shows beyond means and agreement, before the means or after them."""
    spoken = spoken_of(result)
    return [] if spoken is None or spoken.first != first else spoken.tables(result.own)
