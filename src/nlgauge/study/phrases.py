"""Wordings that a new study begins with, in the languages of the pages; a researcher edits them in the study file."""

# ruff: noqa: E501 - one sentence a line

from __future__ import annotations

QUESTION = {
    "en": "Select the text that you think was written by a different author.",
    "es": "Seleccione el texto que cree que fue escrito por otra persona.",
    "de": "Wählen Sie den Text, der Ihrer Meinung nach von jemand anderem geschrieben wurde.",
    "fr": "Choisissez le texte qui, selon vous, a été écrit par quelqu’un d’autre.",
    "it": "Scelga il testo che secondo Lei è stato scritto da un altro autore.",
    "gl": "Seleccione o texto que cre que foi escrito por outra persoa.",
    "ar": "اختر النص الذي تعتقد أن كاتبًا آخر كتبه.",
}
INSTRUCTIONS = {
    "en": "You will see three texts. Two were written by the same author, one by another. Read them as often as you "
    "like, then choose the one by the other author. If you see no difference, guess.",
    "es": "Verá tres textos. Dos fueron escritos por el mismo autor y uno por otro. Léalos tantas veces como quiera y "
    "elija el del otro autor. Si no ve ninguna diferencia, adivine.",
    "de": "Sie sehen drei Texte. Zwei hat dieselbe Person geschrieben, einen eine andere. Lesen Sie sie so oft Sie möchten "
    "und wählen Sie den Text der anderen Person. Wenn Sie keinen Unterschied sehen, raten Sie.",
    "fr": "Vous verrez trois textes. Deux ont été écrits par le même auteur, un par un autre. Lisez-les autant de fois que "
    "vous le souhaitez, puis choisissez celui de l’autre auteur. Si vous ne voyez aucune différence, devinez.",
    "it": "Vedrà tre testi. Due sono dello stesso autore, uno di un altro. Li legga quante volte vuole e scelga quello "
    "dell’altro autore. Se non vede alcuna differenza, tiri a indovinare.",
    "gl": "Verá tres textos. Dous foron escritos polo mesmo autor e un por outro. Léaos cantas veces queira e escolla o "
    "do outro autor. Se non ve ningunha diferenza, adiviñe.",
    "ar": "سترى ثلاثة نصوص. كتب مؤلف واحد اثنين منها، وكتب الثالث مؤلف آخر. اقرأها كما تشاء ثم اختر نص المؤلف الآخر. إذا لم تجد فرقًا فخمّن.",
}
CONSENT = {
    "en": "Taking part is voluntary and you may stop at any time. Your choices and the time they take are stored without "
    "your name. You can have everything that concerns you erased.",
    "es": "La participación es voluntaria y puede dejarla en cualquier momento. Sus respuestas y el tiempo que tardan se "
    "guardan sin su nombre. Puede pedir que se borre todo lo que le concierne.",
    "de": "Die Teilnahme ist freiwillig; Sie können jederzeit aufhören. Ihre Antworten und ihre Dauer werden ohne Ihren "
    "Namen gespeichert. Sie können alles löschen lassen, was Sie betrifft.",
    "fr": "La participation est volontaire et vous pouvez arrêter à tout moment. Vos réponses et leur durée sont conservées "
    "sans votre nom. Vous pouvez faire effacer tout ce qui vous concerne.",
    "it": "La partecipazione è volontaria e può smettere in qualsiasi momento. Le Sue risposte e la loro durata sono "
    "conservate senza il Suo nome. Può far cancellare tutto ciò che La riguarda.",
    "gl": "A participación é voluntaria e pode deixala en calquera momento. As súas respostas e o tempo que tardan gárdanse "
    "sen o seu nome. Pode pedir que se borre todo o que lle concirne.",
    "ar": "المشاركة طوعية ويمكنك التوقف في أي وقت. تُحفظ إجاباتك ومدتها دون اسمك، ويمكنك طلب محو كل ما يخصك.",
}
