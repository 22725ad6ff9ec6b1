"""BERT in 8-bit arithmetic: every layer near that of the full weights, a text's vectors the same in any company."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from nlgauge import models
from nlgauge.errors import InputError
from nlgauge.models import protobuf, runtime
from nlgauge.models.int8 import read
from nlgauge.models.resolve import locate

TEXTS = [
    "Rain in the north.",
    "A",
    "",
    "The old man and the sea, who had gone eighty-four days without taking a fish.",
]


def cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    return np.einsum("ij,ij->i", one, other) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


def test_messages_are_read_as_written() -> None:
    inner = protobuf.whole(1, 300) + protobuf.text(2, "naïve")
    message = protobuf.text(7, inner) + protobuf.whole(3, -1) + protobuf.real(4, 1.5)
    (seven, three, four) = protobuf.fields(memoryview(message))
    assert seven[0] == 7 and bytes(seven[1]) == inner  # type: ignore[arg-type]
    assert three == (3, 2**64 - 1) and four[0] == 4 and np.frombuffer(four[1], dtype="<f4")[0] == 1.5  # type: ignore[call-overload]
    (one, two) = protobuf.fields(memoryview(inner))
    assert one == (1, 300) and str(two[1], "utf-8") == "naïve"  # type: ignore[arg-type]
    for damaged in (message[:-1], b"\xff", b"\x0b"):
        with pytest.raises(ValueError):
            list(protobuf.fields(memoryview(damaged)))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"nonsense", protobuf.text(7, b"")):
        (tmp_path / "model.onnx").write_bytes(content)
        with pytest.raises(InputError, match="is no BERT with 8-bit weights"):
            read(tmp_path / "model.onnx")


def test_the_units_are_those_of_the_full_models_tokeniser() -> None:
    """The vocabulary comes with nlgauge; no other package is asked for it."""
    from nlgauge.models.resolve import tokeniser_folder
    from nlgauge.models.subwords import Subwords

    draw = random.Random(1)
    signs = [
        *range(32, 127),
        *range(160, 0x600),
        *range(0x3000, 0x3100),
        *range(0x4E00, 0x4F00),
        0x200B,
        0x1F600,
    ]
    odd = ["".join(chr(draw.choice(signs)) for _ in range(draw.randrange(60))) for _ in range(500)]
    full = locate("minilm", "contextual").path
    mine, theirs = (Subwords.read(folder, {"model_type": "bert"}, "the test") for folder in (tokeniser_folder(), full))
    assert (mine.delimiters, mine.pad) == (theirs.delimiters, theirs.pad)
    for one, other in zip(mine.units([*TEXTS, *odd]), theirs.units([*TEXTS, *odd]), strict=True):
        assert np.array_equal(one.ids, other.ids)


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    from nlgauge.models.int8 import Int8Network
    from nlgauge.models.onnx import OnnxNetwork

    content = (locate("minilm-int8", "contextual").path / "model.onnx").read_bytes()
    name = b"inner.encoder.layer.3.output.LayerNorm.weight"
    assert name in content
    path = tmp_path / "model.onnx"
    renamed = content.replace(name, name[:-1] + b"?")  # consistently, so that ONNX Runtime takes no offence
    for damaged, networks in (
        (renamed, [Int8Network]),
        (b"", [Int8Network, OnnxNetwork]),
        (content[:100_000], [Int8Network, OnnxNetwork]),
    ):
        path.write_bytes(damaged)
        for network in networks:
            with pytest.raises(InputError, match=r"model\.onnx"):
                network(path).run([np.array([101, 2000, 102])], [6])


def test_a_text_has_the_same_vectors_whatever_is_read_beside_it() -> None:
    encoder = models.contextual("minilm-int8", purpose="the test")
    with runtime.use(embeddings="off"):
        together = encoder.encode_every(TEXTS)
    assert encoder.layers == tuple(range(7)) and "int8" in encoder.info.fact()
    with runtime.use(embeddings="off", threads=1):
        other = models.contextual("minilm-int8", purpose="the test")
        for text in TEXTS:
            assert np.array_equal(other.encode([text], 4).of(text), together[4].of(text))


@pytest.mark.slow
def test_every_layer_is_near_that_of_the_full_weights() -> None:
    small, full = (models.contextual(name, purpose="the test") for name in ("minilm-int8", "minilm"))
    mine, theirs = small.encode_every(TEXTS), full.encode_every(TEXTS)
    for layer in small.layers:
        for text in TEXTS:
            assert cosines(mine[layer].of(text), theirs[layer].of(text)).min() > (0.998 if layer == 0 else 0.95)


def test_near_the_same_weights_in_float_arithmetic() -> None:
    """The file's own graph, which widens the weights."""
    from nlgauge.models.onnx import OnnxNetwork

    encoder = models.contextual("minilm-int8", purpose="the test")
    path = locate("minilm-int8", "contextual").path / "model.onnx"
    ids = encoder.units([TEXTS[3]])[0].ids
    with runtime.use(embeddings="off"):
        mine = encoder.encode([TEXTS[3]], 6).of(TEXTS[3])
    assert cosines(mine, OnnxNetwork(path).run([ids], [6])[:, 0]).min() > 0.97
