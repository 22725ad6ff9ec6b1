"""Wordings that a new study begins with, in the languages of the pages; a researcher edits them in the study file."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

TITLE = {
    "en": "Who wrote these texts?",
    "es": "¿Quién escribió estos textos?",
    "de": "Wer hat diese Texte geschrieben?",
    "fr": "Qui a écrit ces textes ?",
    "it": "Chi ha scritto questi testi?",
    "gl": "Quen escribiu estes textos?",
    "ar": "من كتب هذه النصوص؟",
}
QUESTION = {
    "en": "Select the text that you think was written by a different author.",
    "es": "Seleccione el texto que cree que fue escrito por otro autor o autora.",
    "de": "Wählen Sie den Text, der Ihrer Meinung nach von einem anderen Autor oder einer anderen Autorin stammt.",
    "fr": "Choisissez le texte qui, selon vous, a été écrit par un autre auteur.",
    "it": "Scelga il testo che secondo Lei è stato scritto da un altro autore.",
    "gl": "Seleccione o texto que cre que foi escrito por outro autor ou autora.",
    "ar": "اختر النص الذي تعتقد أن مؤلفًا آخر كتبه.",
}
INSTRUCTIONS = {
    "en": "You will see three texts. Two were written by the same author, one by another. Read them as often as you "
    "like, then choose the one by the other author. If you see no difference, guess.",
    "es": "Verá tres textos. Dos fueron escritos por el mismo autor o autora y uno por otro. Léalos tantas veces como "
    "quiera y elija el del otro autor o autora. Si no ve ninguna diferencia, adivine.",
    "de": "Sie sehen drei Texte. Zwei stammen von demselben Autor oder derselben Autorin, einer hat einen anderen Autor oder "
    "eine andere Autorin. Lesen Sie sie so oft Sie möchten und wählen Sie diesen einen Text. Wenn Sie keinen Unterschied sehen, raten Sie.",
    "fr": "Vous verrez trois textes. Deux ont été écrits par le même auteur, un par un autre. Lisez-les autant de fois que "
    "vous le souhaitez, puis choisissez celui de l’autre auteur. Si vous ne voyez aucune différence, devinez.",
    "it": "Vedrà tre testi. Due sono dello stesso autore, uno di un altro. Li legga quante volte vuole e scelga quello "
    "dell’altro autore. Se non vede alcuna differenza, tiri a indovinare.",
    "gl": "Verá tres textos. Dous foron escritos polo mesmo autor ou autora e un por outro. Léaos cantas veces queira e "
    "escolla o do outro autor ou autora. Se non ve ningunha diferenza, adiviñe.",
    "ar": "سترى ثلاثة نصوص. كتب مؤلف واحد اثنين منها، وكتب الثالث مؤلف آخر. اقرأها كما تشاء ثم اختر نص المؤلف الآخر. إذا لم تجد فرقًا فخمّن.",
}
CONSENT = {  # whom to ask for erasure stands below it on the page, from ethics.contact
    "en": "Taking part is voluntary and you may stop at any time; what you have answered until then is kept unless you ask "
    "for it to be erased. Your choices and the time they take are stored without your name. You can have everything that "
    "concerns you erased.",
    "es": "La participación es voluntaria y puede dejarla en cualquier momento; lo que haya respondido hasta entonces se "
    "conserva, salvo que pida que se borre. Sus respuestas y el tiempo que tardan se guardan sin su nombre. Puede pedir "
    "que se borre todo lo que le concierne.",
    "de": "Die Teilnahme ist freiwillig; Sie können jederzeit aufhören. Was Sie bis dahin geantwortet haben, bleibt "
    "gespeichert, wenn Sie nicht um Löschung bitten. Ihre Antworten und ihre Dauer werden ohne Ihren Namen gespeichert. Sie "
    "können alles löschen lassen, was Sie betrifft.",
    "fr": "La participation est volontaire et vous pouvez arrêter à tout moment ; vos réponses données jusque-là sont "
    "conservées, sauf si vous demandez leur effacement. Vos réponses et leur durée sont enregistrées sans votre nom. Vous "
    "pouvez faire effacer tout ce qui vous concerne.",
    "it": "La partecipazione è volontaria e può smettere in qualsiasi momento; ciò che ha risposto fino ad allora è "
    "conservato, a meno che non ne chieda la cancellazione. Le Sue risposte e la loro durata sono conservate senza il Suo "
    "nome. Può far cancellare tutto ciò che La riguarda.",
    "gl": "A participación é voluntaria e pode deixala en calquera momento; o que respondese ata entón consérvase, salvo que "
    "pida que se borre. As súas respostas e o tempo que tardan gárdanse sen o seu nome. Pode pedir que se borre todo o que "
    "lle concirne.",
    "ar": "المشاركة طوعية ويمكنك التوقف في أي وقت، وتبقى الإجابات التي قدمتها حتى ذلك الحين محفوظة ما لم تطلب محوها. تُحفظ إجاباتك ومدتها دون اسمك، ويمكنك طلب محو كل ما يخصك.",
}
