"""Questions that judges read in one of several wordings: each of them, who read which, and what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from nlgauge.errors import counted
from nlgauge.io.outputs import DATABASE, FROZEN
from nlgauge.study.file.study import Study
from nlgauge.study.statement.facts import Facts
from nlgauge.study.statement.told import CriterionTold
from nlgauge.study.statement.types import Entry, Field, plain


def wording_entries(one: CriterionTold, words: Callable[[Mapping[str, str]], tuple[Entry, ...]]) -> tuple[Entry, ...]:
    """The question in every language, by `words`; of several wordings each by its name."""
    if not one.wordings:
        return words(one.wording)
    return tuple(
        replace(entry, label=f"{name}, {entry.label}" if entry.label else name, wording=name)
        for name, wording in one.wordings.items()
        for entry in words(wording)
    )


def dealt_fields(study: Study, facts: Facts | None) -> Iterator[Field]:
    """Who read which wording, and what it did, where judges are dealt one of several."""
    names = study.wordings
    if not names:
        return
    read = facts.read if facts is not None else {}
    dealt = f"each judge is dealt one of {len(names)} wordings at registration, in blocks by the seed"
    dealt += "".join(f"; {name}: {counted(read[name], 'judge')}" for name in names if name in read)
    yield Field("dealt_wordings", "Wordings dealt to judges", plain(dealt), "design", FROZEN, brief=True)
    found: tuple[Entry, ...] = ()
    if facts is not None and facts.answered:
        told = tuple(entry for _, sentence in facts.wordings for entry in plain(sentence))  # which name the criterion
        found = told or plain("not known before nlgauge study analyse")
    yield Field("effect_of_wording", "Effect of the wording", found, "store", DATABASE, brief=True)
