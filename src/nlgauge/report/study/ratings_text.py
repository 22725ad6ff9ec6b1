"""The analysis of a rating study on the terminal, and its tables for papers (LaTeX, Markdown)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from nlgauge.report.study import own, words
from nlgauge.report.study.ratings_words import number
from nlgauge.report.study.triangle_text import Part, p_cell
from nlgauge.report.study.wordings import wording_parts
from nlgauge.report.text import print_lines, print_table
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion, OutputResult
from nlgauge.study.protocols.outputs.analysis.variants import Asked, Beside, Mean
from nlgauge.study.protocols.ratings.analysis.judges import JudgeRow, Judging
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean
from nlgauge.study.protocols.ratings.analysis.recheck import Rechecked
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rounds import Discussed
from nlgauge.study.protocols.ratings.analysis.rows import Criterion
from nlgauge.study.protocols.ratings.analysis.singles import Single
from nlgauge.study.protocols.ratings.analysis.spread import Distribution
from nlgauge.wording.numbers import signs
from nlgauge.wording.paper import Cell, tables_for, tex

FORMATS = ("text", "markdown", "latex")


def print_found(result: OutputResult, parts: Sequence[Part], first: tuple[list[Part], set[Cell]], form: str) -> None:
    """Tables, sentences and notes on standard output: as text, or in Markdown or LaTeX for a paper.

    For a paper a table of all criteria comes `first`, with the cells to be set in bold.
    """
    if form != "text":
        _print_for_paper(result, parts, form, first)
        return
    for heading, headers, rows, right in map(signed, parts):
        print(f"{heading}\n")
        print_table(headers, rows, right=right)
        print()
    said = [text for _, text in words.sentences(result)]
    said += [f"diagnosis: {diagnosis}" for diagnosis in words.diagnoses(result)]
    said += [f"note: {note}" for note in words.warnings(result)]
    print_lines([*map(signs, said)])


def signed(part: Part) -> Part:
    """One kind of minus sign in a table."""
    heading, headers, rows, right = part
    cells = [[signs(cell) if place in right else cell for place, cell in enumerate(row)] for row in rows]
    return heading, headers, cells, right


def _print_for_paper(
    result: OutputResult, parts: Sequence[Part], form: str, first: tuple[list[Part], set[Cell]]
) -> None:
    shown, bold = first
    whole = [*shown, *parts]
    print("\n".join(tables_for(form, [signed(part) for part in whole], bold)))
    told = [text for _, text in words.sentences(result)]
    told += [f"Note: {note}." for note in words.warnings(result)]
    said = [*map(signs, told)]
    print("\n\n".join(said if form == "markdown" else map(tex, said)))


def overview(result: RatingResult) -> tuple[list[Part], set[Cell]]:
    """Systems by criteria, where there are several."""
    columns = {}
    for rating in result.ratings:
        clusters = _clusters(rating.models)
        columns[result.where(rating)] = [
            (mean.system, *_told(mean, rating), clusters.get(mean.system, 0)) for mean in rating.models.means
        ]
    return by_criteria("Accuracy" if own.conclusions(result) else "Means", columns)


def _clusters(models: Models) -> dict[str, int]:
    return {} if models.clusters is None else {row.system: row.cluster for row in models.clusters.systems}


def _told(mean: SystemMean, one: Rating) -> tuple[str, str, str]:
    """A mean and its limits; of yes-or-no answers the share and its exact ones."""
    if one.criterion.points == 2 and mean.exact is not None:
        low, high = mean.exact
        return number(mean.raw, one), number(low, one), number(high, one)
    return number(mean.mean, one), number(mean.low, one), number(mean.high, one)


def by_criteria(
    what: str, columns: Mapping[str, Sequence[tuple[str, str, str, str, int]]]
) -> tuple[list[Part], set[Cell]]:
    """One table of several: for each criterion its systems with estimate, limits and cluster (0: none).

    Beside it the cells to be set in bold: the first of several clusters.
    """
    if len(columns) < 2:
        return [], set()
    systems = list(dict.fromkeys(system for column in columns.values() for system, *_ in column))
    rows = {system: [system, *["-"] * len(columns)] for system in systems}
    bold = set()
    for place, column in enumerate(columns.values(), start=1):
        last = max((cluster for *_, cluster in column), default=0)
        for system, value, low, high, cluster in column:
            limits = "" if "n/a" in (low, high) else f" [{low}, {high}]"
            rows[system][place] = f"{value}{limits}{f' ({cluster})' if cluster else ''}"
            if cluster == 1 < last:
                bold.add((systems.index(system), place))
    heading = f"{what} of all criteria; in brackets 95 % limits, in parentheses clusters" + (
        ", the first cluster in bold" if bold else ""
    )
    heads = ["system", *columns]
    return [(heading, heads, list(rows.values()), list(range(1, len(heads))))], bold


def rating_parts(result: RatingResult) -> list[Part]:
    """The tables: means, pairs, agreement, panels, criteria, judges."""
    found: list[Part] = own.tables(result, first=True)
    for rating in result.ratings:
        found.append(means_part(rating, result.where(rating)))
        if rating.models.pairs:
            found.append(pairs_part(rating, result.where(rating)))
        if rating.agreeing.agreement is not None:
            found.append(agreement_part(rating, result.where(rating)))
        if rating.distribution is not None and rating.criterion.points != 2:
            found.append(spread_part(rating, rating.distribution, result.where(rating)))
    if result.panels or result.rechecked:
        compared = [*result.panels, *(rechecked.pair for rechecked in result.rechecked)]
        found.append(related_part("Panels", compared))
    if result.singles:
        found.append(singles_part(result.singles))
    if result.criteria:
        found.append(related_part("Criteria", result.criteria))
    if result.machines:
        found.append(machines_part(result.machines))
    if result.rechecked:
        found.append(recheck_part(result.rechecked))
    found += own.tables(result, first=False)
    found += further_parts(result)
    ratios = any(rating.criterion.ratios for rating in result.ratings)
    found += [judges_part(group, ratios=ratios) for group in result.judging if group.named and group.judges]
    found += [care_part(group) for group in result.judging if any(map(has_checks, group.judges))]
    found += [beside_part(beside, result) for beside in result.beside if len(beside.variants) > 1]
    if result.discussed:
        found.append(discussed_part(result.discussed))
    return found + wording_parts(result)


def further_parts(result: OutputResult) -> list[Part]:
    """What judges could not judge, and answers by the place of their question."""
    unjudged = [
        [
            result.where(declined),
            system,
            f"{asked:,}",
            f"{cannot:,}",
            f"{declined.share(system):.0%}",
            p_cell(declined.p),
        ]
        for declined in result.declined
        for system, (cannot, asked) in declined.systems.items()
    ]
    placed = [
        [
            result.where(position),
            str(position.place),
            f"{position.n:,}",
            f"{position.criterion.told(position.mean):.2f}",
        ]
        for position in result.positions
    ]
    heads = ["criterion", "system", "asked", "cannot judge", "share", "p"]
    found: list[Part] = [("Cannot judge", heads, unjudged, [2, 3, 4, 5])] if unjudged else []
    if placed:
        found.append(
            ("By position of the question", ["criterion", "position", "answers", "plain mean"], placed, [1, 2, 3])
        )
    return found


def machines_part(machines: Sequence[MachineBeside]) -> Part:
    """Machines beside people: correlations, alpha without and with the machine, the ceiling, the winning rate."""

    def shown(value: float | None) -> str:
        return "-" if value is None or math.isnan(value) else f"{value:.2f}"

    rows = [
        [
            beside.machine,
            beside.people,
            beside.criterion,
            shown(beside.outputs.pearson.estimate),
            shown(beside.outputs.spearman.estimate),
            shown(beside.systems.pearson.estimate),
            shown(beside.alpha_people),
            shown(beside.alpha_both),
            shown(None if beside.ceiling is None else beside.ceiling.people),
            shown(None if beside.ceiling is None else beside.ceiling.machine),
            shown(None if beside.alternative is None else beside.alternative.winning_rate),
        ]
        for beside in machines
    ]
    heads = ["machine", "people", "criterion", "r outputs", "rho outputs", "r systems", "alpha", "with machine"]
    heads += ["ceiling", "machine's", "winning rate"]
    return "Machines beside people", heads, rows, list(range(3, 11))


def means_part(one: Rating, where: str) -> Part:
    """Systems from best to worst."""
    ranked = {} if one.models.clusters is None else {row.system: row for row in one.models.clusters.systems}
    binary = one.criterion.points == 2
    rows = []
    for mean in one.models.means:
        rank = ranked.get(mean.system)
        low, high = mean.exact if binary and mean.exact is not None else (mean.low, mean.high)
        rows.append(
            [
                mean.system,
                number(mean.raw if binary else mean.mean, one),
                number(low, one),
                number(high, one),
                number(mean.raw, one),
                f"{mean.standardised:+.2f}",
                f"{mean.n:,}",
                "-" if rank is None else str(rank.cluster),
                "-" if rank is None else f"{rank.rank_low}-{rank.rank_high}",
            ]
        )
    heads = ["system", "share" if binary else "mean", "low", "high", "plain mean", "z", "ratings", "cluster", "ranks"]
    if one.criterion.ratios:
        heads[1], heads[4] = ("ratio" if one.criterion.by_judge else "geometric mean"), "plain"
    limits = "Clopper and Pearson" if binary else "the mixed model"
    by = f"; 95 % limits by {limits}" if one.models.linear is not None else ""
    return f"Means: {where}{by}", heads, rows, list(range(1, 9))


def spread_part(one: Rating, found: Distribution, where: str) -> Part:
    """Ratings on each point of a scale; of other scales the quartiles."""
    if found.points:
        heads = ["system", "ratings", *(f"{point:g}" for point in found.points)]
        rows = [[own.system, f"{own.n:,}", *(f"{count:,}" for count in own.counts)] for own in found.systems]
    else:
        heads = ["system", "ratings", "lowest", "first quartile", "median", "third quartile", "highest"]
        rows = [[own.system, f"{own.n:,}", *(number(value, one) for value in own.summary)] for own in found.systems]
    return f"Distribution: {where}", heads, rows, list(range(1, len(heads)))


def pairs_part(one: Rating, where: str) -> Part:
    """Differences of all pairs by the linear model; the corrected p-values of the ordinal model or that of square
    roots, of the test by ranks and of the permutation within items beside it."""
    models = one.models
    beside = models.roots or models.ordinal
    other = {} if beside is None else {row.name: row for row in beside.pairs()}
    ranks, items = models.ranked_p, {} if models.by_items is None else models.by_items.p
    names = [mean.system for mean in models.means]
    pairs = {f"{a} - {b}": frozenset((a, b)) for a in names for b in names}
    rows = [
        [
            row.name,
            number(row.estimate, one),
            number(row.low, one),
            number(row.high, one),
            p_cell(row.p),
            p_cell(row.p_adjusted),
            p_cell(other[row.name].p_adjusted) if row.name in other else "-",
            p_cell(ranks.get(pairs[row.name])),
            p_cell(items.get(pairs[row.name])),
        ]
        for row in models.pairs
    ]
    kind = "logistic" if one.criterion.points == 2 else "ordinal" if models.roots is None else "square roots"
    name = f"{kind} p (Holm)"
    heads = ["pair", "ratio" if one.criterion.ratios else "difference", "low", "high", "p", "p (Holm)", name]
    heads += ["Wilcoxon p (Holm)", "permutation p (Holm)"]
    return filled((f"Differences: {where}", heads, rows, list(range(1, 9))))


def filled(part: Part) -> Part:
    """A table without the columns that hold nothing but dashes."""
    heading, heads, rows, right = part
    kept = [place for place in range(len(heads)) if not rows or any(row[place] != "-" for row in rows)]
    return (
        heading,
        [heads[place] for place in kept],
        [[row[place] for place in kept] for row in rows],
        [new for new, place in enumerate(kept) if place in right],
    )


def agreement_part(one: OfCriterion, where: str) -> Part:
    """Every coefficient."""
    assert one.agreeing.agreement is not None
    rows = []
    for row in one.agreeing.agreement.rows:
        found = row.coefficient
        cells = ["n/a"] * 3 if found is None else [three(v) for v in (found.estimate, found.low, found.high)]
        rows.append([row.name, *cells])
    return f"Agreement: {where}", ["coefficient", "value", "low", "high"], rows, [1, 2, 3]


def related_part(what: str, pairs: Sequence[Pair]) -> Part:
    """Correlations of panels or criteria."""
    rows = []
    for pair in pairs:
        s, o = pair.systems, pair.outputs
        rows.append(
            [
                f"{pair.first} / {pair.second}",
                pair.where,
                three(s.pearson.estimate),
                three(s.spearman.estimate),
                p_cell(None if math.isnan(s.p) else s.p),
                f"{s.n}",
                three(o.pearson.estimate),
                three(o.spearman.estimate),
                f"{o.n:,}",
            ]
        )
    where = "criterion" if what == "Panels" else "panel"
    heads = ["pair", where, "r systems", "ρ systems", "p", "systems", "r outputs", "ρ outputs", "outputs"]
    return f"{what} compared", heads, rows, list(range(2, 9))


def singles_part(singles: Sequence[Single]) -> Part:
    """Single judges against panels' means: the correlation of the means, and in brackets that of single judges."""
    rows = [
        [
            row.panel,
            row.group,
            row.criterion,
            f"{three(row.found.of_means)} ({three(row.found.estimate)})",
            three(row.left_out),
            f"{row.found.judges:,}",
        ]
        for row in singles
    ]
    heads = ["single judges of", "mean of", "criterion", "r of means (of single judges)", "left out", "judges"]
    return "Single judges compared", heads, rows, [3, 4, 5]


def judges_part(group: Judging, *, ratios: bool = False) -> Part:
    """One row a judge."""
    rows = [
        [
            judge_row.judge,
            f"{judge_row.answers:,}",
            _whole(judge_row.median_seconds),
            three(judge_row.mean),
            three(judge_row.deviation),
            three(judge_row.weight),
            ", ".join(judge_row.failed) or "-",
        ]
        for judge_row in group.judges
    ]
    heads = [
        "judge",
        "answers",
        "median s",
        "mean (log)" if ratios else "mean (0-1)",
        "deviation",
        "weight",
        "failed checks",
    ]
    return f"Judges: {group.panel}", heads, rows, [1, 2, 3, 4, 5]


def has_checks(row: JudgeRow) -> bool:
    """Whether a judge had screens that test, or failed any check."""
    return bool(row.failed) or row.missed is not None or row.copies is not None or row.again is not None


def care_part(group: Judging) -> Part:
    """What the checks found, one row a judge."""
    rows = []
    for judge_row in group.judges:
        missed = "-" if judge_row.missed is None else f"{judge_row.missed[0]}/{judge_row.missed[1]}"
        copies, again = judge_row.copies, judge_row.again
        rows.append(
            [
                judge_row.judge,
                missed,
                "-" if copies is None else f"{copies.estimate:+.3f}",
                "-" if copies is None else p_cell(copies.p),
                "-" if again is None else f"{again.difference:.3f}",
                "-" if again is None else three(again.kappa),
                "-" if again is None else three(again.icc),
                "-" if judge_row.longest_run is None else str(judge_row.longest_run),
                three(judge_row.entropy),
                ", ".join(judge_row.failed) or "-",
                judge_row.excluded or "-",
            ]
        )
    heads = [
        "judge",
        "checks missed",
        "original - copy",
        "p one-sided",
        "repeats differ by",
        "own kappa",
        "own ICC",
        "longest run",
        "entropy",
        "failed checks",
        "left out",
    ]
    return filled((f"Checks of care: {group.panel}", heads, rows, list(range(1, 9))))


def beside_part(one: Beside[Criterion], result: RatingResult) -> Part:
    """The means of all variants side by side."""
    rating = result.rating(one.criterion.id, one.panel)
    return variants_part(one, result.where(rating), lambda value: number(value, rating))


def variants_part(one: Beside[Asked], where: str, told: Callable[[float], str]) -> Part:
    """The same of any protocol; `told` writes a figure."""

    def cell(found: Mean | None) -> str:
        if found is None:
            return "n/a"
        limits = "" if math.isnan(found.low) else f" ({told(found.low)} to {told(found.high)})"
        return f"{told(found.mean)}{limits}"

    systems = dict.fromkeys(system for variant in one.variants for system in variant.means)
    rows = [[system, *(cell(variant.means.get(system)) for variant in one.variants)] for system in systems]
    rows.append(["judges", *(str(variant.judges) for variant in one.variants)])
    rows.append(["alpha", *("-" if math.isnan(v.alpha) else three(v.alpha) for v in one.variants)])
    heads = ["system", *(variant.name for variant in one.variants)]
    return f"With and without: {where}", heads, rows, list(range(1, len(heads)))


def discussed_part(talks: Sequence[Discussed]) -> Part:
    """Agreement before and after a discussion."""
    rows = [
        [
            discussed.criterion.label,
            discussed.panel,
            f"{discussed.outputs:,}",
            f"{discussed.rerated:,}",
            f"{discussed.changed:,}",
            three(discussed.before),
            three(discussed.after),
            three(discussed.discussed_before),
            three(discussed.discussed_after),
        ]
        for discussed in talks
    ]
    heads = [
        "criterion",
        "panel",
        "outputs discussed",
        "answered again",
        "changed",
        "alpha before",
        "alpha after",
        "discussed before",
        "discussed after",
    ]
    return "Before and after the discussion", heads, rows, list(range(2, 9))


def recheck_part(found: Sequence[Rechecked]) -> Part:
    """Each judge against the experts."""
    rows = [
        [row.pair.where, judge.judge, f"{judge.n:,}", f"{judge.difference:+.3f}", f"{judge.apart:.3f}", three(judge.r)]
        for row in found
        for judge in row.judges
    ]
    heads = ["criterion", "judge", "outputs", "less experts", "distance", "r"]
    return "Judges against the recheck", heads, rows, [2, 3, 4, 5]


def _whole(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.0f}"


def three(value: float) -> str:
    """Three decimals."""
    return "n/a" if math.isnan(value) else f"{value:.3f}"
