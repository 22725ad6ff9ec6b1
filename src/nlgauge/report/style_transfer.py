"""Scores of style transfer as tables, in the form of the paper, and what is to be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from nlgauge.errors import counted
from nlgauge.report.text import print_lines, print_table
from nlgauge.results import Comparison
from nlgauge.style.scoring import StyleScores
from nlgauge.style.scoring.comparing import Together
from nlgauge.style.scoring.failures import ORDER, PATTERNS, Failures
from nlgauge.style.scoring.posing import GOLD
from nlgauge.style.scoring.table import AVERAGE, Row, Table
from nlgauge.wording.conclusion import significant
from nlgauge.wording.numbers import exact_p, limited
from nlgauge.wording.paper import Part
from nlgauge.wording.receipts import folded

CALLED = {"hh": "HH", "ah": "AH", "main": "Main", "compliancy": "Compl.", "bleu": "BLEU", "rouge": "ROUGE"}
FAILS = {"main": "style", "hh": "HH", "ah": "AH"}
SUCCESS = {
    "reversed": "Main: the decision on the output differs from that on the original headline.",
    "target": "Main: the output is taken for the target source.",
}
PLACES = 3


def print_scores(scores: StyleScores) -> None:
    """All tables, each under its heading, and what is to be said."""
    for heading, headers, cells, right in parts(scores):
        print_lines([heading, ""])
        print_table(headers, cells, right=right)
        print()
    print_lines([f"note: {text}" for text in notes(scores)])
    if scores.receipts:
        print_lines(["", *folded(scores.receipts.values())])


def parts(scores: StyleScores) -> list[Part]:
    """The tables that there is something for."""
    made = [_scores(scores.table), _orders(scores)]
    if scores.classifiers:
        made.append(_classifiers(scores))
    if scores.typed is not None:
        made += _stated(scores)
    if scores.tests is not None:
        made.append(_tests("Compliancy, paired tests", _of_compliancy(scores.tests.comparisons)))
    if scores.failures:
        made += [_patterns(scores.failures), _deciding(scores.failures)]
    if scores.asymmetries:
        made.append(_asymmetry(scores))
    if scores.correlations:
        made.append(_correlations(scores))
    if scores.framing is not None:
        made += _framing(scores)
    return made


def notes(scores: StyleScores) -> list[str]:
    """What a reader must know beside the tables."""
    found = [SUCCESS[scores.success]] if scores.success else []
    if scores.misjudged:
        found.append(
            f"The main classifier takes {scores.misjudged:,} of {scores.originals:,} original headlines for another "
            "source than theirs; "
            + ("reversal of such a decision is no move to the target." if scores.success == "reversed" else "")
        )
    for system, count in (scores.empty or {}).items():
        if count:
            found.append(f"{system}: {counted(count, 'empty output')}, scored 0 by all classifiers.")
    for (system, direction), count in (scores.lacking or {}).items():
        found.append(
            f"{system}: {counted(count, 'article')} of {direction} without an output that other systems have; tests "
            "are on what all have."
        )
    if scores.typed is not None:
        found += list(statements(scores))
    return [*found, *scores.notes]


def statements(scores: StyleScores) -> Iterator[str]:
    """What was stated of a table and does not follow from it."""
    typed = scores.typed
    if typed is None:
        return
    where = scores.table.places
    wrong = [average for average in typed.averages if not average.follows]
    for average in wrong:
        places = where.get(average.measure, PLACES)
        yield (
            f"{average.system}: the stated average of {called(average.measure)}, "
            f"{rounded(float(average.stated), places)}, does not follow from its rows, whose mean is "
            f"{rounded(float(average.mean), places)}; rounding does not explain it."
        )
    if typed.averages and not wrong:
        yield f"All {len(typed.averages):,} stated averages follow from their rows."
    elif typed.averages:
        yield f"The other {len(typed.averages) - len(wrong):,} stated averages follow from their rows."
    for bound in typed.bounds:
        yield (
            f"{bound.system}, {bound.direction}: a compliancy of {bound.stated} cannot be: with these HH, AH and Main "
            f"it lies between {bound.least} and {bound.most}."
        )
    for claim in typed.harder:
        if claim.measure != "compliancy":
            continue
        verdict = "follows" if claim.follows else "does not follow"
        gold = ""
        if claim.gold is not None and claim.gold != 0:
            side = "lower" if claim.gold < 0 else "higher"
            gold = f"; of gold it is {side}"
        yield (
            f"That {claim.direction} is harder than {claim.other} {verdict} from compliancy, which is lower in "
            f"{claim.direction} for {claim.lower} of {counted(claim.systems, 'system')}{gold}."
        )


def called(measure: str) -> str:
    """The head of a measure's column."""
    return CALLED.get(measure, measure)


def rounded(value: float, places: int) -> str:
    """Halves away from zero, as tables of papers are rounded: the mean of .449 and .240 is .345."""
    if not math.isfinite(value):
        return ""
    return str(Decimal(f"{value:.10f}").quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))


def limits(value: float, low: float | None, high: float | None, places: int = PLACES) -> str:
    """A value with its interval, where there is one."""
    return limited(lambda number: rounded(number, places), value, low, high)


def _classifiers(scores: StyleScores) -> Part:
    """The paper's Table 1."""
    cells = [
        [
            CALLED[row["classifier"]],
            row["label"],
            row["data"],
            f"{row['n']:,}",
            *(_share_of(row[name]) for name in ("precision", "recall", "f")),
        ]
        for row in scores.classifiers
    ]
    headers = ["classifier", "class", "data", "n", "precision", "recall", "F-score"]
    return "Classifiers, by class", headers, cells, [3, 4, 5, 6]


def _share_of(told: Mapping[str, float | None] | None) -> str:
    return "" if not told or told["value"] is None else rounded(told["value"], 2)


def _scores(table: Table) -> Part:
    bare = all(row.values["compliancy"].low is None for row in table.rows if "compliancy" in row.values)
    more = [name for name, known in (("n", any(row.n for row in table.rows)), ("training data", table.groups)) if known]
    headers = ["system", "direction", *(called(name) for name in table.measures), *more]
    cells = []
    for row in (*table.rows, *table.gold):
        known = {"n": f"{row.n:,}" if row.n else "", "training data": table.groups.get(row.system, "")}
        own = (_cell(row, name, table) for name in table.measures)
        cells.append([row.system, row.direction, *own, *(known[name] for name in more)])
    right = [place for place, name in enumerate(headers) if place > 1 and name != "training data"]
    heading = "Scores" if bare else "Scores, with the interval of compliancy"
    return heading, headers, cells, right


def _cell(row: Row, measure: str, table: Table) -> str:
    value = row.values.get(measure)
    if value is None:
        return ""
    places = table.places.get(measure, PLACES)
    if measure == "compliancy":
        return limits(value.value, value.low, value.high, places)
    return rounded(value.value, places)


def _orders(scores: StyleScores) -> Part:
    """By the average of each measure; with tests, in clusters."""
    table = scores.table
    rankings = {ranking.metric: ranking for ranking in (scores.tests.rankings if scores.tests else ())}
    cells = []
    for measure, order in table.orders().items():
        ranking = rankings.get(f"{measure}, {AVERAGE}")
        values = {
            system: rounded(table.value(system, AVERAGE, measure), table.places.get(measure, PLACES))
            for system in order
        }
        if ranking is not None:
            groups = [", ".join(f"{name} {values[name]}" for name in group) for group in ranking.clusters]
            told = " > ".join(groups)
        else:  # what is printed as equal is not said to be in order
            told = ""
            for number, system in enumerate(order):
                sign = " = " if number and values[system] == values[order[number - 1]] else " > "
                told += f"{sign if number else ''}{system} {values[system]}"
        cells.append([called(measure), told])
    heading = "Systems by their average, best first"
    if rankings:
        heading += "; before a > all are significantly better than all after it"
    return heading, ["by", "order"], cells, []


def _of_compliancy(tests: Sequence[Comparison]) -> list[Comparison]:
    return [test for test in tests if test.metric.startswith("compliancy,")]


def _tests(heading: str, tests: Sequence[Comparison]) -> Part:
    cells = [
        [
            test.metric.partition(", ")[2] if heading.startswith("Compl") else test.metric,
            f"{test.system} − {test.baseline}",
            limits(test.delta, test.low, test.high),
            exact_p(test.p),
            exact_p(test.p_adjusted) + ("*" if significant(test) else ""),
        ]
        for test in tests
    ]
    return heading, ["score", "systems", "difference", "p", "p (Holm)"], cells, [2, 3, 4]


def _patterns(failures: Sequence[Failures]) -> Part:
    headers = ["system", "direction", "outputs", *(pattern_name(pattern) for pattern in PATTERNS)]
    cells = [
        [
            failure.system,
            failure.direction,
            f"{failure.n:,}",
            *(_share(failure.counts[pattern], failure.n) for pattern in PATTERNS),
        ]
        for failure in failures
    ]
    return "What fails, of all outputs", headers, cells, list(range(2, len(headers)))


def pattern_name(pattern: Sequence[str]) -> str:
    """Which classifiers fail an output."""
    if not pattern:
        return "nothing"
    names = " + ".join(FAILS[name] for name in pattern)
    return f"{names} only" if len(pattern) == 1 else names if len(pattern) < len(FAILS) else "all"


def _deciding(failures: Sequence[Failures]) -> Part:
    headers = [
        "system",
        "direction",
        "failures",
        *(f"{FAILS[name]} alone" for name in ORDER),
        "several",
        "compliancy",
    ]
    headers += [f"without {FAILS[name]}" for name in ORDER]
    cells = []
    for failure in failures:
        alone = [failure.alone(name) for name in ORDER]
        shares = [_share(count, failure.failed) for count in (*alone, failure.failed - sum(alone))]
        without = [rounded(failure.without(name), PLACES) for name in ORDER]
        whole = rounded(failure.counts[()] / failure.n, PLACES)
        cells.append([failure.system, failure.direction, f"{failure.failed:,}", *shares, whole, *without])
    heading = "Which classifier decides: failures by one alone, and compliancy without it"
    return heading, headers, cells, list(range(2, len(headers)))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""


def _asymmetry(scores: StyleScores) -> Part:
    cells = []
    for asymmetry in scores.asymmetries:
        shares = [f"{part:,}/{whole:,}" for part, whole in zip(asymmetry.complied, asymmetry.of, strict=True)]
        p = (
            ""
            if math.isnan(asymmetry.p_adjusted)
            else exact_p(asymmetry.p_adjusted) + ("*" if asymmetry.p_adjusted <= 0.05 else "")
        )
        difference = limits(asymmetry.difference, asymmetry.low, asymmetry.high)
        cells.append(
            [
                asymmetry.system,
                " − ".join(asymmetry.directions),
                *shares,
                difference,
                exact_p(asymmetry.p),
                p,
            ]
        )
    headers = ["system", "directions", "first", "second", "difference", "p (Fisher)", "p (Holm)"]
    return "Directions: compliancy of the first less the second", headers, cells, [2, 3, 4, 5, 6]


def _correlations(scores: StyleScores) -> Part:
    cells = [
        [
            f"{called(pair.first)}, {called(pair.second)}",
            f"{pair.pearson.n:,}",
            limits(pair.pearson.estimate, pair.pearson.low, pair.pearson.high) + _phi(pair),
            limits(pair.spearman.estimate, pair.spearman.low, pair.spearman.high),
        ]
        for pair in scores.correlations
    ]
    what = "single outputs of all systems" if scores.settings else "rows of systems and directions"
    return (
        f"How measures go together, over {what}",
        ["measures", "n", "Pearson's r", "Spearman's ρ"],
        cells,
        [1, 2, 3],
    )


def _phi(one: Together) -> str:
    return " (φ)" if one.binary and math.isfinite(one.pearson.estimate) else ""


def _framing(scores: StyleScores) -> list[Part]:
    found = scores.framing
    if found is None:
        return []
    table = scores.table
    cells = [
        [
            *key,
            ", ".join(found.systems[key]),
            *(rounded(means[name], table.places.get(name, PLACES)) for name in table.measures),
        ]
        for key, means in found.means.items()
    ]
    headers = ["family", "training data", "systems", *(called(name) for name in table.measures)]
    heading = "Framing: averages over directions and systems"
    made: list[Part] = [(heading, headers, cells, list(range(3, len(headers))))]
    if found.tests:
        made.append(_tests("Framing, paired tests of averages", found.tests))
    return made


def _stated(scores: StyleScores) -> list[Part]:
    typed = scores.typed
    made: list[Part] = []
    if typed is None:
        return made
    places = scores.table.places
    wrong = [
        [
            average.system,
            called(average.measure),
            rounded(float(average.stated), places.get(average.measure, PLACES)),
            rounded(float(average.mean), places.get(average.measure, PLACES)),
        ]
        for average in typed.averages
        if not average.follows
    ]
    if wrong:
        headers = ["system", "score", "stated average", "mean of its rows"]
        made.append(("Stated averages that do not follow from their rows", headers, wrong, [2, 3]))
    if typed.harder:
        cells = [
            [
                f"{claim.direction} harder than {claim.other}",
                called(claim.measure),
                f"{claim.lower} of {claim.systems}" + (f", {claim.equal} equal" if claim.equal else ""),
                "" if claim.gold is None else f"{claim.gold:+.{places.get(claim.measure, PLACES)}f}",
                "follows" if claim.follows else "does not follow",
            ]
            for claim in typed.harder
        ]
        headers = ["stated", "score", "systems that have less", f"{GOLD}, difference", "so it"]
        made.append(("Stated of directions", headers, cells, [2, 3]))
    return made
