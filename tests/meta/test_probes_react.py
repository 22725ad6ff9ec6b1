"""How metrics react: figures against plain computations, known metrics against what is known of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats as scipy_stats

import nlgauge as ng
from nlgauge.errors import InputError
from nlgauge.meta.probes import figures
from nlgauge.meta.probes.perturbations import chosen
from nlgauge.meta.probes.react import good_texts, probe
from nlgauge.metrics import registry
from nlgauge.metrics.base import Array, Direction, Metric
from nlgauge.metrics.spec import parse
from nlgauge.report.probes import legend, texts

TEXTS = [
    "The council opened a big shop in Berlin in 1982. It is cheap and often full.",
    "She wrote the book in Oslo with 3 friends. They didn't like the film.",
    "The dog chased the cat in the garden. Perhaps it was happy.",
    "He always buys 12 red apples in Turin. The road is long.",
]


def a_set(references: list[list[str]] | None = None, **systems: list[str]) -> ng.EvaluationSet:
    return ng.EvaluationSet.of(systems or {"s": TEXTS}, references or [[text] for text in TEXTS])


@dataclass(frozen=True)
class Fixed(Metric):
    """The length of the output in words, or a constant: reactions that can be foretold."""

    name: ClassVar[str] = "fixed"
    constant: ClassVar[bool] = False
    broken: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:
        return ("length", "segments")

    def rows(self, batch: object) -> Array:
        lengths = [1.0 if self.constant else float(len(text.split())) for text in batch.hypotheses]  # type: ignore[attr-defined]
        if self.broken:
            lengths[0] = math.nan
        return np.stack([lengths, np.ones(len(lengths))], axis=1)

    def score(self, totals: Array) -> Array:
        return np.asarray(totals[..., 0] / totals[..., 1])


class Lower(Fixed):
    direction: ClassVar[Direction] = "lower"


class Constant(Fixed):
    constant: ClassVar[bool] = True


class Broken(Fixed):
    broken: ClassVar[bool] = True


def test_auc_is_the_mann_whitney_statistic_and_its_limits_cover() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.integers(0, 9, 40).astype(float), generator.integers(0, 9, 40).astype(float)
    by_hand = np.mean((a[:, None] > b) + 0.5 * (a[:, None] == b))
    result = figures.auc(a, b, level=0.95)
    assert result.estimate == pytest.approx(by_hand, abs=1e-12)
    assert result.estimate == pytest.approx(scipy_stats.mannwhitneyu(a, b).statistic / 1600, abs=1e-12)
    assert result.low < result.estimate < result.high


def test_auc_limits_cover_with_paired_texts() -> None:
    """1,000 samples of 60 correlated pairs; true AUC of normals that differ by 0.5 with variance 1: Φ(0.5/√2)."""
    generator = np.random.default_rng(11)
    truth = scipy_stats.norm.cdf(0.5 / math.sqrt(2))
    covered = 0
    for _ in range(1000):
        shared = generator.normal(size=60) * math.sqrt(0.8)
        a, b = (shared + generator.normal(size=60) * math.sqrt(0.2) for _ in range(2))
        result = figures.auc(a + 0.5, b, level=0.95)
        covered += result.low <= truth <= result.high
    assert 925 <= covered <= 970  # binomial noise of 95 % at 1,000: ± 1.4 points


def test_auc_without_overlap_has_no_limits() -> None:
    result = figures.auc(np.array([3.0, 4.0]), np.array([1.0, 2.0]), level=0.95)
    assert result.estimate == 1
    assert math.isnan(result.low)


def test_share_and_sign_test_are_exact() -> None:
    for count, n in ((0, 12), (3, 12), (12, 12), (31, 60)):
        ours = figures.share(count, n, level=0.95)
        theirs = scipy_stats.binomtest(count, n).proportion_ci(method="exact")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        assert figures.sign_test(count, n - count) == pytest.approx(scipy_stats.binomtest(count, n).pvalue, rel=1e-9)
    assert figures.sign_test(0, 0) == 1
    assert math.isnan(figures.share(0, 0, level=0.95).estimate)


def test_kendall_by_rows_is_scipys() -> None:
    generator = np.random.default_rng(2)
    doses = np.sort(generator.integers(0, 4, (200, 5)), axis=1).astype(float)
    losses = generator.integers(0, 4, (200, 5)).astype(float)
    ours = figures.kendall_rows(doses, losses)
    theirs = np.array([scipy_stats.kendalltau(d, s).statistic for d, s in zip(doses, losses, strict=True)])
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_monotone_rows() -> None:
    doses = np.tile([0.0, 0.5, 1.0], (4, 1))
    losses = np.array([[0.0, 1, 2], [0, 0, 1], [0, 2, 1], [0, 0, 0]])
    assert figures.monotone_rows(doses, losses).tolist() == [True, True, False, False]


def test_effect_is_mean_by_standard_deviation() -> None:
    losses = np.array([1.0, 2.0, 4.0, 3.5])
    totals = np.array([losses.sum(), (losses**2).sum(), len(losses)])
    assert figures.effect_of(totals) == pytest.approx(losses.mean() / losses.std(ddof=1), abs=1e-12)
    same = np.array([6.0, 12.0, 3.0])  # 2, 2, 2
    assert math.isnan(figures.effect_of(same))


def test_a_foreseeable_metric_reacts_as_foreseen() -> None:
    result = probe(a_set(), [Fixed()], chosen(["drop", "repeat", "case"]), severities=[0.5, 1.0])
    dropped = result.curve("fixed", "drop")
    lengths = [len(text.split()) for text in TEXTS]
    assert dropped[1].clean == pytest.approx(np.mean(lengths))
    assert dropped[1].perturbed == 1
    assert dropped[1].loss.estimate == pytest.approx(np.mean(lengths) - 1)
    assert dropped[1].worse.estimate == 1
    assert dropped[1].auc.estimate == 1
    steady = result.steadiness("fixed", "drop")
    assert steady is not None
    assert (steady.tau.estimate, steady.monotone.estimate, steady.unmoved) == (1, 1, 0)
    case = result.curve("fixed", "case")[1]
    assert (case.loss.estimate, case.worse.estimate, case.better) == (0, 0, 0)
    assert case.auc.estimate == 0.5


def test_lower_is_better_turns_the_loss_round() -> None:
    up = probe(a_set(), [Fixed()], chosen(["drop", "repeat"]))
    down = probe(a_set(), [Lower()], chosen(["drop", "repeat"]))
    for a, b in zip(up.reactions, down.reactions, strict=True):
        assert a.loss.estimate == -b.loss.estimate
        assert a.auc.estimate == pytest.approx(1 - b.auc.estimate)
        assert a.worse.estimate == b.better
    assert down.curve("fixed", "repeat")[0].worse.estimate == 1


def test_a_constant_metric_is_called_unmoved_not_robust() -> None:
    result = probe(a_set(), [Constant()])
    for row in result.monotonicity:
        assert row.unmoved == row.n
        assert row.tau.estimate == 0
        assert row.monotone.estimate == 0
    assert math.isnan(result.false_alarms[0].ratio.estimate)
    assert result.false_alarms[0].prefers.estimate == 0.5
    assert "does not fall under changes of meaning" in str(result)


def test_scores_that_are_missing_are_left_out_and_counted() -> None:
    result = probe(a_set(), [Broken()], chosen(["drop"]), severities=[1.0])
    assert result.reactions[0].n == len(TEXTS) - 1
    assert any("have no score" in note for note in result.notes)


def test_references_rotate_and_the_others_judge() -> None:
    references = [["a b", "c d", "e f"], ["g h", "i j"], ["k l"], ["m n", "o p"]]
    column, notes = good_texts(a_set(references), [parse("chrf")], on="references", texts=10)
    assert column.hypotheses == ["a b", "i j", "k l", "o p"]
    assert [list(refs) for refs in column.references] == [["c d", "e f"], ["g h"], ["k l"], ["m n"]]
    assert "1 of 4 texts are judged by themselves" in notes[0]


def test_a_systems_outputs_are_judged_by_all_references() -> None:
    data = a_set([["x y", "z"]] * 4, good=TEXTS, other=["", "b", "c", "d"])
    column, notes = good_texts(data, [parse("bleu")], on="good", texts=2)
    assert column.hypotheses == [TEXTS[0], TEXTS[2]]
    assert column.references == [("x y", "z"), ("x y", "z")]
    assert "2 of 4 texts were probed" in notes[0]
    column, notes = good_texts(data, [parse("bleu")], on="other", texts=10)
    assert column.hypotheses == ["b", "c", "d"]
    assert notes == ["1 empty texts left out"]


def test_items_with_the_same_references_count_once() -> None:
    data = a_set([["a b"], ["c d"], ["a b"], ["e f"]])
    column, notes = good_texts(data, [parse("bleu")], on="references", texts=10)
    assert column.hypotheses == ["a b", "c d", "e f"]
    assert "1 items with the references and source of another left out" in notes


def test_a_metric_that_rewards_damage_is_named() -> None:
    many = [f"{text} {number}" for text in TEXTS for number in range(8)]
    found = probe(a_set([[text] for text in many], s=many), [Fixed()], chosen(["drop", "repeat", "case"]))
    assert "scores better the more there is of repeat" in str(found)


def test_few_texts_get_no_bootstrap_interval_and_are_marked() -> None:
    found = probe(a_set(), [parse("chrf")], chosen(["drop", "synonym", "case"]))
    assert all(math.isnan(row.loss.low) and math.isnan(row.auc.low) for row in found.reactions)
    assert texts(found.coverage[0]).endswith(" (few)")
    assert "fewer than 20 texts" in legend(found)


def test_the_ratio_without_case_and_punctuation_is_said() -> None:
    found = probe(a_set(), [parse("chrf")], chosen(["drop", "synonym", "case"]))
    without = probe(a_set(), [parse("chrf")], chosen(["drop", "synonym"]))
    assert found.false_alarms[0].wording.estimate == pytest.approx(without.false_alarms[0].ratio.estimate)
    assert "without case and punctuation" in str(found)
    assert "without case and punctuation" not in str(without)


def test_rows_stand_in_one_order_everywhere() -> None:
    found = probe(a_set(), [parse("chrf")], chosen(["swap", "drop", "case"]))
    assert [row.meaning for row in found.rows] == ["preserved", "changed", "damaged"]


def test_perturbations_that_find_nothing_are_said_and_not_counted() -> None:
    data = a_set([["rain"], ["wind"]], s=["rain", "wind"])
    result = probe(data, [parse("chrf")], chosen(["passive", "number", "case"]))
    assert [entry.applied for entry in result.coverage] == [0, 0, 2]
    assert {row.perturbation for row in result.reactions} == {"case"}
    assert "Nothing is known about passive and number" in str(result)
    nothing = probe(data, [parse("chrf")], chosen(["passive"]))
    assert nothing.reactions == ()
    assert nothing.to_dict()["reactions"] == []


def test_refusals() -> None:
    with pytest.raises(InputError, match="no system 'nobody'"):
        probe(a_set(), [parse("bleu")], on="nobody")
    with pytest.raises(InputError, match="at least 1"):
        probe(a_set(), [parse("bleu")], texts=0)
    with pytest.raises(InputError, match="between 0 and 1"):
        probe(a_set(), [parse("bleu")], level=95)
    with pytest.raises(InputError, match="no references to perturb"):
        probe(ng.EvaluationSet.of({"s": ["a"]}, [[]]), [parse("bleu")])
    with pytest.raises(InputError, match="nothing to perturb"):
        probe(a_set([["a"]], s=[" "]), [parse("bleu")], on="s")


def test_one_text_gives_figures_without_limits() -> None:
    result = probe(a_set([[TEXTS[0]]], s=[TEXTS[0]]), [parse("chrf")], chosen(["drop"]))
    assert math.isnan(result.reactions[0].loss.low)
    assert result.reactions[0].worse.low > 0


def test_a_metric_of_tables_can_be_probed() -> None:
    tables = [[["text", text]] for text in TEXTS]
    data = ng.EvaluationSet.of({"s": TEXTS}, [[text, text + " Yes."] for text in TEXTS], tables)
    dropped = probe(data, [parse("parent")], trials=20).curve("parent", "drop")[-1]
    assert dropped.loss.estimate > 0


READ_TABLES = ("parent", "conformity")  # a text is no source to them


@pytest.mark.parametrize("name", [name for name in registry.names() if name not in READ_TABLES])
def test_every_registered_metric_can_be_probed(name: str) -> None:
    metric = parse(name)
    if "outputs" in metric.needs or not metric.additive:
        pytest.skip("judges no output by itself, or none by how true it is")
    rows = [
        {
            "item": number,
            "system": "s",
            "hypothesis": text,
            "references": [text, text + " Yes."],
            "source": text,
            "reference_weights": [1, 0.5],
            "post_edits": [text],
        }
        for number, text in enumerate(TEXTS)
    ]
    alone = {"reference_weights", "post_edits"} & set(metric.needs)
    if alone:
        with pytest.raises(InputError, match="cannot judge references by each other"):
            probe(ng.load(rows), [metric], trials=20)
    result = probe(ng.load(rows), [metric], trials=20, on="s" if alone else "references")
    assert len({row.perturbation for row in result.reactions}) >= 12
    dropped = result.curve(str(metric), "drop")[-1]
    assert dropped.loss.estimate > 0, "a text of which one word is left must be judged worse"


def test_known_weaknesses_are_found() -> None:
    """WER without a rule for case is alarmed by it; unigram ROUGE does not see word order."""
    result = probe(a_set(), [parse("wer"), parse("wer(lower=yes)"), parse("rouge@1")], chosen(["case", "swap", "drop"]))
    assert result.curve("wer", "case")[0].worse.estimate == 1
    assert result.curve("wer(lower=yes)", "case")[-1].worse.estimate == 0
    assert result.curve("rouge@1", "swap")[-1].worse.estimate == 0
    assert result.curve("rouge@1", "drop")[0].worse.estimate == 1


def test_the_same_seed_gives_the_same_result() -> None:
    runs = [probe(a_set(), [parse("chrf")], seed=seed).to_dict() for seed in (3, 3, 4)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
