"""nlgauge style example, align and split: what they write and say, and refusals that write nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import main
from nlgauge.style.forms import PARTS, read_pairs, read_split, read_transfers


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("papers")
    assert main(["style", "example", "-o", str(home), "--articles", "120", "--seed", "3"]) == 0
    return home


def sides(home: Path) -> list[str]:
    return [str(home / "gazette.jsonl"), str(home / "courier.jsonl")]


def test_the_whole_path(papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, split, outputs = (str(tmp_path / name) for name in ("pairs.jsonl", "split", "outputs.jsonl"))
    page = tmp_path / "curve.html"
    capsys.readouterr()
    assert main(["style", "align", *sides(papers), "-o", pairs, "--html", str(page), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = read_pairs(pairs)
    assert told["sources"] == {"gazette": 120, "courier": 120}
    assert told["strong"] + told["weak"] == len(found) == told["curve"][0]["pairs"]
    events = [json.loads(line) for line in (papers / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    known = {(event["a"], event["b"]) for event in events}
    assert len(known & {(pair.a, pair.b) for pair in found}) >= 0.95 * max(len(found), len(known))
    shown = page.read_text(encoding="utf-8")
    assert "Pairs by threshold" in shown and found[-1].a in shown

    assert main(["style", "split", *sides(papers), pairs, "-o", split, "--json"]) == 0
    recipe = json.loads(capsys.readouterr().out)
    parts = read_split(split)
    assert {part: sum(recipe["articles"][part].values()) for part in PARTS} == {
        part: len(articles) for part, articles in parts.items()
    }

    assert main(["style", "example", "--outputs", split, "-o", outputs]) == 0
    assert len(read_transfers(outputs)) == 4 * len(parts["test"])


def test_text_for_people(papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = str(tmp_path / "pairs.jsonl")
    capsys.readouterr()
    assert main(["style", "align", *sides(papers), "-o", pairs]) == 0
    assert "pairs of 120 of gazette and 120 of courier" in capsys.readouterr().out
    assert main(["style", "split", *sides(papers), pairs, "-o", str(tmp_path / "split")]) == 0
    printed = capsys.readouterr().out
    assert "cosine of its pairs" in printed and "left out are 0 articles" in printed


def rows(path: Path, *articles: dict[str, object]) -> str:
    path.write_text("".join(json.dumps(article) + "\n" for article in articles), encoding="utf-8")
    return str(path)


def row(name: str, source: str, text: str, date: str | None = "2026-01-31") -> dict[str, object]:
    return {"id": name, "source": source, "date": date, "headline": "h", "text": text}


@pytest.mark.parametrize(
    ("left", "right", "options", "said"),
    [
        (row("a", "x", "one"), row("b", "y", "two", None), [], "article 'b' has no date"),
        (row("a", "x", "one"), row("b", "y", "two", "31.1.2026"), [], "date must be written as 2026-01-31"),
        (row("a", "x", ""), row("b", "y", "two"), [], "article 'a' has an empty text"),
        (row("a", "x", "one"), row("b", "x", "two"), [], "two sides are of the source 'x'"),
        (row("a", "x", "one"), row("b", "y", "one"), [], "have the same text"),
        (row("a", "x", "one"), row("b", "y", "two"), ["--weak", ".6"], "0 < weak < strong < 1"),
        (row("a", "x", "one"), row("b", "y", "two"), ["--tok", "wurds"], "there is no tokeniser 'wurds'"),
    ],
)
def test_refusals_are_one_sentence_and_write_nothing(
    left: dict[str, object],
    right: dict[str, object],
    options: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = [rows(tmp_path / "a.jsonl", left), rows(tmp_path / "b.jsonl", right)]
    out = tmp_path / "pairs.jsonl"
    assert main(["style", "align", *files, "-o", str(out), *options]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.err.count("\n") == 1 and not captured.out
    assert not out.exists()


def test_any_date_and_clean_take_what_is_refused_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "change-it.ilgiornale.csv"
    table.write_text("headline,full_text\nUno,il ponte apre oggi\nDue,\n", encoding="utf-8")
    other = rows(tmp_path / "b.jsonl", row("b", "repubblica", "oggi apre il ponte nuovo", None))
    out = tmp_path / "pairs.jsonl"
    asked = ["style", "align", str(table), other, "-o", str(out), "--quiet"]
    assert main(asked) == 2 and not out.exists()
    assert main([*asked, "--any-date", "--clean"]) == 0
    assert "left out are 1 articles of empty text, 0 without date" in capsys.readouterr().err
    assert [(pair.a, pair.b) for pair in read_pairs(out)] == [("ilgiornale-0", "b")]


def test_a_pair_without_article_and_options_that_do_not_fit(
    papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = rows(tmp_path / "pairs.jsonl", {"a": "gazette-1", "b": "nobody", "score": 0.9, "band": "strong"})
    out = tmp_path / "split"
    assert main(["style", "split", *sides(papers), pairs, "-o", str(out)]) == 2
    assert "pair 1 names the article 'nobody'" in capsys.readouterr().err
    assert not out.exists()
    assert main(["style", "example", "--outputs", "x", "--words", "90", "-o", str(tmp_path / "o.jsonl")]) == 2
    assert "--words is about the newspapers" in capsys.readouterr().err


def test_three_sources_take_files_of_pairs_for_each_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, files = ("a", "b", "c"), []
    for name in names:
        texts = [f"{name} tells of event {n} in words {n * 3} {name * (n + 1)}" for n in range(6)]
        told = [
            {"id": f"{name}{n}", "source": name, "headline": f"{name} head {n}", "text": text}
            for n, text in enumerate(texts)
        ]
        files.append(rows(tmp_path / f"{name}.jsonl", *told))
    pairs = []
    for number, (one, other) in enumerate((("a", "b"), ("a", "c"), ("b", "c"))):
        row = [
            {"a": f"{one}{n}", "b": f"{other}{n}", "score": 0.9 - n / 100, "band": "strong"}
            for n in range(number * 2, number * 2 + 2)
        ]
        pairs.append(rows(tmp_path / f"{one}{other}.jsonl", *row))
    out = str(tmp_path / "split")
    capsys.readouterr()
    assert main(["style", "split", *files, *pairs, "-o", out]) == 0
    assert capsys.readouterr().out.split()[:4] == ["part", *names]
    assert {article.source for part in read_split(out).values() for article in part} == set(names)
    assert main(["style", "split", *files, "-o", str(tmp_path / "other")]) == 2
    assert "none of the files has pairs" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()
