"""Comparisons: the study file, who compares what, answers, rows for analysis, and judges who choose by strength."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import rated
import yaml
from rated import COMPARISONS, FORMAL, compared, comparing, write
from studies import Clock

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.checks.run import check
from nlgauge.study.exchange import export, restore
from nlgauge.study.file.study import Study, inspect, load, study_schema
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.comparisons import answers
from nlgauge.study.protocols.comparisons.file import comparison_study
from nlgauge.study.protocols.comparisons.simulation import Choosers
from nlgauge.study.refusals import Refused
from nlgauge.study.service import start
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

EVERY = pytest.mark.parametrize("protocol", COMPARISONS)
ROWS = [
    {
        "item": str(k),
        "system": system,
        "source": f"rain({k} mm)",
        "references": [f"Rain: {k} mm."],
        "hypothesis": f"{system} writes {k}.",
    }
    for system in ("a", "b", "c", "d")
    for k in range(6)
]


def data(folder: Path) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("pairwise", {"criteria": []}, "criteria", r"criteria is empty"),
    ("pairwise", {"criteria": ["grammaticality"]}, "grammaticality", r"no question that compares texts"),
    ("pairwise", {"criteria": [rated.OWN]}, "scale", r"leave the scale out"),
    ("ranking", {"criteria": [FORMAL | {"form": "rating"}]}, "form", r"cannot have the form rating"),
    ("pairwise", {"criteria": [FORMAL | {"reverse": True}]}, "reverse", r"cannot be reverse-keyed"),
    ("pairwise", {"design": {"kind": "crossed"}}, "design", r"shows two texts, not 1; set per_screen: 2"),
    ("pairwise", {"design": {"kind": "bibd", "per_screen": 3}}, "per_screen", r"shows two texts, not 3"),
    ("pairwise", {"design": "latin"}, "design", r"design cannot be 'latin'"),
    ("ranking", {"design": "pairs"}, "design", r"design cannot be 'pairs'"),
    ("ranking", {"design": "bibd"}, "design", r"per_screen is 4, but there are 3 systems"),
    (
        "ranking",
        {"design": {"kind": "crossed"}},
        "design",
        r"ranking needs at least 2 texts on a screen, not 1",
    ),
    ("best-worst", {"design": {"kind": "bibd", "per_screen": 2}}, "per_screen", r"needs at least 3 texts"),
    ("ranking", {"strength": ["a"]}, "strength", r"there is no key 'strength'"),
    ("best-worst", {"ties": True}, "ties", r"there is no key 'ties'"),
    ("pairwise", {"ties": "perhaps"}, "ties", r"ties"),
    ("pairwise", {"strength": ["a", "b", "a"]}, "strength", r"two degrees are called the same"),
    ("pairwise", {"strength": [str(k) for k in range(11)]}, "strength", r"11 degrees are too many"),
    (
        "pairwise",
        {"languages": ["en", "de"], "strength": [{"en": "much"}]},
        "strength",
        r"strength.1 has no wording for de",
    ),
    ("pairwise", {"scale": {"points": 5}}, "scale", r"there is no key 'scale'"),
    ("pairwise", {"subjects": {"a": {"texts": ["x"]}}, "show": []}, "subjects", r"there is one system"),
    ("pairwise", {"panels": {"p": {"judges": 2, "kind": "machine"}}}, "p:", r"does not say which machine"),
    (
        "ranking",
        {"practice": {"examples": [["x", "y"]]}},
        "examples",
        r"as a screen of the study, 3, but .* has 2; add or",
    ),
    ("ranking", {"practice": {"texts": 2, "items": ["1"]}}, "items", r"2 comparisons for practice"),
    ("pairwise", {"data": "x.jsonl"}, "data", r"either from data .* or from subjects"),
]


@pytest.mark.parametrize(
    ("protocol", "changes", "key", "message"), REFUSED, ids=[f"{one[0]}-{one[3][:30]}" for one in REFUSED]
)
def test_what_is_refused(tmp_path: Path, protocol: str, changes: dict[str, Any], key: str, message: str) -> None:
    folder = write(tmp_path / "s", **comparing(protocol, **changes))
    with pytest.raises(InputError, match=message):
        load(folder)
    _, problems, _ = inspect(folder)
    lines = (folder / "study.yaml").read_text(encoding="utf-8").splitlines()
    said = [problem for problem in problems if problem.line]
    assert said and any(key in "\n".join(lines[problem.line - 2 : problem.line + 1]) for problem in said)


@EVERY
def test_the_questions_and_systems_are_fixed_at_launch(protocol: str, tmp_path: Path) -> None:
    data(tmp_path)
    per_screen = {} if protocol == "pairwise" else {"design": {"kind": "bibd", "per_screen": 0}}
    write(tmp_path, **comparing(protocol, subjects=None, data="outputs.jsonl", **per_screen))
    frozen = freeze(load(tmp_path), tmp_path)
    study = comparison_study(frozen.study)
    fluency, formality = study.asked
    assert fluency.mark == "quoted" and formality.question == {"": FORMAL["question"]}
    assert study.per_screen == (2 if protocol == "pairwise" else 4)
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study
    assert all(len(slot.texts) == study.per_screen for slot in frozen.slots)
    assert all(len({frozen.text[text].item for text in slot.texts}) == 1 for slot in frozen.slots)


def test_sides_and_pairs_are_balanced(tmp_path: Path) -> None:
    panels = {"public": {"judges": 12, "evaluations": 6, "access": "open"}}
    frozen = freeze(load(write(tmp_path / "s", **comparing("pairwise", panels=panels))), tmp_path / "s")
    pairs = Counter(tuple(frozen.text[text].subject for text in slot.texts) for slot in frozen.slots)
    assert len(pairs) == 6 and set(pairs.values()) == {12}  # every pair in both orders, equally often


def test_things_beside_an_input_are_the_same_for_its_texts(tmp_path: Path) -> None:
    subjects = {name: {"texts": [{"text": name, "source": f"of {name}"}]} for name in ("x", "y")}
    write(tmp_path, **comparing("pairwise", subjects=subjects))
    with pytest.raises(InputError, match="x and y for the item '1' have different things"):
        freeze(load(tmp_path), tmp_path)


def test_systems_of_a_set_are_counted_when_they_are_known(tmp_path: Path) -> None:
    data(tmp_path)
    design = {"kind": "bibd", "per_screen": 5}
    write(tmp_path, **comparing("ranking", subjects=None, data="outputs.jsonl", design=design))
    with pytest.raises(InputError, match="per_screen is 5, but there are 4 systems"):
        freeze(load(tmp_path), tmp_path)


def test_practice_is_a_warm_up(tmp_path: Path, clock: Clock) -> None:
    example = [{"text": "A dog barks.", "source": "dog"}, "A dog.", "Dog!"]
    practice = {"examples": [example], "texts": 1}
    service = compared("best-worst", tmp_path, clock, practice=practice)
    judge, _ = service.arrivals.register("public")
    for number in (1, 2):
        step = service.dealing.step(judge)
        assert step.kind == "practice" and step.evaluation is not None and len(step.evaluation.texts) == 3
        service.answers.answer_practice(judge, number, rated.some_answer(service, step.evaluation, 0))
    assert service.dealing.step(judge).kind == "evaluation"
    assert len({text.item for text in service.frozen.served}) == 5


GOOD: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("pairwise", {}, {"preference": "tie", "strength": 0}, None),
    ("pairwise", {"ties": False, "strength": []}, {"preference": "b"}, None),
    ("ranking", {}, {"ranks": [1, 2, 2]}, None),
    ("ranking", {}, {"ranks": [3, 1, 3]}, {"ranks": [2, 1, 2]}),  # the same order, in its usual form
    ("ranking", {"ties": False}, {"ranks": [3, 1, 2]}, None),
    ("best-worst", {}, {"worst": 0, "best": 2}, {"best": 2, "worst": 0}),
]


@pytest.mark.parametrize(("protocol", "changes", "answer", "kept"), GOOD)
def test_answers_that_are_taken(
    protocol: str, changes: dict[str, Any], answer: Any, kept: Any, tmp_path: Path, clock: Clock
) -> None:
    service = compared(protocol, tmp_path, clock, **{"criteria": [FORMAL], **changes})
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    stored = service.answers.answer(judge, shown.claim, {"formality": answer}).judgement
    assert stored.answer == {"formality": kept or answer} and service.judgements() == [stored]


BAD: list[tuple[str, dict[str, Any], Any, str]] = [
    ("pairwise", {}, {"preference": "c", "strength": 1}, "none of a, b and tie"),
    ("pairwise", {"ties": False}, {"preference": "tie", "strength": 0}, "no ties"),
    ("pairwise", {}, {"preference": "a"}, "strength None"),
    ("pairwise", {}, {"preference": "a", "strength": 0}, "strength 0"),
    ("pairwise", {}, {"preference": "a", "strength": 4}, "between 1 and 3"),
    ("pairwise", {}, {"preference": "a", "strength": 1.0}, "strength 1.0"),
    ("pairwise", {}, {"preference": "a", "strength": True}, "strength True"),
    ("pairwise", {}, {"preference": "tie", "strength": 2}, "0 for a tie"),
    ("pairwise", {"strength": []}, {"preference": "a", "strength": 1}, "no strength"),
    ("pairwise", {}, {"preference": ["a"], "strength": 1}, "none of"),
    ("pairwise", {}, {"preference": "a", "strength": 1, "why": ""}, "an object with"),
    ("ranking", {}, {"ranks": [1, 2]}, "each of the 3 texts"),
    ("ranking", {}, {"ranks": [1, 2, 4]}, "from 1 to 3"),
    ("ranking", {}, {"ranks": [1, 2, True]}, "from 1 to 3"),
    ("ranking", {}, {"ranks": [2, 3, 3]}, "rank 1"),
    ("ranking", {"ties": False}, {"ranks": [1, 2, 2]}, "does not allow"),
    ("ranking", {}, {"ranks": "123"}, "each of the 3 texts"),
    ("best-worst", {}, {"best": 1, "worst": 1}, "cannot be the best and the worst"),
    ("best-worst", {}, {"best": 0, "worst": 3}, "from 0 to 2"),
    ("best-worst", {}, {"best": 0}, "an object with"),
    ("best-worst", {}, {"best": "0", "worst": 1}, "not '0'"),
]


@pytest.mark.parametrize(("protocol", "changes", "answer", "message"), BAD)
def test_answers_that_are_refused(
    protocol: str, changes: dict[str, Any], answer: Any, message: str, tmp_path: Path, clock: Clock
) -> None:
    service = compared(protocol, tmp_path, clock, **{"criteria": [FORMAL], **changes})
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    with pytest.raises(Refused, match=message) as refused:
        service.answers.answer(judge, shown.claim, {"formality": answer})
    assert refused.value.code == "invalid" and str(refused.value).startswith("formality: ")
    assert service.judgements() == []


@EVERY
def test_a_file_of_another_protocol_is_refused(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = compared(protocol, tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    service.answers.answer(judge, shown.claim, rated.some_answer(service, shown, 0))
    path = tmp_path / "answers.jsonl"
    export.write(service.judgements(), path)
    assert export.read(path, protocol=protocol_of(protocol)) == service.judgements()
    for other in {*COMPARISONS, "likert", "triangle"} - {protocol}:
        with pytest.raises(InputError, match="do not describe"):
            export.read(path, protocol=protocol_of(other))


def test_wins_of_each_answer() -> None:
    assert list(answers.wins({"preference": "a", "strength": 2}, 2)) == [(0, 1, 1.0)]
    assert list(answers.wins({"preference": "tie"}, 2)) == [(0, 1, 0.5)]
    assert set(answers.wins({"ranks": [2, 1, 2]}, 3)) == {(1, 0, 1.0), (0, 2, 0.5), (1, 2, 1.0)}
    found = list(answers.wins({"best": 3, "worst": 0}, 4))
    assert len(found) == len(set(found)) == 5  # of the six pairs, not the two in the middle
    assert {(3, 0, 1.0), (3, 1, 1.0), (3, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)} == set(found)


def test_long_rows_of_preferences_are_games(tmp_path: Path, clock: Clock) -> None:
    service = compared("pairwise", tmp_path / "s", clock, criteria=[FORMAL])
    judge, _ = service.arrivals.register("public")
    given = []
    while (shown := service.dealing.step(judge).evaluation) is not None:
        answer = rated.some_answer(service, shown, len(given))
        service.answers.answer(judge, shown.claim, answer)
        given.append((shown.texts, answer["formality"]))
    path = tmp_path / "long.jsonl"
    assert export.write_long(service, path) == len(given) == 18
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row, ((a, b), answer) in zip(rows, given, strict=True):
        assert (row["item"], row["system_a"], row["system_b"]) == (a.item, a.subject, b.subject)
        assert (row["hypothesis_a"], row["hypothesis_b"]) == (a.text, b.text)
        assert (row["ratings.preference"], row["strength"]) == (answer["preference"], answer["strength"])
        assert row["criterion"] == "formality" and row["judge"] == judge
    for kind in (".csv", ".parquet"):
        assert export.write_long(service, tmp_path / f"long{kind}") == 18


@pytest.mark.parametrize(
    ("protocol", "answer", "values"),
    [("ranking", {"ranks": [2, 1, 2]}, [2, 1, 2]), ("best-worst", {"best": 2, "worst": 0}, [-1, 0, 1])],
)
def test_long_rows_of_several_texts(
    protocol: str, answer: Any, values: list[int], tmp_path: Path, clock: Clock
) -> None:
    service = compared(protocol, tmp_path / "s", clock, criteria=[FORMAL])
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    service.answers.answer(judge, shown.claim, {"formality": answer})
    path = tmp_path / "long.jsonl"
    assert export.write_long(service, path) == 3
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["value"] for row in rows] == values and [row["place"] for row in rows] == [1, 2, 3]
    assert [row["system"] for row in rows] == [text.subject for text in shown.texts]
    for kind in (".csv", ".parquet"):
        assert export.write_long(service, tmp_path / f"long{kind}") == 3


STRENGTHS = {"rules": -0.8, "neural": 0.0, "people": 0.8}


def shares(protocol: str, folder: Path, crowd: Choosers, judges: int, **changes: Any) -> dict[str, float]:
    panels = {"public": {"judges": judges, "evaluations": 6, "access": "open"}}
    write(folder, **comparing(protocol, criteria=[FORMAL], panels=panels, **changes))
    _, outcome = rehearse(freeze(load(folder), folder), crowd, seed=5)
    found: dict[str, float] = outcome.panels["public"]["won"]["formality"]
    return found


@EVERY
def test_simulated_judges_choose_by_the_strengths_they_were_told(protocol: str, tmp_path: Path) -> None:
    """Shares of wins against the model: two systems of strengths s and t win 1 / (1 + exp(t - s)) of their games."""
    ties = {} if protocol == "best-worst" else {"ties": False}
    found = shares(protocol, tmp_path, Choosers(strengths=STRENGTHS), 120, **ties)
    for name, strength in STRENGTHS.items():
        others = [value for other, value in STRENGTHS.items() if other != name]
        expected = sum(1 / (1 + math.exp(other - strength)) for other in others) / 2
        # 480 or more comparisons of each system, so a standard error below 0.023; of three texts best and worst
        # tell the whole order, and the order of several has the same shares of two as Luce's rule for two
        assert found[name] == pytest.approx(expected, abs=0.07)


def test_ties_come_as_often_as_rao_and_kupper_say(tmp_path: Path) -> None:
    panels = {"public": {"judges": 120, "evaluations": 6, "access": "open"}}
    write(tmp_path, **comparing("pairwise", criteria=[FORMAL], panels=panels))
    crowd = Choosers(strengths=dict.fromkeys(STRENGTHS, 0.0), tie_width=0.6)
    run, _ = rehearse(freeze(load(tmp_path), tmp_path), crowd, seed=8)
    sides = Counter(one.answer["formality"]["preference"] for one in run.judgements())
    theta = math.exp(0.6)
    tied = (theta**2 - 1) / (1 + theta) ** 2  # of two equal systems
    assert sides["tie"] / 720 == pytest.approx(tied, abs=0.06)
    assert abs(sides["a"] - sides["b"]) < 4 * math.sqrt(720)
    degrees = Counter(one.answer["formality"]["strength"] for one in run.judgements())
    assert degrees[0] == sides["tie"] and degrees[1] > degrees[2] > degrees[3] > 0


def test_bradley_terry_finds_the_strengths_again(tmp_path: Path) -> None:
    panels = {"public": {"judges": 100, "evaluations": 6, "access": "open"}}
    write(tmp_path, **comparing("pairwise", criteria=[FORMAL], panels=panels, ties=False))
    run, _ = rehearse(freeze(load(tmp_path), tmp_path), Choosers(strengths=STRENGTHS), seed=1)
    export.write_long(run, tmp_path / "long.jsonl")
    result = nlgauge.rate(tmp_path / "long.jsonl", method="bradley-terry")
    order = [row["player"] for row in result.to_dict()["ratings"]]
    assert order == ["people", "neural", "rules"]


def test_crowds_that_cannot_be(tmp_path: Path) -> None:
    frozen = freeze(load(write(tmp_path / "s", **comparing("ranking"))), tmp_path / "s")
    with pytest.raises(InputError, match="no system 'rule'; did you mean rules"):
        rehearse(frozen, Choosers(strengths={"rule": 1}), seed=1)
    with pytest.raises(InputError, match="in logits"):
        Choosers(strengths={"rules": 50})
    with pytest.raises(InputError, match="tie_width must lie between"):
        Choosers(tie_width=-1)


@EVERY
def test_a_simulated_study_is_exported_and_imported(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = compared(protocol, tmp_path / "s", clock)
    run, _ = rehearse(service.frozen, Choosers(dropouts=0.2, item_sd=0.5, judge_sd=0.5), seed=4)
    path = tmp_path / "answers.csv"
    assert export.write(run.judgements(), path) == len(run.judgements()) >= 24
    copy = start(Frozen.from_dict(service.frozen.to_dict()), Store.memory(), clock=clock)
    assert restore.load_into(copy, export.read(path, protocol=copy.protocol)) == len(run.judgements())
    assert copy.judgements() == run.judgements()


def test_check_says_what_is_risky(tmp_path: Path) -> None:
    found, frozen = check(
        write(tmp_path / "s", **comparing("pairwise", criteria=["fluency", "faithfulness"], show=None))
    )
    said = "\n".join(str(one) for one in found)
    assert frozen is not None
    assert "6 items by 3 systems, 2 on a screen: 108 comparisons, in which two systems meet 36.0 times" in said
    assert "faithfulness is judged by the" in said
    assert "there is no practice: the first comparison of each judge counts" in said
    assert "gave 108 of 108 answers" in said
    same = {name: {"texts": ["Rain.", f"{name}: sun."]} for name in ("x", "y")}
    few, _ = check(write(tmp_path / "t", **comparing("pairwise", subjects=same, show=None)))
    assert any("1 outputs are another system's word for word" in str(one) for one in few)
    assert not any("allow ties" in str(one) for one in few), "they are allowed"
    strict, _ = check(write(tmp_path / "v", **comparing("pairwise", subjects=same, show=None, ties=False)))
    assert any("allow ties (ties: true), or leave" in str(one) for one in strict)
    panels = {"public": {"judges": 1, "evaluations": 1, "access": "open"}}
    alone, _ = check(write(tmp_path / "u", **comparing("pairwise", panels=panels)))
    assert any("never on a screen together" in str(one) for one in alone)


@EVERY
def test_commands_from_a_data_set_to_long_rows(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, folder = data(tmp_path / "d"), str(tmp_path / "s")
    new = ["study", "new", folder, "--protocol", protocol, "--from", str(source), "--seed", "3"]
    assert main([*new, "--judges", "4", "--task", "d2t", "--languages", "en,ar"]) == 0
    assert main(["study", "check", folder]) == 0
    assert main(["study", "launch", folder]) == 0
    assert main(["study", "links", folder]) == 0
    assert main(["study", "simulate", folder, "--strength", "a=2", "--tie-width", "0.1"]) == 0
    assert main(["study", "status", folder]) == 0
    assert main(["study", "export", folder, "--long", "-o", str(tmp_path / "long.csv")]) == 0
    said = capsys.readouterr().out
    assert "faithfulness" in said and "4 finished" in said and "shares of comparisons won" in said
    assert main(["study", "simulate", folder, "--scratch", "--mean", "a=0.3"]) == 2
    assert main(["study", "simulate", folder, "--scratch", "--strength", "a"]) == 2
    told = capsys.readouterr().err
    assert "--mean means nothing" in told and "its strength in logits" in told
    written = yaml.safe_load(Path(folder, "study.yaml").read_text(encoding="utf-8"))
    (show,) = written["show"]  # the questions speak of the data
    assert (show["what"], show["label"]["en"]) == ("source", "Data") and written["criteria"][0] == "faithfulness"


def test_new_needs_enough_systems(tmp_path: Path) -> None:
    source = data(tmp_path / "d")
    with pytest.raises(InputError, match=r"best-worst compares at least 3 systems.*A,B,references"):
        protocol_of("best-worst").new(tmp_path / "s", source, {"systems": ("a", "b"), "seed": 1})
    made = protocol_of("pairwise").new(tmp_path / "s", source, {"systems": ("a", "references"), "seed": 1})
    assert freeze(load(made.path.parent), made.path.parent).slots


@EVERY
@pytest.mark.parametrize("task", [None, "mt", "summarisation", "d2t", "dialogue", "captioning", "qg", "qa"])
def test_what_new_writes_can_be_launched(protocol: str, task: str | None, tmp_path: Path) -> None:
    options = {"judges": 4, "seed": 1, "task": task, "languages": ("en", "ar")}
    try:
        made = protocol_of(protocol).new(tmp_path / "s", data(tmp_path / "d"), options)
    except InputError as error:
        assert "no question for" in str(error)  # the catalogue asks some tasks in one form only
        return
    frozen = freeze(load(made.path.parent), made.path.parent)
    assert frozen.slots and comparison_study(frozen.study).asked


@EVERY
def test_the_schema_takes_every_protocol(protocol: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(study_schema())
    assert not list(validator.iter_errors(rated.description(**comparing(protocol))))
    assert list(validator.iter_errors(rated.description(**comparing(protocol, scale={"points": 5}))))


def test_every_two_systems_meet_equally_often_on_larger_screens(tmp_path: Path) -> None:
    data(tmp_path)
    panels = {"public": {"judges": 8, "evaluations": 3, "access": "open"}}
    design = {"kind": "bibd", "per_screen": 3}
    values = comparing("ranking", subjects=None, data="outputs.jsonl", panels=panels, design=design)
    write(tmp_path, **values)
    frozen = freeze(load(tmp_path), tmp_path)
    met = Counter(
        frozenset(pair)
        for slot in frozen.slots
        for pair in combinations((frozen.text[text].subject for text in slot.texts), 2)
    )
    assert len(met) == 6 and set(met.values()) == {12}  # four sets of three for six items: each pair in two
