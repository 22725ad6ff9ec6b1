"""A batch of segments as the metrics see it: columns of text, tokenised at most once per tokeniser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nlgauge.errors import InputError
from nlgauge.kernels import active, backend
from nlgauge.kernels.interface import References, Texts, Tokens


@dataclass
class Batch:
    """n hypotheses with their references (a list for each; numbers may differ) and, where given, sources,
    post-edits."""

    hypotheses: Texts
    references: References
    sources: list[Any] | None = None
    jobs: int = 1
    post_edits: References | None = None
    _tokens: dict[tuple[Any, ...], Tokens] = field(default_factory=dict, repr=False)
    _edited: Batch | None = field(default=None, repr=False)
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
                self.hypotheses, self.references, tok, lower, stem, sentences, self.jobs
            )
        return self._tokens[key]


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

    split = python.tokens(hypotheses, references, tok, lower, stem, sentences, jobs)
    if split.hypothesis_sentences is None or split.reference_sentences is None:
        return active().tokens_from_lists(split.hypotheses, split.references)
    return active().tokens_from_lists(
        split.hypotheses,
        split.references,
        [[len(line) for line in lines] for lines in split.hypothesis_sentences],
        [[[len(line) for line in lines] for lines in refs] for refs in split.reference_sentences],
    )
