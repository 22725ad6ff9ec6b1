"""Single-text ratings: the study file, what is fixed at launch, who rates what, and the simulated raters."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import rated
import yaml
from rated import OWN, launched, write
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.checks.run import check
from nlgauge.study.exchange import export
from nlgauge.study.file.study import Study, inspect, load, study_schema
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.ratings.file import rating_study
from nlgauge.study.protocols.ratings.pages import Ratings
from nlgauge.study.protocols.ratings.simulation import Raters
from nlgauge.study.simulation import rehearse

ROWS = [
    {
        "item": str(k),
        "system": system,
        "source": [["valley", "rain", f"{k} mm"]],
        "references": [f"Rain: {k} mm."],
        "hypothesis": "" if (system, k) == ("b", 3) else f"{system} writes {k}.",
        "turns": ["Hello.", ["bot", "It will rain."]],
        "ratings": {},
    }
    for system in ("a", "b")
    for k in range(8)
]


def data(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"protocol": "likret"}, r"protocol cannot be 'likret'; did you mean likert"),
    ({"goal": "difference"}, r"there is no key 'goal'"),
    ({"criteria": []}, r"criteria is empty"),
    ({"criteria": None}, r"the key 'criteria' is missing"),
    ({"criteria": ["fluancy"]}, r"no criterion 'fluancy'"),
    ({"criteria": ["fluency", "fluency"]}, r"two criteria are called 'fluency'"),
    ({"criteria": [OWN | {"scale": {"points": 3, "labels": ["a", "b", "a"]}}]}, r"same label"),
    ({"criteria": [OWN | {"scale": "quality-6"}]}, r"there is no scale 'quality-6'.*quality-5"),
    ({"scale": "quality-6"}, r"there is no scale 'quality-6'.*quality-5"),
    (
        {"criteria": ["grammaticality"], "protocol": "binary", "scale": "yes-no-3"},
        r"there is no scale 'yes-no-3'(?!.*more)",
    ),
    (
        {"criteria": [OWN | {"scale": {"low": 0, "high": 1, "labels": ["a", "b"]}}]},
        r"continuous; give it points",
    ),
    (
        {"criteria": ["grammaticality"], "protocol": "binary", "scale": {"points": 3, "labels": ["a", "b"]}},
        r"two answers",
    ),
    (
        {"protocol": "binary", "criteria": ["coherence"]},
        r"coherence has no question that is answered on yes or no",
    ),
    (
        {"protocol": "continuous", "criteria": ["fluency"], "scale": {"step": 7}},
        r"steps of 7 from 0 do not end at 100",
    ),
    ({"scale": {"step": 2, "points": 5, "labels": ["a", "b"]}}, r"steps belong to a slider"),
    (
        {"protocol": "continuous", "criteria": ["fluency"], "scale": {"points": 5, "labels": ["a", "b"]}},
        r"scale has 5 points, but protocol: continuous shows a slider, which has none; set protocol: likert",
    ),
    ({"design": {"kind": "latn"}}, r"design.kind cannot be 'latn'; did you mean latin"),
    ({"design": {"items_per_judge": 3}}, r"the key 'design.kind' is missing"),
    ({"design": {"kind": "latin", "item_per_judge": 3}}, r"there is no key 'design.item_per_judge'"),
    ({"design": "bibd"}, r"design cannot be 'bibd'"),
    ({"design": {"kind": "crossed", "per_screen": 2}}, r"one text at a time"),
    ({"data": "x.jsonl"}, r"either from data .* or from subjects"),
    ({"systems": ["a"]}, r"systems belongs to data"),
    ({"show": ["source", "source"]}, r"shown twice"),
    ({"show": ["sorce"]}, r"'sorce'"),
    ({"practice": {"texts": 2, "items": ["1"]}}, r"2 texts for practice need as many inputs"),
    ({"panels": {"p": {"judges": 2, "kind": "machine"}}}, r"does not say which machine judges"),
    ({"asked": []}, r"there is no key 'asked'"),
    ({"criteria": ["plausibility"], "show": ["context"]}, r"before the context is shown"),
    (
        {"criteria": ["adequacy"], "panels": {"p": {"judges": 2, "who": "end_user"}}},
        r"cannot be judged by end user",
    ),
    (
        {"languages": ["en", "de"], "criteria": [OWN | {"question": {"en": "How formal?"}}]},
        r"no wording for de",
    ),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    folder = write(tmp_path / "s", **changes)
    with pytest.raises(InputError, match=message):
        load(folder)
    _, problems, _ = inspect(folder)
    lines = (folder / "study.yaml").read_text(encoding="utf-8").splitlines()
    assert all(0 <= problem.line <= len(lines) for problem in problems)


def test_a_problem_has_the_line_of_its_key(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", criteria=["fluency", OWN | {"scale": {"points": 5}}])
    _, problems, _ = inspect(folder)
    lines = (folder / "study.yaml").read_text(encoding="utf-8").splitlines()
    assert "scale" in lines[problems[0].line - 1] and "label" in problems[0].message


def test_the_schema_takes_every_protocol(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = study_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert not list(validator.iter_errors(rated.description()))
    assert not list(validator.iter_errors(rated.description(design="latin")))
    assert list(validator.iter_errors(rated.description(goal="difference")))
    assert list(validator.iter_errors(rated.description(asked=[])))


def test_the_questions_are_fixed_at_launch(tmp_path: Path) -> None:
    frozen = freeze(load(write(tmp_path / "s")), tmp_path / "s")
    fluency, formality = rating_study(frozen.study).asked
    assert fluency.mark == "quoted" and fluency.scale.points == 5 and len(fluency.scale.labels) == 5
    assert formality.scale.values == (0, 1, 2, 3) and formality.question == {"": OWN["question"]}
    read = Study.from_dict(json.loads(json.dumps(frozen.study.to_dict())))
    assert read == frozen.study
    assert frozen.study.panels["public"].evaluations == 6  # what the file left open is stated


def test_every_text_is_rated_once_in_each_square(tmp_path: Path) -> None:
    frozen = freeze(load(write(tmp_path / "s")), tmp_path / "s")
    assert len(frozen.slots) == 36
    for square in (1, 2):
        sheets = [slot for slot in frozen.slots if (slot.block - 1) // 3 + 1 == square]
        assert set(Counter(slot.texts[0] for slot in sheets).values()) == {1}
    for block in range(1, 7):
        own = [frozen.text[slot.texts[0]] for slot in frozen.slots if slot.block == block]
        assert len({text.item for text in own}) == 6
        assert set(Counter(text.subject for text in own).values()) == {2}


def test_a_data_set_with_all_its_systems_and_what_stands_beside(tmp_path: Path) -> None:
    data(tmp_path)
    show = ["table", "reference", {"what": "history", "column": "turns", "label": "Said before"}]
    write(tmp_path, subjects=None, data="outputs.jsonl", show=show, practice=1)
    frozen = freeze(load(tmp_path), tmp_path)
    assert list(frozen.study.authors) == ["a", "b"]
    text = frozen.served[0]
    assert text.beside == {
        "table": [["valley", "rain", f"{text.item} mm"]],
        "reference": [f"Rain: {text.item} mm."],
        "history": ["Hello.", ["bot", "It will rain."]],
    }
    assert len({text.item for text in frozen.served}) == 7  # one input is for practice
    assert {slot.role for slot in frozen.practice} == {"warmup"} and len(frozen.rounds) == 1
    assert any(text.text == "" for text in frozen.texts)  # to say nothing is an output too


@pytest.mark.parametrize(
    ("rows", "changes", "message"),
    [
        (
            ROWS[:-1],
            {},
            r"line \d+: b has no text for the item '7', which another system has \(1 such item\); name the 7 items",
        ),
        (ROWS, {"systems": ["a", "c"]}, r"has no system 'c'"),
        (
            ROWS,
            {"show": [{"what": "history", "column": "turn"}]},
            r"line \d+: .* has no 'turn' to be shown; .*did you mean turns",
        ),
        (ROWS, {"practice": 8}, r"take all of the 8 inputs"),
        (ROWS, {"design": {"kind": "latin", "items_per_judge": 9}}, r"items_per_judge is 9"),
    ],
)
def test_texts_that_are_refused(
    rows: list[dict[str, Any]], changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    data(tmp_path, rows)
    write(tmp_path, **{"subjects": None, "data": "outputs.jsonl", "show": None, **changes})
    with pytest.raises(InputError, match=message):
        freeze(load(tmp_path), tmp_path)


def test_references_can_be_rated_as_a_system(tmp_path: Path) -> None:
    data(tmp_path)
    write(tmp_path, subjects=None, data="outputs.jsonl", show=None, systems=["a", "references"])
    frozen = freeze(load(tmp_path), tmp_path)
    assert {text.text for text in frozen.texts if text.subject == "references"} == {f"Rain: {k} mm." for k in range(8)}


def test_a_slider_takes_its_steps(tmp_path: Path, clock: Clock) -> None:
    scale = {"low": -1, "high": 1, "step": 0.25, "labels": ["bad", "good"]}
    service = launched(tmp_path, clock, protocol="continuous", criteria=["fluency"], scale=scale)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    stored = service.answers.answer(judge, shown.claim, {"fluency": 0.75}).judgement
    assert stored.answer == {"fluency": 0.75} and service.judgements() == [stored]


def test_practice_is_a_warm_up_without_right_and_wrong(tmp_path: Path, clock: Clock) -> None:
    examples = [{"text": "A dog barks.", "source": "dog"}]
    service = launched(tmp_path, clock, practice={"examples": examples, "texts": 1})
    judge, _ = service.arrivals.register("public")
    for number in (1, 2):
        step = service.dealing.step(judge)
        assert step.kind == "practice" and step.evaluation is not None
        service.answers.answer_practice(judge, number, rated.some_answer(service, step.evaluation, 0))
    assert service.dealing.step(judge).kind == "evaluation"
    assert [one.role for one in service.judgements()] == ["warmup", "warmup"]
    assert service.people.judges()[0]["failed"] == ""


def test_what_a_judge_left_is_not_shown_to_one_who_has_read_it(tmp_path: Path, clock: Clock) -> None:
    panels = {"public": {"judges": 3, "evaluations": 6, "access": "open"}}
    service = launched(tmp_path, clock, panels=panels)
    for number in range(2):  # each leaves a piece of a sheet behind
        judge, _ = service.arrivals.register("public")
        for _ in range(2 + number):
            shown = service.dealing.step(judge).evaluation
            assert shown is not None
            service.answers.answer(judge, shown.claim, rated.some_answer(service, shown, 0))
        service.dealing.step(judge)
    clock.minutes(31)
    reader, _ = service.arrivals.register("public")
    seen = []
    while (shown := service.dealing.step(reader).evaluation) is not None:
        seen.append(shown.texts[0].id)
        service.answers.answer(reader, shown.claim, rated.some_answer(service, shown, 0))
    assert len(seen) == 6 and len(set(seen)) == 6


def test_long_rows(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    service.answers.answer(judge, shown.claim, {"fluency": 4, "formality": 0})
    path = tmp_path / "long.jsonl"
    assert export.write_long(service, path) == 2
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    text = shown.texts[0]
    assert [(row["item"], row["system"], row["criterion"], row["value"]) for row in rows] == [
        (text.item, text.subject, "fluency", 4),
        (text.item, text.subject, "formality", 0),
    ]
    for kind in (".csv", ".parquet"):
        assert export.write_long(service, tmp_path / f"long{kind}") == 2


def test_a_file_of_another_kind_is_refused(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    service.answers.answer(judge, shown.claim, {"fluency": 4, "formality": 0})
    path = tmp_path / "answers.jsonl"
    export.write(service.judgements(), path)
    with pytest.raises(InputError, match="do not describe a choice among three texts"):
        export.read(path)
    row = json.loads(path.read_text(encoding="utf-8")) | {"answer": {"fluency": "high"}}
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match="do not describe the rating of one text"):
        export.read(path, protocol=protocol_of("likert"))


def test_simulated_raters_show_what_they_were_told(tmp_path: Path) -> None:
    means = {"rules": 0.2, "neural": 0.5, "people": 0.8}
    write(
        tmp_path,
        protocol="continuous",
        criteria=["fluency"],
        panels={"public": {"judges": 60, "access": "open"}},
    )
    frozen = freeze(load(tmp_path), tmp_path)
    crowd = Raters(means=means, judge_sd=0.05, item_sd=0.0, noise=0.1)
    _, outcome = rehearse(frozen, crowd, seed=11)
    found = outcome.panels["public"]["means"]["fluency"]
    # 120 ratings of a system: standard error 1.0, and judges' severity weighs on all systems alike
    assert all(abs(found[name] - 100 * mean) < 4 for name, mean in means.items())
    with pytest.raises(InputError, match="no system 'rule'; did you mean rules"):
        rehearse(frozen, Raters(means={"rule": 0.5}), seed=1)
    with pytest.raises(InputError, match="share of the scale"):
        Raters(means={"rules": 3})


def test_reverse_keyed_questions_are_answered_the_other_way_round(tmp_path: Path) -> None:
    question = OWN | {"id": "clumsy", "question": "How clumsy is it?", "reverse": True}
    write(tmp_path, criteria=[OWN, question], panels={"public": {"judges": 12, "access": "open"}})
    frozen = freeze(load(tmp_path), tmp_path)
    _, outcome = rehearse(frozen, Raters(means={"rules": 0.9, "neural": 0.1}, noise=0.05), seed=2)
    means = outcome.panels["public"]["means"]
    assert means["formality"]["rules"] > means["formality"]["neural"]
    assert means["clumsy"]["rules"] < means["clumsy"]["neural"]


@pytest.mark.parametrize("each", [2, 4, 6])
@pytest.mark.parametrize("judges", [1, 4, 9])
def test_squares_that_are_not_whole_are_said_however_many_items_a_judge_sees(
    each: int, judges: int, tmp_path: Path
) -> None:
    panels = {"public": {"judges": judges, "access": "open"}}
    chosen = {"kind": "latin", "items_per_judge": each}
    found, _ = check(write(tmp_path, design=chosen, panels=panels), simulate=False)
    said = [one.message for one in found if one.kind == "balance" and one.severity == "risk"]
    assert bool(said) == (judges % 3 > 0)


def test_ends_of_a_scale_are_written_in_full(tmp_path: Path) -> None:
    criterion = OWN | {"scale": {"low": 0, "high": 1_000_000, "labels": ["none", "all"]}}
    study = rating_study(load(write(tmp_path, protocol="continuous", criteria=[criterion])))
    (asked,) = study.questions_asked
    assert str(asked.scale) == "slider, 0 to 1000000"
    assert Ratings().fault("x", asked) == ("error_range", {"least": "0", "most": "1000000"})


def test_check_says_what_is_risky(tmp_path: Path) -> None:
    panels = {"public": {"judges": 4, "access": "open"}}
    found, frozen = check(write(tmp_path / "s", criteria=["adequacy", OWN], show=None, panels=panels))
    said = "\n".join(str(one) for one in found)
    assert frozen is not None
    assert "6 items by 3 systems: 18 texts, each rated 1.3 times" in said
    assert "after each 3 judges, but 4 are planned; 6 would be balanced" in said
    assert "adequacy is judged by the" in said
    assert "there is no practice: the first text of each judge counts" in said
    assert "gave 24 of 24 answers" in said
    few, _ = check(write(tmp_path / "t", panels={"public": {"judges": 1, "access": "open"}}))
    assert any("some have no rating" in str(one) for one in few)


def test_commands_from_a_data_set_to_long_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, folder = data(tmp_path / "d"), str(tmp_path / "s")
    new = [
        "study",
        "new",
        folder,
        "--protocol",
        "likert",
        "--from",
        str(source),
        "--task",
        "d2t",
        "--seed",
        "3",
    ]
    assert main([*new, "--judges", "4", "--languages", "en,ar"]) == 0
    assert main(["study", "check", folder]) == 0
    assert main(["study", "launch", folder]) == 0
    assert main(["study", "links", folder]) == 0
    assert main(["study", "simulate", folder, "--mean", "a=0.9", "--noise", "0.1"]) == 0
    assert main(["study", "status", folder]) == 0
    assert main(["study", "export", folder, "--long", "-o", str(tmp_path / "long.csv")]) == 0
    said = capsys.readouterr().out
    assert "faithfulness" in said and "4 finished" in said and "judgements in" in said
    assert main(["study", "analyse", folder]) == 0
    capsys.readouterr()
    assert main(["study", "simulate", folder, "--scratch", "--pd", "0.3"]) == 2
    assert main(["study", "run-judge", folder, "--judge", "chars"]) == 2
    told = capsys.readouterr().err
    assert "--pd means nothing" in told
    assert "'chars' cannot judge outputs" in told
    written = yaml.safe_load(Path(folder, "study.yaml").read_text(encoding="utf-8"))
    assert written["show"] == ["table"] and written["criteria"] == ["faithfulness", "fluency", "coverage"]


@pytest.mark.parametrize("protocol", ["likert", "continuous", "binary"])
@pytest.mark.parametrize("task", [None, "mt", "summarisation", "d2t", "dialogue", "captioning", "qg", "qa"])
def test_what_new_writes_can_be_launched(protocol: str, task: str | None, tmp_path: Path) -> None:
    options = {"judges": 4, "seed": 1, "task": task, "languages": ("en", "ar")}
    try:
        made = protocol_of(protocol).new(tmp_path / "s", data(tmp_path / "d"), options)
    except InputError as error:
        assert "no question for" in str(error)  # the catalogue asks some tasks in one form only
        return
    frozen = freeze(load(made.path.parent), made.path.parent)
    assert frozen.slots and rating_study(frozen.study).asked


def test_panels_may_have_designs_and_sights_of_their_own(tmp_path: Path, clock: Clock) -> None:
    """As in Belz and Reiter (2006): readers by Latin squares, experts by random texts with the data beside them."""
    names = [f"s{k}" for k in range(6)]
    subjects = {name: {"texts": [{"text": f"{name}: {k}", "source": f"data {k}"} for k in range(23)]} for name in names}
    own = [OWN | {"id": name, "scale": {"points": 6, "low": 0, "labels": ["bad", "good"]}} for name in ("r", "c")]
    panels = {
        "readers": {"judges": 21, "access": "open"},
        "experts": {
            "judges": 9,
            "access": "open",
            "who": "expert",
            "design": {"kind": "random", "items_per_judge": 18, "same_items": True},
            "show": ["source"],
        },
    }
    service = launched(tmp_path, clock, subjects=subjects, criteria=own, panels=panels, show=None, practice=2)
    frozen = service.frozen
    by_panel = {name: [slot for slot in frozen.slots if slot.panel == name] for name in panels}
    assert {name: len(slots) for name, slots in by_panel.items()} == {"readers": 21 * 21, "experts": 9 * 18}
    assert set(Counter(slot.texts[0] for slot in by_panel["readers"]).values()) == {3, 4}
    for first in (1, 7, 13):  # exactly one judgement of every text within a complete square
        square = [slot for slot in by_panel["readers"] if first <= slot.block < first + 6]
        assert set(Counter(slot.texts[0] for slot in square).values()) == {1} and len(square) == 126
    assert Study.from_dict(json.loads(json.dumps(frozen.study.to_dict()))) == frozen.study
    study = rating_study(frozen.study)
    assert study.shown_to("readers") == () and [one.what for one in study.shown_to("experts")] == ["source"]
    judge, _ = service.arrivals.register("experts")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None and shown.panel == "experts" and shown.texts[0].beside["source"].startswith("data")
    assert len(service.dealing.extend("experts", 1)) == 18
