"""The whole reproduction, stage after stage: generators write, evaluators learn and read, tables are made.

What is finished is kept in the folder, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from nlgauge.generators.kept import RESULT, claim, keep
from nlgauge.jsonable import Jsonable
from nlgauge.reproduce import tables
from nlgauge.reproduce.evaluators import ADEM, BLEU, Strengths, names, read_all, train_all
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.tables import EVALUATORS, Group, Said
from nlgauge.reproduce.writing import Corpus, corpus_of, read, write_all

SECONDS = "seconds.json"
Progress = Callable[[str, int, int], None]
Made = TypeVar("Made")


@dataclass(frozen=True)
class Reproduction(Jsonable):
    """What was found; `tables` has only those that need no truth where there is no oracle."""

    KEYS = "reproduction, corpus, settings, seconds, *tables"
    reproduction: ClassVar = "learning-to-compare"

    settings: Settings
    corpus: str
    seconds: Mapping[str, float]
    tables: Mapping[str, Any]


def learning_to_compare(
    folder: str | Path,
    settings: Settings,
    *,
    corpus: str | Path | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Reproduction:
    """Run what is not finished, and make the tables."""
    home = Path(folder).expanduser()
    made = corpus_of(settings, corpus)
    plan = {"settings": asdict(settings), "corpus": str(Path(corpus).resolve()) if corpus else None}
    claim(home, plan, "a reproduction", "a reproduction with other settings")
    seconds = _Seconds(home)
    seconds.of("generators", lambda: write_all(settings, home, corpus, progress))
    seconds.of("evaluators", lambda: train_all(settings, home, made, progress))
    groups = {
        kind: [Group(unit.name, read(unit, home, made)) for unit in settings.units() if unit.kind == kind]
        for kind in ("search", "stopping")
    }
    said = seconds.of("reading", lambda: _said(home, made, groups, progress))
    found = seconds.of("tables", lambda: _tables(groups, said, settings, oracle=made.oracle is not None))
    result = Reproduction(settings, str(corpus) if corpus else "generated stories", seconds.kept, found)
    keep(home / RESULT, result.to_dict())
    return result


def _said(home: Path, corpus: Corpus, groups: Mapping[str, Sequence[Group]], progress: Progress) -> Said:
    """What every evaluator says of the texts; ablations read those of searches only."""
    searched, watched = (
        [text for group in groups[kind] for option in group.options for text in option.texts]
        for kind in ("search", "stopping")
    )
    texts = {
        name: [*searched, *watched] if name in EVALUATORS else searched
        for name in (*names(oracle=corpus.oracle is not None), BLEU)
    }
    found = read_all(home, texts, {story.prompt: story.text for story in corpus.shown}, progress)
    single = {name: {text: float(value[0]) for text, value in found.pop(name, {}).items()} for name in (ADEM, BLEU)}
    return Said({name: Strengths(name, scores) for name, scores in found.items()}, single[ADEM], single[BLEU])


def _tables(groups: Mapping[str, Sequence[Group]], said: Said, settings: Settings, *, oracle: bool) -> dict[str, Any]:
    made = {kind: tables.choices(some, said, settings, stopping=kind == "stopping") for kind, some in groups.items()}
    if not oracle:
        return {"choices": made}
    return {
        "table1": tables.table1(groups["search"], said, settings),
        "table2": tables.table2(groups["search"], said, settings),
        "table3": {
            kind: tables.table3(some, settings.seed, stopping=kind == "stopping") for kind, some in made.items()
        },
        "table5": tables.table5(groups["search"], said, settings),
        "choices": made,
    }


class _Seconds:
    """How long each stage took, over all calls."""

    def __init__(self, home: Path) -> None:
        self.path = home / SECONDS
        self.kept: dict[str, float] = json.loads(self.path.read_text("utf-8")) if self.path.is_file() else {}

    def of(self, stage: str, work: Callable[[], Made]) -> Made:
        """Do it, and add its time."""
        start = time.monotonic()
        try:
            return work()
        finally:
            self.kept[stage] = round(self.kept.get(stage, 0.0) + time.monotonic() - start, 1)
            keep(self.path, self.kept)
