"""A demonstration with known answers: two invented newspapers and four systems that transfer headlines between them."""

from __future__ import annotations

import random
from collections.abc import Iterable

from nlgauge.errors import InputError
from nlgauge.style.demonstration.newspapers import (
    AGENCY,
    COURIER,
    GAZETTE,
    Facts,
    drawn_facts,
    facts_of,
    headline,
)
from nlgauge.style.demonstration.newspapers import NewspaperSettings as NewspaperSettings
from nlgauge.style.demonstration.newspapers import newspapers as newspapers
from nlgauge.style.demonstration.newspapers import write_newspapers as write_newspapers
from nlgauge.style.demonstration.words import HEADLINES
from nlgauge.style.forms import Article, Transfer, direction_of

# Four systems of known behaviour for the newspapers' headlines, so that what a score should say of them is known.
#
# `copy` leaves the headline as it is. `style-only` writes in the target's style, but of another event. `content-only`
# keeps the facts and the source's style, and rephrases. `good` keeps the facts and writes in the target's style, in
# its own words: it never takes the agency's order of words, which most headlines of both newspapers have. So a copy
# shares more words in a row with the target's own headline than a good headline does.


COPY, STYLE_ONLY, CONTENT_ONLY, GOOD = SYSTEMS = ("copy", "style-only", "content-only", "good")


def outputs(articles: Iterable[Article], seed: int = 12345) -> list[Transfer]:
    """What the four systems make of each article's headline, in the style of the other newspaper."""
    made: dict[str, list[Transfer]] = {system: [] for system in SYSTEMS}
    for article in articles:
        if article.source not in (GAZETTE, COURIER):
            raise InputError(
                f"article {article.id!r} is of the source {article.source!r}; expected {GAZETTE} or {COURIER}, which "
                "nlgauge style example writes"
            )
        target = COURIER if article.source == GAZETTE else GAZETTE
        draw = random.Random(f"{seed} {article.id}")
        facts = facts_of(article.headline)
        texts = {
            COPY: article.headline,
            STYLE_ONLY: headline(_other(facts, draw), target, draw),
            CONTENT_ONLY: _rewritten(article, facts, draw),
            GOOD: headline(facts, target, draw, order=_rephrased(draw)),
        }
        for system, text in texts.items():
            made[system].append(Transfer(article.id, direction_of(article.source, target), system, text))
    return [transfer for system in SYSTEMS for transfer in made[system]]


def _rewritten(article: Article, facts: Facts, draw: random.Random) -> str:
    """Another headline of the article's own house."""
    while (text := headline(facts, article.source, draw, order=_rephrased(draw))) == article.headline:
        continue
    return text


def _rephrased(draw: random.Random) -> int:
    return draw.choice([order for order in range(len(HEADLINES["orders"])) if order != AGENCY])


def _other(facts: Facts, draw: random.Random) -> Facts:
    """Facts of which none is the same."""
    while True:
        other = drawn_facts(draw)
        if (
            other.kind is not facts.kind
            and other.who != facts.who
            and other.place != facts.place
            and other.number != facts.number
        ):
            return other
