"""The pages of comparisons: the texts beside each other, what stands above them, and a question for each criterion.

A field is named by its question's place on the page (c0, c1 …), because a criterion's own name may be any text:

    pairwise    c0 = a, b or tie; with degrees a-1, b-2 …
    ranking     c0-0, c0-1 … = the rank of the first text, of the second …
    best-worst  c0-best, c0-worst = the place of a text

Everything is native controls, so that nothing needs a script.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.study.file.study import Study, say
from nlgauge.study.protocols.comparisons.answers import SIDES, TIE, competition, rank_fault
from nlgauge.study.protocols.comparisons.file import (
    ComparisonStudy,
    PairwiseStudy,
    RankingStudy,
    comparison_study,
)
from nlgauge.web import forms
from nlgauge.web.forms import Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.several_texts import Control, SeveralTexts
from nlgauge.web.site import Site
from nlgauge.wording.languages import apart


class Preference(Control):
    """One of two texts, or neither."""

    template = "preference"
    chosen = True

    def _choices(self, study: ComparisonStudy) -> tuple[str, ...]:
        """From the first text, most of all, to the second."""
        assert isinstance(study, PairwiseStudy)
        degrees = range(len(study.strength), 0, -1)
        first = tuple(f"a-{degree}" for degree in degrees) or ("a",)
        second = tuple(f"b-{degree}" for degree in reversed(degrees)) or ("b",)
        return (*first, *((TIE,) if study.ties else ()), *second)

    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """One field."""
        return {name: self._choices(study)}

    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """A side, with its degree where degrees are asked for."""
        side, _, degree = forms.one(form, name).strip().partition("-")
        strong = isinstance(study, PairwiseStudy) and bool(study.strength)
        return {"preference": side} | ({"strength": int(degree or 0)} if strong else {})

    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """No choice."""
        return None if self.given(form, name, study)[name] else Mistake(f"{name}-0", "error_required", {})

    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """The choice."""
        degree = f"-{answer['strength']}" if answer.get("strength") else ""
        return {name: f"{answer['preference']}{degree}"}

    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """What stands beside the choice."""
        return self._label(self.written(answer, "")[""], study, phrases)

    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """The choices with their words."""
        return {
            "choices": [(value, self._label(value, study, phrases)) for value in self._choices(study)],
            "given": self.given(form, name, study)[name],
        }

    def _label(self, value: str, study: ComparisonStudy, phrases: Phrases) -> str:
        side, _, degree = value.partition("-")
        if side == TIE:
            return phrases.say("preference_tie")
        text = phrases.say("text_number", number=1 + SIDES.index(side))
        if not degree:
            return text
        assert isinstance(study, PairwiseStudy)
        words = say(study.strength[int(degree) - 1], phrases.code)
        return joined(text, words, phrases, between="، " if phrases.code == "ar" else ", ")


class Ranks(Control):
    """A rank for each text."""

    template = "ranks"

    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """A field for each text."""
        ranks = tuple(str(rank + 1) for rank in range(study.per_screen))
        return {f"{name}-{place}": ranks for place in range(study.per_screen)}

    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """The ranks in the order of the screen."""
        return {"ranks": competition([int(rank) for rank in self.given(form, name, study).values()])}

    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """A text without a rank, or ranks that make no order."""
        assert isinstance(study, RankingStudy)
        given = self.given(form, name, study)
        open_ = next((field for field, rank in given.items() if not rank), None)
        if open_ is not None:
            return Mistake(f"{open_}-1", "error_ranks", {})
        wrong = rank_fault([int(rank) for rank in given.values()], ties=study.ties)
        return Mistake(f"{name}-0-1", RANK_MISTAKES[wrong], {}) if wrong else None

    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """Each rank in its field."""
        return {f"{name}-{place}": str(rank) for place, rank in enumerate(answer["ranks"])}

    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """The ranks in the order of the screen."""
        return " ".join(map(str, answer["ranks"]))

    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """The ranks beside each text."""
        assert isinstance(study, RankingStudy)
        given = self.given(form, name, study)
        return {
            "help": phrases.say("ranking_help_ties") if study.ties else phrases.say("ranking_help"),
            "rows": [
                {"picks": [(f"{field}-{rank}", field, rank, rank, given[field] == rank) for rank in ranks]}
                for field, ranks in self.names(name, study).items()
            ],
        }


class Extremes(Control):
    """The best and the worst text."""

    template = "extremes"

    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """Two fields."""
        places = tuple(map(str, range(study.per_screen)))
        return {f"{name}-best": places, f"{name}-worst": places}

    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """Two places."""
        best, worst = self.given(form, name, study).values()
        return {"best": int(best), "worst": int(worst)}

    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """A column without a choice, or the same text in both."""
        best, worst = self.given(form, name, study).values()
        if not (best and worst):
            return Mistake(f"{name}-{'worst' if best else 'best'}-0", "error_extremes", {})
        return Mistake(f"{name}-worst-{worst}", "error_extremes_same", {}) if best == worst else None

    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """Each place in its field."""
        return {f"{name}-{end}": str(answer[end]) for end in ("best", "worst")}

    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """Both texts by their number."""
        texts = {end: phrases.say("text_number", number=answer[end] + 1) for end in ("best", "worst")}
        return ", ".join(joined(label, texts[end], phrases) for end, label in _ends(phrases).items())

    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """Both ends beside each text."""
        given = self.given(form, name, study)
        rows = []
        for place in range(study.per_screen):
            fields = ((f"{name}-{end}", label) for end, label in _ends(phrases).items())
            picks = [(f"{field}-{place}", field, place, label, given[field] == str(place)) for field, label in fields]
            rows.append({"picks": picks})
        return {"help": phrases.say("extremes_help"), "rows": rows}


RANK_MISTAKES = {"shared": "error_ranks_shared", "first": "error_ranks_first"}


def _ends(phrases: Phrases) -> Mapping[str, str]:
    return {"best": phrases.say("best"), "worst": phrases.say("worst")}


def joined(name: str, words: str, phrases: Phrases, between: str = " · ") -> str:
    """Two short texts beside each other, each in its own direction."""
    return f"{name}{between}{apart(words, always=phrases.direction == 'rtl')}"


CONTROLS: Mapping[str, Control] = {"pairwise": Preference(), "ranking": Ranks(), "best-worst": Extremes()}


class Comparisons(SeveralTexts):
    """Preferences, rankings, best and worst."""

    def own(self, study: Study) -> ComparisonStudy:
        """A comparative study."""
        return comparison_study(study)

    def control(self, study: Study) -> Control:
        """By protocol."""
        return CONTROLS[study.protocol]

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with the texts."""
        return phrases.wording(f"comparisons.instructions.{site.service.study.protocol}")


PAGES = Comparisons()
