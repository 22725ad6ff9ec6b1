"""Magnitude estimation and RankME: the study file, who judges what, numbers as typed and stored, rows, checks."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import rated
from rated import MAGNITUDES, estimating, write
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.io.fields import Words
from nlgauge.study.checks.run import check
from nlgauge.study.criteria.catalogue import catalogue
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.exchange import export
from nlgauge.study.file.study import Study, inspect, load, study_schema
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.languages import LANGUAGES, content
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.magnitudes.answers import number, ranks, typed, written
from nlgauge.study.protocols.magnitudes.criteria import estimated_of
from nlgauge.study.protocols.magnitudes.each import of_one
from nlgauge.study.protocols.magnitudes.file import estimation_study
from nlgauge.study.protocols.magnitudes.simulation import Estimators
from nlgauge.study.protocols.outputs.parts import part_of
from nlgauge.study.refusals import Refused

EVERY = pytest.mark.parametrize("protocol", MAGNITUDES)
FORMAL = {key: value for key, value in rated.OWN.items() if key != "scale"}
THREE = {"kind": "bibd", "per_screen": 3}

REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("magnitude", {"criteria": []}, "criteria", r"criteria is empty"),
    ("magnitude", {"criteria": [rated.OWN]}, "scale", r"any numbers above 0; leave the scale out"),
    ("rankme", {"criteria": [FORMAL | {"form": "comparison"}]}, "form", r"cannot have the form comparison"),
    (
        "magnitude",
        {"criteria": [{"id": "fluency", "form": "closed"}]},
        "form",
        r"cannot have the form closed",
    ),
    ("magnitude", {"standard": {"text": "x"}}, "standard", r"'?standard.value'? is missing"),
    ("magnitude", {"standard": {"text": "x", "value": 0}}, "value", r"standard.value must be between"),
    ("magnitude", {"standard": {"text": "x", "value": "much"}}, "value", r"must be a number"),
    ("rankme", {"standard": {"value": 100}}, "standard", r"either one text for all inputs"),
    (
        "rankme",
        {"standard": {"value": 100, "text": "x", "column": "reference"}},
        "standard",
        r"not both and not neither",
    ),
    ("rankme", {"standard": {"value": 1, "column": "gold"}}, "column", r"have no 'gold'; use one of caption"),
    ("magnitude", {"standard": None, "unit": "standard"}, "unit", r"there is none; add standard"),
    ("magnitude", {"unit": "person"}, "unit", r"unit cannot be 'person'"),
    ("magnitude", {"together": True}, "together", r"there is no key 'together'"),
    ("magnitude", {"scale": {"points": 5}}, "scale", r"there is no key 'scale'"),
    ("magnitude", {"design": {"kind": "crossed", "per_screen": 2}}, "per_screen", r"or set protocol: rankme"),
    ("magnitude", {"design": "bibd"}, "design", r"design cannot be 'bibd'"),
    (
        "magnitude",
        {
            "panels": {
                "p": {"judges": 2},
                "m": {"judges": 1, "kind": "machine", "judge": {"kind": "metric", "metric": "chrf"}},
            }
        },
        "kind",
        r"scores of a metric are no answers of the protocol magnitude",
    ),
    ("magnitude", {"practice": {"texts": 2, "items": ["1"]}}, "items", r"2 texts for practice"),
    ("rankme", {"design": "latin"}, "design", r"design cannot be 'latin'"),
    ("rankme", {"design": {"kind": "crossed"}}, "design", r"at least 2 texts on a screen, not 1"),
    ("rankme", {"design": {"kind": "crossed", "per_screen": 13}}, "per_screen", r"13 texts on a screen"),
    ("rankme", {"design": "bibd"}, "design", r"per_screen is 4, but there are 3 systems"),
    ("rankme", {"panels": {"p": {"judges": 1}}}, "judges", r"one of the 2 criteria, so 1 judge will not do"),
    ("rankme", {"subjects": {"a": {"texts": ["x"]}}, "show": []}, "subjects", r"set protocol: magnitude"),
    (
        "rankme",
        {"practice": {"examples": [["x", "y"]]}},
        "examples",
        r"as a screen of the study, 3, but .* has 2; add or",
    ),
    ("rankme", {"practice": {"texts": 2, "items": ["1"]}}, "items", r"2 screens for practice"),
    ("rankme", {"data": "x.jsonl"}, "data", r"either from data .* or from subjects"),
]


@pytest.mark.parametrize(
    ("protocol", "changes", "key", "message"), REFUSED, ids=[f"{one[0]}-{one[3][:30]}" for one in REFUSED]
)
def test_what_is_refused(tmp_path: Path, protocol: str, changes: dict[str, Any], key: str, message: str) -> None:
    folder = write(tmp_path / "s", **estimating(protocol, **changes))
    with pytest.raises(InputError, match=message):
        load(folder)
    _, problems, _ = inspect(folder)
    lines = (folder / "study.yaml").read_text(encoding="utf-8").splitlines()
    said = [problem for problem in problems if problem.line]
    assert said and any(key in "\n".join(lines[problem.line - 2 : problem.line + 1]) for problem in said)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("80", 80),
        (" 12.5 ", 12.5),
        ("12,5", 12.5),
        ("0,125", 0.125),
        (".5", 0.5),
        ("1500", 1500),
        ("1.50", 1.5),
        ("+7", 7),
        ("٨٠", 80),
        ("١٢٫٥", 12.5),
        ("1e-300", 1e-300),
        ("2.5E+12", 2_500_000_000_000),
        ("9" * 40, 1e40),
        ("1.1250", 1.125),
        ("0", "positive"),
        ("0,0", "positive"),
        ("-3", "positive"),
        ("−3", "positive"),
        ("1e-999", "positive"),
        ("1.000", "separators"),
        ("1,000", "separators"),
        ("12.500", "separators"),
        ("1.000,5", "separators"),
        ("1 000", "separators"),
        ("1 000", "separators"),
        ("1'000", "separators"),
        ("1_000", "separators"),
        ("١٬٠٠٠", "separators"),
        ("many", "number"),
        ("10 points", "number"),
        ("nan", "number"),
        ("inf", "number"),
        ("1e999", "number"),
        ("0x10", "number"),
        ("½", "number"),
        ("9" * 61, "number"),
        ("-", "number"),
    ],
)
def test_numbers_as_they_are_typed(given: str, meant: Any) -> None:
    found = typed(given)
    assert found == meant and type(found) is type(meant)
    if not isinstance(found, str):
        assert typed(written(found)) == found


def test_every_number_is_written_so_that_it_is_read_back() -> None:
    from random import Random

    random = Random(7)
    for _ in range(3_000):
        value = number(float(f"{10 ** random.uniform(-12, 18):.{random.randint(1, 17)}g}"))
        assert value is not None and typed(written(value)) == value


@EVERY
def test_answers_are_stored_as_given_and_come_back_from_a_file(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path / "s", clock)
    sent = []
    for judged in range(2):
        judge, _ = service.arrivals.register("public")
        while (shown := service.dealing.step(judge).evaluation) is not None:
            sent.append(rated.some_answer(service, shown, len(sent) + judged))
            service.answers.answer(judge, shown.claim, sent[-1])
    stored = service.judgements()
    assert [one.answer for one in stored] == sent and len(sent) == 8
    assert {value for one in sent for given in one.values() for value in _flat(given)} == set(rated.NUMBERS)
    for name in ("rows.jsonl", "rows.csv"):
        export.write(stored, tmp_path / name)
        back = export.read(tmp_path / name, protocol=protocol_of(protocol))
        assert [one.answer for one in back] == sent


def _flat(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


@EVERY
def test_rows_of_another_protocol_are_refused(protocol: str, tmp_path: Path, clock: Clock) -> None:
    other = {"magnitude": "rankme", "rankme": "magnitude"}[protocol]
    service = rated.of(other, tmp_path, clock)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    one = service.answers.answer(judge, shown.claim, rated.some_answer(service, shown, 0)).judgement
    assert not protocol_of(other).fault(one) and protocol_of(protocol).fault(one)


def test_each_judge_of_rankme_is_asked_for_one_criterion(tmp_path: Path, clock: Clock) -> None:
    panels = {"public": {"judges": 6, "evaluations": 3, "access": "open"}}
    service = rated.of("rankme", tmp_path, clock, panels=panels, practice=1)
    study = estimation_study(service.study)
    asked = Counter()
    for sheet in range(6):
        slots = [slot for slot in service.frozen.slots if slot.block == sheet + 1]
        parts = {part_of(service.frozen.text[text], study) for slot in slots for text in slot.texts}
        assert len(slots) == 3 and parts == {sheet % 2}
        asked[sheet % 2] += len(slots)
    assert asked == {0: 9, 1: 9}
    first, second = ([slot for slot in service.frozen.slots if slot.block == n] for n in (1, 2))
    shown = [[service.frozen.text[text].text for text in slot.texts] for slot in first]
    assert shown == [[service.frozen.text[text].text for text in slot.texts] for slot in second]
    assert [len(slots) for slots in service.frozen.rounds.values()] == [1, 1], "practice asks for both"
    judge, _ = service.arrivals.register("public")
    for _ in range(2):
        practice = service.dealing.step(judge).evaluation
        assert practice is not None and practice.practice
        service.answers.answer_practice(judge, practice.number, rated.some_answer(service, practice, 0))
    here = service.dealing.step(judge).evaluation
    assert here is not None
    with pytest.raises(Refused, match="this page asks nothing called 'formality'"):
        service.answers.answer(judge, here.claim, {"formality": [1, 2, 3]})
    with pytest.raises(Refused, match="a number for each of the 3 texts"):
        service.answers.answer(judge, here.claim, {"fluency": [1, 2]})
    service.answers.answer(judge, here.claim, {"fluency": [1, 2, 3]})


def test_late_judges_of_rankme_continue_the_turns(tmp_path: Path, clock: Clock) -> None:
    service = rated.of("rankme", tmp_path, clock)
    study = estimation_study(service.study)
    added = service.dealing.extend("public", 3)
    parts = [part_of(service.frozen.text[slot.texts[0]], study) for slot in added]
    assert parts == [0] * 4 + [1] * 4 + [0] * 4


def test_together_asks_for_all_criteria_at_once(tmp_path: Path, clock: Clock) -> None:
    service = rated.of("rankme", tmp_path, clock, together=True)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    given = {"fluency": [1, 2, 3], "formality": [3, 2.5, 1e-3]}
    assert service.answers.answer(judge, shown.claim, given).judgement.answer == given


def test_a_standard_of_each_input_stands_beside_its_texts(tmp_path: Path) -> None:
    rows = [
        {"item": str(k), "system": name, "hypothesis": f"{name} {k}", "references": [f"first {k}", "second"]}
        for name in "abc"
        for k in range(3)
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    changes = {
        "subjects": None,
        "show": None,
        "data": "set.jsonl",
        "standard": {"column": "reference", "value": 9},
    }
    frozen = freeze(load(write(tmp_path, **estimating("rankme", **changes))), tmp_path)
    assert {(text.item, text.beside["standard"]) for text in frozen.served} == {
        (str(k), f"first {k}") for k in range(3)
    }
    assert Study.from_dict(json.loads(json.dumps(frozen.study.to_dict()))) == frozen.study


def test_a_standard_among_listed_texts(tmp_path: Path) -> None:
    texts = [{"text": f"t{k}", "source": "s", "reference": [f"r{k}"]} for k in range(3)]
    subjects = {name: {"texts": texts} for name in "ab"}
    changes = {"subjects": subjects, "standard": {"column": "reference", "value": 10}}
    frozen = freeze(load(write(tmp_path, **estimating("magnitude", **changes))), tmp_path)
    assert [text.beside["standard"] for text in frozen.texts[:3]] == ["r0", "r1", "r2"]
    short = {name: {"texts": [{"text": "t", "source": "s"}]} for name in "ab"}
    write(tmp_path, **estimating("magnitude", **(changes | {"subjects": short})))
    with pytest.raises(InputError, match=r"subjects.a.texts.1 has no standard"):
        freeze(load(tmp_path), tmp_path)


def test_check_says_what_is_risky(tmp_path: Path) -> None:
    standard = {"text": "rules says: rain in valley 0.", "value": 100}
    folder = write(tmp_path, **estimating("rankme", design=THREE, standard=standard, together=True))
    said = "\n".join(str(one) for one in check(folder)[0])
    assert "the standard is itself among the texts ('1' by rules)" in said
    assert "all criteria at once, which then colour each other" in said
    folder = write(tmp_path / "b", **estimating("rankme", standard=None, panels={"p": {"judges": 3}}))
    said = "\n".join(str(one) for one in check(folder)[0])
    assert "only ratios of systems can be told" in said and "a multiple of 2 judges would be even" in said
    folder = write(tmp_path / "c", **estimating("magnitude", unit="judge"))
    assert "the standard serves as an example only" in "\n".join(str(one) for one in check(folder)[0])


def test_crowds_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a ratio to the standard, between 1e-06 and 1e\+06, not -1"):
        Estimators(means={"a": -1})
    with pytest.raises(InputError, match="noise must lie between 0 and 5"):
        Estimators(noise=9)
    with pytest.raises(InputError, match="the study has no system 'x'"):
        Estimators(means={"x": 1.0}).of(["a"])
    study = load(write(tmp_path, **estimating("magnitude")))
    with pytest.raises(InputError, match="strengths=… means nothing"):
        protocol_of("magnitude").crowd(study, {"strengths": {"a": 1.0}})


@EVERY
def test_commands_from_a_data_set_to_long_rows(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"item": str(k), "system": name, "source": f"rain({k})", "hypothesis": f"{name} writes {k}."}
        for name in "abcd"
        for k in range(5)
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    folder = str(tmp_path / "study")
    command = ["study", "new", folder, "--protocol", protocol, "--from", str(tmp_path / "set.jsonl")]
    assert main([*command, "--judges", "4", "--seed", "3"]) == 0
    for step in (["check"], ["launch"], ["simulate"], ["analyse", "--html", str(tmp_path / "r.html")]):
        assert main(["study", step[0], folder, *step[1:]]) == 0, step
    assert main(["study", "export", folder, "--long", "-o", str(tmp_path / "long.jsonl")]) == 0
    found = [json.loads(line) for line in (tmp_path / "long.jsonl").read_text().splitlines()]
    assert {row["criterion"] for row in found} == {"fluency", "coherence"} and all(row["value"] > 0 for row in found)
    screens: dict[Any, list[Any]] = {}
    for row in found:
        screens.setdefault((row["judgement"], row["criterion"]), []).append(row)
    assert {len(screen) for screen in screens.values()} == {1 if protocol == "magnitude" else 4}
    if protocol == "rankme":
        for screen in screens.values():
            assert [row["rank"] for row in screen] == ranks([row["value"] for row in screen])
            assert [row["place"] for row in screen] == [1, 2, 3, 4]
    assert "How the systems are rated" in (tmp_path / "r.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["study", "analyse", folder, "--rescale"]) == 2
    assert "has no scales" in capsys.readouterr().err


def test_new_needs_two_systems_to_rank(tmp_path: Path) -> None:
    row = {"item": "1", "system": "a", "hypothesis": "x", "references": ["y"]}
    (tmp_path / "one.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match="rankme compares at least 2 systems"):
        protocol_of("rankme").new(tmp_path / "s", tmp_path / "one.jsonl", {"seed": 1})


def test_a_reverse_keyed_question_is_kept_so(tmp_path: Path) -> None:
    bad = {
        "id": "repetition",
        "definition": "It repeats.",
        "question": "How repetitive is it?",
        "reverse": True,
    }
    study = estimation_study(load(write(tmp_path, **estimating("magnitude", criteria=[bad, FORMAL]))))
    assert [one.reverse for one in study.questions_asked] == [True, False]
    assert math.isclose(Estimators().of(["a", "b"])["b"], 1.4)


@EVERY
def test_the_schema_takes_both(protocol: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = study_schema()
    jsonschema.validate(rated.description(**estimating(protocol, unit="judge")), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(rated.description(**estimating(protocol, scale={"points": 5})), schema)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_for_one_text_is_found_in_a_question(language: str) -> None:
    """What is sought in questions must be in their language, and inflected as they are."""
    asked = [question for questions in content(language, "criteria")["questions"].values() for question in questions]
    found = {of_one(question, language) for question in asked}
    assert [phrase for phrase in content(language, "wordings")["magnitudes.each"] if phrase not in found] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_several_texts_are_each_asked_about(language: str) -> None:
    one = re.compile(
        r"\b(this (text|summary|reply|caption|answer|question)"
        r"|(?<!jede )(?<!jede[rsnm] )diese[rsn]? (Text|Zusammenf|Antwort|Frage|Bildunt)\w*"
        r"|ce texte|ce résumé|cette (réponse|question|réplique|légende)|[dn]?est[ea] (texto|res|pie|pé|preg)\w*"
        r"|quest[oa] (testo|riass|risp|didas|dom)\w*)|ل?هذا (النص|الملخ|الرد|التعليق|السؤال)|هذه الإجابة"
    )
    single, several = 0, 0
    for criterion in catalogue().values():
        alone, beside = (estimated_of(CriterionEntry(criterion.id), kind) for kind in ("magnitude", "rankme"))
        if alone is None or beside is None or language not in alone.question:
            continue
        single += bool(one.search(alone.question[language]))
        assert not one.search(beside.question[language]), beside.question[language]
        assert beside.question[language] != alone.question[language] and beside.mark == "ours"
        several += 1
    assert several > 30
    assert single > 20, f"the pattern above lacks the words of {language}"  # it is able to find what is wrong


def test_a_question_of_ones_own_is_asked_as_it_is_written() -> None:
    entry = CriterionEntry("own", definition=Words({"": "d"}), question=Words({"": "How odd is this text?"}))
    found = estimated_of(entry, "rankme")
    assert found is not None and found.question[""] == "How odd is this text?"


def test_check_says_that_one_text_is_asked_about_where_several_are_shown(tmp_path: Path) -> None:
    for protocol, expected in (("magnitude", 0), ("rankme", 1)):
        write(tmp_path / protocol, **estimating(protocol))
        said = [one.message for one in check(tmp_path / protocol)[0] if "asks about “this text”" in one.message]
        assert len(said) == expected
    assert "How formal is each of these texts?" in said[0]
