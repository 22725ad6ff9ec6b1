"""Splits of two or more sources as in the paper's Figure 1: a test set and A1 of strong pairs, A3 of less strong ones,
and all the rest.

The test set is the paper's A2. Which set is left aside cannot be read in the text at hand (`SA`); that A2 is the test
set, A1 the 5,000 closest pairs and A3 those from 10,000 to 20,000 is what the card of CHANGE-IT, the same data, says.
So the strong pairs are ranked: the test set is drawn at random from the upper part, of which A1 is what remains, and
A3 comes after them.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, counted
from nlgauge.io import atomic_path, write_rows
from nlgauge.io.files import StrPath
from nlgauge.lexicons.digests import file_digest
from nlgauge.style.aligning.sides import sources_of_sides
from nlgauge.style.aligning.vectors import LEAST, RUN, TERMS, near_duplicates, splitter
from nlgauge.style.forms import PARTS, STRONG, Article, Pair

RECIPE = "split.json"
TEST, A1, A3, REST = PARTS


@dataclass(frozen=True)
class SplitSettings:
    """Sizes in pairs; None: a quarter of the strong pairs for the test set, as many for A1, and the others for A3."""

    test: int | None = None
    a1: int | None = None
    a3: int | None = None
    seed: int = 12345
    tok: str = TERMS


@dataclass(frozen=True)
class Split:
    """The articles of each part, the scores of its pairs, and what was left out."""

    sources: tuple[str, ...]
    parts: dict[str, list[Article]]
    scores: dict[str, tuple[float, float] | None]  # the lowest and the highest
    strong: int
    same_text: int  # articles left out, as their text or headline is in an earlier part
    for_balance: int  # articles left out, as their source has more of them

    @property
    def pairs(self) -> dict[str, int]:
        """How many pairs each part has."""
        return {part: sum(bool(article.pair) for article in self.parts[part]) // 2 for part in (TEST, A1, A3)}


def split(sides: Sequence[Sequence[Article]], pairs: Sequence[Pair], settings: SplitSettings | None = None) -> Split:
    """The parts of the articles of two or more sources, a side each; no text is in two parts.

    Where pairs share an article, the closest one counts: of three sources an article is in a pair with one other. A
    text is the same as another if it is equal or nearly so, or has the same headline; such articles of a later part are
    left out, with the article that they are paired with.
    """
    chosen = settings or SplitSettings()
    sources = sources_of_sides(sides)
    articles = [article for side in sides for article in side]
    places = _places(articles, pairs)
    strong = _alone(pair for pair in pairs if pair.band == STRONG)
    near = _neighbours(articles, chosen.tok)
    sizes = _sizes(len(strong), chosen)
    draw = random.Random(chosen.seed)
    upper = strong[: sizes[TEST] + sizes[A1]]
    tested = set(draw.sample(range(len(upper)), sizes[TEST]))
    queues = {
        TEST: [pair for rank, pair in enumerate(upper) if rank in tested],
        A1: [pair for rank, pair in enumerate(upper) if rank not in tested],
        A3: strong[len(upper) : len(upper) + sizes[A3]],
    }
    part_of: dict[int, str] = {}
    parts: dict[str, list[Article]] = {}
    scores: dict[str, tuple[float, float] | None] = {}
    left_out = set[int]()
    for part, queue in queues.items():
        kept = []
        for pair in queue:
            both = (places[pair.a], places[pair.b])
            if any(part_of.get(other, part) != part for place in both for other in near[place]):
                left_out.update(both)
                continue
            part_of.update(dict.fromkeys(both, part))
            kept.append(pair)
        parts[part] = [article for pair in kept for article in _paired(pair, articles, places)]
        scores[part] = (kept[-1].score, kept[0].score) if kept else None
    _refuse_empty(parts)
    waiting = [place for place in range(len(articles)) if place not in part_of and place not in left_out]
    new = [place for place in waiting if not any(other in part_of for other in near[place])]
    rest = [[place for place in new if articles[place].source == source] for source in sources]
    least = min(map(len, rest))
    kept_rest = [place for side in rest for place in sorted(draw.sample(side, least))]
    return Split(
        sources,
        {**parts, REST: [articles[place] for place in kept_rest]},
        {**scores, REST: None},
        len(strong),
        same_text=len(left_out) + len(waiting) - len(new),
        for_balance=len(new) - len(kept_rest),
    )


def write_split(made: Split, settings: SplitSettings, inputs: Sequence[StrPath], folder: StrPath) -> dict[str, Any]:
    """Write the parts and, last, the recipe; returns the recipe."""
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    for part, articles in made.parts.items():
        write_rows((article.to_row() for article in articles), home / f"{part}.jsonl")
    recipe = {
        "sources": list(made.sources),
        "inputs": {Path(path).name: file_digest(Path(path)) for path in inputs},
        "settings": asdict(settings),
        "strong_pairs": made.strong,
        "pairs": made.pairs,
        "scores": {part: list(found) for part, found in made.scores.items() if found},
        "articles": {
            part: {source: sum(article.source == source for article in articles) for source in made.sources}
            for part, articles in made.parts.items()
        },
        "left_out": {"same_text": made.same_text, "for_balance": made.for_balance},
        "same_text": {"run": RUN, "jaccard": LEAST, "equal": ["text", "headline"]},
        "files": {f"{part}.jsonl": file_digest(home / f"{part}.jsonl") for part in PARTS},
    }
    with atomic_path(home / RECIPE) as temporary:
        temporary.write_text(json.dumps(recipe, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return recipe


def _places(articles: Sequence[Article], pairs: Sequence[Pair]) -> dict[str, int]:
    """Where each article is, of those of pairs too."""
    places = {article.id: place for place, article in enumerate(articles)}
    for number, pair in enumerate(pairs, 1):
        for article in (pair.a, pair.b):
            if article not in places:
                raise InputError(
                    f"pair {number} names the article {article!r}, which no source has; expected the files that "
                    "were aligned"
                )
        if articles[places[pair.a]].source == articles[places[pair.b]].source:
            raise InputError(f"pair {number}: {pair.a!r} and {pair.b!r} are of one source; expected one of each")
    return places


def _alone(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs by score, without those that share an article with a closer one."""
    taken = set[str]()
    kept = []
    for pair in sorted(pairs, key=lambda pair: (-pair.score, pair.a, pair.b)):
        if not taken & {pair.a, pair.b}:
            taken |= {pair.a, pair.b}
            kept.append(pair)
    return kept


def _sizes(strong: int, chosen: SplitSettings) -> dict[str, int]:
    """How many pairs each part is to have."""
    test = strong // 4 if chosen.test is None else chosen.test
    a1 = strong // 4 if chosen.a1 is None else chosen.a1
    a3 = max(strong - test - a1, 0) if chosen.a3 is None else chosen.a3
    if min(test, a1, a3) < 1 or test + a1 + a3 > strong:
        raise InputError(
            f"{counted(strong, 'strong pair')} cannot be parted into {test:,} for the test set, "
            f"{a1:,} for A1 and {a3:,} for A3; expected at least one for each and not more than there are: choose "
            "other sizes, or align more articles"
        )
    return {TEST: test, A1: a1, A3: a3}


def _neighbours(articles: Sequence[Article], tok: str) -> dict[int, set[int]]:
    """Which articles have nearly the same text, or the same headline but for case and space."""
    near: dict[int, set[int]] = defaultdict(set)
    pairs = near_duplicates([article.text for article in articles], splitter(tok))
    headlines: dict[str, list[int]] = defaultdict(list)
    for place, article in enumerate(articles):
        headlines[" ".join(article.headline.casefold().split())].append(place)
    for low, high in pairs:
        near[low].add(high)
        near[high].add(low)
    for headline, same in headlines.items():
        if headline and len(same) > 1:
            for place in same:
                near[place].update(other for other in same if other != place)
    return near


def _paired(pair: Pair, articles: Sequence[Article], places: dict[str, int]) -> tuple[Article, Article]:
    left, right = articles[places[pair.a]], articles[places[pair.b]]
    return replace(left, pair=right.id), replace(right, pair=left.id)


def _refuse_empty(parts: dict[str, list[Article]]) -> None:
    for part, articles in parts.items():
        if not articles:
            raise InputError(
                f"no pair is left for the part {part}: the texts of all are in an earlier part; expected pairs of "
                "different texts"
            )
