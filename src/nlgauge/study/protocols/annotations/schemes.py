"""The usual schemes of error marking, in the languages of the pages.

MQM: the core of the error typology of the Multidimensional Quality Metrics (Lommel, Uszkoreit and Burchardt 2014), as
far as it makes sense for any generated text and not only for translations. Weights are those of MQM: an error is minor
(1), major (5) or critical (25), or neutral (0), which is noted and not counted. ESA (Kocmi et al. 2024): minor and major
spans without categories, before a score from 0 to 100; the weights 1 and 5 serve its count of errors alone.
"""

# ruff: noqa: E501 - one category a line

from __future__ import annotations

ORDER = ("en", "de", "es", "fr", "it", "gl", "ar")
Said = dict[str, str]
Sub = tuple[str, Said, Said]


def _in(*words: str) -> Said:
    return dict(zip(ORDER, words, strict=True))


MQM: tuple[tuple[str, Said, Said, tuple[Sub, ...]], ...] = (
    (
        "accuracy",
        _in("Accuracy", "Genauigkeit", "Precisión", "Exactitude", "Accuratezza", "Precisión", "الدقة"),
        _in(
            "The text does not say what the input says.",
            "Der Text sagt nicht, was die Eingabe sagt.",
            "El texto no dice lo que dice la entrada.",
            "Le texte ne dit pas ce que dit l’entrée.",
            "Il testo non dice ciò che dice l’input.",
            "O texto non di o que di a entrada.",
            "النص لا يقول ما يقوله المدخل.",
        ),
        (
            (
                "mistranslation",
                _in(
                    "Wrong content",
                    "Falscher Inhalt",
                    "Contenido erróneo",
                    "Contenu erroné",
                    "Contenuto errato",
                    "Contido erróneo",
                    "محتوى خاطئ",
                ),
                _in(
                    "Something is rendered wrongly.",
                    "Etwas ist falsch wiedergegeben.",
                    "Algo se expresa de forma equivocada.",
                    "Quelque chose est mal rendu.",
                    "Qualcosa è reso in modo errato.",
                    "Algo exprésase de forma equivocada.",
                    "شيء ما نُقل خطأً.",
                ),
            ),
            (
                "addition",
                _in("Addition", "Hinzufügung", "Adición", "Ajout", "Aggiunta", "Adición", "إضافة"),
                _in(
                    "Something is said that the input does not say.",
                    "Es steht etwas da, was die Eingabe nicht sagt.",
                    "Se dice algo que la entrada no dice.",
                    "Quelque chose est dit que l’entrée ne dit pas.",
                    "Si dice qualcosa che l’input non dice.",
                    "Dise algo que a entrada non di.",
                    "قيل شيء لا يقوله المدخل.",
                ),
            ),
            (
                "omission",
                _in("Omission", "Auslassung", "Omisión", "Omission", "Omissione", "Omisión", "حذف"),
                _in(
                    "Something that belongs there is missing.",
                    "Es fehlt etwas, was dazugehört.",
                    "Falta algo que debería estar.",
                    "Il manque quelque chose qui devrait y être.",
                    "Manca qualcosa che dovrebbe esserci.",
                    "Falta algo que debería estar.",
                    "ينقص شيء كان ينبغي أن يكون موجودًا.",
                ),
            ),
            (
                "untranslated",
                _in(
                    "Left as it was",
                    "Unübertragen",
                    "Sin transformar",
                    "Laissé tel quel",
                    "Lasciato com’era",
                    "Sen transformar",
                    "تُرك كما هو",
                ),
                _in(
                    "Something of the input was copied that should have been put into words or translated.",
                    "Etwas wurde aus der Eingabe übernommen, das hätte formuliert oder übersetzt werden müssen.",
                    "Se copió de la entrada algo que debía redactarse o traducirse.",
                    "Un élément de l’entrée a été copié au lieu d’être formulé ou traduit.",
                    "Qualcosa è stato copiato dall’input invece di essere formulato o tradotto.",
                    "Copiouse da entrada algo que debía redactarse ou traducirse.",
                    "نُسخ شيء من المدخل كان ينبغي صياغته أو ترجمته.",
                ),
            ),
        ),
    ),
    (
        "fluency",
        _in("Language", "Sprache", "Lenguaje", "Langue", "Lingua", "Linguaxe", "اللغة"),
        _in(
            "The text is not well formed, whatever it says.",
            "Der Text ist nicht wohlgeformt, was immer er sagt.",
            "El texto no está bien formado, diga lo que diga.",
            "Le texte n’est pas bien formé, quoi qu’il dise.",
            "Il testo non è ben formato, qualunque cosa dica.",
            "O texto non está ben formado, diga o que diga.",
            "النص غير سليم الصياغة، أيًّا كان ما يقوله.",
        ),
        (
            (
                "grammar",
                _in("Grammar", "Grammatik", "Gramática", "Grammaire", "Grammatica", "Gramática", "النحو"),
                _in(
                    "Forms, agreement or word order.",
                    "Formen, Übereinstimmung oder Wortstellung.",
                    "Formas, concordancia u orden de palabras.",
                    "Formes, accord ou ordre des mots.",
                    "Forme, concordanza o ordine delle parole.",
                    "Formas, concordancia ou orde das palabras.",
                    "الصيغ أو المطابقة أو ترتيب الكلمات.",
                ),
            ),
            (
                "spelling",
                _in(
                    "Spelling",
                    "Rechtschreibung",
                    "Ortografía",
                    "Orthographe",
                    "Ortografia",
                    "Ortografía",
                    "الإملاء",
                ),
                _in(
                    "Spelling or capital letters.",
                    "Schreibung oder Großbuchstaben.",
                    "Ortografía o mayúsculas.",
                    "Orthographe ou majuscules.",
                    "Ortografia o maiuscole.",
                    "Ortografía ou maiúsculas.",
                    "تهجئة الكلمات.",
                ),
            ),
            (
                "punctuation",
                _in(
                    "Punctuation",
                    "Zeichensetzung",
                    "Puntuación",
                    "Ponctuation",
                    "Punteggiatura",
                    "Puntuación",
                    "علامات الترقيم",
                ),
                _in(
                    "Signs that are wrong, missing or too many.",
                    "Zeichen, die falsch sind, fehlen oder zu viel sind.",
                    "Signos erróneos, que faltan o que sobran.",
                    "Signes erronés, manquants ou superflus.",
                    "Segni errati, mancanti o di troppo.",
                    "Signos erróneos, que faltan ou que sobran.",
                    "علامات خاطئة أو ناقصة أو زائدة.",
                ),
            ),
            (
                "inconsistency",
                _in(
                    "Inconsistency",
                    "Widerspruch",
                    "Incoherencia",
                    "Incohérence",
                    "Incoerenza",
                    "Incoherencia",
                    "عدم اتساق",
                ),
                _in(
                    "The text contradicts itself or calls one thing by several names.",
                    "Der Text widerspricht sich oder nennt eine Sache verschieden.",
                    "El texto se contradice o llama a una cosa de varias maneras.",
                    "Le texte se contredit ou nomme une chose de plusieurs façons.",
                    "Il testo si contraddice o chiama una cosa in più modi.",
                    "O texto contradise ou chama unha cousa de varias maneiras.",
                    "النص يناقض نفسه أو يسمّي الشيء بأسماء مختلفة.",
                ),
            ),
        ),
    ),
    (
        "terminology",
        _in(
            "Terminology",
            "Terminologie",
            "Terminología",
            "Terminologie",
            "Terminologia",
            "Terminoloxía",
            "المصطلحات",
        ),
        _in(
            "Not the term that the field uses.",
            "Nicht der Begriff, den das Fach verwendet.",
            "No es el término que se usa en el ámbito.",
            "Ce n’est pas le terme du domaine.",
            "Non è il termine usato nel settore.",
            "Non é o termo que se usa no ámbito.",
            "ليس المصطلح المستعمل في المجال.",
        ),
        (),
    ),
    (
        "style",
        _in("Style", "Stil", "Estilo", "Style", "Stile", "Estilo", "الأسلوب"),
        _in(
            "Correct but awkward, or not in the tone that fits.",
            "Richtig, aber holprig, oder im falschen Ton.",
            "Correcto pero forzado, o en un tono que no encaja.",
            "Correct mais maladroit, ou d’un ton qui ne convient pas.",
            "Corretto ma goffo, o in un tono inadatto.",
            "Correcto pero forzado, ou nun ton que non acae.",
            "صحيح لكنه ركيك، أو بنبرة لا تناسب.",
        ),
        (),
    ),
    (
        "locale",
        _in(
            "Local conventions",
            "Örtliche Gepflogenheiten",
            "Convenciones locales",
            "Conventions locales",
            "Convenzioni locali",
            "Convencións locais",
            "الأعراف المحلية",
        ),
        _in(
            "Dates, numbers, units or names not as they are written there.",
            "Daten, Zahlen, Einheiten oder Namen nicht so, wie man sie dort schreibt.",
            "Fechas, números, unidades o nombres que no se escriben así allí.",
            "Dates, nombres, unités ou noms non conformes à l’usage local.",
            "Date, numeri, unità o nomi non scritti come si usa.",
            "Datas, números, unidades ou nomes que non se escriben así alí.",
            "تواريخ أو أرقام أو وحدات أو أسماء لا تُكتب هكذا هناك.",
        ),
        (),
    ),
    (
        "other",
        _in("Other", "Anderes", "Otro", "Autre", "Altro", "Outro", "غير ذلك"),
        _in(
            "Whatever fits none of the others.",
            "Was zu keiner anderen passt.",
            "Lo que no encaja en las demás.",
            "Ce qui n’entre dans aucune autre.",
            "Ciò che non rientra nelle altre.",
            "O que non encaixa nas demais.",
            "ما لا يندرج تحت غيره.",
        ),
        (),
    ),
)
OF_DATA: dict[str, Said] = {
    "accuracy": _in(
        "The text does not say what the data say.",
        "Der Text sagt nicht, was die Daten sagen.",
        "El texto no dice lo que dicen los datos.",
        "Le texte ne dit pas ce que disent les données.",
        "Il testo non dice ciò che dicono i dati.",
        "O texto non di o que din os datos.",
        "النص لا يقول ما تقوله البيانات.",
    ),
    "addition": _in(
        "Something is said that the data do not say.",
        "Es steht etwas da, was die Daten nicht sagen.",
        "Se dice algo que los datos no dicen.",
        "Quelque chose est dit que les données ne disent pas.",
        "Si dice qualcosa che i dati non dicono.",
        "Dise algo que os datos non din.",
        "قيل شيء لا تقوله البيانات.",
    ),
    "untranslated": _in(
        "Something of the data was copied that should have been put into words.",
        "Etwas wurde aus den Daten übernommen, das hätte formuliert werden müssen.",
        "Se copió de los datos algo que debía redactarse.",
        "Un élément des données a été copié au lieu d’être formulé.",
        "Qualcosa è stato copiato dai dati invece di essere formulato.",
        "Copiouse dos datos algo que debía redactarse.",
        "نُسخ شيء من البيانات كان ينبغي صياغته.",
    ),
}
"""The definitions that speak of the input, where the input is a table: above it stands that these are data."""
_NEUTRAL = _in("Neutral", "Neutral", "Neutro", "Neutre", "Neutro", "Neutro", "محايد")
_MINOR = _in("Minor", "Leicht", "Leve", "Mineure", "Lieve", "Leve", "طفيف")
_MAJOR = _in("Major", "Schwer", "Grave", "Majeure", "Grave", "Grave", "جسيم")
_CRITICAL = _in("Critical", "Kritisch", "Crítico", "Critique", "Critico", "Crítico", "حرج")
_NEUTRAL_MEANS = _in(
    "Worth noting, but no fault of the text: it is not counted.",
    "Der Rede wert, aber kein Mangel des Textes: Es zählt nicht.",
    "Digno de mención, pero no es un defecto del texto: no se cuenta.",
    "À signaler, mais ce n’est pas un défaut du texte : ce n’est pas compté.",
    "Da segnalare, ma non è un difetto del testo: non viene contato.",
    "Digno de mención, pero non é un defecto do texto: non se conta.",
    "جدير بالملاحظة لكنه ليس عيبًا في النص: لا يُحسب.",
)
_MINOR_MEANS = _in(
    "A flaw that one notices, but the meaning is not changed and the text stays easy to follow.",
    "Ein Mangel, der auffällt; aber der Sinn bleibt derselbe, und der Text ist leicht zu verstehen.",
    "Un defecto que se nota, pero que no cambia el sentido ni dificulta la lectura.",
    "Un défaut que l’on remarque, mais qui ne change pas le sens et laisse le texte facile à suivre.",
    "Un difetto che si nota, ma che non cambia il senso e lascia il testo facile da seguire.",
    "Un defecto que se nota, pero que non cambia o sentido nin dificulta a lectura.",
    "عيب يُلاحَظ لكنه لا يغيّر المعنى ويبقى النص سهل المتابعة.",
)
_MAJOR_MEANS = _in(
    "The meaning is changed or unclear, so that readers are misled or cannot follow.",
    "Der Sinn ist verändert oder unklar, sodass Leser irregeführt werden oder nicht folgen können.",
    "El sentido cambia o no queda claro: se induce a error a quien lee o no se le deja seguir el texto.",
    "Le sens est changé ou obscur : les lecteurs sont induits en erreur ou ne peuvent pas suivre.",
    "Il senso è cambiato o poco chiaro: chi legge è tratto in inganno o non riesce a seguire.",
    "O sentido cambia ou non queda claro: indúcese a erro a quen le ou non se lle deixa seguir o texto.",
    "تغيّر المعنى أو غمض، فيُضلَّل القارئ أو لا يستطيع المتابعة.",
)
_CRITICAL_MEANS = _in(
    "So serious that the text cannot be used, or could do harm.",
    "So schwer, dass der Text unbrauchbar ist oder Schaden anrichten könnte.",
    "Tan grave que el texto no sirve o podría causar daño.",
    "Si grave que le texte est inutilisable ou pourrait causer un tort.",
    "Così grave che il testo è inutilizzabile o potrebbe causare danni.",
    "Tan grave que o texto non serve ou podería causar dano.",
    "جسيم إلى حد أن النص لا يصلح للاستعمال أو قد يسبب ضررًا.",
)
SEVERITIES: dict[str, tuple[tuple[str, float, Said, Said], ...]] = {
    "mqm": (
        ("neutral", 0.0, _NEUTRAL, _NEUTRAL_MEANS),
        ("minor", 1.0, _MINOR, _MINOR_MEANS),
        ("major", 5.0, _MAJOR, _MAJOR_MEANS),
        ("critical", 25.0, _CRITICAL, _CRITICAL_MEANS),
    ),
    "esa": (("minor", 1.0, _MINOR, _MINOR_MEANS), ("major", 5.0, _MAJOR, _MAJOR_MEANS)),
}
