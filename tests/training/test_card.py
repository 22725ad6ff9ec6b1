"""The card of a trained metric as the Hugging Face hub reads it, and the files that an upload has."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_training import write_config

from nlgauge.learned.folder import COMPARATOR, SHIPPED, shipped
from nlgauge.training.run import train

hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed: no card is read")


def test_a_hub_reads_licence_languages_and_tags_of_a_card(tmp_path: Path) -> None:
    more = "licence: cc-by-4.0\nlanguages: [en, de]\nabout: 'Of a \"share\": --- and more.'\n"
    path = write_config(tmp_path, more=more)
    path.write_text(path.read_text().replace("licence: CC0", "licence: \"Jane's: own, 'free'\""))
    train(path, tmp_path / "kept")
    card = hub.ModelCard.load(tmp_path / "kept" / "README.md")
    told = card.data.to_dict()
    assert (told["library_name"], told["license"], told["language"]) == ("nlgauge", "cc-by-4.0", ["en", "de"])
    assert "metric" in told["tags"] and told["license_of_data"] == ["Jane's: own, 'free'"]
    assert card.text.startswith("# share")
    kept = {file.name for file in (tmp_path / "kept").iterdir()}
    assert kept == {"README.md", "metric.json", "training.json", "weights.safetensors"}
    safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    arrays = safetensors.load_file(tmp_path / "kept" / "weights.safetensors")
    assert set(arrays) == {"features.mean", "features.deviation", "weights", "bias"}


def test_a_metric_without_a_licence_says_other(tmp_path: Path) -> None:
    train(write_config(tmp_path), tmp_path / "kept")
    assert hub.ModelCard.load(tmp_path / "kept" / "README.md").data.license == "other"


@pytest.mark.parametrize("name", SHIPPED)
def test_cards_of_shipped_metrics_have_what_a_hub_asks_for(name: str) -> None:
    folder = shipped(name)
    assert folder is not None
    told = hub.ModelCard.load(folder / "README.md").data
    licence = "cc-by-sa-4.0" if name == COMPARATOR else "apache-2.0"  # that of E2E's texts
    assert (told.license, told.language, told.library_name) == (licence, ["en"], "nlgauge")


def test_a_card_shows_weights_intervals_and_what_scores_are_measured_in(tmp_path: Path) -> None:
    path = write_config(tmp_path, more="split: 0.4\n")
    found = train(path, tmp_path / "kept")
    card = (tmp_path / "kept" / "README.md").read_text()
    low, high = found.figures["held_out_intervals"]["pearson"]
    assert low < found.figures["held_out"]["pearson"] < high
    assert f"| pearson | {found.figures['held_out']['pearson']:.4f} | {low:.4f} to {high:.4f} |" in card
    weights = found.folder.form.learner.weights  # type: ignore[attr-defined]
    assert f"beta=1,limit=0,output=f1)` | {weights[1]:+.4f} |" in card
    assert "Its scores are on the scale of quality" in card and "\n\n\n" not in card


def test_a_card_without_held_rows_says_that_nothing_is_known(tmp_path: Path) -> None:
    train(write_config(tmp_path, more="split: 0\n"), tmp_path / "kept")
    assert "Nothing was held out" in (tmp_path / "kept" / "README.md").read_text()
