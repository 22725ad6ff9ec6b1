"""Rates against the output as people corrected it: HTER (Snover et al. 2006), HBLEU, HMETEOR.

A post-edit is a reference made for one output: the fewest changes that make it fluent and adequate. Comparing the
output with it, rather than with a text written independently, measures the work that was left. The metric is the
plain one, with the post-edits of the row (key `post_edit` or `post_edits`) in the place of the item's references.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array
from nlgauge.metrics.bleu import Bleu
from nlgauge.metrics.explanation import Explanation
from nlgauge.metrics.meteor_universal import MeteorUniversal
from nlgauge.metrics.ter import Ter


class OnPostEdits:
    """Put before a metric among the bases of a class, makes it compare with post-edits."""

    needs: ClassVar[tuple[str, ...]] = ("post_edits",)

    def rows(self, batch: Batch) -> Array:
        """The metric's own rows, with post-edits for references."""
        plain: Any = super()
        rows: Array = plain.rows(batch.on_post_edits())
        return rows

    def explained(self, batch: Batch) -> Explanation:
        """The metric's own explanation, with post-edits for references."""
        plain: Any = super()
        edited = batch.on_post_edits()
        edited.post_edits = edited.references  # an explanation by statistics asks for the rows of this metric again
        told: Explanation = plain.explained(edited)
        note = "the references shown are the post-edits of this output"
        return replace(told, notes=(*told.notes, note))


@dataclass(frozen=True)
class Hter(OnPostEdits, Ter):
    """Human-targeted translation edit rate: TER against the corrected output; 0 where nothing had to be corrected."""

    name: ClassVar[str] = "hter"
    reference: ClassVar[str] = "sacreBLEU 2.6's TER with the post-edits as references"


@dataclass(frozen=True)
class Hbleu(OnPostEdits, Bleu):
    """Human-targeted BLEU: BLEU against the corrected output."""

    name: ClassVar[str] = "hbleu"
    cite: ClassVar[str] = (
        "Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate with targeted human "
        "annotation. AMTA."
    )
    reference: ClassVar[str] = "sacreBLEU 2.6's BLEU with the post-edits as references"


@dataclass(frozen=True)
class Hmeteor(OnPostEdits, MeteorUniversal):
    """Human-targeted METEOR: METEOR Universal against the corrected output."""

    name: ClassVar[str] = "hmeteor"
    cite: ClassVar[str] = Hbleu.cite
    reference: ClassVar[str] = "METEOR 1.5 (the jar in pycocoevalcap) with the post-edits as references"
