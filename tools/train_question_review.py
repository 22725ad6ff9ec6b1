"""Trains the second opinion of the question review on the wordings in tests/study/review, and says what it is worth.

    python tools/train_question_review.py            cross-validation: each set judged by what was learnt from the others
    python tools/train_question_review.py --write    writes src/nlgauge/study/review/weights/en.json

A logistic regression (ridge) over the features of study/review/features.py, biased against neutral, and one among the
biased wordings for the sort of bias; features seen in fewer than two wordings, and small weights, are left out.
"""

# ruff: noqa: E501 - lists of names and figures read better in one piece

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from nlgauge.study.review.features import features

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "study" / "review"
TARGET = ROOT / "src" / "nlgauge" / "study" / "review" / "weights" / "en.json"
RIDGE = 0.05
KEPT = 9000
SORTS = ("framing", "demand characteristics", "anchoring", "presentation")
SORT_OF = {
    "framing": "framing-comparative comparative comparison presupposition loaded loaded_words loaded-words leading negated negative"
    " double-barrelled double_barrelled unbalanced-scale unbalanced_scale unlabelled-scale unlabelled_scale unbalanced unlabelled",
    "demand characteristics": "system-name system-names system_name system_visible origin our ownership hypothesis pay pay_tied"
    " praised-trait praised praised_surface appeal hint",
    "anchoring": "anchoring previous-answers previous_answers others stated preset preset_default example_answer anchor",
    "presentation": "fixed fatigue time_pressure order",
}
_SORTS = {word: sort for sort, words in SORT_OF.items() for word in words.split()}
Row = tuple[str, bool, str, str]  # text, biased, sort of bias, set


def rows() -> list[Row]:
    """The wordings with their labels."""
    found: list[Row] = []
    for name in ("wordings.jsonl", "independent.jsonl"):
        for line in (DATA / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            kind = row.get("kind") or next(iter(row.get("kinds", ())), "")
            found.append((row["text"], row["biased"], _sort(kind), str(row.get("set", row.get("batch")))))
    for line in (DATA / "development_biased.tsv").read_text("utf-8").splitlines():
        kind, text = line.split("\t")[:2]
        found.append((text, True, _sort(kind), "0"))
    neutral = (DATA / "development_neutral.txt").read_text("utf-8").splitlines()
    return found + [(text, False, "", "0") for text in neutral]


def _sort(kind: str) -> str:
    return _SORTS.get(kind, _SORTS.get(kind.replace("’", " ").split(" ")[0], "framing"))


def matrix(given: list[dict[str, float]], places: dict[str, int]) -> csr_matrix:
    """One line for each wording, one column for each feature kept."""
    cells = [
        (n, places[name], value)
        for n, one in enumerate(given)
        for name, value in one.items()
        if name in places
    ]
    line, column, value = zip(*cells, strict=True)
    return csr_matrix((value, (line, column)), shape=(len(given), len(places)))


def fitted(x: csr_matrix, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights, and the constant last."""

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ w[:-1] + w[-1]
        p = 1 / (1 + np.exp(-z))
        value = np.logaddexp(0, -z * (2 * y - 1)).sum() + RIDGE * (w[:-1] @ w[:-1])
        return value, np.append(x.T @ (p - y) + 2 * RIDGE * w[:-1], (p - y).sum())

    return minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def pruned(w: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest weights, in thousandths."""
    bar = np.sort(np.abs(w[:-1]))[-min(KEPT, w.size - 1)]
    return np.append(np.where(np.abs(w[:-1]) >= bar, np.round(w[:-1], 3), 0), w[-1])


def places(given: list[dict[str, float]]) -> dict[str, int]:
    """Columns of the features seen at least twice."""
    seen = Counter(name for one in given for name in one)
    return {name: n for n, name in enumerate(sorted(name for name, count in seen.items() if count > 1))}


def cross_validated() -> None:
    """Each set judged by what was learnt from the others."""
    data = rows()
    given = [features(text) for text, *_ in data]
    known = places(given)
    x, y = matrix(given, known), np.array([biased for _, biased, *_ in data], dtype=float)
    sets = np.array([name for *_, name in data])
    for name in sorted(set(sets) - {"0", "1"}):
        rest = sets != name
        w = pruned(fitted(x[rest], y[rest]))
        z = x[~rest] @ w[:-1] + w[-1]
        good, bad = z[y[~rest] == 0], z[y[~rest] == 1]
        area = (bad[:, None] > good[None, :]).mean()
        print(f"{name}: area {area:.3f}; above 0.8 {(bad > 0.8).sum()} of {bad.size} biased, {(good > 0.8).sum()} of {good.size} neutral;"
              f" below -1.2 {(bad < -1.2).sum()} biased, {(good < -1.2).sum()} neutral")  # fmt: skip


def write() -> None:
    """The weights learnt from all wordings."""
    data = rows()
    given = [features(text) for text, *_ in data]
    known = places(given)
    x, y = matrix(given, known), np.array([biased for _, biased, *_ in data], dtype=float)
    w = pruned(fitted(x, y))
    biased = y == 1
    sorts = {}
    for sort in SORTS:
        mine = np.array([float(row[2] == sort) for row in data])[biased]
        sorts[sort] = pruned(fitted(x[biased], mine))
    table = {
        name: [float(w[n]), *(round(float(sorts[sort][n]), 2) for sort in SORTS)]
        for name, n in known.items()
        if w[n]
    }
    head = {
        "constant": [round(float(w[-1]), 3), *(round(float(sorts[sort][-1]), 3) for sort in SORTS)],
        "sorts": SORTS,
    }
    TARGET.parent.mkdir(exist_ok=True)
    lines = ",\n".join(
        f"{json.dumps(name, ensure_ascii=False)}:{json.dumps(row, separators=(',', ':'))}"
        for name, row in table.items()
    )
    content = f'{{"constant":{json.dumps(head["constant"])},"sorts":{json.dumps(SORTS)},"weights":{{\n{lines}\n}}}}\n'
    TARGET.write_text(content, "utf-8")
    print(f"{len(table)} weights from {len(data)} wordings, {len(content) // 1024} KiB")


if __name__ == "__main__":
    write() if "--write" in sys.argv else cross_validated()
