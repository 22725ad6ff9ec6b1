"""Wordings that a new magnitude study begins with, in the languages of the pages; a researcher edits them in the file."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

from collections.abc import Mapping

TITLE: Mapping[str, str] = {
    "en": "How do these texts compare?",
    "es": "¿Cómo se comparan estos textos?",
    "de": "Wie verhalten sich diese Texte zueinander?",
    "fr": "Que valent ces textes les uns par rapport aux autres ?",
    "it": "Come sono questi testi in rapporto tra loro?",
    "gl": "Como se comparan estes textos?",
    "ar": "كيف تقارن بين هذه النصوص؟",
}
INSTRUCTIONS: Mapping[str, Mapping[str, str]] = {
    "magnitude": {
        "en": "You will see one text at a time. Answer each question with a number of your choice above 0. The numbers are proportions: where a question fits twice as much as before, give twice the number; where it fits half as much, half the number. There is no largest number, and fractions are allowed. There are no right or wrong answers.",
        "es": "Verá un texto cada vez. Responda a cada pregunta con un número de su elección mayor que 0. Los números son proporciones: si la pregunta se ajusta el doble que antes, dé el doble; si se ajusta la mitad, la mitad. No hay un número máximo y se permiten decimales. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen jeweils einen Text. Beantworten Sie jede Frage mit einer beliebigen Zahl über 0. Die Zahlen sind Verhältnisse: Trifft eine Frage doppelt so sehr zu wie zuvor, geben Sie die doppelte Zahl; trifft sie halb so sehr zu, die halbe. Es gibt keine größte Zahl, und Brüche sind erlaubt. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez un texte à la fois. Répondez à chaque question par un nombre de votre choix supérieur à 0. Les nombres sont des proportions : si la question s’applique deux fois plus qu’avant, donnez le double ; deux fois moins, la moitié. Il n’y a pas de nombre maximal et les décimales sont permises. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà un testo alla volta. Risponda a ogni domanda con un numero a scelta maggiore di 0. I numeri sono proporzioni: se la domanda si addice il doppio rispetto a prima, dia il doppio; se si addice la metà, la metà. Non c’è un numero massimo e i decimali sono ammessi. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá un texto de cada vez. Responda a cada pregunta cun número da súa elección maior ca 0. Os números son proporcións: se a pregunta se axusta o dobre ca antes, dea o dobre; se se axusta a metade, a metade. Non hai un número máximo e permítense decimais. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى نصًا واحدًا في كل مرة. أجب عن كل سؤال بعدد من اختيارك أكبر من 0. الأعداد نسب: إذا انطبق السؤال ضعف ما سبق فأعط ضعف العدد، وإذا انطبق نصف ما سبق فأعط نصفه. لا حد أعلى للعدد، والكسور مسموحة. لا توجد إجابات صحيحة أو خاطئة.",
    },
    "rankme": {
        "en": "You will see several texts about the same thing. Read them all, then answer the question for each of them with a number of your choice above 0. The numbers are proportions: where the question fits one text twice as much as another, give it twice the number. There is no largest number, and fractions are allowed. There are no right or wrong answers.",
        "es": "Verá varios textos sobre lo mismo. Léalos todos y responda a la pregunta para cada uno con un número de su elección mayor que 0. Los números son proporciones: si la pregunta se ajusta a un texto el doble que a otro, dele el doble. No hay un número máximo y se permiten decimales. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen mehrere Texte über dieselbe Sache. Lesen Sie alle und beantworten Sie dann die Frage für jeden mit einer beliebigen Zahl über 0. Die Zahlen sind Verhältnisse: Trifft die Frage auf einen Text doppelt so sehr zu wie auf einen anderen, geben Sie ihm die doppelte Zahl. Es gibt keine größte Zahl, und Brüche sind erlaubt. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez plusieurs textes sur le même sujet. Lisez-les tous, puis répondez à la question pour chacun par un nombre de votre choix supérieur à 0. Les nombres sont des proportions : si la question s’applique deux fois plus à un texte qu’à un autre, donnez-lui le double. Il n’y a pas de nombre maximal et les décimales sont permises. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà più testi sullo stesso argomento. Li legga tutti e poi risponda alla domanda per ciascuno con un numero a scelta maggiore di 0. I numeri sono proporzioni: se la domanda si addice a un testo il doppio che a un altro, gli dia il doppio. Non c’è un numero massimo e i decimali sono ammessi. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá varios textos sobre o mesmo. Léaos todos e responda á pregunta para cada un cun número da súa elección maior ca 0. Os números son proporcións: se a pregunta se axusta a un texto o dobre ca a outro, déalle o dobre. Non hai un número máximo e permítense decimais. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى عدة نصوص عن الموضوع نفسه. اقرأها كلها ثم أجب عن السؤال لكل نص بعدد من اختيارك أكبر من 0. الأعداد نسب: إذا انطبق السؤال على نص ضعف ما ينطبق على آخر فأعطه ضعف العدد. لا حد أعلى للعدد، والكسور مسموحة. لا توجد إجابات صحيحة أو خاطئة.",
    },
}
