"""NUBIA as it is shipped: forms, calibration, and no text of the sets it is tested on among those it learnt from."""

from __future__ import annotations

import gzip
import html
import json
import re
import sys
from pathlib import Path

import pytest

import nlgauge
from nlgauge.errors import SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.featured import Featured
from nlgauge.learned.folder import NUBIA
from nlgauge.learned.trained import Nubia
from nlgauge.metrics.spec import parse
from nlgauge.training.featured import FeatureTraining
from nlgauge.training.run import RECIPES, read_config, train

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from nubia_tables import GROUPS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "nubia.md"
REFERENCE = "The committee will meet on Monday to discuss the budget."
OUTPUTS = (
    REFERENCE,
    "On Monday the committee will meet to talk about the budget.",
    "The committee will not meet on Monday.",
    "budget the Monday on meet to committee discuss will The",
    "A dog sleeps.",
)


@pytest.mark.parametrize("name", NUBIA)
def test_every_form_is_calibrated_and_puts_meaning_before_its_opposite(name: str) -> None:
    scores = Nubia(model=name).segments(list(OUTPUTS), [[REFERENCE]] * len(OUTPUTS))
    assert scores[0] == pytest.approx(1.0)
    assert all(0 <= score <= 1 for score in scores)
    assert scores[1] > scores[4] and min(scores[:4]) > scores[4]


@pytest.mark.parametrize("name", ["nubia", "nubia-8dim-nn", "nubia-light"])
def test_an_empty_output_has_nothing_though_it_is_like_itself(name: str) -> None:
    metric = Nubia(model=name)
    assert list(metric.segments(["", " \n"], [[REFERENCE], [REFERENCE]])) == [0.0, 0.0]
    assert metric.bounds == (0.0, 1.0)


@pytest.mark.parametrize("name", NUBIA)
def test_every_form_is_what_its_recipe_says(name: str) -> None:
    recipe, form = read_config(RECIPES / f"{name}.yaml"), Nubia(model=name).learnt
    assert isinstance(recipe, FeatureTraining) and isinstance(form, Featured)
    assert [metric.full() for metric in form.features] == [nlgauge.parse(spec).full() for spec in recipe.features]
    dimensions = {"nubia-6dim": 6, "nubia-8dim": 8}.get(name.rpartition("-")[0])
    assert dimensions is None or len(form.features) == dimensions
    assert form.learner.kind == ("network" if name == "nubia-light" or name.endswith("nn") else "linear")


@pytest.mark.parametrize("recipe", ["nubia-6dim-nn", "nubia-6dim-lreg"])
def test_the_page_has_the_line_of_each_ablation(recipe: str, tmp_path: Path) -> None:
    lines = _ablations()
    assert list(lines) == ["SS", "LI", "SI", "SS + LI", "SS + SI", "LI + SI"]
    for group, line in lines.items():
        changed = _with_line(recipe, line, tmp_path)
        assert changed.features == GROUPS[group]


def test_each_ablation_trains_from_a_recipe_with_its_line(shared: Path, tmp_path: Path) -> None:
    with gzip.open(shared / "data" / "wmt15_16_daseg.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [line for line in file if '-en"' in line][:120]
    with gzip.open(tmp_path / "wmt15_16_daseg.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(rows)
    for group, line in _ablations().items():
        made = train(
            _with_line("nubia-6dim-lreg", line, tmp_path),
            tmp_path / group,
            beside=tmp_path,
            cache=tmp_path / "cache",
        )
        (score,) = Nubia(model=str(made.folder.path)).segments([REFERENCE], [[REFERENCE]])
        assert score == pytest.approx(1.0), group


def _ablations() -> dict[str, str]:
    """The lines of the page by group."""
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if "`features: [" in line]
    return {row[1].strip(): row[2].strip(" `") for row in rows}


def _with_line(recipe: str, line: str, folder: Path) -> FeatureTraining:
    """A recipe with another line of features."""
    old = (RECIPES / f"{recipe}.yaml").read_text(encoding="utf-8").splitlines()
    new = [line if text.startswith("features:") else text for text in old]
    assert sum(map(str.__ne__, old, new)) == 1
    path = folder / "ablation.yaml"
    path.write_text("\n".join(new), encoding="utf-8")
    changed = read_config(path)
    assert isinstance(changed, FeatureTraining)
    return changed


@pytest.mark.parametrize("name", ["wmt17_daseg", "wmt19_darr_kk-en_segments", "wmt19_darr_gu-en_segments"])
def test_no_reference_of_wmt17_or_wmt19_is_among_those_it_learnt_from(name: str, shared: Path) -> None:
    learnt = _references(shared / "data" / "wmt15_16_daseg.jsonl.gz")
    tested = _references(shared / "data" / f"{name}.jsonl.gz")
    assert len(tested) > 500 and not learnt & tested


def test_a_reference_is_recognised_in_lower_case_tokenised_and_escaped() -> None:
    assert _written('"Rain," he said & left 10,000 times.') == _written(
        "&quot; rain , &quot; he said &amp; left 10,000 times ."
    )


def _references(path: Path) -> set[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {
        _written(text)
        for row in rows
        if "dataset" not in row or row["dataset"].endswith("-en")
        for text in row["references"]
    }


def _written(text: str) -> str:
    """Letters and digits: WMT17's file is tokenised, in lower case and escaped, the others are not."""
    return re.sub(r"[\W_]+", "", html.unescape(text).casefold())


def test_what_the_models_of_its_features_remark_is_passed_on_once() -> None:
    metric = Nubia(model="nubia-6dim-lreg")
    metric.remarks()
    metric.segments(["zzyzzx qwrtp " + "word " * 600], [[REFERENCE]])
    told = " ".join(metric.remarks())
    assert "longer than the 512 units" in told and "not among those of trigram" in told
    assert metric.remarks() == []


@pytest.mark.parametrize("name", ["sts", "reading-similarity", "nlgauge-mt"])
def test_other_metrics_that_ship_are_no_nubia(name: str) -> None:
    with pytest.raises(SpecError, match="a folder of kind features"):
        parse(f"nubia(model={name})")


def test_an_explanation_begins_with_an_average_text_and_says_how_the_score_is_made() -> None:
    metric = parse("nubia(model=nubia-light)")
    batch = Batch(["The cat sat."], [["A cat sat down."]])
    found = metric.explained(batch)
    assert found.figures[0].name == "an average text"
    assert found.notes[-1] == ("the score is the prediction, divided by the self-score and kept between 0 and 1")
