"""The grammar of metric specs: `name(key=value,…)@order.output`, generated from the dataclass fields.

`parse(str(m)) == m` always; `full(m)` writes every field, so two metrics that could differ in a number never share
a full spec.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import resources
from typing import Any

from nlgauge.errors import SpecError, suggest
from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import ALIASES, load, names

# What people call metrics: other spellings of ours, and names of metrics that nlgauge does not have.
#
# `BLEU`, `ROUGE-1`, `BERTScore` and `chrF++` are read as the specs they mean; tables print the canonical name.


_NAMES = tomllib.loads(resources.files("nlgauge.metrics").joinpath("names.toml").read_text(encoding="utf-8"))
SPELLINGS: Mapping[str, str] = _NAMES["spellings"]
"""Names, folded, whose spelling alone does not lead to ours."""
ABSENT: Mapping[str, Sequence[str]] = _NAMES["absent"]
"""Well-known metrics that are not here, by folded name: title, what it is, and the nearest of ours."""


def folded(name: str) -> str:
    """A name without case, hyphens and underscores."""
    return re.sub(r"[-_]", "", name.lower())


def resolve(name: str) -> tuple[str, str | None]:
    """The registered name or alias that a name means, and the order that it ends in: `ROUGE-2` is ("rouge", "2")."""
    known = [*names(), *ALIASES]
    if name in known:
        return name, None
    spelled = {folded(name): name for name in known} | dict(SPELLINGS)
    plain = folded(name)
    if plain in spelled:
        return spelled[plain], None
    parts = re.fullmatch(r"(.*?)([0-9]+)", plain)
    base = spelled.get(parts[1]) if parts else None
    if parts and base and load(ALIASES.get(base, (base, {}))[0]).at:
        return base, parts[2]
    raise SpecError(_unknown(name, plain, known))


def _unknown(name: str, plain: str, known: list[str]) -> str:
    """Why there is no such metric, without a guess where the name is known to mean another."""
    from nlgauge.metrics.survey import ENTRIES

    if plain in ABSENT:
        title, what, nearest = ABSENT[plain]
        return f"nlgauge does not have {title} ({what}); nearest here: {nearest}"
    for entry in ENTRIES:
        if entry.recipe and folded(entry.title) == plain:
            return f"{entry.title} has to be trained first: nlgauge train --recipe {entry.recipe} shows how"
        if any(folded(other) == plain for other in entry.names) and not set(entry.names) & set(known):
            about = f"{entry.title} ({entry.resources}; {entry.cite})"
            return f"nlgauge does not have {about}; nlgauge list --taxonomy shows its neighbours"
    base = name.partition("-")[0]
    if base in names() and base != name and any(spec.name == "model" for spec in fields(load(base))):
        return f"there is no metric {name!r}; {base} takes models by name: {base}(model={name})"
    return f"there is no metric {name!r}; {suggest(name, known, 'nlgauge list')}"


_HEAD = re.compile(r"[A-Za-z][\w+-]*")
_BARE = re.compile(r'[^\s,()="@]+')
_TAIL = re.compile(r"(?:@(?P<at>[^.\s]+(?:\.\d+)?))?(?:\.(?P<output>[A-Za-z]\w*))?$")


def parse(text: str) -> Metric:
    """The metric a spec names.

    Args:
        text: name, fields and output: "bleu", "chrf(word=2)", "rouge@2.f1"

    >>> str(parse("bleu(smooth=exp, tok=intl)")), str(parse("ROUGE-2"))
    ('bleu(tok=intl)', 'rouge@2')
    """
    from nlgauge.metrics.registry import ALIASES, load

    if not isinstance(text, str):
        raise SpecError(f"a metric spec is text such as 'bleu(tok=intl)'; got a {type(text).__name__}")
    text = text.strip()
    head = _HEAD.match(text)
    if not head:
        raise SpecError(f"{text!r} is not a metric spec; expected name(key=value,…)@order.output, e.g. bleu(tok=intl)")
    name, order = resolve(head.group())
    target, given = ALIASES.get(name, (name, {}))
    cls = load(target)
    arguments, rest = _arguments(text, head.end())
    if order is not None:
        arguments.append((str(cls.at), order))
    tail = _TAIL.match(text, rest)
    if not tail:
        raise SpecError(
            f"cannot read {text[rest:]!r} at the end of {text!r}; expected @order and .output, in this order"
        )
    if tail.group("at"):
        if cls.at is None:
            raise SpecError(f"{name} takes no @ value")
        arguments.append((cls.at, tail.group("at")))
    if tail.group("output"):
        arguments.append(("output", tail.group("output")))
    fields = {spec.name: spec for spec in dataclasses.fields(cls) if spec.metadata}
    values: dict[str, Any] = dict(given)
    seen: set[str] = set()
    for key, value in arguments:
        if key not in fields:
            if key == "output":
                raise SpecError(f"{name} has one output only; got .{value}")
            raise SpecError(f"{name} has no field {key!r}; {suggest(key, fields)}")
        if key in seen:
            raise SpecError(f"the field {key} of {name} is given twice")
        seen.add(key)
        values[key] = _read(value, type(fields[key].default))
    return cls(**values)


def short(metric: Metric) -> str:
    """The canonical spelling: defaults left out, an alias where one fits."""
    from nlgauge.metrics.registry import ALIASES

    name, fixed = metric.name, {}
    for alias, (target, values) in ALIASES.items():
        if target == metric.name and all(getattr(metric, key) == value for key, value in values.items()):
            name, fixed = alias, values
    changed = {
        spec.name: getattr(metric, spec.name)
        for spec in dataclasses.fields(metric)
        if spec.metadata and spec.name not in fixed and getattr(metric, spec.name) != spec.default
    }
    at = ""
    if metric.at is not None and (metric.at in changed or metric.always_at):
        at = f"@{written(changed.pop(metric.at, getattr(metric, metric.at)))}"
    output = f".{changed.pop('output')}" if "output" in changed else ""
    inside = ",".join(f"{key}={written(value)}" for key, value in changed.items())
    return f"{name}({inside}){at}{output}" if inside else f"{name}{at}{output}"


def full(metric: Metric, *, scoring: bool = True) -> str:
    """The spec with every field; without the scoring-only ones if `scoring` is false."""
    inside = ",".join(
        f"{spec.name}={written(getattr(metric, spec.name))}"
        for spec in dataclasses.fields(metric)
        if spec.metadata and (scoring or not spec.metadata["scoring"])
    )
    return f"{metric.name}({inside})"


def _arguments(text: str, position: int) -> tuple[list[tuple[str, str]], int]:
    """The key=value pairs of a parenthesis, and where it ends."""
    pairs: list[tuple[str, str]] = []
    if position >= len(text) or text[position] != "(":
        return pairs, position
    position += 1
    while True:
        position = _skip(text, position)
        if position < len(text) and text[position] == ")":
            return pairs, position + 1
        key = re.compile(r"[A-Za-z]\w*").match(text, position)
        after = _skip(text, key.end()) if key else position
        if not key or after >= len(text) or text[after] != "=":
            raise SpecError(f"cannot read {text[position:]!r} in {text!r}; expected key=value")
        value, position = _value(text, _skip(text, after + 1))
        pairs.append((key.group(), value))
        position = _skip(text, position)
        if position < len(text) and text[position] == ",":
            position += 1
        elif position >= len(text) or text[position] != ")":
            raise SpecError(f"the parenthesis in {text!r} is not closed, or a comma is missing")


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _value(text: str, position: int) -> tuple[str, int]:
    if text[position : position + 1] == '"':
        try:
            value, end = json.JSONDecoder().raw_decode(text, position)
        except ValueError:
            raise SpecError(f"the quoted value at {text[position:]!r} is not closed") from None
        return str(value), end
    bare = _BARE.match(text, position)
    if not bare:
        raise SpecError(f"a value is missing at {text[position:]!r} in {text!r}")
    return bare.group(), bare.end()


def _read(value: str, kind: type) -> Any:
    """The text as the field's type where it reads as one; else the text itself, which the field then refuses."""
    if kind is bool:
        return {"yes": True, "true": True, "no": False, "false": False}.get(value.lower(), value)
    if kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            return value
    return value


def written(value: Any) -> str:
    """A value as it stands in a spec."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    text = str(value)
    return text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)
