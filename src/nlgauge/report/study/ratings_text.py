"""The analysis of a rating study on the terminal, and its tables for papers (LaTeX, Markdown)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from nlgauge.report.study import own, words
from nlgauge.report.study.ratings_words import number
from nlgauge.report.study.triangle_text import Part, p_cell
from nlgauge.report.study.wordings import wording_parts
from nlgauge.report.text import print_lines, print_parts
from nlgauge.stats.ranking import Clusters, RankedSystem
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion, OutputResult
from nlgauge.study.protocols.outputs.analysis.rows import Worded
from nlgauge.study.protocols.outputs.analysis.variants import Beside, Mean
from nlgauge.study.protocols.ratings.analysis.judges import JudgeRow, Judging
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.models import SystemMean
from nlgauge.study.protocols.ratings.analysis.recheck import Rechecked
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rounds import Discussed
from nlgauge.study.protocols.ratings.analysis.rows import Criterion
from nlgauge.study.protocols.ratings.analysis.singles import Single
from nlgauge.study.protocols.ratings.analysis.spread import Distribution
from nlgauge.wording.numbers import counts, figure, figures, signs
from nlgauge.wording.paper import Cell, tables_for, tex

FORMATS = ("text", "markdown", "latex")


def print_found(result: OutputResult, parts: Sequence[Part], first: tuple[list[Part], set[Cell]], form: str) -> None:
    """Tables, sentences and notes on standard output: as text, or in Markdown or LaTeX for a paper.

    For a paper a table of all criteria comes `first`, with the cells to be set in bold.
    """
    if form != "text":
        _print_for_paper(result, parts, form, first)
        return
    print_parts(map(signed, parts))
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
        cells = {mean.system: [number(end, rating) for end in shown(mean, rating)] for mean in rating.models.means}
        columns[result.where(rating)] = (cells, by_system(rating.models.clusters))
    return by_criteria("Accuracy" if own.conclusions(result) else "Means", columns)


def by_system(found: Clusters | None) -> dict[str, RankedSystem]:
    """Cluster and ranks of each system; nothing where none are told apart."""
    return {} if found is None else {row.system: row for row in found.systems}


def ranks(found: RankedSystem | None) -> list[str]:
    """The cells of a system's cluster and ranks."""
    return ["-", "-"] if found is None else [str(found.cluster), f"{found.rank_low}-{found.rank_high}"]


def shown(mean: SystemMean, rating: Rating) -> tuple[float, float, float]:
    """A mean and its limits; of yes-or-no answers the share and its exact ones."""
    if rating.criterion.points == 2 and mean.exact is not None:
        return mean.raw, *mean.exact
    return mean.mean, mean.low, mean.high


def by_criteria(
    what: str, columns: Mapping[str, tuple[Mapping[str, Sequence[str]], Mapping[str, RankedSystem]]]
) -> tuple[list[Part], set[Cell]]:
    """One table of several: for each criterion its systems with estimate and limits, and their clusters.

    Beside it the cells to be set in bold: the first of several clusters.
    """
    if len(columns) < 2:
        return [], set()
    systems = list(dict.fromkeys(system for cells, _ in columns.values() for system in cells))
    rows = {system: [system, *["-"] * len(columns)] for system in systems}
    bold = set()
    for place, (cells, ranked) in enumerate(columns.values(), start=1):
        last = max((row.cluster for row in ranked.values()), default=0)
        for system, (value, low, high) in cells.items():
            limits = "" if "n/a" in (low, high) else f" [{low}, {high}]"
            rows[system][place] = f"{value}{limits}"
            if system in ranked:
                rows[system][place] += f" ({ranked[system].cluster})"
                bold |= {(systems.index(system), place)} if ranked[system].cluster == 1 < last else set()
    heading = f"{what} of all criteria; in brackets 95 % limits, in parentheses clusters"
    heading += ", the first cluster in bold" if bold else ""
    heads = ["system", *columns]
    return [(heading, heads, list(rows.values()), list(range(1, len(heads))))], bold


def rating_parts(result: RatingResult) -> list[Part]:
    """The tables: means, pairs, agreement, panels, criteria, judges."""
    found: list[Part] = own.tables(result, first=True)
    for rating in result.ratings:
        where = result.where(rating)
        found.append(means_part(rating, where))
        found += [pairs_part(rating, where)] if rating.models.pairs else []
        found += agreement_parts(rating, where)
        if rating.distribution is not None and rating.criterion.points != 2:
            found.append(spread_part(rating, rating.distribution, where))
    found += related_parts("Panels", [*result.panels, *(rechecked.pair for rechecked in result.rechecked)])
    found += [singles_part(result.singles)] if result.singles else []
    found += related_parts("Criteria", result.criteria)
    found += [machines_part(result.machines)] if result.machines else []
    found += [recheck_part(result.rechecked)] if result.rechecked else []
    found += own.tables(result, first=False)
    found += further_parts(result)
    ratios = any(rating.criterion.ratios for rating in result.ratings)
    found += [judges_part(group, ratios=ratios) for group in result.judging if group.named and group.judges]
    found += [care_part(group) for group in result.judging if any(map(has_checks, group.judges))]
    found += [beside_part(beside, result) for beside in result.beside if len(beside.variants) > 1]
    found += [discussed_part(result.discussed)] if result.discussed else []
    return found + wording_parts(result)


def further_parts(result: OutputResult) -> list[Part]:
    """What judges could not judge, and answers by the place of their question."""
    unjudged = [
        [result.where(row), system, *counts(asked, cannot), f"{row.share(system):.0%}", p_cell(row.p)]
        for row in result.declined
        for system, (cannot, asked) in row.systems.items()
    ]
    placed = [
        [result.where(row), *counts(row.place, row.n), f"{row.criterion.told(row.mean):.2f}"]
        for row in result.positions
    ]
    heads = ["criterion", "system", "asked", "cannot judge", "share", "p"]
    found: list[Part] = [("Cannot judge", heads, unjudged, [2, 3, 4, 5])] if unjudged else []
    heads = ["criterion", "position", "answers", "plain mean"]
    return [*found, ("By position of the question", heads, placed, [1, 2, 3])] if placed else found


def machines_part(machines: Sequence[MachineBeside]) -> Part:
    """Machines beside people: correlations, alpha without and with the machine, the ceiling, the winning rate."""
    rows = []
    for beside in machines:
        outputs, systems, ceiling, other = beside.outputs, beside.systems, beside.ceiling, beside.alternative
        values = [outputs.pearson.estimate, outputs.spearman.estimate, systems.pearson.estimate]
        values += [beside.alpha_people, beside.alpha_both]
        values += [math.nan, math.nan] if ceiling is None else [ceiling.people, ceiling.machine]
        values.append(math.nan if other is None else other.winning_rate)
        cells = ["-" if math.isnan(value) else f"{value:.2f}" for value in values]
        rows.append([beside.machine, beside.people, beside.criterion, *cells])
    heads = ["machine", "people", "criterion", "r outputs", "rho outputs", "r systems", "alpha", "with machine"]
    heads += ["ceiling", "machine's", "winning rate"]
    return "Machines beside people", heads, rows, list(range(3, 11))


def means_part(one: Rating, where: str) -> Part:
    """Systems from best to worst."""
    ranked, binary = by_system(one.models.clusters), one.criterion.points == 2
    rows = []
    for mean in one.models.means:
        value, low, high = shown(mean, one)
        cells = [number(end, one) for end in (mean.raw if binary else value, low, high, mean.raw)]
        place = ranks(ranked.get(mean.system))
        rows.append([mean.system, *cells, f"{mean.standardised:+.2f}", f"{mean.n:,}", *place])
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
    other = {} if beside is None else {row.name: row.p_adjusted for row in beside.pairs()}
    by_ranks, by_items = models.ranked_p, {} if models.by_items is None else models.by_items.p
    names = [mean.system for mean in models.means]
    pairs = {f"{a} - {b}": frozenset((a, b)) for a in names for b in names}
    rows = []
    for row in models.pairs:
        cells = [number(end, one) for end in (row.estimate, row.low, row.high)]
        pair = pairs[row.name]
        tests = (row.p, row.p_adjusted, other.get(row.name), by_ranks.get(pair), by_items.get(pair))
        rows.append([row.name, *cells, *map(p_cell, tests)])
    kind = "logistic" if one.criterion.points == 2 else "ordinal" if models.roots is None else "square roots"
    heads = ["pair", "ratio" if one.criterion.ratios else "difference", "low", "high", "p", "p (Holm)"]
    heads += [f"{kind} p (Holm)", "Wilcoxon p (Holm)", "permutation p (Holm)"]
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


def singles_part(singles: Sequence[Single]) -> Part:
    """Single judges against panels' means: the correlation of the means, and in brackets that of single judges."""
    rows = []
    for row in singles:
        both = f"{figure(row.found.of_means)} ({figure(row.found.estimate)})"
        rows.append([row.panel, row.group, row.criterion, both, figure(row.left_out), f"{row.found.judges:,}"])
    heads = ["single judges of", "mean of", "criterion", "r of means (of single judges)", "left out", "judges"]
    return "Single judges compared", heads, rows, [3, 4, 5]


def judges_part(group: Judging, *, ratios: bool = False) -> Part:
    """One row a judge."""
    rows = []
    for row in group.judges:
        seconds = "-" if math.isnan(row.median_seconds) else f"{row.median_seconds:.0f}"
        shares = figures(row.mean, row.deviation, row.weight)
        rows.append([row.judge, f"{row.answers:,}", seconds, *shares, ", ".join(row.failed) or "-"])
    heads = ["judge", "answers", "median s", "mean (log)" if ratios else "mean (0-1)", "deviation", "weight"]
    return f"Judges: {group.panel}", [*heads, "failed checks"], rows, [1, 2, 3, 4, 5]


def has_checks(row: JudgeRow) -> bool:
    """Whether a judge had screens that test, or failed any check."""
    return bool(row.failed) or row.missed is not None or row.copies is not None or row.again is not None


def care_part(group: Judging) -> Part:
    """What the checks found, one row a judge."""
    rows = []
    for row in group.judges:
        copies, again = row.copies, row.again
        cells = ["-" if row.missed is None else f"{row.missed[0]}/{row.missed[1]}"]
        cells += ["-", "-"] if copies is None else [f"{copies.estimate:+.3f}", p_cell(copies.p)]
        cells += ["-"] * 3 if again is None else [f"{again.difference:.3f}", *figures(again.kappa, again.icc)]
        cells += ["-" if row.longest_run is None else str(row.longest_run), figure(row.entropy)]
        rows.append([row.judge, *cells, ", ".join(row.failed) or "-", row.excluded or "-"])
    heads = ["judge", "checks missed", "original - copy", "p one-sided", "repeats differ by", "own kappa", "own ICC"]
    heads += ["longest run", "entropy", "failed checks", "left out"]
    return filled((f"Checks of care: {group.panel}", heads, rows, list(range(1, 9))))


def beside_part(one: Beside[Criterion], result: RatingResult) -> Part:
    """The means of all variants side by side."""
    rating = result.rating(one.criterion.id, one.panel)
    return variants_part(one, result.where(rating), lambda value: number(value, rating))


def variants_part(one: Beside[Worded], where: str, told: Callable[[float], str]) -> Part:
    """The same of any protocol; `told` writes a figure."""

    def cell(found: Mean | None) -> str:
        if found is None:
            return "n/a"
        limits = "" if math.isnan(found.low) else f" ({told(found.low)} to {told(found.high)})"
        return f"{told(found.mean)}{limits}"

    systems = dict.fromkeys(system for variant in one.variants for system in variant.means)
    rows = [[system, *(cell(variant.means.get(system)) for variant in one.variants)] for system in systems]
    rows.append(["judges", *(str(variant.judges) for variant in one.variants)])
    rows.append(["alpha", *("-" if math.isnan(v.alpha) else figure(v.alpha) for v in one.variants)])
    heads = ["system", *(variant.name for variant in one.variants)]
    return f"With and without: {where}", heads, rows, list(range(1, len(heads)))


def discussed_part(talks: Sequence[Discussed]) -> Part:
    """Agreement before and after a discussion."""
    rows = [
        [
            *(talk.criterion.label, talk.panel, *counts(talk.outputs, talk.rerated, talk.changed)),
            *figures(talk.before, talk.after, talk.discussed_before, talk.discussed_after),
        ]
        for talk in talks
    ]
    heads = ["criterion", "panel", "outputs discussed", "answered again", "changed", "alpha before", "alpha after"]
    heads += ["discussed before", "discussed after"]
    return "Before and after the discussion", heads, rows, list(range(2, 9))


def recheck_part(found: Sequence[Rechecked]) -> Part:
    """Each judge against the experts."""
    rows = [
        [row.pair.where, judge.judge, f"{judge.n:,}", f"{judge.difference:+.3f}", f"{judge.apart:.3f}", figure(judge.r)]
        for row in found
        for judge in row.judges
    ]
    heads = ["criterion", "judge", "outputs", "less experts", "distance", "r"]
    return "Judges against the recheck", heads, rows, [2, 3, 4, 5]


def agreement_parts(one: OfCriterion, where: str) -> list[Part]:
    """Every coefficient, where there are any."""
    if one.agreeing.agreement is None:
        return []
    rows = []
    for row in one.agreeing.agreement.rows:
        found = row.coefficient
        cells = ["n/a"] * 3 if found is None else figures(found.estimate, found.low, found.high)
        rows.append([row.name, *cells])
    return [(f"Agreement: {where}", ["coefficient", "value", "low", "high"], rows, [1, 2, 3])]


def related_parts(what: str, pairs: Sequence[Pair]) -> list[Part]:
    """Correlations of panels or criteria, where there are any."""
    rows = []
    for pair in pairs:
        s, o = pair.systems, pair.outputs
        systems = [*figures(s.pearson.estimate, s.spearman.estimate), p_cell(s.p), f"{s.n}"]
        outputs = [*figures(o.pearson.estimate, o.spearman.estimate), f"{o.n:,}"]
        rows.append([f"{pair.first} / {pair.second}", pair.where, *systems, *outputs])
    where = "criterion" if what == "Panels" else "panel"
    heads = ["pair", where, "r systems", "ρ systems", "p", "systems", "r outputs", "ρ outputs", "outputs"]
    return [(f"{what} compared", heads, rows, list(range(2, 9)))] if rows else []
