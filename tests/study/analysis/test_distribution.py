"""How ratings are distributed: as numbers, as a table, as pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nlgauge.cli import main
from nlgauge.study.protocols.magnitudes.analysis.rows import magnitude
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, column_of
from nlgauge.study.protocols.ratings.analysis.spread import distribution
from reading_tex import latex_faults


def _column(criterion: Criterion, answers: list[float]) -> Column:
    systems = ["a", "b"] * (len(answers) // 2)
    items = [str(k) for k in range(len(answers))]
    return column_of(criterion, "public", answers, systems, items, ["j"] * len(answers))


def test_each_point_is_counted_and_reverse_keyed_answers_are_turned_round() -> None:
    likert = Criterion("q", "quality", 1, 5, 5, False, "")
    found = distribution(_column(likert, [1, 5, 3, 5, 1, 4]), ["b", "a"])
    assert found.points == (1, 2, 3, 4, 5) and not found.edges
    assert [(one.system, one.counts) for one in found.systems] == [
        ("b", (0, 0, 0, 1, 2)),
        ("a", (2, 0, 1, 0, 0)),
    ]
    assert found.systems[1].shares == pytest.approx((200 / 3, 0, 100 / 3, 0, 0))
    turned = Criterion("q", "quality", 1, 5, 5, True, "")
    assert distribution(_column(turned, [1, 5, 3, 5, 1, 4]), ["a"]).systems[0].counts == (0, 0, 1, 0, 2)


def test_sliders_long_scales_and_magnitudes_are_cut_into_ranges_that_hold_every_answer() -> None:
    slider = Criterion("q", "quality", 0, 100, 0, False, "")
    found = distribution(_column(slider, [0, 100, 9.9, 50, 10, 99]), ["a", "b"])
    assert found.edges[0] == 0 and found.edges[-1] == 100 and len(found.edges) == 11
    assert found.systems[0].counts == (2, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert found.systems[1].summary == (50, 74.5, 99, 99.5, 100)
    assert not distribution(_column(Criterion("q", "q", 0, 100, 101, False, ""), [1, 2]), ["a"]).points
    ratios = distribution(_column(magnitude("q", "q", modulus=100.0, by_judge=False), [50, 100, 400, 100]), ["a", "b"])
    assert [sum(one.counts) for one in ratios.systems] == [2, 2]
    same = distribution(_column(magnitude("q", "q", modulus=100.0, by_judge=False), [100, 100]), ["a", "b"])
    assert [sum(one.counts) for one in same.systems] == [1, 1]


@pytest.mark.parametrize("scale", ["1-5", "0-100"])
def test_study_analyse_shows_it_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], scale: str) -> None:
    high = int(scale.partition("-")[2])
    rows = [
        {
            "item": str(item),
            "system": system,
            "hypothesis": f"{system} {item}",
            "ratings": {
                name: [1 + (7 * item + shift + judge) % (high - 1) for judge in range(3)]
                for name in ("fluency", "100 % _clear_")
            },
            "raters": ["x", "y", "z"],
        }
        for item in range(12)
        for shift, system in enumerate(("one & only", "two"))
    ]
    data, folder = tmp_path / "set.jsonl", str(tmp_path / "study")
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["study", "import", folder, str(data), "--format", "set", "--scale", scale]) == 0
    capsys.readouterr()
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    command = ["study", "analyse", folder]
    assert main([*command, "--json", "--html", str(page), "--figures", str(figures)]) == 0
    found = json.loads(capsys.readouterr().out)["criteria"]
    for one in found:
        assert [sum(system["counts"]) for system in one["distribution"]["systems"]] == [36, 36]
    assert page.read_text().count("How the ratings are distributed</h2>") == 1
    drawn = sorted(path.name for path in figures.iterdir())
    assert len([name for name in drawn if "-ratings-" in name]) == 2
    assert len(drawn) == page.read_text().count("<figure>")
    assert main(command) == 0
    assert capsys.readouterr().out.count("Distribution: ") == 2
    assert main([*command, "--format", "latex"]) == 0
    text = capsys.readouterr().out
    assert latex_faults(text) == []
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert labels[0] == "tab:means-of-all-criteria" and len(labels) == len(set(labels))
    assert "tab:distribution-fluency-question-wording-unknown" in labels
