"""What generators learn from and are asked for: the generated stories, or a corpus of the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

from nlgauge.errors import InputError
from nlgauge.generators.training import Example
from nlgauge.io.files import readable
from nlgauge.reproduce.oracle import score
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.stories import stories

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
