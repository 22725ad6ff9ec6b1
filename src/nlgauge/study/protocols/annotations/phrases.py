"""Wordings that a new annotation study begins with, in the languages of the pages; a researcher edits them in the file."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

TITLE = {
    "post-edit": {
        "en": "Improving texts",
        "es": "Mejorar textos",
        "de": "Texte verbessern",
        "fr": "Améliorer des textes",
        "it": "Migliorare testi",
        "gl": "Mellorar textos",
        "ar": "تحسين النصوص",
    },
    "spans": {
        "en": "Finding errors in texts",
        "es": "Encontrar errores en textos",
        "de": "Fehler in Texten finden",
        "fr": "Trouver les erreurs dans des textes",
        "it": "Trovare errori nei testi",
        "gl": "Atopar erros en textos",
        "ar": "البحث عن الأخطاء في النصوص",
    },
}
INSTRUCTIONS = {
    "post-edit": {
        "en": "You will see one text at a time. Change it until it is acceptable, and no more than that takes. If it is fine as it is, say so. If it cannot be saved, write a new one.",
        "es": "Verá un texto cada vez. Cámbielo hasta que sea aceptable, y no más de lo necesario. Si está bien como está, dígalo. Si no tiene arreglo, escriba uno nuevo.",
        "de": "Sie sehen jeweils einen Text. Ändern Sie ihn, bis er annehmbar ist, und nicht mehr als nötig. Ist er gut, wie er ist, sagen Sie das. Ist er nicht zu retten, schreiben Sie einen neuen.",
        "fr": "Vous verrez un texte à la fois. Modifiez-le jusqu’à ce qu’il soit acceptable, et pas plus que nécessaire. S’il est bien tel quel, dites-le. S’il est irrécupérable, écrivez-en un nouveau.",
        "it": "Vedrà un testo alla volta. Lo modifichi finché è accettabile, e non più del necessario. Se va bene così com’è, lo dica. Se non si può salvare, ne scriva uno nuovo.",
        "gl": "Verá un texto de cada vez. Cámbieo ata que sexa aceptable, e non máis do necesario. Se está ben como está, dígao. Se non ten arranxo, escriba un novo.",
        "ar": "سترى نصًا واحدًا في كل مرة. غيّره حتى يصبح مقبولًا، ولا تغيّر أكثر مما يلزم. إن كان جيدًا كما هو فقل ذلك. وإن تعذّر إصلاحه فاكتب نصًا جديدًا.",
    },
    "spans": {
        "en": "You will see one text at a time. Mark every error in it, as short as the error is, and say how serious it is. If there is no error, say so.",
        "es": "Verá un texto cada vez. Marque cada error, tan breve como sea, y diga cómo es de grave. Si no hay ninguno, dígalo.",
        "de": "Sie sehen jeweils einen Text. Markieren Sie jeden Fehler darin, so kurz er ist, und sagen Sie, wie schwer er wiegt. Gibt es keinen Fehler, sagen Sie das.",
        "fr": "Vous verrez un texte à la fois. Marquez chaque erreur, au plus court, et dites sa gravité. S’il n’y en a pas, dites-le.",
        "it": "Vedrà un testo alla volta. Segni ogni errore, solo dove si trova, e dica quanto è grave. Se non ce n’è nessuno, lo dica.",
        "gl": "Verá un texto de cada vez. Marque cada erro, tan breve como sexa, e diga como é de grave. Se non hai ningún, dígao.",
        "ar": "سترى نصًا واحدًا في كل مرة. حدّد كل خطأ فيه بأقصر ما يمكن، وبيّن مدى خطورته. وإن لم يكن فيه خطأ فقل ذلك.",
    },
}
EFFORT = {
    "en": "How much work, if any, did this text need?",
    "es": "¿Cuánto trabajo necesitó este texto, si es que necesitó alguno?",
    "de": "Wie viel Arbeit, wenn überhaupt, hat dieser Text erfordert?",
    "fr": "Quelle quantité de travail ce texte a-t-il demandée, le cas échéant ?",
    "it": "Quanto lavoro ha richiesto questo testo, se ne ha richiesto?",
    "gl": "Canto traballo precisou este texto, se precisou algún?",
    "ar": "كم من الجهد احتاج هذا النص، إن احتاج إلى شيء؟",
}
EFFORT_ENDS = (
    {
        "en": "None",
        "es": "Ninguno",
        "de": "Keine",
        "fr": "Aucune",
        "it": "Nessuno",
        "gl": "Ningún",
        "ar": "لا شيء",
    },
    {
        "en": "Very much",
        "es": "Muchísimo",
        "de": "Sehr viel",
        "fr": "Énormément",
        "it": "Moltissimo",
        "gl": "Moitísimo",
        "ar": "كثير جدًا",
    },
)
EFFORT_DEFINITION = {
    "en": "The work that the text needed before it could be accepted, from none upwards, by your own impression.",
    "es": "El trabajo que el texto necesitó hasta ser aceptable, desde ninguno en adelante, según su propia impresión.",
    "de": "Die Arbeit, die der Text brauchte, bis er annehmbar war, von keiner aufwärts, nach Ihrem eigenen Eindruck.",
    "fr": "Le travail qu’il a fallu pour que le texte soit acceptable, à partir d’aucun, selon votre propre impression.",
    "it": "Il lavoro che è servito perché il testo fosse accettabile, da nessuno in su, secondo la sua impressione.",
    "gl": "O traballo que o texto precisou ata ser aceptable, desde ningún en diante, segundo a súa propia impresión.",
    "ar": "الجهد الذي احتاج إليه النص حتى يصبح مقبولًا، من لا شيء فصاعدًا، بحسب انطباعك.",
}
