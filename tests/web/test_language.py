"""The phrases of the pages: whole, alike in every language, and well written; plurals; the choice of a language."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from nlgauge.study.languages import LANGUAGES
from nlgauge.web import judges
from nlgauge.web.language import Phrases, choose, load

WEB = Path(judges.__file__).parent
CODES = {"done", "failed", "preview", "notfound", "method", "fault", "busy"}  # besides those of refusals
OTHERS = [code for code in LANGUAGES if code != "en"]
# words that are the same in English and another language
SAME = {("fr", "show_source_summarisation"), ("de", "text_number"), ("es", "error_page")}
TEXTS = {"title", "contact", "approval", "body", "question"}  # placeholders that take words
MARKS = {"en": "“”’", "es": "«»", "de": "„“", "fr": "«»’", "it": "«»’", "gl": "«»", "ar": "«»"}


def forms(catalogue: Phrases, key: str) -> dict[str, str]:
    found = catalogue.sentences[key]
    return {"": found} if isinstance(found, str) else dict(found)


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_rules_a_name_and_a_direction(code: str) -> None:
    catalogue = load(code)
    assert catalogue.code == code
    assert catalogue.name and catalogue.direction == ("rtl" if code == "ar" else "ltr")


@pytest.mark.parametrize("code", OTHERS)
def test_same_keys_in_the_same_order(code: str) -> None:
    assert list(load(code).sentences) == list(load("en").sentences)


@pytest.mark.parametrize("code", OTHERS)
def test_same_placeholders(code: str) -> None:
    for key in load("en").sentences:
        wanted = set().union(*map(placeholders, forms(load("en"), key).values()))
        theirs = forms(load(code), key)
        for category, sentence in theirs.items():
            # “one word” may say the number in words where the form is for that number alone
            alone = re.fullmatch(r"n = \d+", load(code).rules.plurals.get(category, ""))
            spelt = {"count", "total", "seconds"} if alone else set()
            assert wanted - spelt <= placeholders(sentence) <= wanted, (key, category)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_form_for_every_plural_category(code: str) -> None:
    for key in load("en").sentences:
        english, theirs = forms(load("en"), key), forms(load(code), key)
        assert ("" in english) == ("" in theirs), key
        if "" not in theirs:
            assert tuple(theirs) == load(code).rules.categories, key


@pytest.mark.parametrize("code", OTHERS)
def test_nothing_is_left_in_english(code: str) -> None:
    for key in load("en").sentences:
        if (code, key) in SAME or key == "progress":
            continue
        assert not set(forms(load("en"), key).values()) & set(forms(load(code), key).values()), key


@pytest.mark.parametrize("code", LANGUAGES)
def test_typography(code: str) -> None:
    for key in load(code).sentences:
        for sentence in forms(load(code), key).values():
            assert sentence == sentence.strip() and sentence, key
            assert "  " not in sentence and not re.search(r"[\"'`´]|\.\.\.", sentence), (key, sentence)
            assert "<" not in sentence and "&" not in sentence, key
            used = set(re.findall("[“”„«»’‘]", sentence))
            assert used <= set(MARKS.get(code, "“”„«»’‘")), (key, sentence)
            if code == "fr":
                assert not re.search(r"[^\u00a0\u202f][?!;:»]|«[^\u00a0]", sentence), (key, sentence)
            if code == "ar":
                assert not re.search("[,;?]|[A-Za-z](?![^{]*})", sentence), (key, sentence)


@pytest.mark.parametrize("code", LANGUAGES)
def test_questions_and_titles_end_alike(code: str) -> None:
    """A sentence that ends with a full stop in English does so everywhere; a title nowhere."""
    for key in load("en").sentences:
        full = {sentence[-1] in ".؟?" for sentence in forms(load(code), key).values()}
        english = {sentence[-1] in ".?" for sentence in forms(load("en"), key).values()}
        assert full == english, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_phrase_can_be_said(code: str) -> None:
    for key in load(code).sentences:
        for number in (0, 1, 2, 3, 10, 11, 99, 100, 101, 102, 103, 1111):
            names = set().union(*map(placeholders, forms(load("en"), key).values()))
            values = {name: "x" if name in TEXTS else number for name in names}
            said = load(code).say(key, **values)
            assert said and "{" not in said, key


@pytest.mark.parametrize(
    ("count", "category"),
    [
        (0, "zero"),
        (1, "one"),
        (2, "two"),
        (3, "few"),
        (10, "few"),
        (11, "many"),
        (99, "many"),
        (100, "other"),
        (102, "other"),
        (103, "few"),
        (110, "few"),
        (111, "many"),
        (1000, "other"),
        (1003, "few"),
    ],
)
def test_arabic_counts_in_six_ways(count: int, category: str) -> None:
    assert load("ar").rules.category(count) == category


def test_plural_forms_are_chosen_by_the_number() -> None:
    assert load("en").say("instructions_count", total=1) == "You will compare three texts once."
    assert load("en").say("instructions_count", total=6) == "You will compare three texts 6 times."
    assert load("fr").say("chat_left", count=0) == "Vous pouvez envoyer encore 0 message."
    assert load("fr").say("redirect_soon", seconds=0).startswith("La redirection aura lieu dans 0 seconde,")
    assert load("ar").say("instructions_count", total=2) == "المطلوب مقارنة ثلاثة نصوص مرتين."
    assert load("ar").say("instructions_count", total=6) == "المطلوب مقارنة ثلاثة نصوص 6 مرات."
    assert load("ar").say("consent_retention", count=90) == "تُمحى البيانات التي تدل عليك بعد 90 يومًا."
    with pytest.raises(ValueError):
        load("en").say("instructions_count", total="two")


def test_every_phrase_is_used_and_every_one_used_is_there() -> None:
    """In the templates and the code; pages named by a code have a title and a text."""
    own = WEB.parent / "study" / "protocols"
    written = [path for path in (*WEB.rglob("*.py"), *own.glob("*/pages.py")) if path.name != "dashboard.py"]
    written += [*(WEB / "templates").glob("*.html"), *own.glob("*/templates/*.html")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in written)
    used = set(re.findall(r"\bsay\(\s*['\"]([a-z_]+)['\"]", source)) | set(re.findall(r"\"(error_[a-z_]+)\"", source))
    used |= set(re.findall(r"count = \"([a-z_]+)\"", source)) | set(re.findall(r"\"(show_[a-z]+)\"", source))
    used |= {
        key for key in load("en").sentences if re.fullmatch(r"rated_text|(rated_text|show_source)_\w+", key)
    }  # by task
    used |= set(re.findall(r"say\('([a-z]+)' if .* else '[a-z]+'\)", source))
    used |= set(re.findall(r"say\('[a-z]+' if .* else '([a-z]+)'\)", source))
    codes = {*judges.STATUS, *re.findall(r"Stopped\(\d+, \"([a-z_]+)\"", source), *CODES}
    used |= codes | {f"{code}_title" for code in codes}
    assert used == set(load("en").sentences)


@pytest.mark.parametrize(
    ("code", "small", "large"),
    [
        ("en", "2,000", "20,000"),
        ("es", "2000", "20\u00a0000"),
        ("de", "2.000", "20.000"),
        ("ar", "2,000", "20,000"),
        ("fr", "2\u202f000", "20\u202f000"),
        ("it", "2.000", "20.000"),
        ("gl", "2.000", "20.000"),
    ],
)
def test_numbers_are_grouped_as_the_language_does(code: str, small: str, large: str) -> None:
    assert [load(code).number(n) for n in (7, 999, 2000, 20000)] == ["7", "999", small, large]
    assert large in load(code).say("error_reason_long", most=20000)


def test_names_keep_their_direction_in_arabic_sentences() -> None:
    assert "\u2068a@b.org\u2069" in load("ar").say("contact", contact="a@b.org")
    assert load("de").say("contact", contact="{x} a@b.org").endswith("{x} a@b.org")


def test_an_unknown_language_is_english_and_an_unknown_key_a_mistake() -> None:
    assert load("xx").code == "en"
    with pytest.raises(KeyError):
        load("en").say("no.such.key")


@pytest.mark.parametrize(
    ("header", "spoken", "chosen"),
    [
        ("", ("en", "ar"), "en"),
        ("ar", ("en", "ar"), "ar"),
        ("ar-EG,ar;q=0.9,en;q=0.8", ("en", "ar"), "ar"),
        ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", ("de", "en"), "en"),
        ("DE-at", ("en", "de"), "de"),
        ("en;q=0.3, es ; q=0.7", ("en", "es"), "es"),
        ("es;q=0, *", ("en", "es"), "en"),
        ("ja, ko", ("gl", "es"), "gl"),
        ("es;q=2, en;q=x, it;v=1", ("de", "es", "en", "it"), "de"),
        ("es, en", ("en", "es"), "es"),
        (",;=,;;q=,-,", ("it",), "it"),
        ("x," * 100_000 + "es", ("en", "es"), "en"),
    ],
)
def test_the_language_a_browser_likes_best(header: str, spoken: tuple[str, ...], chosen: str) -> None:
    assert choose(header, spoken) == chosen
