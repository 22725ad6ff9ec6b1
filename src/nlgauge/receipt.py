"""Receipts: one line that says how a number was made, and that can be read back.

    nlgauge=0.1.0|metric=bleu(order=4,…)|n=300|refs=3|data=8c1f0a9be2d4|backend=native

The spec inside parses back to the metric; the digest names the data; what else the run depended on (seed, draws,
test) follows.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
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
    options = {**known(ScoreOptions), **known(CompareOptions)}
    return _meanings().get(key) or (options[key].option.help if key in options else key)


@cache
def _meanings() -> dict[str, str]:
    return tomllib.loads(resources.files("nlgauge").joinpath("receipt.toml").read_text(encoding="utf-8"))
