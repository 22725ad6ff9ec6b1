"""The perturbations: declared, graded, seeded, nested, and honest about texts they cannot change."""

from __future__ import annotations

import pytest

from nlgauge.errors import InputError
from nlgauge.meta.probes import english
from nlgauge.meta.probes.agnostic import Given, find_names
from nlgauge.meta.probes.perturbations import (
    PERTURBATIONS,
    NotApplied,
    Perturbed,
    by_name,
    check_severities,
    chosen,
    linear,
)
from nlgauge.meta.probes.rewording import turn
from nlgauge.meta.probes.units import join, sentences, split

RICH = Given(
    "The council does not like the big plan. Dr. Smith visited Berlin in 1982 with 12 children. It is cheap. She "
    "wrote the book.",
    "Der Rat mag den Plan nicht",
    ("Berlin", "Oslo", "Smith", "Turin"),
)
STEPS = (0.1, 0.25, 0.5, 0.75, 1.0)


def text_of(name: str, text: str | Given, severity: float = 1.0, seed: int = 1) -> str:
    outcome = by_name(name).apply(text, severity, seed=seed)
    assert isinstance(outcome, Perturbed), outcome
    return outcome.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "one",
        "a b",
        "Hello, (world)! -5 and .5",
        "我喜欢吃苹果。他也喜欢。",
        "मैं हिन्दी बोलता हूँ।",
        "  two  blanks ",
        "x\ny",
    ],
)
def test_splitting_and_joining_changes_nothing(text: str) -> None:
    assert join(split(text)) == text.strip()


def test_sentences_know_abbreviations() -> None:
    text = 'Dr. Smith came at 5 p.m. on Monday. He said: "No!" Then he left... 3.5 km away.'
    assert sentences(text) == [
        "Dr. Smith came at 5 p.m. on Monday.",
        'He said: "No!"',
        "Then he left...",
        "3.5 km away.",
    ]
    assert sentences("我喜欢。他也喜欢！") == ["我喜欢。", "他也喜欢！"]


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_every_perturbation_applies_to_a_rich_text(name: str) -> None:
    perturbation = PERTURBATIONS[name]
    grades = perturbation.grades(RICH, STEPS, seed=7, key="x")
    assert all(isinstance(grade, Perturbed) for grade in grades), grades
    texts = [grade.text for grade in grades if isinstance(grade, Perturbed)]
    assert all(text != RICH.text for text in texts)
    assert texts == [
        grade.text for grade in perturbation.grades(RICH, STEPS, seed=7, key="x") if isinstance(grade, Perturbed)
    ]
    doses = [grade.dose for grade in grades if isinstance(grade, Perturbed)]
    assert doses == sorted(doses)
    assert doses[-1] == 1


@pytest.mark.parametrize("name", PERTURBATIONS)
@pytest.mark.parametrize("text", ["", "   ", "…", "?!", "a", "7", "我", "\n\n", "\u200b", "a" * 5000, "🙂 🙂"])
def test_odd_texts_are_changed_or_refused_but_never_break(name: str, text: str) -> None:
    for outcome in PERTURBATIONS[name].grades(Given(text, "source text", ("Oslo",)), STEPS, seed=1):
        if isinstance(outcome, Perturbed):
            assert outcome.text.split() != text.split()
            assert 1 <= outcome.edits <= outcome.sites
        else:
            assert outcome.reason


@pytest.mark.parametrize("name", ["drop", "swap", "repeat", "number", "case", "punctuation", "synonym", "negate"])
def test_milder_edits_are_among_the_stronger(name: str) -> None:
    """More severity edits the same sites and further ones: words that differ at 0.25 also differ at 0.75."""
    text = Given("In 1982 the big plan of 12 men was cheap, but often not easy. She always liked 3 old films.")
    mild, strong = PERTURBATIONS[name].grades(text, (0.25, 0.75), seed=3)
    assert isinstance(mild, Perturbed)
    assert isinstance(strong, Perturbed)
    gone = set(text.text.split()) - set(mild.text.split())
    assert gone <= set(text.text.split()) - set(strong.text.split()) or name == "repeat"


def test_the_seed_and_the_item_matter_and_other_severities_do_not() -> None:
    long = Given(" ".join(f"w{number}" for number in range(40)))
    drop = by_name("drop")
    assert drop.grades(long, (0.5,), seed=1)[0] == drop.grades(long, (0.1, 0.5), seed=1)[1]
    assert drop.grades(long, (0.5,), seed=1) != drop.grades(long, (0.5,), seed=2)
    assert drop.grades(long, (0.5,), seed=1, key="a") != drop.grades(long, (0.5,), seed=1, key="b")


def test_severity_is_a_share_of_the_sites() -> None:
    text = " ".join(f"w{number}" for number in range(21))
    for severity, left in ((0.01, 20), (0.1, 19), (0.5, 11), (1.0, 1)):
        assert len(text_of("drop", text, severity).split()) == left
        assert text_of("truncate", text, severity).split() == text.split()[:left]


def test_what_each_does() -> None:
    assert sorted(text_of("swap", "a b c d").split()) == ["a", "b", "c", "d"]
    assert text_of("swap", "alpha, beta.") == "beta, alpha."
    assert text_of("repeat", "so it is.") == "so so it it is is."
    assert text_of("copy", Given("a b c", "x y")) == "x y"
    assert text_of("copy", Given("a b c d", "w x y z"), 0.5) == "a b y z"
    assert text_of("shuffle", "One. Two.") == "Two. One."
    assert text_of("punctuation", "Well (yes), 5 % of -3.") == "Well yes 5 % of -3"
    assert text_of("punctuation", "no marks") == "no marks."
    assert text_of("case", "Rain in Oslo") == "rain In oslo"
    assert text_of("contraction", "It is not so; they don't.") == "It's not so; they do not."
    assert text_of("synonym", "a big film") in ("a large movie",)
    assert text_of("synonym", "a huge film") in ("an enormous movie", "a gigantic movie")


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Rain is expected.", "Rain is not expected."),
        ("It isn't cheap.", "It is cheap."),
        ("She does not know.", "She does know."),
        ("He has a car.", "He does not have a car."),
        ("He has seen it.", "He has not seen it."),
        ("The man wrote a book.", "The man did not write a book."),
        ("Never go there.", "Always go there."),
        ("SW 5-9, easing later.", "SW 5-9, not easing later."),
    ],
)
def test_negation(text: str, negated: str) -> None:
    assert text_of("negate", text) == negated


@pytest.mark.parametrize("text", ["Did you know?", "After two wins in a row", "a boxy building", "in deep thought"])
def test_negation_leaves_questions_and_nouns_alone(text: str) -> None:
    assert isinstance(by_name("negate").apply(text, 1.0), NotApplied)


@pytest.mark.parametrize(
    ("active", "passive"),
    [
        ("The dog chased the cat in the garden.", "The cat was chased by the dog in the garden."),
        ("She wrote the books.", "The books were written by her."),
        ("Anna's army defeated the king in 1806", "The king was defeated by Anna's army in 1806"),
        ("Mary Smith opened the shop.", "The shop was opened by Mary Smith."),
        ("A boy carries an object .", "An object is carried by a boy ."),
    ],
)
def test_voice(active: str, passive: str | None) -> None:
    assert turn(active) == passive
    if passive:
        assert turn(passive) == active


@pytest.mark.parametrize(
    "text",
    [
        "He was killed by 1990.",
        "It is located by the riverside.",
        "It's called The Punter.",
        "The council made a plan and left.",
        "The wins in a row helped.",
        "Rain, wind and snow.",
    ],
)
def test_voice_is_left_alone_where_the_rules_do_not_see_through(text: str) -> None:
    assert turn(text) is None


def test_names_and_numbers_become_others() -> None:
    names = find_names(["He met Anna Keller in Basel.", "The Mill is near Café Rouge in Oslo."])
    assert names == ("Anna Keller", "Basel", "Café Rouge", "Mill", "Oslo") or "Mill" not in names
    assert "Café Rouge" in names
    changed = text_of("entity", Given("He lives in Oslo.", names=names))
    assert changed.startswith("He lives in ")
    assert "Oslo" not in changed
    assert text_of("entity", "He came on Monday.") != "He came on Monday."
    for seed in range(50):
        year = text_of("number", "in 1982", seed=seed)
        assert year.startswith("in 19")
        assert year != "in 1982"
        assert text_of("number", "on the 1st", seed=seed).endswith(("st", "nd", "rd", "th"))
    assert text_of("number", "two men") != "two men"


def test_not_applied_says_why() -> None:
    cases = {
        "drop": "one",
        "swap": "one",
        "shuffle": "One sentence only.",
        "number": "no digits",
        "entity": "no capitals here",
        "synonym": "xyzzy",
        "passive": "Rain.",
        "contraction": "Rain.",
        "copy": "no source",
        "negate": "Rain.",
    }
    for name, text in cases.items():
        outcome = by_name(name).apply(text, 1.0)
        assert isinstance(outcome, NotApplied), name
        assert outcome.reason


def test_word_lists_are_sound() -> None:
    table = english.synonyms()
    assert len(table) > 500
    assert all(word not in others for word, others in table.items())
    assert english.verbs()["stop"].past == "stopped"
    assert english.verbs()["carry"].third == "carries"
    assert english.verbs()["write"].participle == "written"
    assert english.article("hour") == "a"  # by spelling: a known limit of a rule without pronunciation
    assert (english.article("enormous"), english.article("unique")) == ("an", "a")


def test_meanings_are_declared_and_named_in_order() -> None:
    assert {entry.meaning for entry in PERTURBATIONS.values()} == {"preserved", "changed", "damaged"}
    required = "drop swap repeat negate entity number synonym passive truncate copy shuffle punctuation case"
    assert set(required.split()) <= set(PERTURBATIONS)
    assert {name for name, entry in PERTURBATIONS.items() if entry.language == "en"} == {
        "negate",
        "synonym",
        "passive",
        "contraction",
    }


def test_choice_and_severities() -> None:
    assert len(chosen(["all", "drop"])) == len(PERTURBATIONS)
    with pytest.raises(InputError, match="no perturbation 'dropp'; did you mean drop"):
        chosen(["dropp"])
    assert check_severities([1, 0.5, 0.5]) == (0.5, 1)
    for wrong in ([0.0], [1.1], [], [float("nan")]):
        with pytest.raises(InputError, match="above 0 and at most 1"):
            check_severities(wrong)


def test_sources_of_any_shape_become_a_text() -> None:
    assert linear([["a", "b", 3], ["c", None, "d"]]) == "a b 3 c d"
    assert linear({"x": ["y", "z"]}) == "y z"
    assert linear(None) == ""
    assert linear(" t ") == "t"
