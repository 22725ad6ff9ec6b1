"""What stands beside the numbers: facts that receipts say of a run, and remarks that a reader needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256

from nlgauge.digest import Summary
from nlgauge.errors import option
from nlgauge.metrics.base import Metric
from nlgauge.results import Score
from nlgauge.types import Column
from nlgauge.wording.numbers import ALPHA

FEW_ITEMS = 50  # below which a percentile bootstrap over items covers clearly less than it says
FEW_CLUSTERS = 20  # below which a bootstrap over clusters covers clearly less than it says
FEWEST = 10  # items with references from which on the question is asked
GLANCE = 500  # items looked at before all are counted


def ci_fact(interval: str, trials: int) -> str:
    """How an interval was found, as a receipt says it."""
    return f"{'bootstrap' if interval == 'percentile' else interval}:{trials}"


def label_fact(name: str, key: str | None, labels: Mapping[str, str] | None) -> dict[str, str]:
    """The key by which items were grouped, where there is one, and a digest of its values."""
    if key is None or labels is None:
        return {}
    text = "\0".join(f"{item}\0{label}" for item, label in sorted(labels.items()))
    return {name: f"{key}:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"}


def family_facts(baseline: str | None, pairs: int) -> dict[str, str]:
    """Which pairs were compared, and the correction for their number."""
    return {"pairs": "all" if baseline is None else f"with {baseline}", "adjust": f"holm:{pairs}"}


def resampling_remarks(
    key: str | None,
    labels: Collection[str] | None,
    sizes: Sequence[int],
    interval: str,
    level: float,
    *,
    swapped: bool = False,
) -> list[str]:
    """What a reader must know of intervals (and, `swapped`, tests) over items with these labels, or over few items."""
    if labels is not None:
        return [_cluster_remark(str(key), len(set(labels)), swapped=swapped)]
    if interval != "percentile" or min(sizes) >= FEW_ITEMS:
        return []
    seen = (
        ": of 95 % intervals of 30 simulated items 91 to 93 % held the true value, of 20 items 89 to 93 %, of 8 items "
        "85 to 87 %"
    )
    return [f"with fewer than {FEW_ITEMS} items bootstrap intervals are somewhat narrow{seen if level == 0.95 else ''}"]


def _cluster_remark(key: str, clusters: int, *, swapped: bool) -> str:
    remark = f"items that share a {key} were drawn{' and swapped' if swapped else ''} together: {clusters:,} clusters"
    if swapped and 2.0 ** (1 - clusters) > ALPHA:
        return f"{remark}, so few that no p can fall to {ALPHA} and the intervals are too narrow"
    return f"{remark}, so few that the intervals are too narrow" if clusters < FEW_CLUSTERS else remark


def trials_remarks(trials: int, pairs: int, usual: int | None) -> list[str]:
    """What is to be said of the number of trials, for so many pairs; `usual` where nobody asked for a number."""
    remarks = []
    if usual is not None and trials > usual:
        remarks.append(
            f"{trials:,} trials in place of {usual:,}, so that p-values can be significant after Holm's correction "
            f"over {pairs:,} pairs"
        )
    if pairs / (trials + 1) > ALPHA:
        remarks.append(f"with {trials:,} trials no corrected p can fall to {ALPHA}: use more")
    return remarks


def data_notes(summary: Summary) -> list[str]:
    """Outputs that are empty or missing."""
    notes = []
    if summary.empty:
        notes.append(f"{summary.empty:,} empty {'hypothesis' if summary.empty == 1 else 'hypotheses'}, scored as such")
    if summary.missing:
        notes.append(f"{summary.missing:,} {'row' if summary.missing == 1 else 'rows'} without an output left out")
    return notes


def model_remarks(chosen: Sequence[Metric]) -> list[str]:
    """What metrics that run on models say of the texts they have read, and of their scale: each thing once."""
    scales = [
        f"{metric.name} runs on MiniLM, published scores on {metric.published_on}: they are not on one scale"
        for metric in chosen
        if metric.published_on and any(name.startswith("minilm") for _, name in metric.models)
    ]
    return list(dict.fromkeys([*scales, *(text for metric in chosen for text in metric.remarks())]))


def size_notes(results: Sequence[Score]) -> list[str]:
    """Scores of systems that were scored on different numbers of items."""
    sizes = {score.n for score in results}
    if len(sizes) == 1:
        return []
    return [f"the systems were scored on different numbers of items ({min(sizes):,} to {max(sizes):,})"]


def normal(text: str) -> str:
    """A text with its white space normalised."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """A text whose capitals and white space tell nothing."""
    return normal(text.casefold())


def copied(hypothesis: str, references: Sequence[str]) -> bool:
    """Whether an output equals one of its references but for white space; an empty one does not count."""
    text = normal(hypothesis)
    return bool(text) and any(normal(reference) == text for reference in references)


def copy_notes(columns: Iterable[Column]) -> list[str]:
    """A warning for each system whose texts are references on more than half of its items."""
    notes = []
    for column in columns:
        rows = [place for place, references in enumerate(column.references) if references]
        if len(rows) < FEWEST:
            continue
        glance = rows[:: max(1, len(rows) // GLANCE)]
        if not 3 * _count(column, glance) > len(glance):  # far from half: no need to look at all
            continue
        equal = _count(column, rows)
        if 2 * equal > len(rows):
            name = f'"{column.system}"' if " " in column.system else column.system
            notes.append(
                f"{column.system}'s texts are references ({equal:,} of {len(rows):,} items): leave it out with "
                f"{option('without', name)}, since comparing a text with itself says nothing"
            )
    return notes


def _count(column: Column, rows: Sequence[int]) -> int:
    return sum(copied(column.hypotheses[row], column.references[row]) for row in rows)
