"""The page of `rate`: who beats whom, ratings over the games, example games."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.cli import main

SKILL = {"good": 1.5, "fair": 0.0, "<poor>": -1.5}


def rows(games: int = 300) -> list[dict[str, Any]]:
    rng = np.random.default_rng(2)
    found = []
    for k in range(games):
        a, b = (str(name) for name in rng.choice(list(SKILL), size=2, replace=False))
        won = rng.random() < 1 / (1 + math.exp(SKILL[b] - SKILL[a]))
        outcome = "tie" if rng.random() < 0.1 else "a" if won else "b"
        texts = {"text_a": f"{a} & text", "text_b": f"text of {b}", "context": "Tell <me>."}
        found.append({"a": a, "b": b, "outcome": outcome, "item": k, **texts})
    return found


@pytest.mark.parametrize("method", ["bradley-terry", "trueskill", "glicko2", "glicko2-zhou", "elo"])
def test_history_ends_where_the_ratings_do(method: str) -> None:
    rated = nlgauge.rate(rows(), method)
    ends, history = rated.history(10)
    assert ends[-1] == rated.n and history.shape == (len(ends), 3)
    assert history[-1] == pytest.approx([player.rating for player in rated.ratings])
    assert np.isfinite(history[len(ends) // 2 :]).all() and np.ptp(history[len(ends) // 2 :], axis=0).min() > 0


def test_history_has_gaps_where_strengths_are_not_finite() -> None:
    rated = nlgauge.rate(rows(60))
    history = rated.history(60)[1]
    assert np.isnan(history[0]).all() and np.isfinite(history[-1]).all()


def test_examples_are_the_games_expected_least_and_games_of_the_best() -> None:
    rated = nlgauge.rate(rows())
    upset = rated.examples[0]
    assert {upset.a, upset.b} == {"good", "<poor>"}
    assert upset.outcome == ("a" if upset.a == "<poor>" else "b")
    assert abs({"a": 1, "b": 0}[upset.outcome] - upset.expected) > 0.8
    assert upset.text_a == f"{upset.a} & text" and upset.context == "Tell <me>."
    assert {rated.examples[-1].a, rated.examples[-1].b} == {"good", "fair"}


def test_several_verdicts_on_two_texts_are_one_example_with_its_count() -> None:
    said = [
        {**row, "outcome": outcome, "judge": f"j{k}"}
        for row in rows(100)
        for k, outcome in enumerate([row["outcome"], row["outcome"], "tie"])
    ]
    examples = nlgauge.rate(said).examples
    assert len({(game.item, frozenset((game.a, game.b))) for game in examples}) == len(examples) > 3
    upset = examples[0]
    assert (upset.verdicts, upset.same, upset.judge) == (3, 2, "") and upset.outcome != "tie"


@pytest.mark.parametrize(("players", "titles"), [(3, 1), (4, 1), (5, 2), (9, 3), (14, 3)])
def test_the_history_is_drawn_in_plots_of_several_players(players: int, titles: int, tmp_path: Path) -> None:
    names = [f"p{k:02}" for k in range(players)]
    rng = np.random.default_rng(1)
    games = []
    for k in range(60 * players):
        a, b = (int(place) for place in rng.choice(players, size=2, replace=False))
        won = rng.random() < 1 / (1 + math.exp(0.3 * (a - b)))
        games.append({"a": names[a], "b": names[b], "outcome": "a" if won else "b", "item": k})
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(row) + "\n" for row in games), encoding="utf-8")
    assert main(["rate", str(tmp_path / "g.jsonl"), "--html", str(tmp_path / "p.html")]) == 0
    told = re.findall(r"Ranks (\d+) to (\d+)", (tmp_path / "p.html").read_text(encoding="utf-8"))
    spans = sorted({(int(low), int(high)) for low, high in told})
    assert len(spans) == titles and spans[0][0] == 1 and spans[-1][1] == min(players, 12)
    assert all(1 <= high - low <= 3 for low, high in spans)


def test_the_page_has_a_matrix_with_counts_a_history_and_escaped_texts(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["rate", str(games), "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    matrix = nlgauge.rate(str(games)).matrix
    i, j = (matrix.players.index(name) for name in ("good", "<poor>"))
    counts = [int(x) for x in (matrix.wins[i, j], matrix.ties[i, j], matrix.wins[j, i])]
    assert f"<small>{counts[0]}–{counts[1]}–{counts[2]}</small>" in text
    assert len(re.findall(r'<td style="--h:\d+%"', text)) == 6 and text.count('<td class="none">') == 3
    assert "Ratings over the games" in text and text.count('class="curve') >= 3
    assert "&lt;poor&gt; &amp; text" in text and "Tell &lt;me&gt;." in text and "<poor>" not in text


def test_games_without_texts_have_a_page_too(tmp_path: Path) -> None:
    bare = [{key: row[key] for key in ("a", "b", "outcome")} for row in rows()]
    games = tmp_path / "games.jsonl"
    games.write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["rate", str(games), "--schedule", "least-certain", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert 'class="game"' in text and '<div class="texts">' not in text


def test_names_that_are_cut_stand_behind_their_places(tmp_path: Path) -> None:
    games, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    for more, first in (("", "good"), (" after a long training", "1 good after a long training")):
        named = [{**row, "a": f"{row['a']}{more}", "b": f"{row['b']}{more}"} for row in rows()]
        games.write_text("".join(json.dumps(row) + "\n" for row in named), encoding="utf-8")
        assert main(["rate", str(games), "--html", str(page)]) == 0
        text = page.read_text(encoding="utf-8")
        assert f'title="good{more}"><bdi>{first}</bdi>' in text
        assert f'title="good{more}"><span>{first}</span>' in text
