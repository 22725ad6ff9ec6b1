"""`nlgauge triangle test`, `replicated`, `panels` and the tests of counts: answers that are there."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, Arg, Part
from nlgauge.cli.commands.triangle.shared import (
    ALPHA,
    EXAMPLES,
    MEASURES,
    PAPER,
    PD,
    action,
    beta,
    cell,
    chance_cell,
    counts,
    goal,
    measure,
    p_cell,
    show,
)
from nlgauge.cli.common import number
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.stats.discrimination.testing import DiscriminationTest

_COUNTS = {
    "preference": (
        "preference with ties (2-AC)",
        {
            "PREFER_A": "judges who prefer A",
            "NO_PREFERENCE": "judges without a preference",
            "PREFER_B": "judges who prefer B",
        },
    ),
    "a-not-a": (
        "yes/no answers to single texts (A-not-A)",
        {
            "HITS": "answers “A” to texts of kind A",
            "SIGNALS": "texts of kind A shown",
            "FALSE_ALARMS": "answers “A” to texts of the other kind",
            "NOISES": "texts of the other kind shown",
        },
    ),
    "same-different": (
        "same or different? answers to pairs",
        {
            "SAME_SAME": "answers “same” to pairs of one kind",
            "DIFFERENT_SAME": "answers “different” to pairs of one kind",
            "SAME_DIFFERENT": "answers “same” to pairs of two kinds",
            "DIFFERENT_DIFFERENT": "answers “different” to pairs of two kinds",
        },
    ),
}
"""Tests of counts: what each is, and the counts it takes."""


def _test(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    given = common.given(arguments, ("goal", "alpha", "beta", "protocol", "method", "level", "per_judge", "planned"))
    result = triangle.test(arguments.correct, arguments.judges, p_d=arguments.pd, **given)
    found = result.to_dict()
    rows = [
        ("p", p_cell(result.p_value)),
        *_measures(found),
        ("correct needed" if result.goal == "difference" else "correct allowed", cell(result.critical)),
    ]
    if result.power is not None:
        rows.append(("power" if result.goal == "difference" else "chance of passing", f"{result.power:.4f}"))
    rows.append(("study", f"{result.study}"))
    return show(arguments, found, rows, result.sentence, result.notes, _legend(arguments, result))


def _measures(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, measure(found[key])) for name, key in (("p_c", "p_c"), ("p_d", "p_d"), ("d′", "d_prime"))]


def _legend(arguments: argparse.Namespace, result: DiscriminationTest) -> list[str]:
    """What the quantities are, and why the intervals have their level."""
    lines = [MEASURES]
    if arguments.level is None:
        from nlgauge.stats.discrimination.wording import percent

        name = "α" if result.goal == "difference" else "β"
        lines.append(
            f"intervals: each limit alone holds at 1 − {name} = {percent(1 - result.risk)}, as the test does, so that "
            f"both together make a {percent(1 - 2 * result.risk)} interval (--level chooses another)"
        )
    return lines


def _replicated(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    correct = counts(arguments.by_judge, "--by-judge")
    each = counts(arguments.per_judge, "--per-judge")
    found = triangle.beta_binomial(
        correct,
        each[0] if len(each) == 1 else each,
        protocol=arguments.protocol,
        corrected=not arguments.uncorrected,
        level=arguments.level,
    )
    out = found.to_dict()
    gamma = out["gamma"]["estimate"]
    rows = [
        *_measures(out),
        ("γ", "-" if gamma is None else f"{gamma:.4f}"),
        ("over-dispersion", f"G² = {found.dispersion_g2:.3f}, {chance_cell(found.dispersion_p)}"),
        (
            "difference" if found.corrected else "not all guess",
            f"G² = {found.difference_g2:.3f}, {chance_cell(found.difference_p)}",
        ),
        *([] if found.corrected else [("above guessing", chance_cell(found.directed_p))]),
        ("pooled exact test", f"{chance_cell(found.pooled_p)}"),
    ]
    legend = [f"{MEASURES}; γ: how much judges differ, from 0 (all alike) to 1"]
    return show(arguments, out, rows, found.sentence, found.notes, legend)


def _panels(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    panels = [_panel(text, arguments.protocol) for text in arguments.panel]
    found = triangle.combine(panels, goal=arguments.goal, alpha=arguments.alpha, beta=arguments.beta, p_d=arguments.pd)
    rows = [
        (panel["name"], f"p_d {measure(panel['p_d'])}, {chance_cell(panel['p_value'])}")
        for panel in found.to_dict()["panels"]
    ]
    return show(arguments, found.to_dict(), rows, found.sentence, found.notes)


def _panel(text: str, protocol: str) -> Any:
    from nlgauge import triangle
    from nlgauge.stats.discrimination import checks

    name, equals, rest = text.partition("=")
    share, _, own = rest.partition("@")
    correct, slash, judges = share.partition("/")
    try:
        if not (name and equals and slash):
            raise InputError("a part is missing")
        numbers = checks.whole(correct, "correct"), checks.whole(judges, "judges")
    except InputError:
        raise InputError(f"a panel is written NAME=CORRECT/JUDGES, for example experts=13/24, not {text!r}") from None
    return triangle.Panel(name, *numbers, own or protocol)


def _of_counts(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    test = getattr(triangle, arguments.action.replace("-", "_"))
    _, asked = _COUNTS[arguments.action]
    found = test(*(getattr(arguments, count.lower()) for count in asked), level=arguments.level)
    return show(arguments, found.to_dict(), [], found.sentence, found.notes)


TEST = action(
    "test",
    _test,
    "analyse the answers",
    ALPHA,
    beta("needed for similarity; with --pd it gives the power"),
    PD,
    Arg("--correct N", "correct answers", required=True),
    Arg("-n --judges N", "judges", required=True),
    Arg("--per-judge K", "answers of each judge (default 1; more for a difference only)", default="1"),
    goal(),
    Arg(
        "--method {exact,normal,likelihood,score,wald}",
        f"exact (default), normal (the formula of {PAPER}), likelihood, score or wald",
        default="exact",
    ),
    Arg("--level P", "level of a two-sided interval (default: each limit holds at 1 − risk)", number),
    Arg("--planned N", "the number of judges fixed beforehand"),
)
REPLICATED = action(
    "replicated",
    _replicated,
    "judges who answered several times each: the beta-binomial model",
    Arg("--by-judge N,N,…", "correct answers of each judge, for example 3,2,6", required=True),
    Arg("--per-judge N[,N,…]", "answers of each judge: one number for all, or one each", required=True),
    Arg("--uncorrected", "let judges be worse than guessing"),
    Arg("--level P", "level of intervals (default 0.95)", number, 0.95),
)
PANELS = action(
    "panels",
    _panels,
    "combine several panels",
    Arg(
        "--panel NAME=X/N[@PROTOCOL]",
        "a panel with X of N correct, for example experts=13/24 (repeatable)",
        many=True,
        required=True,
    ),
    goal(),
    Arg("--alpha P", "for a difference (default 0.05)", number, 0.05),
    Arg("--beta P", "for similarity (needed)", number),
    Arg("--pd P", "for similarity (needed): the p_d that must be excluded", number),
)
COUNTS = {
    name: Part(
        summary,
        (
            JSON,
            *(Arg(f"{count.lower()} {count}", meaning) for count, meaning in asked.items()),
            Arg("--level P", "level of the interval (default 0.95)", number, 0.95),
        ),
        _of_counts,
        examples=f"examples:\n{EXAMPLES[name]}",
    )
    for name, (summary, asked) in _COUNTS.items()
}
