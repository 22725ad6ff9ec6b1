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
        "en": "You will see one text at a time. Answer each question with a number of your choice above 0. The numbers are proportions: give twice the number for twice as much of what the question asks about, half the number for half as much. There is no largest number, and fractions are allowed. There are no right or wrong answers.",
        "es": "Verá un texto cada vez. Responda a cada pregunta con un número de su elección mayor que 0. Los números son proporciones: el doble para el doble de lo que se pregunta, la mitad para la mitad. No hay un número máximo y se permiten decimales. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen jeweils einen Text. Beantworten Sie jede Frage mit einer beliebigen Zahl über 0. Die Zahlen sind Verhältnisse: die doppelte Zahl für doppelt so viel von dem, wonach gefragt wird, die halbe für halb so viel. Es gibt keine größte Zahl, und Brüche sind erlaubt. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez un texte à la fois. Répondez à chaque question par un nombre de votre choix supérieur à 0. Les nombres sont des proportions : le double pour deux fois plus de ce qui est demandé, la moitié pour deux fois moins. Il n’y a pas de nombre maximal et les décimales sont permises. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà un testo alla volta. Risponda a ogni domanda con un numero a scelta maggiore di 0. I numeri sono proporzioni: il doppio per il doppio di ciò che si chiede, la metà per la metà. Non c’è un numero massimo e i decimali sono ammessi. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá un texto de cada vez. Responda a cada pregunta cun número da súa elección maior ca 0. Os números son proporcións: o dobre para o dobre do que se pregunta, a metade para a metade. Non hai un número máximo e permítense decimais. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى نصًا واحدًا في كل مرة. أجب عن كل سؤال بعدد من اختيارك أكبر من 0. الأعداد نسب: أعط ضعف العدد لضعف ما يُسأل عنه، ونصفه لنصف ما يُسأل عنه. لا حد أعلى للعدد، والكسور مسموحة. لا توجد إجابات صحيحة أو خاطئة.",
    },
    "rankme": {
        "en": "You will see several texts about the same thing. Read them all, then answer the question for each of them with a number of your choice above 0. The numbers are proportions: give a text twice the number of another for twice as much of what the question asks about. There is no largest number, and fractions are allowed. There are no right or wrong answers.",
        "es": "Verá varios textos sobre lo mismo. Léalos todos y responda a la pregunta para cada uno con un número de su elección mayor que 0. Los números son proporciones: dé a un texto el doble que a otro si tiene el doble de lo que se pregunta. No hay un número máximo y se permiten decimales. No hay respuestas correctas ni incorrectas.",
        "de": "Sie sehen mehrere Texte über dieselbe Sache. Lesen Sie alle und beantworten Sie dann die Frage für jeden mit einer beliebigen Zahl über 0. Die Zahlen sind Verhältnisse: Geben Sie einem Text die doppelte Zahl eines anderen, wenn er doppelt so viel von dem hat, wonach gefragt wird. Es gibt keine größte Zahl, und Brüche sind erlaubt. Es gibt keine richtigen oder falschen Antworten.",
        "fr": "Vous verrez plusieurs textes sur le même sujet. Lisez-les tous, puis répondez à la question pour chacun par un nombre de votre choix supérieur à 0. Les nombres sont des proportions : donnez à un texte le double d’un autre s’il a deux fois plus de ce qui est demandé. Il n’y a pas de nombre maximal et les décimales sont permises. Il n’y a ni bonne ni mauvaise réponse.",
        "it": "Vedrà più testi sullo stesso argomento. Li legga tutti e poi risponda alla domanda per ciascuno con un numero a scelta maggiore di 0. I numeri sono proporzioni: dia a un testo il doppio di un altro se ha il doppio di ciò che si chiede. Non c’è un numero massimo e i decimali sono ammessi. Non ci sono risposte giuste o sbagliate.",
        "gl": "Verá varios textos sobre o mesmo. Léaos todos e responda á pregunta para cada un cun número da súa elección maior ca 0. Os números son proporcións: dea a un texto o dobre ca a outro se ten o dobre do que se pregunta. Non hai un número máximo e permítense decimais. Non hai respostas correctas nin incorrectas.",
        "ar": "سترى عدة نصوص عن الموضوع نفسه. اقرأها كلها ثم أجب عن السؤال لكل نص بعدد من اختيارك أكبر من 0. الأعداد نسب: أعط نصًا ضعف عدد نص آخر إذا كان فيه ضعف ما يُسأل عنه. لا حد أعلى للعدد، والكسور مسموحة. لا توجد إجابات صحيحة أو خاطئة.",
    },
}
