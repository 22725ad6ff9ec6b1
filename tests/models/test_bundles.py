"""TensorFlow's checkpoints, read without TensorFlow."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from tiny_checkpoints import bundle, tiny_variables

from nlgauge.errors import InputError
from nlgauge.models.bleurt import Bundle

# What TensorFlow 2.21 wrote (tf.compat.v1.train.Saver) of the five variables below.
INDEX = (
    "AAAGCAEaAggBAAsPYmVydC9hL2JpYXMIExIEEgIIAigENZMvM00HBhVrZXJuZWwIARIIEgIIAhICCAMgBCgYNU3JwDcGARFiCAISBBICCAEgHCgI"
    "NVD0Qw4ACw1nbG9iYWxfc3RlcAgJEgAgJCgINYFregUABBFub25lCAMSBhIAEgIIAyAsNdjqgqIAAAAAAQAAAAAKSfuGAAAAAAEAAAAAwPKhsAAB"
    "A28AlAEAAAAAAQAAAAB+pU5PmQEIpgEPAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFf7gIskdUfb"
)
DATA = "ADgAwAAAAAAAAIA+AAAAPwAAQD8AAIA/AACgP/yp8dJNYlA/IE4AAAAAAAA="


def written(folder: Path, index: bytes, data: bytes) -> Path:
    (folder / "variables.index").write_bytes(index)
    (folder / "variables.data-00000-of-00001").write_bytes(data)
    return folder / "variables"


def test_a_checkpoint_that_tensorflow_wrote_is_read_to_the_bit(tmp_path: Path) -> None:
    found = Bundle(written(tmp_path, base64.b64decode(INDEX), base64.b64decode(DATA)))
    expected = {
        "bert/a/kernel": np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
        "bert/a/bias": np.array([0.5, -2], dtype=np.float16),
        "bert/ab": np.array([1e-3]),
        "global_step": np.array(20_000),
        "none": np.zeros((0, 3), dtype=np.int32),
    }
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        assert np.array_equal(found[name], array)


def test_tables_of_many_blocks_are_read_whole(tmp_path: Path) -> None:
    variables = tiny_variables(wide=5)
    bundle(tmp_path / "v" / "variables", variables)
    found = Bundle(tmp_path / "v" / "variables")
    assert set(found) == set(variables) and len(found) > 40
    assert all(np.array_equal(found[name], array) for name, array in variables.items())


def test_tensorflow_reads_the_same(tmp_path: Path) -> None:
    tensorflow = pytest.importorskip("tensorflow", reason="TensorFlow is not installed: nothing to compare with")
    variables = tiny_variables()
    with tensorflow.Graph().as_default(), tensorflow.compat.v1.Session() as session:
        for name, array in variables.items():
            tensorflow.compat.v1.get_variable(name, initializer=tensorflow.constant(array), use_resource=False)
        session.run(tensorflow.compat.v1.global_variables_initializer())
        tensorflow.compat.v1.train.Saver().save(session, str(tmp_path / "variables"), write_meta_graph=False)
    reader, found = (
        tensorflow.train.load_checkpoint(str(tmp_path / "variables")),
        Bundle(tmp_path / "variables"),
    )
    assert set(found) == set(reader.get_variable_to_shape_map())
    assert all(np.array_equal(found[name], reader.get_tensor(name)) for name in found)


# the byte behind the first block says whether it is compressed
SQUEEZED = base64.b64decode(INDEX).replace(b"\1\0\0\0\0\nI", b"\1\0\0\0\1\nI")


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (b"", "there is no table in it"),
        (b"{}" * 100, "there is no table in it"),
        (base64.b64decode(INDEX)[5:], "cannot be read as the index"),
        (SQUEEZED, "it is compressed"),
    ],
)
def test_an_index_that_is_none_is_refused(tmp_path: Path, index: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Bundle(written(tmp_path, index, b""))


def test_numbers_that_are_not_there_are_refused(tmp_path: Path) -> None:
    found = Bundle(written(tmp_path, base64.b64decode(INDEX), base64.b64decode(DATA)[:9]))
    with pytest.raises(InputError, match=r"does not hold what variables\.index says"):
        found["bert/a/kernel"]
    with pytest.raises(InputError, match=r"variables\.index cannot be read .*No such file"):
        Bundle(tmp_path / "other" / "variables")
