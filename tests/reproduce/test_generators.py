"""Small generators: sampling agrees with training, and they learn."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
from nlgauge.generators.networks import BEGIN, NETWORKS  # noqa: E402
from nlgauge.generators.training import Decoding, Generator, Hyperparameters, Vocabulary  # noqa: E402
from nlgauge.reproduce.settings import Settings, Unit  # noqa: E402
from nlgauge.reproduce.stories import stories  # noqa: E402

STORIES = stories(60, "a test of generators")
WORDS = Vocabulary(STORIES)


@pytest.fixture(autouse=True)
def _alone() -> None:
    torch.set_num_threads(1)


def generator(network: str, seed: int = 1) -> Generator:
    made = Hyperparameters(network=network, width=16, rate=0.01, dropout=0.0, steps=30, stories=40, seed=seed)
    return Generator(made, WORDS, STORIES, "cpu")


@pytest.mark.parametrize("network", NETWORKS)
def test_words_one_by_one_are_as_likely_as_all_at_once(network: str) -> None:
    net = generator(network).net.eval()
    source = WORDS.numbers([story.prompt for story in STORIES[:3]], WORDS.source, whole=False)
    target = WORDS.numbers([story.text for story in STORIES[:3]], WORDS.target, whole=True)[:, :12]
    assert (target[:, 0] == BEGIN).all()
    whole = net(source, target)
    memory = net.read(source)
    state, steps = net.begin(memory), []
    for place in range(12):
        logits, state = net.write(target[:, place : place + 1], memory, state, place)
        steps.append(logits)
    assert torch.allclose(whole, torch.cat(steps, 1), atol=1e-5)


@pytest.mark.parametrize("network", NETWORKS)
def test_they_learn_and_write_the_same_again(network: str) -> None:
    one, other = generator(network), generator(network)
    before = np.log(one.surprise(STORIES[40:])).mean()
    one.learn(30)
    other.learn(10)
    other.learn(30)
    assert np.log(one.surprise(STORIES[40:])).mean() < before - 0.5
    prompts = [story.prompt for story in STORIES[:8]]
    assert one.write(prompts, Decoding(0.7), 5) == other.write(prompts, Decoding(0.7), 5)
    assert one.write(prompts, Decoding(0.7), 5) != one.write(prompts, Decoding(0.7), 6)
    assert one.write(prompts, Decoding(1.0, 1), 5) == one.write(prompts, Decoding(1.0, 1), 6)


def test_a_plan_is_the_same_whenever_it_is_asked_for_and_other_for_each_seed() -> None:
    units = Settings(seed=7).units()
    assert [unit.options for unit in units] == [unit.options for unit in Settings(seed=7).units()]
    assert Unit("search", 0, Settings(seed=8)).options != units[30].options
    searched = [unit for unit in units if unit.kind == "search"]
    assert {unit.options[0].made.network for unit in searched} == set(NETWORKS)
    assert all(len({option.made.network for option in unit.options}) == 1 for unit in searched)
    seeds = [option.made.seed for unit in units for option in unit.options]
    own = {unit.name: {option.made.seed for option in unit.options} for unit in units}
    assert sum(map(len, own.values())) == len(set(seeds))  # no training of one unit serves another
    watched = next(unit for unit in units if unit.kind == "stopping")
    assert [option.step for option in watched.options] == [100, 200, 400, 700, 1000, 1300, 1600, 2000]
