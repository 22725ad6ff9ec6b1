"""style-main, style-hh, style-ah and compliancy by classifiers whose decisions can be reckoned."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.errors import InputError, MissingModel, SpecError
from nlgauge.metrics.spec import parse

sys.path.insert(0, str(Path(__file__).parents[1] / "style"))
from style_fakes import Fake, classifiers

SOURCE = {"headline": "FIRE AT PORT", "text": "fire at port today", "target": "calm"}
OUTPUTS = ["fire at port", "FIRE AT PORT", "nothing", "fire in town", "", "  "]
EXPECTED = {
    "style-main": [1, 0, 1, 1, 0, 0],
    "style-hh": [1, 1, 0, 1, 0, 0],
    "style-ah": [1, 1, 0, 0, 0, 0],
    "compliancy": [1, 0, 0, 0, 0, 0],
}
Folder = tuple[Path, dict[str, Fake]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return tmp_path / "model", classifiers(tmp_path / "model", monkeypatch)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("success", ["reversed", "target"])
def test_decisions_by_hand(name: str, success: str, folder: Folder) -> None:
    fields = f",success={success}" if name in ("style-main", "compliancy") else ""
    metric = parse(f"{name}(model={folder[0]}{fields})")
    sources = [SOURCE] * len(OUTPUTS)
    assert list(metric.segments(OUTPUTS, sources=sources)) == EXPECTED[name]
    assert metric.corpus(OUTPUTS, sources=sources) == pytest.approx(sum(EXPECTED[name]) / len(OUTPUTS))


def test_probabilities_by_hand(folder: Folder) -> None:
    sources = [SOURCE] * 3
    for name, expected in (
        ("style-main", [0.9, 0.1, 0.9]),
        ("style-hh", [0.9, 0.9, 0.1]),
        ("style-ah", [0.9, 0.9, 0.1]),
        ("compliancy", [0.9**3, 0.1 * 0.81, 0.9 * 0.01]),
    ):
        metric = parse(f"{name}(model={folder[0]}).probability")
        assert list(metric.segments(OUTPUTS[:3], sources=sources)) == pytest.approx(expected)
    empty = parse(f"compliancy(model={folder[0]}).probability")
    assert empty.corpus([""], sources=[SOURCE]) == 0


def test_reversal_looks_at_the_decision_not_at_the_source(folder: Folder) -> None:
    """An original that is taken for the target: leaving it as it is is no reversal, but it is the target."""
    source = {"headline": "fire at port", "text": "fire at port today", "target": "calm"}
    kept = {
        success: parse(f"style-main(model={folder[0]},success={success})").corpus(["fire at port"], sources=[source])
        for success in ("reversed", "target")
    }
    assert kept == {"reversed": 0, "target": 1}


def test_every_text_is_read_once_for_all_metrics_and_systems(folder: Folder) -> None:
    rows = [
        {"item": str(number), "system": system, "hypothesis": text, "source": SOURCE}
        for system in ("one", "two")
        for number, text in enumerate(["fire at port", "fire", "nothing"])
    ]
    found = nlgauge.score(rows, [f"{name}(model={folder[0]})" for name in EXPECTED])
    assert found["one", f"compliancy(model={folder[0]})"].value == pytest.approx(2 / 3)
    # the original headline once, and three outputs that both systems have
    assert {name: fake.read for name, fake in folder[1].items()} == {"main": 4, "hh": 3, "ah": 3}


def test_only_those_who_are_asked_read(folder: Folder) -> None:
    parse(f"style-hh(model={folder[0]})").corpus(["fire"], sources=[SOURCE])
    assert [fake.read for fake in folder[1].values()] == [0, 1, 0]


def test_a_receipt_names_the_classifiers_by_their_files(folder: Folder) -> None:
    metric = f"compliancy(model={folder[0]})"
    rows = [{"item": "1", "system": "s", "hypothesis": "fire", "source": SOURCE}]
    before = nlgauge.score(rows, [metric]).receipts[metric]
    (folder[0] / "ah" / "weights.safetensors").write_bytes(b"other")
    assert "|file=" in before
    assert nlgauge.score(rows, [metric]).receipts[metric] != before


def test_three_sources_need_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classifiers(tmp_path / "m", monkeypatch, ("calm", "loud", "shrill"))
    with pytest.raises(InputError, match="3 \\(calm, loud, shrill\\); give success=target"):
        parse(f"compliancy(model={tmp_path / 'm'})").corpus(["fire"], sources=[SOURCE])
    metric = parse(f"style-main(model={tmp_path / 'm'},success=target)")
    shrill = {**SOURCE, "target": "shrill"}
    assert list(metric.segments(["fire", "fire!", "FIRE!"], sources=[SOURCE, shrill, SOURCE])) == [1, 1, 0]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("a text", "no headline with its article"),
        ({"headline": "x"}, "no headline with its article"),
        ({"headline": "x", "text": "x y"}, "has no target"),
        ({"headline": "x", "text": "x y", "target": "other"}, "has the target 'other'"),
    ],
)
def test_sources_of_another_form_are_refused(source: Any, told: str, folder: Folder) -> None:
    metric = parse(f"compliancy(model={folder[0]},success=target)")
    with pytest.raises(InputError, match=told):
        metric.corpus(["x"], sources=[source])


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match="nlgauge style train"):
        parse("compliancy").corpus(["x"], sources=[SOURCE])
    with pytest.raises(SpecError, match="there is no"):
        parse(f"compliancy(model={tmp_path / 'none'})")
    (tmp_path / "main").mkdir()
    with pytest.raises(SpecError, match=r"has no main/metric\.json"):
        parse(f"style-hh(model={tmp_path})")


def test_what_the_classifiers_say_is_explained(folder: Folder) -> None:
    told = parse(f"compliancy(model={folder[0]})").explain("fire", source=SOURCE)
    assert told.score == 1
    assert [(figure.name, round(figure.value, 3)) for figure in told.figures] == [
        ("main, original headline", 0.9),
        ("main, output", 0.9),
        ("HH", 0.9),
        ("AH", 0.9),
    ]
    assert "taken for calm" in told.figures[1].how
