"""Several receipts under one table: what they have in common once, then what each has of its own."""

from __future__ import annotations

from collections.abc import Iterable

OWN = "  |"  # begins what follows the common part


def folded(receipts: Iterable[str]) -> list[str]:
    """Receipts of one run, shortened. The first line with any one of the others is a whole receipt.

    >>> folded(["nlgauge=1|metric=bleu|n=9", "nlgauge=1|metric=ter|n=9"])
    ['nlgauge=1|n=9', '  |metric=bleu', '  |metric=ter']
    """
    lines = list(dict.fromkeys(receipts))
    if len(lines) < 2:
        return lines
    facts = [line.split("|") for line in lines]
    common = [fact for fact in facts[0] if all(fact in other for other in facts)]
    own = ["|".join(fact for fact in line if fact not in common) for line in facts]
    return ["|".join(common), *(f"{OWN}{rest}" for rest in own)]


def unbroken(line: str) -> bool:
    """Whether a line is part of a receipt, which stays on one line so that it can be copied whole."""
    return line.startswith(("nlgauge=", OWN))
