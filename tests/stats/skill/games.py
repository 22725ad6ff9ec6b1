"""Games for the tests: made by a known law, or from recorded counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.stats.skill import Games


def recorded(shared: Path, group: str) -> Any:
    """A group of the recorded statistics."""
    return json.loads((shared / "fixtures" / "statistics.json").read_text(encoding="utf-8"))[group]


def results(*rows: tuple[str, str, str, int]) -> Games:
    """Games from (a, b, outcome, how often)."""
    flat = [row[:3] for row in rows for _ in range(row[3])]
    return Games.of([r[0] for r in flat], [r[1] for r in flat], [r[2] for r in flat])


def random_games(
    players: int, games: int, seed: int, *, ties: float = 0.1, spread: float = 1.0, strength: Any = None
) -> Games:
    """Games between random pairs; the first wins by the logistic law, a share `ties` is tied."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=players) * spread if strength is None else np.asarray(strength)
    a = rng.integers(players, size=games)
    b = (a + rng.integers(1, players, size=games)) % players
    chance = 1 / (1 + np.exp(skill[b] - skill[a]))
    luck = rng.random(games)
    score = np.where(luck < chance * (1 - ties), 1.0, np.where(luck < chance * (1 - ties) + ties, 0.5, 0.0))
    return Games(tuple(f"p{k}" for k in range(players)), a, b, score)


def aligned(games: Games, values: Any, names: Any) -> np.ndarray:
    """Values in the order of `names`."""
    return np.array([values[games.players.index(name)] for name in names])
