"""Train nlgauge-compare again: python tools/train_nlgauge_compare.py DATA ROOM.

DATA holds e2e17_rankme_sets, e2e17_flat, summeval, newsroom, novikova17_d2t and llmbar_mtbench_pairwise (.jsonl.gz).
The rows to learn from are written to ROOM, and the metric to ROOM/nlgauge-compare, by the recipe of the same name, in
minutes on a GPU. Afterwards `tools/activation_ranges.py` measures what enters its 8-bit products.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from comparator_folds import CRITERIA, outputs

import nlgauge.training
from nlgauge.training.run import train

NAME = "nlgauge-compare"
# One set in three of E2E's, each preference between answers to instructions ten times: no set drowns another.
THIN, TIMES = 3, 10
# Pairs made to fool judges: the answer that looks better is the wrong one. They are no sample of what people prefer.
CONTRIVED = "LLMBar/Adversarial"
RECIPES = Path(nlgauge.training.__file__).parent / "recipes"
EXPERTS = ("expert_coherence", "expert_consistency", "expert_fluency", "expert_relevance")
Row = dict[str, Any]


def read(path: Path) -> Iterator[Row]:
    """The rows of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def write(path: Path, rows: Iterable[Row]) -> None:
    """An evaluation set; items have short names, as the metric's folder tells which were held out."""
    named = ({**row, "item": sha256(row["item"].encode()).hexdigest()[:10]} for row in rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in named), encoding="utf-8")


def rated(row: Row, criterion: str, value: float) -> Row:
    """An output with one rating."""
    return {
        **{key: row[key] for key in ("item", "system", "source", "hypothesis")},
        "ratings": {criterion: round(value, 6)},
    }


def thinned(rows: Iterable[Row], criterion: str, thin: int) -> list[Row]:
    """With every so manieth judged set alone, so that large sets do not drown the others."""
    found = []
    for row in rows:
        given = zip(row["raters"], row["ratings"][criterion], strict=True)
        kept = [(judge, score) for judge, score in given if int(judge.removeprefix("set")) % thin == 0]
        if kept:
            judges, scores = zip(*kept, strict=True)
            found.append({**row, "raters": judges, "ratings": {criterion: scores}})
    return found


def rows(data: Path, *, thin: int = THIN, times: int = TIMES) -> dict[str, list[Row]]:
    """What there is to learn from, by the name of its file."""

    def of(name: str) -> Iterator[Row]:
        return read(data / f"{name}.jsonl.gz")

    return {
        **{f"e2e-{criterion}": thinned(outputs(data, criterion), criterion, thin) for criterion in CRITERIA},
        "summeval": [
            rated(row, "experts", float(np.mean([row["ratings"][name] for name in EXPERTS]))) for row in of("summeval")
        ],
        "newsroom": [rated(row, "mean", float(np.mean(list(row["ratings"].values())))) for row in of("newsroom")],
        "novikova": [rated(row, "quality", row["ratings"]["quality"]) for row in of("novikova17_d2t")],
        "instructions": [
            {
                **{key: row[key] for key in ("source", "hypothesis_a", "hypothesis_b", "ratings")},
                "item": f"{row['item']}/{time}",
            }
            for row in of("llmbar_mtbench_pairwise")
            if not row["item"].startswith(CONTRIVED)
            for time in range(times)
        ],
    }


def main(data: str, room: str) -> None:
    """The rows, then the metric."""
    folder = Path(room)
    folder.mkdir(parents=True, exist_ok=True)
    for name, some in rows(Path(data)).items():
        write(folder / f"{name}.jsonl", some)
    recipe = folder / f"{NAME}.yaml"
    recipe.write_text((RECIPES / f"{NAME}.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    found = train(recipe, folder / NAME, report=lambda figures: print(json.dumps(figures), flush=True))
    print(json.dumps(found.figures["held_out"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
