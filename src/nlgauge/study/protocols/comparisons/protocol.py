"""Comparisons for the engine. An answer is an object: for each criterion, by its id, what `answers` describes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.io.exported import CANNOT
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols.base import Crowd, Layout, Place, Protocol, Seen, accepted, told_of
from nlgauge.study.protocols.comparisons import answers, file
from nlgauge.study.protocols.comparisons.contradictions import contradictions
from nlgauge.study.protocols.comparisons.file import ComparisonStudy, PairwiseStudy, RankingStudy, comparison_study
from nlgauge.study.protocols.comparisons.simulation import OPTIONS, Choosers
from nlgauge.study.protocols.outputs.abstaining import judged, taken
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.layout import ROLES
from nlgauge.study.protocols.outputs.practice import laid_out_beside
from nlgauge.study.protocols.outputs.protocol import OutputProtocol, answers_to, criteria_wordings, means, summed
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.service import Service


class Comparisons(ABC):
    """Which of these texts is better?"""

    name: str
    declinable = True
    instructions: ClassVar[str] = "comparisons.instructions.{}"
    machines = samples = True
    figures = "won"
    unpractised: ClassVar[str] = "there is no practice: the first comparison of each judge counts"
    called: ClassVar[str]  # what a study of the protocol is called

    # ------------------------------------------------------------------------- what differs within the family

    @abstractmethod
    def take(self, answer: Any, texts: int, study: ComparisonStudy) -> dict[str, Any]:
        """The answer for one criterion in its canonical form, or `Refused`."""

    @abstractmethod
    def possible(self, answer: Any, texts: int) -> bool:
        """Whether some study of the protocol could have taken an answer for one criterion."""

    @abstractmethod
    def told(self, answer: Mapping[str, Any], texts: Sequence[Text]) -> Iterator[dict[str, Any]]:
        """The rows of an answer for one criterion; an empty one says nothing of the texts."""

    # ------------------------------------------------------------------------------------------- the study file

    def describe(self, study: Study) -> str:
        """What is compared for what."""
        own = comparison_study(study)
        names = ", ".join(compared.id for compared in own.questions_asked)
        return f"{self.called} of {len(own.authors)} systems for {names}; {own.plan.kind} design"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(comparison_study(study))

    def asked_wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, degrees of preference."""
        yield from criteria_wordings(study)
        own = comparison_study(study)
        for number, words in enumerate(own.strength if isinstance(own, PairwiseStudy) else (), start=1):
            yield f"strength.{number}", words

    # --------------------------------------------------------------------------------------- launch and dealing

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts of every system, practice, and the design's sheets for every panel."""
        return laid_out_beside(comparison_study(study), folder, self.contradictions)

    def next_slot(self, frozen: Frozen, slots: Sequence[Any], seen: Sequence[Seen]) -> Any:
        """The first by number; of what others left, first what this judge has not compared yet."""
        had = {frozenset(frozen.shown_in.get(slot, ())) for slot, _ in seen}
        return min(slots, key=lambda slot: (not slot.role and frozenset(slot.texts) in had, slot.number))

    # ------------------------------------------------------------------------------------------------- answers

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """A comparison for each criterion, in their order, or that it cannot be judged."""
        own = comparison_study(study)

        def take(one: Worded, given: Any) -> dict[str, Any]:
            try:
                return self.take(given, len(shown), own)
            except Refused as refused:
                raise Refused(refused.code, f"{one.id}: {refused}") from None

        return taken(answers_to(own.questions_asked, answer, "a comparison"), own.abstainable, take)

    def fault(self, judgement: Judgement) -> str:
        """Several texts, a role, comparisons."""
        given, texts = judgement.answer, len(judgement.texts)
        known = isinstance(given, Mapping) and given and texts >= 2 and judgement.role in ROLES.values()
        if known and all(self.possible(part, texts) for part in judged(judgement).answer.values()):
            return ""
        return f"texts, role and answer do not describe a comparison of the protocol {self.name}"

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """Rows for each criterion."""
        texts = [frozen.text[name] for name in judgement.texts]
        for criterion, given in judgement.answer.items():
            cannot = given == CANNOT
            for row in self.told({} if cannot else given, texts):
                yield (row | {"criterion": criterion, **({CANNOT: True} if cannot else {})} | told_of(judgement))

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """A row for each output: the share of its comparisons that it won, screen by screen."""
        from nlgauge.study.protocols.comparisons.analysis.rows import sort_out, won
        from nlgauge.study.protocols.ratings.judged import judged_set

        return judged_set(service, won(sort_out(service.frozen, service.judgements())))

    columns: ClassVar[tuple[str, ...]] = (*Protocol.columns, "place", "per_screen", "rank")

    # ------------------------------------------------------------------ answers that are known beforehand

    def meets(self, given: Any, wanted: float, within: float, asked: Any) -> bool:
        """Whether the text at a place, from 1, was taken as the best, alone."""
        return answers.best_of(given) == int(wanted) - 1

    def chance_of(self, wanted: float, within: float, asked: Any, study: Any) -> float:
        """One text of those on the screen, or a tie of two."""
        own = comparison_study(study)
        return 1 / (own.per_screen + (isinstance(own, PairwiseStudy) and own.ties))

    # ---------------------------------------------------------------------------------------------- simulation

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Five seconds for each question and each text after the first."""
        return 5.0 * len(comparison_study(study).questions_asked) * (len(shown) - 1)

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """The share of its meetings with another system that a system wins."""
        from nlgauge.study.checks.foresight import of_shares

        study = comparison_study(frozen.study)
        meetings = len(slots) * self.compared(study.per_screen) / comb(len(study.subjects), 2)
        if not meetings:
            return "", {}
        share = of_shares(0.5, meetings)
        told = (
            f"where two systems meet {meetings:.0f} times and answers are independent, a system that wins "
            f"{100 * share:.0f} % of its meetings with another"
        )
        return told, {"win_share": round(share, 4), "meetings": round(meetings, 2)}

    def compared(self, texts: int) -> int:
        """How many pairs an answer to so many texts compares."""
        return comb(texts, 2)

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges who choose between systems of known strength."""
        return Choosers(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the share of its comparisons with another text that each system won, a tie as half a win."""
        study = comparison_study(frozen.study)
        won: dict[str, dict[str, list[float]]] = {
            compared.id: {name: [] for name in study.subjects} for compared in study.questions_asked
        }
        for judgement in counted:
            systems = [frozen.text[name].subject for name in judgement.texts]
            for criterion, given in () if judgement.role else judged(judgement).answer.items():
                for first, second, share in answers.wins(given, len(systems)):
                    won[criterion][systems[first]].append(share)
                    won[criterion][systems[second]].append(1 - share)
        return summed(counted, surplus, won=means(won))

    def remark(self, crowd: Crowd) -> str:
        """What the figures are, and what the judges were like."""
        told = crowd.to_dict()
        return (
            "Figures are shares of comparisons won, a tie as half. In logits, texts less than "
            f"{told['tie_width']:g} apart were a tie where there are ties, judges differed by {told['judge_sd']:g}, "
            f"and texts by {told['item_sd']:g} (standard deviations)."
        )


class Pairwise(Comparisons, OutputProtocol):
    """Two texts: a preference."""

    study = PairwiseStudy
    called = "pairwise preferences"
    columns = (
        *("item", "system_a", "system_b", "hypothesis_a", "hypothesis_b", "judge", "panel", "criterion"),
        *("ratings.preference", "strength"),
    )

    def take(self, answer: Any, texts: int, study: ComparisonStudy) -> dict[str, Any]:
        """A side or a tie, with its degree where degrees are asked for."""
        assert isinstance(study, PairwiseStudy)
        return answers.preference(answer, ties=study.ties, degrees=len(study.strength))

    def possible(self, answer: Any, texts: int) -> bool:
        """A side or a tie."""
        keys = isinstance(answer, Mapping) and {"preference"} <= set(answer) <= {"preference", "strength"}
        return (
            keys
            and texts == 2
            and answer["preference"] in (*answers.SIDES, answers.TIE)
            and answers.whole(answer.get("strength", 0))
        )

    def told(self, answer: Mapping[str, Any], texts: Sequence[Text]) -> Iterator[dict[str, Any]]:
        """A pairwise row, as `nlgauge rate` reads it."""
        a, b = texts
        outputs = {"system_a": a.subject, "system_b": b.subject, "hypothesis_a": a.text, "hypothesis_b": b.text}
        given = {"ratings.preference": answer.get("preference"), "strength": answer.get("strength")}
        yield {"item": a.item, **outputs, **given}


class SeveralRanked(Comparisons):
    """Several texts on a screen, each with a number and a rank."""

    def told(self, answer: Mapping[str, Any], texts: Sequence[Text]) -> Iterator[dict[str, Any]]:
        """The rows of an answer for one criterion: a number for each text."""
        for place, text in enumerate(texts):
            yield {
                "item": text.item,
                "system": text.subject,
                "value": self.value(answer, place) if answer else None,
                "place": place + 1,
                "per_screen": len(texts),
                "rank": self.rank(answer, place, len(texts)) if answer else None,
            }

    @abstractmethod
    def value(self, answer: Mapping[str, Any], place: int) -> int:
        """What an answer says of the text at a place."""

    @abstractmethod
    def rank(self, answer: Mapping[str, Any], place: int, texts: int) -> int | None:
        """The rank of the text at a place; None where it is only known to be neither the first nor the last."""


class Ranking(SeveralRanked, OutputProtocol):
    """Several texts: their order."""

    study = RankingStudy
    called = "rankings"

    def take(self, answer: Any, texts: int, study: ComparisonStudy) -> dict[str, Any]:
        """A rank for each text."""
        assert isinstance(study, RankingStudy)
        return answers.ranking(answer, texts, ties=study.ties)

    def possible(self, answer: Any, texts: int) -> bool:
        """Ranks for all texts."""
        ranks = answer.get("ranks") if isinstance(answer, Mapping) and set(answer) == {"ranks"} else None
        return isinstance(ranks, list) and len(ranks) == texts and not answers.rank_fault(ranks, ties=True)

    def value(self, answer: Mapping[str, Any], place: int) -> int:
        """The rank."""
        rank: int = answer["ranks"][place]
        return rank

    def rank(self, answer: Mapping[str, Any], place: int, texts: int) -> int:
        """As given."""
        return self.value(answer, place)


class BestWorst(SeveralRanked, OutputProtocol):
    """Several texts: the best and the worst."""

    study = file.BestWorstStudy
    called = "best–worst choices"

    def take(self, answer: Any, texts: int, study: ComparisonStudy) -> dict[str, Any]:
        """Two places."""
        return answers.extremes(answer, texts)

    def possible(self, answer: Any, texts: int) -> bool:
        """Two different places."""
        try:
            answers.extremes(answer, texts)
        except Refused:
            return False
        return True

    def compared(self, texts: int) -> int:
        """The best with all others, and these with the worst."""
        return 2 * texts - 3

    def value(self, answer: Mapping[str, Any], place: int) -> int:
        """1 for the best text, -1 for the worst, 0 for the others."""
        return int(place == answer["best"]) - int(place == answer["worst"])

    def rank(self, answer: Mapping[str, Any], place: int, texts: int) -> int | None:
        """The first, the last, or between."""
        return {answer["best"]: 1, answer["worst"]: texts}.get(place)


FAMILY: Mapping[str, type[OutputProtocol]] = {"pairwise": Pairwise, "ranking": Ranking, "best-worst": BestWorst}
