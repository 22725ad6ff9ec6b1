"""The generated newspapers: the same each time, events known, styles in the headlines only; four systems."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse
from nlgauge.style.aligning.align import align
from nlgauge.style.demonstration import SYSTEMS, NewspaperSettings, newspapers, outputs, write_newspapers
from nlgauge.style.demonstration.newspapers import COURIER, GAZETTE, drawn_facts, facts_of, headline
from nlgauge.style.demonstration.words import KINDS, PLACES, SURNAMES
from nlgauge.style.forms import read_articles

PAPERS = newspapers(400)
BY_ID = {article.id: article for article in (*PAPERS.gazette, *PAPERS.courier)}
PARTNER = dict(PAPERS.events) | {b: a for a, b in PAPERS.events}
TEST = [BY_ID[name] for name in PARTNER]
OUTPUTS = outputs(TEST)


def style_of(text: str) -> str:
    """By the verb, which is always the house's own."""
    verbs = {verb: style for kind in KINDS for style in (GAZETTE, COURIER) for verb in getattr(kind, style)}
    return next(style for verb, style in verbs.items() if f" {verb} " in text)


def test_the_same_each_time_and_on_disk(tmp_path: Path) -> None:
    assert newspapers(400) == PAPERS
    assert newspapers(400, seed=1) != PAPERS
    rows = write_newspapers(tmp_path, NewspaperSettings(400))
    assert rows == {"gazette.jsonl": 400, "courier.jsonl": 400, "events.jsonl": 200}
    assert read_articles(tmp_path / "gazette.jsonl") == PAPERS.gazette
    assert read_articles(tmp_path / "courier.jsonl") == PAPERS.courier
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [(event["a"], event["b"]) for event in events] == PAPERS.events


def test_shared_events_have_the_same_facts_and_lie_a_day_apart() -> None:
    for a, b in PAPERS.events:
        left, right = BY_ID[a], BY_ID[b]
        assert facts_of(left.headline) == facts_of(right.headline)
        assert left.date and right.date and abs((left.date - right.date).days) <= 1
        for fact in (facts_of(left.headline).who, facts_of(left.headline).place):
            assert fact in left.text and fact in right.text


def test_headlines_have_a_style_and_articles_have_none() -> None:
    for article in BY_ID.values():
        assert style_of(article.headline) == article.source
        assert 5 <= len(article.headline.split()) <= 14
    words = [{word for article in side for word in article.text.split()} for side in (PAPERS.gazette, PAPERS.courier)]
    verbs = {verb for kind in KINDS for verb in (*kind.gazette, *kind.courier)}
    assert not verbs & (words[0] | words[1])


def test_lengths_follow() -> None:
    for words in (90, 400):
        sizes = [len(article.text.split()) for article in newspapers(40, words=words).gazette]
        assert 0.8 * words < sum(sizes) / len(sizes) < 1.2 * words
    with pytest.raises(InputError, match="words must be at least 60, not 20"):
        newspapers(40, words=20)


def test_facts_come_back_from_every_headline() -> None:
    draw = random.Random(5)
    for _ in range(500):
        facts = drawn_facts(draw)
        assert all(facts_of(headline(facts, style, draw)) == facts for style in (GAZETTE, COURIER))
    assert not set(SURNAMES) & set(PLACES)
    with pytest.raises(InputError, match="is no headline of the demonstration"):
        facts_of("Dog bites man")


def test_the_systems_are_what_they_are_called() -> None:
    assert len(OUTPUTS) == len(TEST) * 4
    for transfer in OUTPUTS:
        original = BY_ID[transfer.id]
        assert transfer.direction == f"{original.source}>{BY_ID[PARTNER[transfer.id]].source}"
        same_facts = facts_of(transfer.text) == facts_of(original.headline)
        assert same_facts == (transfer.system != "style-only")
        moved = style_of(transfer.text) == transfer.target
        assert moved == (transfer.system in ("style-only", "good"))
        assert (transfer.text == original.headline) == (transfer.system == "copy")
    with pytest.raises(InputError, match="expected gazette or courier"):
        outputs([type(TEST[0])("x", "other", None, "h", "t")])


def test_bleu_against_the_aligned_headline_prefers_the_copy() -> None:
    bleu = parse("bleu")
    scores = {}
    for system in SYSTEMS:
        own = [transfer for transfer in OUTPUTS if transfer.system == system]
        references = [[BY_ID[PARTNER[transfer.id]].headline] for transfer in own]
        scores[system] = bleu.corpus([transfer.text for transfer in own], references)
    assert scores["copy"] > scores["good"] + 5 > scores["style-only"]


def test_alignment_finds_the_events() -> None:
    found = align(PAPERS.gazette, PAPERS.courier)
    right = {(pair.a, pair.b) for pair in found.pairs} & set(PAPERS.events)
    assert len(right) / len(found.pairs) >= 0.95 and len(right) / len(PAPERS.events) >= 0.95
    assert 0.7 < found.in_band("strong") / len(PAPERS.events) < 0.9


@pytest.mark.long
def test_alignment_finds_the_events_of_twenty_thousand_articles() -> None:
    papers = newspapers(20_000)
    found = align(papers.gazette, papers.courier)
    right = len({(pair.a, pair.b) for pair in found.pairs} & set(papers.events))
    assert right / len(found.pairs) >= 0.95 and right / len(papers.events) >= 0.95
