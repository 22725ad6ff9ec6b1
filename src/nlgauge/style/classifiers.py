"""The three classifiers by which style transfer is judged, trained on the parts of a split.

    main   which source a headline is of: headlines of R, A3 and A1
    hh     whether two headlines tell of the same: aligned headlines of A1 in both orders, and drawn ones
    ah     whether a headline fits an article: articles of R, A3 and A1 with their headlines, and drawn ones

Each is a training of kind classifier (`nlgauge.training.classifier`) on a file of rows; here the rows are made. Pairs
that do not match are drawn among headlines of the same source, so that style does not tell.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from nlgauge.errors import InputError, option
from nlgauge.io import write_rows
from nlgauge.io.files import StrPath
from nlgauge.io.write import atomic_path
from nlgauge.jsonable import Jsonable
from nlgauge.learned.classifier import open_classifier
from nlgauge.learned.paired import READER
from nlgauge.style.forms import Article, direction_of, read_split, sources_of
from nlgauge.training.classifier import Body, ClassifierTraining, body_told
from nlgauge.training.classifier_encoder import Encoder
from nlgauge.training.classifier_examples import SYSTEM
from nlgauge.training.classifier_linear import Linear
from nlgauge.training.config import Data, Progress, Report, Split
from nlgauge.training.figures import HeldOut
from nlgauge.training.run import CHECKPOINTS, train

MAIN, HH, AH = "main", "hh", "ah"
CLASSIFIERS = (MAIN, HH, AH)
LEARNT_FROM = {MAIN: ("rest", "a3", "a1"), HH: ("a1",), AH: ("rest", "a3", "a1")}
GOLD = "test"
ABOUT = "style.json"
LINEAR, ENCODER = "linear", "encoder"
PAPER = {  # the article of AH has no limit there: BERT reads 512 units
    MAIN: Encoder(pooled="opening", batch=256, longest=32, epochs=6, rate=1e-5, average=0.0, patience=0),
    HH: Encoder(pooled="opening", batch=128, longest=64, epochs=2, rate=1e-5, average=0.0, patience=1),
    AH: Encoder(pooled="opening", batch=8, longest=512, epochs=6, rate=1e-5, average=0.0, patience=0),
}
OURS = {
    MAIN: Encoder(longest=48, batch=64),
    HH: Encoder(longest=96, batch=64),
    AH: Encoder(longest=256, batch=32),
}


@dataclass(frozen=True)
class StyleSettings:
    """How the classifiers are trained."""

    body: str = LINEAR  # or encoder (that which comes with nlgauge), or the name of another encoder
    preset: Literal["ours", "paper"] = "ours"  # settings of encoders
    negatives: Literal["random", "hard"] = "random"
    held: float = 0.1  # share of the articles that is held out, by aligned pairs
    epochs: int = 0  # instead of the preset's; 0: as there
    only: tuple[str, ...] = CLASSIFIERS
    seed: int = 1


@dataclass(frozen=True)
class StyleClassifier(Jsonable):
    """One of the three with what is known of it."""

    KEYS = "folder = name, learnt_from, *training, gold = checked, notes"

    name: str
    figures: Mapping[str, Any]  # of the training
    gold: HeldOut | None
    notes: tuple[str, ...]

    @property
    def learnt_from(self) -> tuple[str, ...]:
        """The sets of its training."""
        return LEARNT_FROM[self.name]

    @property
    def training(self) -> dict[str, Any]:
        """What is told of the training."""
        kept = ("kind", "settings", "sets", "held_out", "held_out_intervals", "by_class")
        return {name: self.figures[name] for name in kept if name in self.figures}

    @property
    def checked(self) -> dict[str, Any] | None:
        """The figures on gold."""
        if self.gold is None:
            return None
        return {"figures": self.gold.values, "intervals": self.gold.intervals, "by_class": self.gold.by_class}


@dataclass(frozen=True)
class StyleClassifiers(Jsonable):
    """What a training made."""

    KEYS = "sources, settings, classifiers = by_name"

    sources: tuple[str, ...]
    settings: StyleSettings
    classifiers: tuple[StyleClassifier, ...]

    @property
    def by_name(self) -> dict[str, StyleClassifier]:
        """The classifiers by their names."""
        return {found.name: found for found in self.classifiers}


def train_classifiers(
    split: StrPath,
    target: StrPath,
    settings: StyleSettings = StyleSettings(),  # frozen
    *,
    evaluate: bool = False,
    rows: StrPath | None = None,
    progress: Progress = lambda what, done, total: None,
    report: Report = lambda figures: None,
) -> StyleClassifiers:
    """Train on the parts of a split, with `evaluate` also ask about its test part; what was interrupted goes on.

    `rows`: a folder for the rows and configurations, from which nlgauge train makes the same classifiers.
    """
    parts, target = read_split(split), Path(target)
    learnt = [article for part in LEARNT_FROM[MAIN] for article in parts[part]]
    sources = sources_of(learnt)
    if len(sources) < 2:
        told = f"all articles are of {sources[0]}" if sources else "there is no article"
        raise InputError(f"{split}: {told}; styles are told apart between two sources or more")
    _refuse_other(target)
    found = []
    with tempfile.TemporaryDirectory(prefix="style-") as room:
        home = Path(room) if rows is None else Path(rows)
        made = {
            name: _written(name, [parts[part] for part in LEARNT_FROM[name]], home, settings, split=str(split))
            for name in settings.only
        }
        for name, training in made.items():
            try:
                done = train(
                    training,
                    target / name,
                    beside=home,
                    progress=lambda what, count, total, name=name: progress(f"{name}: {what}", count, total),  # type: ignore[misc]
                    report=report,
                )
            except InputError:
                with suppress(OSError):  # empty, where nothing was learnt
                    target.rmdir()
                raise
            gold = None
            if evaluate:
                asked = _written(name, [parts[GOLD]], home, settings, split=str(split), suffix="-gold")
                gold = asked.evaluated(open_classifier(target / name), home)
            found.append(StyleClassifier(name, done.figures, gold, done.notes))
    result = StyleClassifiers(tuple(sources), settings, tuple(found))
    with atomic_path(target / ABOUT) as new:
        new.write_text(json.dumps(result.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name in settings.only:
        shutil.rmtree(target / f"{name}{CHECKPOINTS}", ignore_errors=True)
    return result


def training_of(name: str, settings: StyleSettings, path: str) -> ClassifierTraining:
    """The configuration of one of the three, on a file of its rows."""
    about = {
        MAIN: "Which source a headline is of.",
        HH: "Whether two headlines tell of the same.",
        AH: "Whether a headline fits an article.",
    }
    pairs = name != MAIN
    return ClassifierTraining(
        name=f"style-{name}",
        data=(Data(path=path),),
        split=Split(held=settings.held, by=("pair",)),
        seed=settings.seed,
        about=about[name],
        reads="pair" if pairs else "alone",
        label="" if pairs else SYSTEM,
        negatives=settings.negatives if pairs else "none",
        body=_body(name, settings),
    )


def configuration(training: ClassifierTraining) -> str:
    """The file from which nlgauge train makes the same classifier."""
    told = {
        "kind": training.kind,
        "name": training.name,
        "about": training.about,
        "data": [{"path": data.path} for data in training.data],
        "split": {"held": training.split.held, "by": list(training.split.by)},
        "seed": training.seed,
        "reads": training.reads,
        **({"label": training.label} if training.label else {"negatives": training.negatives}),
        "body": body_told(training.body),
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"  # YAML reads it


def _body(name: str, settings: StyleSettings) -> Body:
    if settings.body == LINEAR:
        return Linear()
    made = (PAPER if settings.preset == "paper" else OURS)[name]
    encoder = READER if settings.body == ENCODER else settings.body
    return replace(made, encoder=encoder, epochs=settings.epochs or made.epochs)


def rows_of(name: str, articles: Sequence[Article]) -> Iterator[dict[str, Any]]:
    """What a classifier learns from: headlines, aligned headlines in both orders, or articles with their headlines."""
    if name != HH:
        for article in articles:
            row = {"item": article.id, "system": article.source, "hypothesis": article.headline}
            text = {"source": article.text} if name == AH else {}
            yield {**row, **text, "pair": _pair(article)}
        return
    known = {article.id: article for article in articles}
    for article in articles:
        other = known.get(article.pair)
        if other is not None and other.source != article.source:
            yield {
                "item": f"{article.id} {other.id}",
                "system": direction_of(article.source, other.source),
                "source": article.headline,
                "hypothesis": other.headline,
                "pair": _pair(article),
            }


def _pair(article: Article) -> str:
    """The same for both articles of a pair, so that they stand on one side of the split."""
    return " ".join(sorted({article.id, article.pair or article.id}))


def _written(
    name: str,
    parts: Sequence[Sequence[Article]],
    home: Path,
    settings: StyleSettings,
    *,
    split: str,
    suffix: str = "",
) -> ClassifierTraining:
    """The rows of a classifier in a file, and its configuration."""
    rows = list(rows_of(name, [article for part in parts for article in part]))
    if not rows:
        named = GOLD if suffix else ", ".join(LEARNT_FROM[name])
        what = "no aligned pair of articles" if name == HH else "no article"
        raise InputError(
            f"{split}: {what} in {named}, from which {name} {'is asked' if suffix else 'learns'}; make another "
            f"split, or train the others only ({option('only')})"
        )
    home.mkdir(parents=True, exist_ok=True)
    write_rows(rows, home / f"{name}{suffix}.jsonl")
    training = training_of(name, settings, f"{name}{suffix}.jsonl")
    with atomic_path(home / f"{name}{suffix}.yaml") as new:
        new.write_text(configuration(training), encoding="utf-8")
    return training


def _refuse_other(target: Path) -> None:
    """Refuse a folder with anything of anybody else's in it."""
    known = {ABOUT, *CLASSIFIERS, *(f"{name}{CHECKPOINTS}" for name in CLASSIFIERS)}
    if target.is_dir():
        other = sorted(entry.name for entry in target.iterdir() if entry.name not in known)
        if other:
            raise InputError(f"{target} holds {other[0]}, which is none of the classifiers; give a new folder")
    elif target.exists():
        raise InputError(f"{target} exists already and is no folder; give a new folder")
