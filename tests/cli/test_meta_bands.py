"""`nlgauge meta --bands`: the table, JSON, page and figures, and what it refuses."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from nlgauge.cli import main


@pytest.fixture
def data(tmp_path: Path) -> str:
    draw = random.Random(2)
    path = tmp_path / "judged.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for item in range(60):
            for system in "ab":
                rating = draw.randint(1, 5)
                scores = {"up": rating + draw.random(), "ter": -rating - draw.random()}
                row = {"item": str(item), "system": system, "hypothesis": "x", "ratings": {"q": rating}}
                file.write(json.dumps(row | {"references": ["x"], "metrics": scores}) + "\n")
    return str(path)


def test_json_table_page_and_figures(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, figures = tmp_path / "meta.html", tmp_path / "figures"
    words = ["meta", data, "-m", "@*", "--draws", "100", "--bands", "4"]
    assert main([*words, "--json", "--html", str(page), "--figures", str(figures)]) == 0
    told = json.loads(capsys.readouterr().out)
    up, ter = told["bands"]
    assert (up["metric"], ter["metric"], up["criterion"]) == ("@up", "@ter", "q")
    assert sum(band["n"] for band in up["bands"]) == 120
    # of @ter less is better: it follows people as @up does
    assert all(abs(one["difference"]["estimate"]) < 4 for row in (up, ter) for one in row["bands"])
    assert up["rho"] > 0.9 and ter["rho"] > 0.9
    assert set(up["bands"][0]) == {
        *(
            "number",
            "low",
            "high",
            "n",
            "human",
            "metric",
            "difference",
            "beyond",
            "spread",
            "score",
            "deviation",
        )
    }
    assert all("|report=bands:4" in line for line in told["receipts"].values())
    assert "Over- and underscoring" in page.read_text(encoding="utf-8")
    assert len(list(figures.glob("*bands*.svg"))) == 2
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "difference" in shown and "beyond" in shown and "an ordinary metric of the same correlation" in shown


def test_refusals(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, message in (
        (["--bands", "1"], "must be at least 2"),
        (["--bands", "5", "--level", "system"], "bands are bands of outputs"),
        (["--bands", "5", "--probe", "drop"], "--bands"),
    ):
        assert main(["meta", data, "-m", "@up", *options]) == 2
        assert message in capsys.readouterr().err
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"item": "1", "better": "a", "worse": "b"}\n', encoding="utf-8")
    assert main(["meta", data, "-m", "@up", "--bands", "5", "--pairs", str(pairs)]) == 2
    assert "bands need scores by people" in capsys.readouterr().err


def test_bleu_scatters_where_people_are_content(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Kane et al. (2020), Figure 2, on its segments: BLEU's scores spread as translations get better."""
    data = shared / "data" / "wmt17_daseg.jsonl.gz"
    words = ["-m", "sentbleu", "-m", "rougeL", "--bands", "5", "--test", "none", "--draws", "0", "--json"]
    assert main(["meta", str(data), *words]) == 0
    bleu, rouge = (one["bands"] for one in json.loads(capsys.readouterr().out)["bands"])
    assert (round(bleu[0]["deviation"]), round(bleu[4]["deviation"])) == (11, 21)
    assert rouge[4]["deviation"] / rouge[0]["deviation"] < 1.15
    # by percentiles hardly anything is left beyond what their correlation explains
    assert all(abs(band["beyond"]["estimate"]) < 3.5 for band in (*bleu, *rouge))
