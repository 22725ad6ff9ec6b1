"""The pointer-generator and the LSTM that reads both ways: steps agree with training, and unseen words are copied."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
from nlgauge.errors import InputError  # noqa: E402
from nlgauge.generators.networks import ALL, PAD  # noqa: E402
from nlgauge.generators.training import (  # noqa: E402
    Decoding,
    Example,
    Generator,
    Hyperparameters,
    Vocabulary,
    Writer,
)

NEW = ("bilstm", "pointer")
GREEDY = Decoding(top=1)
FILLERS = ["the", "old", "mayor", "said", "that", "rain", "falls", "today", "in", "town"]


def named(number: int, prefix: str) -> list[Example]:
    """A name after the word `called`, to be told; each name is used once."""
    random = Random(prefix)
    made = []
    for place in range(number):
        before, after = (random.choices(FILLERS, k=random.randint(1, 3)) for _ in range(2))
        name = f"{prefix}{place}"
        made.append(Example(" ".join([*before, "called", name, *after]), f"it is {name}"))
    return made


LEARNT, ASKED = named(400, "seen"), named(40, "fresh")
WORDS = Vocabulary(LEARNT)


@pytest.fixture(autouse=True)
def _alone() -> None:
    torch.set_num_threads(1)


def generator(network: str, steps: int = 0) -> Generator:
    made = Hyperparameters(network=network, width=24, rate=0.02, dropout=0.0, steps=steps, stories=len(LEARNT), seed=3)
    trained = Generator(made, WORDS, LEARNT, "cpu")
    trained.learn(steps)
    return trained


@pytest.mark.parametrize("network", NEW)
def test_words_one_by_one_are_as_likely_as_all_at_once(network: str) -> None:
    made = generator(network)
    net = made.net.eval()
    source, target = made._pair(ASKED[:4])
    whole = net(source, target)
    memory = net.read(source)
    state, steps = net.begin(memory), []
    for place in range(target.shape[1]):
        logits, state = net.write(target[:, place : place + 1], memory, state, place)
        steps.append(logits)
    assert torch.allclose(whole, torch.cat(steps, 1), atol=1e-5)


def test_probabilities_of_words_and_copies_sum_to_one() -> None:
    made = generator("pointer", steps=5)
    source, target = made._pair(ASKED[:6])
    chances = made.net.eval()(source, target).exp()
    assert chances.shape[-1] == len(WORDS) + source.shape[1]
    assert torch.allclose(chances.sum(-1), torch.ones(target.shape), atol=1e-5)
    # the one unseen word of each prompt has the first number after the vocabulary
    copied = chances[:, :, len(WORDS)]
    assert (copied > 1e-4).all()
    assert (chances[:, :, len(WORDS) + 1 :] < 1e-20).all()


@pytest.mark.parametrize("network", NEW)
def test_what_is_empty_after_a_text_changes_nothing(network: str) -> None:
    net = generator(network).net.eval()
    source = torch.tensor([[5, 6, 7, PAD, PAD], [5, 6, 7, 8, 9]])
    target = torch.tensor([[1, 5, 6], [1, 5, 6]])
    alone = net(source[:1, :3], target[:1])
    with_more = net(source, target)
    assert torch.allclose(alone[..., : len(WORDS)], with_more[:1, :, : len(WORDS)], atol=1e-5)
    assert not torch.allclose(net(source[1:], target[1:])[..., :9], with_more[:1, :, :9], atol=1e-3)


def test_both_directions_are_read() -> None:
    net = generator("bilstm").net.eval()
    one, other = torch.tensor([[5, 6, 7]]), torch.tensor([[5, 6, 8]])
    first, second = (net.read(source).vectors[0, 0] for source in (one, other))
    assert not torch.allclose(first, second, atol=1e-4)  # the first word has seen the last
    plain = generator("lstm").net.eval()
    assert torch.equal(plain.read(one).vectors[0, 0], plain.read(other).vectors[0, 0])


def test_unseen_words_are_copied_by_the_pointer_and_not_by_the_plain_network() -> None:
    wanted = [example.text for example in ASKED]
    prompts = [example.prompt for example in ASKED]
    assert not {name.split()[-1] for name in wanted} & set(WORDS.words)
    right = {
        network: sum(
            text == good for text, good in zip(generator(network, 250).write(prompts, GREEDY, 0), wanted, strict=True)
        )
        for network in NEW
    }
    assert right["pointer"] >= 36
    assert right["bilstm"] == 0


@pytest.mark.parametrize("network", ALL)
def test_what_is_kept_writes_the_same(network: str, tmp_path: Path) -> None:
    made = generator(network, 5)
    made.save(tmp_path)
    prompts = [example.prompt for example in ASKED[:8]]
    again = Writer.open(tmp_path, "cpu")
    assert again.write(prompts, GREEDY, 0) == made.write(prompts, GREEDY, 0)
    assert (again.surprise(ASKED) == made.surprise(ASKED)).all()
    (tmp_path / "weights.safetensors").write_bytes(b"1234")
    with pytest.raises(InputError, match="no whole generator"):
        Writer.open(tmp_path, "cpu")
