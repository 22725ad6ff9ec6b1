"""What is to be judged: outputs with their original headlines, articles and aligned headlines, as rows to be scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError, option, suggest
from nlgauge.style.forms import ARROW, Article, Transfer, direction_of, sources_of

GOLD = "gold"


@dataclass(frozen=True)
class Posed:
    """Rows of an evaluation set, those of the gold headlines, and what was met on the way."""

    rows: tuple[dict[str, Any], ...]
    gold: tuple[dict[str, Any], ...]
    directions: tuple[str, ...]
    systems: tuple[str, ...]
    empty: dict[str, int]  # system -> outputs that hold nothing
    lacking: dict[tuple[str, str], int]  # system and direction -> articles that others have outputs for


def pose(
    articles: Sequence[Article],
    transfers: Sequence[Transfer],
    *,
    directions: Sequence[str] = (),
    known: Sequence[str] = (),
    gold: bool = True,
) -> Posed:
    """The rows of outputs in some directions (all that there are), of sources that classifiers have `known`."""
    sources = sources_of(articles)
    if len(sources) < 2:
        told = f"all articles are of one source, {sources[0]}" if sources else "there is no article"
        raise InputError(f"{told}; a transfer of style needs articles of two sources or more")
    chosen = _directions(transfers, directions, sources if len(known) < 3 else ())
    _refuse_unknown(chosen, known)
    by_id = {article.id: article for article in articles}
    kept = [transfer for transfer in transfers if transfer.direction in chosen]
    systems = tuple(dict.fromkeys(transfer.system for transfer in kept))
    if gold and GOLD in systems:
        raise InputError(f"a system is called {GOLD}, as the aligned headlines are; give it another name")
    _refuse_missing(kept, by_id, systems, chosen)
    several = len({(transfer.id, transfer.direction) for transfer in kept}) > len({transfer.id for transfer in kept})
    aligned = _aligned(kept, by_id) if gold else {}
    rows = [
        _row(transfer, by_id[transfer.id], aligned.get((transfer.id, transfer.direction)), several=several)
        for transfer in kept
    ]
    wanted = dict.fromkeys((transfer.id, transfer.direction) for transfer in kept)
    golden = [
        _row(Transfer(name, direction, GOLD, text), by_id[name], text, several=several)
        for name, direction in wanted
        if (text := aligned.get((name, direction))) is not None
    ]
    return Posed(
        rows=tuple(rows),
        gold=tuple(golden),
        directions=chosen,
        systems=systems,
        empty={
            system: sum(not row["hypothesis"].strip() for row in rows if row["system"] == system) for system in systems
        },
        lacking=_lacking(kept, systems, chosen),
    )


def _directions(transfers: Sequence[Transfer], asked: Sequence[str], sources: Sequence[str]) -> tuple[str, ...]:
    """In alphabetical order; of two `sources` both are expected unless some were asked for."""
    there = {transfer.direction for transfer in transfers}
    if not there:
        raise InputError("there is no output to score; expected rows with id, direction, system and text")
    for direction in asked:
        if direction not in there:
            raise InputError(f"there is no output in the direction {direction!r}; {suggest(direction, there)}")
    if not asked and len(sources) == 2:
        both = {direction_of(*sources), direction_of(*reversed(sources))}
        if lacking := sorted(both - there):
            raise InputError(
                f"there is no output in the direction {lacking[0]}, though {sorted(there)[0]} has some; add them, or "
                f"score the one direction alone: {option('directions', flag='direction')}"
            )
    return tuple(sorted(set(asked) or there))


def _refuse_unknown(directions: Sequence[str], known: Sequence[str]) -> None:
    for direction in directions:
        for source in direction.split(ARROW):
            if known and source not in known:
                raise InputError(
                    f"the direction {direction} has the source {source!r}, which the classifiers do not know: they "
                    f"tell {', '.join(known)} apart; train them on its articles too"
                )


def _refuse_missing(
    transfers: Sequence[Transfer],
    articles: dict[str, Article],
    systems: Sequence[str],
    directions: Sequence[str],
) -> None:
    for transfer in transfers:
        article = articles.get(transfer.id)
        if article is None:
            raise InputError(
                f"{transfer.system} has an output for the article {transfer.id!r}, which is not among the articles; "
                "give the file or split that the outputs were made from"
            )
        if article.source != transfer.direction.partition(ARROW)[0]:
            raise InputError(
                f"{transfer.system} has an output for the article {transfer.id!r} in the direction "
                f"{transfer.direction}, but the article is of {article.source}"
            )
        for what, held in (("headline", article.headline), ("text", article.text)):
            if not held.strip():
                raise InputError(
                    f"{transfer.system} has an output for the article {transfer.id!r}, whose {what} is empty, so that "
                    "nothing can be kept of it; leave out such articles and their outputs"
                )
    there = {(transfer.system, transfer.direction) for transfer in transfers}
    for system in systems:
        for direction in directions:
            if (system, direction) not in there:
                raise InputError(
                    f"{system} has no output in the direction {direction}, in which others have; add its outputs, "
                    f"or choose directions that all systems have: {option('directions', flag='direction')}"
                )


def _aligned(transfers: Sequence[Transfer], articles: dict[str, Article]) -> dict[tuple[str, str], str]:
    """The headline of the target source that tells of the same; refused where there is none."""
    found: dict[tuple[str, str], str] = {}
    lacking = dict[str, None]()
    for transfer in transfers:
        pair = articles.get(articles[transfer.id].pair)
        if pair is None or pair.source != transfer.target:
            lacking[transfer.id] = None
        else:
            found[transfer.id, transfer.direction] = pair.headline
    if lacking:
        others = f", nor have {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        raise InputError(
            f"the article {next(iter(lacking))!r} has no aligned article of the target source{others}, so that there "
            f"is no gold headline; give articles with pair, or score without gold: {option('gold', flag='no-gold')}"
        )
    return found


def _row(transfer: Transfer, article: Article, gold: str | None, *, several: bool) -> dict[str, Any]:
    item = f"{transfer.id}{ARROW}{transfer.target}" if several else transfer.id
    row: dict[str, Any] = {
        "item": item,
        "system": transfer.system,
        "hypothesis": transfer.text,
        "source": {"headline": article.headline, "text": article.text, "target": transfer.target},
        "direction": transfer.direction,
    }
    return row if gold is None else {**row, "references": [gold]}


def _lacking(
    transfers: Sequence[Transfer], systems: Sequence[str], directions: Sequence[str]
) -> dict[tuple[str, str], int]:
    have: dict[tuple[str, str], int] = {}
    whole: dict[str, set[str]] = {direction: set() for direction in directions}
    for transfer in transfers:
        key = (transfer.system, transfer.direction)
        have[key] = have.get(key, 0) + 1
        whole[transfer.direction].add(transfer.id)
    return {
        (system, direction): len(whole[direction]) - have[system, direction]
        for system in systems
        for direction in directions
        if have[system, direction] < len(whole[direction])
    }
