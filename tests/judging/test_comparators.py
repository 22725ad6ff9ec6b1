"""A trained comparator as a judge: in a study, and of an evaluation set; its position bias before orders are joined."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.judging.judge import judge
from nlgauge.learned.comparator import Comparator, Written
from nlgauge.learned.folder import open_folder
from nlgauge.stats.skill.samples import common_references
from nlgauge.training.run import read_config, train

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert  # noqa: E402


@pytest.fixture(scope="module", params=["apart", "together"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparator of letters, and the set that it learned from."""
    root = tmp_path_factory.mktemp(request.param)
    torch.set_num_threads(1)
    tiny_bert(root / "bert")
    random = Random(1)
    with (root / "rated.jsonl").open("w", encoding="utf-8") as file:
        for item in range(12):
            for system in range(3):
                words = [letter if random.random() < system / 2 else "z" for letter in random.choices("abcdefg", k=6)]
                row = {
                    "item": f"i{item}",
                    "system": f"s{system}",
                    "source": "abcdefg"[item % 7],
                    "hypothesis": " ".join(words),
                    "ratings": {"quality": float(sum(word != "z" for word in words))},
                }
                file.write(json.dumps(row) + "\n")
    config = root / "c.yaml"
    config.write_text(
        "kind: comparator\nname: letters\ndata:\n  - {path: rated.jsonl, human: quality}\n"
        f"encoder: {root / 'bert'}\nbatch: 16\nlongest: 40\nsplit: 0.2\nrate: 0.003\nreads: {request.param}\n"
        "strong: false\nweak: false\nepochs: 1\n",
        encoding="utf-8",
    )
    train(read_config(config), root / "kept", beside=root)
    return root


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))


def test_its_verdicts_are_those_of_both_orders_and_its_bias_that_of_each(folder: Path) -> None:
    found = judge(str(folder / "rated.jsonl"), {"kind": "comparator", "model": str(folder / "kept")}, human="quality")
    form = open_folder(folder / "kept").form
    assert isinstance(form, Comparator)
    matches = [verdict.match for verdict in found.verdicts]
    ones = [Written(match.text_a, match.source) for match in matches]
    others = [Written(match.text_b, match.source) for match in matches]
    wanted = form.probabilities(ones, others)
    assert np.allclose([verdict.probabilities for verdict in found.verdicts], wanted, atol=1e-6)
    position = found.card.position
    if form.reads == "apart":
        assert position is None  # there is no place that it could favour
        return
    assert position is not None and position.both == len(matches)
    said = np.concatenate([form.in_order(ones, others), form.in_order(others, ones)]).argmax(axis=1)
    assert position.first.estimate == pytest.approx(np.mean(said[said != 2] == 0))


def test_outputs_of_different_items_are_read_each_after_its_own_input(folder: Path) -> None:
    found = judge(
        str(folder / "rated.jsonl"),
        {"kind": "comparator", "model": str(folder / "kept")},
        rate="samples",
        references=5,
    )
    form = open_folder(folder / "kept").form
    assert isinstance(form, Comparator)
    sides = [verdict.match.sides for verdict in found.verdicts]
    assert len({(a.item, b.item) for a, b in sides if a.source != b.source}) > 20
    ones, others = ([Written(pair[k].hypothesis, pair[k].source) for pair in sides] for k in (0, 1))
    assert np.allclose(
        [verdict.probabilities for verdict in found.verdicts], form.probabilities(ones, others), atol=1e-6
    )
    points = {"a": (3.0, 0.0), "b": (0.0, 3.0), "tie": (1.0, 1.0)}
    got: dict[tuple[str, str], list[float]] = {}
    rated = found.sample_ratings
    assert rated is not None
    chosen = {rated.outputs[k] for k in common_references(len(rated.outputs), 5)}
    for (a, b), verdict in zip(sides, found.verdicts, strict=True):
        one, other = points[verdict.outcome or ""]
        if (b.item, b.system) in chosen:
            got.setdefault((a.item, a.system), []).append(one)
        if (a.item, a.system) in chosen:
            got.setdefault((b.item, b.system), []).append(other)
    assert rated.found.scores.tolist() == pytest.approx([np.mean(got[output]) for output in rated.outputs])


def test_it_fills_a_panel_of_a_pairwise_study(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study, data = tmp_path / "s", tmp_path / "rated.jsonl"
    first, *others = (folder / "rated.jsonl").read_text(encoding="utf-8").splitlines()
    long = {**json.loads(first), "hypothesis": "a b c. " * 100}
    data.write_text("\n".join([json.dumps(long), *others]), encoding="utf-8")
    assert main(["judge", str(data), "--judge", "people", "-o", str(study)]) == 0
    assert main(["study", "launch", str(study)]) == 0
    capsys.readouterr()
    command = [
        "study",
        "run-judge",
        str(study),
        "--judge",
        "comparator",
        "--model",
        str(folder / "kept"),
        "--json",
    ]
    assert main(command) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["complete"] and outcome["answered"] == outcome["planned"] > 0
    assert outcome["cut"] == 1


def test_what_it_cut_and_what_it_learnt_from_is_told(folder: Path) -> None:
    given = [json.loads(line) for line in (folder / "rated.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in given:
        row.pop("references", None)
    long = [{**row, "item": f"long {row['item']}", "hypothesis": "a b c. " * 100} for row in given[:2]]
    found = judge([*given, *long], {"kind": "comparator", "model": str(folder / "kept")})
    assert any("cut at the nearest sentence" in note for note in found.notes)
    assert any("learnt from" in note for note in found.notes)
    assert found.to_dict()["notes"] == list(found.notes)


def test_a_folder_that_bears_the_name_of_a_metric_of_ours_is_read(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "kept", tmp_path / "nubia")
    rows = [{"item": "1", "system": name, "hypothesis": name} for name in "abc"]
    found = judge(rows, {"kind": "comparator", "model": str(tmp_path / "nubia")})
    assert len(found.games) == 3 and found.settings["name"] == "letters"


def test_a_metric_that_does_not_compare_is_refused() -> None:
    rows = [{"item": "i", "system": system, "hypothesis": system} for system in "ab"]
    with pytest.raises(InputError, match="expected a comparator"):
        judge(rows, {"kind": "comparator", "model": "nubia-light"})
