"""Receipts: one line that says how a number was made, and that can be read back.

    nlgauge=0.1.0|metric=bleu(order=4,…)|n=300|refs=3|data=8c1f0a9be2d4|backend=native

The spec inside parses back to the metric; the digest names the data; what else the run depended on (seed, draws,
test) follows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from nlgauge import __version__
from nlgauge.errors import SpecError
from nlgauge.io.files import readable
from nlgauge.kernels import backend
from nlgauge.options import CompareOptions, ScoreOptions, known

if TYPE_CHECKING:
    from nlgauge.digest import Summary
    from nlgauge.metrics.base import Metric

BAR = "%7C"  # a vertical bar inside a value
_WORDS = {
    "nlgauge": "version of nlgauge",
    "metric": "metric, every field written out",
    "n": "segments per system",
    "systems": "systems in the data",
    "refs": "references per segment",
    "file": "digests of the files that the metric's spec or a variable of the environment names (first 12 hexadecimal "
    "digits of a SHA-256)",
    "testset": "digest of items and references (sources included if the metric reads them), whatever the systems and "
    "the order of rows: equal for two papers on one test set",
    "data": "digest of the data (first 12 hexadecimal digits of a SHA-256), sources included if the metric reads them",
    "backend": "kernels used: compiled (native) or plain Python (python); both give the same numbers",
    "human": "criterion that people rated",
    "human_tie": "difference of two ratings of one person up to which they are a tie",
    "agree": "coefficients of agreement",
    "scale": "scale of the ratings",
    "categories": "values that the scale was declared to have",
    "judge": "judge of pairs, and a digest of its settings",
    "orders": "orders in which two texts were shown: both and joined, or one by chance",
    "samples": "answers drawn from a language model for each order",
    "schedule": "how the pairs that met were drawn",
    "budget": "games at most",
    "prices": "prices of a million tokens sent and received",
    "own": "system of the judge's own maker",
    "rate": "rating method, with the options given",
    "players": "players rated",
    "ratings": "digest of the ratings (first 12 hexadecimal digits of a SHA-256)",
    "judges": "judges; unnamed: the most judgements an output has, where the data do not say whose they are",
    "judgements": "single ratings used",
    "control": "metric that helped to estimate the human mean",
    "target": "what the estimate is for: all items there might be (population), or the items of the set",
    "strata": "key by which items were stratified, and a digest of its values",
    "ci": "interval: method and number of draws (jackknife: of groups of items left out in turn)",
    "additive": "no: the score describes a set of outputs, is no sum over them, and is recomputed in resampling",
    "set": "set metric by its scores of single outputs: a system's score is their mean, not that of the set",
    "cluster": "key by which items were drawn and swapped together, and a digest of its values",
    "level": "confidence level of the intervals; of correlations: over outputs (segment) or systems (system)",
    "confidence": "confidence level of the intervals",
    "statistic": "correlation with human ratings",
    "average": "correlations averaged over: items, systems, or none (all outputs pooled)",
    "score": "a system's score: of its whole corpus, or the mean of its outputs' scores",
    "judged": "several ratings of an output: their mean, median, or each by itself",
    "margin": "two outputs of an item are a pair where their ratings differ by more than this",
    "over": "what the bootstrap of the intervals resampled",
    "draws": "bootstrap draws of the intervals",
    "scores": "digest of the stored scores (first 12 hexadecimal digits of a SHA-256)",
    "references": "several references: each by itself, and the mean or the best score of them",
    "direction": "of the ratings less is better (lower); not said where more is",
    "standardise": "ratings of each judge were taken as z-scores (judges), or as given (none)",
    "digits": "significant digits to which segment scores were rounded",
    "report": "report beyond the table, with the trials of its tests",
    "reference-system": "system that people wrote, and a digest of its texts and ratings",
    "unit": "what is flipped together in the test: items, or single judgements",
    "pairing": "what is compared: items rated for both systems, or only judgements by the same judge",
    "pairs": "pairs of systems compared: all, or each with the baseline named",
    "test": "test of differences and number of trials",
    "ties": "trials whose difference equals the observed one: counted as at least as large, or ignored",
    "adjust": "correction for multiple comparisons, and over how many",
    "tuned": "fields fitted to the ratings, with the range searched",
    "search": "how they were searched: method, steps of each field, bootstrap samples averaged",
    "folds": "parts of the items that were held out in turn",
    "seed": "seed of the random draws",
    "model": "model, revision (of its package or the hub), the first 12 digits of the SHA-256 of its files, and "
    "whether these are known to be those that the package was published with",
    "lexicon": "dictionary or tables on the machine, version and the first 12 digits of the SHA-256 of its files",
    "probes": "perturbations applied to good texts, or the challenge set",
    "on": "the texts that were perturbed or edited: references (one of each item) or outputs of systems",
    "severities": "shares of a text's sites that were edited",
    "attack": "kinds of edits that an adversarial search tried on outputs",
    "guards": "metrics that were not to rise in the search",
    "tolerance": "by how much a guard was allowed to rise",
    "edits": "edits an output at most",
    "candidates": "edits tried at each step of the search at most",
    "items": "items whose outputs were edited at most",
}


def write(metric: Metric | str, facts: Mapping[str, object]) -> str:
    """The receipt of a metric, or of a human criterion; `facts` come in the order they are to be printed."""
    what = {"human": metric} if isinstance(metric, str) else {"metric": metric.full(), **read_by([metric])}
    return line({**what, **facts})


def receipts(
    chosen: Sequence[Metric],
    summary: Summary,
    digests: Callable[..., Mapping[str, str]],
    sizes: Sequence[int],
    facts: Mapping[str, object],
) -> dict[str, str]:
    """One line per metric; `sizes` are the systems' numbers of segments."""
    low, high = summary.references_min, summary.references_max
    known = {
        "n": min(sizes) if min(sizes) == max(sizes) else f"{min(sizes)}-{max(sizes)}",
        "systems": summary.systems,
        "refs": low if low == high else f"{low}-{high}",
        **dict.fromkeys(digests(sources=False), ""),  # in this place
        "backend": backend(),
        **facts,
    }
    written = {}
    for metric in chosen:
        mine = {**known, **digests(sources=metric.reads_sources)}
        written[str(metric)] = write(metric, mine if metric.additive else _of_set(mine))
    return written


def _of_set(facts: Mapping[str, object]) -> dict[str, object]:
    """The facts of a set metric: its intervals leave items out, whatever was asked for where rows add up."""
    named = {key: f"jackknife:{str(value).partition(':')[2]}" if key == "ci" else value for key, value in facts.items()}
    return {"additive": "no", **named}


def read_by(metrics: Iterable[Metric]) -> dict[str, str]:
    """The files, models and dictionaries that metrics read, by their digests."""
    chosen = list(metrics)
    found = {
        "file": [_file_digest(path) for metric in chosen for path in metric.reads_files],
        "model": [metric.model_fact for metric in chosen],
        "lexicon": [metric.lexicon_fact for metric in chosen],
    }
    joined = {key: "+".join(dict.fromkeys(filter(None, values))) for key, values in found.items()}
    return {key: text for key, text in joined.items() if text}


def _file_digest(path: str) -> str:
    with readable(path), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def line(facts: Mapping[str, object]) -> str:
    """A receipt of any facts, after the version."""
    return extend(f"nlgauge={__version__}", facts)


def write_stored(spec: str, facts: Mapping[str, object]) -> str:
    """The receipt of scores that the data carry: `spec` says under which name."""
    return extend(f"nlgauge={__version__}|metric={spec}", facts)


def extend(line: str, facts: Mapping[str, object]) -> str:
    """A receipt with more facts at its end."""
    return "|".join([line, *(f"{key}={str(value).replace('|', BAR)}" for key, value in facts.items())])


def is_stored(spec: str) -> bool:
    """Whether the metric of a receipt is a score that the data carried."""
    return spec.startswith("stored(")


def read(text: str) -> dict[str, str]:
    """The facts of a receipt."""
    facts = {}
    for part in text.strip().split("|"):
        key, equals, value = part.partition("=")
        if not equals:
            raise SpecError(f"{part!r} is not part of a receipt; expected key=value between vertical bars")
        facts[key.strip()] = value.strip().replace(BAR, "|")
    if not {"metric", "human", "rate", "judge"} & facts.keys():
        raise SpecError(
            "a receipt names its metric (metric=…), a human criterion (human=…), a rating method (rate=…) or a judge "
            "(judge=…); none found in the line given"
        )
    return facts


def is_receipt(text: str) -> bool:
    """Whether a line looks like a receipt rather than a spec."""
    return text.lstrip().startswith("nlgauge=")


def meaning(key: str, facts: Mapping[str, str] | None = None) -> str:
    """What a key of a receipt stands for; `n` counts what the command that wrote the receipt works on."""
    if key == "n" and facts is not None:
        for command, counted in (("agree", "items or outputs judged"), ("rate", "games")):
            if command in facts:
                return counted
    if key in _WORDS:
        return _WORDS[key]
    options = {**known(ScoreOptions), **known(CompareOptions)}
    return options[key].option.help if key in options else key
