"""The reader: one small encoder that learns two tasks together, entailment and the review of wordings.

Both sentences of a pair go through the encoder together, as in BERT (Devlin et al. 2019), and the first unit's vector
is classified. A wording goes through alone; the mean and the maximum over its units are classified, into neutral and
the kinds of bias. Batches of the two tasks alternate, so that the wordings, of which there are few, are learnt by an
encoder that must also understand sentences. Settings are chosen by pairs and wordings held out; test files are looked
at with the weights as they are shipped, in eight bits.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import orjson
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.io.files import readable
from nlgauge.models.resolve import locate
from nlgauge.models.weights import packed, unpacked, write
from nlgauge.training.config import Recipe, Report
from nlgauge.training.encoders import Checkpoints, Course, Network, Row, Step, batches, learn
from nlgauge.training.split import refuse_few

# Pairs of sentences with a label, for training: SNLI's JSON lines (Bowman et al. 2015).
#
# Pairs on which SNLI's annotators found no majority carry the label "-" and are left out, as everybody leaves them
# out.


LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True)
class Pair:
    """A premise, a hypothesis, and the place of their label in `LABELS`."""

    premise: str
    hypothesis: str
    label: int


def read_pairs(path: str | Path) -> list[Pair]:
    """Every pair of a file that has a label."""
    found = list(_pairs(Path(path)))
    if not found:
        raise InputError(f"{path} holds no pair with one of the labels {', '.join(LABELS)}")
    return found


def _pairs(path: Path) -> Iterator[Pair]:
    expected = "sentence1, sentence2 and gold_label", "; SNLI's own files have this form"
    for _, (premise, hypothesis, label) in _rows(path, itemgetter("sentence1", "sentence2", "gold_label"), *expected):
        if label in LABELS:
            yield Pair(str(premise), str(hypothesis), LABELS.index(label))


def _rows(
    path: Path, picked: Callable[[Any], tuple[Any, ...]], expected: str, more: str = ""
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The number of each line that is not empty, and what is picked of it."""
    with readable(path), path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                found = picked(orjson.loads(line))
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: expected a JSON object with {expected} ({error}){more}"
                ) from None
            yield number, found


def split(pairs: Sequence[Pair], held: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from, and `held` pairs to choose by.

    Several hypotheses were written for each premise: a premise is on one side only, or the choice would be too kind.
    """
    premises = sorted({pair.premise for pair in pairs})
    Random(f"{seed}/held").shuffle(premises)
    by_premise: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_premise.setdefault(pair.premise, []).append(pair)
    chosen: set[str] = set()
    number = 0
    for premise in premises:
        if number >= held:
            break
        chosen.add(premise)
        number += len(by_premise[premise])
    return (
        [pair for pair in pairs if pair.premise not in chosen],
        [pair for pair in pairs if pair.premise in chosen],
    )


# Wordings of questions and instructions with what is wrong with them, if anything: what the reader learns from.
#
# A file has one JSON object a line: `text`, `biased`, and `kind`, one of `KINDS`.


_KINDS = """
neutral comparative loaded leading presupposition double negated unbalanced unlabelled identity hypothesis pay trait
answers-visible preset authority example pressure
"""
KINDS = tuple(_KINDS.split())


@dataclass(frozen=True)
class Wording:
    """A wording and the place of its kind in `KINDS`; 0 is a neutral one."""

    text: str
    kind: int


def read_wordings(paths: Iterable[str | Path]) -> list[Wording]:
    """Every distinct wording of the files."""
    found: dict[str, Wording] = {}
    for path in paths:
        for wording in _wordings(Path(path)):
            found.setdefault(wording.text, wording)
    if not found:
        raise InputError("there is no wording to learn from; give files of JSON lines with text, biased and kind")
    return list(found.values())


def _wordings(path: Path) -> Iterator[Wording]:
    def picked(row: Any) -> tuple[str, str]:
        return str(row["text"]), str(row["kind"]) if row["biased"] else KINDS[0]

    for number, (text, kind) in _rows(path, picked, "text, biased and kind"):
        if kind not in KINDS:
            raise InputError(f"{path}, line {number}: no kind is called {kind}; there are {', '.join(KINDS)}")
        yield Wording(text, KINDS.index(kind))


WEIGHTS = "weights.safetensors"
CHECKPOINT = ".checkpoint"


@dataclass(frozen=True)
class ReaderTraining(Recipe):
    """Everything the training of a reader depends on, beside the data."""

    kind: ClassVar[str] = "reader"
    snli: str = key("folder with SNLI's train and test .jsonl")
    wordings: tuple[str, ...] = key(".jsonl files of wordings, or folders of them")
    held: tuple[str, ...] = key("wordings to look at after each epoch, not to learn from", default=())
    name: str = key("what the reader is called", default="reader")
    encoder: str = key("a BERT to begin with: alias, hub id or path", default="minilm")
    epochs: int = key("passes over the pairs", default=4, least=1, most=100_000)
    wording_epochs: int = key("passes over the wordings in the same time", default=5, least=1, most=100_000)
    learning_rate: float = key("the highest", default=1e-4, least=1e-8, most=1.0)
    batch: int = key("pairs in a step", default=64, least=1, most=100_000)
    wording_batch: int = key("wordings in a step", default=32, least=1, most=100_000)
    warm_up: float = key("share of the steps over which the rate rises", default=0.06, least=0.0, most=1.0)
    decay: float = key("of the weights", default=0.01, least=0.0, most=10.0)
    smoothing: float = key("of the labels", default=0.05, least=0.0, most=0.5)
    dropout: float = key("before the classifiers", default=0.1, least=0.0, most=0.9)
    tokens: int = key("of both sentences; longer pairs are cut at the longer", default=96, least=8)
    wording_tokens: int = key("of a wording", default=192, least=8)
    held_pairs: int = key("pairs of the training file to choose by", default=4_000, least=1)
    average: float = key("share of the steps at the end whose weights are averaged", default=0.2, least=0.0, most=1.0)
    every: int = key("steps between two checkpoints", default=500, least=1)
    seed: int = key("of the split, the first weights and the order", default=7, least=0)


class ReaderNetwork(Network):
    """The encoder and its two classifiers as they are after each step."""

    def __init__(self, encoder: str | Path, recipe: ReaderTraining) -> None:
        self.recipe = recipe
        heads = {"entailment": (1, len(LABELS)), "wording": (2, len(KINDS))}
        super().__init__(encoder, heads, dropout=recipe.dropout, seed=recipe.seed)

    def pair_rows(self, pairs: Sequence[Pair]) -> list[Row]:
        """The units of each pair."""
        texts = [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
        return self.rows(*texts, longest=self.recipe.tokens)

    def wording_rows(self, texts: Sequence[str]) -> list[Row]:
        """The units of each wording."""
        return self.rows(texts, longest=self.recipe.wording_tokens)

    def entailment(self, rows: Sequence[Row]) -> Any:
        """Scores of the labels for a batch of pairs."""
        vectors, _ = self.hidden(rows)
        return self.heads["entailment"](self.drop(vectors[:, 0]))

    def wording(self, rows: Sequence[Row]) -> Any:
        """Scores of the kinds for a batch of wordings."""
        vectors, mask = self.hidden(rows)
        there = mask[..., None].to(vectors.dtype)
        mean = (vectors * there).sum(1) / there.sum(1)
        largest = vectors.masked_fill(mask[..., None] == 0, -1e4).amax(1)
        return self.heads["wording"](self.drop(self.torch.cat([mean, largest], dim=1)))

    def run(
        self,
        pairs: Sequence[Pair],
        wordings: Sequence[Wording],
        kept: Checkpoints,
        report: Report,
        measure: Callable[[], Mapping[str, float]],
    ) -> None:
        """Learn; `report` hears of each epoch."""
        recipe = self.recipe
        length = math.ceil(len(pairs) / recipe.batch)
        extra = recipe.wording_epochs * math.ceil(len(wordings) / recipe.wording_batch)
        steps = self._steps(pairs, wordings, share=extra / (recipe.epochs * length))
        course = Course(
            epochs=recipe.epochs,
            length=length,
            rate=recipe.learning_rate,
            steps=steps,
            measure=measure,
            warm_up=recipe.warm_up,
            decay=recipe.decay,
            average=recipe.average,
        )
        learn(self, [course], kept, report)

    def _steps(
        self, pairs: Sequence[Pair], wordings: Sequence[Wording], *, share: float
    ) -> Callable[[int], Iterator[Step]]:
        """The steps of each epoch: a batch of pairs, and now and then one of wordings."""
        recipe = self.recipe
        pair_rows, labels = self.pair_rows(pairs), [pair.label for pair in pairs]
        wording_rows = self.wording_rows([wording.text for wording in wordings])
        kinds = [wording.kind for wording in wordings]
        endless = self._endless(wording_rows)
        owed = 0.0

        def step(batch: list[int], others: list[list[int]]) -> Iterator[Any]:
            yield self._pair_loss([pair_rows[place] for place in batch], [labels[place] for place in batch])
            for chosen in others:
                rows = [wording_rows[place] for place in chosen]
                yield self._wording_loss(rows, [kinds[place] for place in chosen])

        def epoch(number: int) -> Iterator[Step]:
            nonlocal owed
            for batch in batches(pair_rows, recipe.batch, f"{recipe.seed}/pairs/{number}"):
                owed += share
                others = [next(endless) for _ in range(int(owed))]
                owed -= len(others)
                yield lambda batch=batch, others=others: step(batch, others)  # type: ignore[misc]

        return epoch

    def _pair_loss(self, rows: Sequence[Row], wanted: Sequence[int]) -> Any:
        with self.half():
            scores = self.entailment(rows)
        target = self.torch.tensor(wanted, device=self.device)
        return self.torch.nn.functional.cross_entropy(scores.float(), target, label_smoothing=self.recipe.smoothing)

    def _wording_loss(self, rows: Sequence[Row], wanted: Sequence[int]) -> Any:
        """Of the kind, and of whether there is any: that is what a finding hangs on."""
        functional = self.torch.nn.functional
        with self.half():
            scores = self.wording(rows)
        scores, smooth = scores.float(), self.recipe.smoothing
        target = self.torch.tensor(wanted, device=self.device)
        odds = self.torch.logsumexp(scores[:, 1:], dim=1) - scores[:, 0]
        biased = (target > 0).float() * (1 - 2 * smooth) + smooth
        return functional.cross_entropy(
            scores, target, label_smoothing=smooth
        ) + functional.binary_cross_entropy_with_logits(odds, biased)

    def _endless(self, rows: Sequence[Row]) -> Iterator[list[int]]:
        epoch = 0
        while True:
            epoch += 1
            yield from batches(rows, self.recipe.wording_batch, f"{self.recipe.seed}/wordings/{epoch}")

    def accuracy(self, pairs: Sequence[Pair]) -> float:
        """Share of pairs whose label has the highest score."""
        chosen = self.scores(self.pair_rows(pairs), self.entailment).argmax(axis=1)
        return float(np.mean(chosen == np.array([pair.label for pair in pairs])))

    def odds(self, wordings: Sequence[Wording]) -> NDArray[np.float32]:
        """The logarithm of the odds that each wording is biased."""
        return log_odds(self.scores(self.wording_rows([wording.text for wording in wordings]), self.wording))

    def figures(self, held: Sequence[Pair], wordings: Sequence[Wording]) -> dict[str, float]:
        """What is looked at after each epoch and at the end."""
        found = {"accuracy": self.accuracy(held)} if held else {}
        if wordings:
            odds, biased = self.odds(wordings), np.array([wording.kind > 0 for wording in wordings])
            found |= {
                "found": float(np.mean(odds[biased] > 0)) if biased.any() else 0.0,
                "false": float(np.mean(odds[~biased] > 0)) if (~biased).any() else 0.0,
            }
        return {name: round(value, 4) for name, value in found.items()}

    def save(self, folder: Path) -> None:
        """Weights in eight bits, the settings of the network and the list of its units."""
        folder.mkdir(parents=True, exist_ok=True)
        labels = {"entailment": list(LABELS), "wording": list(KINDS)}
        settings = self.encoder.config.to_dict() | {"labels": labels}
        settings.pop("_name_or_path", None)  # where the encoder lay on the machine that trained it
        (folder / "config.json").write_text(json.dumps(settings, indent=1, sort_keys=True), encoding="utf-8")
        self.vocabulary(folder / "vocab.txt")
        write(folder / WEIGHTS, packed(self.weights()))


def log_odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """ln(p / (1 − p)) of being biased, from the scores of neutral and the kinds."""
    largest = scores[:, 1:].max(axis=1)
    rest = np.log(np.exp(scores[:, 1:] - largest[:, None]).sum(axis=1)) + largest
    return np.asarray(rest - scores[:, 0], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class ReaderData:
    """What a reader learns from, is chosen by and is tested on."""

    pairs: Sequence[Pair]
    held: Sequence[Pair]
    tested: Sequence[Pair]
    wordings: Sequence[Wording]
    spared: Sequence[Wording]
    files: int  # of wordings


def gathered(recipe: ReaderTraining, beside: Path) -> ReaderData:
    """The data of a recipe, whose paths begin at `beside`."""
    train_file, test_file = _snli(str(beside / recipe.snli))
    held = _files([str(beside / name) for name in recipe.held])
    files = [
        path
        for path in _files([str(beside / name) for name in recipe.wordings])
        if not any(path.samefile(other) for other in held)
    ]
    if not files:
        raise InputError("every file of wordings is held out too, so there is none to learn from")
    known = read_pairs(train_file)
    if len(known) <= recipe.held_pairs:
        raise InputError(
            f"{train_file} has {len(known):,} pairs, and {recipe.held_pairs:,} are held back to choose by; give more "
            "pairs, or hold back fewer (held_pairs)"
        )
    pairs, spared = split(known, recipe.held_pairs, recipe.seed)
    refuse_few(len(pairs), len(known), "pair", "held_pairs")
    return ReaderData(
        pairs,
        spared,
        read_pairs(test_file) if test_file else [],
        read_wordings(files),
        read_wordings(held) if held else [],
        len(files),
    )


def train(recipe: ReaderTraining, data: ReaderData, out: str | Path, report: Report) -> dict[str, Any]:
    """Train, pack, write to a folder, and measure what was written."""
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty; give a new folder for the reader")
    encoder = bert_folder(recipe.encoder)
    told = [asdict(recipe), locate(recipe.encoder, "contextual", "training").digest, data.pairs, data.wordings]
    key = sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
    kept = Checkpoints(folder.with_name(f"{folder.name}{CHECKPOINT}"), key, recipe.every)
    network = ReaderNetwork(encoder, recipe)

    def measure() -> dict[str, float]:
        return network.figures(data.held, data.spared)

    network.run(data.pairs, data.wordings, kept, report, measure)
    whole = measure()
    network.load(unpacked(packed(network.weights())))
    figures = {
        "recipe": asdict(recipe),
        "encoder": encoder.name,
        "pairs": {"train": len(data.pairs), "held": len(data.held), "test": len(data.tested)},
        "wordings": {"train": len(data.wordings), "held": len(data.spared)},
        "held": whole,
        "held_packed": measure(),
        "test_accuracy_packed": network.accuracy(data.tested) if data.tested else None,
    }
    temporary = folder.with_name(folder.name + ".part")
    shutil.rmtree(temporary, ignore_errors=True)
    network.save(temporary)
    (temporary / "training.json").write_text(json.dumps(figures, indent=1), encoding="utf-8")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.rmdir()
    temporary.rename(folder)
    if kept.path:
        kept.path.unlink(missing_ok=True)
    return figures


def bert_folder(name: str) -> Path:
    """The folder of the network to begin with."""
    found = locate(name, "contextual", "training")
    if found.config().get("model_type") != "bert" or not (found.path / "vocab.txt").is_file():
        raise InputError(
            f"the encoder {name} is no uncased BERT with a vocab.txt, and the reader runs no other; minilm is one"
        )
    return found.path


def _snli(name: str) -> tuple[Path, Path | None]:
    folder = Path(name)
    if not folder.is_dir():
        raise InputError(f"there is no folder {name}; it holds SNLI's files, one with train in its name")
    found = {part: sorted(folder.rglob(f"*{part}*.jsonl")) for part in ("train", "test")}
    for part, files in found.items():
        if len(files) > 1 or (part == "train" and not files):
            said = ", ".join(path.name for path in files) or "none"
            raise InputError(f"expected one .jsonl file with {part} in its name in {name}; found {said}")
    return found["train"][0], next(iter(found["test"]), None)


def _files(names: Sequence[str]) -> list[Path]:
    """Files as they are, and the .jsonl files of folders."""
    found: list[Path] = []
    for name in names:
        path = Path(name)
        some = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not some or not path.exists():
            raise InputError(f"{name} is neither a file of wordings nor a folder with .jsonl files of them")
        found += some
    return found
