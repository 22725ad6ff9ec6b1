"""`nlgauge triangle plan`, `critical`, `tables` and `sequential`: before everyone has been asked."""

from __future__ import annotations

import argparse
from typing import Any

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg
from nlgauge.cli.commands.triangle.shared import PAPER, RISKS, USUAL, action, cell, counts, goal, show, usual
from nlgauge.cli.common import number
from nlgauge.errors import InputError


def _plan(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    if arguments.gamma is not None and arguments.per_judge is None:
        raise InputError("--gamma says how much judges who answer several times differ: it needs --per-judge")
    if arguments.pd is None and arguments.d_prime is None:
        if arguments.judges is not None:
            return _settings(arguments)
        raise InputError(
            "a plan needs --pd (or --d-prime), the size of the difference; --alpha and --beta are 0.05 unless given; "
            "or --judges N to see what N judges can do"
        )
    if arguments.per_judge is not None:
        return _replicated_plan(arguments)
    plan = triangle.plan(
        usual(arguments.alpha),
        usual(arguments.beta),
        arguments.pd,
        p_d_true=arguments.true_pd,
        **common.given(arguments, ("d_prime", "goal", "judges", "protocol")),
    )
    return show(arguments, plan.to_dict(), _plan_rows(plan.to_dict()), plan.sentence, plan.warnings)


def _plan_rows(plan: dict[str, Any]) -> list[tuple[str, str]]:
    difference = plan["goal"] == "difference"
    critical = plan["min_correct"] if difference else plan["max_correct"]
    return [
        ("first number of judges", f"{plan['first']:,}"),
        ("stable number of judges", f"{plan['stable']:,}"),
        ("judges of this plan", f"{plan['n']:,}"),
        ("correct answers needed" if difference else "correct answers allowed", cell(critical)),
        ("power" if difference else "chance of passing", f"{plan['power']:.4f}"),
        ("p_d", f"{plan['p_d']:g} ({plan['p_d_size']})"),
        ("sensitivity", plan["sensitivity"]),
    ]


def _settings(arguments: argparse.Namespace) -> int:
    """What the judges at hand can do."""
    from nlgauge import triangle
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.stats.discrimination import checks
    from nlgauge.stats.discrimination.wording import people, percent

    n = checks.judges(arguments.judges)
    goal = checks.goal(arguments.goal)
    rows = triangle.settings(n, goal=goal, protocol=arguments.protocol)
    smallest = None
    if arguments.alpha is not None and arguments.beta is not None:
        smallest = triangle.smallest_p_d(n, arguments.alpha, arguments.beta, protocol=arguments.protocol)
    if rows:
        best = rows[0]
        sentence = (
            f"{n:,} judges keep, at best, α = {best['alpha']:g} and β = {best['beta']:g} for p_d = "
            f"{percent(best['p_d'])}; the other settings shown trade one risk for another."
        )
    else:
        verb = "keeps" if n == 1 else "keep"
        sentence = f"{people(n)} {verb} none of the usual risks (α and β up to 0.2, p_d up to 50 %): ask more."
    if smallest is not None:
        sentence += (
            f" At α = {arguments.alpha:g} and β = {arguments.beta:g} they find a difference that "
            f"{percent(smallest)} of people perceive, and no smaller one."
        )
    if arguments.json:
        common.print_json({"n": n, "goal": goal, "settings": rows, "smallest_p_d": smallest, "sentence": sentence})
        return 0
    counted = "correct needed" if goal == "difference" else "correct allowed"
    if rows:
        print_table(
            ("alpha", "beta", "p_d", counted, "power"),
            [
                (f"{r['alpha']:g}", f"{r['beta']:g}", percent(r["p_d"]), f"{r['critical']:g}", f"{r['power']:.4f}")
                for r in rows
            ],
        )
        print()
    print_lines([sentence])
    return 0


def _replicated_plan(arguments: argparse.Namespace) -> int:
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
        protocol=asked,
        **common.given(arguments, ("per_judge", "gamma")),
    )
    return show(arguments, found.to_dict(), [], found.sentence)


def _critical(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    alpha, beta = arguments.alpha, arguments.beta
    if alpha is None and beta is None:
        alpha, beta = (USUAL, None) if arguments.pd is None else (None, USUAL)
    found = triangle.critical(
        arguments.judges, alpha=alpha, beta=beta, p_d=arguments.pd, protocol=arguments.protocol, method=arguments.method
    )
    return show(arguments, found.to_dict(), [], found.sentence, found.warnings)


def _tables(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.stats.discrimination.planning import ODD_CELL, RISKS, SHARES

    found = triangle.tables(arguments.protocol)
    judges, least, most = found["table1"], found["table2"], found["table3"]
    standard = triangle.protocol(arguments.protocol).name == "triangle"
    if arguments.json:
        common.print_json({**found, "printed_differently": [ODD_CELL] if standard else []})
        return 0
    print_lines(
        [
            f"The tables of {PAPER}, computed exactly.",
            "",
            "Table 1. Judges needed: the first number that keeps both risks / the number from which all do.",
        ]
    )
    number = {(r["p_d"], r["alpha"], r["beta"]): f"{r['first']} / {r['stable']}" for r in judges}
    print_table(
        ("p_d", "alpha", *(f"beta {risk:g}" for risk in RISKS)),
        [
            (f"{100 * p_d:.0f} %", f"{alpha:g}", *(number[p_d, alpha, beta] for beta in RISKS))
            for p_d in SHARES
            for alpha in RISKS
        ],
    )
    if standard:
        odd = (
            "The paper prints the first numbers, but 1181 for alpha 0.05, beta 0.001, p_d 10 %: 1178 judges suffice, "
            "1181 is the next number that does."
        )
        print_lines([odd])
    print("\nTable 2. Correct answers needed to conclude a difference.")
    count = {(r["n"], r["alpha"]): cell(r["min_correct"]) for r in least}
    print_table(
        ("judges", *(f"alpha {risk:g}" for risk in RISKS)),
        [(f"{n}", *(count[n, alpha] for alpha in RISKS)) for n in sorted({n for n, _ in count})],
    )
    print("\nTable 3. Correct answers allowed to conclude similarity.")
    limit = {(r["n"], r["beta"], r["p_d"]): cell(r["max_correct"]) for r in most}
    print_table(
        ("judges", "beta", *(f"p_d {100 * p_d:.0f} %" for p_d in sorted(SHARES))),
        [
            (f"{n}", f"{beta:g}", *(limit[n, beta, p_d] for p_d in sorted(SHARES)))
            for n in sorted({n for n, _, _ in limit})
            for beta in sorted(RISKS)
        ],
    )
    return 0


def _one_way(arguments: argparse.Namespace) -> None:
    """Wald's test, planned looks and looking ahead are three things: options of one mean nothing to another."""
    own = {"--total": ("correct", "judges"), "--looks": ("spending", "futility"), "Wald's test": ("most", "answers")}
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
        usual(arguments.alpha), usual(arguments.beta), arguments.pd, protocol=arguments.protocol, most=arguments.most
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
        spending=arguments.spending or "obrien-fleming",
        **common.given(arguments, ("goal", "futility", "protocol")),
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
        alpha=usual(arguments.alpha),
        beta=usual(arguments.beta),
        **common.given(arguments, ("goal", "protocol")),
    )
    return show(arguments, found.to_dict(), [], found.sentence, found.notes)


PLAN = action(
    "plan",
    _plan,
    "how many judges, or what the judges at hand can do",
    *RISKS,
    Arg("-n --judges N", "the number of judges, where it is given"),
    goal(),
    Arg("--d-prime D", "the size of the difference as d′, in place of --pd", number),
    Arg("--true-pd P", "similarity: the p_d assumed to be true (default 0)", number, 0.0),
    Arg("--per-judge K", "a difference: answers of each judge, where more than one"),
    Arg("--gamma G", "with --per-judge: how much judges differ, 0 to 1", number),
)
CRITICAL = action(
    "critical",
    _critical,
    "the number of correct answers that decides",
    *RISKS,
    Arg("-n --judges N", "the number of judges", required=True),
    Arg("--method {exact,normal}", f"exact (default), or normal: the formula of {PAPER}", default="exact"),
)
TABLES = action("tables", _tables, f"the three tables of {PAPER}, computed")
SEQUENTIAL = action(
    "sequential",
    _sequential,
    "judges one after the other, in looks, or a test that is still running",
    *RISKS,
    goal(" by --looks or --total"),
    Arg("--most N", "Wald's test ends undecided after so many judges"),
    Arg("--answers 1011…", "answers so far, 1 for correct: what Wald's test says"),
    Arg("--looks N,N,…", "plan looks after so many judges"),
    Arg("--spending {obrien-fleming,pocock}", "how the looks of --looks share the risk (default obrien-fleming)"),
    Arg("--futility P", "risk of giving up wrongly at a look", number),
    Arg("--correct N", "with --judges and --total: correct answers so far"),
    Arg("-n --judges N", "judges so far"),
    Arg("--total N", "judges planned: what can still be concluded"),
)
