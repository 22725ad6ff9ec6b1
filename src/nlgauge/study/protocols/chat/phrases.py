"""Wordings that a new chat study begins with, in the languages of the pages; a researcher edits them in the file."""

from __future__ import annotations

TITLE = {
    "en": "Talk and tell us how it was",
    "es": "Converse y díganos qué le pareció",
    "de": "Ein Gespräch führen und beurteilen",
    "fr": "Discutez et dites-nous ce que vous en pensez",
    "it": "Conversi e ci dica com’è andata",
    "gl": "Converse e díganos que lle pareceu",
    "ar": "تحدث ثم أخبرنا برأيك",
}
