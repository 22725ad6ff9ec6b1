"""CharacTER (Wang, Peter, Rosendahl and Ney 2016), as the PyPI package `cer` 1.2 computes it.

TER's little sister over characters: words are shifted first, then character edits are counted, and the sum is
divided by the characters of the *hypothesis*, at most 1. A corpus scores the mean of its segments. The paper lets words
match that differ a little; the package, whose numbers these are, shifts equal words only. With several
references the lowest score counts (the package takes one). The package fails on an empty reference; here the score is
then 1, or 0 where the hypothesis is empty too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python import edit as plain
from nlgauge.kernels.python.edit import edit_pairs
from nlgauge.metrics.base import Array, Direction, MeanMetric, option
from nlgauge.metrics.explanation import Edits, Explanation, Figure, Shift, Shifts, ordinal_reference
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Character(MeanMetric):
    """CharacTER: character edits after word shifts, per character of the hypothesis, from 0 (best) to 1.

    >>> round(Character().corpus(["this is in fact an estimate"], [["this is actually an estimate"]]), 4)
    0.2593
    """

    tok: str = option("none", "tokeniser; none splits at blanks", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")

    name: ClassVar[str] = "character"
    direction: ClassVar[Direction] = "lower"
    shows_words: ClassVar[int] = 300
    cite: ClassVar[str] = (
        "Wang, Peter, Rosendahl and Ney (2016), CharacTer: translation edit rate on character level. WMT."
    )
    reference: ClassVar[str] = "cer 1.2 (PyPI; BramVanroy/CharacTER)"

    def rows(self, batch: Batch) -> Array:
        """The lowest score over the references, and 1."""
        if self.tok == "none" and not self.lower:  # the kernel splits at white space itself
            return active().character_rows(batch.hypotheses, batch.references, batch.jobs)
        split = tokenizers.tokenizer(self.tok)

        def joined(text: str) -> str:
            return " ".join(split(text.lower() if self.lower else text))

        return active().character_rows(
            [joined(text) for text in batch.hypotheses],
            [[joined(text) for text in texts] for texts in batch.references],
            batch.jobs,
        )

    def explained(self, batch: Batch) -> Explanation:
        """The words after the shifts, then the character edits that are left."""
        split = tokenizers.tokenizer(self.tok)

        def words_of(text: str) -> list[str]:
            return " ".join(split(text.lower() if self.lower else text)).split()

        words = words_of(batch.hypotheses[0])
        references = [words_of(text) for text in batch.references[0]]
        scores = [plain.character(words, reference) for reference in references]
        best = scores.index(min(scores))
        reference, which = references[best], ordinal_reference(best, len(references))
        moved = plain.shifted(words, reference) if words and reference else words
        letters, wanted = list(" ".join(moved)), list(" ".join(reference))
        cost = plain.shift_cost(moved, words)
        edits = Edits.of(f"Character edits against {which}", letters, wanted, edit_pairs(wanted, letters), "characters")
        errors = len(edits.steps) - edits.count("match")
        figures = [
            Figure("character edits", errors, "replaced, only in the output, or only in the reference"),
            Figure("cost of the shifts", cost, "mean word length of each run that was moved"),
            Figure("characters", len(letters), "of the output, blanks included; the sum is divided by them"),
        ]
        score = min(1.0, (errors + cost) / len(letters)) if letters and reference else float(words != reference)
        moves = [Shifts(f"Shifts towards {which}", (Shift((), 0, tuple(words), tuple(moved)),))]
        return Explanation.of(
            self,
            batch,
            [score, 1.0],
            figures=figures,
            parts=[*(moves if moved != words else []), edits],
            counted=(best + 1,),
        )
