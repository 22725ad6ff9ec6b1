"""What cannot be learnt from or read is refused in one sentence, with nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_training import write_config, write_set

from nlgauge.cli import main
from nlgauge.errors import InputError, MissingModel, SpecError
from nlgauge.learned.featured import FAR
from nlgauge.learned.folder import NAMED, SHIPPED, alone, open_folder, seal, shipped
from nlgauge.learned.trained import Nubia, Trained
from nlgauge.lexicons.digests import digest_of
from nlgauge.training.featured import once
from nlgauge.training.run import train

Row = dict[str, Any]
LEARNER, FEATURES = "learner: linear", "[chrf, rougeL, length]"
WRITTEN = "data:\n  - {path: judged.jsonl, human: quality}\n"
UNRATED = WRITTEN.replace(", human: quality", "")
COMPARATOR = f"kind: comparator\nname: c\n{WRITTEN}"


def assert_refused(folder: Path, capsys: pytest.CaptureFixture[str], said: str) -> None:
    """`nlgauge train` ends with code 2, one line that says so, and no new file."""
    before = sorted(folder.rglob("*"))
    assert main(["train", str(folder / "metric.yaml"), "-o", str(folder / "kept"), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def rewritten(path: Path, change: Callable[[int, Row], Row]) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(change(place, row)) + "\n" for place, row in enumerate(rows)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5", "line 1: the file must be a mapping with a kind, not '5'"),
        ("", "metric.yaml is empty; nlgauge train --help shows what stands in such a file"),
        ("kind: features\nname: \0", "line 2: the character U+0000 cannot stand in YAML; take it out"),
    ],
)
def test_what_is_no_configuration_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    write_config(tmp_path).write_text(text)
    assert_refused(tmp_path, capsys, said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: share", 'name: "a\\nb"', "line 2: name must be one line"),
        ("name: share", 'name: "a\\0b"', "line 2: name must be one line"),
        (LEARNER, "learner: {kind: network, classify: true}", "classify: true tells 1 from 0"),
        (LEARNER, "learner: {kind: support, classify: true}", "classify: true tells 1 from 0"),
        (LEARNER, "learner: {kind: ranking, margin: 1000}", "ratings more than 1000 apart (margin)"),
        (LEARNER, "learner: {kind: support, epsilon: 1000}", "nothing would be learnt; lower epsilon"),
        (FEATURES, "chrf", "features must be a list, not 'chrf'"),
    ],
)
def test_settings_that_learn_nothing_are_refused_before_features_are_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    path = write_config(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    assert_refused(tmp_path, capsys, said)


def _image(place: int, row: Row) -> Row:
    return {**row, "source": {"image": [1.0] * (3 + place % 2)}}


@pytest.mark.parametrize(
    ("text", "change", "said"),
    [
        (f"kind: vectors\nname: s\nencoders: [minilm:median]\n{WRITTEN}", None, "one of mean, max, extremes"),
        (
            f"kind: sequence\nname: s\nnetwork: leic\n{WRITTEN}",
            _image,
            "3 numbers for the first, item 'i0', and 4 for number 2, item 'i0'",
        ),
        (
            f"kind: vectors\nname: s\nhead: adem\n{WRITTEN}",
            lambda place, row: {**row, "source": {"a": row["item"]}},
            "expected a text with one turn a line, or a list of turns",
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf]\nsupervise: origin\n{UNRATED}",
            None,
            "give each item two references or more",
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf]\n{WRITTEN}",
            lambda place, row: {**row, "ratings": {"quality": [float("nan")]}},
            "where NaN or an infinity stands, which JSON does not have: write null",
        ),
        *(
            (f"kind: features\nname: s\nfeatures: [chrf]\nlearner: {{{learner}}}\n{WRITTEN}", None, said)
            for learner, said in (
                ("kind: support, cost: 0", "learner.cost must be between 1e-06 and 10000, not 0"),
                ("kind: support, cost: 1e12", "learner.cost must be between 1e-06 and 10000, not 1e12"),
                ("kind: support, gamma: 1e300", "learner.gamma must be between 0 and 1000, not 1e300"),
                ("kind: network, decay: 1e30", "learner.decay must be between 0 and 10, not 1e30"),
                ("kind: network, rate: 0", "learner.rate must be between 1e-08 and 1, not 0"),
                (f"kind: network, batch: {10**30}", "learner.batch must be between 1 and 100000, not 1000"),
                (f"kind: network, epochs: {10**30}", "learner.epochs must be between 1 and 100000, not 1000"),
            )
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf, distinct]\n{WRITTEN}",
            None,
            "line 3: distinct@2 describes a system's outputs as a set and has no score of a single one",
        ),
        *(
            (
                f"kind: features\nname: s\nfeatures: [chrf]\n{WRITTEN.replace('quality', f'quality, {key}')}",
                None,
                said,
            )
            for key, said in (
                ("without: three", "has no system 'three' to leave out: known: one, two"),
                ("without: [one, two]", "is left without one, two"),
            )
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf]\n{WRITTEN}",
            lambda place, row: {**row, "ratings": {"quality": [None, None]}},
            "every rating of 'quality' is null, so there is nothing to learn; give ratings as numbers, or name",
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf]\n{WRITTEN}",
            lambda place, row: {**row, "ratings": {"quality": None}},
            "has no criterion 'quality': none of its rows has a rating that is not null",
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf]\n{UNRATED}",
            None,
            "holds no preferences; name the criterion to learn with human: …",
        ),
        (f"kind: pair\nname: s\n{UNRATED}", None, "judged has no criterion; kind pair learns from ratings"),
        (
            f"kind: pair\nname: s\nsynthetic: {{there: a}}\n{WRITTEN}",
            None,
            "back-translation takes two models, synthetic.there and synthetic.back; one is missing",
        ),
        (
            f"kind: features\nname: s\nfeatures: [chrf]\nsupervise: {{kind: origin, people: [ones]}}\n{UNRATED}",
            None,
            "supervise.people names 'ones', no system of",
        ),
        (f"kind: pair\nname: s\nencoder: minilm-int8\n{WRITTEN}", None, "can be run but not trained"),
        (f"kind: vectors\nname: s\nreduce: 1000000\n{WRITTEN}", None, "reduce must be between 0 and 4096"),
        (f"{COMPARATOR.replace('quality', 'fluency')}", None, "fluency"),
        (f"{COMPARATOR}clipped: true\n", None, "clipped is about the scale of ratings"),
        (
            f"{COMPARATOR.replace(', human: quality', '')}supervise: next\n",
            None,
            "supervise: next is not for comparators",
        ),
        (
            f"{COMPARATOR}strong: false\nweak: false\n",
            lambda place, row: {**row, "ratings": {"quality": [3]}},
            "games are ties, so there is nothing to learn",
        ),
        (
            f"{COMPARATOR}human: false\nweak: false\n",
            lambda place, row: {**row, "references": []},
            "no strong game could be made, which takes references beside outputs of systems",
        ),
        (
            f"{COMPARATOR}strong: false\nweak: false\n",
            lambda place, row: {**row, "system": "one", "item": f"{row['item']}{place}"},
            "no human game could be made, which takes preferences, or two outputs of an item",
        ),
        (
            COMPARATOR,
            lambda place, row: {**row, "step": "late"},
            "step is 'late'; expected a number of steps",
        ),
    ],
)
def test_data_that_do_not_fit_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    change: Callable[[int, Row], Row] | None,
    said: str,
) -> None:
    write_config(tmp_path).write_text(text)
    if change:
        rewritten(tmp_path / "judged.jsonl", change)
    assert_refused(tmp_path, capsys, said)


def _cut(folder: Path) -> None:
    file = folder / "weights.safetensors"
    file.write_bytes(file.read_bytes()[:-5])
    seal(folder)


def _flipped(folder: Path) -> None:
    file = folder / "weights.safetensors"
    raw = bytearray(file.read_bytes())
    raw[-3] ^= 1
    file.write_bytes(raw)


def _told(folder: Path, change: Callable[[Any], object]) -> None:
    file = folder / "metric.json"
    told = json.loads(file.read_text())
    change(told)
    file.write_text(json.dumps(told))
    seal(folder)


def _around(folder: Path) -> None:
    shutil.rmtree(folder / "within" / "0")
    os.symlink(folder, folder / "within" / "0")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_cut, "weights.safetensors is damaged or cut short"),
        (_flipped, "was changed or damaged after it was written"),
        (lambda folder: _told(folder, lambda told: told["settings"].pop("learner")), "it lacks 'learner'"),
        (
            lambda folder: _told(folder, lambda told: told["settings"].update(features="chrf")),
            "names its features by 'chrf'; expected a list of specs",
        ),
        (
            lambda folder: _told(folder, lambda told: told["settings"]["features"].append("length")),
            "names 3 features and scales 2; is it whole?",
        ),
        (
            lambda folder: _told(folder, lambda told: told["settings"].update(learner="network")),
            "of a network learner; is it whole?",
        ),
        (
            lambda folder: _told(folder, lambda told: told["settings"].update(features=["chrf", "nope"])),
            "there is no metric 'nope'",
        ),
        (lambda folder: (folder / "metric.json").unlink(), "a folder that nlgauge train wrote ("),
        (lambda folder: (folder / "metric.json").write_text("{"), "metric.json is damaged: it holds no JSON"),
        (_around, "within/0 holds itself: it is a link to a folder around it"),
    ],
)
def test_a_damaged_folder_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], object], said: str
) -> None:
    path = write_config(tmp_path)
    train(path, tmp_path / "inner")
    path.write_text(path.read_text().replace(FEATURES, f"[trained(model={tmp_path / 'inner'}), chrf]"))
    folder = train(path, tmp_path / "outer").folder.path
    damage(folder)
    assert main(["score", str(tmp_path / "judged.jsonl"), "-m", f"trained(model={folder})"]) == 2
    told = capsys.readouterr().err
    assert said in told and str(folder) in told and told.count("\n") == 1


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ('"clipped": false', '"clipped": true'),
        ("chrf(char=6", "chrf(char=5"),
        ('"name": "share"', '"name": "shape"'),
    ],
)
def test_a_folder_whose_facts_were_edited_is_refused(tmp_path: Path, written: str, instead: str) -> None:
    file = train(write_config(tmp_path), tmp_path / "kept").folder.path / "metric.json"
    text = file.read_text()
    assert text.count(written) == 1
    file.write_text(text.replace(written, instead))
    with pytest.raises(InputError, match="was changed or damaged after it was written"):
        open_folder(file.parent)
    seal(file.parent)
    assert open_folder(file.parent)


def test_a_folder_of_an_earlier_version_with_a_digest_of_what_was_learnt_alone_opens(tmp_path: Path) -> None:
    file = train(write_config(tmp_path), tmp_path / "kept").folder.path / "metric.json"
    told = json.loads(file.read_text())
    told["content"] = digest_of([file.with_name("weights.safetensors")])
    file.write_text(json.dumps(told))
    assert open_folder(file.parent).about.clipped is told["clipped"]


def test_the_folders_that_come_with_nlgauge_are_sealed(tmp_path: Path) -> None:
    for name in SHIPPED:
        folder = shutil.copytree(shipped(name) or Path(), tmp_path / name)
        before = (folder / "metric.json").read_bytes()
        seal(folder)
        assert (folder / "metric.json").read_bytes() == before, name


@pytest.mark.parametrize(
    "text",
    [
        f"kind: features\nname: s\nfeatures: [chrf]\n{WRITTEN}",
        f"kind: vectors\nname: s\n{WRITTEN}",
        f"kind: pair\nname: s\n{WRITTEN}",
        f"kind: reading\nname: s\n{WRITTEN}",
        f"kind: sequence\nname: s\n{WRITTEN}",
        f"{COMPARATOR}strong: false\nweak: false\n",
    ],
)
def test_a_split_that_leaves_next_to_nothing_to_learn_from_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    write_set(tmp_path / "judged.jsonl", items=12)
    (tmp_path / "metric.yaml").write_text(f"{text}split: 0.9\n")
    assert_refused(tmp_path, capsys, "would be left to learn from, and 10 are needed; hold fewer out (split)")


def test_a_comparator_needs_games_to_learn_from_beside_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_set(tmp_path / "judged.jsonl", items=24)
    (tmp_path / "metric.yaml").write_text(f"{COMPARATOR}strong: false\nweak: false\nsplit: 0.7\n")
    assert_refused(tmp_path, capsys, "7 of 24 games would be left to learn from")


@pytest.mark.parametrize(
    "command",
    [
        "score judged.jsonl -m trained",
        "compare judged.jsonl -m trained",
        "meta judged.jsonl -m trained --human quality",
        "meta judged.jsonl -m trained --probe",
        "attack judged.jsonl -m trained",
        "explain trained judged.jsonl --item i1 --system one",
        "train metric.yaml -o kept",
    ],
)
def test_a_trained_metric_without_a_model_is_refused_with_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    path = write_config(tmp_path)
    path.write_text(path.read_text().replace(FEATURES, "[chrf, trained]"))
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("nlgauge: trained needs a model, and none is named: trained(model=FOLDER) with")
    assert all(name in told for name in NAMED) and not (tmp_path / "kept").exists()


def test_a_trained_metric_without_a_model_can_be_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "trained"]) == 0
    told = capsys.readouterr().out
    assert "Range −∞ to ∞" in told and "Card:" not in told
    with pytest.raises(MissingModel, match=r"none is named: trained\(model=FOLDER\)"):
        Trained().corpus(["a"], [["a"]])


def test_a_metric_is_not_written_into_one_of_its_features(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    inner = train(path, tmp_path / "inner").folder.path
    path.write_text(path.read_text().replace(FEATURES, f"[trained(model={inner}), chrf]"))
    with pytest.raises(InputError, match="is the folder that is to be written, or around it"):
        train(path, inner / "new")


def test_a_folder_is_written_by_one_training_at_a_time(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    with alone(tmp_path / "kept"), pytest.raises(InputError, match="another training is writing"):
        train(path, tmp_path / "kept")
    train(path, tmp_path / "kept")
    assert not list(tmp_path.glob(".*"))


def test_a_place_where_nothing_can_be_written_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", path)

    write_config(tmp_path)
    monkeypatch.setattr(Path, "touch", refuse)  # whoever runs the tests may be allowed to write anywhere
    place = tmp_path / "kept"
    assert_refused(tmp_path, capsys, f"cannot write {place}: Permission denied ({tmp_path}); give a folder")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("begun", "the training of {} has not ended: give its command again"),
        ("empty", "{} has no metric.json"),
        ("metric.yaml", "{} is a file"),
        ("nowhere", "there is no {}"),
    ],
)
def test_what_is_no_trained_metric_is_refused_with_the_reason(tmp_path: Path, name: str, said: str) -> None:
    write_config(tmp_path)
    (tmp_path / "begun.checkpoints").mkdir()
    (tmp_path / "empty").mkdir()
    place = tmp_path / name
    with pytest.raises(SpecError) as refused:
        Trained(model=str(place))
    assert said.format(place) in str(refused.value)


def test_the_card_says_where_nothing_was_held_out(tmp_path: Path) -> None:
    folder = train(write_config(tmp_path, more="split: 0\n"), tmp_path / "kept").folder.path
    assert "Nothing was held out, so how well it does is not known." in (folder / "README.md").read_text()


def test_a_home_folder_is_found_by_its_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["train", str(write_config(tmp_path)), "-o", "~/kept", "--cache", "~/cache", "--quiet"]) == 0
    assert (tmp_path / "kept" / "metric.json").is_file() and list((tmp_path / "cache").iterdir())


def test_kept_features_that_were_changed_are_made_again(tmp_path: Path) -> None:
    path, made = tmp_path / "part.npy", iter(np.arange(6.0).reshape(3, 2, 1))
    first = once(path, (2, 1), lambda: next(made))
    np.testing.assert_array_equal(once(path, (2, 1), lambda: next(made)), first)
    raw = bytearray(path.read_bytes())
    raw[-40] ^= 1  # within the numbers
    path.write_bytes(raw)
    np.testing.assert_array_equal(once(path, (2, 1), lambda: next(made)), [[2.0], [3.0]])


def scores(metric: Trained, outputs: Iterable[str], reference: str) -> list[float]:
    texts = list(outputs)
    return metric.segments(texts, [[reference]] * len(texts)).tolist()


def test_a_feature_counts_no_further_than_was_learnt_and_a_remark_says_so(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    path.write_text(path.read_text().replace(FEATURES, '[chrf, "length(of=output,unit=characters)"]'))
    metric = Trained(model=str(train(path, tmp_path / "kept").folder.path))
    reference = "fox dog river stone"
    metric.remarks()
    long, longer = scores(metric, ("word " * 400, "word " * 4000), reference)
    assert long == pytest.approx(longer, abs=0.02)
    said = f"more than {FAR:g} standard deviations"
    assert sum(said in told for told in metric.remarks()) == 1
    assert not any(said in told for told in metric.remarks())


@pytest.mark.parametrize("name", ["nubia", "nubia-one-pass"])
def test_nubia_gives_no_full_score_to_one_word_four_hundred_times(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = "The committee approved the new budget on Tuesday after a long debate."
    outputs = ("word " * 400, "The committee approved the new budget.")
    long, good = scores(Nubia(model=name), outputs, reference)
    assert long < 0.6 < good < 1
    row = {"item": "1", "system": "one", "hypothesis": outputs[0], "references": [reference]}
    (tmp_path / "long.jsonl").write_text(json.dumps(row))
    capsys.readouterr()
    assert main(["score", str(tmp_path / "long.jsonl"), "-m", f"nubia(model={name})", "--quiet"]) == 0
    told = " ".join(capsys.readouterr())
    assert "1 output is unlike all that was learnt from in" in told and "such scores mean little" in told
