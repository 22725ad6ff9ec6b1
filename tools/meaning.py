"""The part "Meaning" of docs/reproductions.md: metrics on the embedded models beside judgements, by one command.

    python tools/meaning.py DATA_FOLDER             every set; vectors are kept in the embedding cache
    python tools/meaning.py DATA_FOLDER wmt17       one set; the others stay as the page has them
    python tools/meaning.py DATA_FOLDER --again     figures that are kept are computed again

A metric is a line in `METRICS`. One that this version does not have, or whose model is not installed, is left out of
the table. Figures obtained are kept beside the page (docs/reproductions-meaning.json) with the metric's settings and
models, so that a run that was interrupted goes on where it stopped and a changed default is computed again. Two runs
on different sets may go side by side.
"""

from __future__ import annotations

import contextlib
import gzip
import html
import io
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.cli import main as nlgauge
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse

Array = NDArray[np.float64]
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reproductions.md"
KEPT = PAGE.with_name("reproductions-meaning.json")
MARK, END = "<!-- meaning: written by tools/meaning.py -->\n", "<!-- end of meaning -->\n"
DRAWS, SEED = 1_000, 12345
# What stands in the table, and the spec behind it.
METRICS = {
    "BLEU (sentences)": "sentbleu",
    "ROUGE-L": "rougeL",
    "chrF": "chrf",
    "METEOR 1.5": "meteor-universal(lower=yes)",
    "CIDEr-D": "ciderD",
    "sentence cosine": "sim",
    "BERTScore": "bertscore",
    "BERTScore, idf": "bertscore(idf=yes)",
    "BERTScore, layer 6": "bertscore(layer=6)",
    "BERTScore, 8 bits": "bertscore(model=minilm-int8)",
    "BERTr": "bertr",
    "YiSi-1": "yisi1",
    "MoverScore": "moverscore",
    "MoverScore, pairs of words": "moverscore@2",
    "softmatch": "softmatch",
    "Greedy matching": "greedy",
    "Embedding average": "average",
    "Vector extrema": "extrema",
    "WMD": "wmd",
    "WMD_O": "wmdo",
    "Sentence mover's similarity": "sms",
    "WE_WPI": "wewpi",
    "MEANT": "meant",
    "MEANT 2.0": "meant2",
    "SPICE": "spice",
    "SPIDEr": "spider",
}
WMT17_5, WMT17_FILE = "wmt17-5", "wmt17-file"
SETS = {
    "wmt17": "WMT17, segment Pearson, mean over 7 to-English pairs",
    WMT17_5: "the same, the 5 pairs of the published tables",
    WMT17_FILE: "7 pairs, the file as it lies",
    "bagel": "BAGEL, Spearman with informativeness",
    "summeval": "SummEval, Spearman within documents, mean of 4 criteria",
    "flickr": "Flickr8k-Expert, Kendall's τ_c",
    "kk-en": "WMT19 kk-en, DARR",
}
FIVE = ("cs-en", "de-en", "ru-en", "tr-en", "zh-en")
# Metrics of captions weigh against all captions of a set, or read scenes: they are no metrics of news.
ONLY = {"ciderD": ("flickr",), "spice": ("flickr",), "spider": ("flickr",)}
# Larger networks, from the record of published figures.
PUBLISHED = {
    "published BERTScore": {WMT17_5: "0.701", "bagel": "0.289", "kk-en": "0.351"},
    "published MoverScore": {WMT17_5: "0.724", "bagel": "0.284"},
    "SPICE, as remembered, not verified against the paper": {"flickr": "0.449"},
}
COMMANDS = {
    "bagel": "bartscore_d2t.jsonl.gz --where dataset=bartscore-d2t/BAGEL --human informativeness --statistic spearman",
    "flickr": "flickr8k_expert.jsonl.gz --where candidate_is_reference=false --judgements each --statistic kendall-c",
    "kk-en": "wmt19_darr_kk-en_segments.jsonl.gz --pairs wmt19_darr_kk-en_pairs.jsonl.gz --score-digits 12",
}
FILES = {
    "wmt17": "wmt17_daseg.jsonl.gz",
    WMT17_FILE: "wmt17_daseg.jsonl.gz",
    "bagel": "bartscore_d2t.jsonl.gz",
    "summeval": "summeval_bartscore.jsonl.gz",
    "flickr": "flickr8k_expert.jsonl.gz",
    "kk-en": "wmt19_darr_kk-en_segments.jsonl.gz",
}
STEP = 512  # texts whose every layer is in memory at once
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
Figure = dict[str, float]
Kept = dict[str, dict[str, dict[str, Any]]]


def missing(spec: str) -> str:
    """Why a metric cannot be computed here; empty where it can."""
    try:
        parse(spec).segments(["a cat"], [["a cat sat"]])
    except InputError as error:
        return str(error).partition(";")[0]
    return ""


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a file of judged outputs."""
    with gzip.open(folder / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def scores_of(spec: str, hypotheses: list[str], references: list[list[str]]) -> Array:
    """A score for each segment, higher where it is better."""
    metric = parse(spec)
    scores: Array = metric.segments(hypotheses, references)
    return scores if metric.direction == "higher" else -scores


def wmt17(folder: Path, spec: str, *, as_it_lies: bool = False) -> dict[str, Figure]:
    """The mean of the pairs' correlations, of all and of five; the bootstrap draws segments within each pair.

    A third of the file's rows have the escapes of Moses's tokeniser (`&quot;`), which no judge saw; they are undone,
    unless the file is asked for as it lies.
    """
    rows = rows_of(folder, FILES["wmt17"])
    read = str if as_it_lies else html.unescape
    scores = scores_of(
        spec, [read(row["hypothesis"]) for row in rows], [[*map(read, row["references"])] for row in rows]
    )
    human = np.array([np.mean(row["ratings"]["da_z"]) for row in rows])
    pair = np.array([row["dataset"].rpartition("/")[2] for row in rows])
    names = sorted(set(pair.tolist()))
    groups = [np.flatnonzero(pair == name) for name in names]
    five = np.array([name in FIVE for name in names])
    rng = np.random.default_rng(SEED)

    def each(chosen: Iterable[Any]) -> list[float]:
        return [float(np.corrcoef(scores[some], human[some])[0, 1]) for some in chosen]

    found = np.array(each(groups))
    draws = np.array([each(rng.choice(some, size=len(some)) for some in groups) for _ in range(DRAWS)])
    total = with_interval(float(found.mean()), draws.mean(axis=1))
    if as_it_lies:
        return {WMT17_FILE: total}
    return {
        "wmt17": total,
        WMT17_5: with_interval(float(found[five].mean()), draws[:, five].mean(axis=1)),
    }


def with_interval(value: float, draws: Array) -> Figure:
    """A figure with the middle 95 % of its draws."""
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"value": value, "low": float(low), "high": float(high)}


def summeval(folder: Path, spec: str) -> Figure:
    """Spearman over a document's systems, whose score is the mean of the references'; mean of documents and criteria.

    The bootstrap draws documents. A document whose scores are all equal has no correlation and is left out, as in
    `nlgauge meta --average item`.
    """
    from scipy.stats import spearmanr

    rows = rows_of(folder, FILES["summeval"])
    pairs = [(row["hypothesis"], [one]) for row in rows for one in row["references"]]
    scores = scores_of(spec, [one for one, _ in pairs], [one for _, one in pairs])
    starts = np.cumsum([0, *(len(row["references"]) for row in rows)])
    means = np.add.reduceat(scores, starts[:-1]) / np.diff(starts)
    document = np.array([row["item"] for row in rows])
    human = np.array([[np.mean(row["ratings"][name]) for name in CRITERIA] for row in rows])
    found = []
    for name in sorted(set(document.tolist())):
        some = np.flatnonzero(document == name)
        found.append([_or_none(spearmanr, means[some], human[some, k]) for k in range(len(CRITERIA))])
    table = np.array(found)
    rng = np.random.default_rng(SEED)
    draws = rng.integers(0, len(table), size=(DRAWS, len(table)))
    return with_interval(float(np.nanmean(table, axis=0).mean()), np.nanmean(table[draws], axis=1).mean(axis=1))


def _or_none(statistic: Any, scores: Array, human: Array) -> float:
    if np.ptp(scores) == 0 or np.ptp(human) == 0:
        return float("nan")
    return float(statistic(scores, human).statistic)


def by_command(folder: Path, name: str, spec: str) -> Figure:
    """What `nlgauge meta` gives for the one criterion of a set."""
    words = [str(folder / word) if word.endswith(".gz") else word for word in COMMANDS[name].split()]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        given = ["--draws", str(DRAWS), "--test", "none", "--json", "--quiet"]
        code = nlgauge(["meta", *words, "-m", spec, *given])
    if code:
        raise SystemExit(f"{name}, {spec}: exit code {code}")
    (found,) = json.loads(out.getvalue())["correlations"]
    if parse(spec).direction == "lower" and name != "kk-en":  # what is counted in pairs knows which way is better
        return {"value": -found["value"], "low": -found["high"], "high": -found["low"]}
    return {key: found[key] for key in ("value", "low", "high")}


def kept() -> Kept:
    """The figures so far, by spec and set."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def keep(spec: str, of: str, figures: dict[str, Figure]) -> None:
    """Put figures beside those that are there, which another run may have written meanwhile."""
    found = kept()
    for name, figure in figures.items():
        found.setdefault(spec, {})[name] = {
            **{key: round(value, 4) for key, value in figure.items()},
            "of": of,
        }
    partial = KEPT.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    partial.replace(KEPT)


def encode(folder: Path, name: str) -> None:
    """Put the vectors of a set's texts from every layer into the embedding cache, in one run of the network.

    Metrics ask for different layers; without this each would run the network anew.
    """
    encoder = models.contextual("minilm", purpose="BERTScore")
    read = html.unescape if name == "wmt17" else str
    rows = rows_of(folder, FILES[name])
    some = [read(text).strip() for row in rows for text in (row["hypothesis"], *row["references"])]
    texts = list(dict.fromkeys(some))
    for start in range(0, len(texts), STEP):
        encoder.encode_several(texts[start : start + STEP], encoder.layers[1:])
        print(f"{name}: {min(start + STEP, len(texts)):,} of {len(texts):,} texts", file=sys.stderr, flush=True)


def compute(folder: Path, names: Iterable[str], *, again: bool = False) -> None:
    """Every metric's figures on these sets that are not kept; written after each: nothing is computed twice."""
    encoded: set[str] = set()
    for name in names:
        for spec in METRICS.values():
            if name not in ONLY.get(spec, SETS):
                continue
            if missing(spec):
                print(f"left out: {spec}: {missing(spec)}", file=sys.stderr)
                continue
            metric = parse(spec)
            of = " ".join(part for part in (metric.full(), metric.model_fact) if part)
            if not again and kept().get(spec, {}).get(name, {}).get("of") == of:
                continue
            start = time.monotonic()
            if ("contextual", "minilm") in metric.models and name not in encoded:
                encode(folder, name)
                encoded.add(name)
            if name == "wmt17":
                figures = wmt17(folder, spec)
            elif name == WMT17_FILE:
                figures = wmt17(folder, spec, as_it_lies=True)
            elif name == "summeval":
                figures = {name: summeval(folder, spec)}
            else:
                figures = {name: by_command(folder, name, spec)}
            keep(spec, of, figures)
            print(f"{spec} {name} {figures[name]} {time.monotonic() - start:.0f} s", flush=True)


def cell(figure: dict[str, Any] | None) -> str:
    """A figure with its interval."""
    if figure is None:
        return ""
    return f"{figure['value']:.3f} ({figure['low']:.3f} to {figure['high']:.3f})"


def table(found: Kept) -> str:
    """The section of the page."""
    lines = [
        "| metric | spec | " + " | ".join(SETS.values()) + " |",
        "|---|---|" + "--:|" * len(SETS),
    ]
    for title, spec in METRICS.items():
        if spec in found:
            cells = " | ".join(cell(found[spec].get(name)) for name in SETS)
            lines.append(f"| {title} | `{spec}` | {cells} |")
    for title, figures in PUBLISHED.items():
        lines.append(f"| {title} | | " + " | ".join(figures.get(name, "") for name in SETS) + " |")
    return "\n".join(lines) + "\n"


def write(found: Kept) -> None:
    """Put the table between its marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, mark, rest = page.partition(MARK)
    if not mark:
        raise SystemExit(f"{PAGE} has no line {MARK.strip()}")
    PAGE.write_text(before + MARK + "\n" + table(found) + "\n" + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--again"]
    if not given:
        raise SystemExit(__doc__)
    computed = [name for name in SETS if name != WMT17_5]
    asked = given[1:] or computed
    if set(asked) - set(computed):
        raise SystemExit(f"sets are {', '.join(computed)}; got {', '.join(asked)}")
    compute(Path(given[0]), asked, again="--again" in sys.argv)
    write(kept())
