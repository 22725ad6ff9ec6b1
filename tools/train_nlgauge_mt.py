"""Train nlgauge-mt again: three large teachers, their labels of many pairs, small students, the scale of their mean.

    python tools/train_nlgauge_mt.py --wmt wmt15_16_daseg.jsonl.gz --mlqe mlqe_pe_toen.jsonl.gz --sts stsb.jsonl.gz \
        --teacher sentence-transformers/all-mpnet-base-v2 -o nlgauge-mt

The files are evaluation sets: WMT15 and WMT16 direct assessments (`da_z`), MLQE-PE into English (`da_z`), the STS
benchmark (`similarity`). It takes about twenty minutes on a large GPU. What is half done is kept beside the output, so
that the same command goes on after an interruption. The card of the metric says what came out.
"""

from __future__ import annotations

import argparse
import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.io.files import text_lines
from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import CARD, RECIPE, Folder, keep, open_folder
from nlgauge.learned.paired import PairEncoder
from nlgauge.learned.trained import Trained
from nlgauge.metrics.spec import parse
from nlgauge.models.weights import packed
from nlgauge.training.config import Data, Split
from nlgauge.training.pair import PairTraining, Stage
from nlgauge.training.run import train

Array = NDArray[np.float64]
RATES = (4e-5, 3e-5, 6e-5)  # of the teachers' first stage: they are to differ
STUDENTS = (
    (2e-4, 256, 6),
    (1.5e-4, 256, 8),
    (1.5e-4, 128, 5),
)  # rate, batch, epochs; their weights are averaged
SOFT = "yisi1(model={},unit=subword,order=1,alpha=0.8,layer=6+8+10,idf=no)"
SHARE = 0.25  # of soft matching in a label
CRITERION = "label"


@dataclass(frozen=True)
class Judged:
    """An output with its reference and a rating."""

    output: str
    reference: str
    rating: float
    group: str


def read(path: str, criterion: str) -> list[Judged]:
    """The rated outputs of a set that are in English, but for the part that is there to test on."""
    found = []
    for _, lines in text_lines(path, 10_000):
        for line in filter(None, lines):
            row = json.loads(line)
            group = str(row["dataset"])
            if row.get("split") == "test" and criterion == "similarity":
                continue
            if "daseg" in group and not group.endswith("-en"):
                continue
            rating = row["ratings"][criterion]
            value = float(rating[0] if isinstance(rating, list) else rating)
            texts = html.unescape(row["hypothesis"]), html.unescape(row["references"][0])
            found.append(Judged(*texts, value, group))
    return found


def standardised(rows: Sequence[Judged], times: float) -> list[Judged]:
    """Ratings as z-scores within each group."""
    found = []
    for group in dict.fromkeys(row.group for row in rows):
        some = [row for row in rows if row.group == group]
        values = np.array([row.rating for row in some])
        scaled = (values - values.mean()) / values.std() * times
        found += [replace(row, rating=float(value)) for row, value in zip(some, scaled, strict=True)]
    return found


def apart(rows: Sequence[Judged], share: float) -> tuple[list[Judged], list[Judged]]:
    """To learn from, and to hold out: by reference, as the same reference serves several systems."""
    random = Random(1)
    random.shuffle(list(range(len(rows))))  # the weights that ship were trained after such a draw
    references = sorted({row.reference for row in rows})
    random.shuffle(references)
    held = set(references[: int(share * len(references))])
    return [row for row in rows if row.reference not in held], [row for row in rows if row.reference in held]


def write(path: Path, rows: Iterable[Judged]) -> Path:
    """An evaluation set."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            told = {"item": f"{path.stem}-{number}", "system": "any", "hypothesis": row.output}
            rest = {"references": [row.reference], "ratings": {CRITERION: [row.rating]}}
            file.write(json.dumps(told | rest, ensure_ascii=False) + "\n")
    return path


def worsened(random: Random, row: Judged, words: Sequence[str]) -> str:
    """A worse text made of an output or a reference, by one to three changes."""
    texts = [row.output.split(), row.reference.split()]
    place = random.randrange(2)
    made, other = list(texts[place]), texts[1 - place]
    for _ in range(random.choice([1, 1, 2, 3])):
        size = len(made)
        if size < 2:
            break
        made = _changed(random, made, other, words)
    return " ".join(made)


def _changed(random: Random, made: list[str], other: list[str], words: Sequence[str]) -> list[str]:
    size, kind = len(made), random.random()
    start = random.randrange(size)
    if kind < 0.25:  # words lost here and there
        lost = set(random.sample(range(size), max(1, int(size * random.random() * 0.3))))
        return [word for place, word in enumerate(made) if place not in lost]
    if kind < 0.4:  # a stretch lost
        return made[:start] + made[start + random.randint(1, max(1, size // 3)) :]
    if kind < 0.6:  # other words
        for _ in range(max(1, int(size * random.random() * 0.25))):
            made[random.randrange(size)] = random.choice(words)
        return made
    if kind < 0.75:  # a few words moved to the front of others
        first, second = sorted((start, random.randrange(size)))
        moved = made[second : second + random.randint(1, 4)]
        rest = made[:second] + made[second + len(moved) :]
        return rest[:first] + moved + rest[first:]
    if kind < 0.85:  # said twice
        return made[:start] + made[start : start + random.randint(1, 3)] + made[start:]
    cut = random.random()  # the end of the other text
    return made[: int(size * cut)] + other[int(len(other) * cut) :]


def unlabelled(wmt: Sequence[Judged], others: Sequence[Judged]) -> list[Judged]:
    """All outputs, three worsened copies of each (of WMT's six times as many), and references as outputs."""
    random = Random(5)
    words = [word for row in (*others[:8_000], *wmt) for word in row.reference.split()]
    found = [*others, *wmt]
    for row in (*others, *list(wmt) * 6):
        found += [replace(row, output=worsened(random, row, words)) for _ in range(3)]
    for row in wmt:
        turned = replace(row, output=row.reference, reference=row.output)
        found += [turned, replace(row, output=row.reference)]
    return found


def scores(metric: Any, rows: Sequence[Judged]) -> Array:
    """What a metric says of each."""
    batch = Batch([row.output for row in rows], [[row.reference] for row in rows])
    return np.asarray(metric.score(metric.rows(batch)), dtype=np.float64)


def z(values: Array) -> Array:
    """Standardised."""
    made: Array = (values - values.mean()) / values.std()
    return made


def teachers(work: Path, arguments: argparse.Namespace) -> list[Trained]:
    """Three regressors that differ in seed and first rate."""
    found = []
    for seed, rate in enumerate(RATES):
        target = work / f"teacher{seed}"
        names = ("mlqe", "sts", "wmt", "held")
        training = PairTraining(
            name=target.name,
            data=tuple(Data(path=f"{name}.jsonl", human=CRITERION) for name in names),
            encoder=arguments.teacher,
            stages=(Stage(("mlqe", "sts"), 2, rate), Stage(("wmt",), 3, 2e-5)),
            split=Split(sets=("held",)),
            batch=64,
            patience=0,
            seed=seed,
        )
        if not target.is_dir():
            print(target.name, train(training, target, beside=work).figures["held_out"], flush=True)
        found.append(Trained(model=str(target)))
    return found


def mean_student(work: Path, encoder: str) -> Folder:
    """Students that differ in rate, batch, length and order, and the mean of their weights, in eight bits."""
    forms = []
    for number, (rate, batch, epochs) in enumerate(STUDENTS):
        target = work / f"student{number}"
        training = PairTraining(
            name="nlgauge-mt",
            data=(Data(path="labelled.jsonl", human=CRITERION),),
            encoder=encoder,
            stages=(Stage((), epochs, rate),),
            split=Split(0.0),
            batch=batch,
            dropout=0.0,
            packed=False,
            patience=0,
            seed=number,
        )
        if not target.is_dir():
            train(training, target, beside=work)
        form = open_folder(target).form
        assert isinstance(form, PairEncoder)
        forms.append(form)
    weights = {
        name: np.mean([form.weights[name].astype(np.float32) for form in forms], axis=0) for name in forms[0].weights
    }
    return keep(
        work / "student",
        open_folder(target).about,
        replace(forms[0], weights=packed(weights)),
        card=(target / CARD).read_text(encoding="utf-8"),
        recipe={"students": STUDENTS, **json.loads((target / RECIPE).read_text(encoding="utf-8"))},
    )


def main() -> None:
    """Teachers, labels, student, scale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("wmt", "mlqe", "sts"):
        parser.add_argument(f"--{name}", required=True, metavar="FILE")
    parser.add_argument("--teacher", required=True, metavar="MODEL", help="all-mpnet-base-v2: hub id or folder")
    parser.add_argument("--student", default="minilm", metavar="MODEL")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    work = arguments.output.with_name(f"{arguments.output.name}.work")
    wmt, held = apart(read(arguments.wmt, "da_z"), 0.1)
    mlqe = standardised(read(arguments.mlqe, "da_z"), 0.6)
    sts = [replace(row, rating=(row.rating - 2.7) / 1.5) for row in read(arguments.sts, "similarity")]
    for name, rows in {"wmt": wmt, "held": held, "mlqe": mlqe, "sts": sts}.items():
        write(work / f"{name}.jsonl", rows)
    pairs = unlabelled(wmt, [*mlqe, *sts])
    said = [z(scores(metric, pairs)) for metric in teachers(work, arguments)]
    labels = np.mean(said, axis=0) + SHARE * z(scores(parse(SOFT.format(arguments.teacher)), pairs))
    labelled = [replace(row, rating=float(value)) for row, value in zip(pairs, z(labels), strict=True)]
    write(work / "labelled.jsonl", labelled)
    made = mean_student(work, arguments.student)
    form = made.form
    assert isinstance(form, PairEncoder)
    own, people = scores(Trained(model=str(made.path)), held), np.array([row.rating for row in held])
    slope, offset = np.polyfit(own, people, 1)
    head = {
        "score.weight.scale": form.weights["score.weight.scale"] * np.float32(slope),
        "score.bias": form.weights["score.bias"] * np.float32(slope) + np.float32(offset),
    }
    figures = {"held_out_pearson": float(np.corrcoef(own, people)[0, 1]), "pairs": len(pairs)}
    keep(
        arguments.output,
        made.about,
        replace(form, weights={**form.weights, **head}),
        card=(made.path / "README.md").read_text(encoding="utf-8"),
        recipe={
            **json.loads((made.path / RECIPE).read_text(encoding="utf-8")),
            **figures,
        },
    )
    print(f"{arguments.output}: {figures}")


if __name__ == "__main__":
    main()
