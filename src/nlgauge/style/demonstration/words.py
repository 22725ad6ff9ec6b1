"""The words of the invented newspapers: kinds of events, people, places, and what is seen beside the event."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from itertools import product


@dataclass(frozen=True)
class Kind:
    """A kind of event: what it is about, the verbs of each newspaper's headlines, and the number that belongs to it."""

    objects: tuple[str, ...]
    gazette: tuple[str, ...]
    courier: tuple[str, ...]
    past: str
    counted: str
    many: bool = False

    @property
    def pronoun(self) -> str:
        """What stands for the object."""
        return "them" if self.many else "it"


def _joined(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map("".join, product(*parts)))


_READ = tomllib.loads(files("nlgauge").joinpath("style/demonstration/words.toml").read_text(encoding="utf-8"))
_WORDS = {name: tuple(words.split()) for name, words in _READ.items() if isinstance(words, str)}
HEADLINES: dict[str, list[str]] = _READ["headlines"]
SENTENCES: dict[str, list[str]] = _READ["sentences"]
KINDS = tuple(
    Kind(
        tuple(told.pop("objects").split()),
        tuple(told.pop("gazette").split("|")),
        tuple(told.pop("courier").split("|")),
        **told,
    )
    for told in _READ["kinds"]
)
SURNAMES = _joined(_WORDS["surname_starts"], _WORDS["surname_ends"])
PLACES = _joined(_WORDS["place_starts"], _WORDS["place_ends"])
TAIL = _joined(_WORDS["tail_starts"], _WORDS["tail_middles"], _WORDS["tail_ends"])
"""Names of people in longer articles: a long tail, as real newspapers have."""
STREETS = tuple(f"{name} {way}" for way, name in product(_WORDS["ways"], _WORDS["streets"]))
GIVEN, ROLES, BODIES = (_WORDS[name] for name in ("given", "roles", "bodies"))
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ADJECTIVES, NOUNS, BESIDE = (_WORDS[name] for name in ("adjectives", "nouns", "beside"))
THINGS_DID, PEOPLE_DID, TOWNS_DID = (_WORDS[name] for name in ("things_did", "people_did", "towns_did"))
