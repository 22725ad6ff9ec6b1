"""The tables of docs/nubia.md, each printed as Markdown: python tools/nubia_tables.py TABLE DATA_FOLDER CACHE.

    ablation    what each group of NUBIA's features gives, with a linear function and a network, three seeds
    surprise    writes CACHE/surprise.jsonl.gz, from which the heads of `reading` for surprise are learnt
    pairs       metrics on each pair of languages of WMT17, with intervals and significance clusters: those that come
                with nlgauge, and trained ones given as further arguments (BLEND=FOLDER)

CACHE keeps features and scores, so that a table is made again without reading a text twice.
"""

from __future__ import annotations

import contextlib
import gzip
import html
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.cli import main as nlgauge
from nlgauge.errors import NlgaugeError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.featured import Featured
from nlgauge.learned.learners import Scale
from nlgauge.learned.trained import Learnt
from nlgauge.meta.observations import Observation
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.receipt import read_by
from nlgauge.training.config import Data, Split
from nlgauge.training.examples import Examples, gather
from nlgauge.training.featured import FeatureTraining, table
from nlgauge.training.learners import Fits, Net, Ridge, Table
from nlgauge.training.split import held_out, on_scale

Array = NDArray[np.float64]
SEEDS = (1, 2, 3)
LEARNT, TESTED = "wmt15_16_daseg.jsonl.gz", "wmt17_daseg.jsonl.gz"
COSINE = ("sim(model=minilm-int8)",)
STS = ("sts",)
INFERENCE = ("entailment", "entailment(output=neutral)", "entailment(output=contradiction)")
INTELLIGIBILITY = ("perplexity(output=surprise)", "perplexity(output=refsurprise)")
PERPLEXITY = ("perplexity", "perplexity(output=reftoken)")
LENGTH = ("length", "length(of=reference)")
SOFT = ("softmatch(idf=no,model=minilm-int8)",)
ONE_PASS = tuple(
    f"reading(output={name})"
    for name in ("similarity", "entailment", "neutral", "contradiction", "surprise", "refsurprise")
)
GROUPS = {
    "SS": STS,
    "LI": INFERENCE,
    "SI": INTELLIGIBILITY,
    "SS + LI": STS + INFERENCE,
    "SS + SI": STS + INTELLIGIBILITY,
    "LI + SI": INFERENCE + INTELLIGIBILITY,
    "SS + LI + SI (6DIM)": STS + INFERENCE + INTELLIGIBILITY,
    "6DIM and lengths (8DIM)": STS + INFERENCE + INTELLIGIBILITY + LENGTH,
    "8DIM, perplexity itself": STS + INFERENCE + PERPLEXITY + LENGTH,
    "SS by sentence cosine": COSINE,
    "8DIM by sentence cosine": COSINE + INFERENCE + INTELLIGIBILITY + LENGTH,
    "SS by softmatch": SOFT,
    "8DIM by softmatch": SOFT + INFERENCE + INTELLIGIBILITY + LENGTH,
    "8DIM by softmatch and STS-B": SOFT + STS + INFERENCE + INTELLIGIBILITY + LENGTH,
    "8DIM by softmatch and sentence cosine": SOFT + COSINE + INFERENCE + INTELLIGIBILITY + LENGTH,
    "the same and acceptability (nubia)": SOFT + COSINE + INFERENCE + INTELLIGIBILITY + LENGTH + ("slor",),
    "8DIM by softmatch, cosine, and coherence": SOFT + COSINE + INFERENCE + INTELLIGIBILITY + LENGTH + ("coherence",),
    "BERTScore, sentence cosine, lengths (nubia-light)": ("bertscore(model=minilm-int8)", *COSINE, *LENGTH),
    "one pass of the reader, lengths, chrF (nubia-one-pass)": (*ONE_PASS, *LENGTH, "chrf"),
    "one pass and lengths": (*ONE_PASS, *LENGTH),
    "one pass without lengths": ONE_PASS,
    "one pass: similarity alone": ("reading",),
}
LEARNERS: dict[str, Fits] = {"LREG": Ridge(), "NN": Net()}
METRICS = {
    "NUBIA": "nubia",
    "NUBIA-8DIM-NN": "nubia(model=nubia-8dim-nn)",
    "NUBIA-8DIM-LREG": "nubia(model=nubia-8dim-lreg)",
    "NUBIA-6DIM-NN": "nubia(model=nubia-6dim-nn)",
    "NUBIA-6DIM-LREG": "nubia(model=nubia-6dim-lreg)",
    "NUBIA, light": "nubia(model=nubia-light)",
    "NUBIA, one pass": "nubia(model=nubia-one-pass)",
    "nlgauge-mt": "nlgauge-mt",
    "BLEU": "sentbleu",
    "METEOR": "meteor(tok=13a)",
    "BERTScore": "bertscore",
    "similarity of STS-B": "sts",
    "sentence cosine": "sim",
}


def examples_of(folder: Path, name: str) -> Examples:
    """The judged translations into English, with their escapes undone."""
    data = Data(path=str(folder / name), human="da_z", where={"dataset": "*-en"}, unescape=True)
    training = FeatureTraining(name="any", data=(data,), features=("sim",), scaled=True)
    found = gather(training, Path())
    return on_scale(found, training, np.zeros(len(found), dtype=bool))


def surprise(folder: Path, cache: Path) -> None:
    """Sentences of WMT15, WMT16 and STS-B (train and dev) in pairs, rated by the trigrams' surprise at either."""
    learnt = examples_of(folder, LEARNT)
    pairs = {(row.references[0], row.text or ""): "wmt15-16" for row in learnt.rows}
    with gzip.open(folder / "stsb.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row["split"] != "test":
                pairs.setdefault((row["references"][0], row["hypothesis"]), "stsb")
    outputs, references = [output for _, output in pairs], [[reference] for reference, _ in pairs]
    told = {
        name: parse(f"perplexity(output={name})").segments(outputs, references) for name in ("surprise", "refsurprise")
    }
    with gzip.open(cache / "surprise.jsonl.gz", "wt", encoding="utf-8") as file:
        for place, ((reference, output), origin) in enumerate(pairs.items()):
            row = {"item": str(place), "system": origin, "hypothesis": output, "references": [reference]}
            row["ratings"] = {name: round(float(values[place]), 6) for name, values in told.items()}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


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
        known, new = (table(part, metrics, cache, silent) for part in (learnt, tested))
        cells = []
        for learner in LEARNERS.values():
            found = np.array([_fitted(learner, learnt, known, new, tested, seed) for seed in SEEDS])
            cells += [f"{mean:.4f} ± {spread:.4f}" for mean, spread in zip(found.mean(0), found.std(0), strict=True)]
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


def silent(what: str, done: int, total: int) -> None:
    """No progress is shown."""


def refuse_missing(metrics: Mapping[str, str]) -> None:
    """Refuse to begin where a model or a table of one of the metrics, such as METEOR's, is not on this machine."""
    for name, spec in metrics.items():
        try:
            read_by([parse(spec)])
        except NlgaugeError as error:
            raise SystemExit(f"the row of {name} cannot be made: {error}") from None


def scored(metric: Metric, rows: Sequence[dict[str, Any]], cache: Path) -> Array:
    """The scores of the rows, kept."""
    hypotheses = [row["hypothesis"] for row in rows]
    references = [row["references"] for row in rows]
    said = json.dumps([metric.full(), metric.model_fact, hypotheses, references])
    path = cache / f"scores-{sha256(said.encode()).hexdigest()[:24]}.npy"
    if not path.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        print(f"scoring {metric}", file=sys.stderr, flush=True)
        np.save(path, metric.segments(hypotheses, references))
    known: Array = np.load(path)
    return known


@dataclass(frozen=True, eq=False)
class Kept(Featured):
    """Features kept on the disk: trained metrics that share one read no text twice."""

    cache: Path = Path()

    def predict(self, batch: Batch) -> Array:
        texts = zip(batch.hypotheses, batch.references, strict=True)
        rows = [
            Observation(str(place), "", output, tuple(references), None, {}, {})
            for place, (output, references) in enumerate(texts)
        ]
        examples = Examples(tuple(rows), np.zeros(len(rows)), ("",) * len(rows))
        return self.of_values(table(examples, self.features, self.cache, silent))


def keeping(metric: Metric, cache: Path) -> Metric:
    """A trained metric over features as one that keeps these, and the features that are such metrics too."""
    if not isinstance(metric, Learnt) or not isinstance(metric.learnt, Featured):
        return metric
    form = metric.learnt
    features = tuple(keeping(feature, cache) for feature in form.features)
    return replace(metric, form=Kept(features, form.scale, form.learner, cache=cache))


def unescaped(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its escapes undone."""
    texts = [html.unescape(text) for text in row["references"]]
    return {**row, "hypothesis": html.unescape(row["hypothesis"]), "references": texts}


def meta(rows: Sequence[dict[str, Any]], options: str, cache: Path) -> dict[str, dict[str, Any]]:
    """What `nlgauge meta` says of the stored scores, by metric; clusters by PERM-BOTH."""
    path = cache / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = io.StringIO()
    given = ["--draws", "1000", "--test", "perm-both", "--trials", "5000", "--json", "--quiet"]
    with contextlib.redirect_stdout(out):
        code = nlgauge(["meta", str(path), "-m", "@*", *options.split(), *given])
    if code:
        raise SystemExit(f"{options}: exit code {code}")
    return {found["metric"].lstrip("@"): found for found in json.loads(out.getvalue())["correlations"]}


def pairs(folder: Path, cache: Path, trained: dict[str, str]) -> None:
    """WMT17 into English, escapes undone: values, intervals, clusters, their mean, and that as the file lies."""
    with gzip.open(folder / TESTED, "rt", encoding="utf-8") as file:
        lying = [row for row in map(json.loads, file) if row["dataset"].endswith("-en")]
    rows = [unescaped(row) for row in lying]
    changed = [place for place, row in enumerate(rows) if row != lying[place]]
    named = {**METRICS, **{name: f"trained(model={path})" for name, path in trained.items()}}
    refuse_missing(named)
    found, raw = {}, {}
    for name, spec in named.items():
        metric = keeping(parse(spec), cache / "features")
        assert not metric.needs_prepare, f"{metric} reads all texts: some rows cannot be scored by themselves"
        found[name] = scored(metric, rows, cache)
        raw[name] = found[name].copy()
        raw[name][changed] = scored(metric, [lying[place] for place in changed], cache)
    groups = {
        name: [place for place, row in enumerate(rows) if row["dataset"] == name]
        for name in sorted({row["dataset"] for row in rows})
    }
    told = {
        name: meta(
            [
                {**rows[place], "metrics": {each: float(values[place]) for each, values in found.items()}}
                for place in places
            ],
            "--human da_z",
            cache,
        )
        for name, places in groups.items()
    }
    human = np.array([row["ratings"]["da_z"][0] for row in rows])
    print("| metric | " + " | ".join(name.rpartition("/")[2] for name in told) + " | mean | as the file lies |")
    print("|---|" + "--:|" * (len(told) + 2))
    for name in named:
        cells = [part[name] for part in told.values()]
        said = [f"{cell['value']:.3f} ({cell['low']:.3f} to {cell['high']:.3f}) {cell['cluster']}" for cell in cells]
        said.append(f"**{np.mean([cell['value'] for cell in cells]):.4f}**")
        lies = [np.corrcoef(raw[name][places], human[places])[0, 1] for places in groups.values()]
        print(f"| {name} | " + " | ".join([*said, f"{np.mean(lies):.4f}"]) + " |")


if __name__ == "__main__":
    tables = {"ablation": ablation, "surprise": surprise}
    if len(sys.argv) < 4 or sys.argv[1] not in (*tables, "pairs"):
        raise SystemExit(__doc__)
    data, kept = map(Path, sys.argv[2:4])
    if sys.argv[1] == "pairs":
        pairs(data, kept, dict(given.split("=", 1) for given in sys.argv[4:]))
    else:
        tables[sys.argv[1]](data, kept)
