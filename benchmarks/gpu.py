"""BERTScore on a GPU beside the package bert-score: a network of BERT-large's size, 18 layers, 20,000 pairs.

    python benchmarks/gpu.py --out results.json        needs CUDA, bert-score and the extra neural

Random weights serve for timing: time does not hang on them. Each side is a fresh process that reads the model from disk
and the texts from a file, and prints the scores; ours runs in float16, in bfloat16 and, for the numbers, in float32.
The arithmetic of the encoder is counted for real units only (padding is waste), and set against the fastest bfloat16
product of two large matrices that the same GPU gave in the same run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

LAYERS = 18
WIDTH, INNER = 1024, 4096
PAIRS = 20_000
REPEATS = 3
# What either side imports before its clock starts.
IMPORTED = (
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.bert.modeling_bert",
)


def make_model(folder: Path) -> None:
    """A network of BERT-large's size with random weights, and a WordPiece vocabulary of made-up words."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=30_522,
        hidden_size=WIDTH,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=INNER,
    )
    model = BertModel(config)
    for layer in model.encoder.layer:  # as spread as trained ones, so that vectors differ
        for linear in (layer.attention.output.dense, layer.output.dense):
            torch.nn.init.normal_(linear.weight, std=0.05)
    model.save_pretrained(folder)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *vocabulary()]
    words += [f"[unused{number}]" for number in range(30_522 - len(words))]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    from transformers import BertTokenizerFast

    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=512).save_pretrained(folder)


def vocabulary() -> list[str]:
    """Words of two to three syllables, and continuations."""
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    words = [a + b for a in syllables for b in syllables]
    return sorted(words) + [f"##{syllable}" for syllable in syllables]


def make_texts(path: Path, pairs: int) -> None:
    """Outputs and references as long as news texts: 25 words in the mean, a fifth of them in two units."""
    rng = np.random.default_rng(7)
    words = vocabulary()[:3600]
    syllables = ["ba", "du", "ki", "mo", "ne"]
    rows = []
    for _ in range(pairs):
        length = int(np.clip(rng.lognormal(3.1, 0.5), 2, 120))
        text = [
            words[k] + (syllables[k % 5] if more else "")
            for k, more in zip(rng.integers(0, len(words), length), rng.random(length) < 0.2, strict=True)
        ]
        other = [words[int(rng.integers(len(words)))] if rng.random() < 0.4 else word for word in text]
        rows.append(
            {
                "hypothesis": " ".join(text),
                "reference": " ".join(other[: max(1, length - int(rng.integers(3)))]),
            }
        )
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def read_texts(path: Path) -> tuple[list[str], list[str]]:
    """Outputs and references."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["hypothesis"] for row in rows], [row["reference"] for row in rows]


def ours(model: Path, texts: Path, dtype: str) -> list[float]:
    """Scores of every pair."""
    from nlgauge.kernels.batch import Batch
    from nlgauge.metrics.spec import parse

    hypotheses, references = read_texts(texts)
    metric = parse(f"bertscore(model={model},layer={LAYERS},dtype={dtype})")
    rows = metric.rows(Batch(hypotheses, [[one] for one in references]))
    return [float(value) for value in metric.score(rows)]


def theirs(model: Path, texts: Path) -> list[float]:
    """The same by the package."""
    import bert_score

    hypotheses, references = read_texts(texts)
    _, _, f1 = bert_score.score(
        hypotheses, references, model_type=str(model), num_layers=LAYERS, device="cuda", verbose=False
    )
    return [float(value) for value in f1]


def ceiling(size: int = 8192) -> float:
    """Operations a second of a large bfloat16 product, the best of ten."""
    import torch

    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    best = 0.0
    for _ in range(13):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(10):
            a @ b
        torch.cuda.synchronize()
        best = max(best, 10 * 2 * size**3 / (time.perf_counter() - start))
    return best


def encoder(model: Path, texts: Path) -> dict[str, float]:
    """Arithmetic a second of the encoder alone, on the study's texts with everything warm."""
    import torch

    from nlgauge import models

    hypotheses, references = read_texts(texts)
    both = list(dict.fromkeys(text for pair in zip(hypotheses, references, strict=True) for text in pair))
    made = models.contextual(str(model), dtype="fp16", purpose="the benchmark")
    units = made.units(both)
    lengths = np.array([len(one) for one in units], dtype=np.float64)
    made.encode(both[:4096], LAYERS)
    best = float("inf")
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        made.encode(both, LAYERS)
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    dense = 2 * (4 * WIDTH * WIDTH + 2 * WIDTH * INNER) * lengths.sum()
    attention = 4 * WIDTH * (lengths**2).sum()
    work = LAYERS * (dense + attention)
    return {"seconds": best, "units": float(lengths.sum()), "operations": work, "rate": work / best}


def timed(side: str, model: Path, texts: Path, dtype: str = "") -> dict[str, Any]:
    """One side in a fresh process: seconds from text to score, the best of several, and the scores."""
    found: dict[str, Any] = {"seconds": float("inf"), "all": []}
    for _ in range(REPEATS):
        done = subprocess.run(
            [sys.executable, __file__, "--side", side, "--model", str(model), "--texts", str(texts), "--dtype", dtype],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{side}: {done.stderr[-3000:]}")
        one = json.loads(done.stdout.splitlines()[-1])
        found["all"].append(one["seconds"])
        if one["seconds"] < found["seconds"]:
            found |= one
    return found


def side(arguments: argparse.Namespace) -> None:
    """What the fresh process does; imports and the start of CUDA are not counted for either side."""
    import torch

    for module in (*IMPORTED, *(["bert_score"] if arguments.side == "theirs" else [])):
        importlib.import_module(module)
    torch.zeros(1, device="cuda")
    model, texts = Path(arguments.model), Path(arguments.texts)
    start = time.perf_counter()
    scores = ours(model, texts, arguments.dtype) if arguments.side == "ours" else theirs(model, texts)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    memory = torch.cuda.max_memory_allocated() / 2**30
    print(json.dumps({"seconds": seconds, "gpu_gib": memory, "scores": scores}))


def main() -> None:
    """Everything, or one side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", default="")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--side", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--texts", default="")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--profile", action="store_true", help="our side alone, profiled")
    arguments = parser.parse_args()
    if arguments.side:
        side(arguments)
        return
    import torch

    with tempfile.TemporaryDirectory() as folder:
        model, texts = Path(folder) / "large", Path(folder) / "texts.jsonl"
        make_model(model)
        make_texts(texts, arguments.pairs)
        if arguments.profile:
            profiled(model, texts)
            return
        half, full = timed("ours", model, texts, "fp16"), timed("ours", model, texts, "float32")
        bf16 = timed("ours", model, texts, "bf16")
        peer = timed("theirs", model, texts)
        top, encoding = ceiling(), encoder(model, texts)
    a, b, c, d = (np.array(one.pop("scores")) for one in (half, full, peer, bf16))
    result = {
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "pairs": arguments.pairs,
        "layers": LAYERS,
        "ours_fp16": half,
        "ours_bf16": bf16,
        "ours_float32": full,
        "bert_score": peer,
        "times_faster": peer["seconds"] / half["seconds"],
        "times_faster_bf16": peer["seconds"] / bf16["seconds"],
        "times_faster_float32": peer["seconds"] / full["seconds"],
        "largest_difference_float32": float(np.abs(b - c).max()),
        "largest_difference_fp16": float(np.abs(a - b).max()),
        "largest_difference_bf16": float(np.abs(d - b).max()),
        "spread_of_scores": [float(b.min()), float(b.mean()), float(b.max())],
        "ceiling_tflops": top / 1e12,
        "encoder": encoding,
        "encoder_share_of_ceiling": encoding["rate"] / top,
    }
    print(json.dumps(result, indent=1))
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def profiled(model: Path, texts: Path) -> None:
    """Where our side spends its time."""
    import cProfile
    import pstats

    import torch

    for module in IMPORTED:  # as in `side`, imports do not count
        importlib.import_module(module)
    torch.zeros(1, device="cuda")
    profile = cProfile.Profile()
    profile.enable()
    ours(model, texts, "fp16")
    torch.cuda.synchronize()
    profile.disable()
    pstats.Stats(profile).sort_stats("cumtime").print_stats(45)


if __name__ == "__main__":
    main()
