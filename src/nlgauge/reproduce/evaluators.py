"""The evaluators: comparators and their ablations, the adversarial evaluator, ADEM; trained on texts of other runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.generators.kept import keep
from nlgauge.generators.pool import finished, with_memory_for
from nlgauge.guidance.comparing import by_bleu
from nlgauge.io.write import write_jsonl
from nlgauge.learned.comparator import Comparator, Written, davidson, softmax
from nlgauge.learned.trained import Trained, opened
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.stories import facts_of, score, written
from nlgauge.reproduce.writing import Corpus, read
from nlgauge.training.comparator import ComparatorTraining
from nlgauge.training.config import Data, Split, Training
from nlgauge.training.heads import Adem
from nlgauge.training.paired import beginning
from nlgauge.training.run import train
from nlgauge.training.vectors import VectorTraining

MAIN, ADVERSARIAL, ADEM, PREFERRED = "comparator", "adversarial", "adem", "preferences"
BLEU = "bleu"
# the rows of Table 5, and what each changes of the comparator of Tables 1 to 3
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    MAIN: {},
    PREFERRED: {"human": True},
    ADVERSARIAL: {"comparison": False, "weak": False},
    "no-tie": {"ties": False},
    "no-strong": {"strong": False},
    "no-weak": {"weak": False},
    "no-pretraining": {"pretrained": False},
}
SCORED = (PREFERRED, ADEM)  # which need texts that the oracle scored
OUTPUTS, RATED, CRITERION = "outputs.jsonl", "rated.jsonl", "oracle"
OF_A_PROMPT = 3  # outputs that the oracle scored, beside one more story by the rules
TIE = 0.25  # scores of the oracle that differ by no more are a tie
ROOM = 4 * 2**30  # bytes of a GPU that an evaluator may need where it learns or reads
_HELD = Split(held=0.05)


@dataclass(frozen=True)
class Strengths:
    """A comparator whose texts were read once: what it says of any two of them."""

    name: str
    read: Mapping[Written, Array]

    def outcomes(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """Probabilities (n, 3), as `guidance.comparing.Compares` has them."""
        made = (np.array([self.read[text] for text in side]) for side in (ones, others))
        return softmax(davidson(*made))


def names(*, oracle: bool) -> list[str]:
    """The evaluators that can be trained."""
    return [name for name in (*ABLATIONS, ADEM) if oracle or name not in SCORED]


def train_all(settings: Settings, folder: Path, corpus: Corpus, progress: Callable[[str, int, int], None]) -> None:
    """Every evaluator that is not there yet."""
    home = folder / "evaluators"
    home.mkdir(parents=True, exist_ok=True)
    wanted = names(oracle=corpus.oracle is not None)
    left = [name for name in wanted if not (home / name / "metric.json").is_file()]
    done = len(wanted) - len(left)
    progress("evaluators", done, len(wanted))
    if not left:
        return
    _rows(settings, folder, corpus, home)
    encoder = beginning(settings.encoder, home).path
    trainings = [_training(name, settings, encoder) for name in left]
    for _ in finished(partial(_learn, home), trainings, processes=with_memory_for(ROOM)):
        done += 1
        progress("evaluators", done, len(wanted))


def _learn(home: Path, training: Training) -> None:
    train(training, home / training.name, beside=home)


def _training(name: str, settings: Settings, encoder: Path) -> Training:
    if name == ADEM:
        return VectorTraining(
            name=name,
            data=(Data(path=RATED, human=CRITERION),),
            head=Adem(),
            encoders=(f"{encoder}:mean",),
            split=Split(held=0.2),
            reduce=20,
            decay=1e-3,
            seed=settings.seed,
        )
    changed = ABLATIONS[name]
    rated = (Data(path=RATED, human=CRITERION),) if changed.get("human") else ()
    usual = ComparatorTraining(
        name=name,
        data=(Data(path=OUTPUTS), *rated),
        encoder=settings.encoder,
        longest=settings.longest,
        batch=settings.batch,
        rate=settings.rate,
        layers=0 if "pretrained" in changed else settings.layers,
        games=settings.games,
        tie=TIE,
        split=_HELD,
        seed=settings.seed,
        human=False,
    )
    return replace(usual, **changed)


def _rows(settings: Settings, folder: Path, corpus: Corpus, home: Path) -> None:
    """The texts of the trainings to learn from; of some prompts also what the oracle says of four texts."""
    references = {story.prompt: story.text for story in corpus.read}
    random = Random(f"learning-to-compare/{settings.seed}/rated")
    outputs: list[dict[str, Any]] = []
    rated: list[dict[str, Any]] = []
    runs = [unit for unit in settings.units() if unit.kind == "run"]
    for number, unit in enumerate(runs):
        wrote = read(unit, folder, corpus)
        share = settings.rated * (number + 1) // len(runs) - settings.rated * number // len(runs)
        scored = {place: random.sample(range(len(wrote)), OF_A_PROMPT) for place in range(share)}
        if corpus.oracle is not None:
            rated += [
                _by_rule(f"{unit.name}/{place}", wrote[0].texts[place].context, references, random) for place in scored
            ]
        for which, option in enumerate(wrote):
            decoding = option.told["decoding"]
            run = f"{unit.name}/{decoding['temperature']}/{decoding['top']}"
            for place, text in enumerate(option.texts):
                row = {
                    "item": f"{unit.name}/{place}",
                    "system": f"{run}@{option.told['step']}/{which}",
                    "source": text.context,
                    "hypothesis": text.text,
                    "references": [references[text.context]],
                }
                outputs.append({**row, "run": f"{run}/{which % 2}", "step": option.told["step"]})
                if option.oracle and which in scored.get(place, ()):
                    rated.append({**row, "ratings": {CRITERION: [option.oracle[place]]}})
    write_jsonl(outputs, home / OUTPUTS)
    if rated:
        write_jsonl(rated, home / RATED)


def _by_rule(item: str, prompt: str, references: Mapping[str, str], random: Random) -> dict[str, Any]:
    """One more story for a prompt, as the oracle scores it: ratings of ADEM's kind are of people's texts, too."""
    text = written(facts_of(prompt), random)
    return {
        "item": item,
        "system": "by rule",
        "source": prompt,
        "hypothesis": text,
        "references": [references[prompt]],
        "ratings": {CRITERION: [score(prompt, text)]},
    }


Shelf = tuple[Path, Mapping[str, Sequence[Written]], Mapping[str, str]]  # a folder, texts by evaluator, references
_shelf: list[Shelf] = []  # of this process


def read_all(
    folder: Path,
    texts: Mapping[str, Sequence[Written]],
    references: Mapping[str, str],
    progress: Callable[[str, int, int], None],
) -> dict[str, Mapping[Written, Array]]:
    """What each evaluator says of its texts, as `_read_texts` has it; several read at the same time on a GPU."""
    found: dict[str, Mapping[Written, Array]] = {}
    progress("reading", 0, len(texts))
    shared = (folder, texts, references)
    for name, scores in finished(_read, list(texts), prepare=_fill, shared=shared, processes=with_memory_for(ROOM)):
        found[name] = dict(zip(dict.fromkeys(texts[name]), scores, strict=True))
        progress("reading", len(found), len(texts))
    return {name: found[name] for name in texts}


def _fill(*shelf: *Shelf) -> None:
    _shelf[:] = [shelf]


def _read(name: str) -> tuple[str, Array]:
    """An evaluator, and what it says of each different text; kept for these very texts."""
    ((folder, texts, references),) = _shelf
    different = list(dict.fromkeys(texts[name]))
    told = json.dumps([[text.context, text.text] for text in different]).encode("utf-8", "surrogatepass")
    digest = sha256(told).hexdigest()
    path = folder / "scores" / f"{name}.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if kept.get("texts") != digest:
        scores = _read_texts(name, folder, different, references)
        kept = {"texts": digest, "scores": scores.astype(float).round(6).tolist()}
        path.parent.mkdir(exist_ok=True)
        keep(path, kept)
    return name, np.array(kept["scores"])


def _read_texts(name: str, folder: Path, texts: Sequence[Written], references: Mapping[str, str]) -> Array:
    """What an evaluator says of each text: strength and inclination to tie of a comparator, (n, 2), else (n, 1)."""
    if name == BLEU:
        bleu = by_bleu({prompt: [text] for prompt, text in references.items()})
        return np.asarray(bleu.scores(texts))[:, None]
    place = folder / "evaluators" / name
    if name == ADEM:
        metric = Trained(model=str(place))
        found: Array = metric.segments(
            [text.text for text in texts],
            [[references[text.context]] for text in texts],
            sources=[text.context for text in texts],
        )
        return found[:, None]
    form = opened(str(place)).form
    assert isinstance(form, Comparator)
    return form.alone(texts)
