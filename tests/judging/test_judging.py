"""Metrics, comparators, programs and people as judges of pairs: verdicts, bands of ties, schedules, win rates."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.judging.asking import Vote, joined
from nlgauge.judging.card import card_of
from nlgauge.judging.estimates import learned
from nlgauge.judging.judge import judge
from nlgauge.judging.matches import Match, contest
from nlgauge.judging.settings import study_of
from nlgauge.skill import rate
from nlgauge.study.file.study import load as load_study

CHRF = {"kind": "metric", "metric": "chrf"}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))


def rows(items: int = 40, seed: int = 1) -> list[dict[str, Any]]:
    """Three systems that spoil more and more letters; people see how many are left, in steps of two."""
    random = Random(seed)
    made = []
    for item in range(items):
        reference = random.choices("abcdefgh", k=8)
        for system, damage in (("good", 0.2), ("fair", 0.4), ("poor", 0.7)):
            text = [letter if random.random() > damage else "z" for letter in reference]
            kept = sum(one == other for one, other in zip(text, reference, strict=True))
            made.append(
                {
                    "item": f"i{item}",
                    "system": system,
                    "hypothesis": " ".join(text),
                    "references": [" ".join(reference)],
                    "ratings": {"quality": [kept // 2, kept // 2]},
                    "raters": ["ann", "ben"],
                }
            )
    return made


def written(path: Path, found: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return str(path)


def test_a_metric_judges_every_pair_once_and_rate_reads_its_games(tmp_path: Path) -> None:
    data, games = written(tmp_path / "d.jsonl", rows()), tmp_path / "games.jsonl"
    assert main(["judge", data, "--judge", "metric", "--metric", "chrf", "-o", str(games)]) == 0
    found = [json.loads(line) for line in games.read_text(encoding="utf-8").splitlines()]
    assert len(found) == 40 * 3
    wanted = {(f"i{k}", *pair) for k in range(40) for pair in combinations(("fair", "good", "poor"), 2)}
    assert {(game["item"], *sorted((game["a"], game["b"]))) for game in found} == wanted
    ratings = rate(str(games))
    assert ratings.order == ("good", "fair", "poor")
    texts = {(row["item"], row["system"]): row["hypothesis"] for row in rows()}
    assert all(game["text_a"] == texts[game["item"], game["a"]] for game in found)
    assert ratings.examples[0].text_b  # the page of rate shows them
    scores = {(row.item, row.system): row for row in nlgauge.load(rows())}
    metric = nlgauge.parse("chrf")
    for game in found[:20]:
        a, b = (scores[game["item"], game[side]] for side in "ab")
        values = metric.segments([a.hypothesis, b.hypothesis], [a.references, b.references])
        assert game["extra"]["difference"] == pytest.approx(values[0] - values[1])
        assert game["outcome"] == ("a" if values[0] > values[1] else "b" if values[0] < values[1] else "tie")


def test_the_band_of_ties_is_the_best_by_brute_force() -> None:
    random = Random(3)
    judged = [
        joined(
            Match(f"i{k}", "x", "y", "t", "u", human=tuple(random.choices(["a", "b", "tie"], k=3))),
            [Vote("a", gap=round(random.gauss(0, 1), 1))],
        )
        for k in range(80)
    ]

    def hits(margin: float) -> float:
        return sum(
            np.mean([said == verdict.within(margin).outcome for said in verdict.match.human]) for verdict in judged
        )

    margins = [0.0, *(abs(verdict.gap or 0) for verdict in judged)]
    assert hits(learned(judged)) == pytest.approx(max(map(hits, margins)))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.33, 0.5, 0.9])
def test_the_band_of_a_rate_of_ties_is_the_nearest_there_is(rate: float) -> None:
    plain = nlgauge.judge(rows(), CHRF)
    gaps = np.array([abs(verdict.gap or 0) for verdict in plain.verdicts])
    found = nlgauge.judge(rows(), CHRF, tie_rate=rate)
    assert found.band is not None and found.band.folds == () and found.card.ties is not None
    possible = [float(np.mean(gaps <= margin)) for margin in {0.0, *gaps}]
    assert abs(found.card.ties.estimate - rate) == pytest.approx(min(abs(share - rate) for share in possible))
    with pytest.raises(InputError, match="not by both"):
        nlgauge.judge(rows(), CHRF, tie_rate=0.2, margin=1.0)


def test_where_people_name_no_ties_the_learned_band_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = [{**row, "ratings": {"quality": k + 0.01 * len(row["item"])}} for k, row in enumerate(rows())]
    plain = written(tmp_path / "d.jsonl", [{k: v for k, v in row.items() if k != "raters"} for row in data])
    command = ["judge", plain, "--judge", "metric", "--metric", "chrf", "--human", "quality"]
    assert main([*command, "--margin", "learn"]) == 0
    assert "People named no ties: --tie-rate sets their share." in capsys.readouterr().out
    assert main([*command, "--tie-rate", "0.25"]) == 0
    assert "nearest to the rate given" in capsys.readouterr().out


def test_a_learned_band_raises_accuracy_on_items_that_it_was_not_learned_from() -> None:
    plain = nlgauge.judge(rows(150), CHRF, human="quality", human_tie=1)
    banded = nlgauge.judge(rows(150), CHRF, human="quality", human_tie=1, margin="learn")
    assert banded.band is not None and len(banded.band.folds) == 5 and banded.band.matches == 450
    accuracies = [found.card.agreement.accuracy.estimate for found in (plain, banded) if found.card.agreement]
    assert accuracies[1] > accuracies[0] + 0.05
    assert [found.card.agreement.decided for found in (plain, banded) if found.card.agreement] != [None, None]
    with pytest.raises(InputError, match="more human verdicts"):
        nlgauge.judge(rows(4), CHRF, human="quality", margin="learn")


def test_a_fitted_metric_is_fitted_on_the_whole_set_whatever_the_budget() -> None:
    judge = {"kind": "metric", "metric": "cider"}
    few, all_ = (nlgauge.judge(rows(), judge, budget=budget).games for budget in (10, None))
    assert few == all_[:10]


def test_disagreeing_orders_are_a_tie_and_probabilities_are_joined_by_their_geometric_mean() -> None:
    match = Match("i", "x", "y", "t", "u")
    assert joined(match, [Vote("a"), Vote("a", turned=True)]).outcome == "a"
    split = joined(match, [Vote("a"), Vote("b", turned=True)])
    assert split.outcome == "tie" and split.disagreed
    assert joined(match, [Vote("a"), Vote(None, turned=True)]).outcome is None
    found = joined(
        match,
        [Vote("a", probabilities=(0.7, 0.2, 0.1)), Vote("b", turned=True, probabilities=(0.3, 0.5, 0.2))],
    )
    whole = np.sqrt(np.array([0.7 * 0.3, 0.2 * 0.5, 0.1 * 0.2]))
    assert found.probabilities == pytest.approx(tuple(whole / whole.sum())) and found.outcome == "a"


def test_the_length_bias_is_told_given_what_people_say() -> None:
    """A judge that takes the longer text in 80 of 100 cases that people find equal, and follows people elsewhere."""
    random, verdicts = Random(5), []
    for k in range(600):
        longer = random.random() < 0.5
        texts = ("w w w", "w") if longer else ("w", "w w w")
        said = random.choice(["a", "b", "tie"])
        lean = 1.5 * {"a": 1, "b": -1, "tie": 0}[said] + (1.386 if longer else -1.386)
        outcome = "a" if random.random() < 1 / (1 + np.exp(-lean)) else "b"
        verdicts.append(joined(Match(f"i{k}", "x", "y", *texts, human=(said,)), [Vote(outcome)]))
    card = card_of("judge", verdicts)
    assert card.given_people and card.longer_wins is not None
    assert card.longer_wins.low < 0.8 < card.longer_wins.high and card.longer_wins.low > 0.6


def test_a_schedule_stops_when_the_order_is_certain_and_keeps_to_its_budget() -> None:
    certain = nlgauge.judge(rows(150), CHRF, schedule="information-gain", budget=400)
    assert certain.stopped == "certainty" and len(certain.games) < 200
    paper = nlgauge.judge(rows(150), CHRF, schedule="glicko2-zhou", budget=400)
    assert paper.stopped == "order" and len(paper.games) < 400
    few = nlgauge.judge(rows(150), CHRF, schedule="round-robin", budget=5)
    assert (len(few.games), few.stopped) == (5, "games")
    with pytest.raises(InputError, match="needs a budget"):
        nlgauge.judge(rows(), CHRF, schedule="random")


@pytest.mark.parametrize("schedule", ["least-certain", "information-gain", "random", "round-robin"])
def test_a_schedule_takes_no_verdict_twice_for_evidence(schedule: Any) -> None:
    """Six to six is not certain, however often it is told."""
    texts = [("long long", "short"), ("short", "long long")] * 6
    data = [
        {"item": f"i{number}", "system": system, "hypothesis": text}
        for number, pair in enumerate(texts)
        for system, text in zip(("one", "two"), pair, strict=True)
    ]
    length = {"kind": "metric", "metric": "length"}
    found = judge(data, length, schedule=schedule, budget=500)
    assert (found.stopped, len(found.verdicts), found.repeated) == ("recorded", 12, 0)
    paper = judge(data, length, schedule="glicko2-zhou", budget=500)
    assert paper.repeated > 0  # which draws games again


def test_few_human_verdicts_correct_many_of_the_machine() -> None:
    """People judged 30 of 150 items; the machine's win rates are corrected towards those of all people's."""
    everything = rows(150)
    some = [row if int(row["item"][1:]) < 30 else {**row, "ratings": {}, "raters": None} for row in everything]
    some = [{key: value for key, value in row.items() if value is not None} for row in some]
    found = nlgauge.judge(some, CHRF, human="quality")
    truth = nlgauge.judge(everything, CHRF, human="quality")
    assert [share.system for share in found.win_rates] == ["good", "fair", "poor"]
    for share in found.win_rates:
        own = [
            (1.0 if said == "tie" else 2.0 * (said == ("a" if v.match.a == share.system else "b"))) / 2
            for v in truth.verdicts
            if share.system in (v.match.a, v.match.b)
            for said in v.match.human
        ]
        assert share.powered.low < np.mean(own) < share.powered.high
        assert share.powered.efficiency > 1 and share.controlled.n == share.powered.n == 30
    assert truth.win_rates == ()  # people judged everything


def test_pairwise_rows_bring_their_verdicts_and_those_of_several_people_are_joined() -> None:
    random = Random(2)
    pairs = [
        nlgauge.types.Pair(
            f"i{k}",
            "x",
            "y",
            "a b c",
            "a b",
            ("a b c",),
            None,
            {"preference": tuple(random.choices(["a", "tie"], k=2))},
        )
        for k in range(10)
    ]
    found = nlgauge.judge(pairs, CHRF)
    assert found.card.agreement is not None and found.card.agreement.accuracy.n == 20
    sides = {(match.a, match.text_a) for match in contest(pairs).matches}
    assert sides == {("x", "a b c"), ("y", "a b")}  # sides by chance, texts with their systems


def test_pairwise_rows_in_memory_are_those_of_a_file(tmp_path: Path) -> None:
    pairs = [
        {"item": str(n), "hypothesis_a": "a b " * n, "hypothesis_b": "c", "ratings": {"preference": "a"}}
        for n in range(1, 9)
    ]
    length = {"kind": "metric", "metric": "length"}
    assert judge(pairs, length).games == judge(written(tmp_path / "pairs.jsonl", pairs), length).games


@pytest.mark.parametrize("options", [{"margin": -1.0}, {"margin": float("nan")}, {"judge": "chrf"}])
def test_what_python_gives_amiss_is_refused(options: dict[str, Any]) -> None:
    given = {"judge": {"kind": "metric", "metric": "chrf"}, **options}
    with pytest.raises(InputError, match=r"margin must be 0 or more|a judge is named as"):
        judge(rows(3), **given)


def test_a_program_judges_and_is_asked_once(tmp_path: Path) -> None:
    program = tmp_path / "judge.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    one = json.loads(line)\n"
        f"    open({str(tmp_path / 'asked')!r}, 'a').write('x')\n"
        "    a, b = (text['text'].count('z') for text in one['texts'])\n"
        "    print(json.dumps({'id': one['id'], 'answer': {'overall-quality': {'preference': 'tie' if a == b else "
        "'a' if a < b else 'b'}}}), flush=True)\n",
        encoding="utf-8",
    )
    judge = {"kind": "command", "command": ("python3", str(program))}
    first, second = (nlgauge.judge(rows(6), judge, human="quality") for _ in range(2))
    assert first.games == second.games and (second.spent.cached, second.spent.requests) == (36, 0)
    assert (tmp_path / "asked").read_text() == "x" * first.spent.requests  # the same two texts once
    assert first.card.orders_agree is not None and first.card.orders_agree.estimate == 1.0


def test_people_get_a_pairwise_study_of_the_same_texts(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", rows())
    assert main(["judge", data, "--judge", "people", "--budget", "30", "-o", str(tmp_path / "s")]) == 0
    study = load_study(tmp_path / "s")
    assert study.protocol == "pairwise" and list(study.authors.values()) == ["good", "fair", "poor"]
    held = nlgauge.load(str(tmp_path / "s" / "outputs.jsonl"))
    assert len(held.items) == 11  # 10 items of 3 pairs, and one for practice
    apart = [row for row in rows() if (row["system"] == "good") == (int(row["item"][1:]) % 2)]
    with pytest.raises(InputError, match="no item with a text by each of its 3 systems"):
        study_of(apart, tmp_path / "other")


METRIC = ["--judge", "metric", "--metric", "chrf"]
ASKED = ["--judge", "openai", "--url", "http://x/v1", "--model", "m"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--judge", "metric"], "needs --metric"),
        (["--judge", "metric", "--metric", "chrf", "--url", "http://x/v1"], "--url is for --judge openai"),
        (["--judge", "metric", "--metric", "chrf", "--human", "beauty"], "nobody rated 'beauty'"),
        (["--judge", "metric", "--metric", "chrf", "--own", "goood"], "there is no system 'goood'"),
        (["--judge", "metric", "--metric", "chrf", "--margin", "wide"], "must be a number or learn"),
        (["--judge", "comparator", "--model", "nowhere"], "is no trained metric"),
        (["--judge", "people"], "name its folder with -o"),
        (["--judge", "people", "-o", "study", "--question", "Nicer?"], "leave --question out"),
        (["--judge", "people", "-o", "study", "--human", "quality"], "leave --human out"),
        (["--judge", "people", "-o", "study", "--budget", "2"], "give a budget of 3 or more"),
        (["--judge", "command", "--command", "it's"], "cannot be taken apart"),
        ([*METRIC, "-o", "."], ". is a folder"),
        ([*METRIC, "--human", "quality", "--human-tie", "nan"], "--human-tie) must be 0 or more"),
        (["--judge", "command", "--command", "x", "--rubric", "r", "--orders", "one"], "--orders out"),
        (["--judge", "command", "--command", "x", "--rubric", "LATIN"], "is not valid UTF-8"),
        ([*ASKED, "--prompt", "LATIN"], "is not valid UTF-8"),
    ],
)
def test_what_does_not_fit_is_refused(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"1: schlecht, 5: sch\xf6n")
    given = [str(latin) if option == "LATIN" else option for option in options]
    assert main(["judge", written(tmp_path / "d.jsonl", rows(3)), *given]) == 2
    assert said in capsys.readouterr().err


def test_verdicts_are_written_where_they_make_no_ratings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether all are ties or one system wins all: the answers may have been paid for."""
    same = [{**row, "hypothesis": "the same"} for row in rows(3)]
    for name, data, why in (("same", same, "all games are ties"), ("apart", rows(3), "results one way only")):
        games = tmp_path / f"{name}-games.jsonl"
        options = ["--judge", "metric", "--metric", "chrf", "--rate", "systems", "-o", str(games)]
        assert main(["judge", written(tmp_path / f"{name}.jsonl", data), *options]) == 0
        assert "The systems are not rated" in (said := capsys.readouterr().out) and why in said
        assert len(games.read_text(encoding="utf-8").splitlines()) == 9
