"""Splits: balanced parts of the sizes asked for, no text in two of them, and a recipe that leads to the same files."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.lexicons.digests import file_digest
from nlgauge.style.aligning.align import align
from nlgauge.style.aligning.vectors import near_duplicates, terms
from nlgauge.style.demonstration import newspapers
from nlgauge.style.forms import PARTS, STRONG, Article, Pair, read_split
from nlgauge.style.splitting import SplitSettings, split, write_split

PAPERS = newspapers(80, seed=9)
PAIRS = align(PAPERS.gazette, PAPERS.courier).pairs
STRONG_PAIRS = [pair for pair in PAIRS if pair.band == STRONG]


def jaccard(a: str, b: str) -> float:
    """By hand: runs of five words."""
    runs = [
        {tuple(words[place : place + 5]) for place in range(max(len(words) - 4, 1))} for words in (a.split(), b.split())
    ]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


def test_near_duplicates_by_hand() -> None:
    base = " ".join(f"w{number}" for number in range(40))
    end = base + " and then some more words at the end of it"
    half = " ".join(f"w{number}" for number in range(20, 40)) + " " + " ".join(f"v{number}" for number in range(25))
    texts = [base, end, half, "", "short text", "short text", "w1 w2 w3", base.upper(), "else " * 9]
    found = near_duplicates(texts, terms)
    by_hand = [
        (low, high)
        for high in range(len(texts))
        for low in range(high)
        if texts[low] and texts[high] and jaccard(texts[low].lower(), texts[high].lower()) >= 0.5
    ]
    assert found == sorted(by_hand) == [(0, 1), (0, 7), (1, 7), (4, 5)]


def test_parts_are_balanced_and_disjoint() -> None:
    made = split([PAPERS.gazette, PAPERS.courier], PAIRS, SplitSettings(test=6, a1=7, a3=9))
    assert made.pairs == {"test": 6, "a1": 7, "a3": 9}
    assert tuple(made.parts) == PARTS
    for articles in made.parts.values():
        assert len(set(Counter(article.source for article in articles).values())) == 1
    everything = [article for articles in made.parts.values() for article in articles]
    assert len({article.id for article in everything}) == len(everything) == 160
    known = {pair.a: pair for pair in STRONG_PAIRS}
    for part in ("test", "a1", "a3"):
        for left, right in zip(made.parts[part][::2], made.parts[part][1::2], strict=True):
            assert (left.pair, right.pair) == (right.id, left.id) and known[left.id].b == right.id
    assert not any(article.pair for article in made.parts["rest"])
    assert made.same_text == made.for_balance == 0


def test_the_closest_are_in_the_test_set_and_a1_and_the_less_close_in_a3() -> None:
    made = split([PAPERS.gazette, PAPERS.courier], PAIRS)
    count = len(STRONG_PAIRS)
    assert made.pairs == {"test": count // 4, "a1": count // 4, "a3": count - 2 * (count // 4)}
    lowest = min(made.scores[part][0] for part in ("test", "a1"))  # type: ignore[index]
    assert made.scores["a3"] is not None and made.scores["a3"][1] <= lowest
    others = [split([PAPERS.gazette, PAPERS.courier], PAIRS, SplitSettings(seed=seed)) for seed in (12345, 2)]
    assert others[0] == made and others[1].parts["test"] != made.parts["test"]


def test_texts_and_headlines_of_earlier_parts_are_left_out() -> None:
    made = split([PAPERS.gazette, PAPERS.courier], PAIRS)
    tested, rest = made.parts["test"][0], made.parts["rest"]
    words = tested.text.split()
    near = replace(rest[0], text=" ".join([*words[:-3], "three", "other", "words"]))
    same = replace(rest[1], headline=f"  {tested.headline.upper()}")
    a3 = made.parts["a3"][0]
    copied = replace(a3, text=" ".join(reversed(a3.text.split()[:4])) + " " + tested.text, pair="")
    changed = {article.id: article for article in (near, same, copied)}
    gazette, courier = (
        [changed.get(article.id, article) for article in side] for side in (PAPERS.gazette, PAPERS.courier)
    )
    again = split([gazette, courier], PAIRS)
    kept = {article.id for articles in again.parts.values() for article in articles}
    assert not kept & {near.id, same.id, copied.id, a3.pair}
    assert again.same_text == 4
    assert again.for_balance == 2  # both articles of the rest were the gazette's


def test_the_recipe_has_digests_and_leads_to_the_same_files(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text("{}\n")
    settings = SplitSettings(seed=3)
    for name in ("one", "two"):
        write_split(split([PAPERS.gazette, PAPERS.courier], PAIRS, settings), settings, [source], tmp_path / name)
    one, two = ((tmp_path / name / "split.json").read_bytes() for name in ("one", "two"))
    assert one == two
    recipe = json.loads(one)
    assert recipe["settings"] == {"test": None, "a1": None, "a3": None, "seed": 3, "tok": "terms"}
    assert recipe["inputs"] == {"pairs.jsonl": file_digest(source)}
    parts = read_split(tmp_path / "one")
    for part in PARTS:
        assert recipe["files"][f"{part}.jsonl"] == file_digest(tmp_path / "one" / f"{part}.jsonl")
        assert sum(recipe["articles"][part].values()) == len(parts[part])


A = [Article(f"a{n}", "a", None, f"h {n}", f"text number {n} of the first paper") for n in range(4)]
B = [Article(f"b{n}", "b", None, f"g {n}", f"words {n} by the other paper") for n in range(4)]
STRONGS = [Pair(f"a{n}", f"b{n}", 0.9 - n / 10, STRONG) for n in range(4)]


def test_of_pairs_that_share_an_article_the_closest_counts() -> None:
    made = split([A, B], [*STRONGS, Pair("a0", "b3", 0.85, STRONG)])
    assert made.strong == 4 and made.pairs == {"test": 1, "a1": 1, "a3": 2}
    assert split([A, B], [*STRONGS[:3], Pair("a0", "b3", 0.95, STRONG)], SplitSettings(test=1, a1=1, a3=1)).strong == 3


def test_three_sources_are_split_by_the_closest_pair_of_each_article() -> None:
    c = [Article(f"c{n}", "c", None, f"third {n}", f"{n} and still other words {n * 7}") for n in range(4)]
    pairs = [Pair("a0", "b0", 0.9, STRONG), Pair("a0", "c0", 0.95, STRONG), Pair("a1", "b1", 0.8, STRONG)]
    pairs += [Pair("b2", "c2", 0.7, STRONG), Pair("a2", "b2", 0.6, STRONG)]
    made = split([A, B, c], pairs, SplitSettings(test=1, a1=1, a3=1))
    paired = {article.id: article.pair for part in ("test", "a1", "a3") for article in made.parts[part]}
    assert made.sources == ("a", "b", "c")
    assert paired == {"a0": "c0", "c0": "a0", "a1": "b1", "b1": "a1", "b2": "c2", "c2": "b2"}
    rest = [article.source for article in made.parts["rest"]]
    assert {source: rest.count(source) for source in "abc"} == dict.fromkeys("abc", 2)


@pytest.mark.parametrize(
    ("a", "b", "pairs", "settings", "said"),
    [
        (A, A, STRONGS, {}, "two sides are of the source 'a'"),
        (
            A,
            B,
            [Pair("a0", "b9", 0.9, STRONG)],
            {},
            "pair 1 names the article 'b9', which no source has",
        ),
        (A, B, [Pair("a0", "a1", 0.9, STRONG)], {}, "pair 1: 'a0' and 'a1' are of one source"),
        (A, [replace(B[0], id="a0")], [], {}, "two sources have an article with the id 'a0'"),
        (A, B, STRONGS[:2], {}, "2 strong pairs cannot be parted into 0 for the test set"),
        (A, B, STRONGS, {"test": 3, "a1": 2}, "4 strong pairs cannot be parted into 3"),
        (
            [replace(article, headline="the same") for article in A],
            B,
            STRONGS,
            {},
            "no pair is left for the part a1",
        ),
    ],
)
def test_refusals(a: list[Article], b: list[Article], pairs: list[Pair], settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        split([a, b], pairs, SplitSettings(**settings))
