"""`nlgauge style study`: articles and transfers become a study folder, with the class that each headline is of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.checks.run import check
from nlgauge.study.file import study as design
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols.classification.file import class_study
from nlgauge.study.protocols.classification.layout import truth_of
from nlgauge.style.forms import Article, Transfer
from nlgauge.style.judged import chosen, headlines

PAPERS = ("courier", "gazette")


def articles(number: int = 24) -> list[Article]:
    return [
        Article(f"{side}{k}", PAPERS[(k + place) % 2], None, f"{side} headline {k}", "text", pair=f"{other}{k}")
        for k in range(number)
        for place, (side, other) in enumerate((("x", "y"), ("y", "x")))
    ]


def transfers(number: int = 24) -> list[Transfer]:
    return [
        Transfer(f"x{k}", f"{PAPERS[k % 2]}>{PAPERS[1 - k % 2]}", system, f"{system} of {k}")
        for k in range(number)
        for system in ("good", "copy")
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, rows in (("articles", articles()), ("outputs", transfers())):
        lines = [json.dumps(row.to_row()) + "\n" for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return ["style", "study", str(tmp_path / "outputs.jsonl"), "--articles", str(tmp_path / "articles.jsonl")]


def test_originals_are_of_their_source_and_outputs_of_the_target() -> None:
    rows = {(row["item"], row["system"]): row for row in headlines(transfers(), articles())}
    assert len(rows) == 24 * 4
    for k in range(24):
        own, other = PAPERS[k % 2], PAPERS[1 - k % 2]
        assert rows[f"x{k}", "original"] == {
            "item": f"x{k}",
            "system": "original",
            "hypothesis": f"x headline {k}",
            "class": own,
        }
        assert rows[f"x{k}", "good"]["class"] == rows[f"x{k}", "gold"]["class"] == other
        assert rows[f"x{k}", "gold"]["hypothesis"] == f"y headline {k}"
    one = headlines(transfers(), articles(), direction="courier>gazette")
    assert {row["class"] for row in one if row["system"] == "good"} == {"gazette"}


def test_an_article_in_several_directions_is_several_items() -> None:
    both = [Transfer("x0", f"courier>{target}", "s", target) for target in ("gazette", "echo")]
    rows = headlines(both, articles())
    assert {row["item"] for row in rows} == {"x0 courier>gazette", "x0 courier>echo"}


def test_only_articles_count_that_every_system_has() -> None:
    rows = headlines(transfers()[:-1], articles())
    systems, kept = chosen(rows, ())
    assert systems == ["original", "good", "copy"] and len(kept) == 3 * 23
    assert len(chosen(rows, ("gold", "good"), two=True)[1]) == 2 * 24


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: headlines([], articles()), "there are no outputs"),
        (lambda: headlines(transfers(), articles(3)), "is of no article that was given"),
        (
            lambda: headlines(transfers(), articles(), direction="gazete>courier"),
            "did you mean gazette>courier",
        ),
        (
            lambda: headlines([Transfer("x0", "echo>gazette", "s", "")], articles()),
            "but that article is of courier",
        ),
        (lambda: headlines([Transfer("x0", "courier>gazette", "gold", "")], articles()), "call it otherwise"),
        (lambda: chosen(headlines(transfers(), articles()), ("goood",)), "did you mean good"),
        (lambda: chosen(headlines(transfers(), articles()), (), two=True), 'name them with systems="A,B"'),
        (
            lambda: chosen(
                headlines([Transfer(f"x{k}", "courier>gazette", "st"[k // 2], "t") for k in (0, 2)], articles()),
                ("s", "t"),
            ),
            "no article has a headline by each of s, t",
        ),
    ],
)
def test_what_makes_no_study_is_refused(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_a_classification_is_made_that_can_be_launched(files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "study"
    assert main([*files, "-o", str(folder), "--languages", "en,it"]) == 0
    study = class_study(design.load(folder))
    assert list(study.classes) == list(PAPERS) and not [
        one for one in check(folder, simulate=False)[0] if one.severity == "error"
    ]
    found = {(text.subject, text.item): truth_of(text) for text in freeze(study, folder).served}
    assert found["original", "x2"] == "courier" and found["good", "x2"] == "gazette"


def test_a_triangle_test_of_a_system_against_gold(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    words = [*files, "-o", str(folder), "--protocol", "triangle"]
    assert main(words) == 2 and not folder.exists()
    assert "--systems A,B" in capsys.readouterr().err
    assert main([*words, "--systems", "gold,good", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["subjects"] == {"A": "gold", "B": "good"}
    assert design.load(folder).protocol == "triangle"
    assert main([*words, "--systems", "gold,good"]) == 2
    assert "exists already" in capsys.readouterr().err
