"""The phrases of the pages, by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

FOLDER = Path(__file__).parent / "languages"


@dataclass(frozen=True)
class Phrases:
    """The catalogue of one language."""

    code: str
    direction: str
    words: Mapping[str, str]

    def say(self, key: str, **values: object) -> str:
        """A phrase with its values filled in."""
        return self.words[key].format_map(values) if values else self.words[key]


@cache
def load(code: str) -> Phrases:
    """The catalogue of a language; English where there is none."""
    path = FOLDER / f"{code}.json"
    words = orjson.loads((path if path.exists() else FOLDER / "en.json").read_bytes())
    return Phrases(code, "rtl" if code == "ar" else "ltr", words)


def choose(accepted: str, spoken: Sequence[str]) -> str:
    """The language of a study that a browser's Accept-Language asks for first, else the study's first."""
    ranked = []
    for place, part in enumerate(accepted.split(",")[:20]):
        tag, _, quality = part.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), place, tag.lower()))
        except ValueError:
            continue
    for _, _, tag in sorted(ranked):
        for language in spoken:
            if tag.partition("-")[0] == language:
                return language
    return spoken[0]
