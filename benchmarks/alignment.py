"""Alignment of two generated newspapers: against known events, at size, and beside scikit-learn's dense cosines.

    python benchmarks/alignment.py --out benchmarks/results/alignment.json

Needs scikit-learn (the extra `train`). `known`: 2 × 20,000 articles at the defaults, precision and recall of the pairs.
`large`: 2 × 75,000 articles of 400 words, read from disk by the command, dates at most 60 days apart. `dense`:
2 × 5,000 articles of 400 words, dates at most 60 days apart; scikit-learn's TfidfVectorizer with the same terms, then
linear_kernel (the cosine of its vectors) of dense matrices, 500 rows at a time. `--rows` times the products of so many
rows only and scales them, as the whole takes minutes; the other rows are compared with scikit-learn's sparse product.
Both sides begin with the texts; their pairs must be equal, and the scores to 1e-9, before a time counts. Seconds are
given as they passed and of processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.style.aligning.align import Close, close_pairs
from nlgauge.style.aligning.sides import days_of
from nlgauge.style.aligning.vectors import terms, tfidf
from nlgauge.style.demonstration import NewspaperSettings, newspapers, write_newspapers
from nlgauge.style.forms import read_pairs

KNOWN, LARGE, DENSE, BLOCK = 20_000, 75_000, 5_000, 500
WORDS, DAYS, WEAK = 400, 60, 0.185
COMMAND = (sys.executable, "-m", "nlgauge", "style", "align")


def known() -> dict[str, Any]:
    """Precision and recall at the defaults."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_newspapers(home, NewspaperSettings(KNOWN))
        took = _command(home)
        events = {
            (event["a"], event["b"]) for event in map(json.loads, (home / "events.jsonl").read_text().splitlines())
        }
        found = {(pair.a, pair.b) for pair in read_pairs(home / "pairs.jsonl")}
    right = len(events & found)
    return {
        "articles": KNOWN,
        "events": len(events),
        "pairs": len(found),
        "precision": right / len(found),
        "recall": right / len(events),
        **took,
    }


def large() -> dict[str, Any]:
    """Seconds and memory of the command."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_newspapers(home, NewspaperSettings(LARGE, words=WORDS))
        return {"articles": LARGE, "words": WORDS, "days": DAYS, **_command(home, "--days", str(DAYS))}


def _command(home: Path, *options: str) -> dict[str, Any]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(
        [
            *COMMAND,
            *(str(home / f"{name}.jsonl") for name in ("gazette", "courier")),
            *("-o", str(home / "pairs.jsonl"), "--json", *options),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = json.loads(done.stdout)
    return {
        "strong": told["strong"],
        "weak": told["weak"],
        "seconds": round(seconds, 1),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "memory_gb": round(after.ru_maxrss / 1024**2, 2),  # of the largest child so far
    }


def dense(timed_rows: int) -> dict[str, Any]:
    """Seconds of both sides, once each."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import linear_kernel

    papers = newspapers(DENSE, words=WORDS)
    texts = [[article.text for article in side] for side in (papers.gazette, papers.courier)]
    dates = [days_of(side, DAYS) for side in (papers.gazette, papers.courier)]

    clock = _Clock()
    ours = close_pairs(*tfidf(texts[0], texts[1], terms), *dates, days=DAYS, threshold=WEAK)
    own = clock.read()

    clock = _Clock()
    vectorizer = TfidfVectorizer(analyzer=terms).fit(texts[0] + texts[1])
    a, b = (vectorizer.transform(side) for side in texts)
    columns = b.toarray()
    before = clock.read()
    clock = _Clock()
    found = [
        _above(linear_kernel(a[first : first + BLOCK].toarray(), columns), first, dates)
        for first in range(0, timed_rows, BLOCK)
    ]
    products = clock.read()
    peer = {key: round(before[key] + products[key] * DENSE / timed_rows, 2) for key in own}
    del columns
    found += [
        _above(linear_kernel(a[first : first + BLOCK], b, dense_output=False).toarray(), first, dates)
        for first in range(timed_rows, DENSE, BLOCK)
    ]
    theirs = Close(*map(np.concatenate, zip(*found, strict=True)))
    if not (np.array_equal(ours.a, theirs.a) and np.array_equal(ours.b, theirs.b)):
        raise SystemExit("ours and scikit-learn's pairs differ")
    difference = float(np.abs(ours.score - theirs.score).max())
    if difference > 1e-9:
        raise SystemExit(f"ours and scikit-learn's scores differ by {difference}")
    return {
        "articles": DENSE,
        "words": WORDS,
        "days": DAYS,
        "terms": len(vectorizer.vocabulary_),
        "pairs": len(ours.a),
        "largest_difference": difference,
        "timed_rows": timed_rows,
        "ours": own,
        "scikit_learn": peer,
        "times_faster": round(peer["seconds"] / own["seconds"], 1),
        "times_less_processor": round(peer["processor_seconds"] / own["processor_seconds"], 1),
    }


def _above(cells: Any, first: int, dates: list[Any]) -> tuple[Any, Any, Any]:
    """Row, column and cosine of the cells that count."""
    near = np.abs(dates[0][first : first + BLOCK, None] - dates[1][None, :]) <= DAYS
    row, column = np.nonzero((cells >= WEAK) & near)
    return row + first, column, cells[row, column]


class _Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self.started, self.processor = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """As they passed, and of processor time."""
        return {
            "seconds": round(time.perf_counter() - self.started, 2),
            "processor_seconds": round(time.process_time() - self.processor, 2),
        }


def main() -> None:
    """Measure the parts asked for, and keep the others as they are in the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ("known", "large", "dense")
    parser.add_argument("--part", action="append", choices=parts, help="only this part (repeatable)")
    parser.add_argument("--rows", type=int, default=DENSE, help="rows of dense products that are timed")
    parser.add_argument("--out", type=Path, help="the file of results")
    arguments = parser.parse_args()
    kept = json.loads(arguments.out.read_text()) if arguments.out and arguments.out.is_file() else {}
    for name in arguments.part or parts:
        found = known() if name == "known" else large() if name == "large" else dense(arguments.rows)
        kept[name] = {**found, "cores": os.cpu_count()}
        print(name, json.dumps(kept[name]), flush=True)
        if arguments.out:
            arguments.out.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
