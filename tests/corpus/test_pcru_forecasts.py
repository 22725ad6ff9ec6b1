"""Wind forecasts: tuples, the hand-written realiser, folds, simulated readers, the demonstration of frequency bias."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from nlgauge.corpus.pcru.demonstration import FOLDS, SYSTEMS, demonstrate, divisions, points, read_taste
from nlgauge.corpus.pcru.wind import (
    AVOIDED,
    Forecast,
    changes,
    make_corpus,
    read_tuples,
    realise,
    relations,
    wind_rules,
)
from nlgauge.errors import InputError
from nlgauge.meta.belz_reiter import BelzReiter
from nlgauge.meta.observations import observe
from nlgauge.meta.report import make_report
from nlgauge.meta.settings import Settings

# Table 1 of the paper
PAPER = [
    [0, "0600", "SSW", "16", "20", "-", "-"],
    [1, "NOTIME", "SSE", "-", "-", "-", "-"],
    [2, "0000", "VAR", "04", "08", "-", "-"],
]


def test_relations_of_the_papers_input() -> None:
    winds = read_tuples(PAPER, "here")
    assert [(change.turn, change.trend) for change in changes(winds)] == [("back", None), ("turn", "fall")]
    assert list(map(str, relations(winds))) == [
        "first(SSW, 16, 20)",
        "turned(back, SSE, NOTIME)",
        "both(turn, variable, fall, 4, 8, 0000)",
    ]


@pytest.mark.parametrize(
    ("before", "after", "turn"),
    [("N", "NE", "veer"), ("N", "NNW", "back"), ("E", "W", "turn"), ("NW", "N", "veer")],
)
def test_how_the_wind_turns(before: str, after: str, turn: str) -> None:
    tuples = [[0, "0600", before, 8, 12, "-", "-"], [1, "1200", after, 8, 12, 20, 25]]
    (change,) = changes(read_tuples(tuples, "here"))
    assert (change.turn, change.trend, change.wind.gust) == (turn, None, (20, 25))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ([], "no input"),
        ([[0, "0600", "N", 8, 12]], "tuple 1: expected a list of tuples"),
        ([[0, "0615", "N", 8, 12, "-", "-"]], "time '0615'"),
        ([[0, "0600", "NNN", 8, 12, "-", "-"]], "direction 'NNN'"),
        ([[0, "0600", "N", 12, 8, "-", "-"]], "12 to 8 is no range"),
        ([[0, "0600", "N", "-", "-", "-", "-"]], "first tuple needs a direction and speeds"),
    ],
)
def test_bad_tuples_are_refused(source: Any, said: str) -> None:
    with pytest.raises(InputError, match="here.*" + said):
        read_tuples(source, "here")


def test_the_realiser_writes_as_sumtime_did() -> None:
    assert (
        realise(read_tuples(PAPER, "here"))
        == "SSW 16-20 then backing SSE, then turning variable and easing 10 or less by midnight"
    )


def test_the_realiser_avoids_what_is_frequent_and_names_every_time() -> None:
    corpus = make_corpus(200, 1)
    frequent = Counter(word for forecast in corpus for word in forecast.text.replace(",", "").split())
    assert frequent["evening"] > frequent["midnight"] and frequent["later"] > frequent["midnight"]
    for forecast in corpus:
        text = realise(forecast.winds)
        assert not any(f" {phrase} " in f" {text} " for phrase in AVOIDED)
        timed = sum(change.wind.time != "NOTIME" for change in changes(forecast.winds))
        assert text.count(" by ") == timed


def test_the_corpus_is_the_same_for_a_seed() -> None:
    assert make_corpus(30, 1) == make_corpus(30, 1) != make_corpus(30, 2)
    assert len({forecast.writer for forecast in make_corpus(100, 1)}) == 5


def test_nothing_learnt_from_is_held_out_and_nothing_is_held_out_twice() -> None:
    corpus = make_corpus(100, 1)
    seen: set[str] = set()
    for learnt, held in divisions(corpus, 1):
        names = {forecast.item for forecast in held}
        assert len(held) == 10 and len(learnt) == 90
        assert not names & {forecast.item for forecast in learnt} and not names & seen
        seen |= names
    assert len(seen) == 10 * FOLDS


def test_readers_dislike_what_their_taste_says() -> None:
    (forecast,) = (f for f in make_corpus(40, 1) if f.item == "w0001")
    experts = read_taste()["experts"]
    plain = points(forecast, realise(forecast.winds), experts)
    assert points(forecast, realise(forecast.winds) + " later", experts) == pytest.approx(plain - 0.8)
    assert points(forecast, "", experts) < plain


def test_every_time_that_rules_or_realiser_name_is_a_time_to_readers() -> None:
    experts = read_taste()["experts"] | {"dislikes": {}, "repeated": 0.0}
    for head, rules in wind_rules().heads.items():
        for rule in rules if head.name == "time" and head.arguments != ("NOTIME",) else ():
            tuples = [[0, "0600", "N", 8, 12, "-", "-"], [1, head.arguments[0], "NE", "-", "-", "-", "-"]]
            winds = read_tuples(tuples, "here")
            forecast = Forecast("1", winds, "", "", ())
            said = points(forecast, f"N 8-12 then veering NE {rule.spelled()}", experts)
            assert said == points(forecast, realise(winds), experts) == experts["start"], rule
            assert points(forecast, "N 8-12 then veering NE", experts) == experts["start"] - experts["untimed"]


def report(rows: list[dict[str, Any]], people: str | None) -> BelzReiter:
    found = make_report(
        observe(rows),
        Settings(draws=0, trials=200),
        metrics=["nist", "bleu", "rouge@4", "se"],
        full=True,
        reference_system=people,
    ).belz_reiter
    assert found is not None
    return found


def test_metrics_rank_greedy_first_and_assumed_readers_do_not() -> None:
    found = demonstrate(12345)
    judged, held = report(found.against_references(), "corpus"), report(found.against_corpus(), None)
    for told in (judged, held):
        greedy, rules = told.systems.index("pcru-greedy"), told.systems.index("rules")
        for column in told.columns:
            first = column.ranks.index(1)
            assert first == (rules if column.human else greedy), column.name
            assert len(column.singles) == ({"experts": 9, "non-experts": 21}.get(column.name, FOLDS))
    assert judged.reference_system == "corpus" and set(judged.systems) == set(SYSTEMS)
    readers = Counter(  # nobody reads two texts of one input
        (output.forecast.item, rater) for output in found.outputs for rater in output.raters
    )
    assert set(readers.values()) == {1}


def test_brackets_are_over_the_folds_of_the_rows() -> None:
    rows: list[dict[str, Any]] = [
        {
            "item": f"{fold}{item}",
            "system": system,
            "hypothesis": "a b c d" if (item + place) % (3 + fold) else "a c",
            "references": ["a b c d"],
            "fold": fold,
            "ratings": {"quality": place},
        }
        for fold in (1, 2)
        for item in range(6)
        for place, system in enumerate("xyz")
    ]
    found = make_report(observe(rows), Settings(draws=0, trials=50), metrics=["se"], full=True).belz_reiter
    assert found is not None
    (se,) = (column for column in found.columns if not column.human)
    alike = {"a b c d": 1.0, "a c": 2 * 2 / 6}
    by_hand = [
        [
            np.mean([alike[str(row["hypothesis"])] for row in rows if (row["fold"], row["system"]) == (fold, system)])
            for system in found.systems
        ]
        for fold in (1, 2)
    ]
    assert np.allclose(se.singles, by_hand)
    mixed = [row if place else {**row, "fold": None} for place, row in enumerate(rows)]
    plain = make_report(observe(mixed), Settings(draws=0, trials=50), metrics=["se"], full=True).belz_reiter
    assert plain is not None and len(plain.columns[-1].singles) == 1


def test_too_small_a_corpus_is_refused() -> None:
    with pytest.raises(InputError, match="at least 50 forecasts"):
        demonstrate(1, 20)
