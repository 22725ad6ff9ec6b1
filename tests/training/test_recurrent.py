"""Recurrent networks in NumPy: gates by hand, whole networks as PyTorch runs them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.learned import sequence
from nlgauge.learned.sequence import NETWORKS, Padded, aligned, lstm, padded

UNITS, WIDTH, IMAGE = 5, 4, 3


def test_gates_by_hand() -> None:
    weights = {
        "x.weight_ih_l0": np.array([[1.0], [2.0], [0.5], [-1.0]]),  # input, forget, cell, output
        "x.weight_hh_l0": np.array([[0.3], [0.0], [1.0], [0.0]]),
        "x.bias_ih_l0": np.array([0.0, 1.0, 0.0, 0.0]),
        "x.bias_hh_l0": np.zeros(4),
    }

    def share(value: float) -> float:
        return 1 / (1 + math.exp(-value))

    memory = share(1.0) * math.tanh(0.5)
    state = share(-1.0) * math.tanh(memory)
    again = share(2 * 2 + 1) * memory + share(2 + 0.3 * state) * math.tanh(0.5 * 2 + state)
    found = lstm(weights, "x", Padded(np.array([[[1.0], [2.0]]]), np.array([2])))
    assert found.ravel().tolist() == pytest.approx([state, share(-2.0) * math.tanh(again)], abs=1e-12)


def test_padding_changes_nothing_in_either_direction() -> None:
    random = np.random.default_rng(0)
    shapes = {"weight_ih": (8, 3), "weight_hh": (8, 2), "bias_ih": (8,), "bias_hh": (8,)}
    weights = {
        f"x.{name}_{way}": random.normal(size=shape) for name, shape in shapes.items() for way in ("l0", "l0_reverse")
    }
    short, long = random.normal(size=(2, 3)), random.normal(size=(6, 3))
    for back in (False, True):
        alone = lstm(weights, "x", padded([short], 3), back=back)[0]
        beside = lstm(weights, "x", padded([short, long], 3), back=back)[0]
        np.testing.assert_allclose(beside[:2], alone, atol=1e-14)
        assert not beside[2:].any()


def test_alignment_by_hand() -> None:
    mine = Padded(np.array([[[1.0, 0.0]]]), np.array([1]))
    theirs = Padded(np.array([[[1.0, 0.0], [0.0, 2.0], [9.0, 9.0]]]), np.array([2]))  # the last is padding
    share = math.e / (math.e + 1)
    assert aligned(mine, theirs)[0, 0].tolist() == pytest.approx([share, 2 * (1 - share)])


def test_esim_ends_in_the_formula_of_its_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uᵀ ReLU(Wᵀ x + b) + b′, x the means and maxima over the states of both texts."""
    states = [np.array([[[1.0], [3.0]]]), np.array([[[-2.0], [0.5]]])]
    read = iter([Padded(made, np.array([2])) for made in (*states, *states)])
    monkeypatch.setattr(sequence, "both", lambda *given: next(read))
    weights = {"join.weight": np.zeros((1, 4)), "join.bias": np.zeros(1), "out.bias": np.array([0.25])}
    weights |= {
        "hidden.weight": np.array([[1.0, 1, 1, 1], [-1, 0, 0, 0]]),
        "hidden.bias": np.array([0.5, 1.0]),
    }
    weights |= {"out.weight": np.array([[2.0, 5.0]])}
    texts = [padded([made[0]], 1) for made in states]
    x = np.array([2.0, 3.0, -0.75, 0.5])
    expected = 2 * max(0.0, x.sum() + 0.5) + 5 * max(0.0, 1.0 - x[0]) + 0.25
    assert NETWORKS["esim"](weights, texts, np.zeros((1, 0)))[0] == pytest.approx(expected)


@pytest.mark.parametrize("network", NETWORKS)
def test_networks_equal_pytorch(network: str) -> None:
    torch = pytest.importorskip("torch")
    from nlgauge.training.sequence import layers, run

    torch.manual_seed(1)
    net = layers(torch, network, WIDTH, UNITS, IMAGE).double()
    random = np.random.default_rng(2)
    texts = [
        padded([random.normal(size=(size, WIDTH)) for size in sizes], WIDTH) for sizes in ((3, 7, 1, 0), (5, 2, 6, 4))
    ]
    texts = texts[:1] if network == "leic" else texts
    images = random.normal(size=(4, IMAGE))
    weights = {name: values.numpy() for name, values in net.state_dict().items()}
    with torch.inference_mode():
        expected = run(torch, net, network, texts, torch.from_numpy(images)).numpy()
    np.testing.assert_allclose(NETWORKS[network](weights, texts, images), expected, atol=1e-10)
    assert np.ptp(expected) > 1e-3
