"""The tables of docs/nubia.md, each printed as Markdown: python tools/nubia_tables.py TABLE DATA_FOLDER CACHE.

    ablation    what each group of NUBIA's features gives, with a linear function and a network, three seeds
    pairs       the shipped metrics on each pair of languages of WMT17, with intervals and significance clusters

CACHE keeps features and scores, so that a table is made again without reading a text twice.
"""

from __future__ import annotations

import contextlib
import gzip
import html
import io
import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.cli import main as nlgauge
from nlgauge.learned.learners import Scale
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.training.config import Data, Split
from nlgauge.training.examples import Examples, gather
from nlgauge.training.featured import FeatureTraining, table
from nlgauge.training.learners import Fits, Net, Ridge, Table
from nlgauge.training.split import held_out, on_scale

Array = NDArray[np.float64]
SEEDS = (1, 2, 3)
LEARNT, TESTED = "wmt15_16_daseg.jsonl.gz", "wmt17_daseg.jsonl.gz"
COSINE = ("sim",)
INFERENCE = ("entailment", "entailment(output=neutral)", "entailment(output=contradiction)")
INTELLIGIBILITY = ("perplexity(output=surprise)", "perplexity(output=refsurprise)")
PERPLEXITY = ("perplexity", "perplexity(output=reftoken)")
LENGTH = ("length", "length(of=reference)")
SOFT = ("softmatch(idf=no)",)
GROUPS = {
    "SS": SOFT,
    "LI": INFERENCE,
    "SI": INTELLIGIBILITY,
    "SS + LI": SOFT + INFERENCE,
    "SS + SI": SOFT + INTELLIGIBILITY,
    "LI + SI": INFERENCE + INTELLIGIBILITY,
    "SS + LI + SI (6DIM)": SOFT + INFERENCE + INTELLIGIBILITY,
    "6DIM and lengths (8DIM)": SOFT + INFERENCE + INTELLIGIBILITY + LENGTH,
    "8DIM, perplexity itself": SOFT + INFERENCE + PERPLEXITY + LENGTH,
    "SS by sentence cosine": COSINE,
    "6DIM by sentence cosine": COSINE + INFERENCE + INTELLIGIBILITY,
    "8DIM by sentence cosine": COSINE + INFERENCE + INTELLIGIBILITY + LENGTH,
    "the same, perplexity itself": COSINE + INFERENCE + PERPLEXITY + LENGTH,
    "8DIM and sentence cosine (nubia)": SOFT + COSINE + INFERENCE + INTELLIGIBILITY + LENGTH,
    "BERTScore, sentence cosine, lengths (nubia-light)": ("bertscore", *COSINE, *LENGTH),
}
LEARNERS: dict[str, Fits] = {"LREG": Ridge(), "NN": Net()}
METRICS = {
    "NUBIA": "nubia",
    "NUBIA-8DIM-NN": "nubia(model=nubia-8dim-nn)",
    "NUBIA-8DIM-LREG": "nubia(model=nubia-8dim-lreg)",
    "NUBIA-6DIM-NN": "nubia(model=nubia-6dim-nn)",
    "NUBIA-6DIM-LREG": "nubia(model=nubia-6dim-lreg)",
    "NUBIA, light": "nubia(model=nubia-light)",
    "BLEU": "sentbleu",
    "METEOR": "meteor(tok=13a)",
    "BERTScore": "bertscore",
    "sentence cosine": "sim",
}


def examples_of(folder: Path, name: str) -> Examples:
    """The judged translations into English, with their escapes undone."""
    data = Data(path=str(folder / name), human="da_z", where={"dataset": "*-en"}, unescape=True)
    training = FeatureTraining(name="any", data=(data,), features=("sim",), scaled=True)
    found = gather(training, Path())
    return on_scale(found, training, np.zeros(len(found), dtype=bool))


def mean_pearson(scores: Array, examples: Examples) -> float:
    """Over the pairs of languages."""
    pairs = np.array([row.extra["dataset"] for row in examples.rows])
    found = [np.corrcoef(scores[pairs == pair], examples.targets[pairs == pair])[0, 1] for pair in set(pairs)]
    return float(np.mean(found))


def ablation(folder: Path, cache: Path) -> None:
    """Predictions as they are: calibration needs each output's features against itself."""
    learnt, tested = examples_of(folder, LEARNT), examples_of(folder, TESTED)
    print("| features | " + " | ".join(f"{name}, held out | {name}, WMT17" for name in LEARNERS) + " |")
    print("|---|" + "--:|" * (2 * len(LEARNERS)))
    for title, specs in GROUPS.items():
        metrics = [parse(spec) for spec in specs]
        known, new = (
            table(part, metrics, cache, lambda what, done, total: None) for part in (learnt, tested)
        )
        cells = []
        for learner in LEARNERS.values():
            found = np.array([_fitted(learner, learnt, known, new, tested, seed) for seed in SEEDS])
            cells += [
                f"{mean:.4f} ± {spread:.4f}" for mean, spread in zip(found.mean(0), found.std(0), strict=True)
            ]
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


def _fitted(
    learner: Fits, learnt: Examples, known: Array, new: Array, tested: Examples, seed: int
) -> tuple[float, float]:
    held = held_out(learnt, Split(), seed)
    scale = Scale.of(known[~held])

    def part(chosen: NDArray[np.bool_]) -> Table:
        some = learnt.only(np.flatnonzero(chosen))
        return Table(scale(known[chosen]), some.targets, some.items, some.pairs)

    fitted = learner.fit(part(~held), part(held), seed=seed, report=lambda figures: None)
    spared = learnt.only(np.flatnonzero(held))
    return (
        mean_pearson(fitted.predict(scale(known[held])), spared),
        mean_pearson(fitted.predict(scale(new)), tested),
    )


def scored(rows: Sequence[dict[str, Any]], cache: Path) -> list[dict[str, Any]]:
    """The rows with the scores of every metric beside them, as `meta` reads stored scores."""
    hypotheses = [row["hypothesis"] for row in rows]
    references = [row["references"] for row in rows]
    found = {name: _scores(parse(spec), hypotheses, references, cache) for name, spec in METRICS.items()}
    return [
        {**row, "metrics": {name: float(values[place]) for name, values in found.items()}}
        for place, row in enumerate(rows)
    ]


def _scores(metric: Metric, hypotheses: list[str], references: list[list[str]], cache: Path) -> Array:
    said = json.dumps([metric.full(), metric.model_fact, hypotheses, references])
    path = cache / f"scores-{sha256(said.encode()).hexdigest()[:24]}.npy"
    if not path.is_file():
        print(f"scoring {metric}", file=sys.stderr, flush=True)
        np.save(path, metric.segments(hypotheses, references))
    known: Array = np.load(path)
    return known


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a file of judged outputs, with their escapes undone."""
    with gzip.open(folder / name, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        row["hypothesis"] = html.unescape(row["hypothesis"])
        row["references"] = [html.unescape(text) for text in row["references"]]
    return rows


def meta(rows: Sequence[dict[str, Any]], options: str, cache: Path) -> dict[str, dict[str, Any]]:
    """What `nlgauge meta` says of the stored scores, by metric; clusters by PERM-BOTH."""
    path = cache / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = io.StringIO()
    given = ["--draws", "1000", "--test", "perm-both", "--trials", "1000", "--json", "--quiet"]
    with contextlib.redirect_stdout(out):
        code = nlgauge(["meta", str(path), "-m", "@*", *options.split(), *given])
    if code:
        raise SystemExit(f"{options}: exit code {code}")
    return {found["metric"].lstrip("@"): found for found in json.loads(out.getvalue())["correlations"]}


def figures(titles: dict[str, dict[str, dict[str, Any]]]) -> None:
    """A table of metrics by pairs: value, interval and cluster, and the mean of the values."""
    print("| metric | " + " | ".join(titles) + " | mean |")
    print("|---|" + "--:|" * (len(titles) + 1))
    for name in METRICS:
        cells = [found[name] for found in titles.values()]
        said = [
            f"{cell['value']:.3f} ({cell['low']:.3f} to {cell['high']:.3f}) {cell['cluster']}"
            for cell in cells
        ]
        said.append(f"**{np.mean([cell['value'] for cell in cells]):.4f}**")
        print(f"| {name} | " + " | ".join(said) + " |")


def pairs(folder: Path, cache: Path) -> None:
    """WMT17 into English, with escapes undone."""
    rows = [row for row in rows_of(folder, TESTED) if row["dataset"].endswith("-en")]
    known = scored(rows, cache)
    figures(
        {
            name.rpartition("/")[2]: meta(
                [row for row in known if row["dataset"] == name], "--human da_z", cache
            )
            for name in sorted({row["dataset"] for row in rows})
        }
    )


if __name__ == "__main__":
    tables = {"ablation": ablation, "pairs": pairs}
    if len(sys.argv) != 4 or sys.argv[1] not in tables:
        raise SystemExit(__doc__)
    tables[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
