"""Plan and analyse discrimination tests: can people tell two kinds of text apart?"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, triangle_more, triangle_shared

if TYPE_CHECKING:
    from nlgauge.stats.discrimination.testing import DiscriminationTest

EXAMPLES = """\
examples:
  nlgauge triangle plan --pd .5                               how many judges (α = β = 0.05 unless given)
  nlgauge triangle plan --judges 24                           what 24 judges can do
  nlgauge triangle critical -n 24 --alpha .05                 correct answers needed
  nlgauge triangle test --correct 36 --judges 98 --goal similarity --beta .01 --pd .3
  nlgauge triangle replicated --by-judge 3,2,6,5 --per-judge 12
  nlgauge triangle sequential --alpha .05 --beta .05 --pd .5
  nlgauge triangle panels --panel experts=13/24 --panel public=36/98
  nlgauge triangle tables

Three numbers fix a test: α, the risk of finding a difference where none is; β, the risk of missing one; and p_d, the
share of people who perceive the difference. The method is that of González Corbelle, Alonso and Bugarín (2020).
`nlgauge triangle ACTION --help` shows an action's options and examples. --protocol chooses another test: duo-trio,
tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The actions and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    plan = triangle_shared.action(actions, "plan", "how many judges, or what the judges at hand can do")
    triangle_shared.add_risks(plan)
    plan.add_argument("-n", "--judges", metavar="N", help="the number of judges, where it is given")
    triangle_shared.add_goal(plan)
    plan.add_argument(
        "--d-prime",
        type=common.number,
        metavar="D",
        help="the size of the difference as d′, in place of --pd",
    )
    plan.add_argument(
        "--true-pd",
        type=common.number,
        default=0.0,
        metavar="P",
        help="similarity: the p_d assumed to be true (default 0)",
    )
    plan.add_argument("--per-judge", metavar="K", help="a difference: answers of each judge, where more than one")
    plan.add_argument(
        "--gamma",
        type=common.number,
        metavar="G",
        help="with --per-judge: how much judges differ, 0 to 1",
    )
    critical = triangle_shared.action(actions, "critical", "the number of correct answers that decides")
    triangle_shared.add_risks(critical)
    critical.add_argument("-n", "--judges", required=True, metavar="N", help="the number of judges")
    critical.add_argument(
        "--method",
        default="exact",
        metavar="{exact,normal}",
        help=f"exact (default), or normal: the formula of {triangle_shared.PAPER}",
    )
    test = triangle_shared.action(actions, "test", "analyse the answers")
    triangle_shared.add_risks(test, "needed for similarity; with --pd it gives the power")
    test.add_argument("--correct", required=True, metavar="N", help="correct answers")
    test.add_argument("-n", "--judges", required=True, metavar="N", help="judges")
    test.add_argument(
        "--per-judge",
        default="1",
        metavar="K",
        help="answers of each judge (default 1; more for a difference only)",
    )
    triangle_shared.add_goal(test)
    test.add_argument(
        "--method",
        default="exact",
        metavar="{exact,normal,likelihood,score,wald}",
        help=f"exact (default), normal (the formula of {triangle_shared.PAPER}), likelihood, score or wald",
    )
    test.add_argument(
        "--level",
        type=common.number,
        metavar="P",
        help="level of a two-sided interval (default: each limit holds at 1 − risk)",
    )
    test.add_argument("--planned", metavar="N", help="the number of judges fixed beforehand")
    triangle_shared.action(actions, "tables", f"the three tables of {triangle_shared.PAPER}, computed")
    triangle_more.configure(actions)


def run(arguments: argparse.Namespace) -> int:
    """Run one action."""
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "plan": _plan,
        "critical": _critical,
        "test": _test,
        "tables": _tables,
        **triangle_more.ACTIONS,
    }
    return actions[arguments.action](arguments)


def _plan(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle
    from nlgauge.errors import InputError

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
        return triangle_more.plan_replicated(arguments)
    plan = triangle.plan(
        triangle_shared.usual(arguments.alpha),
        triangle_shared.usual(arguments.beta),
        arguments.pd,
        d_prime=arguments.d_prime,
        goal=arguments.goal,
        judges=arguments.judges,
        protocol=arguments.protocol,
        p_d_true=arguments.true_pd,
    )
    return triangle_shared.show(arguments, plan.to_dict(), _plan_rows(plan.to_dict()), plan.sentence, plan.warnings)


def _plan_rows(plan: dict[str, Any]) -> list[tuple[str, str]]:
    difference = plan["goal"] == "difference"
    critical = plan["min_correct"] if difference else plan["max_correct"]
    return [
        ("first number of judges", f"{plan['first']:,}"),
        ("stable number of judges", f"{plan['stable']:,}"),
        ("judges of this plan", f"{plan['n']:,}"),
        (
            "correct answers needed" if difference else "correct answers allowed",
            triangle_shared.cell(critical),
        ),
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
                (
                    f"{r['alpha']:g}",
                    f"{r['beta']:g}",
                    percent(r["p_d"]),
                    f"{r['critical']:g}",
                    f"{r['power']:.4f}",
                )
                for r in rows
            ],
        )
        print()
    print_lines([sentence])
    return 0


def _critical(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    alpha, beta = arguments.alpha, arguments.beta
    if alpha is None and beta is None:
        alpha, beta = (triangle_shared.USUAL, None) if arguments.pd is None else (None, triangle_shared.USUAL)
    found = triangle.critical(
        arguments.judges,
        alpha=alpha,
        beta=beta,
        p_d=arguments.pd,
        protocol=arguments.protocol,
        method=arguments.method,
    )
    return triangle_shared.show(arguments, found.to_dict(), [], found.sentence, found.warnings)


def _test(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    result = triangle.test(
        arguments.correct,
        arguments.judges,
        goal=arguments.goal,
        alpha=arguments.alpha,
        beta=arguments.beta,
        p_d=arguments.pd,
        protocol=arguments.protocol,
        method=arguments.method,
        level=arguments.level,
        per_judge=arguments.per_judge,
        planned=arguments.planned,
    )
    found = result.to_dict()
    rows = [
        ("p", triangle_shared.p_cell(result.p_value)),
        *(
            (name, triangle_shared.measure(found[key]))
            for name, key in (("p_c", "p_c"), ("p_d", "p_d"), ("d′", "d_prime"))
        ),
        (
            "correct needed" if result.goal == "difference" else "correct allowed",
            triangle_shared.cell(result.critical),
        ),
    ]
    if result.power is not None:
        rows.append(("power" if result.goal == "difference" else "chance of passing", f"{result.power:.4f}"))
    rows.append(("study", f"{result.study}"))
    return triangle_shared.show(arguments, found, rows, result.sentence, result.notes, _legend(arguments, result))


def _legend(arguments: argparse.Namespace, result: DiscriminationTest) -> list[str]:
    """What the quantities are, and why the intervals have their level."""
    lines = [triangle_shared.MEASURES]
    if arguments.level is None:
        from nlgauge.stats.discrimination.wording import percent

        name = "α" if result.goal == "difference" else "β"
        lines.append(
            f"intervals: each limit alone holds at 1 − {name} = {percent(1 - result.risk)}, as the test does, so that "
            f"both together make a {percent(1 - 2 * result.risk)} interval (--level chooses another)"
        )
    return lines


def _tables(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.stats.discrimination.planning import RISKS, SHARES
    from nlgauge.stats.discrimination.tables import ODD_CELL

    found = triangle.tables(arguments.protocol)
    judges, least, most = found["table1"], found["table2"], found["table3"]
    standard = triangle.protocol(arguments.protocol).name == "triangle"
    if arguments.json:
        common.print_json({**found, "printed_differently": [ODD_CELL] if standard else []})
        return 0
    print_lines(
        [
            f"The tables of {triangle_shared.PAPER}, computed exactly.",
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
    count = {(r["n"], r["alpha"]): triangle_shared.cell(r["min_correct"]) for r in least}
    print_table(
        ("judges", *(f"alpha {risk:g}" for risk in RISKS)),
        [(f"{n}", *(count[n, alpha] for alpha in RISKS)) for n in sorted({n for n, _ in count})],
    )
    print("\nTable 3. Correct answers allowed to conclude similarity.")
    limit = {(r["n"], r["beta"], r["p_d"]): triangle_shared.cell(r["max_correct"]) for r in most}
    print_table(
        ("judges", "beta", *(f"p_d {100 * p_d:.0f} %" for p_d in sorted(SHARES))),
        [
            (f"{n}", f"{beta:g}", *(limit[n, beta, p_d] for p_d in sorted(SHARES)))
            for n in sorted({n for n, _, _ in limit})
            for beta in sorted(RISKS)
        ],
    )
    return 0
