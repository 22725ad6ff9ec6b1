"""The rarer actions of `nlgauge triangle`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from nlgauge.cli import common
from nlgauge.cli.triangle_shared import (
    MEASURES,
    action,
    add_goal,
    add_risks,
    cell,
    chance_cell,
    counts,
    measure,
    show,
    usual,
)
from nlgauge.errors import InputError

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


def configure(actions: Any) -> None:
    """The rarer actions."""
    replicated = action(actions, "replicated", "judges who answered several times each: the beta-binomial model")
    replicated.add_argument(
        "--by-judge", required=True, metavar="N,N,…", help="correct answers of each judge, for example 3,2,6"
    )
    replicated.add_argument(
        "--per-judge",
        required=True,
        metavar="N[,N,…]",
        help="answers of each judge: one number for all, or one each",
    )
    replicated.add_argument("--uncorrected", action="store_true", help="let judges be worse than guessing")
    replicated.add_argument(
        "--level", type=common.number, default=0.95, metavar="P", help="level of intervals (default 0.95)"
    )

    sequential = action(actions, "sequential", "judges one after the other, in looks, or a test that is still running")
    add_risks(sequential)
    add_goal(sequential, " by --looks or --total")
    sequential.add_argument("--most", metavar="N", help="Wald's test ends undecided after so many judges")
    sequential.add_argument("--answers", metavar="1011…", help="answers so far, 1 for correct: what Wald's test says")
    sequential.add_argument("--looks", metavar="N,N,…", help="plan looks after so many judges")
    sequential.add_argument(
        "--spending",
        metavar="{obrien-fleming,pocock}",
        help="how the looks of --looks share the risk (default obrien-fleming)",
    )
    sequential.add_argument("--futility", type=common.number, metavar="P", help="risk of giving up wrongly at a look")
    sequential.add_argument("--correct", metavar="N", help="with --judges and --total: correct answers so far")
    sequential.add_argument("-n", "--judges", metavar="N", help="judges so far")
    sequential.add_argument("--total", metavar="N", help="judges planned: what can still be concluded")

    panels = action(actions, "panels", "combine several panels")
    panels.add_argument(
        "--panel",
        action="append",
        required=True,
        metavar="NAME=X/N[@PROTOCOL]",
        help="a panel with X of N correct, for example experts=13/24 (repeatable)",
    )
    add_goal(panels)
    panels.add_argument(
        "--alpha", type=common.number, default=0.05, metavar="P", help="for a difference (default 0.05)"
    )
    panels.add_argument("--beta", type=common.number, metavar="P", help="for similarity (needed)")
    panels.add_argument(
        "--pd", type=common.number, metavar="P", help="for similarity (needed): the p_d that must be excluded"
    )

    for name, (summary, asked) in _COUNTS.items():
        parser = action(actions, name, summary, protocol=False)
        for count, meaning in asked.items():
            parser.add_argument(count.lower(), metavar=count, help=meaning)
        parser.add_argument(
            "--level",
            type=common.number,
            default=0.95,
            metavar="P",
            help="level of the interval (default 0.95)",
        )


def plan_replicated(arguments: argparse.Namespace) -> int:
    """How many judges, where each answers several times."""
    from nlgauge import triangle
    from nlgauge.stats.discrimination import checks
    from nlgauge.stats.discrimination.plans import effect

    if checks.goal(arguments.goal) == "similarity":
        raise InputError("a similarity test needs one answer from each judge: plan it without --per-judge")
    if arguments.gamma is None:
        raise InputError(
            "repeated answers need --gamma: how much judges differ (0: all alike; 0.2 is common; a pilot tells)"
        )
    if arguments.judges is not None:
        raise InputError("with --per-judge the number of judges is computed: leave --judges out")
    asked = triangle.protocol(arguments.protocol)
    found = triangle.replicated_plan(
        usual(arguments.alpha),
        usual(arguments.beta),
        effect(arguments.pd, arguments.d_prime, asked),
        per_judge=arguments.per_judge,
        gamma=arguments.gamma,
        protocol=asked,
    )
    return show(arguments, found.to_dict(), [], found.sentence)


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
        ("p_c", measure(out["p_c"])),
        ("p_d", measure(out["p_d"])),
        ("d′", measure(out["d_prime"])),
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


def _one_way(arguments: argparse.Namespace) -> None:
    """Wald's test, planned looks and looking ahead are three things: options of one mean nothing to another."""
    own = {
        "--total": ("correct", "judges"),
        "--looks": ("spending", "futility"),
        "Wald's test": ("most", "answers"),
    }
    chosen = [name for name in ("--total", "--looks") if getattr(arguments, name[2:]) is not None]
    if len(chosen) > 1:
        raise InputError("--looks plans a test and --total looks ahead in one that runs: give one of them")
    way = chosen[0] if chosen else "Wald's test"
    for other, options in own.items():
        given = [option for option in options if getattr(arguments, option) is not None]
        if other != way and given:
            needs = f"it needs {other}" if other.startswith("--") else f"leave it out, or leave {way} out"
            raise InputError(f"--{given[0]} belongs to {other}: {needs}")


def _sequential(arguments: argparse.Namespace) -> int:
    _one_way(arguments)
    if arguments.total is not None:
        return _look_ahead(arguments)
    if arguments.looks is not None:
        return _looks(arguments)
    from nlgauge import triangle

    if arguments.pd is None:
        raise InputError(
            "a sequential test needs --pd: the share of people whose perceiving a difference is worth finding "
            "(--alpha and --beta are 0.05 unless given)"
        )
    plan = triangle.sequential(
        usual(arguments.alpha),
        usual(arguments.beta),
        arguments.pd,
        protocol=arguments.protocol,
        most=arguments.most,
    )
    found, notes = plan.to_dict(), []
    if arguments.answers is not None:
        answers = arguments.answers.replace(",", "").replace(" ", "")
        if not answers or set(answers) - {"0", "1"}:
            raise InputError(f"--answers must be a row of 0 and 1, not {arguments.answers!r}")
        state, after = plan.follow([letter == "1" for letter in answers])
        found |= {"state": state, "after": after}
        word = {"continue": "go on asking", "undecided": "the last judge has answered: undecided"}.get(
            state, f"stop: {state}"
        )
        notes.append(f"after {after:,} of {len(answers):,} answers: {word}")
    rows = [
        (
            f"true p_d {course.p_d:.3f}",
            f"{course.difference:.4f} difference, {course.similarity:.4f} similarity, "
            f"{course.expected_judges:.1f} judges",
        )
        for course in (plan.null, plan.between, plan.alternative)
    ]
    return show(arguments, found, rows, plan.sentence, notes)


def _looks(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle
    from nlgauge.stats.discrimination import checks
    from nlgauge.stats.discrimination.wording import people

    checks.goal(arguments.goal)
    own, other, name = arguments.alpha, arguments.beta, "--alpha"
    if arguments.goal == "similarity":
        own, other, name = other, own, "--beta"
    if arguments.pd is None or (own is None and other is not None):  # the other risk would count for nothing
        raise InputError(f"looks for the goal {arguments.goal} need {name} and --pd")
    risk = usual(own)
    plan = triangle.group_sequential(
        counts(arguments.looks, "--looks"),
        risk,
        arguments.pd,
        goal=arguments.goal,
        spending=arguments.spending or "obrien-fleming",
        futility=arguments.futility,
        protocol=arguments.protocol,
    )
    rows = [
        (
            people(look.judges),
            f"critical {cell(look.critical)}, give up {cell(look.futile)}, risk spent "
            f"{look.spent:.4f}, power {look.power:.4f}",
        )
        for look in plan.looks
    ]
    return show(arguments, plan.to_dict(), rows, plan.sentence)


def _look_ahead(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    if None in (arguments.correct, arguments.judges, arguments.pd):
        raise InputError("looking ahead needs --correct, --judges, --total and --pd")
    found = triangle.look_ahead(
        arguments.correct,
        arguments.judges,
        arguments.total,
        p_d=arguments.pd,
        goal=arguments.goal,
        alpha=usual(arguments.alpha),
        beta=usual(arguments.beta),
        protocol=arguments.protocol,
    )
    return show(arguments, found.to_dict(), [], found.sentence, found.notes)


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


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "replicated": _replicated,
    "sequential": _sequential,
    "panels": _panels,
    **dict.fromkeys(_COUNTS, _of_counts),
}
