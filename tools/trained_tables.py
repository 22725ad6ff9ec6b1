"""The tables of docs/trained-results.md, printed as Markdown: python tools/trained_tables.py TABLE DATA_FOLDER CACHE

    wmt19       NUBIA and BLEND, trained on WMT15 to WMT17, and other metrics on the better and worse translations of
                WMT19
    flickr8k    captions of photographs
    d2t         texts generated from dialogue acts: BAGEL, SFHOTEL and SFREST
    webnlg      texts generated from triples
    summeval    summaries of news

wmt19-fifth, flickr8k-fifth, webnlg-fifth and summeval-fifth are of every fifth item, and take a fifth of the time.
CACHE keeps trained metrics, features and scores, so that a table is made again without reading a text twice.
"""

from __future__ import annotations

import gzip
import html
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from nubia_tables import LEARNT, TESTED, Array, keeping, refuse_missing, scored, unescaped

from nlgauge.meta.evaluate import meta_evaluate
from nlgauge.meta.measures import Stored
from nlgauge.meta.observations import Observation, Observations, observe, with_pairs
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.stats import holm
from nlgauge.training.config import Training
from nlgauge.training.examples import text_digest
from nlgauge.training.run import RECIPES, read_config, train
from nlgauge.wording.numbers import ALPHA

Rows = list[dict[str, Any]]
RANKED = ("kk-en", "gu-en")
AGAIN = {
    "NUBIA": "nubia",
    "NUBIA-8DIM-NN": "nubia-8dim-nn",
    "NUBIA-8DIM-LREG": "nubia-8dim-lreg",
    "BLEND": "blend",
}
TRAINED = {"NUBIA": "nubia", "NUBIA-8DIM-NN": "nubia(model=nubia-8dim-nn)", "nlgauge-mt": "nlgauge-mt"}
OTHERS = {
    "BLEU": "sentbleu",
    "METEOR": "meteor-universal(lower=yes)",
    "chrF": "chrf",
    "BERTScore": "bertscore",
    "BERTScore, 8 bits": "bertscore(model=minilm-int8)",
    "softmatch": "softmatch",
    "sentence cosine": "sim",
}


@dataclass(frozen=True)
class Column:
    """What one column of a table correlates: outputs with their stored scores, a criterion, how."""

    title: str
    data: Observations
    human: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> float:
        """A metric's figure."""
        found = meta_evaluate(self.data, Stored(name), self.human, draws=0, test="none", **self.options)
        return found.correlations[0].value

    def p(self, first: str, second: str) -> float:
        """Of the difference of two metrics, by the mean of an output's ratings: PERM-BOTH; of pairs, over items."""
        pair = [Stored(first), Stored(second)]
        options = {"draws": 0, "test": "perm-both", "trials": 1000, **self.options, "judgements": "mean"}
        return meta_evaluate(self.data, pair, self.human, **options).tests[0].p


def plain_digest(references: Sequence[str]) -> str:
    """What an output is compared with, whatever its tokens, case and escapes."""
    texts = ["".join(filter(str.isalnum, html.unescape(text).casefold())) for text in references]
    return text_digest(Observation("", "", "", tuple(texts), None, {}, {}))


def leaks(learnt: Sequence[dict[str, Any]], tested: Sequence[dict[str, Any]]) -> list[str]:
    """The items to be tested whose references were learnt from."""
    known = {plain_digest(row["references"]) for row in learnt}
    return [row["item"] for row in tested if plain_digest(row["references"]) in known]


def refuse_leaks(learnt: Sequence[dict[str, Any]], tested: Sequence[dict[str, Any]]) -> None:
    """A text that a metric learnt from says nothing of it when tested on."""
    found = leaks(learnt, tested)
    if found:
        raise SystemExit(f"{len(found):,} outputs have references that were learnt from, such as {found[0]}")


def trained_again(name: str, folder: Path, cache: Path) -> Path:
    """A shipped recipe, learnt from WMT15 to WMT17 into English."""
    target = cache / f"{name}-wmt15-17"
    if not target.is_dir():
        recipe = read_config(RECIPES / f"{name}.yaml")
        assert isinstance(recipe, Training)
        first = recipe.data[0]
        data = (first, replace(first, path=TESTED, name="wmt17"))
        train(replace(recipe, data=data), target, beside=folder, cache=cache / "features")
    return target


def ranked(folder: Path, cache: Path, *, every: int = 1) -> Iterator[Column]:
    """WMT19: which of two translations people found better by more than 25 points; some of the items, or all."""
    learnt = [row for name in (LEARNT, TESTED) for row in rows_of(folder, name)]
    metrics = {name: f"trained(model={trained_again(own, folder, cache)})" for name, own in AGAIN.items()}
    for pair in RANKED:
        rows = rows_of(folder, f"wmt19_darr_{pair}_segments.jsonl.gz")
        refuse_leaks(learnt, rows)
        known = with_scores(sample(rows, every), cache, {**TRAINED, **metrics, **OTHERS})
        judged = with_pairs(known, str(folder / f"wmt19_darr_{pair}_pairs.jsonl.gz"))
        yield Column(pair, judged, options={"digits": 12})


def captions(folder: Path, cache: Path, *, every: int = 1) -> Iterator[Column]:
    """Flickr8k-Expert, each of three judgements a point; captions that are among their references left out.

    STS-B, which nlgauge-mt and the similarity of NUBIA-8DIM-NN learnt from, has captions of some photographs.
    """
    rows = [row for row in rows_of(folder, "flickr8k_expert.jsonl.gz") if not row["candidate_is_reference"]]
    options = {"statistic": "kendall-c", "judgements": "each"}
    whole = transferred(sample(rows, every), cache)
    yield Column("all photographs", whole, ("expert",), options)
    learnt = [row for row in rows_of(folder, "stsb.jsonl.gz") if row["split"] != "test"]
    known = photographs_known(rows, learnt)
    rest = replace(whole, rows=tuple(row for row in whole.rows if row.item not in known))
    yield Column("those not in STS-B", rest, ("expert",), options)


def photographs_known(rows: Rows, learnt: Rows) -> set[str]:
    """The items of which any text, output or reference, was learnt from."""
    texts = {plain_digest([text]) for row in learnt for text in (row["hypothesis"], *row["references"])}
    return {
        row["item"]
        for row in rows
        if any(plain_digest([text]) in texts for text in (row["hypothesis"], *row["references"]))
    }


def acts(folder: Path, cache: Path) -> Iterator[Column]:
    """Novikova et al. (2017), by data set and criterion; texts with the case of their references."""
    rows = [{**row, "hypothesis": row["hypothesis_cased"]} for row in rows_of(folder, "novikova17_d2t.jsonl.gz")]
    for name in ("BAGEL", "SFHOT", "SFRES"):
        own = transferred([row for row in rows if row["dataset"].endswith(name)], cache)
        for criterion in ("informativeness", "naturalness", "quality"):
            yield Column(f"{name}, {criterion}", own, (criterion,), {"statistic": "spearman"})


def triples(folder: Path, cache: Path, *, every: int = 1) -> Iterator[Column]:
    """WebNLG 2017, nine systems; the references that were judged as a tenth are left out."""
    rows = [row for row in rows_of(folder, "webnlg17_human.jsonl.gz") if row["system"] != "webnlg"]
    own = transferred(sample(rows, every), cache)
    for statistic, short in (("pearson", "r"), ("spearman", "ρ")):
        for criterion in ("fluency", "grammar", "semantics"):
            yield Column(f"{criterion}, {short}", own, (criterion,), {"statistic": statistic})


def summaries(folder: Path, cache: Path, *, every: int = 1) -> Iterator[Column]:
    """SummEval, sixteen systems and eleven references; the mean of the correlations within documents."""
    rows = rows_of(folder, "summeval_bartscore.jsonl.gz")
    own = transferred(sample(rows, every), cache)
    for criterion in ("coherence", "consistency", "fluency", "relevance"):
        yield Column(criterion, own, (criterion,), {"statistic": "spearman", "average": "item"})


def sample(rows: Rows, every: int) -> Rows:
    """Every n-th item with all its rows."""
    items = set(list(dict.fromkeys(row["item"] for row in rows))[::every])
    return [row for row in rows if row["item"] in items]


def rows_of(folder: Path, name: str) -> Rows:
    """The rows of a file of judged outputs, with their escapes undone."""
    with gzip.open(folder / name, "rt", encoding="utf-8") as file:
        return [unescaped(json.loads(line)) for line in file]


def once_each(metric: Metric, rows: Rows, cache: Path) -> Array:
    """The scores of the rows, each output with its references scored once; words are weighed by all rows."""
    if metric.needs_prepare:
        return scored(metric, rows, cache)
    texts = [(row["hypothesis"], *row["references"]) for row in rows]
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    distinct = list(dict(zip(texts, rows, strict=True)).values())
    return scored(metric, distinct, cache)[[places[text] for text in texts]]


def with_scores(rows: Rows, cache: Path, metrics: Mapping[str, str]) -> Observations:
    """The rows with every metric's score as a stored one."""
    found = {name: once_each(keeping(parse(spec), cache / "features"), rows, cache) for name, spec in metrics.items()}
    return observe(
        [
            {**row, "metrics": {name: float(values[place]) for name, values in found.items()}}
            for place, row in enumerate(rows)
        ]
    )


def transferred(rows: Rows, cache: Path) -> Observations:
    """The rows with the scores of metrics that learnt nothing of their kind."""
    return with_scores(rows, cache, {**TRAINED, **OTHERS})


def show(columns: Sequence[Column], trained: Sequence[str]) -> None:
    """Metrics by columns. ▲ and ▼: a trained metric is better or worse than the best of the others."""
    cells: dict[str, list[str]] = {name: [] for name in (*trained, *OTHERS)}
    for column in columns:
        values = {name: column.value(name) for name in cells}
        best = max(OTHERS, key=lambda name: values[name])
        tested = holm([column.p(name, best) for name in trained])
        sure = dict(zip(trained, tested, strict=True))
        for name, value in values.items():
            mark = "" if sure.get(name, 1.0) > ALPHA else " ▲" if value > values[best] else " ▼"
            figure = f"{value:.3f}"
            cells[name].append((f"**{figure}**" if value == max(values.values()) else figure) + mark)
    print("| metric | " + " | ".join(column.title for column in columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for name, said in cells.items():
        print(f"| {name} | " + " | ".join(said) + " |")


TABLES: dict[str, Callable[[Path, Path], Iterator[Column]]] = {
    "wmt19": ranked,
    "wmt19-fifth": partial(ranked, every=5),
    "flickr8k": captions,
    "flickr8k-fifth": partial(captions, every=5),
    "d2t": acts,
    "webnlg": triples,
    "webnlg-fifth": partial(triples, every=5),
    "summeval": summaries,
    "summeval-fifth": partial(summaries, every=5),
}


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in TABLES:
        raise SystemExit(__doc__)
    refuse_missing({**TRAINED, **OTHERS})
    chosen, data_folder, kept = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    show(
        list(TABLES[chosen](data_folder, kept)),
        list({**(AGAIN if chosen.startswith("wmt19") else {}), **TRAINED}),
    )
