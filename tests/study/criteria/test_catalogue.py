"""The catalogue is complete, its quotations are in the papers, and what a study begins with can be asked."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from nlgauge.errors import InputError
from nlgauge.metrics.survey import TASKS
from nlgauge.study.criteria import (
    anchors,
    conflicts,
    criteria,
    defaults_for,
    find,
    from_mapping,
    in_order,
    rescore,
    scale,
)
from nlgauge.study.criteria.catalogue import (
    FILES,
    PROTOCOLS,
    catalogue,
    constructs,
    for_protocol,
    rows,
    scales,
    sources,
)
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.languages import LANGUAGES

ROOT = Path(__file__).resolve().parents[3]
EVERYTHING = criteria()
# What section 3.2 of the survey lists for each task, by the names it uses; fluency is for all.
SURVEY = {
    "mt": ["Adequacy"],
    "summarisation": [
        "Informativeness",
        "Non-redundancy",
        "Referential clarity",
        "Focus",
        "Structure and coherence",
    ],
    "qa": ["Correctness", "Plausibility"],
    "qg": ["Answerability", "Relevance"],
    "d2t": ["Faithfulness", "Informativeness or coverage", "Semantic adequacy"],
    "dialogue": [
        "Making sense",
        "Engagingness",
        "Interestingness",
        "Inquisitiveness",
        "Listening",
        "Avoiding repetition",
        "Humanness",
        "Overall quality",
        "Relevance",
        "Goal fulfilment",
        "Persona adherence",
        "Emotion consistency",
    ],
    "captioning": ["Relevance", "Thoroughness"],
}
SEEDS = {"sai2022": "004_*.txt", "belz2006": "003_*.txt", "schoch2020": "000_*.txt"}


def ids(one: Criterion) -> str:
    return one.id


@pytest.mark.parametrize("name", FILES)
def test_files_follow_the_schema(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    found = rows(name)
    jsonschema.Draft202012Validator(schema).validate(found)
    assert all((row["tasks"] == [name]) == (name != "any") for row in found)


@pytest.mark.parametrize("task", TASKS)
def test_what_the_survey_lists_is_there(task: str) -> None:
    for name in ["Fluency", *SURVEY[task]]:
        assert task in find(name, task).tasks


def test_ids_are_unique_and_names_are_unique_within_a_task() -> None:
    ids = [row["id"] for name in FILES for row in rows(name)]
    assert len(ids) == len(catalogue()) == len(set(ids))
    for task in TASKS:
        names = [one.name.casefold() for one in criteria(task)]
        assert len(names) == len(set(names)), task


@pytest.mark.parametrize("one", EVERYTHING, ids=ids)
def test_every_criterion_is_complete(one: Criterion) -> None:
    assert one.source in sources()
    assert set(one.measures) <= set(constructs())
    assert any(wording.form != "comparison" for wording in one.wordings)
    assert not one.shown & {*one.withheld, *one.before}
    for wording in one.wordings:
        assert wording.text["en"].endswith("?")
        assert wording.direction == ("lower" if wording.reverse else "higher")
        assert set(wording.judges) <= set(one.judges)
        assert wording.source in {*sources(), ""}
    for who in one.judges:  # everybody who may judge it can be asked
        assert one.worded(who=who) is not None, who


def test_judged_by_the_input_means_that_it_is_shown() -> None:
    """Only those who hold the conversation themselves need not be shown it."""
    for one in EVERYTHING:
        if one.frame == "input":
            assert all(things or who == "end_user" for who, things in one.judges.items()), one.id
        if one.frame == "itself" and one.unit == "text":
            assert not one.shown, one.id


@pytest.mark.parametrize("name", scales())
def test_every_scale_is_labelled_in_its_languages(name: str) -> None:
    found = scale(name)
    assert found.low < found.high
    assert len(found.labels) in ({2, found.points} if found.points else range(2, 12))
    for language in found.labels[0]:
        words = [labels[language] for labels in found.labels]
        assert all(words) and len(set(words)) == len(words), language
    assert set(found.labels[0]) == set(LANGUAGES) or name == "fluency-5-german"
    assert found.mark == "ours" or found.source in sources()


def test_every_question_is_worded_in_every_language() -> None:
    for one in EVERYTHING:
        assert not one.lacking(LANGUAGES), one.id
        for wording in one.wordings:
            assert set(wording.text) == set(LANGUAGES), one.id
            assert len(set(wording.text.values())) == len(wording.text), one.id  # nothing left untranslated
            assert re.search("[\u0600-\u06ff]", wording.text["ar"])
            assert all(text.endswith("؟" if language == "ar" else "?") for language, text in wording.text.items())
            assert wording.text["fr"].endswith("\u202f?")
            assert "¿" in wording.text["es"] and "¿" not in wording.text["gl"]  # Galician opens no question


def test_no_question_is_asked_twice() -> None:
    """A judge of two criteria never reads the same question for both."""
    for language in LANGUAGES:
        asked = [wording.text[language] for one in EVERYTHING for wording in one.wordings]
        assert len(asked) == len(set(asked)), language


def _letters(text: str) -> str:
    """A text without spaces, quotation marks and cases: the papers' text has lost some spaces between pages."""
    return re.sub(r"[\s“”\"‘’'\ufffd]|<\|[^|]*\|>", "", text).casefold()


def _paper(shared: Path, source: str) -> str:
    (path,) = (shared / "seeds").glob(SEEDS[source.partition("-")[0]])
    return _letters(path.read_text(encoding="utf-8", errors="replace"))


QUOTED = [(one.id, wording) for one in EVERYTHING for wording in one.wordings if wording.mark == "quoted"]


def test_quoted_questions_are_in_the_paper(shared: Path) -> None:
    assert len(QUOTED) == 11
    for name, wording in QUOTED:
        assert _letters(wording.text["en"]) in _paper(shared, wording.source), name


def test_our_questions_are_not_quotations(shared: Path) -> None:
    ours = [wording for one in EVERYTHING for wording in one.wordings if wording.mark == "ours"]
    assert not [w.text["en"] for w in ours if _letters(w.text["en"]) in _paper(shared, "sai2022-3.2")]


def test_quoted_scales_are_in_the_paper(shared: Path) -> None:
    quoted = [found for found in scales().values() if found.mark == "quoted"]
    assert [found.id for found in quoted] == ["quality-5", "amount-5", "fluency-5-german", "naturalness-4"]
    for found in quoted:
        words = [labels["en"] for labels in found.labels]
        numbered = "".join(f"{k}.{word}" for k, word in enumerate(words, start=1))
        listed = ", ".join(words[:-1]) + " and " + words[-1]
        text = _paper(shared, found.source)
        assert _letters(numbered) in text or _letters(listed) in text, found.id


def test_definitions_are_not_copied(shared: Path) -> None:
    for one in EVERYTHING:
        for paper in SEEDS:
            assert _letters(one.definition) not in _paper(shared, paper), one.id


def test_finding_by_id_name_and_task() -> None:
    assert find("fluency").id == find("Fluency", "mt").id == "fluency"
    assert find("relevance", "captioning").id == "caption-relevance"
    assert find("relevance", "qg").id == "question-relevance"
    with pytest.raises(InputError, match=r"several criteria are called 'Relevance'.*question-relevance"):
        find("Relevance")
    with pytest.raises(InputError, match="did you mean fluency"):
        find("flency")
    with pytest.raises(InputError, match="there is no task"):
        criteria("poetry")
    with pytest.raises(InputError, match=r"there is no scale 'quality-6'.*quality-5"):
        scale("quality-6")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_new_study_can_be_asked_as_it_stands(task: str, protocol: str) -> None:
    asked = defaults_for(task, protocol)
    form, answers = PROTOCOLS[protocol]
    assert len(asked) >= 2 and not list(conflicts(asked)) and not anchors(asked)
    assert in_order(asked) == asked
    for one in asked:
        if answers == "points":
            assert one.scale and one.scale.points and one.scale.points > 2
        elif answers == "slider":
            assert one.scale and one.scale.points is None and (one.scale.low, one.scale.high) == (0, 100)
        elif answers == "yes-no":
            assert one.scale and one.scale.points == 2 and one.wording.form == form
        else:
            assert one.scale is None and not one.reverse and one.wording.form == form


def test_defaults_depend_on_who_judges() -> None:
    (adequacy, _) = defaults_for("mt", "likert", "bilingual")
    assert "of the source" in adequacy.wording.text["en"]
    (adequacy, _) = defaults_for("mt", "likert", "monolingual")
    assert "of the reference" in adequacy.wording.text["en"]
    talked = {one.id: one for one in defaults_for("dialogue", who="end_user")}
    read = {one.id: one for one in defaults_for("dialogue", who="monolingual")}
    assert talked["listening"].wording.mark == "quoted" and read["listening"].wording.mark == "ours"
    assert not list(conflicts(list(read.values()), who="monolingual"))
    with pytest.raises(InputError, match="no criteria are asked by the protocol 'triangle'"):
        defaults_for("mt", "triangle")


def test_a_reversed_magnitude_keeps_its_direction() -> None:
    found = for_protocol(find("avoiding-repetition"), "magnitude")
    assert found is not None and found.direction == "lower" and not found.reverse
    with pytest.raises(InputError, match="nothing to rescore"):
        rescore(3, found)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_criteria_page", ROOT / "tools" / "make_criteria_page.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_tool_writes(tool: ModuleType) -> None:
    text = tool.PAGE.read_text(encoding="utf-8")
    assert text == tool.page(), "docs/studies/criteria.md is out of date: python tools/make_criteria_page.py"
    assert all(f"`{one.id}`" in text and one.definition in text for one in EVERYTHING)


def test_the_study_file_of_the_page_is_read(tool: ModuleType) -> None:
    found = re.search(r"```yaml\n(.*?)```", tool.page(), re.S)
    assert found
    read = [from_mapping(entry, "criteria") for entry in yaml.safe_load(found[1])["criteria"]]
    assert [one.id for one in read] == ["fluency", "caption-relevance", "adequacy", "formality"]
    assert read[-1].direction == "none" and read[-1].scale and read[-1].scale.points == 7


def test_no_definition_stands_below_a_question_that_asks_for_the_opposite() -> None:
    from dataclasses import replace

    from nlgauge.study.protocols.outputs.criteria import worded

    turned = 0
    for criterion in catalogue().values():
        for wording in criterion.wordings:
            asked = worded(replace(criterion, wordings=(wording,)), CriterionEntry(criterion.id))
            turned += wording.reverse
            assert bool(asked["explained"]) is not wording.reverse, (criterion.id, wording.say("en"))
            own = replace(criterion, wordings=(wording,), explained={"": "What we mean by it."})
            assert worded(own, CriterionEntry(own.id))["explained"] == {"": "What we mean by it."}
    assert turned == 5
