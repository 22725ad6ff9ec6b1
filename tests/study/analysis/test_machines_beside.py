"""Machines in the analysis of ratings and comparisons: apart from people, beside people, and by places."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from rated import comparing, write
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.comparisons_words import beside_people, machine_places, of_machines
from nlgauge.report.study.words import sentences, warnings
from nlgauge.study.exchange import export
from nlgauge.study.file import study as design
from nlgauge.study.machine_judges.program import Called
from nlgauge.study.machine_judges.run import run, run_panel
from nlgauge.study.machine_judges.sheets import output_study, showing
from nlgauge.study.protocols.comparisons.analysis import analyse as compare
from nlgauge.study.protocols.comparisons.machines import machines_compared
from nlgauge.study.protocols.comparisons.simulation import Choosers
from nlgauge.study.protocols.outputs.machines import machines_of, measured_panels
from nlgauge.study.protocols.ratings.analysis import RatingResult, analyse
from nlgauge.study.protocols.ratings.simulation import Raters
from nlgauge.study.service import Service, launch
from nlgauge.study.simulation import simulate
from nlgauge.study.store import Store
from nlgauge.web.language import load

SAY = load("en").say
SYSTEMS = ("rules", "neural", "people")


def subjects(items: int) -> dict[str, Any]:
    texts = {name: [{"text": f"{name} {k}", "source": f"d{k}"} for k in range(items)] for name in SYSTEMS}
    return {name: {"texts": own} for name, own in texts.items()}


def started(folder: Path, items: int, **changes: Any) -> Service:
    write(folder, **({"subjects": subjects(items)} | changes))
    return launch(design.load(folder), folder, Store.memory(), clock=Clock())


def judged(service: Service, answer: Any, name: str, *, planned: bool) -> None:
    study = output_study(service.study)
    show = showing(study, name if planned else "public", "en", SAY)
    if planned:
        run_panel(service, lambda _: Called(answer, study, name=name), name=name, show=show)
    else:
        run(service, Called(answer, study, name=name), like="public", name=name, show=show)


@pytest.fixture(scope="module")
def rating(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Six people, a machine that sees what they see, twice, and one that came later and gives numbers of its own."""
    panels = {
        "public": {"judges": 4, "access": "open", "design": {"kind": "crossed"}},
        "good": {"kind": "machine", "judges": 2, "judge": {"kind": "command", "command": ["x"]}},
    }
    service = started(
        tmp_path_factory.mktemp("r") / "s",
        14,
        protocol="continuous",
        criteria=["fluency"],
        panels=panels,
        scale={"step": 1},
    )
    means, random = dict(zip(SYSTEMS, (0.3, 0.5, 0.7), strict=True)), Random(4)

    def answer(screen: Any) -> dict[str, Any]:
        level = means[screen["texts"][0]["text"].split()[0]]
        return {"answer": {"fluency": round(100 * min(max(random.gauss(level, 0.05), 0), 1))}}

    judged(service, answer, "good", planned=True)
    judged(
        service,
        lambda screen: {"scores": [7 * means[screen["texts"][0]["text"].split()[0]] + random.gauss(0, 2)]},
        "odd",
        planned=False,
    )
    simulate(
        Service(service.store, service.frozen, clock=service.context.clock, simulated=True),
        Raters(means=means, judge_sd=0.05, item_sd=0.0, noise=0.1),
        seed=2,
    )
    return service


@pytest.fixture(scope="module")
def analysed(rating: Service) -> RatingResult:
    return analyse(rating.frozen, rating.judgements())


def test_machines_stand_apart_and_beside_people(analysed: RatingResult) -> None:
    found = analysed
    assert [one.panel for one in found.ratings] == ["public", "good", "odd"]
    people, good, odd = found.ratings
    assert (people.n, people.judges) == (168, 4) and (good.n, good.judges) == (84, 2) and odd.judges == 1
    assert found.n == 168  # machines are never counted with people
    assert [one.system for one in people.models.means] == [one.system for one in good.models.means]
    assert odd.criterion.points == 0 and odd.criterion.high < 20  # its own numbers, on no scale of the study
    by_name = {one.machine: one for one in found.machines}
    assert set(by_name) == {"good", "odd"} and all(one.people == "public" for one in found.machines)
    first, second = by_name["good"], by_name["odd"]
    assert first.outputs.n == 42 and first.outputs.pearson.estimate > 0.8 > second.outputs.pearson.estimate
    assert first.alpha_both > first.alpha_people > 0.4
    assert first.ceiling is not None and first.ceiling.machine > first.ceiling.people
    assert first.alternative is not None and first.alternative.passed and first.alternative.n == 4
    assert first.alternative.epsilon == 0.1
    assert second.alternative is None and "on no scale" in second.undefined[0]
    assert second.ceiling is not None and second.ceiling.machine < first.ceiling.machine
    told = dict(sentences(found))
    assert "correlates with the means of the panel public" in told["The machine good beside public: Fluency"]
    assert any("never pooled" in note for note in warnings(found))
    assert any("one machine asked 2 times" in note for note in warnings(found))
    assert not any(heading.startswith("Judges: good") for heading in told)
    whole = json.loads(json.dumps(found.to_dict()))
    assert {one["machine"] for one in whole["machines"]} == {"good", "odd"}
    (same,) = [one for one in found.panels if {one.first, one.second} == {"good", "odd"}]
    assert same.difference != same.difference  # no difference of means between two scales


def test_the_people_are_what_they_are_without_machines(rating: Service, analysed: RatingResult) -> None:
    alone = analyse(rating.frozen, [one for one in rating.judgements() if one.panel == "public"])
    assert alone.ratings[0].to_dict() == analysed.ratings[0].to_dict()
    assert alone.judging[0].to_dict() == analysed.judging[0].to_dict()


def test_a_machine_may_be_looked_at_before_people_are_done(rating: Service, tmp_path: Path) -> None:
    machine = [one for one in rating.judgements() if one.panel in ("good", "odd")]
    with pytest.raises(InputError, match=r'meanwhile: panel="good"'):
        analyse(rating.frozen, machine)
    found = analyse(rating.frozen, machine, panel="odd")
    assert [one.panel for one in found.ratings] == ["odd"] and found.n == 42 and not found.machines
    with pytest.raises(InputError, match="no panel 'else'"):
        analyse(rating.frozen, machine, panel="else", closed=True)
    file = tmp_path / "x.jsonl"  # an export shows machines as well
    export.write(rating.judgements(), file)
    from nlgauge.study.exchange.fit import Fit
    from nlgauge.study.protocols import protocol_of

    rows = export.read(file, fault=Fit(rating.frozen).fault, protocol=protocol_of("continuous"))
    assert machines_of(rating.frozen, output_study(rating.study), rows) == {"good": 84, "odd": 42}
    assert measured_panels(rows) == {"odd"}


# ---------------------------------------------------------------------------------------------------------- comparisons


@pytest.fixture(scope="module")
def preferring(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Three people for each pair; a machine that prefers the first place with probability 0.7 whatever stands there."""
    judge = {"kind": "command", "command": ["x"], "both_orders": True}
    panels = {
        "public": {"judges": 9, "access": "open"},
        "biased": {"kind": "machine", "judges": 1, "judge": judge},
    }
    changes = comparing("pairwise", strength=None, criteria=["fluency"], panels=panels)
    design_ = {"kind": "pairs", "items_per_judge": 30}
    service = started(tmp_path_factory.mktemp("c") / "s", 30, **{**changes, "design": design_})
    random = Random(9)

    def first(_: Any) -> dict[str, Any]:
        return {"answer": {"fluency": {"preference": "a" if random.random() < 0.7 else "b"}}}

    judged(service, first, "biased", planned=True)
    order = {name: place for place, name in enumerate(SYSTEMS)}
    judged(
        service,
        lambda screen: {"scores": [order[one["text"].split()[0]] for one in screen["texts"]]},
        "fair",
        planned=False,
    )
    simulate(
        Service(service.store, service.frozen, clock=service.context.clock, simulated=True),
        Choosers(strengths=dict(zip(SYSTEMS, (-2.0, 0.0, 2.0), strict=True)), tie_width=0.1),
        seed=2,
    )
    return service


def test_a_known_position_bias_is_found_with_its_interval(preferring: Service) -> None:
    found = machines_compared(preferring.frozen, preferring.judgements())
    biased = next(one for one in found.places if one.machine == "biased")
    first = biased.places[0]
    assert first.n == preferring.study.panels["biased"].evaluations == 180
    assert first.low <= 0.7 <= first.high and first.low > 0.5 and biased.p < 0.001
    assert biased.both == 90 and biased.same is not None
    # both orders agree where a first place won once and lost once: 2 · 0.7 · 0.3
    assert biased.same.low <= 0.42 <= biased.same.high
    assert biased.first_twice > biased.second_twice
    assert biased.first_twice + biased.second_twice == round(90 * (1 - biased.same.estimate))
    assert "in the first place in" in machine_places(biased) and "both orders" in machine_places(biased)
    fair = next(one for one in found.places if one.machine == "fair")
    assert fair.places[0].low < 0.5 < fair.places[0].high
    # people were dealt every pair in both orders, so the later machine saw both as well
    assert fair.both == 90 and fair.same is not None and fair.same.estimate == 1 and fair.first_twice == 0


def test_preferences_shared_with_people(preferring: Service) -> None:
    found = machines_compared(preferring.frozen, preferring.judgements())
    biased, fair = (next(one for one in found.beside if one.machine == name) for name in ("biased", "fair"))
    assert fair.same.estimate > 0.75 > biased.same.estimate and fair.kappa > 0.5 and abs(biased.kappa) < 0.2
    assert fair.decided is not None and fair.decided.estimate >= fair.same.estimate
    assert fair.same.low < fair.same.estimate < fair.same.high
    assert fair.ceiling is not None and 0.6 < fair.ceiling.estimate < 0.95
    assert fair.ceiling.n == 3 * 90  # three people for each of 90 pairs
    # by hand: every person's preference beside what the machine says of the same two texts
    order, hits, number = {name: place for place, name in enumerate(SYSTEMS)}, 0, 0
    for one in preferring.judgements():
        if one.panel == "public":
            a, b = (order[preferring.frozen.text[name].subject] for name in one.texts)
            hits += one.answer["fluency"]["preference"] == ("a" if a > b else "b")
            number += 1
    assert fair.same.n == number and fair.same.estimate == pytest.approx(hits / number)
    assert fair.alternative is None or fair.alternative.n <= 9
    assert "preferred the same text in" in beside_people(fair) and "Two people did so" in beside_people(fair)
    json.dumps(found.to_dict())
    assert len(list(of_machines(found))) == 4


def test_the_analysis_of_comparisons_shows_machines(preferring: Service) -> None:
    found = compare(preferring.frozen, preferring.judgements())
    assert [one.panel for one in found.comparisons] == ["public", "biased", "fair"] and found.n == 270
    told = dict(sentences(found))
    assert "preferred the same text" in told["The machine fair beside public: fluency"]
    assert "Places of the machine biased: fluency" in told
    assert any("never pooled" in note for note in warnings(found))
    assert len(found.to_dict()["machines"]) == 2
    machine = [one for one in preferring.judgements() if one.panel == "fair"]
    alone = compare(preferring.frozen, machine, panel="fair")
    assert [one.panel for one in alone.comparisons] == ["fair"] and alone.n == len(machine)
    with pytest.raises(InputError, match='meanwhile: panel="fair"'):
        compare(preferring.frozen, machine)


@pytest.mark.parametrize("protocol", ["ranking", "best-worst"])
def test_places_of_several_texts(protocol: str, tmp_path: Path) -> None:
    changes = comparing(protocol, criteria=["fluency"], panels={"public": {"judges": 4, "access": "open"}})
    service = started(tmp_path / "s", 12, **changes)
    random = Random(1)

    def answer(_: Any) -> dict[str, Any]:
        best = random.choices(range(3), (0.2, 0.2, 0.6))[0]
        if protocol == "ranking":
            return {"answer": {"fluency": {"ranks": [1 if place == best else 2 for place in range(3)]}}}
        return {"answer": {"fluency": {"best": best, "worst": (best + 1) % 3}}}

    judged(service, answer, "last", planned=False)
    (place,) = machines_compared(service.frozen, service.judgements()).places
    assert len(place.places) == 3 and sum(one.estimate for one in place.places) == pytest.approx(1)
    assert place.places[2].estimate > place.places[0].estimate and place.p != place.p and place.same is None


# ------------------------------------------------------------------------------------------------------- statement


def test_the_statement_names_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = {
        "kind": "openai",
        "model": "tiny-7b",
        "url": "http://127.0.0.1:9/v1",
        "temperature": 0.5,
        "seed": 3,
    }
    panels = {
        "public": {"judges": 3, "access": "open"},
        "m": {"kind": "machine", "judges": 2, "judge": model},
    }
    folder = write(tmp_path / "s", panels=panels)
    service = launch(design.load(folder), folder, Store.at(folder))
    study = output_study(service.study)
    late = Called(lambda _: {"scores": [1]}, study, name="mine", settings={"weights": "abc123"})
    run(service, late, like="public", name="late", show=showing(study, "public", "en", SAY))
    service.store.close()
    assert main(["study", "statement", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "a machine: language model tiny-7b (temperature 0.5, seed 3 and following; prompt: standard)" in said
    assert "machine (function: name mine, margin 0.0, weights abc123" in said
