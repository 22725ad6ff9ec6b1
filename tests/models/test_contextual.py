"""Batches, windows, memory that runs out, and the cache, on a network of arithmetic."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tiny_models import CLS, SEP, Arithmetic, arithmetic

from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.batching import by_length, halving, overlapped, owners, windows
from nlgauge.models.encoding import Contextual
from nlgauge.models.sentences import Pooled
from nlgauge.models.subwords import Subwords


def test_batches_hold_like_lengths_within_the_budget() -> None:
    lengths = [3, 50, 4, 4, 9, 100, 1]
    made = by_length(lengths, 16)
    assert sorted(place for batch in made for place in batch) == list(range(7))
    assert [[lengths[place] for place in batch] for batch in made] == [[100], [50], [9], [4, 4, 3, 1]]
    assert by_length([], 16) == []


def test_memory_that_runs_out_halves_the_batch() -> None:
    tried: list[int] = []

    def work(places: list[int]) -> int:
        tried.append(len(places))
        if len(places) > 2:
            raise MemoryError
        return len(places)

    done = list(halving(work, list(range(7)), lambda error: isinstance(error, MemoryError)))
    assert [place for places, _ in done for place in places] == list(range(7))
    assert max(tried) == 7 and all(size <= 2 for _, size in done)
    with pytest.raises(InputError, match="does not hold the model and one text"):
        list(halving(lambda places: 1 / 0, [0, 1], lambda error: isinstance(error, ZeroDivisionError)))
    with pytest.raises(ZeroDivisionError):
        list(halving(lambda places: 1 / 0, [0, 1], lambda error: False))


def test_parts_fed_to_a_gpu_come_back_in_order_and_a_failed_load_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[int] = []

    def load() -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise InputError("no room for the network")
        return Arithmetic()

    monkeypatch.setattr(Contextual, "resident", True)
    encoder = arithmetic()
    encoder._load = load
    texts = ["rain", "wind", "a", "", "later calm"]
    with pytest.raises(InputError, match="no room"):
        encoder.encode(texts, 1)
    found = overlapped(lambda text: encoder.encode([text], 1).of(text), texts, resident=True)
    with runtime.use(embeddings="off"):
        plain = arithmetic().encode(texts, 1)
    assert len(tries) == 2 and all(np.array_equal(one, plain.of(text)) for one, text in zip(found, texts, strict=True))


def test_of_the_units_remembered_the_older_half_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Tokeniser:
        def no_padding(self) -> None: ...
        def no_truncation(self) -> None: ...
        def token_to_id(self, name: str) -> None: ...
        def encode_batch(self, texts: list[str]) -> list[Any]:
            asked.extend(texts)
            return [SimpleNamespace(ids=[ord(sign) for sign in text]) for text in texts]

    monkeypatch.setattr("nlgauge.models.subwords._KEPT", 4)
    subwords = Subwords(Tokeniser(), {})
    for texts in (["a", "b"], ["c", "d"], ["a", "e"], ["d", "a", "e"]):
        assert [one.ids.tolist() for one in subwords.units(texts)] == [[ord(text)] for text in texts]
    assert asked == [
        "a",
        "b",
        "c",
        "d",
        "e",
    ]  # the older half of four went for e, but not a, which was asked for
    subwords.units(["b"])
    assert asked[-1] == "b"


def test_encoding_is_the_same_when_memory_is_short() -> None:
    texts = ["rain", "wind and snow", "a", "", "later calm", "rain"]
    with runtime.use(embeddings="off"):
        short = Arithmetic(room=30)
        one, other = arithmetic().encode(texts, 2), arithmetic(short).encode(texts, 2)
    for text in texts:
        assert np.array_equal(one.of(text), other.of(text))
    assert len(short.batches) > 1


def test_each_distinct_text_is_read_once_and_from_the_layer_asked_for() -> None:
    network = Arithmetic()
    encoder = arithmetic(network)
    found = encoder.encode(["ab", "ab", "c", "ab"], 1)
    assert network.read == 2
    assert found.of("ab").tolist() == [
        [2 * CLS, 0, 8],
        [2 * (10 + 97), 2, 8],
        [2 * (10 + 98), 4, 8],
        [2 * SEP, 6, 8],
    ]
    every = encoder.encode_every(["ab", "c"])
    assert sorted(every) == [0, 1, 2] and np.array_equal(every[1].of("ab"), found.of("ab"))
    with pytest.raises(InputError, match="gives layers 0 to 2; got 7"):
        encoder.encode(["a"], 7)


@pytest.mark.parametrize(("content", "room"), [(5, 5), (6, 5), (29, 10), (30, 10), (101, 10), (7, 1)])
def test_windows_cover_every_unit_and_each_is_read_where_it_sees_most(content: int, room: int) -> None:
    cuts = windows(content, room)
    assert cuts[0][0] == 0 and cuts[-1][1] == content and all(stop - start <= room for start, stop in cuts)
    mine = owners(content, cuts)
    for unit, owner in enumerate(mine.tolist()):
        start, stop = cuts[owner]
        assert start <= unit < stop
        if start > 0 and owner > 0 and room > 4:
            assert unit - start >= room // 4 - 1 or stop == content  # never at an inner edge


def test_long_texts_are_windowed_stitched_and_reported() -> None:
    encoder = arithmetic(longest=12)
    text = "abcdefghijklmnopqrstuvwxyz"
    found = encoder.encode([text, "short"], 0)
    rows = found.of(text)
    # one vector for each unit, in order, delimiters at the ends only, though every window had its own
    assert rows[:, 0].tolist() == [CLS, *(10 + ord(letter) for letter in text), SEP]
    assert rows[:, 2].max() == 12 and found.windowed == 1
    assert found.of("short").shape == (7, 3)
    said = encoder.remarks()
    assert said == [
        "1 text is longer than the 12 units that arithmetic reads at once, and was read in overlapping windows"
    ]
    assert encoder.remarks() == []
    again = arithmetic(longest=12)  # read from the cache, and reported all the same
    assert np.array_equal(again.encode([text], 0).of(text), rows) and again.remarks() == said


def test_cut_keeps_the_beginning_and_counts() -> None:
    encoder = arithmetic(longest=6, overlong="cut")
    rows = encoder.encode(["abcdefgh", "ab"], 0, keep=False).of("abcdefgh")
    assert rows[:, 0].tolist() == [CLS, *(10 + ord(letter) for letter in "abcd"), SEP] and encoder.cut == 1


def test_a_second_run_reads_the_cache_and_loads_no_network() -> None:
    texts = ["rain", "wind", ""]
    first = arithmetic().encode(texts, 2)

    def refuse() -> Arithmetic:
        raise AssertionError("the network was loaded though every text is known")

    second = arithmetic()
    second._load = refuse
    again = second.encode(texts[::-1], 2)
    assert all(np.array_equal(first.of(text), again.of(text)) for text in texts)
    with pytest.raises(AssertionError):
        second.encode(texts, 1)  # another layer
    other = arithmetic(digest="of another model")
    other._load = refuse
    with pytest.raises(AssertionError):
        other.encode(texts, 2)


def test_pooled_texts_are_means_or_first_units_and_kept() -> None:
    network = Arithmetic()
    mean, first = Pooled(arithmetic(network)), Pooled(arithmetic(), "cls")
    units = arithmetic().encode(["abc"], 2).of("abc")
    assert np.allclose(mean.encode(["abc", "d", "abc"])[[0, 2]], units.mean(axis=0))
    assert np.array_equal(first.encode(["abc"])[0], units[0])
    read = network.read
    mean.encode(["d", "abc"])
    assert network.read == read == 2
    assert mean.encode([]).shape == (0, 3)


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    with runtime.use(progress=lambda *what: told.append(what), batch_tokens=8, embeddings="off"):
        arithmetic().encode(["rain", "wind", "snow"], 2)
    assert told[-1] == ("texts encoded by arithmetic", 3, 3) and len(told) == 3


def test_settings_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_EMBEDDINGS_GB", "0.5")
    monkeypatch.setenv("NLGAUGE_THREADS", "3")
    assert runtime.current().limit == 2**29 and runtime.current().threads == 3
    for name, value in (
        ("NLGAUGE_EMBEDDINGS", "maybe"),
        ("NLGAUGE_THREADS", "-1"),
        ("NLGAUGE_EMBEDDINGS_GB", "much"),
    ):
        with monkeypatch.context() as here:
            here.setenv(name, value)
            with pytest.raises(InputError, match=name):
                runtime.current()
