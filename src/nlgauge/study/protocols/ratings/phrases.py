"""Wordings that a new rating study begins with, in the languages of the pages; a researcher edits them in the file."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

TITLE = {
    "en": "How good are these texts?",
    "es": "¿Qué le parecen estos textos?",
    "de": "Wie gut sind diese Texte?",
    "fr": "Que valent ces textes ?",
    "it": "Come valuta questi testi?",
    "gl": "Que lle parecen estes textos?",
    "ar": "ما تقييمك لهذه النصوص؟",
}
INSTRUCTIONS = {
    "en": "You will see one text at a time. Read it as often as you like, then answer each question about it. Judge each text by itself and use the whole scale. There are no right or wrong answers.",
    "es": "Verá un texto cada vez. Léalo tantas veces como quiera y responda a cada pregunta sobre él. Valore cada texto por sí mismo y use toda la escala. No hay respuestas correctas ni incorrectas.",
    "de": "Sie sehen jeweils einen Text. Lesen Sie ihn so oft Sie möchten und beantworten Sie dann jede Frage dazu. Beurteilen Sie jeden Text für sich und nutzen Sie die ganze Skala. Es gibt keine richtigen oder falschen Antworten.",
    "fr": "Vous verrez un texte à la fois. Lisez-le autant de fois que vous le souhaitez, puis répondez à chaque question. Jugez chaque texte pour lui-même et utilisez toute l’échelle. Il n’y a ni bonne ni mauvaise réponse.",
    "it": "Vedrà un testo alla volta. Lo legga quante volte vuole e poi risponda a ogni domanda. Valuti ogni testo per sé e usi tutta la scala. Non ci sono risposte giuste o sbagliate.",
    "gl": "Verá un texto de cada vez. Léao cantas veces queira e responda a cada pregunta sobre el. Valore cada texto por si mesmo e use toda a escala. Non hai respostas correctas nin incorrectas.",
    "ar": "سترى نصًا واحدًا في كل مرة. اقرأه كما تشاء ثم أجب عن كل سؤال عنه. قيّم كل نص بمفرده واستعمل المقياس كله. لا توجد إجابات صحيحة أو خاطئة.",
}
