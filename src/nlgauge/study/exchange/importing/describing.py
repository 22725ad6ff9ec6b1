"""The study file of an imported study: from a description that comes with nlgauge, or from what the command says.

A description holds what the documentation of a published study tells, with the document named, and nothing else; what
it does not tell is missing in the design statement and can be written into the file by those who know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import yaml

from nlgauge.errors import InputError, suggest
from nlgauge.study.designs.imported import KIND
from nlgauge.study.exchange.importing.types import Rating, Source

_SCALE = re.compile(r"(?:(?P<name>.+)=)?(?P<low>-?\d+(?:\.\d+)?)-(?P<high>-?\d+(?:\.\d+)?)")
_DECIMALS = 6  # of an answer on a slider
HEAD = """\
# A study that was run elsewhere; its answers were imported ({files}).
# What was asked and who judged is known as far as it stands here. Write down what you can find out: the exact questions
# under criteria (question: …), everything else under statement and panels. The statement says what is missing.
"""


def described(name: str) -> dict[str, Any]:
    """The description of a published study."""
    text = files("nlgauge.study.exchange.importing").joinpath("described", f"{name}.yaml").read_text(encoding="utf-8")
    values: dict[str, Any] = yaml.safe_load(text)
    return values


def plain(source: Source, *, scales: Mapping[str, tuple[float, float]], protocol: str, title: str) -> dict[str, Any]:
    """The least that can be said: criteria with their scales."""
    criteria = list(dict.fromkeys(one.criterion for one in source.ratings))
    if protocol == "binary":  # yes and no need no scale
        scales = {"": (0.0, 1.0), **scales}
    unknown = [name for name in scales if name and name not in criteria]
    if unknown:
        raise InputError(f"--scale: nothing was judged for {unknown[0]!r}; {suggest(unknown[0], criteria)}")
    lacking = [name for name in criteria if name not in scales and "" not in scales]
    if lacking:
        place = next(one.place for one in source.ratings if one.criterion == lacking[0])
        raise InputError(
            f"{place}: the scale of {lacking[0]!r} is not known, because answers do not tell which were possible; name "
            f'it with --scale "{lacking[0]}=1-5" (or --scale 1-5 for all), or write a study.yaml with design: imported'
        )
    values: dict[str, Any] = {
        "protocol": protocol,
        "title": title,
        "criteria": [
            {"id": name, "scale": _scale(*scales.get(name, scales.get("", (0, 0))), protocol)} for name in criteria
        ],
    }
    if protocol == "continuous":
        values["scale"] = {"step": 10.0 ** -_places(source.ratings)}
    return values


def scales_of(options: Sequence[str]) -> dict[str, tuple[float, float]]:
    """What `--scale fluency=1-5` says; without a name it holds for every criterion.

    >>> scales_of(["1-5", "overall=0-100"])
    {'': (1.0, 5.0), 'overall': (0.0, 100.0)}
    """
    found = {}
    for option in options:
        read = _SCALE.fullmatch(option.strip())
        if read is None or float(read["low"]) >= float(read["high"]):
            raise InputError(
                f"--scale {option!r} cannot be read; write the lowest and the highest answer, as in fluency=1-5"
            )
        found[read["name"] or ""] = (float(read["low"]), float(read["high"]))
    return found


def _scale(low: float, high: float, protocol: str) -> dict[str, Any]:
    if protocol == "continuous":
        return {"low": low, "high": high}
    if low != int(low) or high != int(high) or high - low > 100:
        raise InputError(
            f"a scale from {low:g} to {high:g} has no points that could be counted; add --protocol continuous"
        )
    if protocol == "binary" and high - low != 1:
        raise InputError(
            f"a scale from {low:g} to {high:g} has more answers than yes and no; give --scale 0-1, or leave --protocol "
            "binary out"
        )
    return {"points": int(high - low) + 1, "low": low}


def _places(ratings: Iterable[Rating]) -> int:
    """Decimals that the answers need."""
    return max((_needs(value) for value in {one.value for one in ratings}), default=0)


def _needs(value: float) -> int:
    return next((k for k in range(_DECIMALS) if round(value, k) == value), _DECIMALS)


def completed(values: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """With what the answers tell: their criteria and panels, and whether judges are named."""
    judges: dict[str, set[str]] = {}
    for one in source.ratings:
        judges.setdefault(one.panel, set()).add(one.judge)
    known = values.get("panels") or {}
    asked = {one.criterion for one in source.ratings}
    return {
        "protocol": values["protocol"],
        "title": values["title"],
        "seed": 1,
        **{
            name: value
            for name, value in values.items()
            if name not in ("protocol", "title", "panels", "criteria", "design")
        },
        "criteria": [one for one in values["criteria"] if one["id"] in asked],
        "panels": {name: {"judges": len(who), **known.get(name, {})} for name, who in judges.items()},
        "design": {"kind": KIND, "judges": source.judges, **values.get("design", {})},
    }


def written(values: Mapping[str, Any], names: Sequence[str]) -> str:
    """The study file."""
    body: str = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=110)
    return HEAD.format(files=", ".join(names)) + body
