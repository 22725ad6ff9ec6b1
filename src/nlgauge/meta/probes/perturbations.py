"""Named perturbations of a text: graded, seeded, and declared to keep the meaning, change it or damage the form.

A perturbation first looks for its sites (words that could be dropped, numbers that could be changed, …), puts
them into a random order that the seed fixes, and then edits the first k of them. The edits of a milder severity
are therefore among those of a stronger one, so that a metric's reaction to more of the same can be followed
on each text. A perturbation that finds no site says so; such a text is not counted as one the metric bore well.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nlgauge.errors import InputError, suggest
from nlgauge.meta.probes import agnostic, rewording
from nlgauge.meta.probes.agnostic import Given, Plan
from nlgauge.options import DEFAULT_SEED

Meaning = Literal["preserved", "changed", "damaged"]
"""preserved: a good metric should hardly react; changed: other or missing content; damaged: broken form."""

MEANINGS: dict[Meaning, str] = {
    "preserved": "meaning preserved: a good metric hardly reacts",
    "changed": "meaning changed: a good metric falls",
    "damaged": "form damaged: a good metric falls",
}


@dataclass(frozen=True)
class Perturbed:
    """A perturbed text; `dose` is the share of its sites that were edited."""

    text: str
    edits: int
    sites: int

    @property
    def dose(self) -> float:
        """Edits as a share of the sites."""
        return self.edits / self.sites


@dataclass(frozen=True)
class NotApplied:
    """The perturbation found nothing to do in a text."""

    reason: str


@dataclass(frozen=True)
class Perturbation:
    """A way to change a text. `language` is `any`, or the code of the one it works in."""

    name: str
    meaning: Meaning
    language: str
    about: str
    plan: Callable[[Given, random.Random], Plan | str]

    def grades(
        self, given: Given, severities: Sequence[float], *, seed: int, key: str = ""
    ) -> list[Perturbed | NotApplied]:
        """The text at each severity: the share of its sites that are edited, at least one.

        The random order of the sites depends on the seed, the perturbation's name, `key` (the item) and the text,
        and on nothing else: neither on the other texts nor on the severities asked for.
        """
        drawn = random.Random(f"{seed}|{self.name}|{key}|{given.text}")
        plan = self.plan(given, drawn)
        if isinstance(plan, str):
            return [NotApplied(plan)] * len(severities)
        return [self._grade(given, plan, severity) for severity in severities]

    def apply(
        self, given: Given | str, severity: float, *, seed: int = DEFAULT_SEED, key: str = ""
    ) -> Perturbed | NotApplied:
        """The text at one severity.

        >>> by_name("truncate").apply("Rain is expected by noon.", 0.5).text
        'Rain is expected'
        """
        check_severities([severity])
        text = Given(given) if isinstance(given, str) else given
        return self.grades(text, [severity], seed=seed, key=key)[0]

    def _grade(self, given: Given, plan: Plan, severity: float) -> Perturbed | NotApplied:
        edits = min(plan.sites, max(1, math.floor(severity * plan.sites + 0.5)))
        text = plan.write(edits)
        if text.split() == given.text.split():
            return NotApplied("the edits leave the text as it was")
        return Perturbed(text, edits, plan.sites)


_ALL = (
    Perturbation("drop", "changed", "any", "words left out, one at least remaining", agnostic.drop),
    Perturbation("truncate", "changed", "any", "the end cut off, one word at least remaining", agnostic.truncate),
    Perturbation("negate", "changed", "en", "statements negated, or negations taken away", rewording.negate),
    Perturbation("entity", "changed", "any", "names replaced by other names of the data", agnostic.entity),
    Perturbation("number", "changed", "any", "numbers replaced by others of the same size", agnostic.number),
    Perturbation(
        "copy", "changed", "any", "the end replaced by that of the source; at 1 the source itself", agnostic.copy
    ),
    Perturbation("swap", "damaged", "any", "neighbouring words exchanged", agnostic.swap),
    Perturbation("repeat", "damaged", "any", "words said twice", agnostic.repeat),
    Perturbation("shuffle", "damaged", "any", "sentences in another order", agnostic.shuffle),
    Perturbation("synonym", "preserved", "en", "words replaced by synonyms", rewording.synonym),
    Perturbation("passive", "preserved", "en", "active sentences made passive and the reverse", rewording.passive),
    Perturbation("contraction", "preserved", "en", "do not / don't, it is / it's", rewording.contraction),
    Perturbation("punctuation", "preserved", "any", "punctuation marks taken away", agnostic.punctuation),
    Perturbation("case", "preserved", "any", "capitals made small, small words capitalised", agnostic.case),
)
PERTURBATIONS: dict[str, Perturbation] = {perturbation.name: perturbation for perturbation in _ALL}


def by_name(name: str) -> Perturbation:
    """The perturbation of this name."""
    if name not in PERTURBATIONS:
        raise InputError(f"there is no perturbation {name!r}; {suggest(name, PERTURBATIONS)}")
    return PERTURBATIONS[name]


def chosen(names: Iterable[str]) -> tuple[Perturbation, ...]:
    """The perturbations of these names, `all` standing for every one."""
    wanted: list[Perturbation] = []
    for name in names:
        wanted += PERTURBATIONS.values() if name == "all" else [by_name(name)]
    return tuple(dict.fromkeys(wanted))


def check_severities(severities: Sequence[float]) -> tuple[float, ...]:
    """Severities in rising order; each must lie above 0 and at most at 1."""
    wrong = [value for value in severities if not 0 < value <= 1]
    if not severities or wrong:
        got = f"got {wrong[0]:g}" if wrong else "none was given"
        raise InputError(f"a severity is the share of a text's sites that are edited, above 0 and at most 1; {got}")
    return tuple(sorted(set(severities)))


def linear(source: Any) -> str:
    """A source as one text: tables and dialogues are written out value by value."""
    if source is None:
        return ""
    if isinstance(source, str):
        return source.strip()
    if isinstance(source, dict):
        return " ".join(filter(None, (linear(value) for value in source.values())))
    if isinstance(source, list | tuple):
        return " ".join(filter(None, (linear(value) for value in source)))
    return str(source)
