"""`nlgauge triangle sequential`: judges one after the other, or in looks."""

from __future__ import annotations

import argparse

from nlgauge.cli import common
from nlgauge.cli.commands.triangle.shared import (
    Actions,
    action,
    add_goal,
    add_risks,
    cell,
    counts,
    show,
    usual,
)
from nlgauge.errors import InputError


def add_sequential(actions: Actions) -> None:
    """Options of `sequential`."""
    sequential = action(
        actions, "sequential", _sequential, "judges one after the other, in looks, or a test that is still running"
    )
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
