"""The grammar: what parses, what is refused, and in which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge import receipt
from nlgauge.errors import SpecError
from nlgauge.metrics.bleu import Bleu
from nlgauge.metrics.spec import parse


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("bleu", "bleu"),
        (" bleu( tok = intl , smooth=exp ) ", "bleu(tok=intl)"),
        ("bleu(smooth=floor:0.1,lower=yes)", "bleu(lower=yes,smooth=floor:0.1)"),
        ("bleu@2", "bleu@2"),
        ("bleu(order=2)", "bleu@2"),
        ("chrf(word=2)", "chrf++"),
        ("chrf++(beta=1)", "chrf++(beta=1)"),
        ("rouge@2.f1", "rouge@2"),
        ("rouge@2.r", "rouge@2.r"),
        ("rougeL(stem=porter).p", "rougeL(stem=porter).p"),
        ('bleu(tok="13a")', "bleu"),
    ],
)
def test_canonical_spelling(given: str, canonical: str) -> None:
    assert str(parse(given)) == canonical
    assert parse(canonical) == parse(given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blue", "did you mean bleu"),
        ("", "not a metric spec"),
        ("bleu(", "expected key=value"),
        ("bleu(tok=13a", "not closed"),
        ("bleu(tok)", "expected key=value"),
        ("bleu(tok=)", "a value is missing"),
        ('bleu(tok="13a)', "not closed"),
        ("bleu(tokk=13a)", "did you mean tok"),
        ("bleu(tok=13a,tok=intl)", "given twice"),
        ("bleu(order=0)", "at least 1"),
        ("bleu(order=two)", "whole number"),
        ("bleu(lower=perhaps)", "yes or no"),
        ("bleu(tok=13b)", "13a"),
        ("bleu.f1", "one output only"),
        ("wer@2", "takes no @"),
        ("rouge@2.f2", "one of p, r, f1"),
        ("bleu tok", "cannot read"),
    ],
)
def test_refusals_say_what_to_do(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        parse(text)


@given(
    order=st.integers(1, 9),
    lower=st.booleans(),
    effective=st.booleans(),
    smooth=st.one_of(st.just("none"), st.floats(0, 10, allow_nan=False).map(lambda value: f"floor:{value!r}")),
)
def test_parse_inverts_str(order: int, lower: bool, effective: bool, smooth: str) -> None:
    metric = Bleu(order=order, lower=lower, effective=effective, smooth=smooth)
    assert parse(str(metric)) == metric
    assert parse(metric.full()) == metric


def test_receipts_read_back() -> None:
    metric = parse("bleu(tok=intl)@3")
    line = receipt.write(metric, {"n": 12, "refs": "1-3", "data": "0123456789ab", "seed": 7})
    facts = receipt.read(line)
    assert parse(facts["metric"]) == metric
    assert facts["n"] == "12" and facts["seed"] == "7"
    with pytest.raises(SpecError, match="names its metric"):
        receipt.read("nlgauge=1")
    with pytest.raises(SpecError, match="key=value"):
        receipt.read("nlgauge=1|rubbish")
