"""A language model behind an address judges pairs: servers that fail, answers kept, nothing paid for twice."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study"))
from endpoints import Answer, Seen, completion, endpoint, failure

from nlgauge.cli import main
from nlgauge.judging.judge import Judged, Prices, Reached, judge
from nlgauge.study.machine_judges import endpoint as endpoints_module
from nlgauge.study.machine_judges.endpoint import EndpointError

MODEL = {"kind": "openai", "model": "tiny"}
QUALITY = {"good": 3, "fair": 2, "poor": 1}


@pytest.fixture(autouse=True)
def _at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(endpoints_module, "LONGEST_PAUSE", 0.0)


def rows(items: int = 8) -> list[dict[str, Any]]:
    return [
        {
            "item": f"i{item}",
            "system": system,
            "source": f"rain({item})",
            "hypothesis": f"{system} rain {item}",
            "ratings": {"quality": [value, value]},
            "raters": ["ann", "ben"],
        }
        for item in range(items)
        for system, value in QUALITY.items()
    ]


def texts(seen: Seen) -> list[str]:
    return re.findall(r"BEGIN TEXT \d \w+\n(\w+) ", seen.user)


def better(seen: Seen) -> str:
    one, other = (QUALITY[name] for name in texts(seen))
    return "1" if one > other else "2"


def says(answer: str) -> Answer:
    return completion(json.dumps({"q1": answer}))


def judged(url: str, **options: Any) -> Judged:
    reached = Reached(url=url, timeout=options.pop("timeout", 5.0), retries=2, side_by_side=options.pop("at_once", 1))
    return judge(options.pop("rows", None) or rows(), MODEL, reached=reached, **options)


def test_every_game_survives_a_server_that_fails_in_every_way() -> None:
    """Timeouts, rubbish, 429 and 500 come before each third answer; unreadable replies are asked again."""

    def behave(seen: Seen, number: int) -> Answer:
        way = number % 6
        if way == 0:
            return failure(429, Retry_After="0")
        if way == 1:
            return Answer(b"<html>not a completion</html>")
        if way == 2:
            return completion("I like them both equally, in a way.")
        if way == 3:
            return failure(500)
        if way == 4 and number < 12:
            time.sleep(0.4)
        return says(better(seen))

    with endpoint(behave) as server:
        found = judged(server.url, timeout=0.2)
    assert found.left == 0 and len(found.games) == 24
    assert all(
        QUALITY[game["a" if game["outcome"] == "a" else "b"]] == max(QUALITY[game["a"]], QUALITY[game["b"]])
        for game in found.games
    )
    failures = found.spent.failures
    assert failures["HTTP 429"] > 0 and failures["HTTP 500"] > 0 and failures["no completion"] > 0
    assert failures["timeout"] == 2
    # every request that arrived is accounted for: replies, and attempts that failed
    assert len(server.requests) == found.spent.requests + sum(failures.values())


def test_an_interrupted_run_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    down = True

    def behave(seen: Seen, number: int) -> Answer:
        return failure(401) if down and number >= 20 else says(better(seen))

    with endpoint(behave) as server:
        with pytest.raises(EndpointError, match="key"):
            judged(server.url)
        down = False
        before = len(server.requests)
        found = judged(server.url, prices=Prices(1.0, 2.0))
        asked = len(server.requests) - before
        assert (asked, found.spent.cached, found.left) == (48 - 20, 20, 0)
        again = judged(server.url, prices=Prices(1.0, 2.0))
        assert len(server.requests) - before == asked  # nothing more
    assert again.games == found.games and again.spent.requests == 0
    assert again.cost == 0.0 and again.card.cost == pytest.approx(48 * (9 * 1.0 + 3 * 2.0) / 1e6)
    assert again.card.cost_per_1000 == pytest.approx(1000 * again.card.cost / 24)


def test_a_game_without_a_reply_stays_open_and_the_others_are_judged() -> None:
    stubborn = True

    def behave(seen: Seen, number: int) -> Answer:
        if stubborn and "rain 3" in seen.user:
            return failure(500)
        return says(better(seen))

    data = [row for row in rows() if row["system"] != "fair"]
    with endpoint(behave) as server:
        found = judged(server.url, rows=data)
        assert (found.left, len(found.games), found.spent.no_reply) == (1, 7, 2)
        assert found.spent.failures == {"HTTP 500": 6}
        stubborn, before = False, len(server.requests)
        assert judged(server.url, rows=data).left == 0
        assert len(server.requests) == before + 2


def test_a_server_that_is_down_ends_the_run() -> None:
    with endpoint(lambda *_: failure(503)) as server:
        with pytest.raises(EndpointError, match="no usable reply"):
            judged(server.url)
        assert len(server.requests) == 5 * 3


def test_a_server_that_is_down_ends_a_schedule_too() -> None:
    with endpoint(lambda *_: failure(503)) as server:
        with pytest.raises(EndpointError, match="no usable reply"):
            judged(server.url, schedule="random", budget=100)
        assert len(server.requests) == 5 * 3


def test_a_line_that_was_broken_off_is_passed_over(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    with endpoint(lambda seen, _: says(better(seen))) as server:
        judged(server.url, cache=kept, budget=4)
        content = kept.read_bytes()
        kept.write_bytes(content[:-30])
        before = len(server.requests)
        judged(server.url, cache=kept, budget=4)
        assert len(server.requests) == before + 1
        judged(server.url, cache=kept, budget=4)
        assert len(server.requests) == before + 1


def test_other_settings_are_asked_anew(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    with endpoint(lambda seen, _: says(better(seen))) as server:
        for options in ({}, {"question": "Which is warmer?"}, {"criterion": "fluency"}):
            judged(server.url, cache=kept, budget=4, **options)
        assert len(server.requests) == 3 * 8


def test_position_bias_shows_before_orders_are_joined() -> None:
    """A judge that always takes the first text: every match is a tie, and its bias is told."""
    with endpoint(lambda *_: says("1")) as server:
        card = judged(server.url, human="quality").card
    assert card.position is not None
    assert card.position.first.estimate == 1.0 and card.position.first.n == 48
    assert (card.position.both, card.position.first_twice, card.position.second_twice) == (24, 24, 0)
    assert card.position.p == pytest.approx(2 / 2**24)
    assert card.ties is not None and card.ties.estimate == 1.0
    assert card.orders_agree is not None and card.orders_agree.estimate == 0.0
    assert card.agreement is not None
    assert card.agreement.accuracy.estimate == 0.0  # people saw no tie
    assert card.agreement.decided is not None and card.agreement.decided.estimate == 0.5


@pytest.mark.parametrize("orders", ["both", "one"])
def test_a_text_against_itself_is_a_tie_whatever_is_said(orders: str) -> None:
    same = [{**row, "hypothesis": "rain all day"} for row in rows()]
    with endpoint(lambda *_: says("1")) as server:
        found = judged(server.url, rows=same, orders=orders)
    assert {game["outcome"] for game in found.games} == {"tie"} and len(found.games) == 24


def test_a_judge_without_bias_agrees_with_itself_and_with_people() -> None:
    with endpoint(lambda seen, _: says(better(seen))) as server:
        card = judged(server.url, human="quality", own="poor", at_once=4).card
    assert card.position is not None and card.position.first.estimate == 0.5
    assert card.orders_agree is not None and card.orders_agree.estimate == 1.0
    assert card.agreement is not None and card.agreement.accuracy.estimate == 1.0
    assert card.agreement.kappa is not None and card.agreement.kappa.estimate == 1.0
    assert card.agreement.between_people is not None and card.agreement.between_people.estimate == 1.0
    assert card.own is not None and card.own.machine.estimate == 0.0
    assert card.own.difference is not None and card.own.difference.estimate == 0.0


def test_samples_vote_and_their_consistency_is_told() -> None:
    """Two of three samples say the right text, so the vote is right, and one pair of three agrees."""
    counts: dict[str, int] = {}

    def behave(seen: Seen, number: int) -> Answer:
        counts[seen.user] = counts.get(seen.user, 0) + 1
        assert seen.body["temperature"] == 0.7
        right = better(seen)
        return says(right if counts[seen.user] < 3 else {"1": "2", "2": "1"}[right])

    with endpoint(behave) as server:
        found = judged(server.url, samples=3, human="quality")
    assert len(server.requests) == 24 * 2 * 3
    assert found.card.samples_agree is not None
    assert found.card.samples_agree.estimate == pytest.approx(1 / 3)
    assert found.card.agreement is not None and found.card.agreement.accuracy.estimate == 1.0


def test_outputs_are_rated_from_games_drawn_for_them_and_an_open_game_is_left_out() -> None:
    """Every two outputs of an item are asked about once, however often they play; 500 leaves one game open."""

    def behave(seen: Seen, number: int) -> Answer:
        broken = "rain 3" in seen.user and {"good", "poor"} == set(texts(seen))
        return failure(500) if broken else says(better(seen))

    with endpoint(behave) as server:
        found = judged(server.url, rate="samples", comparisons=2)
    rated = found.sample_ratings
    assert rated is not None and found.left == 1 and rated.recorded == 24
    assert len(server.requests) == 23 * 2 + 2 * 3  # both orders of each pair, and three attempts at the open one
    scores = dict(zip(rated.outputs, rated.found.samples, strict=True))
    for (item, system), sample in scores.items():
        if item != "i3":
            assert sample.score == {"good": 5.0, "fair": 3.0, "poor": 1.0}[system]
    assert scores["i3", "good"].games == scores["i3", "poor"].games == 1
    assert rated.found.notes == ("games left out, because the judge gave no verdict: 2",)


def test_a_model_sees_the_input_of_each_text_where_items_differ() -> None:
    with endpoint(lambda seen, _: says(better(seen))) as server:
        judged(server.url, rows=rows(2), rate="samples", references=2)
    crossed = [
        seen.user for seen in server.requests if len(set(re.findall(r"END TEXT|rain (\d)\n", seen.user)) - {""}) == 2
    ]
    assert crossed
    for user in crossed:
        assert "each written for an input of its own" in user
        inputs = re.findall(r"Input of text \d:\nBEGIN MATERIAL \d \w+\nrain\((\d)\)", user)
        assert inputs == re.findall(r"BEGIN TEXT \d \w+\n\w+ rain (\d)", user)


def test_outputs_are_rated_alone_against_a_rubric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, rubric, rated = tmp_path / "d.jsonl", tmp_path / "rubric.txt", tmp_path / "rated.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    rubric.write_text("1: says nothing of the rain. 5: says all of it.", encoding="utf-8")

    def behave(seen: Seen, number: int) -> Answer:
        assert "says nothing of the rain" in seen.user
        (name,) = re.findall(r"BEGIN TEXT \w+\n(\w+) ", seen.user)
        return completion(json.dumps({"q1": QUALITY[name] + 1}))

    with endpoint(behave) as server:
        command = ["judge", str(data), "--judge", "openai", "--url", server.url, "--model", "tiny"]
        assert main([*command, "--rubric", str(rubric), "-o", str(rated), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["means"] == {"good": 4.0, "fair": 3.0, "poor": 2.0}
        assert main([*command, "--rubric", str(rubric)]) == 0
        assert len(server.requests) == 24
    written = [json.loads(line) for line in rated.read_text(encoding="utf-8").splitlines()]
    assert {row["system"]: row["ratings"]["rubric"] for row in written} == {
        "good": 4.0,
        "fair": 3.0,
        "poor": 2.0,
    }


def test_a_prompt_of_ones_own_is_sent(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("You are terse.\n---\nRead:\n{texts}\n{questions}\n{form}\n", encoding="utf-8")
    with endpoint(lambda seen, _: says(better(seen))) as server:
        reached = Reached(url=server.url, prompt=prompt)
        judge(rows(), MODEL, reached=reached, budget=1)
    assert server.requests[0].body["messages"][0] == {"role": "system", "content": "You are terse."}
