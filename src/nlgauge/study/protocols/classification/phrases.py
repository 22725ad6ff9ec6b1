"""Wordings of a classification in the languages of the pages; a researcher edits those of the file."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

TITLE = {
    "en": "Where does this text come from?",
    "es": "¿De dónde viene este texto?",
    "de": "Woher stammt dieser Text?",
    "fr": "D’où vient ce texte ?",
    "it": "Da dove viene questo testo?",
    "gl": "De onde vén este texto?",
    "ar": "من أين يأتي هذا النص؟",
}
QUESTION = {
    "en": "Which of these does the text belong to?",
    "es": "¿A cuál de estas opciones pertenece el texto?",
    "de": "Wozu gehört der Text?",
    "fr": "À laquelle de ces catégories ce texte appartient-il ?",
    "it": "A quale di queste categorie appartiene il testo?",
    "gl": "A cal destas opcións pertence o texto?",
    "ar": "إلى أي من هذه الفئات ينتمي النص؟",
}
INSTRUCTIONS = {
    "en": "You will see one text at a time. Read it, then choose the one answer that you think is right. If you are not sure, choose the likeliest; you need not use all answers equally often.",
    "es": "Verá un texto cada vez. Léalo y elija la única respuesta que le parezca correcta. Si no está seguro, elija la más probable; no hace falta usar todas las respuestas por igual.",
    "de": "Sie sehen jeweils einen Text. Lesen Sie ihn und wählen Sie die eine Antwort, die Sie für richtig halten. Wenn Sie unsicher sind, wählen Sie die wahrscheinlichste; Sie müssen nicht alle Antworten gleich oft geben.",
    "fr": "Vous verrez un texte à la fois. Lisez-le, puis choisissez la seule réponse qui vous semble juste. En cas de doute, choisissez la plus probable ; il n’est pas nécessaire d’utiliser toutes les réponses aussi souvent.",
    "it": "Vedrà un testo alla volta. Lo legga e poi scelga la sola risposta che le sembra giusta. Se non è sicuro, scelga la più probabile; non occorre usare tutte le risposte con la stessa frequenza.",
    "gl": "Verá un texto de cada vez. Léao e escolla a única resposta que lle pareza correcta. Se non está seguro, escolla a máis probable; non fai falta usar todas as respostas por igual.",
    "ar": "سترى نصًا واحدًا في كل مرة. اقرأه ثم اختر الإجابة الوحيدة التي تراها صحيحة. إذا لم تكن متأكدًا فاختر الأرجح، ولا يلزم أن تستعمل كل الإجابات بالقدر نفسه.",
}
