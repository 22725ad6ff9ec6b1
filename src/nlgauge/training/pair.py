"""An encoder that reads two texts together, fine-tuned on judgements, in stages; see learned/paired.py.

Each example is learnt with each of its references. Targets are standardised for the training, and the head is scaled
back at the end, so that scores are on the scale of the judgements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, SpecError
from nlgauge.io.fields import key
from nlgauge.io.files import text_lines
from nlgauge.learned.learners import Scale
from nlgauge.learned.paired import PairEncoder, pairs_of
from nlgauge.meta.observations import Observation
from nlgauge.metrics.spec import parse
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.resolve import locate
from nlgauge.models.scoring import HEAD
from nlgauge.training.config import Work, set_name
from nlgauge.training.encoders import Checkpoints, Course, Row, Step, batches, learn, libraries
from nlgauge.training.examples import Examples, batch_of
from nlgauge.training.featured import table
from nlgauge.training.paired import CHECKPOINT, EncoderTraining, PairedNetwork, beginning

# Worsened sentences with metrics as targets: what an encoder reads before it sees ratings (Sellam et al. 2020).
#
# A sentence loses words, has neighbours swapped, has words filled in anew by a masked language model, or comes back
# from another language; the encoder learns to foretell what metrics say of the result beside the sentence, all of them
# at once (mean squared error of standardised signals). Where the paper is silent: drops are up to a third of the
# words, one to three swaps, each way that is available is taken equally often, and a mask is filled with its likeliest
# other word rather than by beam search.


SOME = 32  # texts in a batch of a model that fills or translates
BLOCK = 10_000  # lines read at once
LONGEST = 512  # units of a text that such a model reads or writes, unless it knows less
_MASKED = "AutoModelForMaskedLM"
Worsen = Callable[[Sequence[str], Random], list[str]]


@dataclass(frozen=True, eq=False)
class Made:
    """Worsened and original sentences, with standardised signals (n, k)."""

    pairs: list[Pair]
    signals: Array


@dataclass(frozen=True)
class Synthetic:
    """How sentences are worsened, and what is foretold of them."""

    sentences: str = key("file with a sentence on each line; none: the references of the data", default="")
    pairs: int = key("worsened sentences to make", default=10_000, least=20)
    signals: tuple[str, ...] = key(
        "metrics, by spec, that the encoder learns to foretell", default=("sentbleu", "rougeL", "entailment")
    )
    epochs: int = key("passes over them", default=1, least=1, most=100_000)
    rate: float = key("the highest learning rate", default=2e-5, least=1e-8, most=1.0)
    fill: str = key("masked language model that fills words in: hub id or path; none: not done", default="")
    there: str = key("translation model into another language: hub id or path; none: not done", default="")
    back: str = key("translation model from there", default="")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """The key where something does not fit together, and what."""
        for number, spec in enumerate(self.signals, start=1):
            try:
                parse(spec)
            except (SpecError, InputError) as error:
                yield f"synthetic.signals.{number}", str(error)
        if not self.signals:
            yield "synthetic.signals", "synthetic.signals is empty; name at least one metric"
        if bool(self.there) != bool(self.back):
            told = "back-translation takes two models, synthetic.there and synthetic.back; one is missing"
            yield "synthetic", told

    def made(self, work: Work, *, seed: int) -> Made:
        """The pairs with their signals; these are computed once and kept, as features are."""
        pairs = self._pairs(work, Random(f"{seed}/synthetic"))
        rows = tuple(
            Observation(
                item=f"s{number}",
                system="worsened",
                text=worse,
                references=(sentence,),
                source=None,
                ratings={},
                extra={},
            )
            for number, (worse, sentence) in enumerate(pairs)
        )
        examples = Examples(rows, np.zeros(len(rows)), ("synthetic",) * len(rows))
        metrics = [parse(spec) for spec in self.signals]
        values = table(examples, metrics, work.features, work.progress)
        return Made(pairs, Scale.of(values)(values))

    def _pairs(self, work: Work, random: Random) -> list[Pair]:
        sentences = self._sentences(work)
        ways: list[Worsen] = [_each(dropped), _each(swapped)]
        if self.fill:
            ways.append(_Filling(self.fill))
        if self.there:
            ways.append(_Returning(self.there, self.back))
        chosen = [sentences[number % len(sentences)] for number in range(self.pairs)]
        random.shuffle(chosen)
        found: list[Pair] = []
        for number, way in enumerate(ways):
            some = chosen[number :: len(ways)]
            found += zip(way(some, random), some, strict=True)
        return found

    def _sentences(self, work: Work) -> list[str]:
        if self.sentences:
            blocks = text_lines(work.beside / self.sentences, BLOCK)
            found = [line.strip() for _, lines in blocks for line in lines]
        else:
            rows = (row for row, held in zip(work.examples.rows, work.held, strict=True) if not held)
            found = [text for row in rows for text in row.references]
        found = [text for text in dict.fromkeys(found) if len(text.split()) > 2]
        if not found:
            raise InputError("there is no sentence of three words or more to make synthetic pairs of")
        return found


def dropped(text: str, random: Random) -> str:
    """Without some of its words, up to a third."""
    words = text.split()
    lost = set(random.sample(range(len(words)), random.randint(1, max(1, len(words) // 3))))
    return " ".join(word for place, word in enumerate(words) if place not in lost)


def swapped(text: str, random: Random) -> str:
    """With one to three pairs of neighbours in the wrong order."""
    words = text.split()
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(words) - 1)
        words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)


def _each(worsen: Callable[[str, Random], str]) -> Worsen:
    return lambda texts, random: [worsen(text, random) for text in texts]


class _Model:
    """A model that writes texts, with its tokeniser."""

    def __init__(self, name: str, loader: str) -> None:
        self.torch, transformers = libraries()
        folder = str(locate(name, "language", "synthetic pairs").path)
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"
        try:
            self.tokeniser: Any = transformers.AutoTokenizer.from_pretrained(folder)
            loaded: Any = getattr(transformers, loader).from_pretrained(folder)
        except (OSError, ValueError, TypeError, KeyError, ImportError) as error:
            what = "masked language" if loader == _MASKED else "translation"
            raise InputError(
                f"{name} is no {what} model that can be loaded: {' '.join(str(error).split())[:200]}"
            ) from None
        self.net: Any = loaded.to(self.device).eval()
        positions = getattr(self.net.config, "max_position_embeddings", None)
        self.longest = min(LONGEST, int(positions or LONGEST), int(self.tokeniser.model_max_length))

    def fed(self, texts: Sequence[str], **more: Any) -> Any:
        """The units of texts, cut at what the model can read."""
        return self.tokeniser(
            list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt", **more
        )


class _Filling:
    """One word in seven is masked, and filled with the likeliest other unit."""

    def __init__(self, name: str) -> None:
        self._model = _Model(name, _MASKED)
        if self._model.tokeniser.mask_token_id is None:
            raise InputError(f"{name} has no mask to fill in; synthetic.fill takes a masked language model")

    def __call__(self, texts: Sequence[str], random: Random) -> list[str]:
        model, found = self._model, list[str]()
        torch, tokeniser = model.torch, model.tokeniser
        for start in range(0, len(texts), SOME):
            fed = model.fed(texts[start : start + SOME], return_special_tokens_mask=True)
            special, ids = fed.pop("special_tokens_mask").bool(), fed["input_ids"]
            chance = torch.tensor([[random.random() for _ in row] for row in ids.tolist()])
            masked = (chance < 1 / 7) & ~special
            inputs = {**fed, "input_ids": ids.masked_fill(masked, tokeniser.mask_token_id)}
            with torch.inference_mode():
                fed_there = {name: part.to(model.device) for name, part in inputs.items()}
                scores = model.net(**fed_there).logits.float().cpu()
                scores.scatter_(2, ids[..., None], -1e9)  # not the word that stood there
            made = torch.where(masked, scores.argmax(-1), ids)
            found += tokeniser.batch_decode(made, skip_special_tokens=True)
        return found


class _Returning:
    """Into another language and back."""

    def __init__(self, there: str, back: str) -> None:
        self._ways = [_Model(name, "AutoModelForSeq2SeqLM") for name in (there, back)]

    def __call__(self, texts: Sequence[str], random: Random) -> list[str]:
        found = list(texts)
        for model in self._ways:
            made: list[str] = []
            for start in range(0, len(found), SOME):
                fed = model.fed(found[start : start + SOME])
                units = {name: fed[name].to(model.device) for name in ("input_ids", "attention_mask")}
                with model.torch.inference_mode():
                    ids = model.net.generate(**units, max_new_tokens=model.longest - 1, do_sample=False)
                made += model.tokeniser.batch_decode(ids, skip_special_tokens=True)
            found = made
        return found


SIGNALS = "signals"


@dataclass(frozen=True)
class Stage:
    """Some of the data sets, learnt one after the other stage."""

    sets: tuple[str, ...] = key("data sets of this stage, by name; none: all", default=())
    epochs: int = key("passes over them", default=3, least=1, most=100_000)
    rate: float = key("the highest learning rate", default=2e-5, least=1e-8, most=1.0)


@dataclass(frozen=True)
class PairTraining(EncoderTraining):
    """An encoder that reads pairs."""

    kind: ClassVar[str] = "pair"
    reads: Literal["reference", "context"] = key(
        "output and reference (reference), or context and output (context)", default="reference"
    )
    stages: tuple[Stage, ...] = key("what is learnt when; one stage of everything unless given", default=())
    synthetic: Synthetic | None = field(
        default=None, metadata={"about": "a stage before the others: worsened sentences, metrics as targets"}
    )

    @property
    def needs(self) -> tuple[str, ...]:
        return ("source",) if self.by_source else ("references",)

    @property
    def by_source(self) -> bool:
        return self.reads == "context"

    @property
    def keeps_features(self) -> bool:
        return self.synthetic is not None

    @property
    def cuts_first(self) -> bool:
        return self.reads == "context"

    @property
    def how(self) -> str:
        return self.reads

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from super().contradictions()
        names = [set_name(data) for data in self.data]
        for number, stage in enumerate(self.stages, start=1):
            for name in stage.sets:
                if name not in names:
                    told = f"stages names {name!r}, which is none of the data sets ({', '.join(names)})"
                    yield f"stages.{number}", told
        for number, data in enumerate(self.data, start=1):
            if self.supervise.judged and not data.human:
                told = f"{set_name(data)} has no criterion; kind pair learns from ratings: add human: …"
                yield f"data.{number}", told
        if self.synthetic is not None:
            yield from self.synthetic.contradictions()

    def learn(self, work: Work) -> PairEncoder:
        """Stage after stage, from where it was interrupted."""
        source = beginning(self.encoder, work.checkpoints)
        signals = len(self.synthetic.signals) if self.synthetic else 0
        network = PairNetwork(source.path, self, {HEAD: 1} | ({SIGNALS: signals} if signals else {}), seed=self.seed)
        texts = _Texts(self, network, work)
        told = [asdict(self), source.digest, texts.pairs, texts.targets.tolist(), texts.held.tolist()]
        courses = []
        if self.synthetic is not None:
            made = self.synthetic.made(work, seed=self.seed)
            told += [made.pairs, made.signals.tolist()]
            courses.append(self._synthetic(self.synthetic, network, made))
        courses += [self._course(network, texts, stage) for stage in self.stages or (Stage(),)]
        name = sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
        kept = Checkpoints(work.checkpoints / CHECKPOINT, name, self.every)
        learn(network, courses, kept, work.report, work.progress)
        return network.form(source.name, texts, work.checkpoints)

    def _course(self, network: PairNetwork, texts: _Texts, stage: Stage) -> Course:
        chosen = texts.of_sets(stage.sets)
        places = np.flatnonzero(chosen & ~texts.held)
        if not len(places):
            raise InputError(f"nothing is left to learn from in {', '.join(stage.sets) or 'the data'}")
        spared = np.flatnonzero((chosen & texts.held) if (chosen & texts.held).any() else texts.held)
        rows, targets = texts.rows(places)

        def steps(epoch: int) -> Iterator[Step]:
            for batch in batches(rows, self.batch, f"{self.seed}/{'+'.join(stage.sets)}/{epoch}"):
                yield network.step(rows, targets[:, None], batch, HEAD)

        return self.course(len(rows), stage.epochs, stage.rate, steps, lambda: texts.figures(spared), by="pearson")

    def _synthetic(self, synthetic: Synthetic, network: PairNetwork, made: Made) -> Course:
        rows = network.pair_rows(made.pairs)

        def steps(epoch: int) -> Iterator[Step]:
            for batch in batches(rows, self.batch, f"{self.seed}/synthetic/{epoch}"):
                yield network.step(rows, made.signals, batch, SIGNALS)

        return replace(self.course(len(rows), synthetic.epochs, synthetic.rate, steps), average=0.0)


class PairNetwork(PairedNetwork):
    """The encoder, the head that scores, and that of the synthetic stage."""

    def step(self, rows: Sequence[Row], targets: Array, batch: Sequence[int], head: str) -> Step:
        """One step: the mean squared error of a batch."""

        def losses() -> Iterator[Any]:
            with self.half():
                made = self.said(head)([rows[place] for place in batch])
            wanted = self.torch.tensor(targets[list(batch)], dtype=self.torch.float32, device=self.device)
            yield ((made.float() - wanted) ** 2).mean()

        return losses

    def form(self, encoder: str, texts: _Texts, kept: Path) -> PairEncoder:
        """What was learnt, on the scale of the judgements; vocabulary or encoder are written to `kept`."""
        scale = np.float32(texts.deviation)
        head = self.head_weights(lambda weight, bias: (weight * scale, bias * scale + np.float32(texts.mean)))
        return PairEncoder(**self.kept(encoder, kept, head))


class _Texts:
    """The examples as pairs of texts, each with its example's target."""

    def __init__(self, training: PairTraining, network: PairNetwork, work: Work) -> None:
        examples, self.held = work.examples, work.held
        self.network = network
        self.pairs: list[list[Pair]] = pairs_of(training.reads, batch_of(examples))
        self.sets = np.array(examples.sets)
        self.targets = examples.targets
        known = examples.targets[~work.held]
        self.mean, self.deviation = float(known.mean()), float(known.std())

    def of_sets(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """The examples of some data sets."""
        return np.isin(self.sets, names) if names else np.ones(len(self.sets), dtype=bool)

    def rows(self, places: NDArray[np.int64]) -> tuple[list[Row], Array]:
        """The units of the pairs of some examples, and the standardised target of each pair."""
        pairs = [pair for place in places for pair in self.pairs[place]]
        numbers = np.repeat(self.targets[places], [len(self.pairs[place]) for place in places])
        return self.network.pair_rows(pairs), (numbers - self.mean) / self.deviation

    def figures(self, places: NDArray[np.int64]) -> dict[str, float]:
        """How well the targets of some examples are foretold."""
        if len(places) < 3:
            return {}
        rows, _ = self.rows(places)
        made = self.network.scores(rows, self.network.said(HEAD))[:, 0]
        starts = np.cumsum([0, *(len(self.pairs[place]) for place in places)])[:-1]
        best = np.maximum.reduceat(made, starts).astype(np.float64) * self.deviation + self.mean
        targets = self.targets[places]
        found = {"error": float(np.sqrt(np.mean((best - targets) ** 2)))}
        if best.std() > 0 and targets.std() > 0:
            found["pearson"] = float(np.corrcoef(best, targets)[0, 1])
        return found
