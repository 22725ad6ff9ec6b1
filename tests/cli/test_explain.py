"""`explain SPEC DATA`, `list --task`, `list --taxonomy`."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson
import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.metrics.explanation import Cell, Cells, Explanation, Link, Links
from nlgauge.metrics.registry import METRICS, load
from nlgauge.report.explain_html import direction, render_explanations
from nlgauge.report.explain_text import WIDTH, explanation_lines
from nlgauge.report.pages import ELEMENT
from nlgauge.wording.tables import width

ROWS = [
    {
        "item": "1",
        "system": "a",
        "hypothesis": "on the mat sat the cat",
        "references": ["the cat sat on the mat"],
    },
    {
        "item": "2",
        "system": "a",
        "hypothesis": "a <b>bold</b> & dog",
        "references": ["a dog", "<script>x</script>"],
    },
    {"item": "ar", "system": "a", "hypothesis": "القط جلس على السجادة", "references": ["القط على السجادة"]},
    {"item": "17", "system": "a", "hypothesis": "", "references": ["nothing " * 40]},
    {"item": "1", "system": "b", "hypothesis": "the cat sat", "references": ["the cat sat on the mat"]},
]


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    return code, *capsys.readouterr()


def ready(name: str) -> bool:
    cls = load(name)
    return cls.needs == ("references",) and getattr(cls, "additive", True) and "meteor" not in name


@pytest.mark.parametrize("name", [name for name in METRICS if ready(name)])
def test_every_metric_explains_every_segment_in_every_form(
    name: str, data: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    loaded = nlgauge.load(data)
    main(["score", data, "-m", name, "--segments", str(tmp_path / "s.jsonl")])
    capsys.readouterr()
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        told = nlgauge.explain(loaded, name, row["item"], row["system"])
        (written,) = (value for key, value in row.items() if key not in ("item", "system"))
        assert told.score == pytest.approx(written, rel=1e-12, abs=1e-12)
        for line in explanation_lines(told):
            text = "".join(piece for piece, _ in line)
            assert width(text) <= WIDTH or " " not in text.strip(), text
        orjson.dumps(told.to_dict())  # as the command does: plain Python numbers only
        check_page(render_explanations([told]))


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name in ("src", "href") or name.startswith("on") for name, _ in attrs)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(page: str) -> None:
    """Well-formed, self-contained, and nothing of the texts is markup."""
    parser = Page()
    parser.feed(page.replace(ELEMENT, ""))
    assert not parser.open and not parser.seen & {"script", "b", "link", "img"}


def test_the_command_prints_what_matched(data: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    code, out, _ = run(capsys, "explain", "ter", data, "--item", "1", "--system", "a", "--html", str(page))
    assert code == 0 and "\x1b" not in out
    assert out.startswith("ter 33.33 (lower is better) · item 1, system a\n")
    assert '1. "on the mat" is moved:' in out and "6 equal" in out
    assert "Item 1" in re.sub("<[^>]+>", "", page.read_text(encoding="utf-8"))


def test_several_systems_in_one_json_object(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", "bleu", data, "--item", "1", "--system", "a", "--system", "b", "--json")
    told: dict[str, Any] = json.loads(out)
    assert code == 0 and [one["system"] for one in told["explanations"]] == ["a", "b"]
    first = told["explanations"][0]
    assert {part["kind"] for part in first["parts"]} == {"passage", "ngrams"}
    assert first["statistics"]["correct_1"] == 6


def test_fitted_metrics_are_fitted_on_the_whole_set(data: str) -> None:
    told = nlgauge.explain(data, "ciderD", "1", "a")
    assert "4 documents" in told.notes[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--item", "1"], r"has 2 systems; say which (--system): it has a, b"),
        (["--item", "1", "--system", "c"], "no system 'c'; it has a, b"),
        (["--item", "1", "--system", "A"], "no system 'A'; did you mean a"),
        (["--item", "171", "--system", "a"], "no item '171'; did you mean 17"),
        (["--item", "2", "--system", "b"], "system 'b' has no output for item '2'"),
        (["--system", "a"], "say which item is to be explained: --item ID; it has 1, 2, ar, 17"),
        (["--item", "1", "--system", "a", "--html", "no/such/x.html"], "there is no folder"),
    ],
)
def test_unknown_names_are_refused_with_near_ones(
    arguments: list[str], sentence: str, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "explain", "bleu", data, *arguments)
    assert code == 2 and not out and sentence in err and err.count("\n") == 1


def test_options_of_segments_need_data(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "explain", "bleu", "--item", "3")
    assert code == 2 and "--item is about the segments of a set" in err


def test_links_and_cells_are_shown() -> None:
    """Parts that METEOR and PARENT use."""
    links = Links(
        "Aligned words",
        ("a", "cats"),
        ("cat", "a"),
        (Link((0, 1), (1, 2)), Link((1, 2), (0, 1), "stem", 0.6)),
    )
    cells = Cells("Cells", (Cell("<Blue>", "area", "city", 0.5, ("city",)),))
    told = Explanation("x", 0.5, (), "a cats", ("cat a",), parts=(links, cells))
    text = "\n".join("".join(piece for piece, _ in line) for line in explanation_lines(told))
    assert "a[1] cats[2s]" in text and "cat[2s] a[1]" in text and "1 exact, 1 stem (s)" in text
    assert "0.50  <Blue> | area | city  (city)" in text
    page = render_explanations([told])
    check_page(page)
    assert "&lt;Blue&gt;" in page and "<sup>2 stem</sup>" in page


def test_right_to_left_texts_run_from_the_right(data: str) -> None:
    assert direction(["3", "القط"]) == "rtl" and direction(["3", "cat"]) == "ltr" and direction([]) == "ltr"
    assert 'class="columns" dir="rtl"' in render_explanations([nlgauge.explain(data, "wer", "ar", "a")])


def test_the_taxonomy_is_shown_though_a_table_named_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NLGAUGE_PATTERNS", str(tmp_path / "none.txt"))
    code, out, err = run(capsys, "list", "--taxonomy")
    assert code == 0 and "METEOR++ 2.0" in out and err == ""


def test_list_task_and_taxonomy(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list", "--task", "d2t")
    assert code == 0 and re.search(r"^BLEU +adopted +bleu +higher +0 to 100 +references +Papineni", out, re.M)
    assert re.search(r"^BLEURT +proposed +bleurt, or train it: ", out, re.M)
    told = json.loads(run(capsys, "list", "--task", "captioning", "--json")[1])
    assert told["task"] == "captioning" and told["preset"] == "coco" and "ciderD" in told["runs"]
    cider = next(row for row in told["metrics"] if row["metric"] == "CIDEr")
    assert cider["mark"] == "proposed" and cider["bounds"][0] == 0 and cider["direction"] == "higher"
    code, out, _ = run(capsys, "list", "--taxonomy")
    assert code == 0 and "│  │  │  ├─ n-gram\n│  │  │  │  ├─ BLEU: bleu\n" in out and "NUBIA" in out
    tree = json.loads(run(capsys, "list", "--taxonomy", "--json")[1])["taxonomy"]
    named = {name for branch in tree for metric in branch["metrics"] for name in metric["installed"]}
    assert named == set(METRICS)
    metrics = [metric for branch in tree for metric in branch["metrics"] if metric["named_in_survey"]]
    running = [metric for metric in metrics if metric["installed"] and not metric["missing"]]
    assert f"{len(running)} of the {len(metrics)} metrics of the survey" in out
    plus = next(metric for metric in metrics if metric["names"] == ["meteor++2"])
    assert list(plus["missing"]) == ["a table of syntactic paraphrases"] and "(a table of syntactic" in out
    assert any(metric["names"] == ["sim"] for metric in metrics)
    # what needs a checkpoint does not run as it stands; what can be trained instead counts there
    assert "BLEURT: bleurt (a checkpoint not found), or train it: nlgauge train --recipe bleurt\n" in out
    assert "COMET +: comet (a checkpoint not found)\n" in out
    trainable = [metric for metric in metrics if metric["recipe"] and metric not in running]
    assert f"; {len(trainable)} can be trained" in out and "bleurt" in {metric["recipe"] for metric in trainable}
    code, _, err = run(capsys, "list", "--task", "translatoin")
    assert code == 2 and "did you mean mt?" in err


def test_lists_say_which_dictionaries_are_not_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_WORDNET", "/nowhere")
    monkeypatch.setenv("NLGAUGE_METEOR", "/nowhere")
    out = run(capsys, "list", "--taxonomy")[1]
    assert "METEOR: meteor (WordNet not found)" in out
    assert "METEOR Universal: meteor-universal (METEOR's tables not found)" in out
    assert "WordNet (not found)" in run(capsys, "list", "--task", "d2t")[1]
    told = json.loads(run(capsys, "list", "--task", "d2t", "--json")[1])["metrics"]
    meteor = next(row for row in told if row["metric"] == "METEOR")
    assert "NLGAUGE_WORDNET" in meteor["missing"]["WordNet"]
    assert next(row for row in told if row["metric"] == "BLEU")["missing"] == {}
