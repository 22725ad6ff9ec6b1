"""The generated stories and their oracle, on texts made by hand."""

from __future__ import annotations

from random import Random

import pytest

from nlgauge.errors import InputError
from nlgauge.reproduce.stories import GENERIC, PROBLEMS, facts_of, parsed, score, stories, written

PROMPT = "anna the baker could not open the box at the harbour"
TRIED = "slowly she pushed the box for a while ."
FOUND = "then anna found a key behind some barrel ."
USED = "now she used the key with care ."
ENDED = "finally the box was open and she danced ."
DULL = "nobody really knew what to say about it ."


def of(*sentences: str) -> float:
    return round((score(PROMPT, " ".join(sentences)) - 1) / 4, 6)


def test_a_story_without_a_fault_has_the_highest_score() -> None:
    assert of(TRIED, FOUND, USED, ENDED) == 1.0


@pytest.mark.parametrize(
    ("instead", "worth"),
    [
        (DULL, 0.4),
        ("now bruno used the key with care .", 0.25),  # another name
        ("now he used the key with care .", 0.25),  # another gender
        ("now she used the drill with care .", 0.25),  # other means than before, though they fit
        ("now this key suited such a shy gate .", 0.25),  # another object
        ("now she pushed the box for a week .", 0.25),  # tried again when the means are found
        (FOUND, 0.1),  # said before
        ("then she found a key behind some barrel .", 0.1),  # said before in other words
        ("now she used the with care .", 0.0),
        ("she used the key with care .", 0.0),  # without an opening word
        ("now the the the", 0.0),
    ],
)
def test_a_sentence_is_worth_less_by_its_fault(instead: str, worth: float) -> None:
    expected = (3 + worth) / 4 if "." in instead else None
    found = of(TRIED, FOUND, instead, ENDED)
    if expected is None:  # it runs into the end, which is then none
        assert found == round(2 / 3 - 0.15, 6)
    else:
        assert found == round(expected, 6)


def test_means_must_fit_the_problem() -> None:
    sponge = (FOUND.replace("key", "sponge"), USED.replace("key", "sponge"))
    assert of(TRIED, *sponge, ENDED) == 0.625


def test_a_story_needs_its_end_and_a_fitting_length() -> None:
    assert of(TRIED, FOUND, USED) == 0.85
    assert of(TRIED, FOUND, ENDED, USED) == round((3 + 0.25) / 4 - 0.15, 6)  # told on after the end
    assert of(FOUND, ENDED) == 0.85
    assert of(TRIED, FOUND, USED, "finally the box was open and") == 0.6  # cut off


def test_dull_and_empty_texts_are_at_the_bottom() -> None:
    assert of(DULL, DULL, DULL) == round((0.4 + 0.1 + 0.1) / 3 - 0.15, 6)
    assert of("") == 0.0
    assert of("the", "the") == 0.0


def test_places_and_persons_of_the_prompt() -> None:
    assert facts_of(PROMPT).woman and facts_of(PROMPT).place == "harbour"
    assert of("soon the fog over the harbour turned cold .", TRIED, FOUND, ENDED) == 1.0
    assert of("soon the fog over the castle turned cold .", TRIED, FOUND, ENDED) == 0.8125
    with pytest.raises(InputError, match="no prompt of the generated stories"):
        facts_of("tell me something")


def test_what_the_rules_write_is_near_the_top_and_varies_with_its_dull_sentences() -> None:
    found = stories(2000, "a test")
    scores = [score(story.prompt, story.text) for story in found]
    assert 3.8 < sum(scores) / len(scores) < 4.2 and min(scores) > 1.5 and max(scores) == 5.0
    dull = {text for text, _ in GENERIC}
    sentences = [part.strip() for story in found for part in story.text.split(".") if part.strip()]
    assert 0.28 < sum(part in dull for part in sentences) / len(sentences) < 0.36
    assert all(parsed(part) is not None for part in sentences)
    assert len({story.prompt for story in found}) == 2000
    assert len({story.text for story in found}) > 1980


def test_good_stories_for_a_prompt_differ() -> None:
    random = Random(1)
    assert len({written(facts_of(PROMPT), random) for _ in range(500)}) > 490


def test_things_and_means_belong_to_one_problem() -> None:
    things = [thing for problem in PROBLEMS for thing in problem.objects]
    means = [one for problem in PROBLEMS for one in problem.means]
    assert len(set(things)) == len(things) and len(set(means)) == len(means)
