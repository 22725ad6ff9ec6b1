"""The generators of every unit are trained and write; each unit is one file, kept when it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.generators.kept import keep
from nlgauge.generators.pool import device, finished
from nlgauge.generators.training import Example, Generator, Vocabulary
from nlgauge.io.files import readable
from nlgauge.learned.comparator import Written
from nlgauge.reproduce.settings import Settings, Unit
from nlgauge.reproduce.stories import score, stories

# What generators learn from and are asked for: the generated stories, or a corpus of the user's.


END_OF_TURN = "__eou__"
DIALOGUES = ("dialogues_text.txt", "dialogues_train.txt")
PROMPT, TEXT = 40, 60  # words of each that are kept of a user's corpus


@dataclass(frozen=True)
class Corpus:
    """Stories by what they are for, no prompt twice; the oracle is None where nobody knows what is good."""

    learn: Sequence[Example]
    valid: Sequence[Example]
    shown: Sequence[Example]
    fresh: Sequence[Example]
    read: Sequence[Example]  # the prompts of trainings that evaluators learn from
    oracle: Callable[[str, str], float] | None


def corpus_of(settings: Settings, folder: str | Path | None = None) -> Corpus:
    """The generated one, or that of a folder."""
    sizes = (settings.learn, settings.valid, settings.shown, settings.fresh, settings.runs * settings.read)
    if folder is None:
        found = stories(sum(sizes), f"learning-to-compare/{settings.seed}")
        oracle: Callable[[str, str], float] | None = score
    else:
        found, oracle = _user_stories(Path(folder).expanduser(), settings.seed), None
        if len(found) < sum(sizes):
            raise InputError(
                f"{folder} has {len(found):,} different prompts, and {sum(sizes):,} are needed; "
                "give a larger corpus, or ask for fewer groups or the small form"
            )
    parts, start = [], 0
    for size in sizes:
        parts.append(found[start : start + size])
        start += size
    learn, valid, shown, fresh, read = parts
    return Corpus(learn=learn, valid=valid, shown=shown, fresh=fresh, read=read, oracle=oracle)


def _user_stories(folder: Path, seed: int) -> list[Example]:
    """Each prompt once, in an order of the seed's."""
    if not folder.is_dir():
        raise InputError(
            f"{folder} is no folder; expected WritingPrompts (train.wp_source, train.wp_target) or DailyDialog"
        )
    made: dict[str, Example] = {}
    for prompt, text in _read(folder):
        cut = " ".join(prompt.split()[-PROMPT:]).lower(), " ".join(text.split()[:TEXT]).lower()
        if all(cut):
            made.setdefault(cut[0], Example(*cut))
    found = list(made.values())
    Random(seed).shuffle(found)
    return found


def _read(folder: Path) -> Iterator[tuple[str, str]]:
    """Prompts and texts of a layout that is known."""
    parts = [part for part in ("train", "valid", "test") if (folder / f"{part}.wp_source").is_file()]
    for part in parts:
        source, target = (_lines(folder / f"{part}.wp_{side}") for side in ("source", "target"))
        if len(source) != len(target):
            raise InputError(
                f"{folder}: {part}.wp_source has {len(source):,} lines and {part}.wp_target {len(target):,}; "
                "expected a story for each prompt"
            )
        yield from zip(source, target, strict=True)
    talks = [folder / name for name in DIALOGUES if (folder / name).is_file()]
    for line in _lines(talks[0]) if talks and not parts else ():
        turns = [turn.strip() for turn in line.split(END_OF_TURN) if turn.strip()]
        yield from pairwise(turns)
    if not parts and not talks:
        raise InputError(
            f"{folder} has neither train.wp_source (WritingPrompts) nor {' or '.join(DIALOGUES)} (DailyDialog)"
        )


def _lines(path: Path) -> list[str]:
    with readable(path):
        return path.read_text(encoding="utf-8").splitlines()


@dataclass(frozen=True)
class Wrote:
    """What an option wrote, and what is known of it."""

    told: dict[str, Any]  # its hyperparameters, step and decoding
    texts: tuple[Written, ...]
    perplexity: float  # of its model on held-out stories
    own: tuple[float, ...]  # of each text for its own model
    oracle: tuple[float, ...]  # of each text; none where there is no oracle
    fresh: tuple[float, ...]  # of each fresh output


_room: list[tuple[Corpus, Vocabulary, str]] = []  # what every unit of this process shares, and its device


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
    _room[:] = [(made, Vocabulary(made.learn), device())]


def _write(folder: Path, unit: Unit) -> None:
    ((corpus, words, where),) = _room
    prompts = _prompts(unit, corpus)
    rows = []
    generator: Generator | None = None
    for place, option in enumerate(unit.options):
        if generator is None or generator.made != option.made:
            generator = Generator(option.made, words, corpus.learn, where)
        generator.learn(option.step)
        texts = generator.write(prompts, option.decoding, place)
        row: dict[str, Any] = {**asdict(option), "texts": texts}
        if corpus.oracle is not None:
            row["oracle"] = [corpus.oracle(*pair) for pair in zip(prompts, texts, strict=True)]
        if unit.kind != "run":
            own = generator.surprise([Example(*pair) for pair in zip(prompts, texts, strict=True)])
            row["own"] = own.round(4).tolist()
            row["perplexity"] = float(np.exp(np.log(generator.surprise(corpus.valid)).mean()))
            if corpus.oracle is not None:
                asked = [story.prompt for story in corpus.fresh]
                fresh = generator.write(asked, option.decoding, place + 1000)
                row["fresh"] = [corpus.oracle(*pair) for pair in zip(asked, fresh, strict=True)]
        rows.append(row)
    keep(_path(folder, unit), rows)


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
