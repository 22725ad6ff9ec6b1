"""`nlgauge style score`: the table, tests, failures, directions and files, by classifiers that can be reckoned."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from style_fakes import ARTICLES, article, classifiers, outputs, write

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.io import write_rows
from nlgauge.report.style_transfer import parts
from nlgauge.stats.shares import fisher
from nlgauge.style.forms import read_articles, read_transfers
from nlgauge.style.scoring import StyleScores, score_transfers
from nlgauge.style.scoring.judged import Settings
from nlgauge.style.scoring.table import AVERAGE

SETTINGS = Settings(draws=200, trials=2000)
FORTH, BACK = "calm>loud", "loud>calm"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    classifiers(tmp_path / "model", monkeypatch)
    return {
        "articles": write(tmp_path / "articles.jsonl", ARTICLES),
        "outputs": write(tmp_path / "outputs.jsonl", outputs()),
        "model": tmp_path / "model",
    }


def scored(files: dict[str, Path], **options: Any) -> StyleScores:
    articles, transfers = read_articles(files["articles"]), read_transfers(files["outputs"])
    options = {"settings": SETTINGS, **options}
    return score_transfers(articles, transfers, str(files["model"]), **options)[0]


def values(scores: StyleScores, system: str, direction: str = AVERAGE) -> list[float]:
    return [round(scores.table.value(system, direction, name), 3) for name in ("hh", "ah", "main", "compliancy")]


def asked(files: dict[str, Path], *more: str) -> list[str]:
    where = ["--articles", str(files["articles"]), "--model", str(files["model"])]
    return ["style", "score", str(files["outputs"]), *where, "--draws", "200", *more]


def test_four_systems_of_known_behaviour(files: dict[str, Path]) -> None:
    scores = scored(files)
    assert values(scores, "copy") == [1, 1, 0, 0]  # as it was: no style
    assert values(scores, "style-only") == [0, 0, 1, 0]  # other words: no content
    assert values(scores, "content-only") == [1, 1, 0, 0]
    assert values(scores, "good") == [1, 1, 1, 1]
    assert scores.table.orders()["compliancy"][0] == "good"
    # gold: `minister leaves` is of other words than its article, in both directions; `river swells` too
    assert [round(row.values["compliancy"].value, 3) for row in scores.table.gold] == [0, 0, 0]
    assert [row.n for row in scores.table.gold] == [3, 3, 6]
    share = next(row for row in scores.table.rows if (row.system, row.direction) == ("copy", FORTH)).values["main"]
    assert share.low == 0 and share.high == pytest.approx(1 - 0.025 ** (1 / 3))  # none of three is not never


def test_swapping_the_direction_swaps_the_table(files: dict[str, Path], tmp_path: Path) -> None:
    """The names of the two sources are exchanged everywhere: each row is found under the other direction."""
    rows = outputs()
    rows[0]["text"] = "something else"  # so that the directions differ
    rows[5]["text"] = ""
    write(files["outputs"], rows)
    before = scored(files)
    other = {"loud": "calm", "calm": "loud"}
    swap = re.compile("loud|calm")

    def swapped(text: str) -> str:
        return swap.sub(lambda name: other[name[0]], text)

    write(files["articles"], [{**one, "source": other[one["source"]]} for one in ARTICLES])
    write(files["outputs"], [{**row, "direction": swapped(row["direction"])} for row in rows])
    after = scored(files)
    for row in before.table.rows:
        twin = row.direction if row.direction == AVERAGE else swapped(row.direction)
        (same,) = (one for one in after.table.rows if (one.system, one.direction) == (row.system, twin))
        assert {name: value.value for name, value in same.values.items()} == {
            name: pytest.approx(value.value) for name, value in row.values.items()
        }
        if row.direction != AVERAGE:
            assert same.values == row.values  # the limits too
    assert values(before, "copy", FORTH) != values(before, "copy", BACK)


def test_the_average_is_the_mean_of_the_directions(files: dict[str, Path]) -> None:
    """Also where they have different numbers of outputs, and for BLEU."""
    rows = [row for row in outputs() if row["id"] != "c3"]
    rows[3]["text"] = "x"
    write(files["outputs"], rows)
    scores = scored(files)
    for system in scores.table.systems:
        for measure in scores.table.measures:
            both = [scores.table.value(system, direction, measure) for direction in (FORTH, BACK)]
            assert scores.table.value(system, AVERAGE, measure) == pytest.approx(sum(both) / 2)


def test_score_gives_the_same_on_the_rows_that_are_written(files: dict[str, Path], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    assert main(asked(files, "--rows", str(rows), "--json")) == 0
    scores = scored(files, metrics=["bleu", "rougeL"], settings=Settings(draws=1000))
    specs = [f"{name}(model={files['model']})" for name in ("style-hh", "style-ah", "style-main", "compliancy")]
    for direction in (FORTH, BACK):
        data = nlgauge.load(rows).where(lambda one, where=direction: one.extra["direction"] == where)  # type: ignore[misc]
        found = nlgauge.score(data, [*specs, "bleu", "rougeL"], ci=True)
        for row in scores.table.rows:
            if row.direction != direction:
                continue
            for spec, name in zip([*specs, "bleu", "rougeL"], row.values, strict=True):
                own, there = row.values[name], found[row.system, spec]
                assert own.value == pytest.approx(there.value)
                if spec == name:  # of decisions the limits are exact, not drawn
                    assert (own.low, own.high) == pytest.approx((there.low, there.high))


def test_paired_tests_and_orders_with_enough_articles(files: dict[str, Path]) -> None:
    articles, rows = many(20)
    write(files["articles"], articles)
    write(files["outputs"], rows)
    scores = scored(files)
    assert scores.tests is not None
    tests = {
        (test.metric, test.system, test.baseline): test
        for test in scores.tests.comparisons
        if test.metric.startswith("compliancy")
    }
    good = tests["compliancy, average", "good", "copy"]
    assert (good.delta, good.n) == (1, 40) and good.p_adjusted < 0.01
    assert tests[f"compliancy, {FORTH}", "good", "style-only"].p_adjusted < 0.01
    same = tests["compliancy, average", "content-only", "copy"]
    assert (same.delta, same.p) == (0, 1)
    (ranking,) = (one for one in scores.tests.rankings if one.metric == "compliancy, average")
    assert ranking.clusters == (("good",), ("copy", "style-only", "content-only"))


def many(n: int) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """`n` pairs of articles with words of their own, and the four systems' outputs."""
    articles, rows = [], []
    for number in range(n):
        word = f"event{number}"
        articles.append(article(f"l{number}", "loud", f"{word} big".upper(), f"c{number}"))
        articles.append(article(f"c{number}", "calm", f"{word} big", f"l{number}"))
    for one in articles:
        other = str.lower if one["source"] == "loud" else str.upper
        target = "calm" if one["source"] == "loud" else "loud"
        texts = {"copy": one["headline"], "style-only": other("none at all"), "content-only": one["headline"]}
        for system, text in {**texts, "good": other(one["headline"])}.items():
            rows.append({"id": one["id"], "direction": f"{one['source']}>{target}", "system": system, "text": text})
    return articles, rows


def test_failures_and_who_decides(files: dict[str, Path]) -> None:
    scores = scored(files)
    found = {(one.system, one.direction): one for one in scores.failures}
    copy, style = found["copy", FORTH], found["style-only", BACK]
    assert copy.counts["main",] == copy.failed == copy.n == 3
    assert (copy.without("main"), copy.without("hh")) == (1, 0)
    assert style.counts["hh", "ah"] == 3 and style.alone("hh") == 0 and style.without("hh") == 0
    assert found["good", FORTH].failed == 0
    for one in scores.failures:
        assert sum(one.counts.values()) == one.n


def test_directions_are_tested_apart(files: dict[str, Path]) -> None:
    """good fails in one direction only: Fisher's exact test of 20 of 20 against 5 of 20."""
    articles, rows = many(20)
    spoilt = {f"c{number}" for number in range(15)}
    rows = [{**row, "text": "none"} if row["system"] == "good" and row["id"] in spoilt else row for row in rows]
    write(files["articles"], articles)
    write(files["outputs"], rows)
    scores = scored(files)
    by = {one.system: one for one in scores.asymmetries}
    good = by["good"]
    assert good.directions == (FORTH, BACK) and good.complied == (5, 20) and good.of == (20, 20)
    assert good.difference == -0.75
    # 5/20 has the exact limits .0866 and .4910, 20/20 .8316 and 1
    below, above = ((0.25 - 0.0866) ** 2) ** 0.5, ((0.4910 - 0.25) ** 2 + (1 - 0.8316) ** 2) ** 0.5
    assert (good.low, good.high) == pytest.approx((-0.75 - below, -0.75 + above), abs=1e-4)
    assert good.p == fisher(5, 20, 20, 20) and good.p_adjusted == pytest.approx(4 * good.p)
    assert by["copy"].p == 1 and by["gold"].p == 1


def test_correlations_of_single_outputs(files: dict[str, Path]) -> None:
    scores = scored(files)
    by = {(one.first, one.second): one for one in scores.correlations}
    assert by["hh", "ah"].pearson.estimate == pytest.approx(1) and by["hh", "ah"].binary
    # 24 outputs: 18 match, of which 6 are moved; 6 do not match, all of them moved
    assert by["hh", "main"].pearson.estimate == pytest.approx(-((12 * 6) / (18 * 6 * 12 * 12) ** 0.5))
    assert by["hh", "main"].pearson.n == 24
    assert set(by) >= {("main", "sentbleu"), ("main", "rougeL"), ("sentbleu", "rougeL")}


def test_families_under_training_data(files: dict[str, Path]) -> None:
    articles, rows = many(20)
    write(files["articles"], articles)
    write(files["outputs"], rows)
    scores = scored(
        files,
        families={"moving": ["style-only", "good"], "staying": ["copy", "content-only"]},
        data={"much": ["good", "copy"], "little": ["style-only", "content-only"]},
    )
    assert scores.framing is not None
    assert scores.framing.means["moving", "much"]["compliancy"] == 1
    assert scores.framing.means["moving", "little"]["main"] == 1
    tests = {(test.metric, test.system, test.baseline): test for test in scores.framing.tests}
    found = tests["compliancy, average", "staying, much", "moving, much"]
    assert found.delta == -1 and found.p_adjusted < 0.01
    assert ("compliancy, average", "staying, little", "moving, much") not in tests  # two things differ
    pooled = scored(files, families={"moving": ["style-only", "good"], "staying": ["copy"]}).framing
    assert pooled is not None
    assert [round(test.delta, 3) for test in pooled.tests if test.metric == "compliancy, average"] == [-0.5]


def test_target_for_three_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classifiers(tmp_path / "model", monkeypatch, ("calm", "loud", "shrill"))
    articles = [article("c1", "calm", "fire at port", "x"), article("l1", "loud", "RIVER RISES", "x")]
    rows = [
        {"id": "c1", "direction": "calm>shrill", "system": "s", "text": "fire at port !"},
        {"id": "c1", "direction": "calm>loud", "system": "s", "text": "FIRE AT PORT !"},
        {"id": "l1", "direction": "loud>shrill", "system": "s", "text": "river"},
    ]
    files = {
        "articles": write(tmp_path / "a.jsonl", articles),
        "outputs": write(tmp_path / "o.jsonl", rows),
        "model": tmp_path / "model",
    }
    scores = scored(files, gold=False)
    assert scores.success == "target"
    main_by = {row.direction: row.values["main"].value for row in scores.table.rows}
    assert main_by == {"calm>shrill": 1, "calm>loud": 0, "loud>shrill": 0, AVERAGE: pytest.approx(1 / 3)}
    assert scores.asymmetries == ()
    with pytest.raises(InputError, match="success=target"):
        scored(files, gold=False, success="reversed")


def test_items_page_json_and_terminal(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = outputs()
    rows[0]["text"] = "<b>&</b>"
    rows[1]["text"] = ""
    write(files["outputs"], rows)
    items, page = tmp_path / "items.jsonl", tmp_path / "page.html"
    assert main(asked(files, "--items", str(items), "--html", str(page))) == 0
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "style-only: 1 empty output, scored 0 by all classifiers." in told
    assert "What fails" in told and "gold" in told and "receipt" not in told
    written = [json.loads(line) for line in items.read_text(encoding="utf-8").splitlines()]
    assert len(written) == 24
    by = {(row["item"], row["system"]): row for row in written}
    assert by["l1", "copy"]["fails"] == "hh+ah" and by["l1", "copy"]["style"] == "calm"
    assert by["l1", "style-only"]["fails"] == "main+hh+ah" and by["l1", "style-only"]["hh_probability"] < 0.5
    assert by["c1", "good"]["compliancy"] is True and by["c1", "good"]["gold"] == "FIRE AT PORT"
    html = page.read_text(encoding="utf-8")
    assert "<b>&</b>" not in html and "&lt;b&gt;&amp;&lt;/b&gt;" in html
    for heading in ("Compliancy", "What fails", "Some outputs", "Receipts"):
        assert f"<h2>{heading}</h2>" in html
    assert main(asked(files, "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["success"] == "reversed" and found["empty"]["style-only"] == 1
    assert {"tests", "failures", "asymmetry", "correlations", "receipts"} <= set(found)


def test_what_the_training_told_of_the_classifiers_stands_in_the_report(files: dict[str, Path]) -> None:
    told = {"value": 0.77, "low": 0.7, "high": 0.8}
    row = {"label": "calm", "n": 20, "precision": told, "recall": {**told, "value": None}, "f": told}
    own = {name: {"by_class": [row]} for name in ("main", "hh", "ah")}
    own["main"]["gold"] = {"by_class": [{**row, "n": 30}]}  # type: ignore[assignment]
    (files["model"] / "style.json").write_text(json.dumps({"classifiers": own}), encoding="utf-8")
    (part,) = (part for part in parts(scored(files)) if part[0] == "Classifiers, by class")
    assert part[2][0] == ["Main", "calm", "gold", "30", "0.77", "", "0.77"]
    assert part[2][1][:4] == ["HH", "calm", "held out", "20"]
    (files["model"] / "style.json").unlink()
    assert scored(files).classifiers == ()
    (files["model"] / "style.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match=r"style\.json is damaged"):
        scored(files)


def test_originals_that_the_classifier_mistakes_are_told(files: dict[str, Path]) -> None:
    articles = [{**one, "headline": "Fire"} if one["id"] == "l1" else one for one in ARTICLES]
    write(files["articles"], articles)
    scores = scored(files)
    assert (scores.misjudged, scores.originals) == (1, 6)


def without_pair(row: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in row.items() if key != "pair"}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"outputs": []}, "is empty: it has no rows; expected one row for each headline that a system wrote"),
    (
        {"articles": [one for one in ARTICLES if one["source"] == "loud"]},
        "all articles are of one source, loud",
    ),
    (
        {"outputs": [row for row in outputs() if row["direction"] == FORTH]},
        "no output in the direction loud>calm",
    ),
    (
        {"outputs": [row for row in outputs() if (row["system"], row["direction"]) != ("good", FORTH)]},
        "good has no output in the direction calm>loud, in which others have",
    ),
    ({"articles": ARTICLES[1:]}, "an output for the article 'l1', which is not among the articles"),
    (
        {"outputs": [*outputs(), {"id": "l1", "direction": FORTH, "system": "x", "text": "y"}]},
        "in the direction calm>loud, but the article is of loud",
    ),
    (
        {"outputs": [{**row, "direction": "loud>other"} for row in outputs() if row["direction"] == BACK]},
        "no output in the direction calm>loud",
    ),
    (
        {"articles": [without_pair(one) for one in ARTICLES]},
        "'l1' has no aligned article of the target source, nor have 5 more",
    ),
    (
        {"articles": [{**one, "text": " "} if one["id"] == "l1" else one for one in ARTICLES]},
        "the article 'l1', whose text is empty",
    ),
    (
        {"articles": [{**one, "headline": ""} if one["id"] == "l1" else one for one in ARTICLES]},
        "the article 'l1', whose headline is empty",
    ),
    ({"outputs": [{**row, "system": "gold"} for row in outputs()[::4]]}, "a system is called gold"),
]


@pytest.mark.parametrize(("given", "told"), REFUSED, ids=[told[:30] for _, told in REFUSED])
def test_refusals(
    given: dict[str, Any],
    told: str,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, rows in given.items():
        write(files[name], rows)
    out = tmp_path / "items.jsonl"
    assert main(asked(files, "--items", str(out))) == 2
    err = re.sub(r"\s+", " ", capsys.readouterr().err)
    assert told in err and "Traceback" not in err and not out.exists()


def test_an_empty_cell_of_a_table_is_an_empty_output_and_spaces_beside_the_arrow_do_not_count(
    files: dict[str, Path], tmp_path: Path
) -> None:
    rows = [{**row, "direction": row["direction"].replace(">", " > ")} for row in outputs()]
    rows[0]["text"] = ""
    table = tmp_path / "outputs.csv"
    write_rows(rows, table)
    found = read_transfers(table)
    assert (found[0].text, found[0].direction) == ("", outputs()[0]["direction"])
    assert [transfer.text for transfer in found[1:]] == [row["text"] for row in outputs()[1:]]
    write(files["outputs"], [{**row, "text": None} for row in outputs()])
    with pytest.raises(InputError, match="text must be a text"):
        read_transfers(files["outputs"])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--html", "{folder}"], "is a folder; expected a file"),
        (["--rows", "{folder}/rows.txt"], "the extension .txt is not one of"),
        (["--html", "{folder}/model/main/metric.json"], "which this command reads"),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_the_work(
    more: list[str], told: str, files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = tmp_path / "items.jsonl"
    options = [word.replace("{folder}", str(tmp_path)) for word in more]
    assert main(asked(files, "--items", str(items), *options)) == 2
    err = re.sub(r"\s+", " ", capsys.readouterr().err)
    assert told in err and not items.exists()


def test_a_source_that_the_classifiers_do_not_know(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classifiers(tmp_path / "others", monkeypatch, ("calm", "plain"))
    with pytest.raises(InputError, match="has the source 'loud', which the classifiers do not know"):
        scored({**files, "model": tmp_path / "others"})


def test_missing_outputs_are_counted_and_tests_are_on_what_all_have(files: dict[str, Path]) -> None:
    write(files["outputs"], [row for row in outputs() if (row["id"], row["system"]) != ("l2", "good")])
    scores = scored(files)
    assert scores.lacking == {("good", BACK): 1}
    assert scores.tests is not None and {test.n for test in scores.tests.comparisons} == {5}
    assert {row.n for row in scores.table.rows if row.direction == BACK} == {2, 3}


def test_one_direction_and_no_gold_where_asked_for(files: dict[str, Path]) -> None:
    write(files["articles"], [without_pair(one) for one in ARTICLES])
    scores = scored(files, directions=[BACK], gold=False)
    assert scores.table.directions == (BACK,) and scores.table.gold == ()
    assert scores.table.measures == ("hh", "ah", "main", "compliancy")
    with pytest.raises(InputError, match="no output in the direction 'loud>other'"):
        scored(files, directions=["loud>other"])
