"""Style transfer as classifiers judge it: `style-main`, `style-hh`, `style-ah` and `compliancy`, which is all three.

De Mattei et al. (2020): a headline was moved into another style where a classifier's decision on its source is reversed
(main), the new headline still matches the original one (HH), and it still fits the article (AH). The source of an item
is {"headline": …, "text": …, "target": …}: the original headline, its article, and the source whose style was asked
for, which is needed for `success=target` only.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError, MissingModel
from nlgauge.kernels.batch import Batch
from nlgauge.learned.classifier import MATCH, Classifier, open_classifier
from nlgauge.learned.folder import ABOUT, WEIGHTS
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.models.checkpoints import NONE

MAIN, HH, AH = "main", "hh", "ah"
CLASSIFIERS = (MAIN, HH, AH)
STYLE = "style.json"  # beside them: the figures of their training
READ = {MAIN: "headline", HH: "headline", AH: "text"}  # what of the source each sets beside the output
REVERSED, TARGET = "reversed", "target"
DECISION, PROBABILITY = "decision", "probability"
KEPT = 1 << 19  # texts or pairs whose decisions stay in memory for other metrics and systems


@dataclass
class _Remembered:
    """A classifier that reads each text, or pair of texts, once: what it said stands for all metrics and systems."""

    classifier: Classifier
    known: dict[tuple[str, ...], NDArray[np.float64]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def probabilities(self, rows: Sequence[tuple[str, ...]]) -> Array:
        with self.lock:
            new = list(dict.fromkeys(row for row in rows if row not in self.known))
            if len(self.known) + len(new) > KEPT:
                self.known.clear()
                new = list(dict.fromkeys(rows))
            if new:
                made = self.classifier.probabilities(*map(list, zip(*new, strict=True)))
                self.known.update(zip(new, np.asarray(made, dtype=np.float64), strict=True))
            return np.array([self.known[row] for row in rows]).reshape(-1, len(self.classifier.labels))


class Classifiers:
    """The three classifiers of one folder."""

    def __init__(self, folder: Path, opened: Mapping[str, Classifier]) -> None:
        self.folder = folder
        self._remembered = {name: _Remembered(opened[name]) for name in CLASSIFIERS}
        for name in (HH, AH):
            if MATCH not in opened[name].labels:
                raise InputError(
                    f"{folder / name} tells {', '.join(opened[name].labels)} apart; expected {MATCH} and another label"
                )

    def figures(self) -> list[dict[str, Any]]:
        """What the training told of them, class by class: on gold data where it was asked about, else held out."""
        path = self.folder / STYLE
        if not path.is_file():  # scores need none of this
            return []
        try:
            told = json.loads(path.read_text(encoding="utf-8"))["classifiers"]
            found = []
            for name in filter(told.__contains__, CLASSIFIERS):  # some may have been trained at another time
                own = told[name].get("gold") or told[name]
                data = "gold" if told[name].get("gold") else "held out"
                found += [{"classifier": name, "data": data, **row} for row in own["by_class"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InputError(
                f"{path} is damaged: it does not tell of the classifiers; copy it again, or remove it and do without "
                "their own figures"
            ) from None
        return found

    @property
    def labels(self) -> tuple[str, ...]:
        """The sources that the main classifier tells apart."""
        return tuple(self._remembered[MAIN].classifier.labels)

    def sources(self, texts: Sequence[str]) -> Array:
        """(n, labels): the probability of each source."""
        return self._remembered[MAIN].probabilities([(text,) for text in texts])

    def matching(self, name: str, first: Sequence[str], second: Sequence[str]) -> tuple[Array, NDArray[np.bool_]]:
        """Of pairs, the probability that they match, and whether that is the decision."""
        found = self._remembered[name].probabilities(list(zip(first, second, strict=True)))
        place = self._remembered[name].classifier.labels.index(MATCH)
        return found[:, place], found.argmax(axis=1) == place


def classifiers(name: str) -> Classifiers:
    """The classifiers of a folder, read once while it does not change."""
    folder = Path(name).expanduser()
    if wrong := check(name):
        raise InputError(f"{name} cannot judge style: expected {wrong}")
    states = [path.stat() for path in _files(folder)]
    return _opened(folder, tuple(number for state in states for number in (state.st_mtime_ns, state.st_size)))


def _files(folder: Path, names: Sequence[str] = CLASSIFIERS) -> list[Path]:
    return [folder / name / file for name in names for file in (ABOUT, WEIGHTS)]


@lru_cache(maxsize=4)
def _opened(folder: Path, state: tuple[int, ...]) -> Classifiers:
    return Classifiers(folder, {name: open_classifier(folder / name) for name in CLASSIFIERS})


def check(name: str) -> str | None:
    """What was expected of a name, where it is no folder of style classifiers."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        why = f"{folder} is a file" if folder.exists() else f"there is no {folder}"
    elif lacking := [path for path in _files(folder) if not path.is_file()]:
        why = f"{folder} has no {lacking[0].relative_to(folder)}"
    else:
        return None
    return f"a folder that nlgauge style train wrote ({why})"


def check_named(name: str) -> str | None:
    """As `check`, for a field that need not name any."""
    return None if name == NONE else check(name)


def _model() -> Any:
    return option(NONE, "folder that nlgauge style train wrote", check=check_named)


def _output() -> Any:
    return option(
        DECISION,
        "what an output scores: the decision, 0 or 1, or its probability",
        choices=(DECISION, PROBABILITY),
    )


def _success() -> Any:
    told = (
        "when the style was moved: the decision on the output is reversed, it differs from that on the original "
        "headline (of two sources), or it is the target"
    )
    return option(REVERSED, told, choices=(REVERSED, TARGET))


class StyleMetric(MeanMetric):
    """Base of the metrics that ask classifiers of style and content."""

    model: str
    output: str

    asks: ClassVar[tuple[str, ...]] = CLASSIFIERS  # whom of them
    needs: ClassVar[tuple[str, ...]] = ("source", "style classifiers")
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reference: ClassVar[str] = "this definition"
    cite: ClassVar[str] = (
        "De Mattei, Cafagna, Lai, Dell'Orletta, Nissim and Gatt (2020), On the interaction of automatic evaluation and "
        "task framing in headline style transfer. EvalNLGEval."
    )

    @property
    def classifiers(self) -> Classifiers:
        """Those of its folder."""
        if self.model == NONE:
            raise MissingModel(
                self.name,
                "classifiers",
                f"{self.name}(model=FOLDER) with a folder that nlgauge style train wrote",
                lacking="and no folder is named",
            )
        return classifiers(self.model)

    @property
    def reads_files(self) -> tuple[str, ...]:
        if self.model == NONE:
            return ()
        return tuple(map(str, _files(Path(self.model).expanduser(), self.asks)))

    def rows(self, batch: Batch) -> Array:
        return mean_rows(self.scores(batch))

    def ready(self, batch: Batch) -> Classifiers:
        """The classifiers, once all that they are to read is known to be there."""
        judges = self.classifiers
        for key in dict.fromkeys(READ[name] for name in self.asks):
            _original(batch, key)
        return judges

    def scores(self, batch: Batch) -> Array:
        """One score for each output."""
        raise NotImplementedError

    def matched(self, batch: Batch, name: str) -> Array:
        """Whether outputs match original headline (HH) or article (AH), or how probably; 0 for an empty output."""
        judges, given = self.ready(batch), _original(batch, READ[name])
        probability, match = judges.matching(name, given, list(batch.hypotheses))
        return _said(batch) * (probability if self.output == PROBABILITY else match)

    def turned(self, batch: Batch, success: str) -> Array:
        """Whether the style of outputs was moved, or how probably; 0 for an empty output."""
        judges, rows = self.ready(batch), np.arange(len(batch))
        targets = self.targets(batch, success)
        outputs = judges.sources(list(batch.hypotheses))
        if success == TARGET:
            wanted = np.array([judges.labels.index(target) for target in targets], dtype=np.intp)
            probability, moved = outputs[rows, wanted], outputs.argmax(axis=1) == wanted
        else:
            before = judges.sources(_original(batch, "headline")).argmax(axis=1)
            probability, moved = 1.0 - outputs[rows, before], outputs.argmax(axis=1) != before
        return _said(batch) * (probability if self.output == PROBABILITY else moved)

    def targets(self, batch: Batch, success: str) -> list[str]:
        """The sources whose style was asked for, where success is told by them."""
        labels = self.classifiers.labels
        if success == REVERSED and len(labels) > 2:
            raise InputError(
                f"{self.name} reverses a decision between two sources, and {self.model} knows {len(labels)} "
                f"({', '.join(labels)}); give success=target"
            )
        if success == REVERSED:
            return []
        found = []
        for number, source in enumerate(batch.sources or ()):
            target = source.get(TARGET) if isinstance(source, Mapping) else None
            if target not in labels:
                given = "has no target" if target is None else f"has the target {target!r}"
                raise InputError(
                    f"{batch.place(number)}: the source {given}; {self.model} knows {', '.join(labels)}: give one as "
                    '"target" beside "headline" and "text"'
                )
            found.append(str(target))
        return found

    def explained(self, batch: Batch) -> Explanation:
        """The score with what each classifier that it asks says."""
        judges, figures = self.classifiers, []
        if MAIN in self.asks:
            texts = [*_original(batch, "headline"), *batch.hypotheses]
            for what, found in zip(("original headline", "output"), judges.sources(texts), strict=True):
                place = int(found.argmax())
                figures.append(Figure(f"main, {what}", float(found[place]), f"taken for {judges.labels[place]}"))
        for name, said in ((HH, "original headline"), (AH, "article")):
            if name in self.asks:
                probability, _ = judges.matching(name, _original(batch, READ[name]), list(batch.hypotheses))
                figures.append(Figure(name.upper(), float(probability[0]), f"probability of a match with the {said}"))
        return Explanation.of(self, batch, [float(self.scores(batch)[0]), 1.0], figures=figures)


@dataclass(frozen=True)
class StyleMain(StyleMetric):
    """Whether the classifier of sources takes an output for another source than the original headline's.

    `success=target` asks whether it takes it for the target; with three or more sources only that is defined.
    """

    model: str = _model()
    output: str = _output()
    success: str = _success()

    name: ClassVar[str] = "style-main"
    asks: ClassVar[tuple[str, ...]] = (MAIN,)

    def scores(self, batch: Batch) -> Array:
        return self.turned(batch, self.success)


@dataclass(frozen=True)
class StyleHH(StyleMetric):
    """Whether output and original headline match in content."""

    model: str = _model()
    output: str = _output()

    name: ClassVar[str] = "style-hh"
    asks: ClassVar[tuple[str, ...]] = (HH,)

    def scores(self, batch: Batch) -> Array:
        return self.matched(batch, HH)


@dataclass(frozen=True)
class StyleAH(StyleMetric):
    """Whether an output fits the article of the original headline."""

    model: str = _model()
    output: str = _output()

    name: ClassVar[str] = "style-ah"
    asks: ClassVar[tuple[str, ...]] = (AH,)

    def scores(self, batch: Batch) -> Array:
        return self.matched(batch, AH)


@dataclass(frozen=True)
class Compliancy(StyleMetric):
    """Whether an output moves the style and keeps the content: style-main, style-hh and style-ah at once.

    As a probability it is the product of the three, which takes them for independent.
    """

    model: str = _model()
    output: str = _output()
    success: str = _success()

    name: ClassVar[str] = "compliancy"

    def scores(self, batch: Batch) -> Array:
        return self.turned(batch, self.success) * self.matched(batch, HH) * self.matched(batch, AH)


def _said(batch: Batch) -> Array:
    """1 for outputs that hold anything at all."""
    return np.array([bool(text.strip()) for text in batch.hypotheses], dtype=np.float64)


def _original(batch: Batch, key: str) -> list[str]:
    """The original headlines, or their articles."""
    found = []
    for number, source in enumerate(batch.sources or ()):
        text = source.get(key) if isinstance(source, Mapping) else None
        if not isinstance(text, str):
            raise InputError(
                f"{batch.place(number)}: the source is no headline with its article; expected "
                '{"headline": "…", "text": "…"}, as nlgauge style score --rows writes it'
            )
        found.append(text)
    return found
