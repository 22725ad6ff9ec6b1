"""The forms of NUBIA side by side: from texts to calibrated scores, models loaded.

    python benchmarks/nubia.py wmt17_daseg.jsonl.gz --out benchmarks/results/nubia.json

All in one process, on as many threads as there are cores, nothing kept on disk. Each repeat scores outputs of another
language pair, and every side begins without what the others read.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from pair import parts

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.spec import parse
from nlgauge.models import runtime

FORMS = ("nubia", "nubia-8dim-nn", "nubia-light", "nubia-one-pass")


def spread(batch: Batch, sides: int, count: int) -> list[Batch]:
    """As many outputs for each side, no text for two of them: what one has read the others must read anew."""
    return [
        Batch(batch.hypotheses[start : start + count], batch.references[start : start + count])
        for start in range(0, sides * count, count)
    ]


def main() -> None:
    """Time the forms in turn; each takes another's outputs in the next repeat."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data")
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--outputs", type=int, default=100)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    metrics = {name: parse(f"nubia(model={name})") for name in FORMS}
    *timed, warm = parts(arguments.data, arguments.repeats)
    result: dict[str, Any] = {"outputs": arguments.outputs, "sides": {}}
    with runtime.use(embeddings="off"):
        for metric in metrics.values():
            metric.rows(Batch(warm.hypotheses[:20], warm.references[:20]))
        for number, batch in enumerate(timed):
            shares = spread(batch, len(FORMS), arguments.outputs)
            for place, (name, metric) in enumerate(metrics.items()):
                share = shares[(place + number) % len(shares)]
                start, cpu = time.perf_counter(), time.process_time()
                metric.rows(share)
                took = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
                result["sides"].setdefault(name, []).append({key: round(t, 3) for key, t in took.items()})
    for name, times in result["sides"].items():
        for key in ("seconds", "cpu"):
            rate = arguments.outputs * len(times) / sum(each[key] for each in times)
            print(f"{name}: {rate:.1f} outputs a second ({key})")
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
