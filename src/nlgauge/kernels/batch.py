"""A batch of segments as the metrics see it: columns of text, tokenised at most once per tokeniser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nlgauge.kernels import active, backend
from nlgauge.kernels.interface import References, Texts, Tokens


@dataclass
class Batch:
    """n hypotheses with their references (a list for each; numbers may differ) and, where given, sources."""

    hypotheses: Texts
    references: References
    sources: list[Any] | None = None
    jobs: int = 1
    _tokens: dict[tuple[Any, ...], Tokens] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.hypotheses)

    def tokens(self, tok: str, *, lower: bool = False, stem: str = "none", sentences: bool = False) -> Tokens:
        """The batch under one tokeniser; metrics that share a tokeniser share the work."""
        key = (backend(), tok, lower, stem, sentences)
        if key not in self._tokens:
            self._tokens[key] = active().tokens(
                self.hypotheses, self.references, tok, lower, stem, sentences, self.jobs
            )
        return self._tokens[key]
