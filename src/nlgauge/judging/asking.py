"""A judge is asked about matches: both orders where places may matter, several samples, answers joined.

Of one order the commonest answer of the samples counts, and a tie where two are as common. Two orders that disagree are
a tie, and counted. Where every answer has probabilities, their geometric mean over orders and samples decides, which is
what a comparator does by itself; where texts have scores, the mean difference decides. Nothing is guessed: a match of
which one order has no answer is left open. A text against itself is a tie, whatever is said of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from nlgauge.errors import InputError, counted, option
from nlgauge.jsonable import Jsonable
from nlgauge.judging.cache import Verdicts, key_of
from nlgauge.judging.matches import TIE, TURNED, Match
from nlgauge.learned.comparator import verdicts as likeliest
from nlgauge.study.machine_judges.base import Choice, Judge, Sheet, decided
from nlgauge.study.machine_judges.endpoint import NoReplyError

K = TypeVar("K")
OUTCOMES = ("a", "b", TIE)
NO_REPLY = "no reply"
IN_A_ROW = 5  # requests without any reply after which a server is taken to be down
UNREAD = 20  # first answers of which none can be read, after which the judge is taken not to understand
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Vote:
    """One answer, in terms of the match whichever text stood first; None where there was none."""

    outcome: str | None
    turned: bool = False  # whether b stood first
    sample: int = 1
    gap: float | None = None  # score of a less that of b
    probabilities: tuple[float, ...] = ()
    why_not: str = ""
    reason: str = ""

    @property
    def first(self) -> bool | None:
        """Whether the text that stood first won; None for a tie."""
        return None if self.outcome in (None, TIE) else (self.outcome == "a") != self.turned


@dataclass(frozen=True)
class Verdict:
    """What a judge says of a match. `lean` is above 0 where a is nearer to winning, also in a tie."""

    match: Match
    votes: tuple[Vote, ...]
    outcome: str | None
    lean: float = 0.0
    probabilities: tuple[float, ...] = ()

    @property
    def orders(self) -> tuple[str | None, ...]:
        """What was said with a first, and with b first where that was asked."""
        turned = dict.fromkeys(vote.turned for vote in self.votes)
        return tuple(_commonest([vote for vote in self.votes if vote.turned == side]) for side in turned)

    @property
    def disagreed(self) -> bool:
        """Whether the orders did."""
        return len(set(self.orders)) > 1

    @property
    def gap(self) -> float | None:
        """The mean difference of scores."""
        gaps = [vote.gap for vote in self.votes]
        return None if not gaps or None in gaps else float(np.mean([gap for gap in gaps if gap is not None]))

    def within(self, margin: float) -> Verdict:
        """With another band of ties."""
        assert self.gap is not None
        return replace(self, outcome=by_gap(self.gap, margin))


@dataclass
class Spent(Jsonable):
    """What the judge was asked, what came back, and what failed on the way."""

    KEYS = "requests, cached, refused, unreadable, no_reply, failures = by_kind, ..."

    requests: int = 0  # that had a reply
    cached: int = 0  # answers that were known
    refused: int = 0
    unreadable: int = 0
    no_reply: int = 0
    failures: Counter[str] = field(default_factory=Counter)  # attempts that failed, by kind
    prompt_tokens: int = 0
    completion_tokens: int = 0
    earlier_prompt_tokens: int = 0  # of answers that were paid for in earlier runs
    earlier_completion_tokens: int = 0
    untold: int = 0  # replies of a model, in any run, whose server told no numbers of tokens
    stored: bool = False  # whether answers are kept in a file

    def add(self, choice: Choice) -> None:
        """Count one answer of this run."""
        for reply in choice.replies:
            sent, received = self._tokens(reply)
            self.prompt_tokens += sent
            self.completion_tokens += received
            self.failures.update(reply.get("failures") or ())
        self.requests += max(1, len(choice.replies)) - (choice.why_not == NO_REPLY)
        self.refused += choice.why_not == "refused"
        self.no_reply += choice.why_not == NO_REPLY
        self.unreadable += bool(choice.why_not) and choice.why_not not in ("refused", NO_REPLY)

    def earlier(self, replies: Iterable[Mapping[str, Any]]) -> None:
        """Count what was paid for in earlier runs."""
        for reply in replies:
            sent, received = self._tokens(reply)
            self.earlier_prompt_tokens += sent
            self.earlier_completion_tokens += received

    def _tokens(self, reply: Mapping[str, Any]) -> tuple[int, int]:
        """Of the prompt and of the reply, by either of their usual names."""
        usage = reply.get("usage")
        if usage is None:  # a program's, or none at all
            return 0, 0
        sent = int(usage.get("prompt_tokens", usage.get("input_tokens", 0)))
        received = int(usage.get("completion_tokens", usage.get("output_tokens", 0)))
        self.untold += not (sent or received)
        return sent, received

    @property
    def by_kind(self) -> dict[str, int]:
        """The failures in order."""
        return dict(sorted(self.failures.items()))

    @property
    def tokens(self) -> int:
        """All that were told of, in any run."""
        now, before = self.prompt_tokens, self.earlier_prompt_tokens
        return now + before + self.completion_tokens + self.earlier_completion_tokens


class Patient:
    """A judge of which a request without any reply, or with one that cannot be read, leaves a match open and not the
    others. Answers are kept as they come; what another process has asked meanwhile is not asked again."""

    def __init__(self, judge: Judge, kept: Verdicts, sample: int = 1) -> None:
        self.judge, self.kept, self.sample, self._row = judge, kept, sample, 0
        self._unread: int | None = 0  # answers so far, while none could be read

    @property
    def settings(self) -> Mapping[str, Any]:
        """The judge's."""
        return self.judge.settings

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """The judge's."""
        return self.judge.circumstances

    @property
    def side_by_side(self) -> int:
        """The judge's."""
        return self.judge.side_by_side

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """As the judge does."""
        self.judge.prepare(sheets)

    def decide(self, sheet: Sheet) -> Choice:
        """An answer, or that there was none; a judge that never replies, or never readably, ends the run."""
        key = self.key(sheet)
        with self.kept.claimed(key):
            found = self.kept.find(key)
            if found is None:
                found = self._asked(sheet)
                self.kept.add(key, found)
        return found

    def key(self, sheet: Sheet) -> str:
        """The digest of everything that is asked."""
        return key_of(self.judge, sheet, self.sample)

    def _asked(self, sheet: Sheet) -> Choice:
        try:
            found = self.judge.decide(sheet)
        except NoReplyError as error:
            self._row += 1
            if self._row >= IN_A_ROW:
                raise
            reply = {"outcome": NO_REPLY, "failures": list(error.failures)}
            return Choice(None, "", why_not=NO_REPLY, replies=(reply,))
        self._row = 0
        if found.answer is not None:
            self._unread = None
        elif self._unread is not None:
            self._unread += 1
        return found

    def refuse_unread(self) -> None:
        """End a run that pays for answers of which none can be used."""
        if self._unread is not None and self._unread >= UNREAD:
            raise InputError(
                f"none of the first {counted(self._unread, 'answer')} of the judge could be read as an answer; look at "
                f"what it said (the file of {option('cache')} holds its replies), and at how the prompt asks for the "
                "form"
            )


def answers(machine: Patient, sheets: Mapping[K, Sheet], spent: Spent) -> Iterator[tuple[K, Choice]]:
    """The answer to each sheet: those that are kept, and then those that come, which are counted."""
    kept = machine.kept
    waiting: dict[str, list[K]] = {}  # places by what is asked: the same is asked once
    for place, sheet in sheets.items():
        waiting.setdefault(machine.key(sheet), []).append(place)
    known = {key: found for key in waiting if (found := kept.find(key)) is not None}
    for key, places in waiting.items():
        if key not in kept.fresh:
            spent.earlier(kept.replies(key))
        if key in known:
            spent.cached += len(places)
            yield from ((place, known[key]) for place in places)
    unknown = {key: sheets[places[0]] for key, places in waiting.items() if key not in known}
    if not unknown:
        return
    machine.prepare(list(unknown.values()))
    for key, choice in decided(machine, iter(unknown.items())):
        if key in kept.fresh:
            spent.add(choice)
        else:
            spent.cached += 1
            spent.earlier(choice.replies)
        spent.cached += len(waiting[key]) - 1
        yield from ((place, choice) for place in waiting[key])
        machine.refuse_unread()


@dataclass
class Asking:
    """A judge, one machine for each sample, and the answers that are kept. `spent` counts as it goes."""

    machines: Sequence[Judge]
    show: Callable[[Match], Sheet]
    kept: Verdicts
    both: bool
    margin: float = 0.0
    spent: Spent = field(default_factory=Spent)
    patient: list[Patient] = field(init=False)

    def __post_init__(self) -> None:
        self.patient = [Patient(machine, self.kept, sample) for sample, machine in enumerate(self.machines, start=1)]

    def verdicts(self, matches: Sequence[Match], progress: Progress | None = None) -> list[Verdict]:
        """What is said of each match."""
        self.spent.stored = self.kept.path is not None
        orders = (False, True) if self.both else (False,)
        sheets = {
            (place, turned): self.show(match.turned if turned else match)
            for place, match in enumerate(matches)
            for turned in orders
        }
        votes: dict[int, list[Vote]] = {place: [] for place in range(len(matches))}
        total, done = len(sheets) * len(self.machines), 0
        for machine in self.patient:
            for (place, turned), choice in answers(machine, sheets, self.spent):
                votes[place].append(_vote(choice, turned, machine.sample))
                done += 1
                if progress is not None:
                    progress(done, total)
        return [joined(match, sorted(votes[place], key=_place), self.margin) for place, match in enumerate(matches)]

    def close(self) -> None:
        """End what was started."""
        self.kept.close()
        for machine in self.machines:
            getattr(machine, "close", lambda: None)()


def joined(match: Match, votes: Sequence[Vote], margin: float = 0.0) -> Verdict:
    """One verdict from the answers."""
    found = Verdict(match, tuple(votes), None)
    if not votes or None in found.orders:
        return found
    if match.same:
        return replace(found, outcome=TIE)
    if all(vote.probabilities for vote in votes):
        logs = np.log(np.maximum([vote.probabilities for vote in votes], 1e-300)).mean(axis=0)
        made = np.exp(logs - logs.max())
        made /= made.sum()
        outcome = OUTCOMES[int(likeliest(made[None])[0])]
        return replace(found, outcome=outcome, lean=float(made[0] - made[1]), probabilities=tuple(made.tolist()))
    if found.gap is not None:
        return replace(found, outcome=by_gap(found.gap, margin), lean=found.gap)
    said = [{"a": 1, "b": -1, TIE: 0}[vote.outcome] for vote in votes if vote.outcome]
    return replace(found, outcome=TIE if found.disagreed else found.orders[0], lean=float(np.mean(said)))


def by_gap(gap: float, margin: float) -> str:
    """The outcome that a difference of scores stands for."""
    return TIE if abs(gap) <= margin else "a" if gap > 0 else "b"


def _commonest(votes: Sequence[Vote]) -> str | None:
    counts = Counter(vote.outcome for vote in votes if vote.outcome)
    if not counts:
        return None
    most = max(counts.values())
    top = [outcome for outcome, count in counts.items() if count == most]
    return top[0] if len(top) == 1 else TIE


def _place(vote: Vote) -> tuple[bool, int]:
    return vote.turned, vote.sample


def _vote(choice: Choice, turned: bool, sample: int) -> Vote:
    if choice.answer is None:
        return Vote(None, turned, sample, why_not=choice.why_not)
    (answer,) = choice.answer.values()
    said = answer["preference"]
    chances, scores = choice.probabilities, choice.scores
    gap = scores[0] - scores[1] if scores and math.isfinite(scores[0] - scores[1]) else None
    if turned:
        said, gap = TURNED[said], None if gap is None else -gap
        chances = (chances[1], chances[0], chances[2]) if chances else ()
    return Vote(said, turned, sample, gap, tuple(chances), reason=choice.reason)
