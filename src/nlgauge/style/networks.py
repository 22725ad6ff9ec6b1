"""The networks of transfer systems: one is trained and kept in a folder, and writes when it is asked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from nlgauge.generators.pool import device
from nlgauge.generators.training import Decoding, Example, Generator, Hyperparameters, Vocabulary, Writer
from nlgauge.io.write import atomic_path
from nlgauge.style.systems import FORMS, RECEIPT, Task
from nlgauge.text.pieces import joined

TOGETHER = 256  # prompts written for at once


def kept(folder: Path) -> bool:
    """Whether a finished network lies there: its receipt is written last; with a damaged one it is trained anew."""
    try:
        return isinstance(json.loads((folder / RECEIPT).read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        return False


def train(folder: Path, task: Task) -> None:
    """Train a network and keep it in a folder of its own."""
    begun, processor = time.perf_counter(), time.process_time()
    settings = task.settings
    examples = [Example(*pair) for pair in task.examples]
    words = Vocabulary(examples, settings.vocabulary)
    made = Hyperparameters(
        network=FORMS[task.system].network,
        width=settings.width,
        rate=settings.rate,
        dropout=settings.dropout,
        steps=settings.steps,
        stories=len(examples),
        seed=settings.seed,
    )
    generator = Generator(made, words, examples, device(), batch=settings.batch)
    generator.learn(settings.steps)
    home = folder / task.name
    home.mkdir(exist_ok=True)
    generator.save(home)
    told = {
        "name": task.name,
        "system": task.system,
        "reads": task.reads or None,
        "writes": task.writes,
        "network": made.network,
        "parts": list(FORMS[task.system].parts),
        "examples": len(examples),
        "vocabulary": len(words),
        "passes": round(settings.steps * settings.batch / len(examples), 2),
        "seconds": round(time.perf_counter() - begun, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
        "device": str(generator.device),
    }
    with atomic_path(home / RECEIPT) as temporary:
        temporary.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")


def written(folder: Path, prompts: Sequence[str]) -> Iterator[str]:
    """A text for each prompt, of the likeliest word at each step; nothing for an empty prompt."""
    writer = Writer.open(folder, device())
    for start in range(0, len(prompts), TOGETHER):
        some = prompts[start : start + TOGETHER]
        for prompt, text in zip(some, writer.write(some, Decoding(top=1), 0), strict=True):
            yield joined(text.split()) if prompt else ""
