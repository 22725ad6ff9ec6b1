"""The figures of docs/trained-results.md: made by the tool, without texts that were learnt from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.metrics.spec import parse

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import trained_tables as tables
from nubia_tables import LEARNT, TESTED
from trained_tables import rows_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trained-results.md"
SHOWN = ("wmt19", "flickr8k", "d2t", "webnlg", "summeval")


def row(item: str, *references: str) -> dict[str, Any]:
    return {"item": item, "references": list(references)}


def test_a_reference_that_was_learnt_from_is_found_whatever_its_case_tokens_and_escapes() -> None:
    learnt = [row("1", "the cat 's tail , &quot; he said &quot; .")]
    tables.refuse_leaks(learnt, [row("2", "The cat's tail is long.")])
    with pytest.raises(SystemExit, match="1 outputs have references that were learnt from, such as 3"):
        tables.refuse_leaks(learnt, [row("2", "Another."), row("3", 'The cat\'s tail, "he said".')])


def test_no_reference_of_wmt19_is_among_those_of_wmt15_to_wmt17(shared: Path) -> None:
    learnt = [row for name in (LEARNT, TESTED) for row in rows_of(shared / "data", name)]
    for pair in tables.RANKED:
        tested = rows_of(shared / "data", f"wmt19_darr_{pair}_segments.jsonl.gz")
        assert len(tested) > 5000 and tables.leaks(learnt, tested) == []


def test_what_nlgauge_mt_learnt_from_has_no_reference_of_what_it_is_tested_on(shared: Path) -> None:
    """But captions in STS-B, whose photographs have a column of their own."""
    folder = shared / "data"
    learnt = [row for name in (LEARNT, "mlqe_pe_toen.jsonl.gz") for row in rows_of(folder, name)]
    similar = [row for row in rows_of(folder, "stsb.jsonl.gz") if row["split"] != "test"]
    learnt += similar + [{**row, "references": [row["hypothesis"]]} for row in similar]
    sets = (TESTED, "novikova17_d2t.jsonl.gz", "webnlg17_human.jsonl.gz", "summeval_bartscore.jsonl.gz")
    for name in (*sets, *(f"wmt19_darr_{pair}_segments.jsonl.gz" for pair in tables.RANKED)):
        tested = rows_of(folder, name)
        each = [{**row, "references": [text]} for row in tested for text in row["references"]]
        assert len(tested) > 1000 and tables.leaks(learnt, each) == [], name
    captions = [row for row in rows_of(folder, "flickr8k_expert.jsonl.gz") if not row["candidate_is_reference"]]
    known = tables.photographs_known(captions, similar)
    assert 0 < len(known) < 300 and len({row["item"] for row in captions}) == 1000
    left = [row for row in captions if row["item"] not in known]
    each = [{**row, "references": [text]} for row in left for text in row["references"]]
    assert tables.leaks(learnt, each) == []


def test_no_table_is_begun_where_the_data_of_a_metric_are_missing(tmp_path: Path) -> None:
    environment = {**os.environ, "NLGAUGE_METEOR": str(tmp_path)}
    command = [sys.executable, tables.__file__, "webnlg", str(tmp_path), str(tmp_path / "kept")]
    said = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert said.returncode == 1 and said.stderr.startswith("the row of METEOR cannot be made: NLGAUGE_METEOR")
    assert said.stderr.count("\n") == 1 and not (tmp_path / "kept").exists()


def test_kept_features_and_outputs_scored_once_give_the_metric_s_scores(tmp_path: Path) -> None:
    texts = ("Rain in the north.", "It rains in the south.", "Rain in the north.", "")
    rows = [{"hypothesis": text, "references": ["Rain is expected in the north."]} for text in texts]
    for name in ("nubia-6dim-lreg", "nubia-8dim-nn"):  # sts, which both have, has features of its own
        metric = parse(f"nubia(model={name})")
        found = tables.once_each(tables.keeping(metric, tmp_path / "features"), rows, tmp_path)
        own = metric.segments(list(texts), [row["references"] for row in rows])
        assert found == pytest.approx(own, abs=1e-12) and found[0] == found[2]
    kept = np.load(next(tmp_path.glob("scores-*.npy")))
    assert kept.shape == (3,)


def figures(name: str, metric: str) -> list[float]:
    """A metric's row in the table that the command makes."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"trained_tables.py {name} ")
    (line,) = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith(f"| {metric} |")]
    return [float(cell.strip(" *▲▼")) for cell in line.split("|")[2:-1]]


def made(name: str, monkeypatch: pytest.MonkeyPatch, folders: tuple[Path, Path], **metric: str) -> list[float]:
    """The same, computed."""
    monkeypatch.setattr(tables, "OTHERS", metric)
    monkeypatch.setattr(tables, "TRAINED", {})
    monkeypatch.setattr(tables, "AGAIN", {})
    return [column.value(next(iter(metric))) for column in tables.TABLES[name](*folders)]


@pytest.mark.parametrize("name", SHOWN)
def test_bleu_has_the_figures_of_the_page(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = made(name, monkeypatch, (shared / "data", tmp_path), BLEU="sentbleu")
    assert found == pytest.approx(figures(name, "BLEU"), abs=6e-4)


@pytest.mark.long
@pytest.mark.parametrize("name", SHOWN)
def test_a_trained_metric_has_the_figures_of_the_page(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = made(name, monkeypatch, (shared / "data", tmp_path), **{"nlgauge-mt": "nlgauge-mt"})
    assert found == pytest.approx(figures(name, "nlgauge-mt"), abs=0.003)


def test_chrf_on_wmt19_is_the_published_figure(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "RANKED", ("kk-en",))
    (found,) = made("wmt19", monkeypatch, (shared / "data", tmp_path), chrF="chrf")
    assert found == pytest.approx(0.322985, abs=5e-7)  # BARTScore's analysis of the same pairs
