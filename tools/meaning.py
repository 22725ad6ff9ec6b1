"""The part "Meaning" of docs/reproductions.md: metrics on the embedded models beside judgements, by one command.

    python tools/meaning.py DATA_FOLDER             every set; vectors are kept in the embedding cache
    python tools/meaning.py DATA_FOLDER wmt17       one set; the others stay as the page has them

A metric is a line in `METRICS`. One that this version does not have, or whose model is not installed, is left out of
the table, and a line under it says so. Figures obtained are kept beside the page (docs/reproductions-meaning.json), so
that a set can be computed again by itself.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.cli import main as nlgauge
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reproductions.md"
KEPT = PAGE.with_name("reproductions-meaning.json")
MARK, END = "<!-- meaning: written by tools/meaning.py -->\n", "<!-- end of meaning -->\n"
DRAWS, SEED = 1_000, 12345
# What stands in the table, and the spec behind it.
METRICS = {
    "BLEU (sentences)": "sentbleu",
    "chrF": "chrf",
    "METEOR 1.5": "meteor-universal(lower=yes)",
    "sentence cosine": "sim",
    "BERTScore, layer 4": "bertscore",
    "BERTScore, layer 6": "bertscore(layer=6)",
    "BERTScore, layer 4, idf": "bertscore(idf=yes)",
    "BERTScore, 8 bits, layer 6": "bertscore(model=minilm-int8,layer=6)",
    "BERTr": "bertr",
    "MoverScore": "moverscore",
    "MoverScore, pairs of words": "moverscore@2",
    "softmatch": "softmatch",
    "YiSi-1": "yisi1",
    "WMD": "wmd",
    "WMD_O": "wmdo",
    "WE_WPI": "wewpi",
    "Greedy matching": "greedy",
    "Embedding average": "average",
    "Vector extrema": "extrema",
    "MEANT 2.0": "meant2",
    "SPICE": "spice",
}
SETS = {
    "wmt17": "WMT17, segment Pearson, mean over 7 to-English pairs",
    "bagel": "BAGEL, Spearman with informativeness",
    "summeval": "SummEval, Spearman within documents, mean of 4 criteria",
    "flickr": "Flickr8k-Expert, Kendall's τ_c",
    "kk-en": "WMT19 kk-en, DARR",
}
# Larger networks, from the record of published figures.
PUBLISHED = {
    "published BERTScore": {"wmt17": "0.701 (5 pairs)", "bagel": "0.289", "kk-en": "0.351"},
    "published MoverScore": {"wmt17": "0.724 (5 pairs)", "bagel": "0.284"},
}
COMMANDS = {
    "bagel": "bartscore_d2t.jsonl.gz --where dataset=bartscore-d2t/BAGEL --human informativeness --statistic spearman",
    "summeval": "summeval_bartscore.jsonl.gz --per-reference mean --statistic spearman --average item",
    "flickr": "flickr8k_expert.jsonl.gz --where candidate_is_reference=false --judgements each --statistic kendall-c",
    "kk-en": "wmt19_darr_kk-en_segments.jsonl.gz --pairs wmt19_darr_kk-en_pairs.jsonl.gz --score-digits 12",
}
Figure = dict[str, float]


def missing(spec: str) -> str:
    """Why a metric cannot be computed here; empty where it can."""
    try:
        parse(spec).segments(["a cat"], [["a cat sat"]])
    except InputError as error:
        return str(error).partition(";")[0]
    return ""


def wmt17(folder: Path, spec: str) -> Figure:
    """The mean of the pairs' correlations; the bootstrap draws segments within each pair."""
    with gzip.open(folder / "wmt17_daseg.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    scores = parse(spec).segments([row["hypothesis"] for row in rows], [row["references"] for row in rows])
    human = np.array([np.mean(row["ratings"]["da_z"]) for row in rows])
    pair = np.array([row["dataset"] for row in rows])
    groups = [np.flatnonzero(pair == name) for name in sorted(set(pair))]
    rng = np.random.default_rng(SEED)

    def mean(chosen: Iterable[Any]) -> float:
        return float(np.mean([np.corrcoef(scores[some], human[some])[0, 1] for some in chosen]))

    draws = [mean(rng.choice(some, size=len(some)) for some in groups) for _ in range(DRAWS)]
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"value": mean(groups), "low": float(low), "high": float(high)}


def by_command(folder: Path, name: str, spec: str) -> Figure:
    """The mean over the criteria of what `nlgauge meta` gives; the interval where there is one criterion."""
    words = [str(folder / word) if word.endswith(".gz") else word for word in COMMANDS[name].split()]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        given = ["--draws", str(DRAWS), "--test", "none", "--json", "--quiet"]
        code = nlgauge(["meta", *words, "-m", spec, *given])
    if code:
        raise SystemExit(f"{name}, {spec}: exit code {code}")
    found = json.loads(out.getvalue())["correlations"]
    figure = {"value": float(np.mean([one["value"] for one in found]))}
    if len(found) == 1 and found[0].get("low") is not None:
        figure |= {"low": found[0]["low"], "high": found[0]["high"]}
    return figure


def compute(folder: Path, names: Iterable[str]) -> dict[str, dict[str, Figure]]:
    """Figures by metric and set, those kept included; written after each, so that nothing is computed twice."""
    kept: dict[str, dict[str, Figure]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for spec in METRICS.values():
        if missing(spec):
            print(f"left out: {spec}: {missing(spec)}", file=sys.stderr)
            continue
        for name in names:
            figure = wmt17(folder, spec) if name == "wmt17" else by_command(folder, name, spec)
            kept.setdefault(spec, {})[name] = {key: round(value, 4) for key, value in figure.items()}
            print(spec, name, kept[spec][name], flush=True)
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return kept


def cell(figure: Figure | None) -> str:
    """A figure with its interval."""
    if figure is None:
        return ""
    if "low" not in figure:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} ({figure['low']:.3f} to {figure['high']:.3f})"


def table(found: dict[str, dict[str, Figure]]) -> str:
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


def write(found: dict[str, dict[str, Figure]]) -> None:
    """Put the table between its marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, mark, rest = page.partition(MARK)
    if not mark:
        raise SystemExit(f"{PAGE} has no line {MARK.strip()}")
    PAGE.write_text(
        before + MARK + "\n" + table(found) + "\n" + END + rest.partition(END)[2], encoding="utf-8"
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    asked = sys.argv[2:] or list(SETS)
    if set(asked) - set(SETS):
        raise SystemExit(f"sets are {', '.join(SETS)}; got {', '.join(asked)}")
    write(compute(Path(sys.argv[1]), asked))
