"""Questions about one text, put to several texts at once.

The catalogue's questions speak of “this text”, which is wrong where several stand on the screen: there each of them is
asked about. What has no such phrase is asked behind “For each of these texts”.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

_PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "this text": "each of these texts",
        "this summary": "each of these summaries",
        "this reply": "each of these replies",
        "this caption": "each of these captions",
        "this answer": "each of these answers",
        "this question": "each of these questions",
    },
    "de": {
        "dieser Text": "jeder dieser Texte",
        "dieses Textes": "jedes dieser Texte",
        "diesen Text": "jeden dieser Texte",
        "diese Zusammenfassung": "jede dieser Zusammenfassungen",
        "dieser Zusammenfassung": "jeder dieser Zusammenfassungen",
        "diese Antwort": "jede dieser Antworten",
        "dieser Antwort": "jeder dieser Antworten",
        "diese Bildunterschrift": "jede dieser Bildunterschriften",
        "diese Frage": "jede dieser Fragen",
    },
    "fr": {
        "ce texte": "chacun de ces textes",
        "ce résumé": "chacun de ces résumés",
        "cette réplique": "chacune de ces répliques",
        "cette légende": "chacune de ces légendes",
        "cette réponse": "chacune de ces réponses",
        "cette question": "chacune de ces questions",
    },
    "es": {
        "este texto": "cada uno de estos textos",
        "este resumen": "cada uno de estos resúmenes",
        "esta respuesta": "cada una de estas respuestas",
        "este pie de foto": "cada uno de estos pies de foto",
        "esta pregunta": "cada una de estas preguntas",
    },
    "it": {
        "questo testo": "ciascuno di questi testi",
        "questo riassunto": "ciascuno di questi riassunti",
        "questa risposta": "ciascuna di queste risposte",
        "questa didascalia": "ciascuna di queste didascalie",
        "questa domanda": "ciascuna di queste domande",
    },
    "gl": {
        "deste texto": "de cada un destes textos",
        "este texto": "cada un destes textos",
        "deste resumo": "de cada un destes resumos",
        "neste resumo": "en cada un destes resumos",
        "este resumo": "cada un destes resumos",
        "desta resposta": "de cada unha destas respostas",
        "nesta resposta": "en cada unha destas respostas",
        "esta resposta": "cada unha destas respostas",
        "este pé de foto": "cada un destes pés de foto",
        "esta pregunta": "cada unha destas preguntas",
    },
    "ar": {
        "لهذا النص": "لكل نص من هذه النصوص",
        "هذا النص": "كل نص من هذه النصوص",
        "هذا الملخّص": "كل ملخّص من هذه الملخّصات",
        "هذا الرد": "كل رد من هذه الردود",
        "هذا التعليق": "كل تعليق من هذه التعليقات",
        "هذه الإجابة": "كل إجابة من هذه الإجابات",
        "هذا السؤال": "كل سؤال من هذه الأسئلة",
    },
}
_BEFORE: Mapping[str, str] = {
    "en": "For each of these texts: {}",
    "de": "Zu jedem dieser Texte: {}",
    "fr": "Pour chacun de ces textes : {}",
    "es": "Para cada uno de estos textos: {}",
    "it": "Per ciascuno di questi testi: {}",
    "gl": "Para cada un destes textos: {}",
    "ar": "لكل نص من هذه النصوص: {}",
}


def of_each(question: str, language: str) -> str:
    """A question about one text, asked of each of several.

    >>> of_each("How much of the data does this text express?", "en")
    'How much of the data does each of these texts express?'
    >>> of_each("How natural is the English of the given sentence?", "en")
    'For each of these texts: How natural is the English of the given sentence?'
    """
    spoken = language or "en"
    if of_one(question, spoken):
        known = _PHRASES[spoken]
        return _sought(spoken).sub(lambda match: known[match[0]], question)
    return _BEFORE.get(spoken, "{}").format(question)


def of_one(question: str, language: str) -> str:
    """The words by which a question speaks of one text; empty where it does not.

    >>> of_one("How odd is this text?", "")
    'this text'
    """
    found = _sought(language or "en").search(question) if (language or "en") in _PHRASES else None
    return found[0] if found else ""


@cache
def _sought(language: str) -> re.Pattern[str]:
    phrases = sorted(_PHRASES[language], key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b")
