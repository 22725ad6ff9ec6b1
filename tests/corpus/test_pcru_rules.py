"""pCRU's rule files: what they hold, how they are written again, and where faults stand."""

from __future__ import annotations

import pytest

from nlgauge.corpus.pcru.rules import Relation, parse_rules
from nlgauge.corpus.pcru.wind import wind_rules
from nlgauge.errors import InputError

RULES = """\
input first turned   # a comment
weights anna ben
$dir = N NE E
$low = number

first($dir, $low)
  -> [1 2] $dir $low
turned(back, $dir)
  -> [3 0] link() backing $dir
  -> [1 0]
turned(veer, $dir)
  -> [1 1] link() veering $dir
link()
  -> [1 1] then
"""


def test_alternatives_and_probabilities() -> None:
    base = parse_rules(RULES, "r")
    rules, values = base.alternatives(Relation("turned", ("back", "NE")))
    assert [rule.spelled() for rule in rules] == ["link() backing $dir", ""] and values["$dir"] == "NE"
    assert [base.chances("anna")[rule.number] for rule in rules] == [0.75, 0.25]
    assert [base.chances("ben")[rule.number] for rule in rules] == [0.5, 0.5]  # never seen: alike


def test_written_rules_are_read_again() -> None:
    for base in (parse_rules(RULES, "r"), wind_rules()):
        again = parse_rules(base.written(), "r")
        assert [(rule.head, rule.body, rule.weights) for rule in again.rules] == [
            (rule.head, rule.body, rule.weights) for rule in base.rules
        ]
        assert (again.inputs, again.columns, dict(again.domains)) == (
            base.inputs,
            base.columns,
            dict(base.domains),
        )


def test_weights_must_be_there_and_named() -> None:
    plain = parse_rules("input a\na()\n  -> x\n", "r")
    with pytest.raises(InputError, match="no weights; train them first"):
        plain.chances()
    with pytest.raises(InputError, match="weights of anna, ben; name one"):
        parse_rules(RULES, "r").chances()
    with pytest.raises(InputError, match=r"'ana'.*anna"):
        parse_rules(RULES, "r").chances("ana")


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("link() backing", "lnk() backing", "line 9, column 12", "lnk() has no rules"),
        ("link() backing", "link($dir) backing", "line 9, column 12", "differ in their number of arguments"),
        ("backing $dir", "backing $low", "line 9, column 27", "$low is no argument of turned(back, $dir)"),
        ("backing $dir", "back(ing $dir", "line 9, column 19", "neither a word nor a relation"),
        ("[3 0]", "[3]", "line 9, column 3", "1 weights, but the line `weights` names 2"),
        ("[3 0]", "[3 -1]", "line 9, column 9", "the weight -1 is no number"),
        ("turned(veer, $dir)", "turned($dir, $dir)", "line 11, column 1", "fit the same arguments"),
        ("turned(veer, $dir)", "turned(back, $dir)", "line 11, column 1", "in line 8 already"),
        ("link()\n", "link(x)\n", "line 9, column 12", "differ in their number of arguments"),
        ("turned(veer, $dir)", "turned(veer, d r)", "line 11, column 1", "'d r' in turned(veer, d r)"),
        ("turned(veer, $dir)", " turned(veer, $dir)", "line 11, column 2", "expected a relation"),
        ("$low = number", "$low =", "line 4, column 6", "$low has no values"),
        ("$low = number\n", "", "line 5, column 1", "$low has no values; add a line"),
        ("input first turned", "input first tuned", "line 1, column 13", "tuned has no rules"),
        ("input first turned", "input first", "line 8, column 1", "never used"),
        ("[1 1] then", "[1 1] link()", "line 14, column 12", "leads back to link"),
        ("link()\n  -> [1 1] then\n", "link()\n", "line 13, column 1", "no alternative"),
        ("first($dir, $low)\n", "", "line 6, column 3", "an alternative without a relation"),
        ("link()\n  -> [1 1] then", "weights c", "line 13, column 1", "must stand before all rules"),
        ("input first turned", "", "line 1, column 1", "no line `input`"),
    ],
)
def test_faults_have_line_and_column(old: str, new: str, place: str, said: str) -> None:
    assert old in RULES
    with pytest.raises(InputError) as caught:
        parse_rules(RULES.replace(old, new, 1), "my.pcru")
    assert str(caught.value).startswith(f"my.pcru, {place}: ") and said in str(caught.value)
