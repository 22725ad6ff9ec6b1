"""The review on wordings it was made from, on wordings it was not, and rule by rule.

Wordings under `training/` were used for the rules or the reader, so that shares on them say only that nothing broke.
`unseen.jsonl` holds sets by authors who had not seen rules or examples, reviewed once before anybody looked at them;
docs/studies/question-review.md has the figures of then.
"""

# ruff: noqa: E501 - wordings read better in one piece

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from nlgauge.study.question_review import Piece, review
from nlgauge.study.question_review.book import PAPERS, Remark, book, languages, parse
from nlgauge.study.question_review.reading import sentences
from nlgauge.study.question_review.rewording import is_sound
from nlgauge.study.question_review.second import BIASED as LIMIT
from nlgauge.study.question_review.second import odds, opinion

HERE = Path(__file__).parent
TRAINING = HERE.parents[2] / "training" / "wordings"


def rows(file: Path, step: int = 1) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()[::step]]


@cache
def reviewed(text: str) -> tuple[Remark, ...]:
    return tuple(review([text]))


def kinds(text: str, **where: object) -> set[str]:
    found = review([Piece(text, **where)]) if where else reviewed(text)  # type: ignore[arg-type]
    return {remark.kind for remark in found}


def shares(given: list[dict[str, Any]]) -> tuple[float, float]:
    """The share of biased wordings that are found, and of neutral ones that alarm."""
    found = [bool(reviewed(row["text"])) for row in given if row["biased"]]
    alarms = [bool(reviewed(row["text"])) for row in given if not row["biased"]]
    return sum(found) / len(found), sum(alarms) / len(alarms)


def test_wordings_learnt_from() -> None:
    files = [file for file in sorted(TRAINING.glob("*.jsonl")) if file.stem != "held"]
    given = [row for file in files for row in rows(file, step=40)]
    found, alarms = shares(given)
    assert len(given) > 150
    assert found > 0.95 and alarms < 0.04, (found, alarms)


def test_wordings_not_learnt_from() -> None:
    """The limits were chosen on the sets that were held out; the others were seen when all was done."""
    held, unseen = rows(TRAINING / "held.jsonl"), rows(HERE / "unseen.jsonl")
    assert len(held) == 160 and len(unseen) == 320
    found, alarms = shares(held)
    assert found >= 35 / 40 and alarms <= 4 / 40, (found, alarms)
    found, alarms = shares(unseen)
    assert found >= 36 / 40 and alarms <= 2 / 40, (found, alarms)


def test_what_is_no_wording_of_the_researcher_is_not_read() -> None:
    answers = "What is its tone? Clearly negative, somewhat negative, neither, somewhat positive, clearly positive."
    said = "User: Your service is terrible and I hate it.\nAgent: I am sorry to hear that."
    texts = f"{said}\nIs the reply polite? Yes / No"
    assert kinds(answers) == set() and kinds(texts) == set()
    assert kinds(texts.replace("User: ", "Your terrible service: ")) == {"loaded words"}


@pytest.mark.parametrize("text", ["a / " * 700, ": " + "a, " * 700, "1 = a, " * 500, "word " * 1000, "x" + " " * 9000])
def test_odd_texts_take_no_time(text: str) -> None:
    start = process_time()
    reviewed(text + "?")
    assert process_time() - start < 4


def test_what_a_sentence_does() -> None:
    scale = "Strongly disagree / Disagree / Agree / Strongly agree"
    text = f"A text is fair if it is balanced. Read it. Is it fair? The text is fair. {scale}"
    moods = [one.mood for one in sentences(text, book("en").patterns)]
    assert moods == ["definition", "instruction", "question", "claim"]


def test_every_remark_is_whole() -> None:
    for text in (row["text"] for row in rows(TRAINING / "development.jsonl", step=8) if row["biased"]):
        for remark in reviewed(text):
            assert isinstance(remark, Remark) and remark.line == 1 and remark.text == text
            assert remark.words and remark.reason and remark.paper in PAPERS.values() and remark.rewording
            assert (
                remark.words.replace("'", "’").replace(" ", "") in text.replace("'", "’").replace(" ", "")
                or remark.kind == "unbalanced scale"
            )


@pytest.mark.parametrize(
    ("kind", "hit", "miss"),
    [
        ("comparison", "How much clearer is text A than text B?", "How much clearer or less clear is A than B?"),
        ("comparison", "Is text A more natural than text B?", "Is text A more natural than text B, or less natural?"),
        ("presupposition", "Why is the story so engaging?", "Why did you choose this story?"),
        ("presupposition", "How serious are the errors in it?", "How serious are the errors you marked?"),
        ("loaded words", "How coherent is this brilliant story?", "Does the story use the word “brilliant”?"),
        ("negative wording", "How incoherent is the text?", "How coherent or incoherent is the text?"),
        ("leading", "The text is clear, isn't it?", "Is the text clear?"),
        ("leading", "Do you agree that it is clear?", "Do you agree or disagree that it is clear?"),
        ("negated", "Does the text not make sense?", "Does the text say things that are not in the source?"),
        ("double-barrelled", "How clear and relevant is it?", "How would you rate its grammar and spelling?"),
        ("unbalanced scale", "Was it good, very good or excellent?", "Was it bad, neither good nor bad, or good?"),
        ("unlabelled scale", "Rate it from 1 to 5.", "Rate it from 1 (very bad) to 5 (very good)."),
        ("unlabelled scale", "Score it out of 10.", "Write 1 to 3 sentences about it."),
        ("system names", "Is the GPT-4 summary complete?", "Is the summary complete?"),
        ("origin told", "This text was written by a machine.", "Was this text written by a person or a machine?"),
        ("our system", "How good is our model?", "Please contact our team with questions."),
        ("hypothesis", "We expect text B to be clearer.", "We expect the task to take ten minutes."),
        ("hint", "Our editors were enthusiastic about this text.", "The editors of the journal are shown below."),
        ("pay", "You get a bonus if you prefer text A.", "You get the same pay whatever you prefer."),
        ("praised trait", "Good texts use short sentences.", "Ignore how long the sentences are."),
        ("appeal", "Please be generous.", "Please be honest."),
        ("others’ answers", "Most judges preferred text A.", "You judge alone."),
        ("stated score", "The average score is 4.", "Choose a score from 1 (bad) to 5 (good)."),
        ("preset answer", "The slider is set to 70.", "The slider has no starting position."),
        ("fixed order", "Text A is always shown first.", "The texts are shown in random order."),
        ("fatigue", "You will rate 500 texts today.", "You will rate 20 texts today."),
        ("absolute", "Is the chatbot always polite?", "Is the chatbot polite: always, often, rarely or never?"),
        (
            "overlapping answers",
            "How many errors do you see? 0-2 / 2-5 / 5-9",
            "How many errors do you see? 0-2 / 3-5 / 6-9",
        ),
        (
            "contradictory scale",
            "How clear is it? 1 = good, 2 = bad, 3 = very good, 4 = very bad",
            "How clear is it? 1 = very bad, 2 = bad, 3 = good, 4 = very good",
        ),
        (
            "vague recall",
            "How often do you usually read machine translations?",
            "How often did you read the text above?",
        ),
        ("jargon", "Is the anaphora resolved?", "Is it clear whom “she” refers to?"),
    ],
)
def test_each_rule_has_a_hit_and_a_near_miss(kind: str, hit: str, miss: str) -> None:
    assert kind in kinds(hit)
    assert kinds(miss) == set()


@pytest.mark.parametrize(
    ("text", "rewording"),
    [
        ("How much more fluent is A than B?", "Which of the two is more fluent: A, B, or is there no difference?"),
        (
            "Is caption A more accurate than caption B?",
            "Which caption is more accurate: caption A, caption B, or is there no difference?",
        ),
        ("How unnatural is this sentence?", "How natural or unnatural is this sentence?"),
        ("Don't you think that the summary is clear?", "How clear or confusing is the summary?"),
        ("How fluent and informative is the text?", "(1) How fluent is the text? (2) How informative is the text?"),
        ("Is the text not understandable?", "Is the text understandable?"),
        ("How natural does the clumsy sentence below sound?", "How natural does the sentence below sound?"),
        ("Most annotators gave this text a 4. How would you rate it?", "How would you rate this text?"),
        (
            "How fluent is the text on a scale of 1-7?",
            "How fluent is the text on a scale of 1-7? (1 = not at all fluent, 7 = completely fluent)",
        ),
    ],
)
def test_rewordings_are_made_from_the_question(text: str, rewording: str) -> None:
    found = review([text])
    assert found[0].rewording == rewording
    assert kinds(rewording) == set()


def test_rewordings_are_sentences_in_which_nothing_is_found() -> None:
    given = [row["text"] for row in rows(TRAINING / "development.jsonl", step=1) if row["biased"]]
    found = [remark for text in given for remark in reviewed(text)]
    made = {remark.rewording for remark in found if not remark.advice}
    assert len(made) > 60
    assert not [wording for wording in made if kinds(wording) or not is_sound(wording)]
    advice = {remark.rewording for remark in found if remark.advice}
    assert all(is_sound(sentence) and sentence.endswith((".", "”")) for sentence in advice)


@pytest.mark.parametrize(
    "text",
    [
        "Is the chatbot always polite and never wrong?",
        "How fluent and beautifully accurate is this translation?",
        "How good is the GPT-4 summary of our model?",
        "How well does PLANWRITE, the model introduced in this project, order the events of the report?",
        "Why is output B the better paraphrase of the two, and by how much?",
        "Is the summary both short and faithful to the article? Yes / No",
        "How badly does this translation distort what the source sentence says?",
        "Most people feel that the reply follows naturally. Do you feel the same? Yes / No",
        "It is anticipated that participants will find the explanation clearer. How clear is it?",
        "Please judge the text that our team has spent years on. Good, middling or poor?",
    ],
)
def test_what_cannot_be_reworded_for_certain_gets_advice(text: str) -> None:
    found = reviewed(text)
    assert found
    for remark in found:
        assert is_sound(remark.rewording)
        assert remark.advice or kinds(remark.rewording) == set()


@pytest.mark.parametrize(
    "text",
    [
        "How fluent accurate or not is an sentence?",
        "How good is the ?",
        "Which headline fits better, yours or the one?",
        "how good is it?",
        "Is it (good?",
    ],
)
def test_broken_sentences_are_known(text: str) -> None:
    assert not is_sound(text)


def test_roles() -> None:
    scale = "acceptable / good / very good / excellent"
    assert kinds(scale, role="labels") == {"unbalanced scale"}
    assert kinds("very bad / bad / neither / good / very good", role="labels") == set()
    assert kinds("Rate it from 1 to 5.", labelled=True) == set()
    assert kinds("How much better is our model?", role="example") == set()
    assert kinds("How much better is our model?", role="consent") == {"our system"}


def test_every_language_has_a_file_that_compiles() -> None:
    assert "en" in languages()
    for language in languages():
        assert book(language).rules


def test_another_language_is_a_rule_file() -> None:
    rules = parse(
        "xx",
        "[words]\nsure = 'ja klar'\n[[rule]]\nkind='leading'\nbias='framing'\nreason='“{words}” leads'\n"
        "rewording='Ask openly.'\nfind=['\\b<sure>\\b']\n",
    )
    assert rules.rules[0].find[0].search("Das ist klar")
    assert not rules.rules[0].find[0].search("Das ist unklar")


def test_a_second_opinion_adds_and_drops() -> None:
    """A wording that no rule names but that steers; and a rule's finding in a neutral wording."""
    told = "The first caption took weeks of patient work. How accurate is it? 1 = not at all, 5 = completely"
    [found] = review([told])
    assert found.kind and found.words in told and found.paper.startswith("Schoch")
    assert "seems" in found.reason and found.rewording
    plain = "Order the three answers by how suitable they are, most suitable at the top, least suitable at the bottom."
    assert odds(plain, "en") < LIMIT and kinds(plain) == set()
    assert opinion("Wie flüssig ist der Text?", book("de")) is None
    assert opinion("One. " * 20, book("en")) is None


def test_a_quoted_text_is_not_the_wording() -> None:
    said = "The clerk says: “Our rooms are simply the very best in town!” How polite or impolite is the clerk? 1 = very impolite, 5 = very polite"
    assert kinds(said) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Wie flüssig ist dieser Text?",
        "Quelle est la fluidité de ce texte ?",
        "ما مدى طلاقة هذا النص؟",
        "このテキストはどのくらい自然ですか。",
    ],
)
def test_the_reader_says_nothing_of_other_languages(text: str) -> None:
    assert kinds(text) == set()


def test_every_label_of_the_reader_has_its_words() -> None:
    from nlgauge.models.reader import reader

    assert set(book("en").seen) == set(reader().wording_labels) - {"neutral"}
    for said in book("en").seen.values():
        assert "{words}" in said["reason"] and said["kind"] and said["bias"]


@pytest.mark.parametrize(
    ("answers", "uneven"),
    [
        ("Somewhat tactful, fairly tactful, very tactful, deeply tactful", True),
        ("A little / Quite a bit / A great deal", True),
        ("Sometimes / Often / Always", True),
        ("Not at all / A little / Quite a bit / A great deal", False),
        ("Never / Sometimes / Often / Always", False),
        ("Far too little / Too little / About right / Too much / Far too much", False),
    ],
)
def test_amounts_need_room_for_little(answers: str, uneven: bool) -> None:
    assert ("unbalanced scale" in kinds(f"How tactful is the reply? {answers}")) is uneven


@pytest.mark.parametrize(
    ("kind", "hit", "miss"),
    [
        (
            "time pressure",
            "You have five seconds per item. Is it polite? Yes / No",
            "There is no time limit. Is it polite? Yes / No",
        ),
        (
            "pay",
            "A gift card is drawn among those who accept at least nine texts.",
            "A gift card is drawn among all participants.",
        ),
        (
            "unlabelled scale",
            "Give the reply a mark between one and ten points.",
            "Give the reply a mark from 1 (bad) to 10 (good).",
        ),
        (
            "preset answer",
            "We've filled in “good” for all items. Is it good? Yes / No",
            "No answer is set beforehand. Is it good? Yes / No",
        ),
        (
            "system names",
            "Rank these by length: BART summary, T5 summary, lead baseline.",
            "Rank these by length: summary 1, summary 2, summary 3.",
        ),
    ],
)
def test_rules_by_the_parts_of_a_sentence(kind: str, hit: str, miss: str) -> None:
    assert kind in kinds(hit)
    assert kinds(miss) == set()
