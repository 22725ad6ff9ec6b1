"""Edits by kind and system: how often, how many characters, how long, how many texts were left as they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from statistics import median
from typing import Any

import numpy as np

from nlgauge.stats.ratio import ratio
from nlgauge.stats.results import Estimate
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.annotations.analysis.results import Example
from nlgauge.study.protocols.annotations.edits import Edits, edits_of, per_word
from nlgauge.study.protocols.annotations.file import post_edit_study

KINDS = ("inserted", "deleted", "replaced", "moved")
EXAMPLES = 2  # outputs of each system


def told(frozen: Frozen, counted: Sequence[Judgement]) -> dict[str, Any]:
    """Tables, figures, examples and sentences."""
    study = post_edit_study(frozen.study)
    by: dict[str, list[tuple[Judgement, str, Edits]]] = {}
    for one in counted:
        text = frozen.text[one.texts[0]]
        name = study.authors.get(text.subject) or text.subject
        edited = edits_of(text.text, one.answer["text"], study.words)
        by.setdefault(name, []).append((one, text.item, edited))
    figures = {name: _of_system(rows) for name, rows in by.items()}
    ordered = dict(sorted(figures.items(), key=lambda pair: pair[1]["hter"].estimate))
    details = {
        name: {key: value.to_dict() if isinstance(value, Estimate) else value for key, value in row.items()}
        for name, row in ordered.items()
    }
    return {
        "tables": [_edits_table(ordered), _work_table(ordered)],
        "details": {"systems": details},
        "examples": _examples(frozen, counted),
        "sentences": [("Edits", _sentence(ordered))],
    }


def _of_system(rows: Sequence[tuple[Judgement, str, Edits]]) -> dict[str, Any]:
    """HTER of all its texts together (edits over words), with limits over inputs; the rest as it is."""
    items, edited = [item for _, item, _ in rows], [one for *_, one in rows]
    words = [one.words for one in edited]
    total = max(1, sum(words))
    found: dict[str, Any] = {
        "n": len(rows),
        "hter": _hundred(ratio([one.edits for one in edited], np.maximum(words, 1e-9), items, name="HTER")),
    }
    found |= {kind: 100 * sum(getattr(one, kind) for one in edited) / total for kind in KINDS}
    length = max(1, sum(one.length for one in edited))
    found["characters"] = 100 * sum(one.characters for one in edited) / length
    seconds = [per_word(one.seconds, edits) for one, _, edits in rows]
    found["seconds_per_word"] = median(seconds)
    for outcome in ("unchanged", "rewritten"):
        found[outcome] = sum(one.answer["outcome"] == outcome for one, *_ in rows) / len(rows)
    typed = [min(one.answer["active"], one.seconds) for one, *_ in rows if "active" in one.answer]
    keys = [one.answer["keys"] for one, *_ in rows if "keys" in one.answer]
    found["active_seconds"] = median(typed) if typed else None
    found["keys"] = median(keys) if keys else None
    return found


def _hundred(one: Estimate) -> Estimate:
    return Estimate(100 * one.estimate, 100 * one.low, 100 * one.high, one.level, one.method, one.n, one.name)


def _edits_table(
    figures: Mapping[str, Mapping[str, Any]],
) -> tuple[str, list[str], list[list[str]], list[int]]:
    rows = [
        [
            name,
            *(
                "n/a" if isnan(value) else f"{value:.1f}"
                for value in (row["hter"].estimate, row["hter"].low, row["hter"].high)
            ),
            *(f"{row[kind]:.1f}" for kind in KINDS),
            f"{row['characters']:.1f}",
            f"{row['n']:,}",
        ]
        for name, row in figures.items()
    ]
    heads = ["system", "HTER", "low", "high", *KINDS, "characters", "texts"]
    name = "Edits per 100 words of the post-edit, all texts together (characters: per 100; 95 % limits over inputs)"
    return name, heads, rows, list(range(1, 10))


def _work_table(
    figures: Mapping[str, Mapping[str, Any]],
) -> tuple[str, list[str], list[list[str]], list[int]]:
    rows = [
        [
            name,
            f"{row['seconds_per_word']:.2f}",
            "-" if row["active_seconds"] is None else f"{row['active_seconds']:.0f}",
            "-" if row["keys"] is None else f"{row['keys']:.0f}",
            f"{100 * row['unchanged']:.1f}",
            f"{100 * row['rewritten']:.1f}",
        ]
        for name, row in figures.items()
    ]
    heads = ["system", "s per word", "s typing", "keys", "% unchanged", "% rewritten"]
    return "Work (medians; typing and keys as browsers counted them)", heads, rows, [1, 2, 3, 4, 5]


def _limits(low: float, high: float) -> str:
    """Those of one input are not known."""
    return "" if isnan(low) else f"{low:.1f} to {high:.1f}; "


def _sentence(figures: Mapping[str, Mapping[str, Any]]) -> str:
    said = [
        f"{name} {row['hter'].estimate:.1f} ({_limits(row['hter'].low, row['hter'].high)}{row['inserted']:.1f} "
        f"insertions, {row['deleted']:.1f} deletions, {row['replaced']:.1f} substitutions, {row['moved']:.1f} shifts; "
        f"{100 * row['unchanged']:.0f} % of texts unchanged, {100 * row['rewritten']:.0f} % written anew)"
        for name, row in figures.items()
    ]
    return (
        "HTER (edits per 100 words of the post-edits, all texts of a system together; case-sensitive TER as sacreBLEU "
        f"computes it; 95 % limits over inputs) is {'; '.join(said)}."
    )


def _examples(frozen: Frozen, counted: Sequence[Judgement]) -> list[Example]:
    """The outputs of each system that were edited most often, with what became of them."""
    study = post_edit_study(frozen.study)
    given: dict[str, list[Judgement]] = {}
    for one in counted:
        given.setdefault(one.texts[0], []).append(one)
    found = []
    for subject in study.subjects:
        own = [name for name in given if frozen.text[name].subject == subject]
        own.sort(key=lambda name: (-len(given[name]), frozen.text[name].item))
        for name in own[:EXAMPLES]:
            text = frozen.text[name]
            edited = tuple((one.judge, one.answer["text"]) for one in given[name])
            found.append(Example(text.item, study.authors.get(subject) or subject, text.text, edited=edited))
    return found
