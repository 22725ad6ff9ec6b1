"""Does the wording matter? The tests' level and power by simulated studies, the figures, the words, the statement."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import pytest
import rated
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.renderers import renderer_of
from nlgauge.report.study.words import in_json, warnings
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.comparisons.simulation import Choosers
from nlgauge.study.protocols.magnitudes.simulation import Estimators
from nlgauge.study.protocols.outputs.analysis.wordings import Scale, WordingEffect, effects
from nlgauge.study.protocols.ratings.analysis.rows import sort_out
from nlgauge.study.protocols.ratings.file import rating_study
from nlgauge.study.protocols.ratings.simulation import Raters
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.build import statement_of
from nlgauge.study.statements.facts import gather
from nlgauge.study.statements.wording_effects import of_wording, scale_difference, scale_mean, scale_size
from nlgauge.study.store import Store

WORDED = {
    "id": "fluency",
    "wordings": {"neutral": "How fluent or not is this text?", "positive": "How fluent is this text?"},
}


class Given(NamedTuple):
    """Answers of one panel."""

    panel: str
    values: Any
    systems: tuple[str, ...]
    items: tuple[str, ...]
    judges: tuple[str, ...]


def study(folder: Path, clock: Clock, judges: int = 10, **changes: Any) -> Frozen:
    panels = {"public": {"judges": judges, "access": "open"}}
    return rated.launched(folder, clock, **{"criteria": [WORDED], "panels": panels, **changes}).frozen


def effect_of(service: Service, seed: int = 1) -> WordingEffect:
    """The wording's effect alone: the whole analysis takes many times as long."""
    found = sort_out(service.frozen, service.judgements())
    asked = rating_study(service.study).questions_asked
    columns = {one.id: [found.column(one, "public")] for one in found.criteria}
    (effect,) = effects(asked, columns, found.counted, {"fluency": Scale()}, seed=seed)
    return effect


def rejected(frozen: Frozen, runs: int, **options: Any) -> tuple[float, float]:
    """In how many simulated studies the level, and the differences of systems, seem to depend on the wording."""
    level = systems = 0
    store = Store.memory()
    for run in range(runs):
        service, _ = rehearse(frozen, Raters(**options), seed=run, store=store)
        effect = effect_of(service)
        assert effect.level_p is not None and effect.systems_p is not None
        level += effect.level_p <= 0.05
        systems += effect.systems_p <= 0.05
    return level / runs, systems / runs


def test_without_an_effect_few_studies_find_one_and_a_large_one_is_found(tmp_path: Path, clock: Clock) -> None:
    frozen = study(tmp_path / "s", clock)
    level, systems = rejected(frozen, 30)
    assert level <= 0.15 and systems <= 0.15  # of 30 studies five or more by chance: p = 0.02
    level, systems = rejected(frozen, 12, wordings={"positive": 0.35})
    assert level >= 0.9
    level, systems = rejected(frozen, 12, wordings={"positive/rules": 0.35, "positive/people": -0.35})
    assert systems >= 0.9


@pytest.mark.long
def test_without_an_effect_one_study_in_twenty_finds_one(tmp_path: Path, clock: Clock) -> None:
    """400 studies of ten judges each: 3 to 7 % for a level of 4.8 %, which is the exact test's."""
    level, systems = rejected(study(tmp_path / "s", clock), 400)
    assert 0.03 <= level <= 0.07 and 0.03 <= systems <= 0.07


def test_the_effect_that_was_put_in_comes_out(tmp_path: Path, clock: Clock) -> None:
    frozen = study(tmp_path / "s", clock, judges=40)
    pool = Raters(wordings={"positive": 0.125}, judge_sd=0.05, noise=0.1)
    found = [effect_of(rehearse(frozen, pool, seed=seed)[0]) for seed in range(6)]
    shifts = [effect.shifts["positive"] for effect in found]
    assert fmean(shift.estimate for shift in shifts) == pytest.approx(0.5, abs=0.1)  # of 1 to 5
    assert sum(shift.low < 0.5 < shift.high for shift in shifts) >= 4
    for effect, shift in zip(found, shifts, strict=True):
        assert effect.means["positive"] - effect.means["neutral"] == pytest.approx(shift.estimate, abs=0.05)
        assert "a sample of" in effect.test


def test_more_judges_of_a_wording_find_smaller_effects(tmp_path: Path, clock: Clock) -> None:
    few = effect_of(rehearse(study(tmp_path / "a", clock, judges=10), Raters(), seed=4)[0])
    many = effect_of(rehearse(study(tmp_path / "b", clock, judges=60), Raters(), seed=4)[0])
    assert many.shifts["positive"].detectable < few.shifts["positive"].detectable / 1.7


def test_three_wordings_are_tested_together_and_each_against_the_first(tmp_path: Path, clock: Clock) -> None:
    worded = WORDED | {"wordings": {**WORDED["wordings"], "negative": "How poor is this text?"}}  # type: ignore[dict-item]
    frozen = study(tmp_path / "s", clock, judges=15, criteria=[worded])
    effect = effect_of(rehearse(frozen, Raters(wordings={"negative": -0.35}), seed=3)[0])
    assert list(effect.shifts) == ["positive", "negative"] and effect.level_p is not None
    assert effect.level_p < 0.01 and effect.shifts["negative"].p < 0.02
    assert "Over all wordings" in of_wording(effect)
    assert "the level differs by −" in of_wording(effect) and scale_difference(Scale(), -0.001) == "0.00"


def test_comparisons_have_no_level_and_a_wording_may_favour_a_system(tmp_path: Path, clock: Clock) -> None:
    worded = {key: value for key, value in rated.FORMAL.items() if key != "question"}
    worded |= {"wordings": {"even": "Which text is more formal?", "odd": "How much more formal is text 1?"}}
    panels = {"public": {"judges": 16, "access": "open"}}
    frozen = rated.compared("pairwise", tmp_path / "s", clock, criteria=[worded], panels=panels).frozen
    with pytest.raises(InputError, match="name a system"):
        Choosers(wordings={"odd": 1.0})
    service, _ = rehearse(frozen, Choosers(wordings={"odd/people": 4.0, "odd/rules": -4.0}), seed=1)
    result = service.protocol.analyse_service(service)
    (effect,) = result.wordings
    assert effect.level_p is None and effect.matters
    assert effect.farthest is not None and effect.farthest.system in ("people", "rules")
    assert "have no level" in of_wording(effect)


def test_magnitudes_are_told_as_ratios(tmp_path: Path, clock: Clock) -> None:
    own = {key: value for key, value in rated.OWN.items() if key not in ("scale", "question")}
    own |= {"wordings": {"even": "How formal is this text?", "odd": "How very formal is this text?"}}
    panels = {"public": {"judges": 12, "access": "open"}}
    given = rated.estimating("magnitude", criteria=[own], panels=panels)
    frozen = rated.launched(tmp_path / "s", clock, **given).frozen
    service, _ = rehearse(frozen, Estimators(wordings={"odd": 0.7}, judge_sd=0.1), seed=1)
    result = service.protocol.analyse_service(service)
    assert "find a factor of" in of_wording(result.wordings[0])
    (effect,) = result.to_dict()["wordings"]
    (shift,) = effect["level"]["shifts"]
    assert effect["ratios"] and shift["low"] < 2.01 < shift["high"] and shift["estimate"] > 1.5


def test_systems_that_only_one_side_could_judge_are_left_out(tmp_path: Path, clock: Clock) -> None:
    own = {key: value for key, value in rated.OWN.items() if key not in ("scale", "question")}
    own |= {"wordings": {name: f"How {name} formal is it?" for name in ("plainly", "very", "rather")}}
    panels = {"public": {"judges": 6, "access": "open"}}
    given = rated.estimating("magnitude", criteria=[own], panels=panels, cannot_judge=True)
    frozen = rated.launched(tmp_path / "s", clock, **given).frozen
    service, _ = rehearse(frozen, Estimators(cannot_judge=0.7), seed=1)
    result = service.protocol.analyse_service(service)
    (effect,) = result.wordings
    assert 0 < len(effect.systems) < 2 * 3
    assert all(moved.found.high > moved.found.low for moved in effect.systems)
    assert "the level differs by a factor of" in of_wording(effect)
    (note,) = (one for one in warnings(result) if "pooled" in one)
    assert note.count(" and “") == 1
    assert renderer_of(result).write(result, tmp_path / "page.html").exists()


def test_panels_that_read_one_wording_each_tell_nothing_of_it(tmp_path: Path, clock: Clock) -> None:
    service, _ = rehearse(study(tmp_path / "s", clock, judges=4), Raters(), seed=1)
    found = sort_out(service.frozen, service.judgements())
    wording = {answer.judge: answer.wording for answer in found.counted}
    asked, scales = rating_study(service.study).questions_asked, {"fluency": Scale()}
    whole = found.column(found.criteria[0], "public")
    rows = list(zip(whole.values, whole.systems, whole.items, whole.judges, strict=True))
    parts = [
        Given(name, *zip(*(row for row in rows if wording[row[3]] == name), strict=True))
        for name in ("neutral", "positive")
    ]
    assert len(effects(asked, {"fluency": [whole]}, found.counted, scales, seed=1)) == 1
    assert effects(asked, {"fluency": parts}, found.counted, scales, seed=1) == ()


def test_everything_is_told_on_the_page_in_text_and_in_the_statement(
    tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    frozen = study(tmp_path / "s", clock)
    service, _ = rehearse(frozen, Raters(wordings={"positive": 0.3}), seed=3)
    before = statement_of(frozen, facts=gather(service))
    assert "neutral: 5 judges; positive: 5 judges" in before["dealt_wordings"].entries[0].text
    assert "study analyse" in before["effect_of_wording"].entries[0].text
    assert not any("exact wording" in note for note in before.warnings)
    result = service.protocol.analyse_service(service)
    (effect,) = result.wordings
    assert effect.matters and effect.level_p_adjusted is not None
    assert effect.level_p is not None and effect.level_p_adjusted >= effect.level_p
    after = statement_of(frozen, facts=gather(service))
    assert after["effect_of_wording"].entries[0].text == of_wording(effect)
    assert [one.label for one in after["wording"].entries] == ["neutral", "positive"]
    page = renderer_of(result).write(result, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Does the wording matter?" in page and "How fluent or not is this text?" in page
    assert "Wordings: level of Fluency" in page and "the wording makes a difference" in page


def test_the_command_tells_it_and_refuses_effects_of_unknown_wordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = rated.write(tmp_path / "s", criteria=[WORDED], panels={"public": {"judges": 8, "access": "open"}})
    assert main(["study", "launch", str(folder)]) == 0
    assert main(["study", "simulate", str(folder), "--wording-effect", "positiv=0.3"]) == 2
    assert "no wording 'positiv'; did you mean positive" in capsys.readouterr().err
    assert main(["study", "simulate", str(folder), "--wording-effect", "positive=much"]) == 2
    assert main(["study", "simulate", str(folder), "--seed", "3", "--wording-effect", "positive=0.35"]) == 0
    capsys.readouterr()
    assert main(["study", "analyse", str(folder), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["wordings"]
    assert found["matters"] and found["level"]["shifts"][0]["against"] == "neutral"
    assert main(["study", "export", str(folder), "-o", str(tmp_path / "rows.jsonl")]) == 0
    capsys.readouterr()
    assert main(["study", "analyse", str(folder), "--judgements", str(tmp_path / "rows.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["wordings"] == [found]


@pytest.mark.parametrize(
    ("effects_given", "message"),
    [
        (["positive=nan"], "between -1 and 1, not nan"),
        (["positive=inf"], "between -1 and 1, not inf"),
        (["positive=1e308"], "between -1 and 1, not 1e+308"),
        (["positive=0.1", "positive=0.2"], "--wording-effect is given twice for 'positive'"),
    ],
)
def test_effects_that_no_wording_has_are_refused_before_a_judge_comes(
    effects_given: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    panels = {"public": {"judges": 4, "access": "open"}}
    folder = str(rated.write(tmp_path / "s", criteria=[WORDED], panels=panels))
    assert main(["study", "launch", folder]) == 0
    given = [word for one in effects_given for word in ("--wording-effect", one)]
    assert main(["study", "simulate", folder, *given]) == 2
    assert message in capsys.readouterr().err
    assert main(["study", "status", folder, "--json"]) == 0
    assert not json.loads(capsys.readouterr().out)["simulated"]


@pytest.mark.parametrize("crowd", [Choosers, Estimators])
def test_sizes_of_effects_end_in_every_protocol(
    crowd: type[Choosers | Estimators], tmp_path: Path, clock: Clock
) -> None:
    frozen = study(tmp_path / "s", clock, judges=2)
    with pytest.raises(InputError, match="must lie between"):
        crowd(wordings={f"positive/{next(iter(frozen.study.authors))}": 1e308}).check_wordings(frozen.study)
    with pytest.raises(InputError, match="ratio to the standard"):
        Estimators(means={"A": 1e308})


def test_a_ratio_beyond_all_numbers_is_told_as_such() -> None:
    scale = Scale(ratios=True)
    told = {write(scale, 1400.0) for write in (scale_difference, scale_mean, scale_size)}
    assert told == {"over 1e+307"}
    assert scale_difference(scale, -1400.0) == "0.00" and scale_difference(scale, 600.0) == "3.77e+260"
    assert scale.plain(1400.0) is None and scale.plain(0.0) == 1.0


def test_magnitudes_of_any_size_can_be_analysed(tmp_path: Path, clock: Clock) -> None:
    asked = {key: value for key, value in rated.OWN.items() if key not in ("question", "scale")}
    asked |= {"wordings": {"plain": "How formal is it?", "loaded": "How wonderfully formal is it?"}}
    panels = {"public": {"judges": 8, "evaluations": 4, "access": "open"}}
    service = rated.of("magnitude", tmp_path / "s", clock, criteria=[asked], panels=panels)
    first = ""
    for _ in range(8):
        judge, _ = service.arrivals.register("public")
        first = first or judge
        while (step := service.dealing.step(judge)).kind == "evaluation":
            assert step.evaluation is not None
            system = step.evaluation.texts[0].subject
            extreme = 1e307 if system == next(iter(service.study.subjects)) else 1e-307
            service.answers.answer(judge, step.evaluation.claim, {asked["id"]: extreme if judge == first else 10.0})
    result = service.protocol.analyse_service(service)
    (effect,) = result.wordings
    assert "over 1e+307" in of_wording(effect)
    json.dumps(result.to_dict(), allow_nan=False)
    assert renderer_of(result).write(result, tmp_path / "page.html").is_file()


def test_a_wording_that_nobody_read_is_named(tmp_path: Path, clock: Clock) -> None:
    service = rated.launched(
        tmp_path / "s", clock, criteria=[WORDED], panels={"public": {"judges": 2, "access": "open"}}
    )
    judge, _ = service.arrivals.register("public")
    while (step := service.dealing.step(judge)).kind == "evaluation":
        assert step.evaluation is not None
        service.answers.answer(judge, step.evaluation.claim, rated.some_answer(service, step.evaluation, 0))
    service.admin.close()
    (own,) = [row["wording"] for row in service.people.judges()]
    (other,) = {"neutral", "positive"} - {own}
    result = service.protocol.analyse_service(service)
    assert any(f"given to the wording “{other}”" in note for note in in_json(result)["warnings"])
