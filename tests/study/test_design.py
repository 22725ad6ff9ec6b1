"""The study file: what it may say, and how it refuses what it may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from studies import description, write

from nlgauge.errors import InputError
from nlgauge.study.file import study as design
from nlgauge.study.file.study import Study, inspect, load, say, study_schema


def test_a_file_is_read_and_written_back(tmp_path: Path) -> None:
    study = load(write(tmp_path / "s", practice=2, reasons={"text": "optional", "highlight": "no"}))
    assert study.practice.triads == 2
    assert study.reasons.highlight == "no"  # YAML alone would say false
    assert study.spoken == ("en",)
    assert Study.from_dict(study.to_dict()) == study
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study


def test_the_example_of_the_design(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        "protocol: triangle\ntitle: Can readers tell?\ngoal: similarity\n"
        "risks: {alpha: 0.05, beta: 0.01, p_d: 0.30}\n"
        "subjects:\n  A: {data: f.jsonl, system: human}\n  B: {data: f.jsonl, system: generated}\n"
        "question:\n  en: Select the text.\n  es: Seleccione el texto.\n"
        "reasons: {text: optional, highlight: optional}\n"
        "panels:\n  public: {judges: 98, recruitment: open link, pay: none}\npractice: 1\nseed: 20261115\n",
        encoding="utf-8",
    )
    study = load(tmp_path)
    assert study.panels["public"].judges == 98
    assert study.spoken == ("en", "es")
    assert say(study.question, "es") == "Seleccione el texto."


def test_a_title_for_each_language_and_one_for_all(tmp_path: Path) -> None:
    plain = load(write(tmp_path / "a"))
    assert plain.to_dict()["title"] == "Who wrote it?"  # as in designs frozen before: their hash stays
    both = {"es": "¿Quién lo escribió?", "en": "Who wrote it?"}
    study = load(write(tmp_path / "b", title=both, question=both))
    assert (study.called, say(study.title, "es")) == ("Who wrote it?", "¿Quién lo escribió?")
    assert study.to_dict()["title"] == both
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"practise": 1}, r"no key 'practise'; did you mean practice"),
    ({"panels": {"p": {"judgs": 3, "judges": 3}}}, r"no key 'panels.p.judgs'; did you mean judges"),
    ({"goal": "diference"}, r"goal cannot be 'diference'; did you mean difference"),
    ({"protocol": "duo"}, r"protocol cannot be 'duo'"),
    ({"seed": None}, r"the key 'seed' is missing"),
    ({"seed": "many"}, r"seed must be a whole number, not 'many'"),
    ({"seed": -1}, r"seed must be between 0 and"),
    ({"panels": {"p": {"judges": 0}}}, r"panels.p.judges must be between 1 and 100000, not 0"),
    ({"panels": {}}, r"panels is empty"),
    ({"risks": {"alpha": 5}}, r"risks.alpha must lie between 0 and 1, not 5; write 5 % as 0.05"),
    ({"risks": {"p_d": 0}}, r"risks.p_d must lie between 0 and 1"),
    ({"subjects": {"A": {"texts": ["x"]}}}, r"subjects must be A and B, not A"),
    ({"subjects": {"A": {"texts": ["x"]}, "B": {}}}, r"subjects.B must name either data .* or texts"),
    ({"subjects": {"A": {"texts": ["x"]}, "B": {"data": "f"}}}, r"subjects.B must name a system"),
    (
        {"goal": "similarity", "panels": {"p": {"judges": 4, "evaluations": 6}}},
        r"repeated evaluations are not allowed in a test of similarity",
    ),
    ({"question": {"en": "Which?", "xx": "?"}}, r"question has the language 'xx'"),
    ({"languages": ["en", "es"], "question": {"en": "Which?"}}, r"question has no wording for es"),
    ({"languages": ["en", "en"]}, r"named twice"),
    ({"title": ""}, r"title is empty"),
    (
        {"title": {"en": "Who?"}, "question": {"en": "Which?", "es": "¿Cuál?"}},
        r"title has no wording for es",
    ),
    ({"timeout": 0}, r"timeout must be at least 0.1, not 0"),
    ({"practice": {"examples": [{"texts": ["a", "b"], "odd": 1}]}}, r"three texts, not 2"),
    (
        {"practice": {"required": 2, "triads": 1}},
        r"practice.required is 2, but there is 1 practice triad; lower it",
    ),
    ({"questions": [{"id": "age", "text": "Age?"}]}, r"'age' of type choice needs options"),
    (
        {"questions": [{"id": "age", "text": "Age?", "options": ["old"]}]},
        r"has one option, so there is nothing to",
    ),
    (
        {"questions": [{"id": "a", "text": "?", "options": ["x", "y", "x"]}]},
        r"'a' has two options that are the same; leave one out",
    ),
    (
        {"questions": [{"id": "a", "text": "?", "type": "several", "options": ["x | y", "z"]}]},
        r"an option of the question 'a' holds “\|”, which stands between the options of an answer in the export",
    ),
    (
        {"questions": [{"id": "a", "text": "?", "type": "text"}, {"id": "a", "text": "?", "type": "text"}]},
        r"two questions are called 'a'",
    ),
    ({"completion": {"redirect": "javascript:alert(1)"}}, r"completion.redirect must be an address"),
    ({"sequential": {"looks": [6, 3]}}, r"increasing"),
    ({"sequential": {"looks": [6, 13]}}, r"after 13 answers, but the panel public gives 12"),
    ({"risks": [1, 2]}, r"risks must be a mapping"),
    ({"questions": "none"}, r"questions must be a list"),
    ({"timeout": float("nan")}, r"timeout must be a number"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(write(tmp_path / "s", **changes))


def test_a_refusal_quotes_the_beginning_of_a_long_value(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'x{60}'…") as refusal:
        load(write(tmp_path / "s", goal="x" * 100_000))
    assert len(str(refusal.value)) < 400


def test_every_problem_is_listed_with_its_line(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", practise=1, seed="x", goal="none")
    study, problems, _ = inspect(folder)
    assert study is None
    lines = (folder / design.FILE).read_text(encoding="utf-8").splitlines()
    assert {lines[problem.line - 1].partition(":")[0] for problem in problems} == {"practise", "seed", "goal"}
    with pytest.raises(InputError, match=r"study.yaml, line \d+: .*2 more: nlgauge study check"):
        load(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a: [1", "line 1"),
        (b"\xff\xfe", "not UTF-8"),
        (b"- 1\n- 2\n", "must be a mapping"),
        (b"? [a]\n: 1\nprotocol: triangle\n", "line 1: a key of the study file must be a word"),
        (b"title: a\n", "line 1: the key 'protocol' is missing: .*; add, for example, protocol: likert"),
        (b"just words", "must be a mapping"),
        (b"title: a\n\nseed: [1, 2", "line 3"),
        (b"title: a\nseed: " + b"[" * 100_000, "line 2, column 106: nested too deeply"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "study.yaml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(tmp_path)


WRITTEN = (
    "rubbed\x7fout",
    "next\x85line",
    "no\ufffecharacter",
    "line\u2028end",
    "bell\x07",
    "\U0001f600 \ufeff\u202e",
)


@pytest.mark.parametrize("text", WRITTEN, ids=ascii)
def test_texts_come_back_from_the_frozen_design_as_they_were(tmp_path: Path, text: str) -> None:
    texts = {name: {"texts": [text, *(f"{name} {k}" for k in range(11))]} for name in "AB"}
    (tmp_path / design.FILE).write_text(yaml.safe_dump(description(subjects=texts)), encoding="utf-8")  # escaped
    study = load(tmp_path)
    assert study.subjects["A"].texts[0].text == text
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study


@pytest.mark.parametrize(("written", "value"), [("5e-1", 0.5), ("2.5E1", 25.0), ("1e+23", 1e23)])
def test_numbers_with_a_power_of_ten(tmp_path: Path, written: str, value: float) -> None:
    folder = write(tmp_path / "s")
    with open(folder / design.FILE, "a", encoding="utf-8") as file:
        file.write(f"timeout: {written}\n")
    study = load(folder)
    assert study.timeout == value
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study


def test_lines_are_the_same_with_and_without_the_compiled_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "s", practise=1, seed="x", risks={"alpha": 5}, title="é \U0001f600\nb")
    if not hasattr(yaml, "CSafeLoader"):
        pytest.skip("PyYAML was built without its compiled parser")
    compiled = inspect(folder)
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert inspect(folder) == compiled
    assert len(compiled[1]) == 2


def test_a_key_given_twice(tmp_path: Path) -> None:
    folder = write(tmp_path / "s")
    with open(folder / design.FILE, "a", encoding="utf-8") as file:
        file.write("seed: 8\n")
    with pytest.raises(InputError, match="the key 'seed' is given twice"):
        load(folder)


def test_a_folder_without_a_study(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no study\.yaml; make one with"):
        load(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "nowhere")


def test_the_schema_accepts_what_is_read_and_knows_every_key() -> None:
    whole = study_schema()
    schema = next(form for form in whole["oneOf"] if "triangle" in form["properties"]["protocol"]["enum"])
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == {"protocol", "title", "goal", "subjects", "panels", "question", "seed"}
    assert set(description()) <= set(schema["properties"])
    panel = schema["properties"]["panels"]["additionalProperties"]["properties"]["judges"]
    assert panel["minimum"] == 1
    assert all("description" in value for value in schema["properties"].values())
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(whole)
    validator = jsonschema.Draft202012Validator(whole)
    assert validator.is_valid(yaml.safe_load(yaml.safe_dump(description())))
    assert not validator.is_valid(description(practise=1))
