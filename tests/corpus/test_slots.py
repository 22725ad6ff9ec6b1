"""Slot errors: patterns for E2E on sentences written for the test, and the search for values elsewhere."""

from __future__ import annotations

import pytest

from nlgauge.corpus.entries import Triple
from nlgauge.corpus.profile.slots import PATTERNS, VALUES, Checker, checker
from nlgauge.corpus.profile.systems import slot_errors
from nlgauge.corpus.reading import parse_source

INPUT = (
    "name[The Mill], eatType[pub], food[Italian], priceRange[high], customer rating[3 out of 5], area[riverside], "
    "familyFriendly[no], near[Raja Indian Cuisine]"
)
RIGHT = (
    "The Mill is an expensive Italian pub by the river near Raja Indian Cuisine, rated 3 out of 5; it is not "
    "recommended for children."
)


@pytest.fixture(scope="module")
def patterns() -> Checker:
    others = ["name[Cotto], near[Café Rouge], eatType[coffee shop]", "name[Blue Spice]", INPUT]
    return checker(parse_source(source, "") for source in others)


def test_the_checker_fits_the_corpus(patterns: Checker) -> None:
    assert patterns.method == PATTERNS
    assert checker([(Triple("Ilva", "country", "Marn"),)]).method == VALUES


@pytest.mark.parametrize(
    ("text", "missing", "wrong", "added"),
    [
        (RIGHT, (), (), ()),
        (RIGHT.replace("Italian ", ""), ("food",), (), ()),
        (RIGHT.replace("pub", "restaurant"), (), ("eatType",), ()),
        (RIGHT.replace("an expensive", "a cheap"), (), ("priceRange",), ()),
        (RIGHT.replace("not recommended for", "welcoming"), (), ("familyFriendly",), ()),
        (RIGHT.replace("The Mill", "Blue Spice"), (), ("name",), ()),
        (RIGHT.replace(" near Raja Indian Cuisine", ""), ("near",), (), ()),
        (RIGHT.replace("Raja Indian Cuisine", "Cafe Rouge"), (), ("near",), ()),
        (RIGHT + " Cotto is close.", (), (), ("near",)),
        (
            "the mill",
            ("eatType", "food", "priceRange", "customer rating", "area", "familyFriendly", "near"),
            (),
            (),
        ),
    ],
)
def test_each_kind_of_error(
    patterns: Checker, text: str, missing: tuple[str, ...], wrong: tuple[str, ...], added: tuple[str, ...]
) -> None:
    found = patterns.check(parse_source(INPUT, ""), text)
    assert (found.slots, found.missing, found.wrong, found.added) == (8, missing, wrong, added)


@pytest.mark.parametrize(
    ("attribute", "value", "text"),
    [
        ("priceRange", "high", "It has a high price range and a customer rating of 1 out of 5."),
        ("priceRange", "high", "The price range is high and the customer rating is low."),
        ("customer rating", "low", "The price range is high and the customer rating is low."),
        ("customer rating", "high", "A low price range, but it is highly rated by customers."),
        ("customer rating", "average", "It is rated average and costs less than £20."),
        ("priceRange", "less than £20", "It is rated average and costs less than £20."),
        ("priceRange", "£20-25", "in the price range of £20-£25"),
        ("customer rating", "5 out of 5", "a five star pub"),
        ("customer rating", "1 out of 5", "It has one out of five stars."),
        ("familyFriendly", "no", "It isn't family-friendly."),
        ("familyFriendly", "no", "The pub is a non child friendly place."),
        ("familyFriendly", "no", "adult-only environment"),
        ("familyFriendly", "yes", "It is not expensive and kids are welcome."),
        ("familyFriendly", "yes", "Bring the whole family."),
        ("area", "city centre", "in the center of the city"),
        ("food", "Fast food", "They serve fast-food"),
        ("eatType", "coffee shop", "a coffee shop"),
    ],
)
def test_ways_to_say_a_value(patterns: Checker, attribute: str, value: str, text: str) -> None:
    found = patterns.check([Triple("", attribute, value)], text)
    assert found.missing == () and found.wrong == (), text


def test_indian_in_the_name_of_a_neighbour_is_no_food(patterns: Checker) -> None:
    given = parse_source("name[The Mill], near[Raja Indian Cuisine]", "")
    assert patterns.check(given, "The Mill is near Raja Indian Cuisine.").added == ()
    assert patterns.check(given, "The Mill is an Indian place near Raja Indian Cuisine.").added == ("food",)


def test_values_missing_wrong_and_added() -> None:
    given = [Triple("Ilva_Airport", "city", "Ilva"), Triple("Ilva", "leader", "Jana_Lund")]
    known = [given, [Triple("Torrek", "leader", "Otto_Berg"), Triple("Torrek", "twin", "Old_Torrek")]]
    check = checker(known).check
    assert check(given, "Ilva Airport serves Ilva, led by Jana Lund.") == check(given, "ilva airport ilva jana lund")
    assert check(given, "Ilva Airport serves Ilva.").missing == ("leader",)
    assert check(given, "Ilva Airport serves Ilva, led by Otto Berg.").wrong == ("leader",)
    said = check(given, "Ilva Airport serves Ilva, led by Jana Lund, near Old Torrek.")
    assert said.added == ("twin",) and said.slots == 3


def test_rates_are_by_slots_and_have_limits() -> None:
    given = [Triple("Ilva", "leader", "Jana_Lund"), Triple("Ilva", "country", "Marn")]
    check = checker([given]).check
    texts = ["Jana Lund leads Ilva in Marn."] * 6 + ["Ilva is in Marn."] * 2 + ["Ilva."]
    found = slot_errors([[check(given, text)] for text in texts])
    assert found.slots == 27 and found.missing == pytest.approx(4 / 27)
    assert found.by_slot["missing"] == {"leader": 3, "country": 1}
    assert found.errors.low < 4 / 27 < found.errors.high
    assert found.faulty.estimate == pytest.approx(3 / 9)
    none = slot_errors([[check(given, texts[0])]] * 20)
    assert none.errors.estimate == 0 and none.errors.high != none.errors.high  # no limits of [0, 0]
    assert 0 < none.faulty.high < 0.2
