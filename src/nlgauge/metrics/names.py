"""What people call metrics: other spellings of ours, and names of metrics that nlgauge does not have.

`BLEU`, `ROUGE-1`, `BERTScore` and `chrF++` are read as the specs they mean; tables print the canonical name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import resources

from nlgauge.errors import SpecError, suggest
from nlgauge.metrics.registry import ALIASES, load, names

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
