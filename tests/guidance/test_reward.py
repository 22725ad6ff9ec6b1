"""The comparator as a reward: what it says in PyTorch, its gradients, and the warning."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.guidance import reward
from nlgauge.guidance.comparing import ByComparator, ByScore, by_folder
from nlgauge.guidance.reward import SoftReward, TrainedAgainst, text_rewards
from nlgauge.learned.comparator import TIE, A, B, Comparator, Written
from nlgauge.learned.folder import About, keep

torch = pytest.importorskip("torch", reason="torch is not installed: no gradients")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: no encoder")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert  # noqa: E402


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))


def comparator(folder: Path, reads: str, *, longest: int = 40) -> Comparator:
    """Random weights, with a hidden layer in the head."""
    from nlgauge.learned.paired import shape_of

    tiny_bert(folder / "bert")
    bert = transformers.BertModel.from_pretrained(folder / "bert", add_pooling_layer=False)
    weights: dict[str, Any] = {
        name: value.numpy() for name, value in bert.state_dict().items() if value.is_floating_point()
    }
    random = np.random.default_rng(1)
    for layer, size in (("score.0", (8, 32)), ("score.2", (2 if reads == "apart" else 3, 8))):
        weights[f"{layer}.weight"] = random.normal(size=size).astype(np.float32)
        weights[f"{layer}.bias"] = random.normal(size=size[0]).astype(np.float32)
    form = Comparator(
        reads=reads,
        pooled="both",
        longest=longest,
        encoder="tiny",
        network=shape_of(bert.config.to_dict()),
        weights=weights,
        home=folder / "bert",
    )
    about = About(name="letters", kind="comparator", settings=form.settings())
    made = keep(folder / "kept", about, form, card="", recipe={}).form
    assert isinstance(made, Comparator)
    return made


def one_hot(made: SoftReward, form: Comparator, texts: list[str]) -> tuple[Any, list[int]]:
    pieces = form.read_weights()[1]
    units = [pieces.units(text) for text in texts]
    soft = torch.zeros(len(texts), max(map(len, units)), made.vocabulary)
    for row, ids in enumerate(units):
        soft[row, range(len(ids)), ids] = 1
    return soft, [len(ids) for ids in units]


@pytest.mark.parametrize("longest", [40, 14])
@pytest.mark.parametrize("reads", ["apart", "together"])
def test_it_says_what_the_comparator_says_and_a_step_raises_it(tmp_path: Path, reads: str, longest: int) -> None:
    form = comparator(tmp_path, reads, longest=longest)
    others = [Written("a c d", "e f"), Written("g g g g g g", ""), Written("z", "a b c d e f g h")]
    texts = ["b b c", "d", "a b c d e f g"]
    made = SoftReward(form)
    soft, lengths = one_hot(made, form, texts)
    ones = [Written(text, other.context) for text, other in zip(texts, others, strict=True)]
    assert np.allclose(made.outcomes(soft, others, lengths).numpy(), form.probabilities(ones, others), atol=1e-4)

    logits = (4 * soft).requires_grad_()
    before = made(torch.softmax(logits, dim=2), others, lengths)
    before.sum().backward()
    moved = logits.grad.abs().sum(dim=2) > 0
    assert moved[0, : lengths[0]].all() and moved[1, : lengths[1]].all() and not moved[1, lengths[1] :].any()
    read = moved.any(dim=1)  # of the last text nothing is left where a long context comes before it
    assert read[2] or (reads, longest) == ("together", 14)
    with torch.no_grad():
        after = made(torch.softmax(logits + 0.1 * logits.grad, dim=2), others, lengths)
    assert (after[read] > before[read]).all()
    hard = torch.nn.functional.gumbel_softmax(logits, hard=True)
    made(hard, others, lengths).sum().backward()  # straight through


def test_a_reward_of_texts_is_the_chance_to_win_and_half_that_of_a_tie(tmp_path: Path) -> None:
    form = comparator(tmp_path, "apart")
    compares = by_folder(tmp_path / "kept")
    assert isinstance(compares, ByComparator) and compares.name.startswith("letters:")
    ones, others = [Written("a b"), Written("c")], [Written("c"), Written("c")]
    said = form.probabilities(ones, others)
    assert np.allclose(text_rewards(compares, ones, others), said[:, A] + said[:, TIE] / 2)
    assert text_rewards(compares, ones, others)[1] == pytest.approx(0.5)
    numbers = ByScore("length", lambda texts: [len(text.text) for text in texts])
    assert text_rewards(numbers, ones, others).tolist() == [1.0, 0.5]


def test_that_texts_are_cut_is_warned_of_once(tmp_path: Path) -> None:
    comparator(tmp_path, "apart")
    compares = by_folder(tmp_path / "kept")
    long, short = [Written("a b c. " * 200)], [Written("a b")]
    with pytest.warns(UserWarning, match="reads 250 words of a text"):
        compares.outcomes(long, short)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compares.outcomes(long, short)


def test_it_warns_once_of_what_training_against_it_does(tmp_path: Path) -> None:
    reward._warn.cache_clear()
    form = comparator(tmp_path, "apart")
    with pytest.warns(TrainedAgainst, match="no longer be judged by it"):
        SoftReward(form)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SoftReward(form)


def test_soft_texts_of_another_vocabulary_and_other_encoders_are_refused(tmp_path: Path) -> None:
    form = comparator(tmp_path, "apart")
    made = SoftReward(form)
    with pytest.raises(InputError, match=rf"expected \(1, length, {made.vocabulary}\)"):
        made(torch.zeros(1, 2, 3), [Written("a")])
    from dataclasses import replace

    with pytest.raises(InputError, match="text_rewards works with it"):
        SoftReward(replace(form, network={}))


def test_an_adversarial_evaluator_never_ties_two_texts_it_tells_apart(tmp_path: Path) -> None:
    """Trained without comparison, a tie has log odds of −30: its chance is nothing, and strengths decide."""
    form = comparator(tmp_path, "apart")
    weights = dict(form.weights)
    weights["score.2.weight"] = np.array(weights["score.2.weight"])
    weights["score.2.bias"] = np.array(weights["score.2.bias"])
    weights["score.2.weight"][1], weights["score.2.bias"][1] = 0.0, -15.0
    from dataclasses import replace

    found = ByComparator("adversarial", replace(form, weights=weights)).outcomes([Written("a b")], [Written("c")])
    assert found[0, TIE] < 1e-10 and found[0, A] + found[0, B] == pytest.approx(1)
