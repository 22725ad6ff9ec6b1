"""Correlations of metrics with people: against scipy, at every level, with what is missing, tied or constant."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rows import judged
from scipy import stats

import nlgauge
from nlgauge.errors import InputError, SpecError
from nlgauge.meta.evaluate import meta_evaluate
from nlgauge.meta.measures import Stored, measure, parse_measure, wanted
from nlgauge.meta.observations import observe
from nlgauge.meta.table import arrange, human_scores
from nlgauge.metrics.spec import parse
from nlgauge.stats.correlation import compare_metrics, soft_pairwise_accuracy

QUICK: dict[str, Any] = {"draws": 0, "test": "none"}


def arrays(rows: list[dict[str, Any]], name: str = "good") -> tuple[np.ndarray, np.ndarray]:
    systems = sorted({row["system"] for row in rows})
    human = np.array([[np.mean(r["ratings"]["quality"]) for r in rows if r["system"] == s] for s in systems])
    metric = np.array([[r["metrics"][name] for r in rows if r["system"] == s] for s in systems])
    return human, metric


def value(rows: Any, metric: str = "@good", **options: Any) -> float:
    return meta_evaluate(rows, [metric], **(QUICK | options)).get(metric, "quality").value


def test_pooled_correlations_are_scipys() -> None:
    rows = judged()
    human, metric = arrays(rows)
    x, y = human.ravel(), metric.ravel()
    assert value(rows) == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
    assert value(rows, statistics=("spearman",)) == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)
    assert value(rows, statistics=("kendall",)) == pytest.approx(stats.kendalltau(x, y)[0], abs=1e-12)
    assert value(rows, statistics=("kendall-c",)) == pytest.approx(stats.kendalltau(x, y, variant="c")[0], abs=1e-12)


def test_averages_over_items_and_systems_leave_out_constant_groups() -> None:
    rows = judged()
    for one in rows:
        if one["item"] == "i3":
            one["ratings"] = {"quality": [3, 3, 3]}
    human, metric = arrays(rows)
    by_item = [stats.spearmanr(human[:, k], metric[:, k])[0] for k in range(human.shape[1]) if np.ptp(human[:, k])]
    found = meta_evaluate(rows, ["@good"], statistics=("spearman",), average="item", **QUICK)
    assert found.correlations[0].value == pytest.approx(np.mean(by_item), abs=1e-12)
    assert found.correlations[0].groups == len(by_item)
    assert any("left out: all ratings equal" in note for note in found.notes)
    by_system = [stats.pearsonr(a, b)[0] for a, b in zip(human, metric, strict=True)]
    assert value(rows, average="system") == pytest.approx(np.mean(by_system), abs=1e-12)


def test_each_judgement_as_an_observation() -> None:
    rows = judged()
    x = [rating for row in rows for rating in row["ratings"]["quality"]]
    y = [row["metrics"]["good"] for row in rows for _ in range(3)]
    found = meta_evaluate(rows, ["@good"], judgements="each", statistics=("kendall-c",), **QUICK).correlations[0]
    assert found.n == len(x)
    assert found.value == pytest.approx(stats.kendalltau(x, y, variant="c")[0], abs=1e-12)


def test_system_level_takes_corpus_scores_or_means() -> None:
    rows = judged()
    systems = sorted({row["system"] for row in rows})
    human = [np.mean([np.mean(r["ratings"]["quality"]) for r in rows if r["system"] == s]) for s in systems]
    bleu, corpus, mean = parse("bleu"), [], []
    for system in systems:
        mine = [row for row in rows if row["system"] == system]
        hypotheses, references = [row["hypothesis"] for row in mine], [row["references"] for row in mine]
        corpus.append(bleu.corpus(hypotheses, references))
        mean.append(bleu.segments(hypotheses, references).mean())
    assert value(rows, "bleu", level="system") == pytest.approx(stats.pearsonr(human, corpus)[0], abs=1e-12)
    assert value(rows, "bleu", level="system", score="mean") == pytest.approx(stats.pearsonr(human, mean)[0], abs=1e-12)


def test_equal_means_are_tied_whatever_the_order_of_the_items() -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit; the systems' ratings are the same."""
    ratings = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1), "c": (0.9, 0.9, 0.9), "d": (0.0, 0.0, 0.0)}
    rows = [
        {"item": f"{k}", "system": s, "ratings": {"quality": v}, "metrics": {"good": place}}
        for place, (s, values) in enumerate(ratings.items())
        for k, v in enumerate(values)
    ]
    expected = stats.kendalltau([0.2, 0.2, 0.9, 0.0], range(4))[0]
    assert value(rows, level="system", statistics=("kendall",)) == pytest.approx(expected, abs=1e-12)


def test_several_references_one_by_one() -> None:
    rows = judged()
    rouge = parse("rougeL")
    single = np.array([[rouge.segments([r["hypothesis"]], [[text]])[0] for text in r["references"]] for r in rows])
    human = [np.mean(r["ratings"]["quality"]) for r in rows]
    data = observe(rows)
    for joined, scores in (("mean", single.mean(axis=1)), ("max", single.max(axis=1))):
        found = meta_evaluate(data, ["rougeL"], references=joined, **QUICK).correlations[0].value
        assert found == pytest.approx(stats.pearsonr(human, scores)[0], abs=1e-12)
    lowest = meta_evaluate(data, ["ter"], references="max", **QUICK).correlations[0].value
    ter = parse("ter")
    best = [min(ter.segments([r["hypothesis"]], [[text]])[0] for text in r["references"]) for r in rows]
    assert lowest == pytest.approx(stats.pearsonr(human, best)[0], abs=1e-12)


def test_lower_is_better_is_respected() -> None:
    rows = judged()
    found = meta_evaluate(rows, ["@TER", "@good"], statistics=("pearson", "accuracy"), average="item", draws=50)
    ter = found.get("@TER", "quality", "pearson")
    assert ter.direction == "lower"
    assert ter.value < 0 < ter.strength
    assert found.get("@TER", "quality", "acc23").value > 0.5  # right pairs are counted after turning it round
    assert found.ranked("quality", "pearson")[0].strength > 0.5
    assert {one.better for one in found.tests} <= {"@TER", "@good"}


def test_stored_scores_are_specs() -> None:
    assert parse_measure("@BLEU") == parse_measure("stored(name=BLEU)") == Stored("BLEU")
    assert str(parse_measure('stored(name="ROUGE-1 F-Score")')) == "@ROUGE-1 F-Score"
    assert parse_measure("@ter") == Stored("ter", "lower")
    perplexity = parse_measure("stored(name=PPL,direction=lower)")
    assert perplexity == Stored("PPL", "lower")
    assert parse_measure(str(perplexity)) == perplexity
    with pytest.raises(SpecError, match="cannot read 'stored"):
        parse_measure("stored(x=1,y=2)")
    with pytest.raises(SpecError, match="higher or lower"):
        parse_measure("stored(name=a,direction=up)")
    with pytest.raises(InputError, match="no stored score 'goood': did you mean good"):
        meta_evaluate(judged(), ["@goood"])


def test_what_is_measured_without_being_asked() -> None:
    rows = judged()
    assert meta_evaluate(rows, **QUICK).metrics == ["sentbleu", "chrf", "ter", "@good", "@TER"]
    assert meta_evaluate(rows, level="system", **QUICK).metrics[:1] == ["bleu"]
    bare = [{**row, "hypothesis": None} for row in rows]
    assert meta_evaluate(bare, **QUICK).metrics == ["@good", "@TER"]
    with pytest.raises(InputError, match="name metrics that need neither"):
        meta_evaluate([{k: v for k, v in row.items() if k != "metrics"} for row in bare])
    with pytest.raises(InputError, match="has no text"):
        meta_evaluate(bare, ["bleu"])


def test_missing_judgements_and_scores_are_left_out_and_said() -> None:
    rows = judged()
    del rows[0]["ratings"], rows[5]["metrics"]["good"]
    kept = [row for place, row in enumerate(rows) if place not in (0, 5)]
    found = meta_evaluate(rows, ["@good"], **QUICK)
    x = [np.mean(row["ratings"]["quality"]) for row in kept]
    y = [row["metrics"]["good"] for row in kept]
    assert found.correlations[0].value == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
    assert found.correlations[0].n == len(kept)
    assert any("1 of 48 outputs have no rating of quality" in note for note in found.notes)
    assert any("1 of 48 outputs have no score @good" in note for note in found.notes)


def test_constant_scores_are_undefined_and_constant_ratings_refused() -> None:
    rows = judged()
    for row in rows:
        row["metrics"]["flat"] = 7
    found = meta_evaluate(rows, ["@flat", "@good"], draws=20)
    flat = found.get("@flat", "quality")
    assert math.isnan(flat.value)
    assert flat.to_dict()["value"] is None
    assert found.get("@good", "quality").value > 0
    assert any("@flat is 7 for every output" in note for note in found.notes)
    assert "n/a" in str(found)
    for row in rows:
        row["ratings"] = {"quality": [3, 3]}
    with pytest.raises(InputError, match="constant ratings correlate with nothing"):
        meta_evaluate(rows, ["@good"])


@pytest.mark.parametrize("level", ["segment", "system"])
@pytest.mark.parametrize("over", ["items", "systems", "both"])
def test_intervals_hold_the_value(level: str, over: str) -> None:
    cell = meta_evaluate(judged(8), ["chrf"], level=level, over=over, draws=200).correlations[0]
    assert cell.low < cell.value < cell.high


def test_one_item_has_no_interval_and_says_so() -> None:
    rows = [row for row in judged() if row["item"] == "i0"]
    found = meta_evaluate(rows, ["@good"])
    assert math.isnan(found.correlations[0].low)
    assert any("no intervals" in note for note in found.notes)


def test_metrics_that_differ_stand_in_different_groups() -> None:
    generator = np.random.default_rng(3)
    rows = judged(6, 40)
    for row in rows:
        row["metrics"] = {
            "good": row["metrics"]["good"],
            "same": row["metrics"]["good"] + 0.01 * generator.normal(),
            "bad": generator.normal(),
        }
    for average, statistic in (("none", "pearson"), ("item", "kendall"), ("none", "kendall")):
        found = meta_evaluate(rows, ["@*"], statistics=(statistic,), average=average, draws=400)
        groups = {cell.metric: cell.cluster for cell in found.correlations}
        assert groups["@good"] == groups["@same"] == 1
        assert groups["@bad"] == 2
        assert found.clusters()[0]["clusters"][1] == ["@bad"]
    assert "not significantly ahead" in found.sentence()


def test_too_few_draws_for_many_comparisons_are_said() -> None:
    rows = judged()
    for row in rows:
        row["metrics"] = {f"m{k}": row["metrics"]["good"] * (k + 1) + k * row["metrics"]["TER"] for k in range(8)}
    found = meta_evaluate(rows, ["@*"], draws=100, test="bootstrap")
    assert not found.tests
    assert any("can fall to 0.05; use --draws" in note for note in found.notes)


def test_requests_that_mean_nothing_are_refused() -> None:
    rows = judged()
    with pytest.raises(InputError, match="judgements taken one by one"):
        meta_evaluate(rows, judgements="each", level="system")
    with pytest.raises(InputError, match=r"unknown statistic 'pearsn': did you mean pearson.* kendall, "):
        meta_evaluate(rows, statistics=("pearsn",))
    with pytest.raises(InputError, match="PERM-BOTH swaps outputs"):
        meta_evaluate(rows, level="system", test="perm-both")
    with pytest.raises(InputError, match="repeat every score of a metric"):
        meta_evaluate(rows, ["@good", "@TER"], judgements="each", test="williams")
    with pytest.raises(InputError, match="holds no ratings"):
        meta_evaluate([{**row, "ratings": {}} for row in rows], ["@good"])
    with pytest.raises(InputError, match="confidence level"):
        meta_evaluate(rows, ["@good"], confidence=1.5)


def test_pairs(tmp_path: Path) -> None:
    import json

    rows = [
        {"item": "1", "system": s, "hypothesis": "x", "metrics": {"m": v, "TER": -v}}
        for s, v in (("a", 3.0), ("b", 2.0), ("c", 2.0))
    ]
    path = tmp_path / "pairs.jsonl"
    pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")]
    path.write_text(
        "".join(json.dumps({"item": "1", "better": x, "worse": y}) + "\n" for x, y in pairs), encoding="utf-8"
    )
    from nlgauge.meta.observations import with_pairs

    data = with_pairs(observe(rows), str(path))
    found = meta_evaluate(data, ["@m", "@TER"], statistics=("darr", "accuracy"), **QUICK)
    assert found.get("@m", "preference", "kendall-like").value == 0.0  # two right; a tie and one wrong
    assert found.get("@TER", "preference", "acc23").value == 0.5  # lower is better: turned round
    assert found.correlations[0].n == 4
    assert any("ties 1 pairs" in note for note in found.notes)
    with pytest.raises(InputError, match="pairs of a better and a worse output allow darr and accuracy, not spearman"):
        meta_evaluate(data, ["@m"], statistics=("spearman",))


def test_ratings_become_pairs_of_an_item_that_differ_by_more_than_the_margin() -> None:
    told = {"a": (90, 3.0), "b": (65, 2.0), "c": (64, 4.0), "d": (None, 9.0)}  # 90 - 65 is 25, and no pair
    rows = [
        {"item": item, "system": s, "hypothesis": "x", "ratings": {"da": da}, "metrics": {"m": sign * m}}
        for item, sign in (("1", 1), ("2", -1))
        for s, (da, m) in told.items()
    ]
    found = meta_evaluate(rows, "@m", margin=25, draws=0)
    (cell,) = found.correlations
    assert (cell.criterion, cell.statistic, cell.n, cell.value) == ("da", "kendall-like", 2, 0.0)
    assert "|human=da|" in found.receipts["@m"] and "|margin=25|" in found.receipts["@m"]
    assert meta_evaluate(rows, "@m", margin=24.5, draws=0).correlations[0].n == 4
    assert found.settings["pairs"] == 2 and found.settings["margin"] == 25
    both = [{**row, "ratings": {**row["ratings"], "other": 1}} for row in rows]
    assert meta_evaluate(both, "@m", "da", margin=25, draws=0).correlations[0].n == 2
    for data, options, message in (
        (both, {}, r"one criterion: name it with human=… \(da, other\)"),
        (rows, {"margin": 26}, "differ by more than 26"),
        (rows, {"margin": -1}, "margin must be a number from 0 up"),
        (rows, {"statistic": "spearman"}, "allow darr and accuracy, not spearman"),
        (rows, {"judgements": "each"}, "not by each"),
    ):
        with pytest.raises(InputError, match=message):
            meta_evaluate(data, "@m", **{"margin": 25, "draws": 0, **options})


def test_scores_can_be_rounded_so_that_equal_ones_tie() -> None:
    rows = judged()
    for place, row in enumerate(rows):
        row["metrics"]["near"] = 1.0 + place % 2 + (place % 3) * 1e-15
    exact = value(rows, "@near", statistics=("kendall",))
    rounded = value(rows, "@near", statistics=("kendall",), digits=12)
    human = [np.mean(row["ratings"]["quality"]) for row in rows]
    assert rounded == pytest.approx(stats.kendalltau(human, [p % 2 for p in range(len(rows))])[0], abs=1e-12)
    assert exact != rounded


def test_the_facade() -> None:
    found = nlgauge.meta_evaluate(judged(), ["chrf"], ["quality"], **QUICK)
    assert found.to_dict()["correlations"][0]["criterion"] == "quality"
    assert {"metric", "criterion", "level", "statistic", "value", "low", "high", "n"} <= set(
        found.to_dict()["correlations"][0]
    )


def test_the_sentence_names_test_correction_and_lead() -> None:
    found = meta_evaluate(judged(), ["@good", "@TER"], "quality", draws=0)
    said = found.sentence()
    assert "PERM-INPUT, 1,000 trials, one pair, α = 0.05." in said
    assert "Lead over the runner-up: " in said and "adjusted p" in said
    for line in found.receipts.values():
        assert "|statistic=pearson|level=segment|average=none|draws=0|test=perm-input:1000|adjust=holm:1|" in line
    assert found.receipts["@good"].split("|")[1] == 'metric=stored(name="good",direction=higher)'


def test_plain_words_are_one_metric_criterion_and_statistic() -> None:
    rows = judged()
    many = meta_evaluate(rows, ["@good"], ["quality"], statistics=("kendall",), **QUICK).to_dict()
    for name in ("statistic", "statistics"):
        assert meta_evaluate(rows, "@good", "quality", **{name: "kendall"}, **QUICK).to_dict() == many


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"statistik": "kendall"}, "did you mean statistics"),
        ({"statistics": "kendal"}, "did you mean"),
        ({"statistics": 5}, "given by name"),
        ({"metrics": 5}, "given by name"),
        ({"metrics": [5]}, "expected a metric"),
        ({"human": 5}, "given by name"),
        ({"level": 0.9}, "confidence"),
        ({"draws": "many"}, "whole number"),
    ],
)
def test_wrong_options_are_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        meta_evaluate(judged(), **({"metrics": "@good"} | options))


def test_a_metric_against_people_is_marked_and_said() -> None:
    rows = judged()
    for one in rows:
        one["metrics"] = {"TER": one["metrics"]["good"], "good": one["metrics"]["good"]}
    found = meta_evaluate(rows, ["@TER", "@good"], "quality", draws=200)
    assert found.get("@TER", "quality").against and not found.get("@good", "quality").against
    assert "! [" in str(found) and "* [" in str(found)
    assert any(note.startswith("@TER goes against people on quality") for note in found.notes)


def test_a_metric_that_ranks_backwards_is_not_said_to_follow_people() -> None:
    found = meta_evaluate(
        [
            {
                "item": i,
                "system": "s",
                "hypothesis": "a",
                "ratings": {"q": i},
                "metrics": {"bad": -i + (i % 3), "worse": -i},
            }
            for i in range(12)
        ],
        ["@bad", "@worse"],
        draws=100,
    )
    assert "no metric follows q: even the best, @bad" in found.sentence()
    assert "follows q (" not in found.sentence()


def test_a_constant_metric_does_not_stop_the_others_from_being_compared() -> None:
    rows = [
        {
            "item": i // 3,
            "system": "abc"[i % 3],
            "hypothesis": "a",
            "ratings": {"q": (i * 7) % 5},
            "metrics": {"m": (i * 7) % 5 + i % 2, "n": i % 4, "same": 1},
        }
        for i in range(30)
    ]
    found = meta_evaluate(rows, ["@m", "@n", "@same"], statistics=["accuracy"], average="item", draws=0)
    assert {(one.better, one.worse) for one in found.tests} in ({("@m", "@n")}, {("@n", "@m")})
    assert found.get("@same", "q").cluster == 0


def test_two_systems_have_no_correlation_worth_the_name() -> None:
    rows = [
        {
            "item": i // 2,
            "system": "ab"[i % 2],
            "hypothesis": "a",
            "ratings": {"q": i % 3},
            "metrics": {"m": i},
        }
        for i in range(12)
    ]
    with pytest.raises(InputError, match="over 2 systems is 1 or -1"):
        meta_evaluate(rows, ["@m"], level="system", draws=0)


@pytest.mark.parametrize("level", ["segment", "system"])
@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e90])
def test_the_unit_of_the_ratings_does_not_matter(level: str, factor: float) -> None:
    def found(times: float) -> tuple[float, float, float]:
        rng = np.random.default_rng(1)
        rows = [
            {
                "item": item,
                "system": system,
                "hypothesis": "a",
                "ratings": {"q": times * int(rng.integers(1, 6))},
                "metrics": {"m": float(rng.normal())},
            }
            for item in range(20)
            for system in "abcd"
        ]
        cell = meta_evaluate(rows, ["@m"], level=level, draws=100).get("@m", "q")
        return cell.value, cell.low, cell.high

    assert found(factor) == pytest.approx(found(1.0), abs=1e-9)


def test_a_stored_score_without_numbers_says_so() -> None:
    rows = [
        {"item": i, "system": "s", "hypothesis": "a", "ratings": {"q": i}, "metrics": {"A": None, "B": 1.0}}
        for i in range(3)
    ]
    with pytest.raises(InputError, match="no row holds a number"):
        meta_evaluate(rows, ["@A"], draws=0)


def test_pooled_pairs_are_not_drawn_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.meta.evaluate.MOST_DRAWN", 1000)
    rows = [
        {"item": i, "system": "s", "hypothesis": "a", "ratings": {"q": i % 5}, "metrics": {"m": i}} for i in range(20)
    ]
    found = meta_evaluate(rows, ["@m"], statistics=("kendall", "pearson"), draws=100)
    assert "no intervals of kendall" in " ".join(found.notes)
    assert [math.isnan(cell.low) for cell in found.correlations] == [True, False]


def tied(systems: int = 6, items: int = 60) -> list[dict[str, Any]]:
    """Ratings of which 85 % are equal, random scores, and a score that follows the ratings."""
    generator = np.random.default_rng(8)
    rows = []
    for item, system in itertools.product(range(items), range(systems)):
        rating = float(generator.random() < 0.15)
        scores = {
            "noise": float(generator.random()),
            "more": float(generator.random()),
            "good": rating + 0.1 * float(generator.random()),
        }
        rows.append({"item": item, "system": f"s{system}", "ratings": {"q": rating}, "metrics": scores})
    return rows


def test_a_random_metric_that_ties_often_is_not_against_people() -> None:
    """Its ties count as wrong: the floor falls by them, for pairs as for scores."""
    generator = np.random.default_rng(4)
    rows = [
        {
            "item": item,
            "system": name,
            "ratings": {"q": float(rank)},
            "metrics": {"coin": float(generator.integers(2))},
        }
        for item in range(150)
        for rank, name in enumerate("abc")
    ]
    scored = observe(rows)
    places = {(row.item, row.system): place for place, row in enumerate(scored.rows)}
    pairs = tuple((places[str(item), x], places[str(item), y]) for item in range(150) for x, y in ("ca", "cb", "ba"))
    values = [row["metrics"]["coin"] for row in rows]
    tied = float(np.mean([values[x] == values[y] for x, y in pairs]))
    options: dict[str, Any] = {"statistic": ["kendall-like", "acc23"], "draws": 200}
    for data, more in ((replace(scored, pairs=pairs), {}), (scored, {"average": "item"})):
        found = meta_evaluate(data, ["@coin"], **options, **more)
        darr, accuracy = found.correlations
        assert (darr.floor, accuracy.floor) == pytest.approx((-tied, (1 - tied) / 2))
        assert darr.high < 0 and accuracy.high < 0.5  # as against people, were ties not counted
        assert not darr.against and not accuracy.against


def test_random_numbers_do_not_follow_people_who_tie_most_outputs() -> None:
    options: dict[str, Any] = {"statistic": "acc-eq", "average": "item", "draws": 200}
    found = meta_evaluate(tied(), ["@noise", "@more"], **options)
    cell = found.get("@noise", "q")
    assert cell.value > 0.7 and cell.floor > 0.7
    assert not cell.follows
    assert "no metric follows q" in found.sentence()
    better = meta_evaluate(tied(), ["@noise", "@good"], **options)
    assert "@good follows q" in better.sentence()
    (note,) = (text for text in better.notes if "knows nothing" in text)
    assert f"{cell.floor:.3f}" in note and "count as ties: up to" in note
    assert better.to_dict()["correlations"][0]["floor"] == better.get("@noise", "q").floor


def test_soft_accuracy_uses_means_of_segment_scores_and_says_so() -> None:
    rows = judged(5, 12)
    alone = meta_evaluate(rows, ["bleu"], level="system", statistic="spa", draws=0, test="none")
    assert "|score=mean|" in alone.receipts["bleu"]
    assert alone.settings["score"] == "mean"
    beside = meta_evaluate(rows, ["bleu"], level="system", statistics=["pearson", "spa"], draws=0, test="none")
    assert "|score=corpus,spa:mean|" in beside.receipts["bleu"]
    data = observe(rows)
    (bleu,) = measure(data, wanted(["bleu"], data, "segment"))
    grid = arrange(data, by_system=True)
    human, scores = grid.spread(human_scores(data, "quality")), grid.spread(bleu.values)
    expected = soft_pairwise_accuracy(human, scores, draws=1000, seed=12345)
    assert alone.get("bleu", "quality").value == beside.get("bleu", "quality", "spa").value == expected
    points = alone.points["bleu", "quality"]
    assert points.metric == pytest.approx(np.nanmean(scores, axis=1))


def test_few_systems_get_numbers_but_no_conclusion() -> None:
    few = meta_evaluate(judged(4), ["@good", "@TER"], level="system", draws=0)
    assert np.isfinite(few.get("@good", "quality").value)
    assert few.sentence().startswith("No conclusion: 4 systems are too few")
    assert "follows quality" in meta_evaluate(judged(5), ["@good", "@TER"], level="system", draws=0).sentence()


def test_ranks_of_systems_are_compared_by_swapping_systems() -> None:
    found = meta_evaluate(judged(9), ["@good", "bleu"], level="system", statistic="kendall", draws=0)
    assert {one.method for one in found.tests} == {"PERM-SYS, 1,000 trials"}
    few = meta_evaluate(judged(5), ["@good", "bleu"], level="system", statistic="kendall", draws=0)
    assert few.tests == ()
    assert any("5 systems to swap are too few" in note for note in few.notes)


@pytest.mark.long
@pytest.mark.parametrize(("file", "criterion"), [("summeval", "expert_relevance"), ("webnlg17_human", "fluency")])
def test_the_default_test_keeps_its_level_on_real_scores(shared: Path, file: str, criterion: str) -> None:
    """Real scores of two metrics, swapped item by item at random: no difference is left, and 5 % may be found."""
    data = observe(shared / "data" / f"{file}.jsonl.gz")
    grid = arrange(data, by_system=True)
    human = grid.spread(human_scores(data, criterion))
    measures = measure(data, wanted(["sentbleu", "chrf"], data, "segment"))
    scores = np.array([grid.spread(one.values) for one in measures])
    scores = (scores - np.nanmean(scores, axis=(1, 2), keepdims=True)) / np.nanstd(scores, axis=(1, 2), keepdims=True)
    generator = np.random.default_rng(3)
    found: dict[str, list[float]] = {"perm-input": [], "perm-both": []}
    for run in range(400):
        swapped = np.where(generator.random(human.shape[1]) < 0.5, scores, scores[::-1])
        for test, values in found.items():
            asked: Any = test
            (one,) = compare_metrics(human, swapped, ["a", "b"], test=asked, draws=200, seed=run)
            values.append(one.p)
    level = {test: np.mean(np.array(values) <= 0.05) for test, values in found.items()}
    # three standard errors are 3.3 points
    assert 0.017 <= level["perm-input"] <= 0.083
    assert level["perm-both"] > level["perm-input"]
