"""What `check` finds, with its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from studies import write

from nlgauge.study.checks.run import Finding, check
from nlgauge.study.model import Text
from nlgauge.study.protocols.triangle.giveaways import traits


def findings(folder: Path, **changes: Any) -> list[Finding]:
    return check(write(folder, **changes), simulate=False)[0]


def of(found: list[Finding], kind: str, severity: str = "risk") -> list[str]:
    return [one.message for one in found if one.kind == kind and one.severity == severity]


def test_the_papers_dip_and_the_minima(tmp_path: Path) -> None:
    [dip] = of(findings(tmp_path, panels={"experts": {"judges": 24}}), "judges")
    assert "24 judges lie in a power dip (0.932 where 0.95 was asked): 23 or 25 would do" in dip
    few = of(findings(tmp_path, panels={"p": {"judges": 17}}), "judges")
    assert any("at least 18 judges" in one for one in few)
    few = of(findings(tmp_path, goal="similarity", panels={"p": {"judges": 29}}), "judges")
    assert any("at least 30 judges" in one for one in few)
    assert of(findings(tmp_path, panels={"p": {"judges": 29}}), "judges") == []
    [plan] = of(findings(tmp_path, panels={"p": {"judges": 29}}), "plan", "note")
    assert "23 judges are the fewest" in plan


def test_a_plan_with_several_answers_of_a_judge_speaks_of_answers(tmp_path: Path) -> None:
    risks = {"alpha": 0.05, "beta": 0.05, "p_d": 0.3}
    found = findings(tmp_path, risks=risks, panels={"e": {"judges": 4, "evaluations": 6}})
    few = of(found, "judges")
    assert any("24 answers are too few for these risks" in one for one in few)
    assert not any("24 judges" in one.message for one in found)


@pytest.mark.parametrize(("goal", "p_d", "risk"), [("difference", 0.0, "α = 0.999"), ("similarity", 0.5, "β = 0.999")])
def test_a_wrong_conclusion_of_the_simulated_run_is_called_chance(
    tmp_path: Path, goal: str, p_d: float, risk: str
) -> None:
    risks = {"alpha": 0.999, "beta": 0.999, "p_d": 0.5}
    found, _ = check(write(tmp_path, goal=goal, risks=risks, panels={"p": {"judges": 12}}))
    runs = [one for one in found if one.kind == "simulation"]
    wrong = next(one for one in runs if one.figures["p_d"] == p_d)
    assert wrong.message.endswith(f": by chance, as in about {risk} of such runs")
    assert not any("by chance" in one.message for one in runs if one is not wrong)


def test_replication(tmp_path: Path) -> None:
    found = of(findings(tmp_path, panels={"e": {"judges": 4, "evaluations": 6}}), "replication")
    assert any("beta-binomial" in one for one in found)
    assert not any("no multiple of six" in one for one in found)
    assert any("see an input more than once; 18 inputs" in one for one in found)  # 12 inputs only
    found = of(findings(tmp_path, panels={"e": {"judges": 4, "evaluations": 8}}), "replication")
    assert any("no multiple of six" in one and "6 or 12" in one for one in found)
    errors = of(findings(tmp_path, goal="similarity", panels={"e": {"judges": 4, "evaluations": 6}}), "file", "error")
    assert "repeated evaluations are not allowed" in errors[0]


def test_errors_stop_nothing_from_being_listed(tmp_path: Path) -> None:
    found, frozen = check(write(tmp_path, practise=1, seed="x"))
    assert frozen is None
    assert [one.severity for one in found] == ["error", "error"]
    assert all(one.line for one in found)
    subjects = {"A": {"texts": [{"text": "t", "image": "no.png"}] * 2}, "B": {"texts": ["a", "b", "c"]}}
    found, frozen = check(write(tmp_path, subjects=subjects))
    assert frozen is None
    assert any("there is no image 'no.png'" in one for one in of(found, "texts", "error"))
    assert of(found, "plan", "note")  # the rest is said all the same


def test_few_texts(tmp_path: Path) -> None:
    def listed(n: int) -> dict[str, Any]:
        return {s: {"texts": [f"{s} wrote the text {k}." for k in range(n)]} for s in "AB"}

    [few] = of(findings(tmp_path, subjects=listed(5)), "texts")
    assert "10 texts from 5 inputs" in few and "limit the conclusion to these very texts" in few
    [enough] = of(findings(tmp_path, subjects=listed(20)), "texts", "note")
    assert "40 texts from 20 inputs" in enough
    errors = of(findings(tmp_path, subjects=listed(2)), "texts", "error")
    assert "three different inputs" in errors[0]


def some(a: Any, b: Any, n: int = 30) -> list[Text]:
    return [Text(f"{s}{k}", s, str(k), make(k)) for s, make in (("A", a), ("B", b)) for k in range(n)]


def test_lengths_give_away() -> None:
    found = traits(some(lambda k: "word " * (10 + k % 3), lambda k: "word " * (30 + k % 3)), seed=1, inputs="different")
    length = next(one for one in found if one.name == "length")
    assert length.figures["found"] == 1.0
    assert (length.figures["A"], length.figures["B"]) == (11.0, 31.0)
    assert "finds the odd text in 100 % of triads" in length.message


def test_words_and_endings_give_away() -> None:
    found = traits(
        some(lambda k: f"Rain {k}.", lambda k: f"Rain however {k}" if k % 4 else f"Rain {k}."),
        seed=1,
        inputs="different",
    )
    marks = {mark["mark"]: mark for one in found if one.name == "vocabulary" for mark in one.figures["marks"]}
    assert marks["“however”"]["A"] == 0
    assert marks["“however”"]["B"] == pytest.approx(22 / 30)
    assert "ending in “.”" in marks


def test_like_texts_give_nothing_away() -> None:
    words = ["rain", "wind", "sun", "cloud", "fog", "snow", "ice", "storm"]

    def make(shift: int) -> Any:
        return lambda k: (
            " ".join(words[(k * 7 + shift + j * (k % 5 + 1)) % 8] for j in range(5 + (k * 3 + shift) % 7)) + "."
        )

    assert traits(some(make(0), make(3), 60), seed=1, inputs="different") == []


def test_pictures_on_one_side_only() -> None:
    texts = some(lambda k: f"x {k}", lambda k: f"x {k}")
    with_image = [Text(t.id, t.subject, t.item, t.text, "m.png") if t.subject == "A" else t for t in texts]
    assert [one.name for one in traits(with_image, seed=1, inputs="different")] == ["image"]


def test_care_for_judges(tmp_path: Path) -> None:
    kinds = {one.kind for one in findings(tmp_path) if one.severity == "risk"}
    assert {"consent", "ethics", "instructions"} <= kinds
    kinds = {
        one.kind
        for one in findings(
            tmp_path,
            consent={"text": "May we?"},
            ethics={"approval": "17/2026", "retention_days": 30},
            instructions="Read.",
            panels={"p": {"judges": 29, "access": "platform"}},
        )
        if one.severity == "risk"
    }
    assert not {"consent", "ethics", "instructions"} & kinds
    assert "completion" in kinds


def test_reviewers_of_the_wording_are_asked(tmp_path: Path) -> None:
    folder = write(tmp_path)
    found, _ = check(folder, simulate=False, reviewers=[lambda study: [Finding("risk", "wording", study.question[""])]])
    assert "Which text was written by a different author?" in of(found, "wording")


def test_the_plan_is_run(tmp_path: Path) -> None:
    found, frozen = check(write(tmp_path, panels={"p": {"judges": 29, "access": "open"}}))
    assert frozen is not None
    runs = [one for one in found if one.kind == "simulation"]
    assert [one.figures["answers"] for one in runs] == [29, 29]
    assert [one.figures["p_d"] for one in runs] == [0.0, 0.5]


def test_practice_that_sends_judges_away_is_a_risk_with_its_shares(tmp_path: Path) -> None:
    practice = {"triads": 2, "required": 1}
    risks = {"alpha": 0.05, "beta": 0.05, "p_d": 0.3}
    found = findings(tmp_path, risks=risks, practice=practice)
    (risk,) = [one for one in found if one.kind == "passing"]
    assert risk.severity == "risk"
    assert "sends 44 % of judges away who perceive no difference, and 22 % of those" in risk.message
    assert risk.figures == {"guessing": 0.5556, "perceiving": 0.7822}
    assert not of(findings(tmp_path, risks=risks, practice={"triads": 2}), "passing")
