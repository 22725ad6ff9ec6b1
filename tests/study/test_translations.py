"""One's own translation of the pages: read with all faults at once, frozen with the study, told in the statement."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import rated
import studies
import yaml
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.file import study as design
from nlgauge.study.file.translations import category, missing, plurals_of, template
from nlgauge.study.freeze.frozen import read
from nlgauge.study.languages import content
from nlgauge.study.protocols import PROTOCOLS

ENGLISH: Mapping[str, Any] = content("en", "pages")
WHOLE: dict[str, Any] = {
    "name": "Euskara",
    "phrases": {name: f"eu {name}" for name in ("begin", "continue", "done")},
}
BASQUE = {"title": {"eu": "Nork idatzi du?"}, "question": {"eu": "Zein testu da ezberdina?"}}


def write(folder: Path, text: str | dict[str, Any], name: str = "eu.yaml") -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    content = text if isinstance(text, str) else yaml.safe_dump(text, allow_unicode=True)
    (folder / name).write_text(content, encoding="utf-8")
    return folder


def problems(folder: Path) -> list[str]:
    return [problem.message for problem in design.inspect(folder)[1]]


def test_the_template_holds_every_phrase_and_is_read_as_it_stands(tmp_path: Path) -> None:
    for tag in ("eu", "pl", "fa", "ja", "pt-BR"):
        values = yaml.safe_load(template(tag))
        assert list(values["phrases"]) == list(ENGLISH)
        assert values["direction"] == ("rtl" if tag == "fa" else "ltr")
        forms = values["phrases"]["rating_count"]
        assert list(forms) == list(plurals_of(tag)) == list(values["plurals"])
    filled = template("eu").replace('name: ""', "name: Euskara").replace('\n  begin: ""', "\n  begin: Hasi")
    studies.write(write(tmp_path, filled), **BASQUE, translations={"eu": "eu.yaml"})
    study = design.load(tmp_path)
    assert study.spoken == ("eu",) and study.pages["eu"].phrases == {"begin": {"": "Hasi"}}
    assert len(missing(study.pages["eu"])) == len(ENGLISH) - 1


def test_a_template_that_every_phrase_was_filled_into_lacks_nothing_and_breaks_nothing(
    tmp_path: Path,
) -> None:
    source = content("de", "pages")
    phrases = {name: source[name] for name in source}
    studies.write(write(tmp_path, {"name": "Platt", "phrases": phrases}, "nds.yaml"))
    studies.write(tmp_path, title={"nds": "Wokeen?"}, question={"nds": "Wat?"}, translations={"nds": "nds.yaml"})
    assert problems(tmp_path) == [] and missing(design.load(tmp_path).pages["nds"]) == []


def test_every_fault_is_told_at_once_with_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """name: Euskara
direction: up
plurals: {one: n is 1, other: else}
colour: red
phrases:
  begin: "Hasi {now}"
  begn: Hasi
  progress: "{number}"
  contact: "Galderak: {contact"
  back: {one: atzera, other: atzera}
  rating_count: {one: "Testu bat", few: "{total} testu"}
  done: ""
"""
    studies.write(write(tmp_path, text), **BASQUE, translations={"eu": "eu.yaml"})
    assert main(["study", "check", str(tmp_path)]) == 2
    told = capsys.readouterr().out
    for line, words in ((2, "direction"), (4, "no key 'colour'")):
        assert re.search(rf"eu\.yaml, line {line}: .*{words}", told), words
    write(tmp_path, text.replace("direction: up\n", "").replace("colour: red\n", ""))
    told = "\n".join(problems(tmp_path))
    for line, words in (
        (2, "n is 1"),
        (4, r"begin holds \{now\}"),
        (5, "no phrase 'begn'.*begin"),
        (6, r"progress lacks \{total\}"),
        (7, "contact has a brace"),
        (8, "back has the form 'one'; it is one text"),
        (9, "rating_count has the form 'few'; its forms are one, other"),
        (9, "rating_count has no form for other"),
    ):
        assert re.search(rf"eu\.yaml, line {line}: .*{words}", told), words
    with pytest.raises(InputError, match=r"study\.yaml, line \d+: eu\.yaml, line 2"):
        design.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty; make one with"),
        ("phrases: [", "not valid YAML"),
        ("name: x", "'phrases' is missing"),
        ("name: x\nphrases:\n  begin: &a\n    one: *a", "line 4: not valid YAML (*a holds itself)"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: str, words: str) -> None:
    studies.write(write(tmp_path, content), **BASQUE, translations={"eu": "eu.yaml"})
    assert any(words in message for message in problems(tmp_path))


def test_a_file_that_is_not_there_and_a_tag_that_is_none_are_told(tmp_path: Path) -> None:
    studies.write(tmp_path, **BASQUE, translations={"eu": "gone.yaml", "b a": "eu.yaml"})
    told = "\n".join(problems(tmp_path))
    assert "gone.yaml" in told and "'b a' is no tag of a language" in told
    studies.write(tmp_path, title={"eu": "x"}, question={"eu": "x"}, languages=["eu"])
    told = "\n".join(problems(tmp_path))
    assert "languages.1 cannot be 'eu'" in told and "nlgauge study translation" in told


def test_no_phrase_can_hold_what_no_database_can(tmp_path: Path) -> None:
    studies.write(write(tmp_path, 'name: x\nphrases: {begin: "a\\0b"}\n'), **BASQUE, translations={"eu": "eu.yaml"})
    assert any("NUL" in message for message in problems(tmp_path))


def test_what_is_missing_is_noted_with_the_language_that_stands_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, WHOLE | {"fallback": "es"})
    studies.write(tmp_path, **BASQUE, translations={"eu": "eu.yaml"})
    assert main(["study", "check", str(tmp_path), "--json"]) == 0
    (note,) = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["kind"] == "translation"]
    assert note["severity"] == "note" and "in Español (es)" in note["message"] and "welcome_title" in note["message"]
    assert len(note["figures"]["missing"]) == len(ENGLISH) - 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_translation_is_frozen_with_every_protocol(protocol: str, tmp_path: Path, clock: Clock) -> None:
    write(tmp_path, WHOLE | {"name": "Plain English"})
    service = rated.of(protocol, tmp_path, clock, translations={"en": "eu.yaml"})  # in place of the package's
    (tmp_path / "eu.yaml").write_text("changed: after launch", encoding="utf-8")
    again = read(tmp_path)
    assert again.digest == service.frozen.digest and again.study == service.study
    assert again.study.pages["en"].phrases["begin"] == {"": "eu begin"} and again.study.pages["en"].sha256


def test_the_statement_tells_the_files_hash(tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    import hashlib

    from nlgauge.study.store import Store

    write(tmp_path, WHOLE)
    studies.launched(tmp_path, clock, Store.at(tmp_path), **BASQUE, translations={"eu": "eu.yaml"})
    assert main(["study", "statement", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    digest = hashlib.sha256((tmp_path / "eu.yaml").read_bytes()).hexdigest()
    assert digest in told and "Euskara (eu)" in told and f"3 of {len(ENGLISH)} phrases, the others in en" in told


def test_definitions_of_ones_own_may_be_in_ones_own_language(tmp_path: Path) -> None:
    write(tmp_path, WHOLE)
    own = {
        "id": "argitasuna",
        "name": "Argitasuna",
        "definition": {"eu": "Testua erraz ulertzen da."},
        "question": {"eu": "Zenbateraino da argia testua?"},
        "scale": {"points": 5, "labels": [{"eu": "ez da argia"}, {"eu": "oso argia"}]},
    }
    rated.write(tmp_path, title={"eu": "T"}, criteria=[own], languages=["eu"], translations={"eu": "eu.yaml"})
    assert problems(tmp_path) == []
    del own["question"]["eu"]  # type: ignore[attr-defined]
    own["question"] = {"xx": "?"}
    rated.write(tmp_path, title={"eu": "T"}, criteria=[own], languages=["eu"], translations={"eu": "eu.yaml"})
    assert any("which pages do not speak" in message for message in problems(tmp_path))


def test_definitions_are_asked_for_in_every_language_of_the_pages(tmp_path: Path) -> None:
    write(tmp_path, WHOLE)
    criterion: dict[str, Any] = {
        "id": "fluency",
        "question": {"en": "How clear?", "eu": "Zenbat argi?"},
        "scale": {"points": 5, "labels": [{"en": "bad", "eu": "txarra"}, {"en": "good", "eu": "ona"}]},
    }
    changes = {"title": {"en": "T", "eu": "T"}, "languages": ["eu", "en"], "translations": {"eu": "eu.yaml"}}

    def told(**more: Any) -> list[str]:
        rated.write(tmp_path, **{**changes, "criteria": [criterion], **more})
        return [one for one in problems(tmp_path) if "definition" in one]

    (lacking,) = told()
    assert "criteria.1.definition has no wording for eu" in lacking
    assert told(definitions="hidden") == []
    criterion["definition"] = {"eu": "Testua erraz irakurtzen da."}
    assert told() == []
    (asked_of,) = design.load(tmp_path).questions_asked  # type: ignore[attr-defined]
    assert asked_of.explained["eu"] == "Testua erraz irakurtzen da." and asked_of.explained["en"]
    criterion["definition"]["en"] = "Something else."
    assert any("whose definition is fixed" in one for one in told())
    criterion |= {"id": "argitasuna", "definition": {"en": "The text is easy to understand."}}
    (lacking,) = told()
    assert "criteria.1.definition has no wording for eu" in lacking


def test_the_command_writes_the_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "pl.yaml"
    assert main(["study", "translation", "pl", "--from", "de", "-o", str(target)]) == 0
    assert "translations: {pl: pl.yaml}" in capsys.readouterr().out
    text = target.read_text(encoding="utf-8")
    assert text == template("pl", "de") and "# Weiter" in text and 'many: ""' in text
    assert main(["study", "translation", "eu", "-o", str(target)]) == 2  # what was translated is never lost
    assert target.read_text(encoding="utf-8") == text and "is there already" in capsys.readouterr().err
    assert main(["study", "translation", "pl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["template"] == template("pl")
    for words in (["x"], ["pl", "--from", "xx"]):
        assert main(["study", "translation", *words]) == 2


@pytest.mark.parametrize(
    ("tag", "numbers"),
    [
        ("ru", {"one": (1, 21, 101), "few": (2, 24, 102), "many": (0, 5, 11, 14, 111)}),
        ("pl", {"one": (1,), "few": (2, 34), "many": (0, 21, 112)}),
        ("lt", {"one": (1, 31), "few": (2, 29), "other": (0, 10, 11, 19)}),
        ("ro", {"one": (1,), "few": (0, 2, 19, 101, 119), "other": (20, 100)}),
        ("sl", {"one": (1, 201), "two": (102,), "few": (3, 204), "other": (0, 5)}),
        ("ja", {"other": (0, 1, 2)}),
        ("PT-br", {"one": (0, 1), "other": (2,)}),
        ("eu", {"one": (1,), "other": (0, 2)}),
    ],
)
def test_plural_categories_are_those_of_cldr(tag: str, numbers: dict[str, tuple[int, ...]]) -> None:
    for name, counts in numbers.items():
        assert {category(plurals_of(tag), count) for count in counts} == {name}


@pytest.mark.parametrize(
    "plurals", [{"other": "else", "one": "n = 1"}, {"one": "else", "other": "else"}], ids=["first", "twice"]
)
def test_a_plural_category_after_the_rest_of_the_numbers_is_refused(tmp_path: Path, plurals: dict[str, str]) -> None:
    written = yaml.safe_dump(WHOLE | {"plurals": plurals}, sort_keys=False)
    studies.write(write(tmp_path, written), **BASQUE, translations={"eu": "eu.yaml"})
    (message,) = problems(tmp_path)
    assert "is never meant, because else takes every number" in message


@pytest.mark.parametrize("rule", ["n % 0 = 1", "n = 5..2", "n = 1 or n % 0 = 1"])
def test_a_rule_that_no_number_can_meet_is_refused(rule: str, tmp_path: Path) -> None:
    studies.write(
        write(tmp_path, WHOLE | {"plurals": {"one": rule, "other": "else"}}),
        **BASQUE,
        translations={"eu": "eu.yaml"},
    )
    assert any("cannot be read; write it as in n % 10 = 2..4" in message for message in problems(tmp_path))


def test_a_list_and_a_changed_placeholder_are_told_in_plain_words(tmp_path: Path) -> None:
    studies.write(write(tmp_path, "- a\n- b\n"), **BASQUE, translations={"eu": "eu.yaml"})
    assert any("eu.yaml must have keys (name, phrases)" in message for message in problems(tmp_path))
    name, text = next((name, text) for name, text in ENGLISH.items() if isinstance(text, str) and "{" in text)
    write(tmp_path, WHOLE | {"phrases": {name: text.replace("}", "!r}")}})
    assert any("changes a placeholder with ! or :" in message for message in problems(tmp_path))
