"""Simulated judges with known system means: the analysis of ratings finds what was put in."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import yaml

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.pages import ELEMENT
from nlgauge.report.study.notes import merged, split
from nlgauge.report.study.ratings import headlines, rating_sections
from nlgauge.report.study.ratings_text import judges_part, rating_parts
from nlgauge.report.study.ratings_words import plan as told_plan
from nlgauge.report.study.sentences import clustered
from nlgauge.report.study.words import sentence, sentences, warnings
from nlgauge.stats.ranking import clusters_of
from nlgauge.study.analysis.notes import note
from nlgauge.study.file import study as design
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.ratings.analysis import RatingResult, analyse
from nlgauge.study.protocols.ratings.analysis.judges import JudgeRow, Judging
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.protocols.ratings.analysis.planning import next_study
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, sort_out

SCALE = {"points": 6, "low": 0, "labels": ["bad", "good"]}
READ = {"id": "quality", "definition": "Readable, clear, apt.", "question": "How good is it?", "scale": SCALE}
SYSTEMS = {
    "corpus": 0.72,
    "rules": 0.76,
    "greedy": 0.70,
    "roulette": 0.52,
    "ngram": 0.30,
    "random": 0.28,
}  # shares of the scale; what a clipped 0-5 scale gives back is near them


def study(folder: Path, items: int = 21, systems: Any = SYSTEMS, **changes: Any) -> Frozen:
    values = {
        "protocol": "likert",
        "title": "Forecasts",
        "subjects": {
            name: {"texts": [{"text": f"{name} {k}", "source": f"s{k}"} for k in range(items)]} for name in systems
        },
        "criteria": [READ],
        "design": {"kind": "latin"},
        "panels": {"public": {"judges": 21, "access": "open"}},
        "seed": 7,
        **changes,
    }
    folder.mkdir(exist_ok=True, parents=True)
    (folder / design.FILE).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return freeze(design.load(folder), folder)


def answers(frozen: Frozen, means: dict[str, float], seed: int, noise: float = 0.15) -> list[Judgement]:
    """One judge a block: share = mean + judge + item + output + noise, on the scale's points."""
    random = Random(seed)
    drawn: dict[Any, float] = {}

    def effect(key: Any, sd: float) -> float:
        return drawn.setdefault(key, random.gauss(0, sd))

    found = []
    for place, slot in enumerate(frozen.slots):
        text = frozen.text[slot.texts[0]]
        judge = f"{slot.panel} {slot.block}"
        share = means[text.subject] + effect(judge, 0.08) + effect(text.item, 0.05) + effect(text.id, 0.04)
        given = {}
        for asked in frozen.study.asked:  # type: ignore[attr-defined]
            own = min(max(share + random.gauss(0, noise), 0), 1)
            own = 1 - own if asked.reverse else own
            steps = (asked.scale.points or 101) - 1
            given[asked.id] = asked.scale.low + (asked.scale.high - asked.scale.low) * round(own * steps) / steps
        at = 60.0 * place
        found.append(
            Judgement(
                str(place),
                frozen.id,
                slot.panel,
                judge,
                slot.id,
                slot.number,
                slot.role,
                slot.texts,
                (text.item,),
                given,
                at,
                at + 20 + 10 * random.random(),
            )
        )
    return found


def both_panels(folder: Path) -> Frozen:
    """21 non-experts by Latin squares, 9 experts with a random text for each of 18 dates."""
    people = study(folder / "a", panels={"public": {"judges": 21, "access": "open"}})
    experts = {"experts": {"judges": 9, "access": "open", "evaluations": 18}}
    other = study(folder / "b", panels=experts, design={"kind": "random"})
    panels = {**people.study.panels, **other.study.panels}
    return replace(people, study=replace(people.study, panels=panels), slots=(*people.slots, *other.slots))


def test_belz_and_reiter(tmp_path: Path) -> None:
    frozen = both_panels(tmp_path)
    result = analyse(frozen, answers(frozen, SYSTEMS, 3), unit=True)
    public, experts = (result.rating("quality", name) for name in ("public", "experts"))
    assert (public.judges, public.n, public.items, public.outputs) == (21, 441, 21, 126)
    assert (experts.judges, experts.n) == (9, 162)
    cells = Counter(slot.texts for slot in frozen.slots if slot.panel == "public")
    assert set(cells.values()) == {3, 4}
    order = [one.system for one in public.models.means]
    assert set(order[:3]) == {"rules", "corpus", "greedy"} and order[3] == "roulette"
    groups = [set(group) for group in public.models.clusters.groups]
    assert groups == [{"rules", "corpus", "greedy"}, {"roulette"}, {"ngram", "random"}]
    for one in public.models.means:
        assert one.low < SYSTEMS[one.system] < one.high
        assert 0 <= one.mean <= 1
    (pair,) = result.panels
    assert pair.systems.n == 6 and pair.systems.pearson.estimate > 0.9 and pair.systems.p < 0.05
    assert pair.outputs.pearson.estimate > 0.4
    assert public.models.ordinal is not None and public.models.ordinal.test().p < 1e-6
    assert public.models.slopes == ("item", "judge")
    assert "r = 0.9" in dict(sentences(result))["Panels: quality"]


@pytest.mark.slow
def test_limits_cover_what_was_put_in(tmp_path: Path) -> None:
    frozen = study(tmp_path, systems=("a", "b", "c"), items=12, panels={"public": {"judges": 9, "access": "open"}})
    means = {"a": 0.6, "b": 0.5, "c": 0.4}
    inside = []
    for seed in range(12):
        rated = sort_out(frozen, answers(frozen, means, seed, noise=0.12), unit=True)
        for pair in fit(rated.column(rated.criteria[0], "public")).pairs:
            first, second = pair.name.split(" - ")
            inside.append(pair.low <= means[first] - means[second] <= pair.high)
    assert np.mean(inside) > 0.85  # 36 dependent intervals of 95 %


def test_edges(tmp_path: Path) -> None:
    one = study(tmp_path / "one", items=6, panels={"public": {"judges": 1, "access": "open"}})
    result = analyse(one, answers(one, SYSTEMS, 1))
    assert result.ratings[0].agreeing.agreement is None
    assert any("1 judge: too few" in note for note in warnings(result))
    alone = study(tmp_path / "alone", systems=("a",), items=6, panels={"public": {"judges": 4, "access": "open"}})
    result = analyse(alone, answers(alone, {"a": 0.5}, 1))
    assert not result.ratings[0].models.pairs and result.ratings[0].models.clusters is None
    equal = [replace(judgement, answer={"quality": 3}) for judgement in answers(alone, {"a": 0.5}, 1)]
    flat = analyse(alone, equal)
    assert flat.ratings[0].best.mean == 3 and math.isnan(flat.ratings[0].best.low)
    json.dumps(flat.to_dict())
    with pytest.raises(InputError, match="planned answers"):
        analyse(alone, answers(alone, {"a": 0.5}, 1)[:-1])
    with pytest.raises(InputError, match="no rating counts"):
        analyse(alone, [], closed=True)


def two(folder: Path, **changes: Any) -> tuple[Frozen, RatingResult]:
    panels = {"public": {"judges": 8, "access": "open"}}
    frozen = study(folder, systems=("good", "bad"), items=10, panels=panels, **changes)
    return frozen, analyse(frozen, answers(frozen, {"good": 0.8, "bad": 0.3}, 2))


def test_reverse_keyed_questions_are_turned_round_and_warm_up_is_left_out(tmp_path: Path) -> None:
    turned = {**READ, "id": "dullness", "reverse": True}
    frozen, result = two(tmp_path, criteria=[READ, turned])
    for one in result.ratings:
        assert one.best.system == "good" and abs(one.best.raw - 4) < 0.5
    (pair,) = result.criteria
    assert pair.outputs.pearson.estimate > 0.7
    given = answers(frozen, {"good": 0.8, "bad": 0.3}, 2)
    extra = replace(given[0], id="w", role="warmup", answer={"quality": 0, "dullness": 5})
    again = analyse(frozen, [*given, extra])
    assert again.aside["warmup"] == 1 and again.ratings[0].best.raw == result.ratings[0].best.raw


def test_binary_answers_are_shares_with_exact_limits(tmp_path: Path) -> None:
    asked = {key: value for key, value in READ.items() if key != "scale"}
    _, result = two(tmp_path, protocol="binary", criteria=[asked])
    one = result.ratings[0]
    assert one.best.system == "good" and one.best.exact is not None
    low, high = one.best.exact
    assert low < one.best.raw <= high <= 1
    assert "Clopper and Pearson" in sentence(result)


def test_a_question_that_nobody_knows_is_said_wherever_it_is_shown(tmp_path: Path) -> None:
    frozen, _ = two(tmp_path)
    asked = frozen.study.asked[0]  # type: ignore[attr-defined]
    blank = replace(asked, question=type(asked.question)({"": ""}))
    other = replace(frozen, study=replace(frozen.study, asked=(blank,)))
    result = analyse(other, answers(other, {"good": 0.8, "bad": 0.3}, 2))
    assert "question wording unknown" in sentence(result)
    assert "question wording unknown" in warnings(result)[0]
    assert result.to_dict()["result"][0]["warning"]


def test_the_page_speaks_of_every_criterion(tmp_path: Path) -> None:
    turned = {**READ, "id": "dullness", "name": "dullness", "reverse": True}
    frozen, result = two(tmp_path, criteria=[READ, turned])
    first, second = headlines(result)
    assert first.startswith("good is rated above") and [line.split(" for ")[1] for line in (first, second)] == [
        f"{one.criterion.label}." for one in result.ratings
    ]
    page = rating_sections(result)
    for line in (first, second):
        assert f">{line}</p>" in page
    links = re.findall(r'<a href="#([^"]+)">', page)
    assert "tables" in links and all(f'<section id="{link}">' in page for link in links)
    assert page.count("<details open><summary>Means: ") == 2 and "<details><summary>Agreement: " in page
    given = answers(frozen, {"good": 0.8, "bad": 0.3}, 2)
    left = rating_sections(analyse(frozen, given, excluded={given[0].judge: "asleep"}))
    assert left.count("<h3>With and without: ") == 2 and left.count('data-head="all judges"') == 2 * 4
    assert left.count("With and without: ") == 2 * 2  # title and label: not among the tables once more


def test_plans_name_their_criterion_and_find_what_they_say(tmp_path: Path) -> None:
    _, result = two(tmp_path)
    plan = result.ratings[0].planning
    assert plan is not None and told_plan(plan).startswith(f"For {result.ratings[0].criterion.label}, the same")
    weak = replace(plan, now=replace(plan.now, estimate=0.5))
    assert weak.more_items is not None and weak.more_items.items > plan.now.items
    assert weak.more_items.estimate >= 0.8 and "plan for more items: " in told_plan(weak)
    if weak.more_ratings is not None:
        assert weak.more_ratings.items == plan.now.items and weak.more_ratings.estimate >= 0.8
        assert weak.more_ratings.judges >= weak.more_ratings.ratings_per_item > plan.now.ratings_per_item
    else:
        assert "would not do alone" in told_plan(weak)


@pytest.mark.parametrize("judges", [1, 6])
def test_plans_of_systems_that_share_no_items_count_the_items(judges: int) -> None:
    """With one rating of each item its variance is part of the noise, and nobody knows what more judges would do."""
    rng = np.random.default_rng(1)
    rows = [(f"{s}{i}", s, f"j{j if judges > 1 else i % 6}") for s in "AB" for i in range(12) for j in range(judges)]
    ease = dict(zip(dict.fromkeys(item for item, _, _ in rows), rng.normal(0, 1.2, 24), strict=True))
    values = np.array([np.clip(round(4 + ease[item] + rng.normal(0, 0.8)), 1, 7) for item, _, _ in rows], float)
    items, systems, people = zip(*rows, strict=True)
    column = Column(Criterion("q", "q", 1, 7, 7, False, "How good?"), "all", values, systems, items, people)
    models = fit(column)
    plan = next_study(column, models)
    assert plan is not None and plan.now.error == pytest.approx(models.pairs[0].error, rel=1e-5)
    assert plan.now.estimate < 0.5 and "24 items, 12 for each system" in told_plan(plan)
    assert plan.more_items is not None and plan.more_items.items % 2 == 0 and plan.more_items.items > 50
    each = plan.more_items.items * plan.more_items.ratings_per_item / plan.more_items.judges
    assert each == pytest.approx(plan.each, rel=0.1)  # texts of a judge: an item has one output
    assert ("every item was rated once" in told_plan(plan)) == (judges == 1)
    near = told_plan(replace(plan, effect=10.0, least=10.4))
    assert "a difference of 10 (" in near and "and a difference of 10.4 with power 0.80" in near


def test_limits_end_where_the_scale_does(tmp_path: Path) -> None:
    panels = {"public": {"judges": 4, "access": "open"}}
    frozen = study(tmp_path, systems=("good", "bad"), items=4, panels=panels)
    result = analyse(frozen, answers(frozen, {"good": 1.0, "bad": 0.1}, 2))
    means = result.ratings[0].models.means
    assert all(0 <= one.low <= one.mean <= one.high <= 5 for one in means)
    assert means[0].high == 5 and "means and limits end where the scale does" in sentence(result)


def test_where_all_judges_fail_the_checks_are_shown(tmp_path: Path) -> None:
    frozen, _ = two(tmp_path)
    given = [replace(one, answered_at=one.shown_at + 0.2) for one in answers(frozen, {"good": 0.8, "bad": 0.3}, 2)]
    result = analyse(frozen, given)
    assert len(result.judging[0].failed) == 8
    assert any("8 of 8 judges failed a check of care; nobody is left" in note for note in warnings(result))
    (care,) = [part for part in rating_parts(result) if part[0].startswith("Checks of care")]
    assert all("speed" in row[care[1].index("failed checks")] for row in care[2])


def test_the_command_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "s")
    study(Path(folder), systems=("good", "bad"), items=8, panels={"public": {"judges": 4, "access": "open"}})
    assert main(["study", "launch", folder]) == 0
    assert main(["study", "analyse", folder]) == 2
    assert main(["study", "simulate", folder, "--mean", "good=0.9"]) == 0
    capsys.readouterr()
    assert main(["study", "analyse", folder, "--json", "--rescale", "--html", f"{folder}/r.html"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"protocol", "n", "result", "sentence", "warnings"} <= set(found)
    assert found["protocol"] == "likert" and found["n"] == 32 and found["result"][0]["systems"][0]["high"] < 1.5
    page = Path(folder, "r.html").read_text(encoding="utf-8").replace(ELEMENT, "")
    assert "<svg" in page and "Do the judges agree?" in page and "<script" not in page and "src=" not in page
    assert main(["study", "analyse", folder, "--format", "latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out
    assert main(["study", "analyse", folder, "--format", "markdown"]) == 0
    assert "| system |" in capsys.readouterr().out
    assert main(["study", "status", folder]) == 0


def test_a_judge_who_stands_for_a_system_is_said_first_and_with_its_mean(tmp_path: Path) -> None:
    frozen, plain = two(tmp_path)
    assert not plain.ratings[0].cautions and "Caution" not in sentence(plain)
    names = [text.id for text in frozen.texts if text.subject == "bad"]
    empty = set(names[: len(names) * 2 // 3])
    texts = tuple(replace(text, text="null") if text.id in empty else text for text in frozen.texts)
    given = [
        replace(one, judge="alone", answer={"quality": 0.0}) if one.texts[0] in empty else one
        for one in answers(frozen, {"good": 0.5, "bad": 0.8}, 2)
    ]
    result = analyse(replace(frozen, texts=texts), given)
    (caution,) = [one for one in result.ratings[0].cautions if one.system == "bad"]
    ((judge, own, rest),) = caution.judges
    assert judge == "alone" and rest == 0 and own > caution.ratings / 2 and caution.apart
    assert warnings(result)[0].startswith(f"{len(empty)} of the {len(names)} texts of bad are empty or say null")
    assert "cannot be told apart" in warnings(result)[1]
    said = f"judge alone gave {own} of the {caution.ratings} ratings of bad and 0 of the"
    for text in (sentence(result), headlines(result)[0], warnings(result)[1]):
        assert said in text
    assert result.to_dict()["criteria"][0]["cautions"][-1]["means_apart"]


def test_systems_of_one_cluster_that_differ_are_named() -> None:
    p = np.full((4, 4), 0.001)
    for one, other in ((1, 2), (2, 3)):
        p[one, other] = p[other, one] = 0.5
    said = clustered(clusters_of(["a", "b", "c", "d"], [4.0, 3.0, 2.5, 2.0], p, method="test"))
    assert "every system before it is significantly above every one after it): a > b, c, d." in said
    assert said.endswith("Within clusters, significant as well: b above d.")


def test_tests_that_disagree_about_neighbours_are_named(tmp_path: Path) -> None:
    _, result = two(tmp_path)
    one = result.ratings[0]
    assert one.models.wilcoxon is not None and not one.models.split
    other = replace(one.models.wilcoxon, p=np.full((2, 2), 0.9))
    said = "".join(split(replace(one.models, wilcoxon=other).split))
    assert said.startswith("tests disagree (p after Holm's correction) about good and bad: linear model p")
    assert "Wilcoxon's signed-rank test p = 0.9" in said
    few = replace(other, systems=tuple(replace(system, n=5) for system in other.systems))  # p is 1/16 at least
    assert not replace(one.models, wilcoxon=few).split
    table = next(part for part in rating_parts(result) if part[0].startswith("Differences"))
    assert table[1][-2:] == ["ordinal p (Holm)", "Wilcoxon p (Holm)"]


def asked_as(name: str, question: str = "?") -> Criterion:
    return Criterion(name, name, 1, 5, 5, False, question)


def test_equal_notes_of_criteria_are_one() -> None:
    a, b, mark = asked_as("a", ""), asked_as("b", ""), " (question wording unknown)"
    low = [
        note("agree little", alpha=alpha, fine=0.667, why="diagnosed").at(asked)
        for asked, alpha in ((a, 0.42), (b, 0.5))
    ]
    few = note("few in panel", panel="p", judges=3)
    flat = [
        note("one value", number=n, judges=9, names=tuple("xyzuvw"[:n] + "rstopq"), neutral=0).at(asked)
        for asked, n in ((a, 3), (b, 4))
    ]
    assert merged([low[0], few, low[1], few, *flat, note("adjusted").at(b)]) == [
        f"a, b{mark}: judges agree little (Krippendorff's alpha 0.42 / 0.50, below 0.667); see the diagnosis",
        "panel p has 3 judges: too few to generalise to other judges",
        f"a, b{mark}: standardised means: 3 / 4 of 9 judges gave one value only and count as 0 throughout",
        f"b{mark}: means are the model's, which allows for who judged what; plain means, which nlgauge compare shows, "
        "are of the ratings as they are",
    ]


def test_notes_of_criteria_that_differ_in_more_than_figures_stay_apart() -> None:
    a, b = asked_as("a"), asked_as("b")
    pair = ("s1", "s2", {"linear model": 0.01, "permutation": 0.2})
    other = ("s1", "s3", {"linear model": 0.01, "permutation": 0.2})
    kind = "tests disagree"
    assert len(merged([note(kind, pairs=(pair,)).at(a), note(kind, pairs=(other,)).at(b)])) == 2  # names are no figures
    assert merged([note(kind, pairs=(pair,)).at(asked) for asked in (a, b)]) == [
        "a, b: tests disagree (p after Holm's correction) about s1 and s2: linear model p = 0.0100, permutation "
        "p = 0.2000; report all of them"
    ]
    values = [{"linear": 0.5, "ordinal": p, "judges": 20} for p in (0.01, 1e-9)]
    assert merged([note("models disagree", **each).at(asked) for each, asked in zip(values, (a, b), strict=True)]) == [
        "a: the linear model says p = 0.5000 for all systems, the ordinal one p = 0.0100; report both",
        "b: the linear model says p = 0.5000 for all systems, the ordinal one p < 0.0001; report both",
    ]


def test_a_judge_who_could_judge_nothing_has_no_mean_in_the_table() -> None:
    row = JudgeRow(
        judge="j",
        answers=3,
        median_seconds=9.0,
        mean=math.nan,
        deviation=math.nan,
        flat_screens=math.nan,
        weight=math.nan,
        failed=(),
    )
    _, _, rows, _ = judges_part(Judging("p", (row,), (), {}, {}, ()))
    assert rows == [["j", "3", "9", "n/a", "n/a", "n/a", "-"]]


@pytest.mark.parametrize("kind", ["crossed", "random"])
def test_that_means_are_adjusted_is_said_where_plain_means_differ(kind: str, tmp_path: Path) -> None:
    systems = {"rules": 0.7, "neural": 0.4}
    panels = {"public": {"judges": 5, "access": "open"}}
    frozen = study(tmp_path, 6, systems, design={"kind": kind}, panels=panels)
    result = analyse(frozen, answers(frozen, systems, 1))
    (one,) = result.ratings
    differ = any(abs(mean.mean - mean.raw) > 0.01 for mean in one.models.means)
    assert differ == (kind == "random")
    assert any("plain means, which nlgauge compare shows" in note for note in warnings(result)) == differ
