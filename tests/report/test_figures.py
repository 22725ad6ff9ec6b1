"""Figures as files: whole by themselves, and nothing leaves the picture or lies on something else."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.figures import Figure, write_figures
from nlgauge.report.scatter import scatter
from nlgauge.report.study.annotations import _bars
from nlgauge.report.study.comparisons import matrix
from nlgauge.report.svg import FONT, WIDTH, Marked, Panel, Row, put, shorten, text_width, wrapped
from nlgauge.stats.regression import least_squares

SVG = "{http://www.w3.org/2000/svg}"
UGLY = (
    "transformer-XXL-finetuned-on-everything-we-had-with-beam-5-v2",
    "神经机器翻译系统第三版本带有非常长的名字以及更多的汉字用于测试",
    "W" * 60,
    "نظام توليد النصوص العصبي الكبير جدا",
    "<b>&\x07 é̂ 🤖",
)


def _figures() -> list[Figure]:
    rows = [
        Row(name, 10.0 * k, 10.0 * k - 3, 10.0 * k + 3, "12.34", "best" if k == 2 else "dot")
        for k, name in enumerate(UGLY)
    ]
    asked = f"a criterion with a long name, {UGLY[0]}"
    panel = Panel(rows, title="t", desc="d", axis=asked).draw()
    marked = Marked(rows, mark=5.0, name="one third", title="t", desc="d", axis="share").draw()
    stacked = [Row(name, text="180", shares=(5.0, 20.0, 25.0, 50.0)) for name in UGLY]
    bars = Panel(stacked, title="t", desc="d", axis="per cent", tall=True).draw()
    x, y = [1.0, 2.0, 4.0, 7.0, 9.0], [2.0, 1.0, 5.0, 6.0, 8.0]
    points, _ = scatter(x, y, x_name=asked, y_name=asked, title="t", labels=UGLY, line=least_squares(x, y))
    wins = matrix(UGLY, [[0.5] * 5] * 5, title="t")
    drawn = (panel, marked, bars, points, wins)
    return [Figure("means", asked, "aside", one, [("<path/>", asked)]) for one in drawn]


@pytest.mark.parametrize("figure", _figures(), ids=["panel", "marked", "bars", "scatter", "matrix"])
def test_a_file_needs_nothing_and_keeps_all_words_inside(figure: Figure) -> None:
    root = ElementTree.fromstring(figure.alone)
    assert "var(" not in figure.alone and "url(" not in figure.alone and "href" not in figure.alone
    assert root.find(f"{SVG}rect").attrib["fill"] == "#fff"  # type: ignore[union-attr]
    height = float(root.attrib["height"])
    for text in root.iter(f"{SVG}text"):
        if "transform" in text.attrib:
            continue
        x, anchor, words = float(text.attrib["x"]), text.attrib["text-anchor"], text.text or ""
        wide = text_width(words, 10.5 if "small" in text.attrib["class"] else FONT)
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        assert left >= -0.5 and left + wide <= WIDTH + 0.5, words
        assert 0 < float(text.attrib["y"]) <= height


def test_long_names_stand_above_their_rows_with_the_whole_name_as_title() -> None:
    root = ElementTree.fromstring(_figures()[0].alone)
    titles = {title.text for title in root.iter(f"{SVG}title")}
    assert set(UGLY[:4]) <= titles
    labels = [text for text in root.iter(f"{SVG}text") if "label" in text.attrib["class"]]
    ranges = [path for path in root.iter(f"{SVG}path") if "range" in path.attrib.get("class", "")]
    whiskers = [float(path.attrib["d"].split()[1].partition("H")[0]) for path in ranges]
    assert all(y - float(text.attrib["y"]) >= 10 for text, y in zip(labels, whiskers, strict=True))
    assert any("…" in (text.text or "") for text in labels)


def test_every_axis_says_what_it_shows() -> None:
    for figure in _figures():
        axes = re.findall(r'class="axis"[^>]*>([^<]+)<', figure.drawing.body)
        assert axes and all(axes)


def test_words_are_broken_or_shortened_to_the_room_they_have() -> None:
    lines = wrapped("a few words and " + "x" * 90, 100)
    assert len(lines) > 1 and all(text_width(line) <= 100 for line in lines)
    assert shorten("short", 100) == "short" and wrapped("", 100) == []
    assert "&lt;" in put("label", 0, 0, "<")


def test_files_are_numbered_named_and_replaced_and_a_file_is_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    first = write_figures(_figures(), folder)
    assert [path.name[:9] for path in first] == [f"0{k}-means-" for k in range(1, 6)]
    assert write_figures(_figures(), folder) == first
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file; expected a folder"):
        write_figures(_figures(), tmp_path / "file")
    with pytest.raises(InputError, match="no figure to write"):
        write_figures([], folder)


def test_files_of_metrics_that_differ_in_signs_have_different_names(tmp_path: Path) -> None:
    drawing = _figures()[0].drawing
    written = write_figures([Figure("scores", name, "", drawing) for name in ("chrF", "chrF++")], tmp_path)
    assert [path.name[3:] for path in written] == ["scores-chrf.svg", "scores-chrf-plus-plus.svg"]


def test_no_line_runs_through_a_name_above_its_row() -> None:
    rows = [Row("a name of many words that stands above its row", 0.1, -0.2, 0.3)]
    root = ElementTree.fromstring(
        Figure("k", "h", "", Panel(rows, title="t", desc="d", axis="a", zero=True).draw()).alone
    )
    (ground,) = (rect for rect in root.iter(f"{SVG}rect") if rect.attrib.get("class") == "ground")
    (label,) = (text for text in root.iter(f"{SVG}text") if text.attrib["class"] == "label")
    assert float(ground.attrib["width"]) >= text_width(label.text or "")
    assert 0 < float(label.attrib["y"]) - float(ground.attrib["y"]) < float(ground.attrib["height"])


def test_a_bar_shows_the_rate_of_the_table() -> None:
    rows = [
        {"system": "s", "category": "all", "severity": severity, "count": count, "texts": 40}
        for severity, count in (("minor", 2), ("major", 1))
    ]
    (bar,) = _bars(rows, "all", ["minor", "major"])
    assert bar.total == 3 / 40 != sum(bar.parts.values())


def test_commands_write_the_figures_of_their_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "-o", "."]) == 0
    capsys.readouterr()
    made = {
        "score": ["score", "forecasts.jsonl", "-m", "bleu"],
        "compare": ["compare", "forecasts.jsonl", "-m", "bleu", "--trials", "100"],
        "meta": ["meta", "forecasts.jsonl", "-m", "chrf", "--human", "clarity", "--draws", "100"],
    }
    for name, command in made.items():
        assert main([*command, "--html", f"{name}.html", "--figures", name]) == 0
        kinds = [path.name.split("-")[1] for path in sorted(Path(name).iterdir())]
        expected = {
            "score": ["scores"],
            "compare": ["scores", "differences"],
            "meta": ["correlations", "scatter"],
        }
        assert kinds == expected[name]
        assert Path(f"{name}.html").read_text().count("<figure>") == len(kinds)
    for command in made.values():
        assert main([*command, "--html", "page.html", "--figures", "forecasts.jsonl"]) == 2
    assert not Path("page.html").exists(), "what is refused leaves nothing"


def test_figures_of_an_earlier_run_are_removed_and_other_files_stay(tmp_path: Path) -> None:
    whole = write_figures(_figures(), tmp_path)
    foreign = [tmp_path / "09-my-own.svg", tmp_path / "overview.svg", tmp_path / "notes.txt"]
    foreign[0].write_text("<svg/>")
    foreign[1].write_text(whole[0].read_text(encoding="utf-8"), encoding="utf-8")
    foreign[2].write_text("mine")
    kept = write_figures(_figures()[:2], tmp_path)
    assert kept == whole[:2] and sorted(tmp_path.iterdir()) == sorted([*kept, *foreign])


def test_no_figure_is_written_where_a_later_one_cannot_be(tmp_path: Path) -> None:
    drawn = _figures()
    *_, last = write_figures(drawn, tmp_path / "first")
    (tmp_path / "second" / last.name).mkdir(parents=True)
    with pytest.raises(InputError, match="is a folder"):
        write_figures(drawn, tmp_path / "second")
    assert [path.name for path in (tmp_path / "second").iterdir()] == [last.name]
