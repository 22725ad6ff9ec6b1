"""The human experiment of Belz and Reiter (2006), section 3, from one study file to the analysis.

21 readers by repeated Latin squares over 21 dates and 6 systems, nine experts who see the numerical data and a random
system's forecast for 18 of the dates, two practice items, one score from 0 to 5 for readability, clarity and general
appropriateness, reported from 0 to 1. The judges are simulated, with the means of the paper's Table 2.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
import studies
import yaml

from nlgauge.cli import main
from nlgauge.stats.correlation import single_judge
from nlgauge.study.file import study
from nlgauge.study.model import Evaluation
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store

READERS = {
    "SumTime-Hybrid": 0.77,
    "SumTime-Corpus": 0.736,
    "pCRU-roulette": 0.714,
    "pCRU-greedy": 0.68,
    "pCRU-2gram": 0.65,
    "pCRU-random": 0.496,
}
EXPERTS = {
    "SumTime-Hybrid": 0.762,
    "pCRU-greedy": 0.716,
    "SumTime-Corpus": 0.644,
    "pCRU-roulette": 0.622,
    "pCRU-2gram": 0.536,
    "pCRU-random": 0.484,
}
TRUE = {"readers": READERS, "experts": EXPERTS}


def study_file(folder: Path) -> Path:
    values = {
        "protocol": "likert",
        "title": "How good are these marine forecasts?",
        "subjects": {
            name: {"texts": [{"text": f"{name}: SSW {k + 10} easing", "source": f"{k}/SSW/{k}"} for k in range(23)]}
            for name in READERS
        },
        "criteria": [
            {
                "id": "quality",
                "definition": "The forecast reads well, is clear, and is generally appropriate.",
                "question": "How do you rate this forecast for readability, clarity and general appropriateness?",
                "scale": {"points": 6, "low": 0, "labels": ["very bad", "very good"]},
            }
        ],
        "design": {"kind": "latin"},
        "practice": 2,
        "panels": {
            "readers": {"judges": 21, "access": "open"},
            "experts": {
                "judges": 9,
                "access": "open",
                "who": "expert",
                "design": {"kind": "random", "items_per_judge": 18, "same_items": True},
                "show": ["source"],
            },
        },
        "seed": 2006,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / study.FILE).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return folder


def rate(service: Service, panel: str, clock: studies.Clock, random: Random, noise: float) -> str:
    """A judge goes through the whole study: severity, ease of the date, and noise of their own."""
    judge, _ = service.arrivals.register(panel)
    severity = random.gauss(0, 0.06)
    while (shown := service.dealing.step(judge).evaluation) is not None:
        given = {"quality": score(shown, TRUE[panel], severity, random, noise)}
        clock.now += random.uniform(8, 40)
        if shown.practice:
            service.answers.answer_practice(judge, shown.number, given)
        else:
            service.answers.answer(judge, shown.claim, given)
    return judge


def score(shown: Evaluation, means: dict[str, float], severity: float, random: Random, noise: float) -> int:
    (text,) = shown.texts
    ease = Random(f"date {text.item}").gauss(0, 0.04)
    share = means[text.subject] + severity + ease + random.gauss(0, noise)
    return round(5 * min(max(share, 0.0), 1.0))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Service]:
    folder = study_file(tmp_path_factory.mktemp("forecasts"))
    clock, random = studies.Clock(), Random(4)
    service = launch(study.load(folder), folder, Store.at(folder), clock=clock)
    for panel, count, noise in (("readers", 21, 0.16), ("experts", 9, 0.12)):
        for _ in range(count):
            rate(service, panel, clock, random, noise)
    return folder, service


def test_everybody_saw_what_the_paper_says(finished: tuple[Path, Service]) -> None:
    _, service = finished
    frozen, given = service.frozen, service.judgements()
    practice = [one for one in given if one.practice]
    assert Counter(Counter(one.judge for one in practice).values()) == {2: 30}
    warm = {frozen.text[one.texts[0]].item for one in practice}
    counted = [one for one in given if not one.practice]
    assert len(warm) == 2 and not warm & {frozen.text[one.texts[0]].item for one in counted}
    readers = [one for one in counted if one.panel == "readers"]
    experts = [one for one in counted if one.panel == "experts"]
    assert (len(readers), len(experts)) == (21 * 21, 9 * 18)
    for judge in {one.judge for one in readers}:
        own = [frozen.text[one.texts[0]] for one in readers if one.judge == judge]
        assert len({text.item for text in own}) == 21
        assert set(Counter(text.subject for text in own).values()) == {3, 4}
    cells = Counter(one.texts[0] for one in readers)
    assert len(cells) == 126 and set(cells.values()) == {3, 4}
    block = {slot.id: slot.block for slot in frozen.slots}
    for square in range(3):
        within = Counter(one.texts[0] for one in readers if (block[one.slot] - 1) // 6 == square)
        assert len(within) == 126 and set(within.values()) == {1}
    dates = {frozen.text[one.texts[0]].item for one in experts}
    assert len(dates) == 18
    for judge in {one.judge for one in experts}:
        assert {frozen.text[one.texts[0]].item for one in experts if one.judge == judge} == dates


def test_order_significance_and_brackets_are_recovered(
    finished: tuple[Path, Service], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, service = finished
    assert main(["study", "analyse", str(folder), "--rescale", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    scores: dict[str, dict[str, dict[str, list[float]]]] = {"readers": {}, "experts": {}}
    for one in service.judgements():
        if not one.practice:
            name = service.frozen.text[one.texts[0]].subject
            own = scores[one.panel].setdefault(one.judge, {})
            own.setdefault(name, []).append(one.answer["quality"] / 5)
    table = {
        panel: np.array([[np.mean(own[name]) for name in READERS] for own in judges.values()])
        for panel, judges in scores.items()
    }
    for panel, means in TRUE.items():
        (result,) = (one for one in found["result"] if one["panel"] == panel)
        systems = {one["system"]: one for one in result["systems"]}
        order = [one["system"] for one in result["systems"]]
        assert order[0] == "SumTime-Hybrid" and order[-1] == "pCRU-random"
        inside = [systems[name]["low"] <= mean <= systems[name]["high"] for name, mean in means.items()]
        assert sum(inside) >= 5, panel  # limits of 95 %: of twelve one may miss
        assert all(0 <= one["low"] < one["high"] <= 1 for one in systems.values())
        best, worst = (
            next(k for k, group in enumerate(result["clusters"]) if name in group) for name in (order[0], order[-1])
        )
        assert best < worst  # the best and the worst are told apart
    brackets = {(one["panel"], one["group"]): one for one in found["single_judges"]}
    for (panel, group), one in brackets.items():
        expected = single_judge(table[panel], None if panel == group else table[group])
        assert one["mean_of_single_judges"] == pytest.approx(expected.estimate)
        assert one["of_means"] == pytest.approx(expected.of_means)
        assert one["mean_of_single_judges"] < one["of_means"]  # one judge says less than the mean of all
        assert one["systems"] == 6
    assert brackets["readers", "experts"]["of_means"] > 0.6
    assert brackets["readers", "readers"]["each_left_out"] < brackets["readers", "readers"]["mean_of_single_judges"]
