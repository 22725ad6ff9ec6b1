"""Headlines for people to judge: what systems wrote, beside the articles' own headlines and those of their pairs.

A row is that of an evaluation set with the class that a judge should name: of an article's own headline its source, of
a transfer the source whose style was asked for, of the pair's headline (gold) its source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge.errors import InputError, option, suggest
from nlgauge.style.forms import ARROW, Article, Transfer

ORIGINAL, GOLD = "original", "gold"
"""Systems of their own: the headline of the article, and that of the article which it is aligned with."""
CLASS = "class"


def headlines(
    transfers: Sequence[Transfer], articles: Sequence[Article], *, direction: str = ""
) -> list[dict[str, Any]]:
    """A row for each headline of the articles that were transferred, in one direction or in all.

    An item is an article, with the direction where it was transferred in several.
    """
    known = {article.id: article for article in articles}
    directions = list(dict.fromkeys(transfer.direction for transfer in transfers))
    if direction and direction not in directions:
        raise InputError(f"no output has the direction {direction!r}; {suggest(direction, directions)}")
    kept = [transfer for transfer in transfers if direction in ("", transfer.direction)]
    if not kept:
        raise InputError("there are no outputs, so there is nothing to judge")
    for transfer in kept:
        article = known.get(transfer.id)
        if article is None:
            raise InputError(
                f"the output of {transfer.system} for {transfer.id!r} is of no article that was given; name the file "
                f"that has it ({option('articles')})"
            )
        if transfer.direction.partition(ARROW)[0] != article.source:
            raise InputError(
                f"the output of {transfer.system} for {transfer.id!r} has the direction {transfer.direction}, but that "
                f"article is of {article.source}"
            )
        if transfer.system in (ORIGINAL, GOLD):
            raise InputError(
                f"a system is called {transfer.system!r}, as the headlines of the articles are here; call it otherwise"
            )
    several = len({(transfer.id, transfer.direction) for transfer in kept}) > len({transfer.id for transfer in kept})
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for transfer in kept:
        article, item = known[transfer.id], f"{transfer.id} {transfer.direction}" if several else transfer.id
        found = {
            ORIGINAL: (article.headline, article.source),
            transfer.system: (transfer.text, transfer.target),
        }
        pair = known.get(article.pair)
        if pair is not None and pair.source == transfer.target:
            found[GOLD] = (pair.headline, pair.source)
        for system, (text, name) in found.items():
            rows[item, system] = {"item": item, "system": system, "hypothesis": text, CLASS: name}
    return list(rows.values())


def chosen(
    rows: Sequence[dict[str, Any]], systems: Sequence[str], *, two: bool = False
) -> tuple[list[str], list[dict[str, Any]]]:
    """The systems to be judged and their rows, of the items that all of them have; without a choice the original
    headlines and all systems, or, of two, the originals and the one system that there is."""
    known = list(dict.fromkeys(row["system"] for row in rows))
    for name in systems:
        if name not in known:
            lacking = "; the articles name no pairs of theirs (pair)" if name == GOLD else ""
            raise InputError(f"there is no system {name!r}{lacking}; {suggest(name, known)}")
    wanted = list(dict.fromkeys(systems)) or [name for name in known if name != GOLD]
    if two and len(wanted) != 2:
        raise InputError(
            f"a triangle test compares two kinds of headlines: name them with {option('systems', 'A,B')}, of "
            f"{', '.join(known)}"
        )
    held: dict[str, set[str]] = {name: set() for name in wanted}
    for row in rows:
        if row["system"] in held:
            held[row["system"]].add(row["item"])
    shared = set.intersection(*held.values())
    if not shared:
        raise InputError(f"no article has a headline by each of {', '.join(wanted)}; name fewer systems")
    return wanted, [row for row in rows if row["system"] in held and row["item"] in shared]
