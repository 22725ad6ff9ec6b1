"""Wordings that a new task begins with, in the languages of the pages; a researcher edits them in the file."""

from __future__ import annotations

TITLE = {
    "en": "What do these texts tell you?",
    "es": "¿Qué le dicen estos textos?",
    "de": "Was erfahren Sie aus diesen Texten?",
    "fr": "Que vous apprennent ces textes ?",
    "it": "Che cosa le dicono questi testi?",
    "gl": "Que lle din estes textos?",
    "ar": "ماذا تفهم من هذه النصوص؟",
}
PLACEHOLDER = "replace this"  # the answer to it that `study new` writes, and that no study may have
QUESTION = {
    "en": "What is this text about?",
    "es": "¿De qué trata este texto?",
    "de": "Worum geht es in diesem Text?",
    "fr": "De quoi parle ce texte ?",
    "it": "Di che cosa parla questo testo?",
    "gl": "De que trata este texto?",
    "ar": "عمّ يتحدث هذا النص؟",
}
