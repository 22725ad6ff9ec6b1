"""Edits by kind and system: how often, how many characters, how long, how many texts were left as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from nlgauge.stats.shares import ratio
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.annotations.analysis.results import Edited, Example, most_of
from nlgauge.study.protocols.annotations.edits import Edits, edits_of, per_word
from nlgauge.study.protocols.annotations.file import post_edit_study

KINDS = ("inserted", "deleted", "replaced", "moved")


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
    judgements, items, edited = zip(*rows, strict=True)
    words, outcomes = [edits.words for edits in edited], [judgement.answer["outcome"] for judgement in judgements]
    share = ratio([edits.edits for edits in edited], np.maximum(words, 1e-9), items, name="HTER")
    typed = [
        min(judgement.answer["active"], judgement.seconds) for judgement in judgements if "active" in judgement.answer
    ]
    keys = [judgement.answer["keys"] for judgement in judgements if "keys" in judgement.answer]
    return {
        "n": len(rows),
        "hter": replace(share, estimate=100 * share.estimate, low=100 * share.low, high=100 * share.high),
        **{kind: 100 * sum(getattr(edits, kind) for edits in edited) / max(1, sum(words)) for kind in KINDS},
        "characters": 100 * sum(edits.characters for edits in edited) / max(1, sum(edits.length for edits in edited)),
        "seconds_per_word": median(per_word(judgement.seconds, edits) for judgement, _, edits in rows),
        **{outcome: outcomes.count(outcome) / len(rows) for outcome in ("unchanged", "rewritten")},
        "active_seconds": median(typed) if typed else None,
        "keys": median(keys) if keys else None,
    }


def _examples(frozen: Frozen, counted: Sequence[Judgement]) -> list[Example]:
    """The outputs of each system that were edited most often, with what became of them."""
    return [
        Example(
            text.item,
            called,
            text.text,
            edited=tuple((judgement.judge, judgement.answer["text"]) for judgement in given),
        )
        for text, called, given in most_of(frozen, counted, len)
    ]
