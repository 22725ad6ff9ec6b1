"""Half a surrogate pair, which JSON may hold, stops no tokeniser and no model."""

from __future__ import annotations

import pytest

import nlgauge as ng
from nlgauge.errors import NlgaugeError
from nlgauge.text.categories import encodable
from nlgauge.types import EvaluationSet


def test_only_halves_are_replaced() -> None:
    assert encodable("a\ud800b 😀 é") == "a\ufffdb 😀 é"


@pytest.mark.parametrize("spec", ["sentbleu(tok=ja)", "sentbleu(tok=ko)", "sim(model=use)", "spice"])
def test_a_half_pair_is_scored_like_the_sign_for_what_cannot_be_read(spec: str) -> None:
    def scored(text: str) -> float:
        try:
            return ng.score(EvaluationSet.of({"a": [text, "x y"]}, [["abc def ghi"], ["x y"]]), spec).scores[0].value
        except NlgaugeError as error:  # a tokeniser or model that is not installed here
            pytest.skip(str(error))

    assert scored("abc \udc00 def") == pytest.approx(scored("abc \ufffd def"), abs=1e-6)
