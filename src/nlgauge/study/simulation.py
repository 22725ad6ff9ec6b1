"""A pool of simulated judges who go through the verbs that people go through.

How they judge is the protocol's affair; a speeder answers at once. Some are dealt an evaluation and go away; the clock
is the simulation's own, so their slots return and are dealt again. It goes on from the last thing that happened in the
study: the launch, or an earlier rehearsal.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from nlgauge.io.exported import SURPLUS
from nlgauge.jsonable import Jsonable
from nlgauge.study.analysis.counting import sort
from nlgauge.study.file.study import Question
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import SIMULATED, Evaluation, Step
from nlgauge.study.protocols.base import Crowd
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, start
from nlgauge.study.store import Store

START = 1_767_225_600.0  # 2026-01-01: when a rehearsal in memory is launched
BETWEEN = 5.0  # seconds from one arrival to the next, on average
RETURNING = 0.1  # share of those who left and answer after all, too late
MOST_WAVES = 50


@dataclass
class SimulatedClock:
    """Seconds that pass as the simulation says."""

    now: float = START

    def __call__(self) -> float:
        return self.now


@dataclass
class Outcome(Jsonable):
    """What a simulation did."""

    KEYS = "came, ..."
    judges: int = 0
    finished: int = 0
    dropped: int = 0
    returned: int = 0
    speeders: int = 0
    turned_away: int = 0
    failed: int = 0
    left: int = 0  # those who dropped out and did not finish after all
    late: int = 0
    panels: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def came(self) -> int:
        """All who came; each of them ended in one of four ways."""
        return self.finished + self.failed + self.left + self.turned_away

    def __str__(self) -> str:
        """In words."""
        if not self.came:
            return "Nothing was left to do: every evaluation asked for had been made, and no simulated judge came."
        back = f" {self.returned:,} had left and came back to answer what was on screen." * bool(self.returned)
        judges = f"{self.came:,} simulated judge{'s' * (self.came != 1)}"
        return (
            f"{judges} came: {self.finished:,} finished, {self.failed:,} failed the practice or a test, "
            f"{self.left:,} left in between, {self.turned_away:,} found nothing left to do.{back}"
        )


def numbered(seed: int, after: int = 0) -> Callable[[], str]:
    """Names that follow from a seed: a simulation repeated gives the same rows; one that goes on after others, new."""
    random = Random(f"{seed}/names/{after}" if after else f"{seed}/names")
    return lambda: f"{random.getrandbits(128):032x}"


def rehearse(
    frozen: Frozen, pool: Crowd, *, seed: int, judges: int | None = None, store: Store | None = None
) -> tuple[Service, Outcome]:
    """Run a whole study in memory; a store that is handed in again (it is emptied) spares preparing its statements."""
    if store is not None:
        store.clear()
    store = store or Store.memory()
    service = start(frozen, store, clock=SimulatedClock(), generator=numbered(seed), simulated=True)
    return service, simulate(service, pool, seed=seed, judges=judges)


def simulate(
    service: Service,
    pool: Crowd,
    *,
    seed: int,
    judges: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """Send judges until `judges` have finished (by default: until every evaluation of every panel is made)."""
    clock = service.context.clock
    if not isinstance(clock, SimulatedClock):
        clock = service.context.clock = SimulatedClock(_begins(service))
    pool.check_wordings(service.study)
    outcome = Outcome()
    people = [name for name, panel in service.study.panels.items() if panel.kind == "people"]
    for name in people:
        _run_panel(service, clock, name, outcome, judges=judges, pool=pool, random=Random(f"{seed}/{name}"))
        if progress is not None:
            progress(outcome.finished)
    outcome.panels = summary(service)
    return outcome


def _begins(service: Service) -> float:
    """No judge comes before the launch, nor before those who came already; whole seconds, as a person would start."""
    last: float = max(event["at"] for event in service.events())
    return math.ceil(last) + 1.0


def _run_panel(
    service: Service,
    clock: SimulatedClock,
    panel: str,
    outcome: Outcome,
    *,
    judges: int | None,
    pool: Crowd,
    random: Random,
) -> None:
    """Waves of judges who work at the same time; whoever leaves is made up for in a later wave, after the timeout.

    Without a number of judges the waves go on until nothing is left to do.
    """
    done, each = 0, service.study.panels[panel].evaluations
    for _ in range(MOST_WAVES):
        left = service.progress.report()["panels"][panel]
        size = -(-(left["planned"] - left["done"]) // each) if judges is None else judges - done
        if size <= 0:
            return
        wave = [_Judge(service, panel, outcome, pool=pool, random=random) for _ in range(size)]
        _work(wave, clock, random)
        finished = sum(judge.finished for judge in wave)
        done += finished
        outcome.finished += finished
        if all(judge.turned_away for judge in wave):
            return
        clock.now += 61 * service.study.timeout
        for judge in wave:
            if judge.on_screen is not None and random.random() < RETURNING:
                outcome.returned += 1
                outcome.late += judge.answer()
                if each == 1:
                    done, outcome.finished = done + 1, outcome.finished + 1
                    outcome.left -= 1
        clock.now += 61 * service.study.timeout  # what those kept who came back and left again returns too


def _work(wave: list[_Judge], clock: SimulatedClock, random: Random) -> None:
    """Let every judge of a wave act when their time has come, until all have ended."""
    arrivals = clock.now
    agenda: list[tuple[float, int]] = []
    for number in range(len(wave)):
        arrivals += random.expovariate(1 / BETWEEN)
        heapq.heappush(agenda, (arrivals, number))
    while agenda:
        now, number = heapq.heappop(agenda)
        clock.now = max(clock.now, now)
        pause = wave[number].go_on()
        if pause is not None:
            heapq.heappush(agenda, (clock.now + pause, number))


class _Judge:
    """One simulated judge; `go_on` does one thing and says how many seconds later the next follows."""

    def __init__(self, service: Service, panel: str, outcome: Outcome, *, pool: Crowd, random: Random) -> None:
        self.service, self.panel, self.pool, self.random, self.outcome = service, panel, pool, random, outcome
        self.id = ""
        self.finished = self.turned_away = False
        self.on_screen: Evaluation | None = None
        self.speeder = random.random() < pool.speeders
        self.leaves_at = -1
        if random.random() < pool.dropouts:
            self.leaves_at = random.randrange(service.study.panels[panel].evaluations)
        self.rater = pool.rater(service, panel, random)
        self.client = f"{SIMULATED} judge"
        if self.speeder or self.rater.careless:
            self.client = f"{SIMULATED} speeder" if self.speeder else f"{SIMULATED} spammer"

    def go_on(self) -> float | None:
        if not self.id:
            return self._arrive()
        if self.on_screen is not None:
            self.answer()
            return 1.0
        step = self.service.dealing.step(self.id)
        people, study = self.service.people, self.service.study
        if step.kind in ("consent", "questions", "closing"):
            if step.kind == "consent":
                people.consent(self.id, True)
            elif step.kind == "questions":
                people.answer_questions(self.id, self._answers(study.questions))
            else:
                people.answer_closing(self.id, self._answers(study.closing))
            return 5.0
        if step.kind == "comprehension":
            self._try()
            return 20.0
        if step.evaluation is not None:
            return self._look(step, step.evaluation)
        self.finished = step.kind == "done"
        self.outcome.failed += step.kind == "failed"
        self.turned_away = step.kind in ("full", "closed", "paused")
        self.outcome.turned_away += self.turned_away
        return None

    def _arrive(self) -> float | None:
        try:
            language = self.random.choice(self.service.study.spoken)
            self.id, _ = self.service.arrivals.register(self.panel, language=language, client=self.client)
        except Refused as refusal:
            if refusal.code not in ("full", "closed", "paused"):
                raise
            self.turned_away = True
            self.outcome.turned_away += 1
            return None
        self.outcome.judges += 1
        self.outcome.speeders += self.speeder
        return 1.0

    def _look(self, step: Step, shown: Evaluation) -> float | None:
        self.on_screen = shown
        if not shown.practice and step.done == self.leaves_at:
            self.outcome.dropped += 1
            self.outcome.left += 1
            return None
        if self.speeder:
            return self.random.uniform(0.5, 2)
        return self.pool.seconds_for(shown) * self.random.lognormvariate(0, 0.5)

    def answer(self) -> bool:
        """Answer what is on screen; says whether that was too late to count."""
        shown = self.on_screen
        if shown is None:
            return False
        self.on_screen = None
        self.rater.prepare(self.id, shown)
        choice, place = self.rater.answer(lambda: shown, hasty=self.speeder)
        if shown.practice:
            self.service.answers.answer_practice(self.id, shown.number, choice, client=self.client)
            return False
        asked = self.service.study.reasons
        reason = "it reads differently" if asked.text == "required" else ""
        marked = [(place, 0, 1)] if asked.highlight == "required" else []
        told: dict[str, Any] = {"reason": reason, "highlights": marked, "client": self.client}
        receipt = self.service.answers.answer(self.id, shown.claim, choice, **told)
        return receipt.judgement.surplus

    def _try(self) -> None:
        """An attempt at the comprehension test: who reads knows the answers."""
        test = self.service.study.test
        assert test is not None
        guesses = self.speeder or self.rater.careless
        given = [self.random.randint(1, len(asked.options)) if guesses else asked.answer for asked in test.questions]
        self.service.people.answer_test(self.id, self.service.people.attempts(self.id) + 1, given)

    def _answers(self, questions: Sequence[Question]) -> dict[str, str]:
        plain = {"text": "simulated", "number": "40"}
        return {
            question.id: plain.get(question.type)
            or str(
                self.random.randint(1, question.points)
                if question.type == "scale"
                else self.random.randrange(len(question.options))
            )
            for question in questions
        }


def summary(service: Service) -> dict[str, dict[str, Any]]:
    """Completed evaluations by panel: how many, and what the protocol tells of them."""
    sorted_out = sort(service.judgements(), "exclude")
    given, late = sorted_out.given, sorted_out.aside.get(SURPLUS, [])
    return {
        name: service.protocol.summary(
            service.frozen,
            [judgement for judgement in given if judgement.panel == name],
            sum(judgement.panel == name for judgement in late),
        )
        for name in service.study.panels
    }
