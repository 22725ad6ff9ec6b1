"""A study as a whole: criteria without definitions or that overlap, the order of questions, and how much is asked.

The limits are conventions and not findings: fatigue sets in gradually, and how soon depends on the texts.
"""

# ruff: noqa: E501 - patterns and sentences read better in one piece

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from nlgauge.errors import NlgaugeError
from nlgauge.study.criteria import anchors, compare, find
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.question_review.book import PAPERS
from nlgauge.study.question_review.sources import study_tree, value_of
from nlgauge.study.question_review.types import Remark

MANY = 100
"""Questions a judge is asked in one session from which fatigue is warned of."""


def review_whole(folder: str | Path) -> list[Remark]:
    """Remarks about the study file as a whole."""
    tree, path = study_tree(folder)
    values: Mapping[str, Any] = value_of(tree)
    lines = {str(key.value): key.start_mark.line + 1 for key, _ in tree.value}
    found = [*_criteria(tree, values, lines), *_fatigue(values, lines), *_order(values, lines)]
    return [_at(remark, str(path)) for remark in found]


def _at(remark: Remark, file: str) -> Remark:
    from dataclasses import replace

    return replace(remark, file=file)


def _remark(
    kind: str, bias: str, words: str, reason: str, rewording: str, key: str, line: int, **figures: Any
) -> Remark:
    return Remark(kind, bias, words, reason, PAPERS[bias], rewording, words, line, key, "", "en", figures)


def _criteria(tree: Any, values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Remark]:
    entries, line = values.get("criteria"), lines.get("criteria", 0)
    if not isinstance(entries, list):
        return
    nodes = next(node.value for key, node in tree.value if key.value == "criteria")
    known: list[Criterion] = []
    for place, (entry, node) in enumerate(zip(entries, nodes, strict=True), 1):
        name = entry if isinstance(entry, str) else str(entry.get("id", "")) if isinstance(entry, dict) else ""
        criterion = _criterion(node, f"criteria.{place}")
        if criterion is not None:
            known.append(criterion)
        elif isinstance(entry, str) or (isinstance(entry, dict) and not entry.get("definition")):
            yield _remark(
                "no definition",
                "presentation",
                name or f"criterion {place}",
                "judges and readers of the report cannot know what is measured, as names of criteria mean different things "
                "in different studies",
                f"Add a definition to criteria.{place}, and show it to judges.",
                f"criteria.{place}",
                node.start_mark.line + 1,
            )
    listed = values.get("criteria_order", "listed") == "listed"
    near = {(one.comparison.first, one.comparison.second) for one in anchors(known) if listed}
    for first, second in combinations(known, 2):
        pair = compare(first, second)
        if (first.id, second.id) in near:
            yield _remark(
                "similar neighbours",
                "anchoring",
                f"{first.id}, {second.id}",
                f"asked one after the other they ask for {'the same thing' if pair.relation == 'same' else 'similar things'} "
                f"({pair.why}), so the first answer anchors the second",
                "Put another question between them, ask only one of them, or vary the order (criteria_order: random).",
                "criteria",
                line,
            )
        elif pair.relation == "same":
            yield _remark(
                "overlapping criteria",
                "presentation",
                f"{first.id}, {second.id}",
                f"by their definitions the two measure the same ({pair.why})",
                "Ask only one of them.",
                "criteria",
                line,
            )


def _criterion(node: Any, where: str) -> Criterion | None:
    from nlgauge.study.criteria.entries import from_node

    try:
        return find(node.value) if isinstance(node.value, str) else from_node(node, where)
    except NlgaugeError:
        return None


def _fatigue(values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Remark]:
    criteria = values.get("criteria")
    each = len(criteria) if isinstance(criteria, list) and criteria else 1
    panels = values.get("panels")
    for name, panel in panels.items() if isinstance(panels, dict) else ():
        wanted = panel.get("evaluations", panel.get("items")) if isinstance(panel, dict) else None
        if not isinstance(wanted, str) or not wanted.isdigit() or panel.get("kind") == "machine":
            continue
        asked = int(wanted) * each
        if asked > MANY:
            yield _remark(
                "fatigue",
                "presentation",
                f"{asked} questions",
                f"each judge of panel {name} is asked {asked} questions ({wanted} × {each}): answers get worse as people tire",
                f"Ask at most {MANY} of each judge, with more judges, or plan breaks.",
                f"panels.{name}",
                lines.get("panels", 0),
                questions=asked,
                panel=name,
            )


def _order(values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Remark]:
    for key in ("order", "design"):
        given = values.get(key)
        order = given.get("order") if isinstance(given, dict) else given
        if isinstance(order, str) and order in ("fixed", "same", "as listed", "file", "none"):
            yield _remark(
                "fixed order",
                "presentation",
                f"{key}: {order}",
                "every judge meets the texts in one order, so place and system cannot be told apart",
                "Use a random or balanced order.",
                key,
                lines.get(key, 0),
            )
