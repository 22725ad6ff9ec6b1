"""A corpus profile: tables for the terminal and for papers, and the page with plots beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from nlgauge.corpus.profile import Profile
from nlgauge.corpus.profile.bands import ByFrequency
from nlgauge.corpus.profile.sides import Lexicalisations, Outputs
from nlgauge.corpus.profile.systems import Slots
from nlgauge.report.components import grid, header, section, table_sections
from nlgauge.report.figures import Figure
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_parts
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import counts, limited
from nlgauge.wording.paper import Paper, Part

T = TypeVar("T")
LABELS = 24  # predicates named in a plot, spread over all as in Figure 2 of the paper
MOST = 4  # segmentations and slots named in a cell


def print_profile(found: Profile, rows: int) -> None:
    """All tables, each under its heading."""
    print_parts(parts(found, rows))
    print_lines([f"note: {text}" for text in notes(found)])


def of_profile(found: Profile, rows: int) -> Paper:
    """The same for Markdown and LaTeX; CSV has the predicates."""
    predicates = [row.to_dict() for row in (found.outputs.single if found.outputs else ())]
    frequencies = [{"predicate": name, "frequency": count} for name, count in found.inputs.frequencies.items()]
    return Paper(parts(found, rows), [], [text.removesuffix(".") for text in notes(found)], predicates or frequencies)


def notes(found: Profile) -> list[str]:
    """What is counted how."""
    said = []
    if found.noise:
        said.append(
            f"Values missing, wrong or added are an estimate by {found.method}: a paraphrase that no rule knows counts "
            "as missing."
        )
    outputs = found.outputs
    if outputs:
        without = outputs.texts - outputs.templates
        if without:
            said.append(
                f"{without:,} texts have no annotated template; in the table of single triples those of a predicate "
                "count together as one."
            )
        if "induced" in outputs.source:
            where = "Where none are annotated, templates" if "annotated" in outputs.source else "Templates"
            said.append(f"{where} are induced: values of the input that were found in the text became slots.")
        if outputs.orders:
            said.append("Where orders are not annotated, a triple stands where its object does: an estimate.")
    if found.frequency and found.frequency[0].rows:
        row, (*_, tail, _, head) = found.frequency[0].rows[0], found.frequency[0].bands
        said.append(
            f"Head: every predicate of the input has {head.least:,} training triples or more; tail: one has "
            f"{tail.most:,} or fewer. {row.system.capitalize()}: the head's mean {row.criterion} less the tail's is "
            f"{bounded(row.difference, '.2f')}, between inputs of the same size {bounded(row.alike, '.2f')}."
        )
    return said


def parts(found: Profile, rows: int) -> list[Part]:
    """The tables; of long ones `rows` rows spread over all (0: all)."""
    made: list[Part] = [_inputs(found), _frequencies(found, rows)]
    if outputs := found.outputs:
        made.append(_texts(outputs))
        for heading, counted in (
            ("Templates of predicates, inputs of one triple", outputs.single),
            ("Templates of all texts with a predicate", outputs.overall),
        ):
            made += [_ratios(heading, counted, rows)] if counted else []
        made += [_orders(outputs)] if outputs.orders else []
    if found.overlaps:
        cells = []
        for row in found.overlaps:
            shared = share(row.shared, row.distinct)
            cells.append([row.second, row.first, row.kind, *counts(row.shared, row.distinct), shared])
        headers = ["of", "also in", "what", "shared", "distinct", "share"]
        made.append(("Overlap between splits", headers, cells, [3, 4, 5]))
    made += [_noise(found.noise)] if found.noise else []
    made += [_systems(found)] if found.systems else []
    made += [_accuracy(found)] if found.accuracy else []
    return [*made, *map(_bands, found.frequency)]


def spread(rows: Sequence[T], most: int) -> list[T]:
    """So many rows, evenly spaced from the first to the last; all for 0."""
    if not most or len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / max(1, most - 1))] for place in range(most)]


def share(part: float, whole: float) -> str:
    """Per cent."""
    return f"{part / whole:.1%}" if whole else ""


def bounded(found: Estimate, form: str) -> str:
    """An estimate with its limits; empty where it is not defined."""
    if not math.isfinite(found.estimate):
        return ""
    return limited(lambda value: format(value, form), found.estimate, found.low, found.high)


def _inputs(found: Profile) -> Part:
    inputs = found.inputs
    rows = [
        ("inputs", f"{inputs.entries:,}"),
        ("triples", f"{inputs.triples:,} ({inputs.distinct_triples:,} distinct)"),
        ("triples an input", ", ".join(f"{size}: {count:,}" for size, count in inputs.sizes.items())),
        ("predicates", f"{inputs.predicates:,}"),
        ("combinations of predicates", f"{inputs.combinations:,}"),
        ("entities", f"{inputs.entities:,}"),
        (f"predicates with fewer than {inputs.under} triples", f"{inputs.rare:,}"),
        ("triples with the most frequent tenth of predicates", f"{inputs.head_share:.1%}"),
        ("Gini of predicates", f"{inputs.gini:.3f}"),
        ("skewness of predicates", f"{inputs.skewness:.2f}"),
    ]
    return "Inputs", ["measure", "value"], [list(row) for row in rows], []


def _frequencies(found: Profile, rows: int) -> Part:
    listed = list(found.inputs.frequencies.items())
    chosen = spread(list(enumerate(listed, 1)), rows)
    cells = [[name, f"{rank:,}", f"{count:,}"] for rank, (name, count) in chosen]
    return f"Frequency of predicates{_shown(cells, listed)}", ["predicate", "rank", "triples"], cells, [1, 2]


def _shown(cells: Sequence[object], whole: Sequence[object]) -> str:
    return "" if len(cells) == len(whole) else f" ({len(cells)} of {len(whole):,})"


def _texts(outputs: Outputs) -> Part:
    referring = ", ".join(f"{kind} {count:,}" for kind, count in outputs.references.items())
    rows = [
        ("texts", f"{outputs.texts:,} ({outputs.distinct_texts:,} distinct)"),
        ("sentences a text", f"{outputs.sentences:.2f}"),
        ("words a text", f"{outputs.words:.1f} ({outputs.shortest} to {outputs.longest})"),
        ("vocabulary", f"{outputs.vocabulary:,}"),
        (f"templates ({outputs.source})", f"{outputs.templates:,} ({outputs.distinct_templates:,} distinct)"),
        ("referring expressions", referring),
    ]
    return "Texts", ["measure", "value"], [list(row) for row in rows if row[1]], []


def _ratios(heading: str, counted: Sequence[Lexicalisations], rows: int) -> Part:
    cells = [[row.predicate, f"{row.unique:,}", f"{row.total:,}", f"{row.ratio:.2f}"] for row in spread(counted, rows)]
    return heading + _shown(cells, counted), ["predicate", "unique", "total", "ratio"], cells, [1, 2, 3]


def _orders(outputs: Outputs) -> Part:
    cells = []
    for row in outputs.orders:
        named = [f"{form} {share(count, row.placed)}" for form, count in list(row.segmentations.items())[:MOST]]
        sizes = counts(row.texts, row.placed, row.orders)
        cells.append([str(row.size), *sizes, share(row.as_input, row.placed), ", ".join(named)])
    headers = ["triples", "texts", "placed", "orders", "as the input", "triples a sentence"]
    return "Orders and segmentation", headers, cells, [0, 1, 2, 3, 4]


def _noise(noise: Slots) -> Part:
    cells = [
        [kind, f"{getattr(noise, kind):.2%}", _most(noise.by_slot[kind])] for kind in ("missing", "wrong", "added")
    ]
    cells += [["all", bounded(noise.errors, ".2%"), ""], ["texts with any", bounded(noise.faulty, ".1%"), ""]]
    headers = ["values", "by those of the inputs", "most often"]
    return f"Noise of the texts, estimated ({noise.slots:,} values)", headers, cells, [1]


def _most(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in list(counts.items())[:MOST])


def _systems(found: Profile) -> Part:
    cells = []
    for row in found.systems:
        kinds = [f"{value:.2%}" for value in (row.slots.missing, row.slots.wrong, row.slots.added)]
        errors = [bounded(row.slots.errors, ".2%"), bounded(row.slots.faulty, ".0%")]
        sizes = [f"{row.words:.1f}", *counts(row.vocabulary, row.bigrams)]
        cells.append([row.system, *kinds, *errors, *sizes, share(row.distinct_templates, row.texts)])
    headers = ["system", "missing", "wrong", "added", "slot errors", "outputs with any"]
    headers += ["words", "vocabulary", "bigrams", "distinct templates"]
    return "Slot errors and diversity of systems", headers, cells, list(range(1, 10))


def _accuracy(found: Profile) -> Part:
    row = found.accuracy
    assert row is not None
    cells = [
        ["texts", f"{row.texts:,}"],
        ["precision of slots", f"{row.precision:.1%}"],
        ["recall of slots", f"{row.recall:.1%}"],
        *([f"recall of {kind}s", f"{value:.1%}"] for kind, value in row.recall_by_kind.items()),
        ["identical templates", f"{row.same:.1%}"],
    ]
    return "Induced templates against annotated ones", ["measure", "value"], cells, [1]


def _bands(found: ByFrequency) -> Part:
    cells = []
    for row in found.rows:
        means = ["" if mean is None else f"{mean:.2f}" for mean in row.means]
        gaps = [bounded(gap, ".2f") for gap in (row.difference, row.alike, row.middle)]
        cells.append([row.system, *means, *gaps])
    where = f", {found.split} items" if found.split else ""
    headers = ["system", *(f"{band} (n = {band.items:,})" for band in found.bands)]
    headers += ["head − tail", "of the same size", "head − middle"]
    criterion = found.rows[0].criterion if found.rows else ""
    heading = f"Mean {criterion} by training triples of the rarest predicate{where}"
    return heading, headers, cells, list(range(1, len(headers)))


def write_profile(found: Profile, path: str | Path, *, source: str, rows: int) -> Path:
    """Write the page and return its path."""
    body = [
        header("Corpus profile", f"{source}. {' '.join(notes(found))}"),
        section("Plots", "Of many predicates some, spread from first to last.", grid(figures(found))),
        *table_sections(parts(found, rows)),
    ]
    return write(page("Corpus profile", *body, closing=NUMBERS), path)


def figures(found: Profile) -> list[Figure]:
    """Figure 2 of the paper, the ratios of Table 1, the sizes of inputs, slot errors of systems."""
    predicates = spread(list(found.inputs.frequencies.items()), LABELS)
    named = [Row(name, float(count), text=f"{count:,}") for name, count in predicates]
    sizes = [Row(size, float(count), text=f"{count:,}") for size, count in found.inputs.sizes.items()]
    made = [
        _figure("predicates", "Frequency of predicates", named, "triples"),
        _figure("sizes", "Triples an input", sizes, "inputs"),
    ]
    if found.outputs and found.outputs.single:
        ratios = [
            Row(row.predicate, row.ratio, text=f"{row.unique:,}/{row.total:,}")
            for row in spread(found.outputs.single, LABELS)
        ]
        made.append(_figure("ratios", "Unique templates by all, one triple", ratios, "ratio"))
    if found.systems:
        errors = [
            Row(row.system, 100 * error.estimate, 100 * error.low, 100 * error.high, text=f"{error.estimate:.1%}")
            for row in found.systems
            for error in [row.slots.errors]
        ]
        made.append(_figure("slot errors", "Slot errors", errors, "per cent of the slots of the inputs"))
    for band in found.frequency:
        rows = [
            Row(row.system, gap.estimate, gap.low, gap.high, about=bounded(gap, ".2f"))
            for row in band.rows
            for gap in [row.difference]
            if math.isfinite(gap.estimate)
        ]
        heading = f"Head − tail{f', {band.split} items' if band.split else ''}"
        made.append(_figure("frequency", heading, rows, "difference of mean ratings"))
    return made


def _figure(kind: str, heading: str, rows: list[Row], axis: str) -> Figure:
    told = "; ".join(f"{row.label}: {row.text or row.about}" for row in rows)
    return Figure(kind, heading, "", Panel(rows, title=heading, desc=told, axis=axis, zero=True).draw())
