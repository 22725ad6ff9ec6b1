"""Every command gives the same number for the same data and metric, whatever the number and order of systems."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import MissingExtra, MissingResource
from nlgauge.meta.evaluate import meta_evaluate
from nlgauge.meta.measures import score_texts
from nlgauge.meta.observations import observe
from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import load, names
from nlgauge.metrics.spec import parse
from nlgauge.models import runtime

Row = dict[str, Any]
CLOSE = 1e-9
# Single precision: vectors that are made anew, beside other texts, differ in their last bits.
ANEW = 1e-6
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    ".",
    "red",
    "naïve",
    "зима",
    "एक",
    "😀",
    "dogs",
    "ran",
    "3.5",
    "home",
]
VARIANTS = [
    "bertscore(idf=yes)",
    "cider(stem=porter)",
    "nist(multi=best)",
    "yisi1(idf=yes)",
    "meteor++(rare=2)",
    "trained(model=sts)",
]
SPECS = [*(name for name in names() if load(name).additive), *VARIANTS]


def made(systems: int, items: int, seed: int) -> list[Row]:
    """Rows of several references, in unequal numbers, with repeated and empty outputs, in random order."""
    draw = random.Random(seed)

    def text(low: int = 2) -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(low, 7)))

    rows = []
    for item in range(items):
        references = [text() for _ in range(1 + item % 3)]
        about = {
            "references": references,
            "reference_weights": [1.0, 0.5, -0.25][: len(references)],
            "source": f"who[{text()}] , what[{text()}]",
        }
        for system in range(systems):
            kept = references[0].split()
            output = " ".join(word if draw.random() < 0.7 else draw.choice(WORDS) for word in kept)
            output = "" if (item + system) % 7 == 6 else "the cat sat ." if item % 5 == 4 else output
            more = {"post_edits": [text(), references[0]], "ratings": {"q": draw.randint(1, 5)}}
            rows.append({"item": f"i{item}", "system": f"s{system}", "hypothesis": output, **about, **more})
    draw.shuffle(rows)
    return rows


def ruled(rows: list[Row]) -> list[Row]:
    """The rows with an input and a word that the example's rules know, where a metric asks for such."""
    source = [["Arden_Bridge", "location", "Ilva"]]
    return [{**row, "source": source, "hypothesis": f"Arden {row['hypothesis']}".strip()} for row in rows]


def runnable(spec: str) -> Metric:
    metric = parse(spec)
    try:
        fitted = nlgauge.load(made(1, 2, 5))
        nlgauge.score(fitted, [metric])
    except (MissingExtra, MissingResource) as error:
        pytest.skip(f"{spec} cannot be computed here: {error}")
    return metric


def size(metric: Metric) -> list[tuple[int, int]]:
    """Systems and items: small sets for what takes long."""
    return [(1, 3), (3, 4), (7, 5)] if metric.models else [(1, 9), (3, 14), (7, 11)]


@pytest.fixture(autouse=True, scope="module")
def _own_embeddings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache that holds no vectors of earlier runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLGAUGE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("spec", SPECS)
def test_score_compare_meta_and_explain_give_one_number(spec: str, tmp_path: Path) -> None:
    metric = runnable(spec)
    for systems, items in size(metric):
        rows = made(systems, items, seed=systems)
        rows = ruled(rows) if metric.name == "conformity" else rows
        data = nlgauge.load(rows)
        found = nlgauge.score(data, [metric], segments=tmp_path / "segments.jsonl")
        scored = {one.system: one.value for one in found.scores}
        by_segment = {
            (row["item"], row["system"]): row[str(metric)]
            for row in map(orjson.loads, (tmp_path / "segments.jsonl").read_bytes().splitlines())
        }

        shuffled = random.Random(9).sample(rows, len(rows))
        observed = observe(shuffled)
        computed, score = score_texts(observed.rows, [metric], observed.origin)[metric]
        values = {(row.item, row.system): value for row, value in zip(observed.rows, score(computed), strict=True)}
        assert values == pytest.approx(by_segment, abs=CLOSE, rel=CLOSE, nan_ok=True)
        for system, value in scored.items():
            mine = [place for place, row in enumerate(observed.rows) if row.system == system]
            assert float(score(computed[mine].sum(axis=0))) == pytest.approx(value, abs=CLOSE, nan_ok=True)

        if systems > 2:
            options: dict[str, Any] = {"draws": 0, "test": "none", "score": "corpus"}
            points = meta_evaluate(shuffled, [metric], "q", level="system", **options).points[str(metric), "q"]
            assert dict(zip(points.labels, points.metric, strict=True)) == pytest.approx(scored, abs=CLOSE, nan_ok=True)
            compared = nlgauge.compare(nlgauge.load(shuffled), [metric], baseline="s0", trials=2).comparisons
            for one in compared:
                assert one.value == pytest.approx(scored[one.system], abs=CLOSE, nan_ok=True)
                assert one.baseline_value == pytest.approx(scored["s0"], abs=CLOSE, nan_ok=True)

        for item, system in random.Random(3).sample(sorted(by_segment), 2):
            told = nlgauge.explain(nlgauge.load(shuffled), metric, item, system)
            assert told.score == pytest.approx(by_segment[item, system], abs=CLOSE, rel=CLOSE, nan_ok=True)


@pytest.mark.parametrize("spec", ["bertscore", "sim", "moverscore"])
def test_vectors_made_anew_beside_other_texts_change_the_last_bits_only(spec: str) -> None:
    metric: Any = runnable(spec)
    rows = made(7, 5, seed=7)
    with runtime.use(embeddings="off"):
        anew(metric)
        together = {one.system: one.value for one in nlgauge.score(rows, metric).scores}
        for system, value in together.items():
            anew(metric)
            alone = nlgauge.score([row for row in rows if row["system"] == system], metric).scores[0].value
            assert alone == pytest.approx(value, abs=ANEW)


def anew(metric: Any) -> None:
    """Forget the vectors that this process knows."""
    model = metric.loaded()
    for keeper in (model, getattr(model, "encoder", model)):
        keeper._stores._made.clear()


FITTED = ["ciderD", "cider", "nist", "yisi0", "meteor++(rare=2)"]


@pytest.mark.parametrize("spec", FITTED)
def test_a_fitted_metric_does_not_change_with_the_systems_beside_or_their_order(spec: str) -> None:
    rows = made(5, 12, seed=2)
    alone = nlgauge.score([row for row in rows if row["system"] == "s3"], spec).scores[0].value
    lacking = [row for row in rows if (row["system"], row["item"]) not in {("s0", "i1"), ("s4", "i2")}]
    for given in (rows, rows[::-1], lacking, lacking[::-1]):
        (score,) = (one.value for one in nlgauge.score(given, spec).scores if one.system == "s3")
        assert score == pytest.approx(alone, abs=CLOSE)
        points = meta_evaluate(given, spec, "q", level="system", draws=0, test="none").points[spec, "q"]
        assert points.metric[list(points.labels).index("s3")] == pytest.approx(alone, abs=CLOSE)


@pytest.mark.parametrize("joined", ["mean", "max"])
def test_references_taken_one_by_one_are_weighed_by_the_whole_corpus(joined: Any) -> None:
    """With one reference an item, taking references one by one is what the metric does anyway."""
    rows = [{"references": row.pop("references")[:1], **row, "reference_weights": None} for row in made(4, 12, seed=4)]
    for spec in FITTED[:2]:
        metric = parse(spec)
        observed = observe(rows)
        whole, score = score_texts(observed.rows, [metric], "")[metric]
        alone, mean = score_texts(observed.rows, [metric], "", joined=joined)[metric]
        assert mean(alone) == pytest.approx(score(whole), abs=CLOSE)


def test_an_item_may_tell_its_references_in_one_row_in_every_command() -> None:
    rows = made(3, 8, seed=6)
    told = {row["item"]: row for row in rows}
    sparse = [
        row
        if row is told[row["item"]]
        else {key: value for key, value in row.items() if key not in ("references", "reference_weights", "source")}
        for row in rows
    ]
    for spec in ("ciderD", "parent", "deltableu"):
        scored = {one.system: one.value for one in nlgauge.score(sparse, spec).scores}
        points = meta_evaluate(sparse, spec, "q", level="system", draws=0, test="none").points[spec, "q"]
        assert dict(zip(points.labels, points.metric, strict=True)) == pytest.approx(scored, abs=CLOSE)


PRINTED = ["ciderD", "bleu", "ter", "bertscore"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says."""
    assert main([*arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("spec", PRINTED)
def test_the_pages_and_tables_print_the_number_that_score_gives(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metric = runnable(spec)
    rows = sorted(made(4, 8, seed=8), key=lambda row: (row["system"], row["item"]))
    file, page = str(tmp_path / "set.jsonl"), tmp_path / "page.html"
    Path(file).write_bytes(b"\n".join(map(orjson.dumps, rows)))
    scored = {one.system: one.value for one in nlgauge.score(file, metric).scores}
    shown = [f"{value:.{metric.places}f}" for value in scored.values()]

    for command in (["score"], ["compare", "--baseline", "s0", "--trials", "50"]):
        out = printed(capsys, *command, file, "-m", spec, "--html", str(page))
        assert all(value in out and value in page.read_text(encoding="utf-8") for value in shown)

    level = ["--human", "q", "--level", "system", "--test", "none", "--draws", "0"]
    printed(capsys, "meta", file, "-m", spec, *level, "--html", str(page))
    points = re.findall(r"<title>(s\d): ([^,<]+), ([^<]+)</title>", page.read_text(encoding="utf-8"))
    assert {name: {x, y} & {f"{scored[name]:.4g}"} for name, x, y in points} == {
        name: {f"{value:.4g}"} for name, value in scored.items()
    }

    out = printed(capsys, "meta", file, "-m", spec, "--report", "belz-reiter", "--json", "--trials", "50")
    by_report = {
        row["system"]: row["value"] for row in orjson.loads(out)["belz_reiter"]["scores"] if row["by"] == str(metric)
    }
    assert by_report == pytest.approx(scored, abs=CLOSE)

    one = ["--item", "i2", "--system", "s1"]
    told = orjson.loads(printed(capsys, "explain", spec, file, *one, "--json"))["explanations"][0]
    segment = nlgauge.explain(file, metric, "i2", "s1").score
    assert told["score"] == pytest.approx(segment, abs=CLOSE)
    printed(capsys, "explain", spec, file, *one, "--html", str(page))
    assert f"{segment:.{metric.places}f}" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("spec", ["ciderD", "ter", "nist", "bertscore"])
def test_a_metric_that_judges_in_a_study_has_the_number_that_score_gives(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A study keeps an item for practice, so its panels see fewer items than the set has."""
    pytest.importorskip("sqlalchemy", reason="studies need the extra study")
    metric = runnable(spec)
    sign = 1 if metric.direction == "higher" else -1
    rows = [
        {key: row[key] for key in ("item", "system", "references", "source")}
        | {"hypothesis": row["hypothesis"] or "the cat sat ."}
        for row in made(3, 6, seed=3)
    ]
    file, folder = str(tmp_path / "set.jsonl"), str(tmp_path / "study")
    Path(file).write_bytes(b"\n".join(map(orjson.dumps, rows)))
    nlgauge.score(file, metric, segments=tmp_path / "segments.jsonl")
    scored = {
        (row["item"], row["system"]): sign * row[spec]
        for row in map(orjson.loads, (tmp_path / "segments.jsonl").read_bytes().splitlines())
    }
    new = ["--protocol", "likert", "--from", file, "--systems", "s0,s1,s2", "--judges", "3", "--seed", "1"]
    printed(capsys, "study", "new", folder, *new)
    printed(capsys, "study", "launch", folder)
    printed(capsys, "study", "simulate", folder)
    judge = ["--judge", "metric", "--metric", spec, "--name", "m"]
    printed(capsys, "study", "run-judge", folder, *judge, "--limit", "4")
    printed(capsys, "study", "run-judge", folder, *judge)
    printed(capsys, "study", "export", folder, "--long", "-o", str(tmp_path / "long.jsonl"))
    exported = map(orjson.loads, (tmp_path / "long.jsonl").read_bytes().splitlines())
    judged = {(row["item"], row["system"]): row["value"] for row in exported if row["panel"] == "m"}
    assert len(judged) == 15
    assert judged == pytest.approx({key: scored[key] for key in judged}, abs=CLOSE)

    told = orjson.loads(printed(capsys, "study", "analyse", folder, "--json"))["panels"][0]["means"]
    means = {row["system"]: row["second"] for row in told}
    for system, value in means.items():
        own = [number for (_, name), number in judged.items() if name == system]
        assert value == pytest.approx(sum(own) / len(own), abs=CLOSE)
