"""Every recipe that ships, laid beside a small part of real data with the names that it asks for, and trained: what is
held out is foretold better than by its mean, and a new process gives the same scores.

Captions of machines and vectors of images are made up: words of a person's caption in a template, and the mean word
vector of an image's captions with noise.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.learned.trained import Trained
from nlgauge.training.config import Split, Training
from nlgauge.training.heads import Simile
from nlgauge.training.pair import PairTraining, Stage
from nlgauge.training.run import read_config, recipe, train
from nlgauge.training.sequence import SequenceTraining
from nlgauge.training.vectors import VectorTraining

FORMS = ("", "-light", "-one-pass", "-6dim-lreg", "-6dim-nn", "-8dim-lreg", "-8dim-nn")  # of NUBIA
QUICK = (
    *(
        "adem",
        "cmade",
        "composite",
        "discriminator",
        "esim",
        "leic",
        "maude",
        "nneval",
        "ruber",
        "ruber-bert",
    ),
    *("ruse", "simile", "ssrem", *(f"nubia{form}" for form in FORMS)),
)  # tests/training/test_beer_and_blend.py has the other two
LONG = ("bert-for-mte", "bleurt", "roberta-eval")  # tests/training/test_pair.py has a quicker one
SERVER = """
import json, sys
from nlgauge.learned.trained import Trained
for line in sys.stdin:
    folder, batch = json.loads(line)
    print(json.dumps(Trained(model=folder).segments(batch[0], batch[1], sources=batch[2]).tolist()), flush=True)
"""
SOURCE = ["do you like music ?", "yes , i sing in a band .", "what kind of songs ?"]
OUTPUTS = [
    "mostly rock songs , and some jazz",
    "a picture of a dog with a dog",
    "Mostly rock songs and jazz.",
]
IMAGE = {"image": [0.1] * 50}


def rows_of(shared: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def translations(shared: Path) -> list[dict[str, Any]]:
    """The shortest translations into English of WMT15 and WMT16."""
    return [
        row
        for row in rows_of(shared, "wmt15_16_daseg")
        if row["dataset"].endswith("-en")
        and max(len(text.split()) for text in (row["hypothesis"], *row["references"])) < 10
    ]


def dialogues(shared: Path) -> list[dict[str, Any]]:
    """Both sets of USR and that of Gupta et al., with the names of the criterion that recipes have."""
    found = [
        {**row, "item": f"{name}/{row['item']}"}
        for name in ("usr_topicalchat", "usr_personachat", "gupta19_multiref_dialogue")
        for row in rows_of(shared, name)
    ]
    for row in found:
        row["ratings"] = {**row["ratings"], "overall": row["ratings"].get("Overall")}
    return found


def captions(shared: Path) -> list[dict[str, Any]]:
    from nlgauge import models

    vectors, random, noise = models.static("glove"), Random(1), np.random.default_rng(1)
    made = []
    for row in rows_of(shared, "flickr8k_references")[:120]:
        words = [word for text in row["references"] for word in text.lower().split()]
        known = [word for word in random.choice(row["references"]).lower().split() if len(word) > 3]
        image = vectors.vectors(words)[0].mean(axis=0) + noise.normal(0, 0.05, 50)
        made.append(
            {
                **row,
                "system": "template",
                "hypothesis": f"a picture of a {random.choice(known)} with a {random.choice(known)}",
                "source": {"image": [round(float(value), 4) for value in image]},
            }
        )
    return made


@dataclass
class Bench:
    """The data, features that trainings share, and a new process."""

    folder: Path
    process: subprocess.Popen[str]

    def elsewhere(self, model: Path, batch: tuple[Any, ...]) -> list[float]:
        """What the other process says."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps([str(model), batch]) + "\n")
        self.process.stdin.flush()
        found: list[float] = json.loads(self.process.stdout.readline())
        return found


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Small networks wait for each other longer than they compute."""
    torch = pytest.importorskip("torch", reason="torch is not installed: networks cannot be learnt")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def bench(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("recipes")
    for name, rows in (
        (
            "judged.jsonl",
            [{**row, "ratings": {"adequacy": row["ratings"]["da_z"]}} for row in translations(shared)],
        ),
        ("dialogues.jsonl", dialogues(shared)),
        ("captions.jsonl", captions(shared)),
        (
            "paraphrases.jsonl",
            [{**row, "system": "people"} for row in rows_of(shared, "flickr8k_references")[:120]],
        ),
        ("wmt15_16_daseg.jsonl.gz", translations(shared)),
    ):
        told = "".join(json.dumps(row) + "\n" for row in rows).encode()
        (folder / name).write_bytes(gzip.compress(told) if name.endswith(".gz") else told)
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield Bench(folder, process)
    process.communicate()


def quick(training: Training) -> Training:
    """The same training with more held out and less to do; MiniLM stands for RoBERTa, which no package has."""
    training = replace(training, split=Split(0.25))
    if isinstance(training, VectorTraining) and isinstance(training.head, Simile):
        return replace(training, epochs=10)
    if isinstance(training, VectorTraining):
        return replace(training, epochs=40, reduce=20, decay=0.01)
    if isinstance(training, SequenceTraining):
        small = replace(training, vectors="glove", hidden=16, longest=15, batch=32)
        return replace(small, epochs=12, patience=6, rate=5e-3, dropout=0.1)
    if isinstance(training, PairTraining):
        few = training.synthetic and replace(training.synthetic, pairs=64, signals=("sentbleu", "rougeL"))
        some = {"dataset": "wmt15-daseg/*-en" if training.reads == "reference" else "usr_*"}
        return replace(
            training,
            data=(replace(training.data[0], where=some),),
            encoder="minilm",
            stages=(Stage(epochs=2, rate=1e-4),),
            synthetic=few,
            batch=16,
            longest=48,
        )
    return training


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)])
def test_a_recipe_learns_from_real_texts_and_scores_alike_in_a_new_process(name: str, bench: Bench) -> None:
    path = bench.folder / f"{name}.yaml"
    path.write_text(recipe(name), encoding="utf-8")
    training = read_config(path)
    assert isinstance(training, Training)
    found = train(quick(training), bench.folder / name, beside=bench.folder, cache=bench.folder / "features")
    held = found.figures["held_out"]
    if training.supervise.judged:
        assert held["error"] < held["error_of_the_mean"] and held["pearson"] > 0.1
    else:  # good and bad examples weigh alike, so that the mean says nothing: its AUC is one half
        assert held["auc"] > 0.6
        assert training.supervise.kind == "origin" or held["pairs_in_order"] > 0.55
    source = IMAGE if name == "leic" else SOURCE
    batch = (OUTPUTS, [["mostly rock music", "some jazz"]] * len(OUTPUTS), [source] * len(OUTPUTS))
    here = Trained(model=str(bench.folder / name)).segments(batch[0], batch[1], sources=batch[2])
    assert np.ptp(here) > 0
    assert bench.elsewhere(bench.folder / name, batch) == here.tolist()
