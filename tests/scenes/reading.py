"""Reads the annotated captions, and says how far tuples that were found are those of the annotation."""

from __future__ import annotations

from pathlib import Path

Tuples = frozenset[tuple[str, ...]]
HERE = Path(__file__).resolve().parent


def annotated(name: str) -> list[tuple[str, Tuples]]:
    """Caption and tuples of each entry of a file of this folder."""
    entries: list[tuple[str, Tuples]] = []
    caption = ""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            caption = line
        else:
            parts = [tuple(word.strip() for word in part.split(",")) for part in line.split(";")]
            entries.append((caption, frozenset(parts)))
    return entries


def precision_and_recall(found: list[Tuples], wanted: list[Tuples], size: int = 0) -> tuple[float, float]:
    """Over all captions; of one size of tuple where it is given."""
    both = mine = theirs = 0
    for got, gold in zip(found, wanted, strict=True):
        some, others = ({each for each in side if size in (0, len(each))} for side in (got, gold))
        both, mine, theirs = both + len(some & others), mine + len(some), theirs + len(others)
    return both / mine, both / theirs
