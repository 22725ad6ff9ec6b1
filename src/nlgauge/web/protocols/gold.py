"""The page after a practice answer that can be right or wrong: what was given, what was expected, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from nlgauge.study.file.study import say
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.protocols.outputs.gold import Known, known_of
from nlgauge.study.service.answers import Feedback
from nlgauge.study.service.dealing import practice_claim
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.base import Page, Screen
from nlgauge.web.site import Site
from nlgauge.wording.numbers import in_full

if TYPE_CHECKING:
    from starlette.responses import Response

    from nlgauge.web.judges import Visit

Row = tuple[str, str, str]
"""A question, what was given, what is right."""


def answered(site: Site, link: str, given: Feedback, number: int, phrases: Phrases) -> Screen:
    """The screen of a practice answer once more."""
    judge = given.judgement.judge
    return Screen(site, link, site.service.answers.shown(judge, practice_claim(judge, number)), phrases)


def page(screen: Screen, given: Feedback, rows: Iterable[Row], shown: Mapping[str, Any]) -> Page | None:
    """What is said after it, with what was judged (`shown`, `cards`, `styles`); None where the answer could be neither
    right nor wrong."""
    service, one = screen.site.service, given.judgement
    right = service.protocol.right(service.frozen, one)
    if right is None:
        return None
    study = output_study(service.study)
    example = study.examples[int(screen.shown.texts[0].item.rpartition(" ")[2]) - 1]
    return Page(
        "gold.html",
        {
            "right": right,
            "rows": list(rows),
            "why": say(example.why, screen.phrases.code),
            "number": screen.shown.number,
            "total": screen.shown.total,
            "correct": given.right,
            "known": 0 if given.retried else given.known,  # first tries count, and theirs was told
            "going_on": not given.failed,
            "again": not right and given.again,
            "cards": [],
            **shown,
        },
    )


def known_about(screen: Screen) -> Known:
    """What is known of the screen."""
    found = known_of(output_study(screen.study), screen.shown.texts[0])
    return found or Known()


def between(wanted: float, within: float, low: float = -inf, high: float = inf) -> str:
    """The numbers that are right, as far as a scale goes.

    >>> between(2, 2, 1, 5), between(1_500_000, 0)
    ('1–4', '1500000')
    """
    ends = max(wanted - within, low), min(wanted + within, high)
    return "–".join(dict.fromkeys(in_full(end) for end in ends))


def show_again(visit: Visit) -> Response:
    """A practice screen once more, after its right answer was told."""
    number, service = visit.request.path_params["number"], visit.site.service
    given = service.answers.feedback(visit.judge, number)
    if given is None or not given.again:
        return visit.back()
    phrases = visit.spoken(given.language)
    shown = service.answers.shown(visit.judge, practice_claim(visit.judge, number))
    return visit.show(visit.site.pages.evaluation(Screen(visit.site, visit.token, shown, phrases)), phrases)
