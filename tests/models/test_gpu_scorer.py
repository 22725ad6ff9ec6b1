"""What a GPU would compute of pairs, here on the processor: the same units, and the same numbers but for rounding."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.learned.folder import open_folder, shipped
from nlgauge.learned.paired import Paired
from nlgauge.models import runtime
from nlgauge.models.scoring import How, NumpyScorer

pytest.importorskip("torch", reason="torch is not installed: no GPU either")
pytest.importorskip("transformers", reason="transformers is not installed: nothing that a GPU runs")
from nlgauge.models.scoring import GpuScorer

PAIRS = [
    ("name[The Mill], area[riverside]", "The Mill is a pub by the river."),
    ("", "Hello."),
    ("", ""),
    ("Ünïcode, 中文 ﬁne²", "naïve café"),
    ("a long context " * 90, "and a short answer"),
    ("short", "a long answer " * 90),
    *((f"question {size}", "word " * size) for size in range(1, 120, 17)),
]


def form() -> Paired:
    folder = shipped("nlgauge-mt")
    assert folder is not None
    found = open_folder(folder).form
    assert isinstance(found, Paired)
    return found


def made(how: How) -> tuple[GpuScorer, NumpyScorer]:
    """In half precision by PyTorch, and in NumPy."""
    found = form()
    tensors, pieces = found.read_weights()
    with runtime.use(device="cpu"):
        return GpuScorer(tensors, dict(found.network), pieces, how), NumpyScorer(
            tensors, dict(found.network), pieces, how
        )


@pytest.mark.parametrize("cut", ["longest_first", "context"])
def test_it_reads_the_units_that_numpy_reads(cut: str) -> None:
    scorer, plain = made(How(pooled="both", longest=100, cut=cut))
    pieces = plain.pieces
    units = scorer._units(PAIRS)
    for place, (one, other) in enumerate(PAIRS):
        wanted, first, _ = pieces.pair(one, other, 100, cut=cut)
        texts = [
            units.row[start : start + size].tolist()
            for start, size in zip(units.starts[:, place], units.sizes[:, place], strict=True)
        ]
        assert [pieces.first, *texts[0], pieces.separator, *texts[1], pieces.separator] == wanted
        assert len(texts[0]) + 2 == first
    assert scorer.cut == 3


@pytest.mark.parametrize("cut", ["longest_first", "context"])
def test_its_numbers_are_those_of_numpy_but_for_rounding(cut: str) -> None:
    scorer, plain = made(How(pooled="both", longest=100, cut=cut))
    wanted = plain.scores(PAIRS)
    assert np.abs(scorer.scores(PAIRS) - wanted).max() < 0.01 < wanted.std()
    assert scorer.cut == plain.cut == 3
    scorer._model.float()
    assert np.abs(scorer.scores(PAIRS) - wanted).max() < 0.002


def test_small_batches_and_many_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer, _ = made(How(pooled="both", longest=100))
    scorer._model.float()
    wanted = scorer.scores(PAIRS)
    monkeypatch.setattr("nlgauge.models.scoring.TOGETHER", 3)
    with runtime.use(batch_tokens=120):
        assert scorer.scores(PAIRS) == pytest.approx(wanted, abs=1e-4)
    assert scorer.scores([]).shape == (0, 1)


def test_where_there_is_a_gpu_the_metric_says_that_it_ran_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.learned.paired.chosen", lambda wanted: "cuda")
    found = form()
    assert found.on_gpu and not found.eight_bits and found.model_fact == "fp16"
