"""Pieces of texts, and texts of pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.text.pieces import JOINED, SPACE, joined, pieces


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Rossi: "no" al piano', ["Rossi", "￭:", '"￭', "no", '￭"', "al", "piano"]),
        ("l'uomo di 3,5 metri...", ["l", "￭'￭", "uomo", "di", "3", "￭,￭", "5", "metri", "￭.", "￭.", "￭."]),
        ("Путин: «да»", ["Путин", "￭:", "«￭", "да", "￭»"]),
        ("市长辞职 2026年", ["市", "长", "辞", "职", "2026", "￭年"]),
        ("市长 辞职，抗议", ["市", "长", "▁", "辞", "职", "￭，￭", "抗", "议"]),
        ("मोदी की यात्रा", ["मोदी", "की", "यात्रा"]),
        ("", []),
    ],
)
def test_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected
    assert joined(expected) == text


@given(st.text(alphabet=st.sampled_from("aé1 ,.\"'中市я-_\n—ा"), max_size=24) | st.text(max_size=12))
def test_a_text_comes_back_but_for_white_space(text: str) -> None:
    plain = text.replace(JOINED, "").replace(SPACE, "")
    assert joined(pieces(text)) == " ".join(plain.split())


def test_pieces_in_any_order_make_a_text() -> None:
    assert joined(["￭:", "no", '"￭', "yes", "￭"]) == ': no "yes'
    assert joined(["￭"]) == ""
