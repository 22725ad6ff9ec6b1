"""The challenge set: whole, well formed, and scored as a plain count would."""

from __future__ import annotations

from collections import Counter

import pytest

from nlgauge.errors import InputError
from nlgauge.meta.probes.challenge import SITUATIONS, Item, challenge, items
from nlgauge.metrics import registry
from nlgauge.metrics.spec import parse
from nlgauge.models.catalogue import KINDS


def test_the_set_is_whole() -> None:
    listed = items()
    assert len({item.item for item in listed}) == len(listed)
    counts = Counter(item.situation for item in listed)
    assert set(counts) == set(SITUATIONS)
    assert min(counts.values()) >= 12
    for item in listed:
        assert item.source
        assert item.references
        assert len({item.good, item.bad, *item.references}) == 2 + len(item.references), item.item


def test_one_word_items_differ_from_the_reference_by_one_word_when_bad() -> None:
    for item in items():
        if item.situation == "one word":
            bad, reference = item.bad.split(), item.references[0].split()
            assert len(bad) == len(reference), item.item
            # an article may follow the word that changed
            assert 1 <= sum(a != b for a, b in zip(bad, reference, strict=True)) <= 2, item.item


# Metrics of tables and of documents: the sources of the set are now one, now the other.
REFUSED = {
    "parent": "item 'word01': the source is a text that is no table",
    "conformity": "item 'word01': the source is no list of triples",
    "rougeC": "source that is no text",
}


@pytest.mark.parametrize("name", REFUSED)
def test_metrics_that_read_other_sources_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=REFUSED[name]):
        challenge([parse(name)])


@pytest.mark.parametrize("name", [name for name in registry.names() if name not in REFUSED])
def test_every_registered_metric_can_be_challenged(name: str) -> None:
    metric = parse(name)
    if not metric.additive:
        with pytest.raises(InputError, match="as a set"):
            challenge([metric])
        return
    given = {"references", "source", "outputs", *KINDS.values()}
    if set(metric.needs) - given:
        with pytest.raises(InputError, match="the challenge set: item"):
            challenge([metric])
        return
    chosen = items()[:: 9 if metric.models else 1]  # networks take their time
    result = challenge([metric], chosen=chosen)
    whole = result.of(str(metric))
    parts = [result.of(str(metric), situation) for situation in result.situations]
    for field in ("n", "right", "wrong", "ties"):
        assert getattr(whole, field) == sum(getattr(part, field) for part in parts)
    assert whole.right + whole.wrong + whole.ties == whole.n == len(chosen)


def test_preferences_follow_the_direction() -> None:
    chosen = [
        Item("1", "one word", "t", "s", ("a b c",), "a b c", "x"),
        Item("2", "one word", "t", "s", ("a",), "b", "b"),
    ]
    result = challenge([parse("wer"), parse("chrf")], chosen=chosen)
    for metric in ("wer", "chrf"):
        row = result.of(metric)
        assert (row.right, row.wrong, row.ties) == (1, 0, 1)
        assert row.share.estimate == 0.5
        assert row.p == 1
    assert "prefers the good output in 1 of 2 items of all, 1 ties" in str(result.of("wer"))
