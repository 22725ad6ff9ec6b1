"""`nlgauge.judge`: a machine compares the outputs of systems, and its report card says what may be believed of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from nlgauge import receipt
from nlgauge.errors import InputError, option, suggest
from nlgauge.judging.asking import Asking, Progress, Spent, Verdict
from nlgauge.judging.cache import Verdicts, usual_place
from nlgauge.judging.card import Card, Limits, card_of
from nlgauge.judging.estimates import Band, WinRate, win_rates, with_band, with_rate
from nlgauge.judging.matches import TURNED, Contest, Match, contest
from nlgauge.judging.samples import SampleRatings, Ways, rate_outputs
from nlgauge.judging.settings import (
    QUALITY,
    Reached,
    comparing,
    judge_of,
    make_judge,
    needs_references,
    places_matter,
    remarks,
    sampling,
    sheet_of,
    told,
)
from nlgauge.results import Result
from nlgauge.skill import rate as rated
from nlgauge.stats.limits import check_level
from nlgauge.stats.skill import Ratings, tournament, zhou
from nlgauge.study.file.study import digest
from nlgauge.study.machine_judges.base import Judge, Sheet
from nlgauge.study.protocols.outputs.judge import LanguageModel, MachineJudge, Program

Schedule = Literal["all", "random", "round-robin", "information-gain", "least-certain", "glicko2-zhou"]
SCHEDULES: tuple[Schedule, ...] = get_args(Schedule)
Orders = Literal["both", "one"]


@dataclass(frozen=True)
class Prices:
    """Per million tokens, in any currency."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, spent: Spent, *, earlier: bool = True) -> float | None:
        """What the tokens cost, those of earlier runs included or not; None where the server told of none."""
        if spent.untold and not spent.tokens:
            return None
        prompt, completion = spent.prompt_tokens, spent.completion_tokens
        if earlier:
            prompt += spent.earlier_prompt_tokens
            completion += spent.earlier_completion_tokens
        return (prompt * self.prompt + completion * self.completion) / 1e6


@dataclass(frozen=True)
class Judged(Result):
    """The verdicts of a judge, its report card, and what they say of the systems."""

    KEYS = (
        "judge, settings, systems, games, open = left, card, spent, win_rates, band, ratings if any, "
        "sample_ratings if any, repeated, stopped, cost, notes, unrated if any, receipt"
    )

    ROWS = "win_rates"

    judge: str
    settings: Mapping[str, Any]
    systems: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    card: Card
    spent: Spent
    win_rates: tuple[WinRate, ...]
    band: Band | None
    ratings: Ratings | None  # of the systems, where asked for
    sample_ratings: SampleRatings | None  # of the outputs, where asked for
    repeated: int  # games of a schedule that had been played before
    stopped: str  # why a schedule ended: certainty or games; empty without one
    cost: float | None  # of this run
    receipt: str
    notes: tuple[str, ...] = ()
    unrated: str = ""  # why there are no ratings of the systems, where they were asked for

    @property
    def games(self) -> list[dict[str, Any]]:
        """Rows for `nlgauge rate`, one for each verdict."""
        return [_row(verdict, self.judge) for verdict in self.verdicts if verdict.outcome is not None]

    @property
    def left(self) -> int:
        """Matches without a verdict, which the same call asks about again."""
        return sum(verdict.outcome is None for verdict in self.verdicts)


def judge(
    data: Any,
    judge: MachineJudge | Mapping[str, Any],
    *,
    criterion: str = QUALITY,
    question: str = "",
    budget: int | None = None,
    schedule: Schedule = "all",
    orders: Orders = "both",
    samples: int = 1,
    human: str | None = None,
    human_tie: float = 0.0,
    margin: float | Literal["learn"] | None = None,
    tie_rate: float | None = None,
    own: str | None = None,
    rate: Literal["systems", "samples"] | None = None,
    plays: int | None = None,
    references: int | None = None,
    comparisons: int | None = None,
    across: bool = False,
    prices: Prices | None = None,
    cache: str | Path | None = None,
    reached: Reached | None = None,
    level: float = 0.95,
    trials: int = 1000,
    seed: int = 12345,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Have a judge say which of two outputs is better, for an evaluation set or pairwise rows.

    Args:
        data: an evaluation set, pairwise rows, or what `nlgauge.load` reads
        judge: as study files name them: {"kind": "metric", "metric": "chrf"}, "comparator" with model, "openai" with
            url and model, "command" with command
        criterion: what is to be judged
        question: the question to a language model, in place of the criterion's own
        budget: games at most
        schedule: all games, or drawn one after the other until the order of systems is certain
        orders: each pair in both orders, joined to one verdict, or one by chance
        samples: answers drawn from a language model for each order
        human: a criterion of the set that people rated; pairwise rows bring their preferences
        human_tie: difference of two ratings of one person up to which they are a tie
        margin: the band of ties of scores, or "learn" it from people
        tie_rate: the share of the matches that are to be ties, in place of a margin
        own: the system of the judge's own maker
        rate: rate the systems from the verdicts by Bradley and Terry's model, or each output (samples)
        plays: games drawn to rate outputs (10,000)
        references: rate each output against so many common ones
        comparisons: rate each output from so many comparisons
        across: outputs of different items may meet, each with its own input, as references always do
        prices: of a million tokens sent and received
        cache: a file that keeps the verdicts
        reached: the judge, where it is at hand already
        level: confidence level of the intervals
        trials: bootstrap draws
        seed: seed of all draws
        columns: the column that holds a key, where it has another name
        progress: called with what is being done

    >>> rows = [{"item": i, "system": s, "hypothesis": f"{s} {i}", "references": [f"a {i}"]}
    ...         for i in "xy" for s in "ab"]
    >>> [game[game["outcome"]] for game in judge(rows, {"kind": "metric", "metric": "chrf"}).games]
    ['a', 'a']
    """
    check_level(level)
    _check(schedule, budget, margin, tie_rate, samples)
    ways = _ways(rate, Ways(plays, references, comparisons, across), schedule, budget)
    found = contest(data, human=human, tie=human_tie, seed=seed, columns=columns)
    if own is not None and own not in found.systems:
        raise InputError(f"there is no system {own!r}; {suggest(own, list(found.systems))}")
    chosen = sampling(judge_of(judge), samples)
    if margin is not None and margin != "learn" and hasattr(chosen, "margin"):
        chosen = replace(chosen, margin=float(margin))  # type: ignore[call-arg]
    if orders not in ("both", "one"):
        raise InputError(f"orders must be both or one; got {orders!r}")
    crossing = ways is not None and (ways.across or ways.way == "references")
    study = comparing(criterion, question=question, across=crossing, seed=seed)
    assert found.whole is not None
    where, whole = reached or Reached(), found.whole
    machines = [make_judge(chosen, study, sample=k, reached=where, whole=whole) for k in range(1, samples + 1)]
    referring, answered = needs_references(chosen), kept(chosen, machines[0], cache)
    both = orders == "both" and places_matter(chosen, machines[0])

    def show(match: Match) -> Sheet:
        return sheet_of(match.sides, references=referring)

    asking = Asking(machines, show, answered, both, float(getattr(chosen, "margin", 0.0)))
    band: Band | None = None

    def settled(verdicts: list[Verdict]) -> list[Verdict]:
        nonlocal band
        if margin == "learn":
            verdicts, band = with_band(verdicts, seed=seed)
        elif tie_rate is not None:
            verdicts, band = with_rate(verdicts, tie_rate)
        return verdicts

    samples_rated, repeated, stopped = None, 0, ""
    try:
        if ways is None:
            verdicts, repeated, stopped = _played(found, asking, schedule, budget, seed, progress)
            verdicts = settled(verdicts)
        else:
            verdicts, samples_rated = rate_outputs(
                found, lambda some: settled(asking.verdicts(some, progress)), ways, level=level, seed=seed
            )
    finally:
        asking.close()
    name, spent, limits = called(chosen), asking.spent, Limits(level, trials, seed)
    card = card_of(name, verdicts, limits, own=own, cost=None if prices is None else prices.of(spent))
    facts: dict[str, object] = {
        "judge": f"{name}:{digest([dict(machine.settings) for machine in machines])[:12]}",
        "orders": "both" if both else "one",
        "samples": samples,
        "n": len(verdicts),
        "data": found.digest,
        **({} if band is None else {"margin": f"{band.margin:.10g}"}),
        **({} if own is None else {"own": own}),
        "ci": f"items:{trials}",
        "confidence": f"{level:g}",
        "seed": seed,
    }
    facts |= {} if schedule == "all" else {"schedule": schedule, "budget": budget}
    facts |= {} if prices is None else {"prices": f"{prices.prompt:g}+{prices.completion:g}"}
    facts |= {} if rate is None else {"rate": rate if ways is None else ways.fact}
    games = [_row(verdict, name) for verdict in verdicts if verdict.outcome is not None]
    ratings, unrated = _rated(games, level, seed) if rate == "systems" else (None, "")
    return Judged(
        judge=name,
        settings=dict(machines[0].settings),
        systems=found.systems,
        verdicts=tuple(verdicts),
        card=card,
        spent=spent,
        win_rates=win_rates(verdicts, level=level),
        band=band,
        ratings=ratings,
        sample_ratings=samples_rated,
        repeated=repeated,
        stopped=stopped,
        cost=None if prices is None else prices.of(spent, earlier=False),
        receipt=receipt.line(facts),
        notes=tuple(remarks(chosen, machines, whole())),
        unrated=unrated,
    )


def _check(
    schedule: Schedule,
    budget: int | None,
    margin: float | Literal["learn"] | None,
    tie_rate: float | None,
    samples: int,
) -> None:
    if schedule not in SCHEDULES:
        raise InputError(f"there is no schedule {schedule!r}; {suggest(schedule, SCHEDULES)}")
    if schedule != "all" and budget is None:
        raise InputError(f"the schedule {schedule} needs a budget ({option('budget')}): how many games at most")
    if margin is not None and margin != "learn" and not margin >= 0:
        raise InputError(f"margin must be 0 or more, or learn; got {margin}")
    if margin is not None and tie_rate is not None:
        raise InputError("a band of ties is given by a margin or by a rate of ties, not by both")
    if samples < 1 or (budget is not None and budget < 1):
        raise InputError("samples and budget must be at least 1")


def _rated(games: list[dict[str, Any]], level: float, seed: int) -> tuple[Ratings | None, str]:
    """The ratings, or why there are none: verdicts that were paid for are not lost for that."""
    if not games:
        return None, "no match has a verdict"
    try:
        return rated(games, level=level, seed=seed), ""
    except InputError as error:
        return None, str(error)


def _ways(rate: str | None, ways: Ways, schedule: Schedule, budget: int | None) -> Ways | None:
    """How single outputs are rated, where they are."""
    if rate not in (None, "systems", "samples"):
        raise InputError(f"rate must be systems or samples; got {rate!r}")
    if rate != "samples":
        if ways.given:
            raise InputError("plays, references, comparisons and across rate single outputs: rate samples")
        return None
    if schedule != "all" or budget is not None:
        raise InputError(
            "a schedule and a budget are of games between systems; plays, references or comparisons bound those of "
            "single outputs"
        )
    return ways


def kept(chosen: MachineJudge, machine: Judge, cache: str | Path | None) -> Verdicts:
    """Where answers are kept: of models and programs in a file, since others are quicker made than read."""
    if cache is not None:
        return Verdicts(Path(cache))
    return Verdicts(usual_place(machine) if isinstance(chosen, LanguageModel | Program) else None)


def _played(
    found: Contest, asking: Asking, schedule: Schedule, budget: int | None, seed: int, progress: Progress | None
) -> tuple[list[Verdict], int, str]:
    if schedule == "all":
        return asking.verdicts(found.matches[:budget], progress), 0, ""
    assert budget is not None
    queues: dict[frozenset[str], deque[Match]] = {}
    for match in found.matches:
        queues.setdefault(frozenset((match.a, match.b)), deque()).append(match)
    said: dict[Match, Verdict] = {}
    repeated = 0

    def play(a: str, b: str, _: str | None) -> str | None:
        nonlocal repeated
        queue = queues.get(frozenset((a, b)))
        if queue is None:
            raise InputError(f"{a} and {b} share no item; the schedule {schedule} needs systems that all meet")
        match = queue[0]
        queue.rotate(-1)
        repeated += match in said
        if match not in said:
            (said[match],) = asking.verdicts([match])
            if progress is not None:
                progress(len(said), budget)
        outcome = said[match].outcome
        return outcome if outcome is None or match.a == a else TURNED[outcome]

    # a verdict that were counted again would make the order look more certain than it is
    how: dict[str, Any] = {"schedule": schedule, "left": {pair: len(queue) for pair, queue in queues.items()}}
    if schedule == "glicko2-zhou":  # the paper's procedure: pairs by chance, games again, until the order stands
        how = {"schedule": "random", "stop": "order", "system": zhou()}
    ended = tournament(found.systems, play, max_games=budget, seed=seed, **how)
    return list(said.values()), repeated, ended.stopped


def called(judge: MachineJudge) -> str:
    """What a judge is called in rows and tables."""
    if isinstance(judge, Program):
        return Path(judge.command[-1]).name
    named: str = getattr(judge, "model", "") or getattr(judge, "metric", "")
    return Path(named).name if judge.kind == "comparator" else named


def _row(verdict: Verdict, judge: str) -> dict[str, Any]:
    match = verdict.match
    extra: dict[str, Any] = {"orders": list(verdict.orders)}
    if verdict.disagreed:
        extra["disagreed"] = True
    if len(verdict.votes) > len(verdict.orders):
        extra["votes"] = [vote.outcome for vote in verdict.votes]
    if verdict.gap is not None:
        extra["difference"] = verdict.gap
    if verdict.probabilities:
        extra["probabilities"] = dict(zip(("a", "b", "tie"), verdict.probabilities, strict=True))
    if match.human:
        extra["human"] = list(match.human)
    if match.other is not None:
        extra["item_b"] = match.other.item
    words = len(match.text_a.split()) - len(match.text_b.split())
    return {
        "item": match.item,
        "a": match.a,
        "b": match.b,
        "outcome": verdict.outcome,
        "judge": judge,
        "x_words": words,
        "text_a": match.text_a,
        "text_b": match.text_b,
        **({} if match.source is None or match.other is not None else {"context": told(match.source)}),
        "extra": extra,
    }


__all__ = ["Judged", "Prices", "Reached", "judge"]
