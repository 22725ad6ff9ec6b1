"""The pages of classifications: those of ratings, with classes and their descriptions in place of points."""

from __future__ import annotations

from typing import Any

from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.classification.file import class_study
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.ratings.criteria import Asked
from nlgauge.study.protocols.ratings.pages import Ratings
from nlgauge.web.language import Phrases
from nlgauge.web.site import Site


class Classification(Ratings):
    """One of several classes."""

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with a text."""
        return phrases.wording("classification.instructions")

    def question(self, number: int, asked: Asked, study: OutputStudy, phrases: Phrases) -> dict[str, Any]:
        """The classes, with what is said of each."""
        shown = study.definitions == "shown"
        abouts = [
            say(output_class.description, phrases.code) if shown else ""
            for output_class in class_study(study).classes.values()
        ]
        return super().question(number, asked, study, phrases) | {"abouts": abouts}

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The label."""
        (asked,) = class_study(study).questions_asked
        return say(asked.scale.label(judgement.answer[asked.id] - 1), phrases.code)

    def given_for(self, given: Any, asked: Any, study: Any, phrases: Phrases) -> str:
        """The label."""
        return say(asked.scale.label(int(given) - 1), phrases.code)


PAGES = Classification()
