"""BERTScore on a CPU beside the package bert-score, with MiniLM in 8-bit arithmetic; and the embedding cache, first run
and second.

    python benchmarks/cpu.py DATA.jsonl.gz --out results.json     needs bert-score and the extras neural and encoder

DATA has rows with `hypothesis` and `references`, such as WMT17's. Each side is a fresh process that reads the model
from disk and the texts from a file, and prints the scores; both have the same number of threads and read the same
layers, and the imports of neither count. The sides alternate, and the best of each counts. The cache is measured on
the whole command `nlgauge score`, interpreter and imports included.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

LAYER = 6
# What either side imports before its clock starts.
_AUTO = "transformers.models.auto"
THEIRS = (
    "bert_score",
    "torch",
    f"{_AUTO}.modeling_auto",
    f"{_AUTO}.tokenization_auto",
    "transformers.models.bert.modeling_bert",
)
OURS = (
    "onnxruntime",
    "tokenizers",
    "nlgauge.metrics.bertscore",
    "nlgauge.metrics.spec",
    "nlgauge.models.int8",
    "nlgauge.models.sentences",
)


def take(source: Path, target: Path, pairs: int) -> int:
    """The first rows of the data, each with its first reference; their number."""
    content = source.read_bytes()
    plain = gzip.decompress(content) if source.suffix == ".gz" else content
    rows = [json.loads(line) for line in plain.decode().splitlines()]
    kept = [
        {"item": f"i{k}", "system": "s", "hypothesis": row["hypothesis"], "references": row["references"][:1]}
        for k, row in enumerate(rows[: pairs or None])
    ]
    target.write_text("\n".join(json.dumps(row) for row in kept) + "\n", encoding="utf-8")
    return len(kept)


def read(path: Path) -> tuple[list[str], list[str]]:
    """Outputs and references."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["hypothesis"] for row in rows], [row["references"][0] for row in rows]


def ours(model: str, hypotheses: list[str], references: list[str]) -> list[float]:
    """Scores of every pair."""
    from nlgauge.kernels.batch import Batch
    from nlgauge.metrics.spec import parse

    metric = parse(f"bertscore(model={model},layer={LAYER})")
    return [float(x) for x in metric.score(metric.rows(Batch(hypotheses, [[one] for one in references])))]


def theirs(hypotheses: list[str], references: list[str]) -> list[float]:
    """The same by the package, full precision."""
    import bert_score

    from nlgauge.models.resolve import locate

    path = str(locate("minilm", "contextual", "the benchmark").path)
    _, _, f1 = bert_score.score(hypotheses, references, model_type=path, num_layers=LAYER, device="cpu")
    return [float(x) for x in f1]


def side(name: str, texts: Path) -> None:
    """What the fresh process does."""
    for module in THEIRS if name == "theirs" else OURS:
        importlib.import_module(module)
    if name == "theirs":
        import torch

        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    hypotheses, references = read(texts)
    start, cpu = time.perf_counter(), time.process_time()
    scores = theirs(hypotheses, references) if name == "theirs" else ours(name, hypotheses, references)
    told = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "scores": scores}
    print(json.dumps(told))


def fresh(name: str, texts: Path, threads: int) -> dict[str, Any]:
    """One side in a process of its own, nothing kept on disk."""
    given = {"OMP_NUM_THREADS": str(threads), "NLGAUGE_THREADS": str(threads), "NLGAUGE_EMBEDDINGS": "off"}
    done = subprocess.run(
        [sys.executable, __file__, str(texts), "--side", name],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **given, "HF_HUB_OFFLINE": "1"},
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def side_by_side(names: list[str], texts: Path, threads: int, repeats: int) -> dict[str, dict[str, Any]]:
    """The sides in turn, the best of each."""
    best: dict[str, dict[str, Any]] = {}
    for _ in range(repeats):
        for name in names:
            one = fresh(name, texts, threads)
            if name not in best or one["seconds"] < best[name]["seconds"]:
                best[name] = one
    return best


def command(texts: Path, cache: Path, spec: str, threads: int) -> float:
    """Seconds of the whole command."""
    given = {"NLGAUGE_CACHE": str(cache), "OMP_NUM_THREADS": str(threads), "NLGAUGE_EMBEDDINGS": "on"}
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "nlgauge", "score", str(texts), "-m", spec],
        check=True,
        capture_output=True,
        env={**os.environ, **given, "HF_HUB_OFFLINE": "1"},
    )
    return time.perf_counter() - start


def cached(texts: Path, spec: str, threads: int) -> dict[str, float]:
    """The first run fills the cache, the second (best of three) reads it."""
    with tempfile.TemporaryDirectory() as folder:
        first = command(texts, Path(folder), spec, threads)
        again = min(command(texts, Path(folder), spec, threads) for _ in range(3))
    return {"first": first, "second": again, "times": first / again}


def main() -> None:
    """Everything, or one side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data")
    parser.add_argument("--pairs", type=int, default=0, help="take the first so many rows; 0: all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--what", choices=("speed", "cache", "both"), default="both")
    parser.add_argument("--out", default="")
    parser.add_argument("--side", default="")
    arguments = parser.parse_args()
    if arguments.side:
        side(arguments.side, Path(arguments.data))
        return
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.jsonl"
        result: dict[str, Any] = {"pairs": take(Path(arguments.data), texts, arguments.pairs), "layer": LAYER}
        result["threads"] = arguments.threads
        if arguments.what != "cache":
            found = side_by_side(["theirs", "minilm-int8"], texts, arguments.threads, arguments.repeats)
            a, b = (np.array(found[name].pop("scores")) for name in ("theirs", "minilm-int8"))
            result |= {"sides": found, "correlation": float(np.corrcoef(a, b)[0, 1])}
            result |= {
                "largest_difference": float(np.abs(a - b).max()),
                "means": [float(a.mean()), float(b.mean())],
            }
            result["times_faster"] = found["theirs"]["seconds"] / found["minilm-int8"]["seconds"]
            result["times_faster_cpu"] = found["theirs"]["cpu"] / found["minilm-int8"]["cpu"]
        if arguments.what != "speed":
            result["cache"] = cached(texts, "bertscore", arguments.threads)
    print(json.dumps(result, indent=1))
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
