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
        "en": "Give rank 1 to the text you would put first, rank 2 to the next, and so on. Use each rank once.",
        "es": "Dé el puesto 1 al texto que pondría primero, el 2 al siguiente, y así sucesivamente. Use cada puesto una sola vez.",
        "de": "Geben Sie dem Text, den Sie an die erste Stelle setzen, Rang 1, dem nächsten Rang 2 und so weiter. Jeder Rang wird einmal vergeben.",
        "fr": "Donnez le rang 1 au texte que vous placez en premier, le rang 2 au suivant, et ainsi de suite. Chaque rang ne sert qu’une fois.",
        "it": "Dia il posto 1 al testo che metterebbe per primo, il 2 al successivo, e così via. Usi ogni posto una volta sola.",
        "gl": "Dea o posto 1 ao texto que poría primeiro, o 2 ao seguinte, e así sucesivamente. Use cada posto unha soa vez.",
        "ar": "أعط المرتبة 1 للنص الذي تضعه أولًا، والمرتبة 2 للذي يليه، وهكذا. استعمل كل مرتبة مرة واحدة.",
    },
    "ranking_help_ties": {
        "en": "Give rank 1 to the text you would put first, rank 2 to the next, and so on. Texts that are equal may share a rank.",
        "es": "Dé el puesto 1 al texto que pondría primero, el 2 al siguiente, y así sucesivamente. Los textos iguales pueden compartir puesto.",
        "de": "Geben Sie dem Text, den Sie an die erste Stelle setzen, Rang 1, dem nächsten Rang 2 und so weiter. Gleiche Texte dürfen sich einen Rang teilen.",
        "fr": "Donnez le rang 1 au texte que vous placez en premier, le rang 2 au suivant, et ainsi de suite. Des textes égaux peuvent partager un rang.",
        "it": "Dia il posto 1 al testo che metterebbe per primo, il 2 al successivo, e così via. Testi uguali possono condividere un posto.",
        "gl": "Dea o posto 1 ao texto que poría primeiro, o 2 ao seguinte, e así sucesivamente. Os textos iguais poden compartir posto.",
        "ar": "أعط المرتبة 1 للنص الذي تضعه أولًا، والمرتبة 2 للذي يليه، وهكذا. يجوز أن تشترك النصوص المتساوية في مرتبة واحدة.",
    },
}
"""What pages say about answers, for the design statement; a test holds them to the phrases of the pages."""
