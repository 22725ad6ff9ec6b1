"""Every published judgement set beside the checkout that has one row per segment loads, with its counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import io
from nlgauge.errors import InputError

# segments, systems, items, rows without an output: as in the README of the sets, or counted from the files
COUNTS = {
    "dialsummeval": (1400, 14, 100, 0),
    "e2e17_flat": (6012, 21, 630, 0),
    "e2e17_primary_outputs": (13230, 21, 630, 0),
    "fed": (375, 3, 375, 125),
    "flickr8k_cf": (47830, 1000, 1000, 0),
    "flickr8k_expert": (5822, 977, 1000, 0),
    "gupta19_multiref_dialogue": (500, 5, 100, 0),
    "hanna_scores_only": (96, 1, 96, 960),
    "mlqe_pe_toen": (45000, 1, 45000, 0),
    "newsroom": (420, 7, 60, 0),
    "rank19": (746, 2, 373, 0),
    "stsb": (8628, 1, 8628, 0),
    "summeval": (1800, 18, 100, 0),
    "summeval_bartscore": (1600, 16, 100, 0),
    "usr_personachat": (300, 5, 60, 0),
    "usr_topicalchat": (360, 6, 60, 0),
    "webnlg17_human": (2230, 10, 223, 0),
    "wmt15_16_daseg": (6420, 1, 6420, 0),
    "wmt17_daseg": (3920, 129, 3559, 0),
    "wmt19_darr_gu-en_segments": (9117, 9, 1016, 0),
    "wmt19_darr_kk-en_segments": (6422, 7, 964, 0),
}
# several outputs for one (item, system), which their authors did not tell apart
REPEATED = {"bartscore_d2t": 2460, "novikova17_d2t": 2460, "union_stories": 600}
PAIRWISE = {
    "faireval_pairwise": 80,
    "llmbar_mtbench_pairwise": 885,
    "storyer_pairwise": 1000,
    "pandalm_pairwise": 999,
}
OTHER_SHAPES = [
    "e2e17_rankme_sets",
    "webnlg_enriched_v13_train",
    "wmt19_darr_gu-en_pairs",
    "wmt19_darr_kk-en_pairs",
]
ITEMS_ONLY = ["flickr8k_references"]


def path(shared: Path, name: str) -> Path:
    return shared / "data" / f"{name}.jsonl.gz"


def test_every_set_is_accounted_for(shared: Path) -> None:
    found = {file.name.removesuffix(".jsonl.gz") for file in (shared / "data").glob("*.jsonl.gz")}
    assert found == {*COUNTS, *REPEATED, *PAIRWISE, *OTHER_SHAPES, *ITEMS_ONLY}


@pytest.mark.parametrize("name", COUNTS)
def test_segment_sets_load(shared: Path, name: str) -> None:
    summary = io.load(path(shared, name)).summary
    assert (summary.segments, summary.systems, summary.items, summary.missing) == COUNTS[name]


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_items_are_refused_or_numbered(shared: Path, name: str) -> None:
    with pytest.raises(InputError, match="was already given at"):
        io.load(path(shared, name))
    assert len(io.load(path(shared, name), repeats="number")) == REPEATED[name]


@pytest.mark.parametrize("name", PAIRWISE)
def test_pairwise_sets_load(shared: Path, name: str) -> None:
    file = path(shared, name)
    assert io.is_pairwise(file)
    if name == "pandalm_pairwise":  # six of its outputs are the JSON value true
        with pytest.raises(InputError, match="line 158: hypothesis_a is true or false"):
            io.load_pairs(file)
    pairs = io.load_pairs(file, coerce=name == "pandalm_pairwise")
    assert len(pairs) == PAIRWISE[name]
    assert all(pair.preferences for pair in pairs)
    assert len(io.pairs_to_set(pairs)) == 2 * len(pairs)


@pytest.mark.parametrize("name", OTHER_SHAPES)
def test_other_shapes_are_refused(shared: Path, name: str) -> None:
    with pytest.raises(InputError, match="line 1: unknown key"):
        io.load(path(shared, name))


def test_references_from_a_second_file(shared: Path) -> None:
    data = io.load([path(shared, "flickr8k_cf"), path(shared, "flickr8k_references")])
    summary = data.summary
    assert (summary.segments, summary.references_min, summary.references_max) == (47830, 5, 5)


def test_webnlg_has_empty_outputs(shared: Path) -> None:
    assert io.load(path(shared, "webnlg17_human")).summary.empty == 25


def test_wmt17_folder(shared: Path) -> None:
    data = io.load(shared / "fixtures" / "corpora" / "wmt17-en-de")
    assert len(data.systems) == 16
    assert "online-A" in data.systems
    assert data.summary.references_max == 1
    assert len(data.items) == 3004
