"""What one types in Python: `load`, `score`, `compare`. The commands are thin skins over these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.local import Plan, batches, check_needs, compute_rows
from nlgauge.errors import InputError, suggest
from nlgauge.kernels import backend
from nlgauge.metrics import receipt
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.results import Comparison, Comparisons, Score, Scores
from nlgauge.types import Column, EvaluationSet

if TYPE_CHECKING:
    from nlgauge.io.load import Data

Array = NDArray[np.float64]
Progress = Callable[[str, int], None]  # what is being done, segments done since the last call
DEFAULT_METRICS = ("bleu", "chrf", "ter")
