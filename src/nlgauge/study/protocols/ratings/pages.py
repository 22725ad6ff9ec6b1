"""The pages of single-text ratings: the text, what stands beside it, and a question for each criterion.

A slider is a native range input beside a number field; the number is what is sent, so an untouched slider is no answer,
and without scripts the number is typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nlgauge.io.exported import CANNOT
from nlgauge.study.file.study import Study, say
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.ratings.criteria import NUMBER, Asked
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.web.forms import Field
from nlgauge.web.language import Phrases
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.one_text import OneText
from nlgauge.web.protocols.outputs import field_name
from nlgauge.web.site import Site
from nlgauge.wording.numbers import in_full

LONGEST = 40  # characters of a number


class Ratings(OneText):
    """Points, a slider, or yes and no."""

    def own(self, study: Study) -> RatingStudy:
        """A rating study."""
        return rating_study(study)

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with a text."""
        return phrases.say("rating_instructions")

    def value(self, given: str, asked: Asked) -> NUMBER | None:
        """A number on the scale; it may be written with a decimal comma."""
        try:
            value = float(given.replace(",", ".")) if 0 < len(given) <= LONGEST else None
        except ValueError:
            return None
        return None if value is None else asked.scale.place(value)

    def fault(self, given: str, asked: Asked) -> tuple[str, Mapping[str, str]]:
        """Off the scale."""
        return "error_range", {"least": in_full(asked.scale.low), "most": in_full(asked.scale.high)}

    def written_as(self, value: NUMBER) -> str:
        """A number as a form holds it."""
        return repr(value)

    def answers_told(self, own: Any, others: Sequence[Any], study: Study, phrases: Phrases) -> Iterator[dict[str, str]]:
        """The numbers, those of the others from the lowest on, so that nothing tells whose they are."""
        for criterion in rating_study(study).questions_asked:
            given = [answer[criterion.id] for answer in others if criterion.id in answer]
            rest = [
                *sorted(value for value in given if value != CANNOT),
                *(value for value in given if value == CANNOT),
            ]
            yield {
                "question": say(criterion.question, phrases.code),
                "own": _told(criterion, own.get(criterion.id), phrases),
                "others": ", ".join(_told(criterion, value, phrases) for value in rest) or "–",
            }

    def given_for(self, given: Any, asked: Any, study: Any, phrases: Phrases) -> str:
        """The answer, with its label where it has one."""
        values = asked.scale.values
        label = say(asked.scale.label(values.index(given)), phrases.code) if given in values else ""
        return _told(asked, given, phrases) if len(values) == 2 or not label else f"{given} ({label})"

    def wanted_for(self, wanted: float, within: float, asked: Any, phrases: Phrases) -> str:
        """The same for the right one, or those near enough."""
        if within:
            return gold.between(wanted, within, asked.scale.low, asked.scale.high)
        return self.given_for(asked.scale.place(wanted), asked, None, phrases)

    def field(self, number: int, asked: Asked) -> Field:
        """Points are options."""
        return Field(
            field_name(number),
            f"the answer to question {number + 1}, from {asked.scale}",
            options=tuple(map(repr, asked.scale.values)),
            most=LONGEST,
        )

    def chosen(self, asked: Asked) -> bool:
        """Points are choices."""
        return bool(asked.scale.points)

    def control(self, number: int, asked: Asked) -> str:
        """The first point, or the number beside a slider."""
        return f"{field_name(number)}-0" if asked.scale.points else field_name(number)

    def question(self, number: int, asked: Asked, study: OutputStudy, phrases: Phrases) -> dict[str, Any]:
        """The scale."""
        scale, last = asked.scale, (asked.scale.points or 2) - 1
        least, most = in_full(scale.low), in_full(scale.high)
        labels = [say(scale.label(place), phrases.code) for place in range(last + 1)]
        return {
            "points": [(repr(value), label) for value, label in zip(scale.values, labels, strict=False)],
            "every": all(labels),
            "numbers": scale.points > 2 or not all(labels),
            "ends": (labels[0], labels[-1]),
            "marks": [(in_full(value), say(words, phrases.code)) for value, words in scale.marks],
            "least": least,
            "most": most,
            "step": in_full(scale.step),
            "range": phrases.say("slider_number", least=least, most=most),
        }


def _told(asked: Asked, value: NUMBER | str | None, phrases: Phrases) -> str:
    """An answer as judges read it: of two labelled answers the label, else the number."""
    if value is None:
        return "–"
    if value == CANNOT:
        return phrases.say("cannot_judge")
    values = asked.scale.values
    label = say(asked.scale.label(values.index(value)), phrases.code) if len(values) == 2 and value in values else ""
    return label or repr(value)


PAGES = Ratings()
