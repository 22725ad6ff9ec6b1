"""nlgauge-mt, in 8 bits and in float32, beside bertscore(model=minilm-int8): from texts to scores, models loaded.

    python benchmarks/pair.py wmt17_daseg.jsonl.gz --out benchmarks/results/pair.json     needs the extra encoder

All in one process, on as many threads as there are cores, nothing kept on disk. Each repeat scores the 560 outputs of
another language pair, which no side has read before.
"""

from __future__ import annotations

import argparse
import gzip
import html
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nlgauge.kernels.batch import Batch
from nlgauge.learned.paired import PairEncoder
from nlgauge.learned.trained import opened
from nlgauge.metrics.spec import parse
from nlgauge.models import runtime


def parts(path: str, repeats: int) -> list[Batch]:
    """Outputs of one language pair into English each; of the last those to load the models with."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["dataset"].endswith("-en")]
    found = []
    for group in sorted({row["dataset"] for row in rows})[: repeats + 1]:
        some = [row for row in rows if row["dataset"] == group]
        texts = [html.unescape(row["hypothesis"]) for row in some]
        found.append(Batch(texts, [[html.unescape(row["references"][0])] for row in some]))
    return found


def main() -> None:
    """Time the sides in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    form = opened("nlgauge-mt").form
    assert isinstance(form, PairEncoder) and form.eight_bits
    wide = form.float_scorer()
    sides: dict[str, Callable[[Batch], object]] = {
        "bertscore(model=minilm-int8)": parse("bertscore(model=minilm-int8)").rows,
        "nlgauge-mt": parse("nlgauge-mt").rows,
        "nlgauge-mt in float32": lambda batch: wide.scores(
            [(text, one) for text, (one,) in zip(batch.hypotheses, batch.references, strict=True)]
        ),
    }
    *timed, warm = parts(arguments.data, arguments.repeats)
    result: dict[str, Any] = {"pairs": [len(batch.hypotheses) for batch in timed], "sides": {}}
    with runtime.use(embeddings="off"):
        for rows in sides.values():
            rows(Batch(warm.hypotheses[:20], warm.references[:20]))
        for batch in timed:
            for name, rows in sides.items():
                start, cpu = time.perf_counter(), time.process_time()
                rows(batch)
                took = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
                result["sides"].setdefault(name, []).append({key: round(t, 3) for key, t in took.items()})
    print(json.dumps(result, indent=1))
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
