"""The generators of every unit are trained and write; each unit is one file, kept when it is done."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.generators.pool import device, finished
from nlgauge.generators.training import Example, Generator, Vocabulary
from nlgauge.io.write import atomic_path
from nlgauge.learned.comparator import Written
from nlgauge.reproduce.corpora import Corpus, corpus_of
from nlgauge.reproduce.settings import Settings, Unit


@dataclass(frozen=True)
class Wrote:
    """What an option wrote, and what is known of it."""

    told: dict[str, Any]  # its hyperparameters, step and decoding
    texts: tuple[Written, ...]
    perplexity: float  # of its model on held-out stories
    own: tuple[float, ...]  # of each text for its own model
    oracle: tuple[float, ...]  # of each text; none where there is no oracle
    fresh: tuple[float, ...]  # of each fresh output


@dataclass(frozen=True)
class _Room:
    """What every unit of a process shares."""

    corpus: Corpus
    words: Vocabulary
    device: str


_room: list[_Room] = []  # of this process


def write_all(
    settings: Settings, folder: Path, corpus: str | Path | None, progress: Callable[[str, int, int], None]
) -> None:
    """Every unit that is not there yet."""
    units = settings.units()
    left = [unit for unit in units if not _path(folder, unit).is_file()]
    done = len(units) - len(left)
    progress("generators", done, len(units))
    (folder / "texts").mkdir(parents=True, exist_ok=True)
    for _ in finished(partial(_write, folder), left, prepare=_prepare, shared=(settings, corpus)):
        done += 1
        progress("generators", done, len(units))


def _prepare(settings: Settings, corpus: str | Path | None) -> None:
    made = corpus_of(settings, corpus)
    _room[:] = [_Room(made, Vocabulary(made.learn), device())]


def _write(folder: Path, unit: Unit) -> None:
    (room,) = _room
    corpus, prompts = room.corpus, _prompts(unit, room.corpus)
    rows = []
    generator: Generator | None = None
    for place, option in enumerate(unit.options):
        if generator is None or generator.made != option.made:
            generator = Generator(option.made, room.words, corpus.learn, room.device)
        generator.learn(option.step)
        texts = generator.write(prompts, option.decoding, place)
        row: dict[str, Any] = {**asdict(option), "texts": texts}
        if corpus.oracle is not None:
            row["oracle"] = [corpus.oracle(*pair) for pair in zip(prompts, texts, strict=True)]
        if unit.kind != "run":
            row["own"] = (
                generator.surprise([Example(*pair) for pair in zip(prompts, texts, strict=True)]).round(4).tolist()
            )
            row["perplexity"] = float(np.exp(np.log(generator.surprise(corpus.valid)).mean()))
            if corpus.oracle is not None:
                asked = [story.prompt for story in corpus.fresh]
                fresh = generator.write(asked, option.decoding, place + 1000)
                row["fresh"] = [corpus.oracle(*pair) for pair in zip(asked, fresh, strict=True)]
        rows.append(row)
    with atomic_path(_path(folder, unit)) as temporary:
        temporary.write_text(json.dumps(rows), encoding="utf-8")


def read(unit: Unit, folder: Path, corpus: Corpus) -> list[Wrote]:
    """What its options wrote."""
    prompts = _prompts(unit, corpus)
    rows = json.loads(_path(folder, unit).read_text(encoding="utf-8"))
    return [
        Wrote(
            {name: row[name] for name in ("made", "step", "decoding")},
            tuple(Written(text, prompt) for prompt, text in zip(prompts, row["texts"], strict=True)),
            row.get("perplexity", float("nan")),
            tuple(row.get("own", ())),
            tuple(row.get("oracle", ())),
            tuple(row.get("fresh", ())),
        )
        for row in rows
    ]


def _prompts(unit: Unit, corpus: Corpus) -> list[str]:
    """Each training to learn from has its own; all that is chosen from has the same."""
    size = unit.settings.read
    if unit.kind == "run":
        return [story.prompt for story in corpus.read[unit.number * size : (unit.number + 1) * size]]
    return [story.prompt for story in corpus.shown for _ in range(unit.settings.samples)]


def _path(folder: Path, unit: Unit) -> Path:
    return folder / "texts" / f"{unit.name}.json"
