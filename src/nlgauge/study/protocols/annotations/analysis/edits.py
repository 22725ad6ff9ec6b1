"""Edits by kind and system: how often, how many characters, how long, how many texts were left as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import ratio
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.annotations.analysis.results import Edited, Example
from nlgauge.study.protocols.annotations.edits import Edits, edits_of, per_word
from nlgauge.study.protocols.annotations.file import post_edit_study

KINDS = ("inserted", "deleted", "replaced", "moved")
EXAMPLES = 2  # outputs of each system


def edited(frozen: Frozen, counted: Sequence[Judgement]) -> Edited:
    """Figures of each system, and examples."""
    study = post_edit_study(frozen.study)
    by: dict[str, list[tuple[Judgement, str, Edits]]] = {}
    for judgement in counted:
        text = frozen.text[judgement.texts[0]]
        name = study.authors.get(text.subject) or text.subject
        edits = edits_of(text.text, judgement.answer["text"], study.words)
        by.setdefault(name, []).append((judgement, text.item, edits))
    figures = {name: _of_system(rows) for name, rows in by.items()}
    ordered = dict(sorted(figures.items(), key=lambda pair: pair[1]["hter"].estimate))
    return Edited(ordered, tuple(_examples(frozen, counted)))


def _of_system(rows: Sequence[tuple[Judgement, str, Edits]]) -> dict[str, Any]:
    """HTER of all its texts together (edits over words), with limits over inputs; the rest as it is."""
    items, edited = [item for _, item, _ in rows], [one for *_, one in rows]
    words = [edits.words for edits in edited]
    total = max(1, sum(words))
    found: dict[str, Any] = {
        "n": len(rows),
        "hter": _hundred(ratio([edits.edits for edits in edited], np.maximum(words, 1e-9), items, name="HTER")),
    }
    found |= {kind: 100 * sum(getattr(edits, kind) for edits in edited) / total for kind in KINDS}
    length = max(1, sum(edits.length for edits in edited))
    found["characters"] = 100 * sum(edits.characters for edits in edited) / length
    seconds = [per_word(one.seconds, edits) for one, _, edits in rows]
    found["seconds_per_word"] = median(seconds)
    for outcome in ("unchanged", "rewritten"):
        found[outcome] = sum(one.answer["outcome"] == outcome for one, *_ in rows) / len(rows)
    typed = [min(one.answer["active"], one.seconds) for one, *_ in rows if "active" in one.answer]
    keys = [one.answer["keys"] for one, *_ in rows if "keys" in one.answer]
    found["active_seconds"] = median(typed) if typed else None
    found["keys"] = median(keys) if keys else None
    return found


def _hundred(share: Estimate) -> Estimate:
    return replace(share, estimate=100 * share.estimate, low=100 * share.low, high=100 * share.high)


def _examples(frozen: Frozen, counted: Sequence[Judgement]) -> list[Example]:
    """The outputs of each system that were edited most often, with what became of them."""
    study = post_edit_study(frozen.study)
    given: dict[str, list[Judgement]] = {}
    for judgement in counted:
        given.setdefault(judgement.texts[0], []).append(judgement)
    found = []
    for subject in study.subjects:
        own = [name for name in given if frozen.text[name].subject == subject]
        own.sort(key=lambda name: (-len(given[name]), frozen.text[name].item))
        for name in own[:EXAMPLES]:
            text = frozen.text[name]
            edited = tuple((judgement.judge, judgement.answer["text"]) for judgement in given[name])
            found.append(Example(text.item, study.authors.get(subject) or subject, text.text, edited=edited))
    return found
