"""Verdicts a second of a comparator: two texts and their context in, outcomes out.

    python benchmarks/verdicts.py --out benchmarks/results/verdicts.json     on a GPU where there is one

Each repeat compares texts that were not read before, each of 64 units with its delimiters (so that a verdict takes
128); the model is loaded, nothing is kept on disk. `distinct` counts pairs of which every text occurs once; in
`tournament` 20 systems meet each other on the same contexts, so that each text is read once and compared 19 times.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from nlgauge.learned.comparator import Comparator, Written
from nlgauge.learned.folder import VOCABULARY
from nlgauge.learned.trained import opened
from nlgauge.models import runtime
from nlgauge.models.resolve import tokeniser_folder
from nlgauge.models.runtime import chosen
from nlgauge.models.wordpiece import read_pieces

UNITS = 64
SYSTEMS = 20
WORDS = 5_000  # the vocabulary's commonest, each one unit


@cache
def words() -> list[str]:
    """What the texts are made of."""
    pieces = read_pieces(tokeniser_folder() / VOCABULARY)
    return [piece for piece in pieces if piece.isalpha() and piece.isascii() and len(piece) > 1][:WORDS]


def texts(number: int, random: Random) -> list[str]:
    """Texts of so many units with their three delimiters."""
    return [" ".join(random.choices(words(), k=UNITS - 3)) for _ in range(number)]


def seconds(form: Comparator, ones: Sequence[Written], others: Sequence[Written]) -> float:
    """For all verdicts."""
    start = time.perf_counter()
    form.probabilities(ones, others)
    return time.perf_counter() - start


def distinct(form: Comparator, pairs: int, random: Random) -> tuple[int, float]:
    """Every text once: how many verdicts, in how many seconds."""
    made = [Written(text) for text in texts(2 * pairs, random)]
    return pairs, seconds(form, made[:pairs], made[pairs:])


def tournament(form: Comparator, pairs: int, random: Random) -> tuple[int, float]:
    """Every system against every other on each context."""
    contexts = max(1, pairs * 2 // (SYSTEMS * (SYSTEMS - 1)))
    made = [[Written(text) for text in texts(SYSTEMS, random)] for _ in range(contexts)]
    games = [pair for texts_of in made for pair in combinations(texts_of, 2)]
    ones, others = zip(*games, strict=True)
    return len(games), seconds(form, ones, others)


def main() -> None:
    """The best of several repeats of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--model", default="nlgauge-compare")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    form = opened(arguments.model).form
    assert isinstance(form, Comparator)
    random = Random(7)
    result: dict[str, Any] = {"units": UNITS, "device": chosen(runtime.current().device)}
    with runtime.use(embeddings="off"):
        distinct(form, min(4096, arguments.pairs), random)  # loads the model
        for name, way in (("distinct", distinct), ("tournament", tournament)):
            timed = [way(form, arguments.pairs, random) for _ in range(arguments.repeats)]
            rates = [round(number / taken) for number, taken in timed]
            result[name] = {"verdicts": timed[0][0], "a_second": max(rates), "each_repeat": rates}
    result["memory_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result))
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
