"""Scores of style transfer as tables, in the form of the paper, and what is to be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

from nlgauge.errors import counted
from nlgauge.report.text import print_lines, print_parts
from nlgauge.results import Comparison
from nlgauge.style.scoring import StyleScores
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
    print_parts(parts(scores))
    print_lines([f"note: {text}" for text in notes(scores)])
    if scores.receipts:
        print_lines(["", *folded(scores.receipts.values())])


def parts(scores: StyleScores) -> list[Part]:
    """The tables that there is something for."""
    made = [_scores(scores.table), _orders(scores)]
    made += [_classifiers(scores)] if scores.classifiers else []
    made += _stated(scores)
    if scores.tests is not None:
        tests = [test for test in scores.tests.comparisons if test.metric.startswith("compliancy,")]
        made.append(_tests("Compliancy, paired tests", tests))
    made += [_patterns(scores.failures), _deciding(scores.failures)] if scores.failures else []
    made += [_asymmetry(scores)] if scores.asymmetries else []
    made += [_correlations(scores)] if scores.correlations else []
    return [*made, *_framing(scores)]


def notes(scores: StyleScores) -> list[str]:
    """What a reader must know beside the tables."""
    found = [SUCCESS[scores.success]] if scores.success else []
    if scores.misjudged:
        turned = "reversal of such a decision is no move to the target." if scores.success == "reversed" else ""
        found.append(
            f"The main classifier takes {scores.misjudged:,} of {scores.originals:,} original headlines for another "
            f"source than theirs; {turned}"
        )
    for system, count in (scores.empty or {}).items():
        if count:
            found.append(f"{system}: {counted(count, 'empty output')}, scored 0 by all classifiers.")
    for (system, direction), count in (scores.lacking or {}).items():
        found.append(
            f"{system}: {counted(count, 'article')} of {direction} without an output that other systems have; tests "
            "are on what all have."
        )
    return [*found, *statements(scores), *scores.notes]


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
    cells = []
    for row in scores.classifiers:
        told = [row[name] for name in ("precision", "recall", "f")]
        shares = ["" if not share or share["value"] is None else rounded(share["value"], 2) for share in told]
        cells.append([CALLED[row["classifier"]], row["label"], row["data"], f"{row['n']:,}", *shares])
    headers = ["classifier", "class", "data", "n", "precision", "recall", "F-score"]
    return "Classifiers, by class", headers, cells, [3, 4, 5, 6]


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
        ranking, places = rankings.get(f"{measure}, {AVERAGE}"), table.places.get(measure, PLACES)
        values = {system: rounded(table.value(system, AVERAGE, measure), places) for system in order}
        if ranking is not None:
            told = " > ".join(", ".join(f"{name} {values[name]}" for name in group) for group in ranking.clusters)
        else:  # what is printed as equal is not said to be in order
            told = f"{order[0]} {values[order[0]]}" if order else ""
            for before, system in pairwise(order):
                told += f"{' = ' if values[system] == values[before] else ' > '}{system} {values[system]}"
        cells.append([called(measure), told])
    heading = "Systems by their average, best first"
    if rankings:
        heading += "; before a > all are significantly better than all after it"
    return heading, ["by", "order"], cells, []


def _tests(heading: str, tests: Sequence[Comparison]) -> Part:
    cells = []
    for test in tests:
        name = test.metric.partition(", ")[2] if heading.startswith("Compl") else test.metric
        p = exact_p(test.p_adjusted) + ("*" if significant(test) else "")
        difference = limits(test.delta, test.low, test.high)
        cells.append([name, f"{test.system} − {test.baseline}", difference, exact_p(test.p), p])
    return heading, ["score", "systems", "difference", "p", "p (Holm)"], cells, [2, 3, 4]


def _patterns(failures: Sequence[Failures]) -> Part:
    headers = ["system", "direction", "outputs", *(pattern_name(pattern) for pattern in PATTERNS)]
    cells = []
    for failure in failures:
        shares = [_share(failure.counts[pattern], failure.n) for pattern in PATTERNS]
        cells.append([failure.system, failure.direction, f"{failure.n:,}", *shares])
    return "What fails, of all outputs", headers, cells, list(range(2, len(headers)))


def pattern_name(pattern: Sequence[str]) -> str:
    """Which classifiers fail an output."""
    if not pattern:
        return "nothing"
    names = " + ".join(FAILS[name] for name in pattern)
    return f"{names} only" if len(pattern) == 1 else names if len(pattern) < len(FAILS) else "all"


def _deciding(failures: Sequence[Failures]) -> Part:
    headers = ["system", "direction", "failures", *(f"{FAILS[name]} alone" for name in ORDER), "several", "compliancy"]
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
    for row in scores.asymmetries:
        shares = [f"{part:,}/{whole:,}" for part, whole in zip(row.complied, row.of, strict=True)]
        p = "" if math.isnan(row.p_adjusted) else exact_p(row.p_adjusted) + ("*" if row.p_adjusted <= 0.05 else "")
        difference = limits(row.difference, row.low, row.high)
        cells.append([row.system, " − ".join(row.directions), *shares, difference, exact_p(row.p), p])
    headers = ["system", "directions", "first", "second", "difference", "p (Fisher)", "p (Holm)"]
    return "Directions: compliancy of the first less the second", headers, cells, [2, 3, 4, 5, 6]


def _correlations(scores: StyleScores) -> Part:
    cells = []
    for pair in scores.correlations:
        pearson, spearman = (limits(r.estimate, r.low, r.high) for r in (pair.pearson, pair.spearman))
        pearson += " (φ)" if pair.binary and math.isfinite(pair.pearson.estimate) else ""
        cells.append([f"{called(pair.first)}, {called(pair.second)}", f"{pair.pearson.n:,}", pearson, spearman])
    what = "single outputs of all systems" if scores.settings else "rows of systems and directions"
    heads = ["measures", "n", "Pearson's r", "Spearman's ρ"]
    return f"How measures go together, over {what}", heads, cells, [1, 2, 3]


def _framing(scores: StyleScores) -> list[Part]:
    found, table = scores.framing, scores.table
    if found is None:
        return []
    cells = []
    for key, means in found.means.items():
        values = [rounded(means[name], table.places.get(name, PLACES)) for name in table.measures]
        cells.append([*key, ", ".join(found.systems[key]), *values])
    headers = ["family", "training data", "systems", *(called(name) for name in table.measures)]
    heading = "Framing: averages over directions and systems"
    made: list[Part] = [(heading, headers, cells, list(range(3, len(headers))))]
    return [*made, _tests("Framing, paired tests of averages", found.tests)] if found.tests else made


def _stated(scores: StyleScores) -> list[Part]:
    typed, places = scores.typed, scores.table.places
    if typed is None:
        return []
    wrong, claims = [], []
    for average in typed.averages:
        if not average.follows:
            both = (rounded(float(x), places.get(average.measure, PLACES)) for x in (average.stated, average.mean))
            wrong.append([average.system, called(average.measure), *both])
    for claim in typed.harder:
        less = f"{claim.lower} of {claim.systems}" + (f", {claim.equal} equal" if claim.equal else "")
        gold = "" if claim.gold is None else f"{claim.gold:+.{places.get(claim.measure, PLACES)}f}"
        stated = f"{claim.direction} harder than {claim.other}"
        claims.append([stated, called(claim.measure), less, gold, "follows" if claim.follows else "does not follow"])
    made: list[Part] = []
    if wrong:
        headers = ["system", "score", "stated average", "mean of its rows"]
        made.append(("Stated averages that do not follow from their rows", headers, wrong, [2, 3]))
    if claims:
        headers = ["stated", "score", "systems that have less", f"{GOLD}, difference", "so it"]
        made.append(("Stated of directions", headers, claims, [2, 3]))
    return made
