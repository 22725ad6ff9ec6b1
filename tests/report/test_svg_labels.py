"""Names in panels."""

import pytest

from nlgauge.report.svg import WIDTH, Panel, Row, text_width

LONG = "meteor-universal(lower=yes,tok=ptb)"


@pytest.mark.parametrize("labels", [["bleu", LONG], ["a", "b", "c", "d", "e", LONG], ["rougeL(stem=porter)"]])
def test_names_are_shown_whole(labels: list[str]) -> None:
    assert text_width(LONG) < WIDTH
    rows = [Row(label, 0.5, 0.4, 0.6, "0.500") for label in labels]
    drawing = Panel(rows, title="t", desc="d", axis="score").draw().body
    assert all(f">{label}</text>" in drawing for label in labels)
