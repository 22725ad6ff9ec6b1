"""Receipts: one line that says how a number was made, and that can be read back.

    nlgauge=0.1.0|metric=bleu(order=4,…)|n=300|refs=3|data=8c1f0a9be2d4|backend=native

The spec inside parses back to the metric; the digest names the data; what else the run depended on (seed, draws,
test) follows.
"""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge import __version__
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric

_WORDS = {
    "nlgauge": "version of nlgauge",
    "metric": "metric, every field written out",
    "n": "segments per system; with agree= what was judged, with rate= games",
    "systems": "systems in the data",
    "refs": "references per segment",
    "data": "digest of the data (first 12 hexadecimal digits of a SHA-256)",
    "backend": "kernels used: compiled (native) or plain Python (python); both give the same numbers",
    "human": "criterion that people rated",
    "agree": "coefficients of agreement",
    "scale": "scale of the ratings",
    "judges": "judges",
    "rate": "rating method, with the options given",
    "players": "players rated",
    "ratings": "digest of the ratings (first 12 hexadecimal digits of a SHA-256)",
    "judgements": "single ratings used",
    "control": "metric that helped to estimate the human mean",
    "target": "what the estimate is for: all items there might be (population), or the items of the set",
    "strata": "key by which items were stratified",
    "ci": "interval: method and number of draws",
    "cluster": "key by which items were drawn and swapped together",
    "level": "confidence level of the intervals",
    "test": "paired test and number of trials",
    "ties": "trials whose difference equals the observed one: counted as at least as large, or ignored",
    "adjust": "correction for multiple comparisons, and over how many",
    "seed": "seed of the random draws",
    "model": "model and revision",
    "probes": "perturbations applied to good texts, or the challenge set",
    "on": "the good texts that were perturbed: references (one of each item) or a system's outputs",
    "severities": "shares of a text's sites that were edited",
}


def write(metric: Metric | str, facts: Mapping[str, object]) -> str:
    """The receipt of a metric, or of a human criterion; `facts` come in the order they are to be printed."""
    what = {"human": metric} if isinstance(metric, str) else {"metric": metric.full()}
    return line({**what, **facts})


def line(facts: Mapping[str, object]) -> str:
    """A receipt of any facts, after the version."""
    parts = {"nlgauge": __version__, **{key: str(value) for key, value in facts.items()}}
    return "|".join(f"{key}={value}" for key, value in parts.items())


def read(text: str) -> dict[str, str]:
    """The facts of a receipt."""
    facts = {}
    for part in text.strip().split("|"):
        key, equals, value = part.partition("=")
        if not equals:
            raise SpecError(f"{part!r} is not part of a receipt; expected key=value between vertical bars")
        facts[key] = value
    if not {"metric", "human", "rate"} & facts.keys():
        raise SpecError(
            "a receipt names its metric (metric=…), a human criterion (human=…) or a rating method (rate=…); none "
            "found in the line given"
        )
    return facts


def is_receipt(text: str) -> bool:
    """Whether a line looks like a receipt rather than a spec."""
    return text.lstrip().startswith("nlgauge=")


def meaning(key: str) -> str:
    """What a key of a receipt stands for."""
    return _WORDS.get(key, key)
