"""The cosine of sentence embeddings: by hand on a network of arithmetic, and MiniLM with and without PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from nlgauge.metrics.sim import Sim
from nlgauge.models.sentences import Pooled

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import arithmetic


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Pooled(arithmetic())
    monkeypatch.setattr(Sim, "loaded", lambda self: encoder)
    a, b, c = encoder.encode(["ab", "xyz", "q"]).astype(np.float64)
    cosine = {k: a @ v / np.linalg.norm(a) / np.linalg.norm(v) for k, v in (("b", b), ("c", c))}
    metric = Sim()
    assert metric.segments(["ab"], [["xyz"]])[0] == pytest.approx(cosine["b"])
    assert metric.segments([" ab "], [["xyz", "q"]])[0] == pytest.approx(max(cosine.values()))
    assert metric.segments(["ab", "", "ab"], [["ab"], ["ab"], [""]]).tolist() == pytest.approx([1, 0, 0])
    assert metric.corpus(["ab", ""], [["ab"], ["ab"]]) == pytest.approx(0.5)


@pytest.mark.slow
def test_minilm_knows_a_paraphrase_with_and_without_pytorch() -> None:
    pairs = (["It will rain in the north."], [["Showers are expected over northern parts."]])
    unrelated = (["It will rain in the north."], [["The engine needs more oil."]])
    small = Sim(model="minilm-int8")
    near, far = small.corpus(*pairs), small.corpus(*unrelated)
    assert near > 0.5 and far < 0.2
    assert Sim().corpus(*pairs) == pytest.approx(near, abs=0.05)
