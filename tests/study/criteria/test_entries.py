"""Criteria from a study file: the catalogue's, changed ones, one's own, and every contradiction with its place."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from nlgauge.errors import InputError
from nlgauge.io.fields import Reader, schema
from nlgauge.study.criteria import CriterionEntry, compare, find, from_mapping, rescore
from nlgauge.study.criteria.entries import contradictions

OWN: dict[str, Any] = {
    "id": "formality",
    "definition": "The text keeps the tone of an official letter.",
    "question": {"en": "How formal is this text?", "de": "Wie förmlich ist dieser Text?"},
}


def test_a_name_alone_is_the_catalogue_s() -> None:
    assert from_mapping("fluency", "criteria.1") == find("fluency")
    assert from_mapping({"id": "relevance", "task": "caption"}, "criteria.1") == find("caption-relevance")


def test_the_catalogue_s_asked_otherwise() -> None:
    found = from_mapping({"id": "adequacy", "wording": "ours", "scale": "quality-7", "judges": ["bilingual"]}, "c")
    assert found.wording.mark == "ours" and found.scale and found.scale.id == "quality-7"
    assert found.judges == {"bilingual": ("source",)} and compare(found, find("adequacy")).relation == "same"
    closed = from_mapping({"id": "correctness", "form": "closed"}, "c")
    assert closed.scale and closed.scale.id == "yes-no"
    worded = from_mapping({"id": "avoiding-repetition", "question": {"en": "How varied was it?"}}, "c")
    assert worded.wording.mark == "own" and not worded.reverse and worded.wordings[1].mark == "quoted"
    expert = from_mapping({"id": "fluency", "judges": ["expert"], "shown": ["source"]}, "c")
    assert expert.judges == {"expert": ("source",)}


def test_one_s_own() -> None:
    scale = {"points": 7, "labels": [{"en": "Not at all", "de": "Gar nicht"}, {"en": "Fully", "de": "Ganz"}]}
    found = from_mapping({**OWN, "scale": scale, "reverse": True, "shown": ["table"]}, "criteria.1")
    assert found.own and found.name == "formality" and found.frame == "input" and found.direction == "lower"
    assert rescore(7, found) == 1 and rescore(rescore(3, found), found) == 3
    assert found.scale and found.scale.mark == "own" and found.scale.label(6, "de") == "Ganz"
    assert found.lacking(["en", "de", "ar"]) == ["ar"]
    plain = from_mapping(OWN, "criteria.1")
    assert plain.scale and plain.scale.id == "quality-5" and plain.frame == "itself"
    assert plain.judges == {"monolingual": ()} and plain.to_dict()["wordings"][0]["mark"] == "own"
    slider = from_mapping({**OWN, "scale": {"low": 0, "high": 10, "labels": ["no", "yes"]}}, "criteria.1")
    assert slider.scale and slider.scale.points is None and slider.scale.high == 10


def test_same_as_takes_over_what_is_measured() -> None:
    found = from_mapping({**OWN, "id": "truth-to-data", "same_as": "faithfulness", "shown": ["table"]}, "c")
    assert compare(found, find("faithfulness")).relation == "same"


ENDS = [{"en": "No", "de": "Nein"}, {"en": "Yes", "de": "Ja"}]


@pytest.mark.parametrize(
    ("mapping", "place", "message"),
    [
        ("flency", "c.2", "did you mean fluency.*of your own needs a definition and a question"),
        ("relevance", "c.2", "several criteria are called 'relevance'"),
        ({"id": "fluency", "colour": 1}, "c.2.colour", "there is no key"),
        ({"name": "x"}, "c.2.id", "is missing"),
        ({"id": "fluency", "definition": "It is natural."}, "c.2.definition", "choose another id for yours"),
        ({"id": "fluency", "task": "poetry"}, "c.2.task", "there is no task 'poetry'"),
        ({"id": "adequacy", "task": "qg"}, "c.2.task", "a criterion of mt, not of qg"),
        ({"id": "answerability", "shown": ["answer"]}, "c.2.shown", "the answer must never be shown"),
        ({"id": "plausibility", "shown": ["context"]}, "c.2.shown", "is shown only after it is answered"),
        ({"id": "adequacy", "judges": ["end_user"]}, "c.2.judges", "not for end_user judges"),
        ({"id": "focus", "wording": "quoted"}, "c.2.wording", "no quoted wording of focus"),
        (
            {"id": "fluency", "form": "closed", "wording": "quoted"},
            "c.2.wording",
            "no quoted wording of fluency in the form closed",
        ),
        ({"id": "humanness", "form": "rating", "direction": "none"}, "c.2.direction", "is the higher one"),
        (
            {"id": "grammaticality", "form": "comparison"},
            "c.2.form",
            "no comparison wording of grammaticality",
        ),
        (
            {"id": "avoiding-repetition", "reverse": False},
            "c.2.reverse",
            "“Does the bot repeat itself\\?” is reverse-keyed; leave reverse out",
        ),
        ({"id": "fluency", "reverse": True}, "c.2.reverse", "is not reverse-keyed"),
        ({"id": "fluency", "wording": "ours", "question": "How?"}, "c.2.wording", "leave one of the two out"),
        ({"id": "fluency", "scale": "quality-6"}, "c.2.scale", "there is no scale 'quality-6'"),
        ({"id": "x", "question": "How?"}, "c.2", "a question but no definition"),
        ({"id": "x", "definition": "It is formal."}, "c.2", "has no question"),
        ({"id": "x", "definition": "X.", "question": "How?"}, "c.2.definition", "only repeats its name"),
        ({**OWN, "wording": "ours"}, "c.2.wording", "not of the catalogue"),
        ({**OWN, "reverse": True, "direction": "higher"}, "c.2.reverse", "leave one of them out"),
        ({**OWN, "reverse": True, "direction": "none"}, "c.2.reverse", "the better end is none"),
        ({**OWN, "shown": ["answer"], "withheld": ["answer"]}, "c.2.shown", "choose one"),
        ({**OWN, "shown": ["context"], "before": ["context"]}, "c.2.shown", "choose one"),
        ({**OWN, "withheld": ["image"], "before": ["image"]}, "c.2.before", "withheld throughout"),
        ({**OWN, "judges": ["bilingual"]}, "c.2.judges", "shown must list it"),
        ({**OWN, "frame": "input"}, "c.2.frame", "of which nothing is shown"),
        ({**OWN, "measures": ["tone"]}, "c.2.measures", "there is no construct 'tone'"),
        ({**OWN, "same_as": "fluent"}, "c.2.same_as", "did you mean fluency"),
        ({**OWN, "same_as": "fluency", "measures": ["topic"]}, "c.2.measures", "leave one of them out"),
        (
            {**OWN, "definition": "The user's goal is reached.", "same_as": "fluency"},
            "c.2.same_as",
            "its definition speaks of goal",
        ),
        ({**OWN, "question": {"en": "How?", "tlh": "chay'?"}}, "c.2.question", "the language 'tlh'"),
        ({"id": "fluency", "form": "comparison", "scale": "quality-5"}, "c.2.scale", "and has no scale"),
        ({"id": "fluency", 1: "x"}, "c.2.1", "there is no key"),
        ({"id": "fluency", "judges": {"expert"}}, "c.2", "holds what no study file can"),
        (["fluency"], "c.2", "c.2"),
        ({**OWN, "form": "comparison", "scale": "quality-5"}, "c.2.scale", "and has no scale"),
        ({**OWN, "form": "comparison", "reverse": True}, "c.2.reverse", "cannot be reverse-keyed"),
        ({**OWN, "scale": {"name": "quality-5", "points": 7}}, "c.2.scale", "leave the name out"),
        ({**OWN, "scale": {"labels": ENDS}}, "c.2.scale", "needs points, or low and high"),
        ({**OWN, "scale": {"points": 1, "labels": ENDS}}, "c.2.scale.points", "between 2 and 101"),
        ({**OWN, "scale": {"low": 5, "high": 1, "labels": ENDS}}, "c.2.scale", "must be below the highest"),
        ({**OWN, "scale": {"points": 5}}, "c.2.scale.labels", "label both ends"),
        ({**OWN, "scale": {"points": 5, "labels": [*ENDS, *ENDS]}}, "c.2.scale.labels", r"\(2 or 5 labels\)"),
        (
            {**OWN, "scale": {"points": 2, "labels": [{"en": "No"}, {"en": "Yes"}]}},
            "c.2.scale.labels",
            "label 1 has no wording for de",
        ),
        (
            {**OWN, "scale": {"points": 2, "labels": [{"en": "No", "de": "Ja"}, {"en": "Yes", "de": "Ja"}]}},
            "c.2.scale.labels",
            "the same label in de",
        ),
        (
            {**OWN, "question": "How?", "scale": {"points": 2, "labels": ["a", "a"]}},
            "c.2.scale.labels",
            "same label",
        ),
    ],
)
def test_contradictions_are_refused_with_their_place(mapping: Any, place: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        from_mapping(mapping, "c.2")
    assert place in str(refused.value) and "\n" not in str(refused.value)


def test_the_reader_of_study_files_reads_entries_by_line() -> None:
    text = "- fluency\n- id: adequacy\n  scale: quality-7\n- id: x\n  reverse: maybe\n"
    reader = Reader()
    reader.read(tuple[CriterionEntry, ...], yaml.compose(text, Loader=yaml.SafeLoader), "criteria")
    assert [(problem.line, problem.path) for problem in reader.problems] == [(5, "criteria.3.reverse")]
    assert reader.lines["criteria.2.scale"] == 3
    properties = schema(CriterionEntry, "criterion")["anyOf"][1]["properties"]
    assert properties["withheld"]["description"] and {"before", "same_as", "reverse"} <= set(properties)


def test_a_good_entry_has_no_contradictions() -> None:
    assert list(contradictions(CriterionEntry(id="fluency"), "criteria.1")) == []
