"""The classifiers of style transfer as a table in the form of De Mattei et al. (2020), Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.wording.paper import Paper, Part

if TYPE_CHECKING:
    from nlgauge.style.classifiers import StyleClassifiers

SHARES = ("precision", "recall", "f")
_HEADERS = ["classifier", "class", "n", "precision", "recall", "F-score", "95 % interval of F"]
_FIGURES = ["classifier", "accuracy", "95 % interval", "log loss", "calibration error"]


def of_classifiers(found: StyleClassifiers) -> Paper:
    """Precision, recall and F of each class on what was held out, and on gold data where these were asked."""
    parts: list[Part] = []
    rows: list[dict[str, Any]] = []
    for name, figures in _asked(found):
        parts += _parts(name, figures)
        rows += [
            {"data": name, "classifier": key, **_flat(row)} for key, told in figures.items() for row in told["by_class"]
        ]
    return Paper(parts, [], notes(found), rows)


def notes(found: StyleClassifiers) -> list[str]:
    """What the figures are of."""
    from nlgauge.training.classifier_figures import LIMITS

    said = [
        f"Intervals are {LIMITS}.",
        "The calibration error is that of ten bins of as many decisions: how far their mean probability lies from how "
        "often they are right. Half of what was held out scaled the probabilities, the other half is reported on.",
    ]
    return said + [f"{row.name}: {note}" for row in found.classifiers for note in row.notes]


def _asked(found: StyleClassifiers) -> list[tuple[str, dict[str, Mapping[str, Any]]]]:
    held: dict[str, Mapping[str, Any]] = {
        row.name: {
            "by_class": row.figures.get("by_class", ()),
            "figures": row.figures["held_out"],
            "intervals": row.figures["held_out_intervals"],
        }
        for row in found.classifiers
    }
    gold: dict[str, Mapping[str, Any]] = {
        row.name: {
            "by_class": row.gold.by_class,
            "figures": row.gold.values,
            "intervals": row.gold.intervals,
        }
        for row in found.classifiers
        if row.gold is not None
    }
    return [(name, figures) for name, figures in (("held out", held), ("gold", gold)) if figures]


def _parts(name: str, figures: Mapping[str, Mapping[str, Any]]) -> list[Part]:
    classes, whole = [], []
    for key, told in figures.items():
        for place, row in enumerate(told["by_class"]):
            shares = [_number(None if row[share] is None else row[share]["value"], 2) for share in SHARES]
            classes.append(["" if place else key, row["label"], f"{row['n']:,}", *shares, _limits(row["f"])])
        right = [_number(told["figures"].get("accuracy"), 3), _ends(told["intervals"].get("accuracy"))]
        losses = [_number(told["figures"].get(loss), 4) for loss in ("log_loss", "calibration_error")]
        whole.append([key, *right, *losses])
    return [
        (f"Classifiers on {name} data", _HEADERS, classes, [2, 3, 4, 5]),
        (f"Their decisions and probabilities on {name} data", _FIGURES, whole, [1, 3, 4]),
    ]


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"class": row["label"], "n": row["n"]}
    for share in SHARES:
        value = row[share] or {}
        told |= {share: value.get("value"), f"{share}_low": value.get("low"), f"{share}_high": value.get("high")}
    return told


def _limits(value: Mapping[str, float | None] | None) -> str:
    if value is None or value["low"] is None or value["high"] is None:
        return "–"
    return _ends((value["low"], value["high"]))


def _ends(ends: Sequence[float] | None) -> str:
    return f"{ends[0]:.3f} to {ends[1]:.3f}" if ends else "–"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
