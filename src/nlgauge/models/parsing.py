"""Parsers: spaCy's models behind `interface.Parser`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, MissingModel
from nlgauge.models import runtime
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import Entity, ModelInfo, Parse, Word
from nlgauge.text.categories import encodable


class Spacy:
    """A pipeline of spaCy: tagger, lemmatiser, dependency parser, entities."""

    def __init__(self, info: ModelInfo, path: Path, purpose: str) -> None:
        try:
            import spacy
        except ModuleNotFoundError:
            raise MissingModel(purpose, "spaCy", 'pip install "nlgauge[parser]"') from None
        self.info = info
        if not (path / "config.cfg").is_file():
            raise InputError(
                f"{path} holds no spaCy model: there is no config.cfg in it; name the folder that nlp.to_disk wrote, "
                "or that of an installed model"
            )
        with loaded_by(f"no spaCy model could be loaded from {path}"):
            self._pipeline = spacy.load(path)
        self._kept: dict[str, Parse] = {}

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """The analysis of each text; equal texts are analysed once."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        progress = runtime.current().progress
        docs = self._pipeline.pipe(encodable(text) for text in missing)
        for done, (text, doc) in enumerate(zip(missing, docs, strict=True), start=1):
            self._kept[text] = _parse(doc)
            if progress:
                progress(f"texts parsed by {self.info.name}", done, len(missing))
        return [self._kept[text] for text in texts]

    def remarks(self) -> list[str]:
        """A text of any length is parsed as a whole: nothing."""
        return []


def _parse(doc: Any) -> Parse:
    sentences = {token.i: number for number, sentence in enumerate(doc.sents) for token in sentence}
    words = tuple(
        Word(
            text=token.text,
            lemma=token.lemma_,
            pos=token.pos_,
            tag=token.tag_,
            dep=token.dep_,
            head=token.head.i,
            start=token.idx,
            space=bool(token.whitespace_),
            sentence=sentences[token.i],
        )
        for token in doc
    )
    return Parse(words, tuple(Entity(entity.start, entity.end, entity.label_) for entity in doc.ents))
