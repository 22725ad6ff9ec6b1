"""Metrics by the names people give them."""

import pytest

from nlgauge.errors import SpecError
from nlgauge.metrics.registry import ALIASES, names
from nlgauge.metrics.spec import ABSENT, SPELLINGS, folded, parse, resolve


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("BLEU", "bleu"),
        ("Bleu(tok=intl)", "bleu(tok=intl)"),
        ("BLEU-4", "bleu"),
        ("bleu_1", "bleu@1"),
        ("sacreBLEU", "bleu"),
        ("Sentence-BLEU", "sentbleu"),
        ("chrF++", "chrf++"),
        ("chrF2++", "chrf++"),
        ("chrF2", "chrf"),
        ("rouge1", "rouge@1"),
        ("ROUGE-2.r", "rouge@2.r"),
        ("rouge-l", "rougeL"),
        ("ROUGE-Lsum", "rougeLsum"),
        ("rouge_l(stem=porter)", "rougeL(stem=porter)"),
        ("ROUGE-SU4", "rougeSU@4"),
        ("BERTScore", "bertscore"),
        ("bert-score", "bertscore"),
        ("meteor-u", "meteor-universal"),
        ("CIDEr-D", "ciderD"),
        ("YiSi-1", "yisi1"),
        ("dist-2", "distinct@2"),
        ("self-BLEU", "selfbleu"),
        ("TER", "ter"),
    ],
)
def test_usual_spellings_are_read_as_the_canonical_spec(given: str, canonical: str) -> None:
    assert parse(given) == parse(canonical)


def test_no_two_names_fold_into_one() -> None:
    known = [*names(), *ALIASES]
    assert len({folded(name) for name in known}) == len(known)
    assert not {folded(name) for name in known} & (SPELLINGS.keys() | ABSENT.keys())
    assert all(resolve(spelling) == (target, None) for spelling, target in SPELLINGS.items())


@pytest.mark.parametrize("name", ["CometKiwi", "xCOMET", "metricx", "mauve", "BARTScore", "G-Eval"])
def test_a_metric_that_is_not_here_is_called_so_and_never_mistaken_for_another(name: str) -> None:
    with pytest.raises(SpecError, match="nlgauge does not have") as refused:
        parse(name)
    assert "did you mean" not in str(refused.value) and "not installed" not in str(refused.value)


def test_a_metric_that_has_to_be_trained_says_how() -> None:
    with pytest.raises(SpecError, match="nlgauge train --recipe ruber"):
        parse("RUBER")


def test_the_nearest_of_ours_exist() -> None:
    for _, what, nearest in ABSENT.values():
        assert what
        assert any(word.strip(",.()") in names() for word in nearest.split()) or "run-judge" in nearest


def test_an_order_in_the_name_and_after_the_sign_is_refused() -> None:
    with pytest.raises(SpecError, match="given twice"):
        parse("rouge1@2")


def test_a_form_of_a_metric_is_told_by_its_model() -> None:
    with pytest.raises(SpecError, match=r"nubia\(model=nubia-light\)"):
        parse("nubia-light")
