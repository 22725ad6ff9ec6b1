"""Wordings that a new comparative study begins with, which a researcher edits, and those of the pages that are told on."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

TITLE = {
    "en": "Which text is better?",
    "es": "¿Qué texto es mejor?",
    "de": "Welcher Text ist besser?",
    "fr": "Quel texte est le meilleur ?",
    "it": "Quale testo è migliore?",
    "gl": "Que texto é mellor?",
    "ar": "أي النصوص أفضل؟",
}
INSTRUCTIONS = {
    "pairwise": {
        "en": "You will see two texts about the same thing. Read both as often as you like, then say for each question which of them it fits better. There are no right or wrong answers.",
        "es": "Verá dos textos sobre lo mismo. Léalos tantas veces como quiera y diga, para cada pregunta, a cuál de ellos se ajusta mejor. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen zwei Texte über dieselbe Sache. Lesen Sie beide so oft Sie möchten und sagen Sie dann bei jeder Frage, auf welchen sie eher zutrifft. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez deux textes sur le même sujet. Lisez-les autant de fois que vous le souhaitez, puis dites pour chaque question auquel elle s’applique le mieux. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà due testi sullo stesso argomento. Li legga quante volte vuole e poi dica, per ogni domanda, a quale dei due si addice di più. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá dous textos sobre o mesmo. Léaos cantas veces queira e diga, para cada pregunta, a cal deles se axusta mellor. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى نصين عن الموضوع نفسه. اقرأهما كما تشاء ثم حدّد في كل سؤال أيهما ينطبق عليه أكثر. لا توجد إجابات صحيحة أو خاطئة.",
    },
    "ranking": {
        "en": "You will see several texts about the same thing. Read them as often as you like, then rank them for each question, from rank 1 for the text that it fits best. There are no right or wrong answers.",
        "es": "Verá varios textos sobre lo mismo. Léalos tantas veces como quiera y ordénelos para cada pregunta, con el puesto 1 para el texto al que mejor se ajusta. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen mehrere Texte über dieselbe Sache. Lesen Sie sie so oft Sie möchten und ordnen Sie sie dann bei jeder Frage, mit Rang 1 für den Text, auf den sie am besten zutrifft. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez plusieurs textes sur le même sujet. Lisez-les autant de fois que vous le souhaitez, puis classez-les pour chaque question, le rang 1 allant au texte auquel elle s’applique le mieux. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà più testi sullo stesso argomento. Li legga quante volte vuole e poi li ordini per ogni domanda, con il posto 1 per il testo a cui si addice di più. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá varios textos sobre o mesmo. Léaos cantas veces queira e ordéneos para cada pregunta, co posto 1 para o texto ao que mellor se axusta. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى عدة نصوص عن الموضوع نفسه. اقرأها كما تشاء ثم رتّبها في كل سؤال، والمرتبة 1 للنص الذي ينطبق عليه أكثر من غيره. لا توجد إجابات صحيحة أو خاطئة.",
    },
    "best-worst": {
        "en": "You will see several texts about the same thing. Read them as often as you like, then choose for each question the text that it fits best and the one that it fits least. There are no right or wrong answers.",
        "es": "Verá varios textos sobre lo mismo. Léalos tantas veces como quiera y elija, para cada pregunta, el texto al que mejor se ajusta y aquel al que menos. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen mehrere Texte über dieselbe Sache. Lesen Sie sie so oft Sie möchten und wählen Sie dann bei jeder Frage den Text, auf den sie am besten zutrifft, und den, auf den sie am wenigsten zutrifft. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez plusieurs textes sur le même sujet. Lisez-les autant de fois que vous le souhaitez, puis choisissez pour chaque question le texte auquel elle s’applique le mieux et celui auquel elle s’applique le moins. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà più testi sullo stesso argomento. Li legga quante volte vuole e poi scelga, per ogni domanda, il testo a cui si addice di più e quello a cui si addice di meno. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá varios textos sobre o mesmo. Léaos cantas veces queira e escolla, para cada pregunta, o texto ao que mellor se axusta e aquel ao que menos. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى عدة نصوص عن الموضوع نفسه. اقرأها كما تشاء ثم اختر في كل سؤال النص الذي ينطبق عليه أكثر من غيره والنص الذي ينطبق عليه أقل من غيره. لا توجد إجابات صحيحة أو خاطئة.",
    },
}
ON_PAGES = {
    "preference_tie": {
        "en": "No difference",
        "es": "No hay diferencia",
        "de": "Kein Unterschied",
        "fr": "Aucune différence",
        "it": "Nessuna differenza",
        "gl": "Non hai diferenza",
        "ar": "لا فرق",
    },
    "best": {
        "en": "Best",
        "es": "Mejor",
        "de": "Am besten",
        "fr": "Le meilleur",
        "it": "Il migliore",
        "gl": "Mellor",
        "ar": "الأفضل",
    },
    "worst": {
        "en": "Worst",
        "es": "Peor",
        "de": "Am schlechtesten",
        "fr": "Le moins bon",
        "it": "Il peggiore",
        "gl": "Peor",
        "ar": "الأسوأ",
    },
    "ranking_help": {
        "en": "Rank 1 is for the text that the question fits best; every text has a rank of its own.",
        "es": "El puesto 1 es para el texto al que mejor se ajusta la pregunta; cada texto tiene un puesto propio.",
        "de": "Rang 1 erhält der Text, auf den die Frage am besten zutrifft; jeder Text hat einen eigenen Rang.",
        "fr": "Le rang 1 est celui du texte auquel la question s’applique le mieux ; chaque texte a son propre rang.",
        "it": "Il posto 1 è del testo a cui la domanda si addice di più; ogni testo ha un posto proprio.",
        "gl": "O posto 1 é para o texto ao que mellor se axusta a pregunta; cada texto ten un posto propio.",
        "ar": "المرتبة 1 للنص الذي ينطبق عليه السؤال أكثر من غيره، ولكل نص مرتبة خاصة به.",
    },
    "ranking_help_ties": {
        "en": "Rank 1 is for the text that the question fits best; texts that are alike in this may share a rank.",
        "es": "El puesto 1 es para el texto al que mejor se ajusta la pregunta; los textos iguales en esto pueden compartir puesto.",
        "de": "Rang 1 erhält der Text, auf den die Frage am besten zutrifft; Texte, die darin gleich sind, dürfen sich einen Rang teilen.",
        "fr": "Le rang 1 est celui du texte auquel la question s’applique le mieux ; des textes égaux à cet égard peuvent partager un rang.",
        "it": "Il posto 1 è del testo a cui la domanda si addice di più; testi uguali sotto questo aspetto possono condividere un posto.",
        "gl": "O posto 1 é para o texto ao que mellor se axusta a pregunta; os textos iguais nisto poden compartir posto.",
        "ar": "المرتبة 1 للنص الذي ينطبق عليه السؤال أكثر من غيره، ويجوز أن تشترك النصوص المتساوية في مرتبة واحدة.",
    },
}
"""What pages say about answers, for the design statement; a test holds them to the phrases of the pages."""
