"""What is counted of the outputs of a system on one test set."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nlgauge.corpus.conform.checking import Checked, Checker

Fact = tuple[str, str, str]


def measured(checks: Checker, rows: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> dict[str, float | None]:
    """Every measure by the rules of the corpus; none where there is nothing to count."""
    checked = [
        checks.check(text, [(s, p, o) for s, p, o in row["source"]]) for row, text in zip(rows, texts, strict=True)
    ]
    clauses = [clause for row in checked for clause in row.reading.clauses]
    several = [row for row in checked if len(row.reading.facts()) > 1]
    given = sum(len(row["source"]) for row in rows)
    names = [
        (mention.entity, mention.words)
        for clause in clauses
        for mention in (clause.subject, clause.value)
        if mention.entity
    ]
    found: dict[str, float | None] = {
        "strict": _share(row.strict for row in checked),
        "credit": _share(row.credit for row in checked),
        "said": sum(len(row.facts["said"]) for row in checked) / given if given else None,
        **_of_templates([clause.template for clause in clauses]),
        "minority": _minority(checks, checked),
        "names": _entropy(names),
        "order": _share(row.ordered for row in several),
        "segmentation": _share(row.segmented for row in several),
        "aggregation": _share(row.aggregated for row in several),
        "references": _share(row.referred for row in several),
    }
    return found


def judged(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """What the verdicts of a parser of one's own give."""
    used = [str(name) for row in verdicts for name in row.get("templates") or ()]
    return {
        "strict": _share(bool(row["strict"]) for row in verdicts),
        "credit": _share(float(row.get("credit", row["strict"])) for row in verdicts),
        **(_of_templates(used) if used else {}),
    }


def _of_templates(used: Sequence[str]) -> dict[str, float | None]:
    return {
        "templates": float(len(set(used))),
        "entropy": _entropy([(name.rpartition("/")[0], name) for name in used]),
    }


def _minority(checks: Checker, checked: Sequence[Checked]) -> float | None:
    """Among the clauses of predicates that have several templates in training."""
    rarest: dict[str, str] = {}
    for predicate, known in checks.rules.lexicalisations.items():
        shares = {one.name: checks.rules.shares.get(one.name, 0.0) for one in known}
        used = {name: share for name, share in shares.items() if share}
        if len(used) > 1:
            rarest[predicate] = min(used, key=lambda name: (used[name], name))
    hits = [
        clause.template == rarest[clause.fact[1]]
        for row in checked
        for clause in row.reading.clauses
        if clause.fact[1] in rarest
    ]
    return _share(hits)


def _share(hits: Iterable[float]) -> float | None:
    values = list(hits)
    return sum(values) / len(values) if values else None


def _entropy(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Of the second within each first, in bits, by how often each first is."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for group, value in pairs:
        groups[group][value] += 1
    total = 0.0
    for counts in groups.values():
        size = counts.total()
        total -= sum(count * math.log2(count / size) for count in counts.values())
    return max(0.0, total / len(pairs)) if pairs else None
