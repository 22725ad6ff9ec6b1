from nlgauge.metrics.spec import parse


def test_by_hand() -> None:
    assert parse("length").corpus(["One two, three.", ""]) == 5 / 2  # the marks are words of their own
    assert parse("length(tok=none)").corpus(["one two, three."]) == 3
    assert list(parse("length(unit=characters)").segments(["a b", "é"])) == [3.0, 1.0]
