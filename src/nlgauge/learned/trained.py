"""Metrics that were learnt from people's judgements (`nlgauge train`), as their folders hold them.

Where the folder says so, a score is divided by that which the output gets when it is compared with itself, and kept
between 0 and 1 (Kane et al. 2020). The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from nlgauge.errors import MissingModel, suggest
from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import ABOUT, CARD, NAMED, NUBIA, RECIPE, WEIGHTS, Folder, is_known, open_folder, shipped
from nlgauge.learned.form import Form, scale_words
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.models.checkpoints import NONE

SMALL = 1e-6  # a self-score below it divides nothing: such a metric has no meaning as a share


@lru_cache(maxsize=16)
def _opened(name: str, state: tuple[int, ...]) -> Folder:
    return open_folder(_place(name))


def _place(name: str) -> Path:
    return shipped(name) or Path(name).expanduser()


def opened(name: str) -> Folder:
    """The folder of a trained metric, read once while it does not change."""
    path = _place(name)
    states = [file.stat() for name in (ABOUT, WEIGHTS) for file in sorted(path.rglob(name))]
    return _opened(name, tuple(number for state in states for number in (state.st_mtime_ns, state.st_size)))


def check(name: str, known: Sequence[str] = NAMED) -> str | None:
    """What was expected of a name, where it is no folder of a trained metric."""
    place = _place(name)
    if (place / ABOUT).is_file():
        return None
    if place.is_dir():
        why = f"{place} has no {ABOUT}"
    elif place.exists():
        why = f"{place} is a file"
    elif place.with_name(f"{place.name}.checkpoints").is_dir():
        why = f"the training of {place} has not ended: give its command again"
    else:
        why = f"there is no {place}"
    return f"a folder that nlgauge train wrote ({why}), or one that comes with nlgauge ({suggest(name, known)})"


def check_named(name: str) -> str | None:
    """As `check`, for a field that need not name any."""
    return None if name == NONE else check(name)


def check_features(name: str) -> str | None:
    """What was expected of a name, where it is no trained metric over features, or ships as another metric."""
    wrong = check(name, NUBIA)
    other = shipped(name) is not None and name not in NUBIA
    if wrong is None and (other or opened(name).about.kind != "features"):
        return f"{', '.join(NUBIA)}, or a folder of kind features"
    return wrong


@dataclass(frozen=True)
class Learnt(MeanMetric):
    """A metric learnt from judgements; what it learnt from is in its card, README.md of its folder."""

    form: Form | None = dataclasses.field(default=None, repr=False, compare=False)  # fitted on a corpus

    bounds: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    reference: ClassVar[str] = "nothing else; its card says what it was trained on"

    @property
    def folder(self) -> Folder:
        """Where it lies: that of its own name comes with nlgauge."""
        return opened(self.name)

    @property
    def card(self) -> Path | None:
        """What tells of it; None where no folder is named."""
        return self.folder.path / CARD

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form is None:
            object.__setattr__(self, "form", self.folder.form)
        object.__setattr__(self, "needs", self.folder.form.needs)
        if self.folder.about.clipped:
            object.__setattr__(self, "bounds", (0.0, 1.0))

    @property
    def learnt(self) -> Form:
        """What was learnt."""
        return self.folder.form if self.form is None else self.form

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return self.learnt.models

    @property
    def model_fact(self) -> str:
        folder = self.folder
        own = f"{folder.about.name}:{folder.digest[:12]}"
        return "+".join(fact for fact in (own, self.learnt.model_fact) if fact)

    @property
    def lexicon_fact(self) -> str:
        return self.learnt.lexicon_fact

    @property
    def reads_files(self) -> tuple[str, ...]:
        return self.learnt.reads_files

    def remarks(self) -> list[str]:
        return self.learnt.remarks()

    def learnt_from(self, batch: Batch) -> dict[str, int]:
        folder = self.folder
        found = self.learnt.learnt_from(batch)
        learnt = folder.learnt_rows
        if not learnt:
            return found
        sources = batch.sources or [None] * len(batch)
        texts = zip(batch.hypotheses, batch.references, sources, strict=True)
        return {folder.about.name: sum(is_known(learnt, *row) for row in texts), **found}

    @property
    def needs_prepare(self) -> bool:
        return self.learnt.fitted

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Fit those features that need the corpus."""
        return dataclasses.replace(self, form=self.learnt.prepared(corpus))

    def rows(self, batch: Batch) -> Array:
        return mean_rows(self.scores(batch))

    def scores(self, batch: Batch) -> Array:
        """What was learnt; where the folder says so as a share of the output's own score, and between 0 and 1."""
        about = self.folder.about
        found = self.learnt.predict(batch)
        if about.normalised:
            own = self.self_scores(batch)
            said = np.array([bool(text.strip()) for text in batch.hypotheses])
            asked = np.array([any(text.strip() for text in texts) for texts in batch.references])
            # nothing said is worth nothing, although it is like itself
            found = np.divide(found, own, out=np.zeros(len(found)), where=(own > SMALL) & (said | ~asked))
        return np.clip(found, 0.0, 1.0) if about.clipped else found

    def self_scores(self, batch: Batch) -> Array:
        """The predictions for the outputs against themselves."""
        same = dataclasses.replace(batch, references=[[text] for text in batch.hypotheses], _tokens={})
        return self.learnt.predict(same)

    def explained(self, batch: Batch) -> Explanation:
        """The score with what it was made of."""
        figures = self.learnt.figures(batch)
        notes = [self.learnt.how] if figures and self.learnt.how else []
        about = self.folder.about
        if figures and about.kind == "features":
            said = "that of an average text and what the features add"
            figures.append(Figure("prediction", float(self.learnt.predict(batch)[0]), said))
        if figures and about.normalised:
            said = "the prediction for the output against itself"
            figures.append(Figure("self-score", float(self.self_scores(batch)[0]), said))
        made = ["divided by the self-score"] * about.normalised
        made += ["kept between 0 and 1"] * about.clipped
        if not figures:
            notes.append(f"kind {about.kind} reads the texts as a whole, so that the score has no parts to show")
        elif made:
            notes.append(f"the score is the prediction, {' and '.join(made)}")
        return Explanation.of(self, batch, [float(self.scores(batch)[0]), 1.0], figures=figures, notes=notes)


@dataclass(frozen=True)
class Trained(Learnt):
    """A metric that nlgauge train made, by its folder."""

    model: str = option(NONE, f"folder that nlgauge train wrote, or {' or '.join(NAMED)}", check=check_named)

    name: ClassVar[str] = "trained"
    needs: ClassVar[tuple[str, ...]] = ("trained model",)
    cite: ClassVar[str] = "the card of the metric says what it is made of"

    def __post_init__(self) -> None:
        if self.model == NONE:  # can be told of, as any metric, but not scored with
            MeanMetric.__post_init__(self)
            return
        super().__post_init__()
        if not self.folder.about.clipped:
            object.__setattr__(self, "bounds", Learnt.bounds)

    @property
    def folder(self) -> Folder:
        if self.model == NONE:
            raise MissingModel(
                self.name,
                "a model",
                f"{self.name}(model=FOLDER) with a folder that nlgauge train wrote, or one of those that come with "
                f"nlgauge: {', '.join(NAMED)}",
                lacking="and none is named",
            )
        return opened(self.model)

    @property
    def card(self) -> Path | None:
        return None if self.model == NONE else super().card

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return () if self.model == NONE else super().models

    def remarks(self) -> list[str]:
        """With what scores are measured in, and whether its rows are known, where no page of nlgauge's tells."""
        found = super().remarks()
        if shipped(self.model) is not None:
            return found
        name, told = self.folder.about.name, self.folder.story.get("scale")
        if self.folder.learnt_rows is None:
            unknown = f"{self.folder.path / RECIPE} cannot be read, or does not tell which rows were learnt from"
            found.insert(0, f"{name}: {unknown}, so whether these are among them is not known")
        said = scale_words(told) if isinstance(told, dict) else ""
        return [*([f"{name}: {said}"] if said else []), *found]


@dataclass(frozen=True)
class NlgaugeMt(Learnt):
    """People's rating of a translation into English, foretold by a small encoder that reads output and reference.

    0 is an average translation of WMT15 and WMT16, 1 is one standard deviation of a judge's ratings better.
    """

    name: ClassVar[str] = "nlgauge-mt"
    cite: ClassVar[str] = "Shimanaka, Kajiwara and Komachi (2019), Machine Translation Evaluation with BERT Regressor."


@dataclass(frozen=True)
class Sts(Learnt):
    """Similarity of output and reference as people rated the pairs of STS-B, from 0 to 5 (the same meaning).

    It was learnt, so that a copy of the reference has no fixed score: most get 3.4 to 4.8, single words the least.
    """

    name: ClassVar[str] = "sts"
    bounds: ClassVar[tuple[float, float]] = (0.0, 5.0)
    cite: ClassVar[str] = (
        "Cer, Diab, Agirre, Lopez-Gazpio and Specia (2017), SemEval-2017 Task 1: Semantic Textual Similarity."
    )

    def scores(self, batch: Batch) -> Array:
        """On the scale of STS-B."""
        return np.clip(super().scores(batch), *self.bounds)


@dataclass(frozen=True)
class Nubia(Trained):
    """NUBIA: similarity, entailment, intelligibility and length, weighed as people judged translations.

    `nubia` has our best features; `nubia-6dim-…` and `nubia-8dim-…` have those of the paper, with a linear function
    (lreg) or a network (nn) over them; `nubia-light` has those of MiniLM, `nubia-one-pass` those of one pass
    of the reader. docs/nubia.md has their figures.
    """

    model: str = option("nubia", f"{', '.join(NUBIA)}, or a folder that nlgauge train wrote", check=check_features)

    name: ClassVar[str] = "nubia"
    needs: ClassVar[tuple[str, ...]] = ("references",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    cite: ClassVar[str] = "Kane, Kocyigit, Abdalla, Ajanoh and Coulibali (2020), NUBIA. Workshop on EvalNLGEval."
