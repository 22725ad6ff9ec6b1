"""The course of a training that is guided by comparisons, as curves."""

from __future__ import annotations

from nlgauge.errors import InputError
from nlgauge.guidance.stopping import EarlyStopping
from nlgauge.report.figures import Figure
from nlgauge.report.scatter import curves


def stopping_figures(stopping: EarlyStopping) -> list[Figure]:
    """Shares of games won and lost at each check, and the skill of each checkpoint (`write_figures` makes files)."""
    played = [check for check in stopping.checks if check.games]
    if not played:
        raise InputError("there is nothing to draw before the second check")
    steps = [float(check.step) for check in played]
    ended = [(check.wins, check.losses, check.ties) for check in played]
    names = ("won", "lost", "tied")
    shares = [(name, steps, [games[k] / sum(games) for games in ended]) for k, name in enumerate(names)]
    skill = [("skill", [float(step) for step in stopping.ratings], list(stopping.ratings.values()))]
    told = f"compared by {stopping.compares.name}"
    rule = f"{told}, {stopping.comparisons:,} times with each of {stopping.previous} checkpoints before"
    drawn = curves(shares, x_name="step", y_name="share of games", title="Games")
    skills = curves(skill, x_name="step", y_name="log odds", title="Skill of checkpoints")
    return [
        Figure("games", "with the checkpoints before", rule, drawn),
        Figure("skill", "of checkpoints", f"{told}; best: {stopping.best}", skills),
    ]
