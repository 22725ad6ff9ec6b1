"""The demonstration of frequency bias in form of Tables 2 to 4 of Belz and Reiter (2006)."""

from __future__ import annotations

from nlgauge.meta.belz_reiter import BelzReiter
from nlgauge.report.meta_text import belz_parts
from nlgauge.report.text import print_lines, print_table
from nlgauge.wording.paper import Part

ASSUMED = (
    "A demonstration, not evidence: corpus, references and texts are generated, and the readers' taste is assumed. It "
    "shows what metrics of similarity to a corpus cannot see if readers are like that."
)


def print_demonstration(judged: BelzReiter, held: BelzReiter) -> None:
    """The three tables, what they show, and what they are."""
    for heading, headers, rows, right in parts(judged, held):
        print_lines([heading, ""])
        print_table(headers, rows, right=right)
        print()
    print_lines([conclusion(judged), judged.sentence(), *(f"note: {text}" for text in judged.notes), ASSUMED])


def parts(judged: BelzReiter, held: BelzReiter) -> list[Part]:
    """Scores against two references, correlations, scores against the corpus."""
    scores, matrix, *_ = belz_parts(judged)
    against = belz_parts(held)[0]
    return [
        (
            "Table 2: marks (0 to 5) by simulated readers and scores against two references, held-out inputs",
            *scores[1:],
        ),
        (
            "Table 3: Pearson's r over the systems; in brackets the mean r of single readers or runs (rows) with the "
            "mean (columns)",
            *matrix[1:],
        ),
        ("Table 4: scores of the same outputs against the corpus", *against[1:]),
    ]


def conclusion(judged: BelzReiter) -> str:
    """Which system is first by which metrics, and which by readers."""
    first: dict[tuple[bool, str], list[str]] = {}
    for column in judged.columns:
        best = [system for system, rank in zip(judged.systems, column.ranks, strict=True) if rank == 1]
        first.setdefault((column.human, " and ".join(best)), []).append(column.name)
    told = [
        f"{', '.join(names)} {'rank' if len(names) > 1 else 'ranks'} {system} first"
        for _, (system, names) in sorted(
            ((human, (system, names)) for (human, system), names in first.items()), key=lambda pair: pair[0]
        )
    ]
    return "; ".join(told) + "."
