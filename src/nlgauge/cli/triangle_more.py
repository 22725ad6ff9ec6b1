"""The rarer actions of `nlgauge triangle`, and how all of them print."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from nlgauge.cli import common
from nlgauge.errors import InputError

_MEANING = {
    "PREFER_A": "judges who prefer A",
    "NO_PREFERENCE": "judges without a preference",
    "PREFER_B": "judges who prefer B",
    "HITS": "answers “A” to texts of kind A",
    "SIGNALS": "texts of kind A shown",
    "FALSE_ALARMS": "answers “A” to texts of the other kind",
    "NOISES": "texts of the other kind shown",
    "SAME_SAME": "answers “same” to pairs of one kind",
    "DIFFERENT_SAME": "answers “different” to pairs of one kind",
    "SAME_DIFFERENT": "answers “same” to pairs of two kinds",
    "DIFFERENT_DIFFERENT": "answers “different” to pairs of two kinds",
}


MEASURES = (
    "p_c: the share of correct answers; p_d: the share of people who perceive the difference, as p_c says it once "
    "those who guess right are taken away; d′: how far apart the texts are, in standard deviations of perception"
)
PAPER = "González Corbelle, Alonso and Bugarín (2020)"
USUAL = 0.05  # α and β where none is given
EXAMPLES = {
    "plan": """\
  nlgauge triangle plan --pd .5                               how many judges, α = β = 0.05
  nlgauge triangle plan --alpha .01 --beta .1 --d-prime 1.5 --protocol duo-trio
  nlgauge triangle plan --goal similarity --pd .2 --judges 36
  nlgauge triangle plan --judges 24                           what 24 judges can do""",
    "critical": """\
  nlgauge triangle critical -n 24                             needed for a difference, α = 0.05
  nlgauge triangle critical -n 98 --beta .01 --pd .3          allowed for similarity""",
    "test": """\
  nlgauge triangle test --correct 13 --judges 24
  nlgauge triangle test --correct 36 --judges 98 --goal similarity --beta .01 --pd .3
  nlgauge triangle test --correct 13 --judges 24 --alpha .05 --beta .05 --pd .5 --planned 24""",
    "tables": """\
  nlgauge triangle tables
  nlgauge triangle tables --protocol duo-trio""",
    "replicated": """\
  nlgauge triangle replicated --by-judge 3,2,6,5 --per-judge 12""",
    "sequential": """\
  nlgauge triangle sequential --pd .5                         Wald's test, α = β = 0.05
  nlgauge triangle sequential --pd .5 --answers 110111
  nlgauge triangle sequential --pd .5 --looks 12,24,36 --spending pocock
  nlgauge triangle sequential --pd .5 --correct 9 --judges 12 --total 24    what can still be concluded""",
    "panels": """\
  nlgauge triangle panels --panel experts=13/24 --panel public=36/98
  nlgauge triangle panels --panel a=9/24 --panel b=10/30@duo-trio --goal similarity --beta .05 --pd .3""",
    "preference": """\
  nlgauge triangle preference 23 8 10                         23 prefer A, 8 neither, 10 prefer B""",
    "a-not-a": """\
  nlgauge triangle a-not-a 36 50 22 50                        36 of 50 texts A called A, 22 of 50 others""",
    "same-different": """\
  nlgauge triangle same-different 30 20 15 35""",
}


def action(actions: Any, name: str, summary: str, *, protocol: bool = True) -> argparse.ArgumentParser:
    """One action, with its examples and the options that all have."""
    parser: argparse.ArgumentParser = actions.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"examples:\n{EXAMPLES[name]}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if protocol:
        parser.add_argument(
            "--protocol",
            default="triangle",
            metavar="NAME",
            help="the kind of test: triangle (default), duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or "
            "double-… of one of them",
        )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def number(text: str) -> float:
    """A number given as an option."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None


def add_goal(parser: argparse.ArgumentParser, by: str = "") -> None:
    """What the test is to show."""
    parser.add_argument(
        "--goal",
        default="difference",
        metavar="{difference,similarity}",
        help=f"what is to be shown{by} (default difference)",
    )


def add_risks(parser: argparse.ArgumentParser, beta: str = "default 0.05") -> None:
    """α, β and p_d."""
    parser.add_argument(
        "--alpha", type=number, metavar="P", help="risk of finding a difference where none is (default 0.05)"
    )
    parser.add_argument(
        "--beta",
        type=number,
        metavar="P",
        help=f"risk of missing one that the share --pd perceives ({beta})",
    )
    parser.add_argument(
        "--pd",
        type=number,
        metavar="P",
        help="p_d: the share of people who perceive the difference, 0.3 for 30 %%",
    )


def usual(risk: float | None) -> float:
    """A risk, 0.05 where none is given."""
    return USUAL if risk is None else risk


def configure(actions: Any) -> None:
    """The rarer actions."""
    replicated = action(
        actions, "replicated", "judges who answered several times each: the beta-binomial model"
    )
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
        "--level", type=number, default=0.95, metavar="P", help="level of intervals (default 0.95)"
    )

    sequential = action(
        actions, "sequential", "judges one after the other, in looks, or a test that is still running"
    )
    add_risks(sequential)
    add_goal(sequential, " by --looks or --total")
    sequential.add_argument("--most", metavar="N", help="Wald's test ends undecided after so many judges")
    sequential.add_argument(
        "--answers", metavar="1011…", help="answers so far, 1 for correct: what Wald's test says"
    )
    sequential.add_argument("--looks", metavar="N,N,…", help="plan looks after so many judges")
    sequential.add_argument(
        "--spending",
        default="obrien-fleming",
        metavar="{obrien-fleming,pocock}",
        help="how the looks of --looks share the risk (default obrien-fleming)",
    )
    sequential.add_argument(
        "--futility", type=number, metavar="P", help="risk of giving up wrongly at a look"
    )
    sequential.add_argument(
        "--correct", metavar="N", help="with --judges and --total: correct answers so far"
    )
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
        "--alpha", type=number, default=0.05, metavar="P", help="for a difference (default 0.05)"
    )
    panels.add_argument("--beta", type=number, metavar="P", help="for similarity (needed)")
    panels.add_argument(
        "--pd", type=number, metavar="P", help="for similarity (needed): the p_d that must be excluded"
    )

    for name, summary, counts in (
        ("preference", "preference with ties (2-AC)", ("PREFER_A", "NO_PREFERENCE", "PREFER_B")),
        (
            "a-not-a",
            "yes/no answers to single texts (A-not-A)",
            ("HITS", "SIGNALS", "FALSE_ALARMS", "NOISES"),
        ),
        (
            "same-different",
            "same or different? answers to pairs",
            ("SAME_SAME", "DIFFERENT_SAME", "SAME_DIFFERENT", "DIFFERENT_DIFFERENT"),
        ),
    ):
        parser = action(actions, name, summary, protocol=False)
        for count in counts:
            parser.add_argument(count.lower(), metavar=count, help=_MEANING[count])
        parser.add_argument(
            "--level", type=number, default=0.95, metavar="P", help="level of the interval (default 0.95)"
        )


def show(
    arguments: argparse.Namespace,
    found: dict[str, Any],
    rows: Sequence[tuple[str, str]],
    sentence: str,
    notes: Sequence[str] = (),
    legend: Sequence[str] = (),
) -> int:
    """One JSON object, or a small table with its legend, the sentence and its notes."""
    if arguments.json:
        common.print_json(found)
        return 0
    from nlgauge.report.text import print_lines, print_table

    if rows:
        print_table(("quantity", "value"), rows)
        print_lines([*legend, ""])
    print_lines([sentence, *(f"note: {note}" for note in notes)])
    return 0


def cell(value: int | None) -> str:
    """A count, or a dash where there is none."""
    return "-" if value is None else f"{value:,}"


def p_cell(p: float) -> str:
    """A p-value alone: `0.0284`, `< 1e-300`."""
    from nlgauge.stats.discrimination.wording import chance

    return chance(p).removeprefix("p ").removeprefix("= ")


def chance_cell(p: float) -> str:
    """A p-value as a clause: `p = 0.0284`."""
    from nlgauge.stats.discrimination.wording import chance

    return chance(p)


def measure(found: dict[str, Any]) -> str:
    """`0.0510 (98 % interval 0.0000 to 0.2340)`; what is not finite is ∞."""

    def text(value: float | None) -> str:
        return "∞" if value is None else f"{value:.4f}"

    level = f"{round(100 * found['level'], 8):g} %"
    return f"{text(found['estimate'])} ({level} interval {text(found['low'])} to {text(found['high'])})"


def counts(text: str, what: str) -> list[int]:
    """Whole numbers separated by commas or blanks."""
    words = text.replace(",", " ").split()
    if not words or not all(word.isdigit() for word in words):
        raise InputError(f"{what} must be whole numbers separated by commas, not {text!r}")
    return [int(word) for word in words]


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
        ("difference", f"G² = {found.difference_g2:.3f}, {chance_cell(found.difference_p)}"),
        ("pooled exact test", f"{chance_cell(found.pooled_p)}"),
    ]
    legend = [f"{MEASURES}; γ: how much judges differ, from 0 (all alike) to 1"]
    return show(arguments, out, rows, found.sentence, found.notes, legend)


def _sequential(arguments: argparse.Namespace) -> int:
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
        (f"true p_d {course.p_d:.3f}", f"{course.difference:.4f} difference, {course.similarity:.4f} similarity, "
         f"{course.expected_judges:.1f} judges")
        for course in (plan.null, plan.between, plan.alternative)
    ]  # fmt: skip
    return show(arguments, found, rows, plan.sentence, notes)


def _looks(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle
    from nlgauge.stats.discrimination import checks

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
        spending=arguments.spending,
        futility=arguments.futility,
        protocol=arguments.protocol,
    )
    rows = [
        (f"{look.judges:,} judges", f"critical {cell(look.critical)}, give up {cell(look.futile)}, risk spent "
         f"{look.spent:.4f}, power {look.power:.4f}")
        for look in plan.looks
    ]  # fmt: skip
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
    found = triangle.combine(
        panels, goal=arguments.goal, alpha=arguments.alpha, beta=arguments.beta, p_d=arguments.pd
    )
    rows = [
        (panel["name"], f"p_d {measure(panel['p_d'])}, {chance_cell(panel['p_value'])}")
        for panel in found.to_dict()["panels"]
    ]
    return show(arguments, found.to_dict(), rows, found.sentence, found.notes)


def _panel(text: str, protocol: str) -> Any:
    from nlgauge import triangle

    name, equals, rest = text.partition("=")
    share, _, own = rest.partition("@")
    correct, slash, judges = share.partition("/")
    if not (name and equals and slash and correct.isdigit() and judges.isdigit()):
        raise InputError(f"a panel is written NAME=CORRECT/JUDGES, for example experts=13/24, not {text!r}")
    return triangle.Panel(name, int(correct), int(judges), own or protocol)


def _preference(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    found = triangle.preference(
        arguments.prefer_a, arguments.no_preference, arguments.prefer_b, level=arguments.level
    )
    return show(arguments, found.to_dict(), [], found.sentence, found.notes)


def _a_not_a(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    found = triangle.a_not_a(
        arguments.hits, arguments.signals, arguments.false_alarms, arguments.noises, level=arguments.level
    )
    return show(arguments, found.to_dict(), [], found.sentence, found.notes)


def _same_different(arguments: argparse.Namespace) -> int:
    from nlgauge import triangle

    found = triangle.same_different(
        arguments.same_same,
        arguments.different_same,
        arguments.same_different,
        arguments.different_different,
        level=arguments.level,
    )
    return show(arguments, found.to_dict(), [], found.sentence, found.notes)


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "replicated": _replicated,
    "sequential": _sequential,
    "panels": _panels,
    "preference": _preference,
    "a-not-a": _a_not_a,
    "same-different": _same_different,
}
