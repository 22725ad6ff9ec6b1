"""The figures of docs/comparators.md: made by the tool, of games that nothing in a judge was learnt from."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import nlgauge as ng
from nlgauge.judging.asking import OUTCOMES
from nlgauge.learned.comparator import TIE, A, B, Written, softmax

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import comparator_measures as measures
import comparator_tables as tables
from comparator_folds import CRITERIA, FLAT, SETS, fold
from comparator_measures import Array, Played, Said
from nubia_tables import scored

from nlgauge.metrics.spec import parse

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "comparators.md"
KEPT = sorted(DOCS.glob("comparators-*.json"))


def test_a_tie_without_a_lean_is_half_right_where_people_decided() -> None:
    outcomes = np.array([A, B, TIE, A])
    said = Said(np.array([A, TIE, TIE, TIE]), np.array([2.0, 0.5, 0.0, 0.0]))
    sums = measures.hits(outcomes, said).sum(axis=0)
    assert measures.three_way(sums) == 2 / 4 and measures.tie_free(sums) == 1.5 / 3


def test_two_people_judge_each_other() -> None:
    found = measures.between_people([(0, [A, A, TIE]), (1, [B, A]), (2, [TIE])])
    assert found is not None
    assert found["three_way"]["estimate"] == 1 / 4  # one of four pairs of people agrees
    assert found["tie_free"]["estimate"] == pytest.approx((2 + 0.5 + 0.5) / 6)  # of six decided answers
    assert found["both_decided"]["estimate"] == 1 / 2
    assert measures.between_people([(0, [A]), (1, [B])]) is None


def test_comparators_with_other_zeros_are_brought_together_by_texts_that_both_read() -> None:
    truth = np.array([0.0, 1.0, 2.0, 1.0, 3.0])
    texts = ["a", "b", "c", "b", "d"]
    parts = [np.full((5, 2), np.nan) for _ in range(2)]
    parts[0][:3] = np.column_stack([truth[:3] + 7, [0.1] * 3])
    parts[1][3:] = np.column_stack([truth[3:] - 2, [0.2] * 2])
    whole = measures.aligned(parts, texts)
    assert whole[:, 0] - whole[0, 0] == pytest.approx(truth)
    assert whole[:, 1].tolist() == [0.1, 0.1, 0.1, 0.2, 0.2]


def games(random: Random, *, items: int = 40, systems: int = 5, per_item: int = 4) -> Played:
    """Outputs of systems of which the later ones are better, each item's met at random."""
    ones, others, outcomes = [], [], []
    for item in range(items):
        for _ in range(per_item):
            one, other = random.sample(range(systems), 2)
            gap = one - other + random.gauss(0, 2)
            ones.append(item * systems + one)
            others.append(item * systems + other)
            outcomes.append(TIE if abs(gap) < 1 else A if gap > 0 else B)
    return Played(
        np.repeat(np.arange(items), systems),
        np.array([f"s{system}" for system in range(systems)] * items),
        *map(np.array, (ones, others, outcomes)),
    )


def test_the_ratings_are_those_of_rate_and_draws_are_paired() -> None:
    played = games(Random(1))
    rows = [
        {"a": str(played.systems[one]), "b": str(played.systems[other]), "outcome": OUTCOMES[outcome]}
        for one, other, outcome in zip(played.ones, played.others, played.outcomes, strict=True)
    ]
    known = {row["player"]: row["rating"] for row in ng.rate(rows).to_dict()["ratings"]}
    weights = measures.draws(played.items[played.ones])[:20]
    found = measures.ratings(played, played.people, weights)
    assert found[0] == pytest.approx([known[name] for name in sorted(known)], abs=1e-6)
    assert (weights.sum(axis=1) == len(set(played.clusters))).all()
    again = measures.ratings(played, played.people, weights)
    assert np.array_equal(found, again) and measures.spearman(found, again) == pytest.approx(np.ones(20))
    other = np.random.default_rng(1).normal(size=found.shape)
    expected = [spearmanr(one, two).statistic for one, two in zip(found, other, strict=True)]
    assert measures.spearman(found, other) == pytest.approx(expected)


def test_a_band_of_ties_never_sees_the_games_it_decides() -> None:
    played = games(Random(2), items=60)
    values = np.array([int(name[1:]) for name in played.systems]) + np.random.default_rng(3).normal(size=300)
    folds = played.items % 5
    said = measures.by_difference(played, values, folds)
    own = folds[played.ones] == 0
    changed = replace(played, outcomes=np.where(own, TIE, played.outcomes))
    other = measures.by_difference(changed, values, folds)
    assert (said.outcomes[own] == other.outcomes[own]).all()
    assert (said.outcomes[~own] != other.outcomes[~own]).any()


SYSTEMS = ("adapt", "gong", "chen", "forge1", "dangnt", "forge3")  # the groups one after the other


def write_judgements(folder: Path) -> list[dict[str, Any]]:
    """Systems of which the later ones are better, five of them judged together; one judge writes 111111."""
    random = Random(4)
    rows = [
        {
            "item": f"i{item}",
            "system": system,
            "references": [f"text {item}"],
            "hypothesis": f"text {item} {system}",
        }
        for item in range(60)
        for system in SYSTEMS
    ]
    for row in rows:
        if row["system"] in ("adapt", "chen", "dangnt") and random.random() < 0.5:
            row["hypothesis"] = f"{row['item']} same"
    with gzip.open(folder / FLAT, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    with gzip.open(folder / SETS, "wt", encoding="utf-8") as file:
        for item in range(60):
            for judge in range(2):
                shown = random.sample(SYSTEMS, 5)
                scores = [float(round(SYSTEMS.index(name) + random.gauss(0, 1.5))) for name in shown]
                if item == judge == 0:
                    scores[0] = 111111.0
                about = {"dataset": "e2e17/quality", "item": f"i{item}", "judge": judge}
                file.write(json.dumps({**about, "systems": shown, "ratings": {"quality": scores}}) + "\n")
    return rows


def write_folds(folder: Path, rows: list[dict[str, Any]]) -> None:
    """The full comparator knows the systems, one without people's preferences has them the wrong way round."""
    random = np.random.default_rng(5)

    def keep(name: str, own: list[dict[str, Any]], sign: float) -> None:
        strengths = [sign * SYSTEMS.index(row["system"]) + random.normal() for row in own]
        np.savez_compressed(
            folder / f"{name}.npz",
            made=np.column_stack([strengths, np.zeros(len(own))]),
            items=[row["item"] for row in own],
            systems=[row["system"] for row in own],
        )

    for number in range(5):
        own = [row for row in rows if fold(row["item"], 5) == number]
        keep(f"full-quality-{number}", own, 1.0)
        if number in (1, 3):
            keep(f"no-human-quality-{number}", own, -1.0)
    for number in range(3):
        keep(f"systems-quality-{number}", [row for row in rows if fold("s" + row["system"], 3) == number], 1.0)


def test_all_tables_of_folds_that_were_learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "DRAWS", 40)
    monkeypatch.setattr(tables, "METRICS", {"chrF": "chrf"})
    write_folds(tmp_path, write_judgements(tmp_path))
    found = tables.rounded(tables.e2e(tmp_path, tmp_path / "cache", tmp_path))
    assert list(found) == ["quality"]  # of the other criterion nothing was learnt
    quality = found["quality"]
    assert (quality["games"], quality["items"]) == (60 * 2 * 10, 60)
    ours, chrf = quality["accuracy"]["comparator"], quality["accuracy"]["chrF"]
    assert ours["tie_free"]["estimate"] > chrf["tie_free"]["estimate"] and chrf["tie_free_lead"]["p"] < 0.01
    assert quality["systems"]["comparator"]["ratings"]["estimate"] == 1
    assert quality["systems"]["people"]["within"]["estimate"] == 1
    assert quality["systems"]["people"]["raw"]["estimate"] < 1  # by one score that is no score
    assert quality["ablations"]["folds"] == [1, 3]
    assert quality["ablations"]["systems"]["no-human"]["ratings_lead"]["estimate"] > 1.5
    held = quality["systems held out"]
    assert held["games_within_groups"] < held["games"] == 60 * 2 * 10
    assert held["systems"][tables.HELD]["groups"]["estimate"] == 1
    for path in sorted(tmp_path.glob("full-*")):
        path.rename(path.with_name(path.name.replace("full", "plain")))
    trial = tables.rounded(tables.e2e(tmp_path, tmp_path / "cache", tmp_path, ours="plain"))["quality"]
    assert trial["accuracy"] == quality["accuracy"] and "ablations" not in trial
    shown = dict(tables.tables(found))
    assert "| weak supervision | – |" in shown["quality, ablations"]
    assert len(shown) == 5 and all(table.count("\n") >= 2 for table in shown.values())


def longer_wins(ones: Sequence[Written], others: Sequence[Written]) -> Array:
    """The longer text is better; a tie where lengths differ by one letter."""
    gaps = np.array([len(left.text) - len(right.text) for left, right in zip(ones, others, strict=True)])
    return softmax(np.column_stack([gaps, -gaps, np.full(len(gaps), 1.5)]))


def test_a_comparator_on_pairs_with_several_votes(tmp_path: Path) -> None:
    pairs = [
        ("a b c", "a", ["a", "a", "b"]),
        ("a", "ab", ["tie", "tie", "b"]),
        ("a", "bbb ccc", ["a", "b", "tie"]),
    ]
    with (tmp_path / "pairs.jsonl").open("w", encoding="utf-8") as file:
        for item, (one, other, votes) in enumerate(pairs):
            row = {"item": str(item), "source": "write", "hypothesis_a": one, "hypothesis_b": other}
            file.write(json.dumps({**row, "ratings": {"preference": votes}}) + "\n")
    found = tables.transferred(tmp_path / "pairs.jsonl", longer_wins)
    assert (found["pairs"], found["votes"], found["majority_pairs"]) == (3, 9, 2)
    assert found["each vote"]["comparator"]["three_way"]["estimate"] == pytest.approx(5 / 9)
    assert found["each vote"]["comparator"]["tie_free"]["estimate"] == pytest.approx(4 / 6)
    assert found["majority"]["comparator"]["three_way"]["estimate"] == 1
    assert found["each vote"]["two people"]["three_way"]["estimate"] == pytest.approx(2 / 9)


def test_the_tables_of_the_page_are_the_tools() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = dict(tables.tables(tables.kept(KEPT)))
    assert len(shown) >= 5
    assert [title for title, table in shown.items() if table not in page] == []
    assert page.count("\n|---|--:|--:|") == len(shown)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_bleu_and_people_have_the_figures_of_the_page(criterion: str, shared: Path, tmp_path: Path) -> None:
    kept = tables.kept(KEPT)[criterion]
    played, rows = tables.judged(shared / "data", criterion)
    folds = np.array([fold(row["item"], 5) for row in rows])
    assert len(played) == kept["games"]
    bleu = measures.by_difference(played, scored(parse("sentbleu"), rows, tmp_path), folds)
    sums = measures.hits(played.outcomes, bleu).sum(axis=0)
    accuracy, systems = kept["accuracy"], kept["systems"]
    assert measures.three_way(sums) == pytest.approx(accuracy["BLEU"]["three_way"]["estimate"], abs=1e-6)
    assert measures.tie_free(sums) == pytest.approx(accuracy["BLEU"]["tie_free"]["estimate"], abs=1e-6)
    assert np.mean(played.outcomes == TIE) == pytest.approx(accuracy[tables.NEVER]["three_way"]["estimate"], abs=1e-6)
    weights = measures.draws(played.items[played.ones])[:1]
    people = measures.ratings(played, played.people, weights)
    by_bleu = measures.spearman(measures.ratings(played, bleu, weights), people)
    shown = systems["BLEU"]["ratings"]
    if shown is None:  # its band makes ties of all games
        assert np.isnan(by_bleu[0])
    else:
        assert by_bleu[0] == pytest.approx(shown["estimate"], abs=1e-6)
    for name, values in measures.means(played, weights).items():
        assert measures.spearman(people, values)[0] == pytest.approx(systems["people"][name]["estimate"], abs=1e-6)
