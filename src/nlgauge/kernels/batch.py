"""A batch of segments as the metrics see it: columns of text, tokenised at most once per tokeniser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nlgauge.errors import InputError
from nlgauge.kernels import active, backend
from nlgauge.kernels.interface import References, Texts, Tokens


@dataclass
class Batch:
    """n hypotheses with their references (a list for each; numbers may differ) and, where given, sources,
    post-edits and a weight for each reference."""

    hypotheses: Texts
    references: References
    sources: list[Any] | None = None
    jobs: int = 1
    post_edits: References | None = None
    reference_weights: Sequence[Sequence[float]] | None = None
    items: Sequence[str] = ()  # the names of the items, for messages; none where they are not known
    _tokens: dict[tuple[Any, ...], Tokens] = field(default_factory=dict, repr=False)
    _edited: Batch | None = field(default=None, repr=False)
    _sourced: Batch | None = field(default=None, repr=False)
    _complete: bool = field(default=False, repr=False)  # every segment is known to have a reference

    def __len__(self) -> int:
        return len(self.hypotheses)

    def require_references(self) -> None:
        """Refuse a segment without a reference: the kernels would make a number of nothing."""
        if self._complete or all(self.references):
            self._complete = True
            return
        number = next(place for place, texts in enumerate(self.references) if not texts)
        raise InputError(f"segment {number} has no reference; give at least one or leave the segment out")

    def with_sources(self) -> Batch:
        """The batch with each source as the first of its references; made once, so that metrics share its tokens."""
        if self._sourced is None:
            sources = self.sources if self.sources is not None else [None] * len(self)
            for number, source in enumerate(sources):
                if not isinstance(source, str):
                    found = "no source" if source is None else f"a {type(source).__name__} as its source"
                    raise InputError(
                        f"segment {number} has {found}; give the text of the source, or leave the segment out"
                    )
            joined = [[source, *texts] for source, texts in zip(sources, self.references, strict=True)]
            self._sourced = Batch(self.hypotheses, joined, jobs=self.jobs)
        return self._sourced

    def weights(self) -> list[list[float]]:
        """A weight from -1 to 1 for each reference."""
        given = self.reference_weights if self.reference_weights is not None else [()] * len(self)
        return [
            _weights(number, weights, len(texts))
            for number, (weights, texts) in enumerate(zip(given, self.references, strict=True))
        ]

    def require_sources(self) -> None:
        """Refuse a segment without a source."""
        sources = self.sources if self.sources is not None else [None] * len(self)
        for number, source in enumerate(sources):
            if source is None:
                raise InputError(f"{self.place(number)} has no source; give one or leave the segment out")

    def place(self, number: int) -> str:
        """A segment, for a message: by its item where that is known."""
        return f"item {self.items[number]!r}" if self.items else f"segment {number}"

    def on_post_edits(self) -> Batch:
        """The batch with the corrected outputs as its references; made once, so that metrics share its tokens."""
        if self._edited is None:
            edited = self.post_edits if self.post_edits is not None else [()] * len(self)
            for number, texts in enumerate(edited):
                if not texts:
                    raise InputError(
                        f"segment {number} has no post-edit; give the corrected output (post_edits), or leave the "
                        "segment out"
                    )
            self._edited = Batch(self.hypotheses, edited, jobs=self.jobs)
        return self._edited

    def tokens(self, tok: str, *, lower: bool = False, stem: str = "none", sentences: bool = False) -> Tokens:
        """The batch under one tokeniser; metrics that share a tokeniser share the work."""
        key = (backend(), tok, lower, stem, sentences)
        if key not in self._tokens:
            split = active().tokens if knows(tok, stem) else _tokens_by_python
            self._tokens[key] = split(
                self.hypotheses, self.references, tok, lower=lower, stem=stem, sentences=sentences, jobs=self.jobs
            )
        return self._tokens[key]


def _weights(number: int, given: Sequence[float], count: int) -> list[float]:
    """The weights of one segment's references, or a refusal that says what is wrong with them."""
    if len(given) != count:
        raise InputError(
            f"segment {number} has {len(given)} reference_weights for {count} references; give one for each"
        )
    try:
        weights = [float(weight) for weight in given]
    except (TypeError, ValueError):
        raise InputError(f"segment {number} has a reference weight that is no number: {list(given)}") from None
    if not all(-1 <= weight <= 1 for weight in weights):
        raise InputError(f"segment {number} has a reference weight outside -1 to 1: {weights}")
    if max(weights) <= 0:
        raise InputError(f"segment {number} has no reference with a weight above 0: {weights}")
    return weights


def knows(tok: str, stem: str) -> bool:
    """Whether the active kernels tokenise and stem this way themselves."""
    if backend() == "python":
        return True
    kernels: Any = active()
    return tok in kernels.TOKENIZERS and stem in kernels.STEMMERS


def _tokens_by_python(
    hypotheses: Texts, references: References, tok: str, lower: bool, stem: str, sentences: bool, jobs: int
) -> Tokens:
    """Tokenise in Python for compiled kernels that lack the tokeniser or the stemmer."""
    from nlgauge.kernels import python

    split = python.tokens(
        hypotheses, references=references, tok=tok, lower=lower, stem=stem, sentences=sentences, jobs=jobs
    )
    if split.hypothesis_sentences is None or split.reference_sentences is None:
        return active().tokens_from_lists(split.hypotheses, split.references)
    return active().tokens_from_lists(
        split.hypotheses,
        split.references,
        [[len(line) for line in lines] for lines in split.hypothesis_sentences],
        [[[len(line) for line in lines] for lines in refs] for refs in split.reference_sentences],
    )
