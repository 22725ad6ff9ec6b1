"""Answerability and the Q-metrics: the four classes of words by hand, their mixture with other metrics, bad fields."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlgauge import receipt
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.featured import Featured
from nlgauge.learned.folder import About, keep
from nlgauge.learned.learners import Linear, Scale
from nlgauge.metrics.answerability import Answerability, QMetric
from nlgauge.metrics.spec import parse

ASKED = "Who was the director of Titanic?"  # question Who; function was, the, of; content director; entity Titanic
UNWEIGHTED = "answerability(content=1,entity=1,question=1,function=1)"


def one(spec: str, output: str, *references: str) -> float:
    return float(parse(spec).segments([output], [list(references or (ASKED,))])[0])


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (ASKED, 1.0),
        ("Titanic was the director of Who?", 1.0),  # a bag of words: the order is the other metric's part
        ("Who was the director of?", 0.4),
        ("was the director of Titanic?", 0.8),
        ("Who director Titanic", 0.9),
        ("Who was the of Titanic?", 0.9),
        ("Which actor directed Titanic in 1997?", 0.6),
        # P = .1 · 1/2 + .6 · 1/2 + .2 + .1 · 3/4 = .625, R = 1
        ("Who was the famous director of Titanic and Avatar?", 2 * 0.625 / 1.625),
        ("", 0.0),
        ("?", 0.0),
    ],
)
def test_by_hand(output: str, expected: float) -> None:
    assert one("answerability", output) == pytest.approx(expected)


def test_classes_that_neither_question_has_leave_their_weight_to_the_others() -> None:
    assert one("answerability", "Why?", "Why?") == 1
    assert one("answerability", "why", "Why?") == 1
    # question 1 of 1, content 1 of 2 and 1 of 1: P = (.2 + .05) / .3, R = 1
    assert one("answerability", "Why dogs bark", "Why bark") == pytest.approx(2 * (0.25 / 0.3) / (1 + 0.25 / 0.3))
    assert one("answerability(question=0)", "Why", "Why") == 0
    assert one("answerability", "", "") == 0


def test_words_of_other_scripts_and_names_of_them_count() -> None:
    # Париж has a capital, столица and Франции are a content word and a name
    assert one("answerability", "Париж столица", "Париж столица Франции") == pytest.approx(
        2 * 0.4 / 0.7 / (1 + 0.4 / 0.7)
    )
    assert one("answerability", "Où est l'Élysée ?", "Où est l’Élysée?") == 1


def test_counts_of_a_set_are_summed() -> None:
    metric = Answerability()
    outputs, references = [ASKED, "Who?"], [[ASKED], [ASKED]]
    assert list(metric.corpus_rows(outputs, references).sum(axis=0)) == [1, 1, 2, 1, 1, 2, 2, 2, 2, 3, 3, 6]
    # P = 1; R = .1 · 1/2 + .6 · 1/2 + .2 + .1 · 3/6 = .6
    assert metric.corpus(outputs, references) == pytest.approx(2 * 0.6 / 1.6)


def test_of_several_references_the_one_with_the_most_words_in_common_counts_whatever_the_weights() -> None:
    references = ["When did it rain?", ASKED, "Who was it?"]
    for spec in ("answerability", UNWEIGHTED, "answerability(entity=0)"):
        rows = parse(spec).corpus_rows(["Who was the director of Titanic"], [references])
        assert list(rows[0]) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3]
        assert parse(spec).rows_key() == parse("answerability").rows_key()


def test_entities_by_capitals_miss_lower_case_names_and_those_by_a_parser_need_no_capital() -> None:
    output, reference = (
        "In which year did the war against germany begin?",
        "When did the war against Germany begin?",
    )
    capitals = parse("answerability").corpus_rows([output], [[reference]])[0]
    assert list(capitals[3:6]) == [0, 0, 1]
    parser = parse("answerability(ner=spacy-en)")
    assert parser.model_fact.startswith("spacy-en@") and not parse("answerability").model_fact
    assert parser.corpus_rows([reference], [[reference]])[0, 3] == 1
    # a name at the beginning of a question is none because of its capital
    start = parse("answerability").corpus_rows(["Name a river"], [["Name a river"]])[0]
    assert start[3] == 1
    assert parser.corpus_rows(["Name a river"], [["Name a river"]])[0, 3] == 0


def test_a_q_metric_mixes_answerability_with_a_metric_on_a_scale_of_0_to_1() -> None:
    output = "Titanic was the director of Who?"
    for spec in ("qbleu", "qbleu1", "qmeteor", "qrouge"):
        metric = parse(spec)
        assert isinstance(metric, QMetric)
        base = metric.other.segments([output, ASKED], [[ASKED]] * 2) / metric.other.bounds[1]
        assert base[1] > 0.99 and (base[0] < base[1] or spec == "qbleu1")
        assert one(spec, output) == pytest.approx(0.7 + 0.3 * base[0])
        assert one(spec, ASKED) == pytest.approx(0.7 + 0.3 * base[1])
        assert str(metric) == spec
    assert one("qbleu(delta=1)", "Who was the director of?") == pytest.approx(0.4)
    # ROUGE-L of director of titanic, 3 of 5 and 3 of 6
    assert one("qrouge(delta=0)", "a director of the Titanic") == pytest.approx(2 * 0.6 * 0.5 / 1.1)


def test_nist_is_measured_by_what_the_reference_itself_would_get() -> None:
    outputs = ["Who was the director of Avatar?", "Where is the river Loire?", "When did it rain?"]
    references = [[ASKED], ["Where is the river Loire?"], ["Why did it rain yesterday?"]]
    nist = parse("nist(lower=yes)")
    corpus = [Batch(outputs, references)]
    fitted = nist.prepare(corpus)
    mine = nist.score(fitted.rows(Batch(outputs, references)))
    theirs = nist.score(fitted.rows(Batch([texts[0] for texts in references], references)))
    share = np.minimum(mine / theirs, 1)
    found = parse("qnist(delta=0)").segments(outputs, references)
    assert found == pytest.approx(share) and found[1] == 1 and 0 < found[0] < 1
    with pytest.raises(InputError, match="call prepare"):
        parse("qnist").rows(Batch(outputs, references))


def test_names_of_the_paper_lead_to_the_metrics() -> None:
    assert parse("Q-BLEU4") == parse("qbleu") == parse("q_bleu")
    assert parse("Q-BLEU1") == parse('qmetric(base="bleu(lower=yes,effective=yes)@1")') == parse("qbleu1")
    assert parse("Q-METEOR") == parse("qmeteor") and parse("Q-ROUGE-L") == parse("qrouge")
    assert parse('qmetric(base="rougeL")') == parse("qrouge")


def test_fields_that_mean_nothing_are_refused() -> None:
    with pytest.raises(SpecError, match="content, entity, question, function of answerability are all 0"):
        parse("answerability(content=0,entity=0,question=0,function=0)")
    for base in ("ter", "distinct", "bertscore", "blue"):
        with pytest.raises(SpecError, match="base of qmetric must be"):
            parse(f"qmetric(base={base})")
    with pytest.raises(SpecError, match="ner of answerability must be capitals, or a parser"):
        parse("answerability(ner=bertscore)")


def test_explanations_tell_the_classes_and_the_other_metric() -> None:
    told = parse("answerability").explain("Who was the director of?", [ASKED])
    assert [(figure.name, figure.value) for figure in told.figures] == [
        ("content words", 1),
        ("entity words", 0),
        ("question words", 1),
        ("function words", 3),
        ("answerability", pytest.approx(0.4)),
    ]
    mixed = parse("qbleu").explain("Who was the director of?", [ASKED])
    assert mixed.score == pytest.approx(one("qbleu", "Who was the director of?"))
    assert mixed.parts


def test_a_trained_base_is_named_in_the_receipt_and_one_without_a_lowest_score_refused(
    tmp_path: Path,
) -> None:
    form = Featured((parse("chrf"),), Scale(np.zeros(1), np.ones(1)), Linear(np.array([0.01]), 0.0))
    about = About("part", "features", form.settings(), clipped=True)
    keep(tmp_path / "kept", about, form, card="", recipe={})
    line = receipt.write(QMetric(base=f'trained(model="{tmp_path / "kept"}")'), {})
    assert "|model=part:" in line
    with pytest.raises(SpecError, match="has a lowest score"):
        QMetric(base="nlgauge-mt")
