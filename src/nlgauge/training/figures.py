"""How well a trained metric foretells what was held out."""

from __future__ import annotations

import numpy as np
from scipy.stats import mannwhitneyu

from nlgauge.learned.form import Form
from nlgauge.training.config import Training
from nlgauge.training.examples import Examples, batch_of


def figures(training: Training, form: Form, examples: Examples) -> dict[str, float]:
    """Beside predicting the mean; or how well it orders, where people compared."""
    predicted, ordered = training.learnt(form, batch_of(examples)), training.ordered
    found = {}
    known = np.isfinite(examples.targets)
    if known.any():
        targets, said = examples.targets[known], predicted[known]
        if not ordered:
            found["error"] = float(np.sqrt(np.mean((said - targets) ** 2)))
            found["error_of_the_mean"] = float(targets.std())
        if len(targets) > 2 and said.std() > 0 and targets.std() > 0:
            found["pearson"] = float(np.corrcoef(said, targets)[0, 1])
        if set(targets.tolist()) == {0.0, 1.0}:
            found["accuracy"] = float(np.mean((said >= 0.5) == (targets == 1)))
            good, bad = said[targets == 1], said[targets == 0]
            found["auc"] = float(mannwhitneyu(good, bad).statistic / (len(good) * len(bad)))
    if len(examples.pairs):
        gaps = predicted[examples.pairs[:, 0]] - predicted[examples.pairs[:, 1]]
        found["pairs_in_order"] = float(np.mean(gaps > 0) + np.mean(gaps == 0) / 2)
    return found
