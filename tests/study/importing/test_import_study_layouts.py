"""The files of published studies in the layout in which their authors hand them out, on made-up rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_ratings import written

from nlgauge.errors import InputError
from nlgauge.study.exchange.importing import Imported, import_study
from nlgauge.study.exchange.importing.layouts import PUBLISHED

STORY = {"Relevance": 3, "Coherence": 4, "Empathy": 2, "Surprise": 1, "Engagement": 3, "Complexity": 2}


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def summeval(path: Path) -> Path:
    one = {"coherence": 4, "consistency": 5, "fluency": 5, "relevance": 3}
    return lines(
        path.with_suffix(".jsonl"),
        [
            {
                "id": f"cnn-{k}",
                "model_id": model,
                "decoded": f"{model} {k}",
                "references": [],
                "expert_annotations": [one] * 3,
                "turker_annotations": [one | {"fluency": k + 1}] * 5,
            }
            for k in range(3)
            for model in ("M0", "M8")
        ],
    )


def usr(path: Path, fact: str = "a fact") -> Path:
    rated = {
        "Understandable": [1, 0, 1],
        "Natural": [3, 2, 1],
        "Maintains Context": [1, 2, 3],
        "Engaging": [2, 2, 2],
        "Uses Knowledge": [0, 0, 1],
        "Overall": [5, 4, 3],
    }
    contexts = [
        {
            "context": f"hello {k}",
            "fact": fact,
            "annotators": ["a", "b", "c"],
            "responses": [{"response": f"{model} {k}", "model": model, **rated} for model in ("x", "y")],
        }
        for k in range(2)
    ]
    found = path.with_suffix(".json")
    found.write_text(json.dumps(contexts), encoding="utf-8")
    return found


def hanna(path: Path) -> Path:
    return written(
        path.with_suffix(".csv"),
        [
            {
                "Story ID": k,
                "Prompt": f"prompt {k % 2}",
                "Human": "h",
                "Story": f"story {k}",
                "Model": ("Human", "GPT-2")[k // 2],
                **STORY,
                "Worker ID": worker,
                "Assignment ID": "x",
                "Work time in seconds": 60 + k,
                "Name": "Ann",
            }
            for k in range(4)
            for worker in ("A1XYZ", "A2XYZ", "A3XYZ")
        ],
    )


def webnlg(path: Path) -> Path:
    return written(
        path.with_suffix(".csv"),
        [
            {
                "": k,
                "X_unit_id": 900 + k,
                "X_worker_id": worker,
                "fluency": 3,
                "grammaticality": 2,
                "semantic_adequacy": 1,
                "mr": f"a | b | {k % 2}",
                "team": ("adapt", "webnlg")[k // 2],
                "text": f"text {k}\n",
                "bleu": 0.1,
            }
            for k in range(4)
            for worker in (4711, 4712)
        ],
    )


def e2e(path: Path) -> Path:
    table = []
    for k in range(3):
        row: dict[str, Any] = {"_unit_id": k, "_golden": k == 2, "_worker_id": 99 + k, "mr": f"name[{k}]"}
        for n in range(1, 6):
            row |= {f"sys{n}": f"s{n}", f"ref{n}": f"output {n} {k}", f"quality{n}": 100 * n}
        table.append(row)
    return written(path.with_suffix(".csv"), table)


MADE = {"summeval": summeval, "usr": usr, "hanna": hanna, "webnlg2017": webnlg, "e2e-rankme": e2e}
COUNTS = {  # ratings, answers, judges by panel, named
    "summeval": (192, 48, {"experts": 3, "turkers": 5}, "places"),
    "usr": (72, 12, {"judges": 3}, "places"),
    "hanna": (72, 12, {"judges": 3}, "people"),
    "webnlg2017": (24, 8, {"judges": 2}, "people"),
    "e2e-rankme": (10, 2, {"judges": 2}, "people"),
}


def read(tmp_path: Path, name: str) -> Imported:
    return import_study(tmp_path / "s", [MADE[name](tmp_path / "file")], name)


def test_every_published_layout_is_tried() -> None:
    assert list(MADE) == list(PUBLISHED) == list(COUNTS)


@pytest.mark.parametrize("name", MADE)
def test_layouts_are_read(tmp_path: Path, name: str) -> None:
    done = read(tmp_path, name)
    ratings, answers, judges, named = COUNTS[name]
    assert (len(done.source.ratings), len(done.service.judgements())) == (ratings, answers)
    assert done.judges == judges and done.source.judges == named
    assert done.unknown == tuple(one.id for one in done.service.study.questions_asked)
    assert all(text.text for text in done.service.frozen.texts)


def test_ids_of_a_platform_are_not_kept(tmp_path: Path) -> None:
    for name in ("hanna", "webnlg2017", "e2e-rankme"):
        folder = tmp_path / name
        folder.mkdir()
        done = import_study(folder / "s", [MADE[name](folder / "file")], name)
        assert {row["id"] for row in done.service.people.judges()} <= {"w001", "w002", "w003"}
        assert any("lead to people" in remark for remark in done.source.remarks)
        for kept in (folder / "s").iterdir():
            assert b"A1XYZ" not in kept.read_bytes() and b"4711" not in kept.read_bytes()


def test_what_the_files_tell(tmp_path: Path) -> None:
    done = read(tmp_path, "hanna")
    assert {one.known_seconds for one in done.service.judgements()} == {60, 61, 62, 63}
    assert {text.beside["source"] for text in done.service.frozen.texts} == {"prompt 0", "prompt 1"}
    assert done.service.judgements()[0].answer == STORY


def test_persona_chat_is_told_by_its_facts(tmp_path: Path) -> None:
    done = import_study(tmp_path / "s", [usr(tmp_path / "pc", "your persona: i like tea.")], "usr")
    assert done.service.study.called.endswith("Persona-Chat")


def test_test_questions_and_screens_of_the_e2e_challenge(tmp_path: Path) -> None:
    done = read(tmp_path, "e2e-rankme")
    assert done.source.skipped == {"test questions of the platform": 1}
    assert {one.screen for one in done.source.ratings} == {"quality 0", "quality 1"}
    study = done.service.study
    assert study.protocol == "rankme" and study.per_screen == 5 and study.imported
    for one in done.service.judgements():
        assert one.answer == {"quality": [100, 200, 300, 400, 500]}
        assert [done.service.frozen.text[name].subject for name in one.texts] == [
            "s1",
            "s2",
            "s3",
            "s4",
            "s5",
        ]
    rows = [row for one in done.service.judgements() for row in done.service.protocol.long(one, done.service.frozen)]
    assert {row["warning"] for row in rows} == {"question wording unknown"} and len(rows) == 10


def test_screens_that_are_no_magnitudes_are_refused(tmp_path: Path) -> None:
    def sets(name: str, *values: float, systems: str = "abcde") -> Path:
        row = {"item": "i", "judge": 1, "unit": "u", "systems": list(systems), "hypotheses": list(systems)}
        return lines(tmp_path / f"{name}.jsonl", [row | {"ratings": {"quality": list(values)}}])

    for name, path, message in (
        ("zero", sets("zero", 0, 1, 2, 3, 4), r"line 1: the answer 0 to quality is no magnitude"),
        (
            "four",
            sets("four", 1, 2, 3, 4, systems="abcd"),
            "has 4 numbers for quality; expected one for each of its 5",
        ),
        (
            "twice",
            sets("twice", 1, 2, 3, 4, 5, systems="abcda"),
            "gave a two numbers for quality on the screen",
        ),
    ):
        with pytest.raises(InputError, match=message):
            import_study(tmp_path / name, [path], "e2e-rankme")
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", MADE)
def test_another_file_is_refused_with_its_place(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"line 1: .*expected|line 2: .*expected|lists of objects"):
        import_study(tmp_path / "s", [lines(tmp_path / "other.jsonl", [{"a": 1}])], name)
    assert not (tmp_path / "s").exists()


def test_means_are_no_answers(tmp_path: Path) -> None:
    path = lines(tmp_path / "set.jsonl", [{"item": "1", "system": "a", "ratings": {"fluency": 3.5}}])
    with pytest.raises(InputError, match=r"line 1: fluency is one number.*no answer of anybody"):
        import_study(tmp_path / "s", [path], "set", scales=["1-5"])


def test_answers_that_are_no_numbers_are_counted(tmp_path: Path) -> None:
    given = {"fluency": [1, "N/A (no idea)", 3], "unused": None}
    path = lines(tmp_path / "set.jsonl", [{"item": "1", "system": "a", "ratings": given}])
    done = import_study(tmp_path / "s", [path], "set", scales=["1-5"])
    assert done.source.skipped == {"N/A": 1} and len(done.source.ratings) == 2
