"""Models: encoders, word vectors, language models, entailment, parsers; the only importers of torch, onnxruntime,
transformers and spaCy.

    from nlgauge import models
    encoder = models.contextual("minilm")            # an alias, a folder, or owner/name of the hub
    encoder.encode(["Rain in the north."], layer=6)  # each distinct text once; kept on disk for later runs

`interface` has one protocol for each kind of model; `resolve` finds files; `catalogue` lists what PyPI offers.
"""

from __future__ import annotations

from nlgauge.models.loading import contextual, entailment, language, parser, sentence, static

__all__ = ["contextual", "entailment", "language", "parser", "sentence", "static"]
