"""What the actions of `nlgauge triangle` share: options, examples and printing."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, Arg, Part
from nlgauge.cli.common import number
from nlgauge.errors import InputError

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


PROTOCOL = Arg(
    "--protocol NAME",
    "the kind of test: triangle (default), duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or "
    "double-… of one of them",
    default="triangle",
)
ALPHA = Arg("--alpha P", "risk of finding a difference where none is (default 0.05)", number)
PD = Arg("--pd P", "p_d: the share of people who perceive the difference, 0.3 for 30 %%", number)


def action(name: str, act: Callable[[argparse.Namespace], int], summary: str, *arguments: Arg) -> dict[str, Part]:
    """One action of a discrimination test, with its examples and the options that all of them have."""
    return {name: Part(summary, (PROTOCOL, JSON, *arguments), act, examples=f"examples:\n{EXAMPLES[name]}")}


def goal(by: str = "") -> Arg:
    """What the test is to show."""
    return Arg("--goal {difference,similarity}", f"what is to be shown{by} (default difference)", default="difference")


def beta(told: str = "default 0.05") -> Arg:
    """The other risk."""
    return Arg("--beta P", f"risk of missing one that the share --pd perceives ({told})", number)


RISKS = (ALPHA, beta(), PD)


def usual(risk: float | None) -> float:
    """A risk, 0.05 where none is given."""
    return USUAL if risk is None else risk


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
    from nlgauge.stats.discrimination.wording import exact_alone

    return exact_alone(p)


def chance_cell(p: float) -> str:
    """A p-value as a clause: `p = 0.0284`."""
    from nlgauge.stats.discrimination.wording import exact_chance

    return exact_chance(p)


def measure(found: dict[str, Any]) -> str:
    """`0.0510 (98 % interval 0.0000 to 0.2340)`; what is not finite is ∞."""

    def text(value: float | None) -> str:
        return "∞" if value is None else f"{value:.4f}"

    level = f"{round(100 * found['level'], 8):g} %"
    return f"{text(found['estimate'])} ({level} interval {text(found['low'])} to {text(found['high'])})"


def counts(text: str, what: str) -> list[int]:
    """Whole numbers separated by commas or blanks."""
    from nlgauge.stats.discrimination import checks

    words = [word for part in text.split(",") for word in (part.split() or [""])]
    try:
        return [checks.whole(word, what) for word in words]
    except InputError:
        raise InputError(f"{what} must be whole numbers separated by commas, not {text!r}") from None
