"""Bradley–Terry: recorded fits, live parity with choix and evalica, errors, effects, refusals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from games import aligned, random_games, recorded, results
from scipy.special import gammaln
from scipy.stats import binom

from nlgauge.errors import InputError
from nlgauge.stats.skill import Games, dominance, fit, parts, plackett_luce, rate_bradley_terry
from nlgauge.stats.skill.plackett_luce import choices, spectral
from nlgauge.stats.skill.rating import bootstrap_strengths
from nlgauge.stats.skill.tie_models import derivatives, saturated

# American League 1987 (Agresti 1990, table 10.5; R's BradleyTerry2): home wins and home losses against each visitor.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME = {
    "Milwaukee": ((4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)),
    "Detroit": ((3, 3), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)),
    "Toronto": ((2, 5), (4, 3), (2, 4), (4, 3), (4, 2), (6, 0)),
    "New York": ((3, 3), (5, 1), (2, 5), (4, 3), (4, 2), (6, 1)),
    "Boston": ((5, 1), (2, 5), (3, 3), (4, 2), (5, 2), (6, 0)),
    "Cleveland": ((2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (2, 4)),
    "Baltimore": ((2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4)),
}


def baseball() -> Games:
    rows = [
        (home, away, outcome, count)
        for home, row in HOME.items()
        for away, counts in zip([team for team in TEAMS if team != home], row, strict=True)
        for outcome, count in zip(("a", "b"), counts, strict=True)
    ]
    return results(*rows)


def test_wikipedia(shared: Path) -> None:
    case = recorded(shared, "bradley_terry")[0]
    games = results(*((key[0], key[2], "a", n) for key, n in case["wins"].items()))
    model = fit(games)
    for player, value in case["computed"].items():
        assert math.exp(model.strength[model.players.index(player)]) == pytest.approx(value, abs=1e-6)


def test_citations(shared: Path) -> None:
    case = recorded(shared, "bradley_terry")[1]
    names, cited = case["labels"], case["matrix_cited_by_citing"]
    games = results(*((names[i], names[j], "a", cited[i][j]) for i in range(4) for j in range(4) if i != j))
    model = fit(games)
    assert model.strength - model.strength[0] == pytest.approx(case["computed"], abs=1e-6)
    assert model.deviance == pytest.approx(case["residual_deviance"], abs=5e-4)
    # R's AIC counts the binomial coefficients; ours is without multinomial constants.
    constants = sum(gammaln(sum(c) + 1) - gammaln(c[0] + 1) - gammaln(c[2] + 1) for c in model.cells.counts.tolist())
    assert 2 * 3 - 2 * (model.log_likelihood + constants) == pytest.approx(case["AIC"], abs=5e-3)
    firth = fit(games, firth=True)
    assert (firth.strength - firth.strength[0])[1:] == pytest.approx(case["bias_reduced"], abs=5e-5)


def test_baseball(shared: Path) -> None:
    case = recorded(shared, "bradley_terry")[2]
    model = fit(baseball())
    for team, value in case["coef"].items():
        estimate, error = model.contrast(team, "Baltimore")
        assert estimate == pytest.approx(value, abs=5e-5)
        assert error == pytest.approx(case["se"][team], abs=5e-5)
    home = fit(baseball(), order="common")
    # R counts the 42 ordered pairings as cells, and the binomial coefficients into the AIC.
    counts = home.cells.counts
    assert 2 * (saturated(counts, "half") - model.log_likelihood) == pytest.approx(case["deviance"], abs=5e-4)
    constants = (gammaln(counts.sum(axis=1) + 1) - gammaln(counts + 1).sum(axis=1)).sum()
    assert 2 * 6 - 2 * (model.log_likelihood + constants) == pytest.approx(case["AIC"], abs=5e-3)
    assert home.effect[0] == pytest.approx(case["home_advantage_model"]["at_home"], abs=5e-4)
    share = np.sort(np.exp(home.strength) / np.exp(home.strength).sum())
    assert share == pytest.approx(case["home_advantage_model"]["ability_shares_sorted"], abs=6e-4)


@pytest.mark.parametrize("index", [3, 4])
def test_choix_pairs(shared: Path, index: int) -> None:
    case = recorded(shared, "bradley_terry")[index]
    games = results(*((str(a), str(b), "a", 1) for a, b in case["data"]))
    assert aligned(games, fit(games).strength, "012") == pytest.approx(case["ml"], abs=1e-8)
    if "lsr" in case:
        assert spectral(3, [(a, [b]) for a, b in case["data"]]) == pytest.approx(case["lsr"], abs=1e-7)


def test_choix_penalised(shared: Path) -> None:
    case = recorded(shared, "bradley_terry")[6]
    games = results(*((str(a), str(b), "a", 1) for a, b in case["pairs_winner_loser"]))
    assert aligned(games, fit(games, ridge=1.0).strength, "01234567") == pytest.approx(case["estimate"], abs=1e-7)


def test_choix_rankings_and_choices(shared: Path) -> None:
    cases = recorded(shared, "bradley_terry")
    rankings, top = cases[5], cases[7]
    # recorded from an optimiser that stopped early: five digits agree, and the live comparison below has more
    assert plackett_luce(4, choices(rankings["data"])) == pytest.approx(rankings["ml"], abs=5e-5)
    assert spectral(4, choices(rankings["data"])) == pytest.approx(rankings["lsr"], abs=1e-7)
    # The record says "penalised 0.5"; choix doubles its alpha, as the pairwise case states.
    assert plackett_luce(8, [(w, o) for w, o in top["data"]], ridge=1.0) == pytest.approx(top["estimate"], abs=1e-6)


@pytest.mark.parametrize(
    ("rule", "key", "tie"),
    [("davidson", "davidson_computed_here", "nu"), ("rao-kupper", "rao_kupper_computed_here", "theta")],
)
def test_springall(shared: Path, rule: Any, key: str, tie: str) -> None:
    case = recorded(shared, "ties_springall")
    pairs = [(i, j) for i in range(9) for j in range(i + 1, 9)]
    rows = [
        (str(i), str(j), outcome, count)
        for (i, j), *counts in zip(pairs, case["win"], case["loss"], case["tie"], strict=True)
        for outcome, count in zip(("a", "b", "tie"), counts, strict=True)
    ]
    games = results(*rows)
    model = fit(games, ties=rule)
    strength = aligned(games, model.strength, "012345678")
    assert strength - strength[0] == pytest.approx(case[key]["log_strength_ref_item1"], abs=2e-6)
    assert model.tie == pytest.approx(case[key][tie], abs=1e-6)
    assert model.log_likelihood == pytest.approx(case[key]["loglik_without_multinomial_constants"], abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_live_choix(seed: int) -> None:
    choix = pytest.importorskip("choix")
    games = random_games(8, 300, seed, ties=0.0)
    won = [
        (a, b) if s == 1 else (b, a)
        for a, b, s in zip(games.first.tolist(), games.second.tolist(), games.score, strict=True)
    ]
    # opt_pairwise has a penalty of 1e-6 unless told otherwise
    assert fit(games).strength == pytest.approx(choix.ilsr_pairwise(8, won, tol=1e-13, max_iter=1000), abs=1e-8)
    assert fit(games).strength == pytest.approx(choix.opt_pairwise(8, won, alpha=0, tol=1e-12), abs=1e-6)
    peer = choix.opt_pairwise(8, won, alpha=0.3, tol=1e-12)
    assert fit(games, ridge=0.6).strength == pytest.approx(peer, abs=1e-6)


def test_live_choix_rankings() -> None:
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(3)
    rankings = [rng.permutation(6)[:4].tolist() for _ in range(40)]
    peer = choix.ilsr_rankings(6, rankings, tol=1e-13, max_iter=1000)
    assert plackett_luce(6, choices(rankings)) == pytest.approx(peer, abs=1e-8)
    assert spectral(6, choices(rankings)) == pytest.approx(choix.lsr_rankings(6, rankings), abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_live_evalica(seed: int) -> None:
    evalica = pytest.importorskip("evalica")
    games = random_games(12, 2000, seed, ties=0.2)
    xs, ys = ([games.players[k] for k in side.tolist()] for side in (games.first, games.second))
    winners = [{1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}[s] for s in games.score]
    peer = evalica.bradley_terry(xs, ys, winners, tolerance=1e-12, limit=10_000).scores
    expected = np.log([peer[name] for name in games.players])
    assert fit(games, ties="half").strength == pytest.approx(expected - expected.mean(), abs=1e-6)


def test_gradient_of_each_likelihood() -> None:
    rng = np.random.default_rng(1)
    eta, counts, h = rng.normal(size=6), rng.integers(1, 9, size=(6, 3)).astype(float), 1e-5
    for rule in ("davidson", "rao-kupper", "half"):
        _, gradient, information = derivatives(eta, counts, rule, 0.4)  # type: ignore[arg-type]
        up, down = (derivatives(eta + d, counts, rule, 0.4) for d in (h, -h))  # type: ignore[arg-type]
        assert gradient[:, 0].sum() == pytest.approx((up[0] - down[0]) / (2 * h), rel=1e-6)
        assert -information[:, 0] == pytest.approx((up[1][:, 0] - down[1][:, 0]) / (2 * h), rel=1e-5, abs=1e-7)
        up, down = (derivatives(eta, counts, rule, 0.4 + d) for d in (h, -h))  # type: ignore[arg-type]
        assert gradient[:, 1].sum() == pytest.approx((up[0] - down[0]) / (2 * h), rel=1e-6, abs=1e-9)
        assert -information[:, 2].sum() == pytest.approx(
            (up[1][:, 1] - down[1][:, 1]).sum() / (2 * h), rel=1e-5, abs=1e-7
        )


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "drop"])
def test_order_of_games_and_sides_do_not_matter(ties: Any) -> None:
    games = random_games(6, 400, 3, ties=0.2)
    swapped = Games(games.players, games.second, games.first, 1 - games.score)
    mixed = games.take(np.random.default_rng(0).permutation(len(games)))
    for other in (swapped, mixed):
        assert fit(other, ties=ties).strength == pytest.approx(fit(games, ties=ties).strength, abs=1e-9)


def test_a_tie_between_equals_leaves_them_equal() -> None:
    games = results(("x", "y", "tie", 3), ("x", "y", "a", 2), ("x", "y", "b", 2))
    for ties in ("davidson", "rao-kupper", "half", "drop"):
        assert fit(games, ties=ties).strength == pytest.approx([0, 0], abs=1e-12)  # type: ignore[arg-type]


def test_all_ties() -> None:
    games = results(("x", "y", "tie", 3), ("y", "z", "tie", 3))
    assert fit(games, ties="half").strength == pytest.approx([0, 0, 0])
    with pytest.raises(InputError, match="all games are ties"):
        fit(games)
    with pytest.raises(InputError, match="no games are left"):
        fit(games, ties="drop")


def test_order_effect_is_found() -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(5, size=20_000)
    b = (a + rng.integers(1, 5, size=20_000)) % 5
    skill = np.array([-0.8, -0.4, 0, 0.4, 0.8])
    judge = rng.integers(2, size=20_000)
    lean = np.array([0.5, -0.3])[judge]
    length = rng.normal(size=20_000)
    score = (rng.random(20_000) < 1 / (1 + np.exp(-(skill[a] - skill[b] + lean + 0.25 * length)))).astype(float)
    games = Games(tuple("abcde"), a, b, score, None, judge, ("j1", "j2"), {"x_length": length})
    model = fit(games, order="judge", covariates=True)
    assert model.effects == ("order: j1", "order: j2", "x_length")
    error = np.sqrt(np.diag(model.covariance))[5:]
    assert np.all(np.abs(model.effect - [0.5, -0.3, 0.25]) < 4 * error)
    assert np.all(np.abs(model.strength - skill) < 4 * np.sqrt(np.diag(model.covariance))[:5])
    rated = rate_bradley_terry(games, order="judge", covariates=True)
    assert set(rated.parameters) == {"order: j1", "order: j2", "x_length"}


def test_two_players_are_a_binomial() -> None:
    model = fit(results(("x", "y", "a", 30), ("x", "y", "b", 10)))
    estimate, error = model.contrast("x", "y")
    assert estimate == pytest.approx(math.log(3), abs=1e-9)
    assert error == pytest.approx(math.sqrt(1 / 30 + 1 / 10), abs=1e-9)


def test_sandwich_over_games_and_over_copies() -> None:
    games = random_games(4, 600, 2)
    model = fit(games)
    own = model.sandwich(np.arange(600))
    assert np.sqrt(np.diag(own)) == pytest.approx(np.sqrt(np.diag(model.covariance)), rel=0.2)
    # Every game three times on one item tells no more than once: the sandwich sees it, the information does not.
    copies = games.take(np.repeat(np.arange(600), 3))
    thrice = fit(copies)
    assert thrice.covariance == pytest.approx(model.covariance / 3, rel=1e-6)
    assert thrice.sandwich(np.repeat(np.arange(600), 3)) == pytest.approx(own, rel=1e-6)


def test_bootstrap_agrees_with_sandwich() -> None:
    games = random_games(4, 500, 9)
    model = fit(games)
    draws, undefined = bootstrap_strengths(model, games, 300, 1)
    assert undefined == 0
    assert draws.std(axis=0)[:4] == pytest.approx(np.sqrt(np.diag(model.sandwich(np.arange(500)))[:4]), rel=0.2)


def test_parts_are_named() -> None:
    games = results(("x", "y", "a", 2), ("y", "x", "a", 1), ("u", "v", "tie", 2))
    assert parts(games) == [["u", "v"], ["x", "y"]]
    with pytest.raises(InputError, match=r"2 parts that never meet: \{u, v\}, \{x, y\}"):
        fit(games)
    assert np.isfinite(fit(games, ridge=1.0).strength).all()
    one_way = results(("x", "y", "a", 2), ("y", "x", "a", 1), ("x", "z", "a", 2))
    assert dominance(one_way) == [["x", "y"], ["z"]]
    with pytest.raises(InputError, match=r"results one way only: \{x, y\}, \{z\}"):
        fit(one_way)
    assert np.isfinite(fit(one_way, firth=True).strength).all()
    assert "prior" in rate_bradley_terry(one_way, ridge=0.5).notes[0]


def test_a_tie_model_without_finite_estimate_is_refused() -> None:
    # wins one way and ties: strongly connected, but Davidson's likelihood grows without end
    with pytest.raises(InputError, match="no finite estimate"):
        fit(results(("x", "y", "a", 3), ("x", "y", "tie", 2)))
    assert fit(results(("x", "y", "a", 3), ("x", "y", "tie", 2)), ties="half").strength[0] > 0


def test_a_covariate_that_says_what_the_players_say_is_refused() -> None:
    games = random_games(2, 50, 1)
    side = np.where(games.first == 0, 1.0, -1.0)
    with pytest.raises(InputError, match="no finite estimate"):
        fit(
            Games(games.players, games.first, games.second, games.score, covariates={"x_same": side}),
            covariates=True,
        )


def test_a_long_ladder_is_not_taken_for_separation() -> None:
    rows = [(f"p{k}", f"p{k + 1}", o, n) for k in range(40) for o, n in (("a", 30), ("b", 10))]
    games = results(*rows)
    strength = aligned(games, fit(games).strength, [f"p{k}" for k in range(41)])
    assert np.diff(strength) == pytest.approx(-math.log(3), abs=1e-8)


@pytest.mark.slow
def test_intervals_cover() -> None:
    """95 % intervals cover in 93 to 97 % of 800 data sets of 300 games (binomial noise of a share: 0.8 points)."""
    true = np.array([-0.9, -0.3, 0.0, 0.4, 0.8])
    hits = {"information": 0.0, "sandwich": 0.0}
    runs = 800
    for seed in range(runs):
        games = random_games(5, 300, 10_000 + seed, ties=0.0, strength=true)
        model = fit(games)
        for name, covariance in (
            ("information", model.covariance),
            ("sandwich", model.sandwich(np.arange(300))),
        ):
            error = np.sqrt(np.diag(covariance)[:5])
            hits[name] += float(np.mean(np.abs(model.strength - true) < 1.96 * error)) / runs
    low, high = binom.ppf([0.0005, 0.9995], runs, 0.95) / runs
    assert min(low, 0.93) < hits["information"] < max(high, 0.97)
    assert 0.93 < hits["sandwich"] < 0.97


@pytest.mark.parametrize(("won", "lost"), [(1, 0), (2, 0), (5, 0), (1000, 0), (3, 2), (1, 1)])
def test_firth_of_two_players_adds_half_a_game_to_each_side(won: int, lost: int) -> None:
    games = results(("x", "y", "a", won), ("x", "y", "b", lost))
    model = fit(games, ties="half", firth=True)
    difference = model.contrast("x", "y")[0]
    assert difference == pytest.approx(math.log((won + 0.5) / (lost + 0.5)), abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_firth_maximises_the_likelihood_with_jeffreys_prior(seed: int) -> None:
    from scipy.optimize import minimize

    if seed < 2:  # all wins go one way
        games = results(*((a, b, "a", seed + 1) for a, b in ("wx", "wy", "wz", "xy", "xz", "yz")))
    else:
        games = random_games(4, 4 * seed, seed, ties=0.0, spread=2.0)
    order = "common" if seed % 2 else "none"
    model = fit(games, ties="half", firth=True, order=order)
    n = len(games.players)
    design = np.zeros((len(games), n + (order == "common")))
    row = np.arange(len(games))
    design[row, games.first], design[row, games.second], design[:, n:] = 1.0, -1.0, 1.0
    free = design[:, 1:]  # the first player's strength is 0

    def penalised(theta: Any) -> float:
        eta = free @ theta
        p = 1 / (1 + np.exp(-eta))
        information = free.T @ ((p * (1 - p))[:, None] * free)
        return -float(games.score @ eta - np.logaddexp(0, eta).sum() + 0.5 * np.linalg.slogdet(information)[1])

    best = minimize(penalised, np.zeros(free.shape[1]), method="BFGS", options={"gtol": 1e-8}).x
    ours = np.concatenate([model.strength[1:] - model.strength[0], model.effect])
    assert ours == pytest.approx(best, abs=1e-5)
