"""What every training has in its file: which judgements to learn, what is held out, how scores are calibrated.

Each kind of training adds its own keys (`training/run.py` lists the kinds):

kind: features
name: adequacy
data:
  - {path: judged.jsonl, human: adequacy}
features: [sim, entailment, "entailment(output=contradiction)", chrf]
learner: {kind: network, hidden: [10]}
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.io.fields import key
from nlgauge.kernels.batch import Batch
from nlgauge.learned.form import Form
from nlgauge.metrics.spec import written
from nlgauge.training.supervision import SUPERVISION, Ratings, Supervision

if TYPE_CHECKING:
    from nlgauge.training.examples import Examples
    from nlgauge.training.figures import HeldOut

Progress = Callable[[str, int, int], None]  # what is done, how many of it, of how many
Report = Callable[[dict[str, float]], None]  # figures of an epoch


@dataclass(frozen=True)
class Data:
    """An evaluation set with ratings, or with preferences between two outputs."""

    path: str = key("the file, as every command reads it; from the folder of the configuration unless absolute")
    human: str = key("the criterion to learn; none where the file holds preferences", default="")
    name: str = key("what the card calls it (the file's name)", default="")
    columns: Mapping[str, str] = key(
        "columns with names of their own, as {ratings.fluency: flu, hypothesis: answer}", default={}
    )
    where: Mapping[str, str] = key("keep only rows whose keys have these values; * stands for anything", default={})
    without: tuple[str, ...] = key("systems to leave out, by name", default=(), alone=True)
    lower: bool = key("whether less is better: signs are turned", default=False)
    unescape: bool = key("undo the escapes of HTML in texts, such as &quot;", default=False)
    licence: str = key("of the data, for the card", default="")


@dataclass(frozen=True)
class Split:
    """What is held out to choose by and to report on."""

    SHORT: ClassVar[str] = "held"
    held: float = key("share of the texts that is held out", default=0.1, least=0.0, most=0.9)
    sets: tuple[str, ...] = key("data sets held out whole, by name", default=())
    by: tuple[str, ...] = key(
        "keys of the rows, beside their texts: rows of a data set with the same value stand on one side",
        default=("dialogue",),
        alone=True,
    )


class Recipe:
    """What a file says that `nlgauge train` reads: each kind is a dataclass with its keys."""

    kind: ClassVar[str]

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """The key (or keys, of which the first in the file tells the line) where something does not fit, and what."""
        return iter(())


@dataclass(frozen=True)
class Training(Recipe, ABC):
    """Everything the training of a metric depends on, beside the data."""

    name: str = key("what the metric is called in its card and in receipts")
    data: tuple[Data, ...] = key("what to learn from")
    supervise: Annotated[Supervision, SUPERVISION] = field(
        default_factory=Ratings,
        metadata={"about": "what says which outputs are good: ratings (or preferences), next, paraphrase or origin"},
    )
    target: Literal["mean", "standardised"] = key(
        "the mean of an output's ratings, or of each judge's z-scores", default="mean"
    )
    alike: bool = key("standardise the targets of each data set, where their scales differ", default=False)
    scaled: bool = key("learn targets as shares of their range, 0 to 1", default=False)
    split: Split = field(default_factory=Split, metadata={"about": "what is held out"})
    normalised: bool = key("divide by the score of the output against itself", default=False)
    clipped: bool = key("keep scores between 0 and 1", default=False)
    seed: int = key("of the split, the first weights and the order", default=1, least=0)
    about: str = key("a sentence or two for the card", default="")
    licence: str = key("of the metric, for the card, as a hub spells it (cc-by-4.0)", default="other")
    languages: tuple[str, ...] = key("of the texts, for the card, as codes (en)", default=())

    @property
    def ordered(self) -> bool:
        """Whether only the order of its scores was learnt, so that they have no scale."""
        return False

    @property
    def watches(self) -> bool:
        """Whether what is held out says when to stop, so that figures on it are a little kind."""
        return True

    def prepared(self, beside: Path) -> tuple[Examples, NDArray[np.bool_]]:
        """What there is to learn from, and which of it is held out."""
        from nlgauge.training.split import prepared  # which reads what stands here

        return prepared(self, beside)

    def figures(self, form: Form, examples: Examples) -> HeldOut:
        """How well what was held out is predicted."""
        from nlgauge.training.figures import figures

        return figures(self, form, examples)

    def scale(self, examples: Examples, held: NDArray[np.bool_]) -> dict[str, Any]:
        """What scores are measured in."""
        from nlgauge.training.figures import scale

        return scale(self, examples, held)

    @property
    def learns(self) -> str:
        """What is learnt where no rating is, for the card."""
        return self.supervise.learns or "preferences"

    @property
    def intervals_of(self) -> str:
        """What the intervals of the figures are, for the card."""
        from nlgauge.training.figures import DRAWS

        return f"Intervals are of {DRAWS:,} bootstrap draws over items."

    def command(self, folder: str) -> str:
        """What uses the metric of a folder."""
        return f"nlgauge score DATA -m {quote(f'trained(model={written(folder)})')}"

    @abstractmethod
    def learn(self, work: Work) -> Form:
        """Learn from the examples that are not held out."""

    @property
    def needs(self) -> tuple[str, ...]:
        """What every example must have: references, source."""
        return ()

    @property
    def by_source(self) -> bool:
        """Whether outputs with the same source, instead of the same references, stand on one side of the split."""
        return False

    @property
    def keeps_features(self) -> bool:
        """Whether it computes metrics, which are kept."""
        return False

    @property
    def figures_of(self) -> str:
        """What the figures on what was held out are of, where not of the scores as they are."""
        if not (self.normalised or self.clipped):
            return ""
        return "They are of scores before these are divided by the self-score and clipped."

    def learnt(self, form: Form, batch: Batch) -> Array:
        """What was learnt says of each output: of this are the figures on what was held out."""
        return form.predict(batch)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not self.name.isprintable():
            yield "name", f"name must be one line of letters, digits and signs, not {self.name!r}"
        names = [set_name(data) for data in self.data]
        for name in self.split.sets:
            if name not in names:
                yield "split.sets", f"split.sets names {name!r}, which is none of the data sets ({', '.join(names)})"
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield "data", f"two data sets are called {name!r}; give them names of their own (name: …)"
        if self.normalised and not self.scaled:
            yield "normalised", "normalised divides by the self-score, which means nothing below 0; add scaled: true"
        for number, data in enumerate(self.data, start=1):
            if data.human and not self.supervise.judged:
                told = f"supervise: {self.supervise.kind} learns without them; leave one out"
                yield f"data.{number}.human", f"human names ratings, and {told}"
        yield from self.supervise.contradictions()
        if not self.data:
            yield "data", "data is empty; name at least one file"


@dataclass(eq=False)
class Work:
    """One training as it goes on: what it learns from, where it keeps what is half done, who hears of it."""

    examples: Examples
    held: NDArray[np.bool_]
    checkpoints: Path
    features: Path  # where features are kept; trainings on the same texts may share it
    target: Path = Path()  # the folder that is to be written
    progress: Progress = lambda what, done, total: None
    report: Report = lambda figures: None
    notes: list[str] = field(default_factory=list)
    beside: Path = Path()  # where the paths of the configuration begin


@dataclass
class Patience:
    """How long a training waits for a lower loss on what is held out."""

    epochs: int
    best: float = math.inf
    since: int = 0  # epochs without a lower one
    least: float = 1e-9  # by which a loss must be lower

    def better(self, loss: float) -> bool:
        """One more epoch: whether its loss is the lowest so far."""
        found = loss < self.best - self.least
        self.best, self.since = (loss, 0) if found else (self.best, self.since + 1)
        return found

    @property
    def over(self) -> bool:
        """Whether it has waited long enough."""
        return self.since >= self.epochs


def set_name(data: Data) -> str:
    """What a data set is called."""
    return data.name or Path(data.path).name.split(".")[0]
