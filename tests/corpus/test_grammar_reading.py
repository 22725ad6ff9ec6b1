"""Grammar files: what they mean, and how mistakes are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.corpus.grammar import Tables, compiling, find, parsed, read
from nlgauge.corpus.grammar.checking import check
from nlgauge.corpus.grammar.parsing import parse
from nlgauge.corpus.grammar.rules import LONGEST, WordPattern
from nlgauge.errors import InputError


def accepts(rules: str, *texts: str) -> list[bool]:
    tables = Tables(parsed(rules))
    return [parse(tables, text.split()).grammatical for text in texts]


def test_options_repetitions_and_groups() -> None:
    assert accepts('S = "a"? "b" ;', "b", "a b", "a a b", "a") == [True, True, False, False]
    assert accepts('S = "a"* "b"+ ;', "b", "a a b b", "a", "") == [True, True, False, False]
    assert accepts('S = ("a" | "b" "c")* ;', "", "a b c a", "b") == [True, True, False]
    assert accepts('S = "two words" ;', "two words", "two") == [True, False]
    assert accepts(r'S = "a\"b" | /x\/[0-9]+/ ~ "x/1" ;', "x/22", "x/") == [True, False]


def test_shared_features_hold_inside_groups_and_repetitions() -> None:
    rules = '%feature n = s | p  S = D[n] A[n]* N[n] ; D[n=s] = "a" ; D[n=p] = "two" ; A[n=s] = "x" ; A[n=p] = "xx" ; '
    rules += 'N[n=s] = "cat" ; N[n=p] = "cats" ;'
    given = ("a x x cat", "a x xx cat", "two xx cats", "two x cats", "a cats")
    assert accepts(rules, *given) == [True, False, True, False, False]


def test_lexicons_lie_beside_the_rules(tmp_path: Path) -> None:
    (tmp_path / "g.grammar").write_text('%lexicon "w.lex"\nS = A B ;  # comment\n', encoding="utf-8")
    (tmp_path / "w.lex").write_text("# words\nA: big @3,\n  very big, /[0-9]+/ ~ 12 15 @2  # numbers\nB: dog\n")
    grammar = read(tmp_path / "g.grammar")
    assert [(rule.label, rule.weight) for rule in grammar.rules if rule.lexical] == [
        ("big", 3.0),
        ("very big", 1.0),
        ("/[0-9]+/", 2.0),
        ("dog", 1.0),
    ]
    tables = Tables(grammar)
    assert all(parse(tables, text.split()).grammatical for text in ("very big dog", "7 dog", "big dog"))
    assert len(grammar.files) == 2


MISTAKES = [
    ('S = "a"\nT = "b" ;', 2, 3, "expected another part of the rule, | or ;, found '='"),
    ('S = "a" B ;', 1, 9, "the category B has neither rules nor words"),
    ("S = ", 1, 5, "expected another part of the rule, | or ;, found the end of the file"),
    ('S = "a ;', 1, 5, 'the " is not closed on this line'),
    ("S = a & b ;", 1, 7, "'&' begins nothing here"),
    (f"S = {'(' * 60}", 1, 55, "more than 50 brackets are open here"),
    ('S = x: "a" | x: "b" ;', 1, 14, "the label x stands twice in S"),
    ('S[n] = "a" ;', 1, 1, "the feature n is not declared"),
    ('%feature n = s | p\nS = A[n=q] ;\nA[n=s] = "a" ;', 2, 5, "q is no value of n"),
    ('%feature n = s | p\nS = A[n] ;\nA = "a" ;', 2, 5, "A has no feature n"),
    ('%feature n = s\nS[n, n=s] = "a" ;', 2, 6, "the feature n stands twice"),
    ('%feature n = s\n%feature n = p\nS = "a" ;', 2, 1, "the feature n is declared twice"),
    ('%strat S\nS = "a" ;', 1, 1, "there is no directive %strat; did you mean %start?"),
    ('%start T\nS = "a" ;', 1, 8, "the category T has neither rules nor words"),
    ('%case maybe\nS = "a" ;', 1, 1, "%case is exact or ignored, not maybe"),
    ('%lexicon "none.lex"\nS = "a" ;', 1, 1, "there is no lexicon"),
    ('S = "b" ;\n%lexicon "../w.lex"', 2, 1, "the lexicon ../w.lex lies elsewhere"),
    ('%lexicon "/etc/passwd"\nS = "a" ;', 1, 1, "the lexicon /etc/passwd lies elsewhere"),
    ('S = "a" @0 ;', 1, 9, "expected a weight above 0"),
    ('S = "a" @ ;', 1, 9, "expected a weight above 0"),
    ('S = "" ;', 1, 5, "there is no word here"),
    ('S = /[/ ~ "a" ;', 1, 5, "cannot be used as a pattern: unterminated"),
    ('S = /(a)(?=b)/ ~ "a" ;', 1, 5, "looking ahead or behind, possessive and atomic parts are not matched"),
    (r'S = /(a)\1/ ~ "aa" ;', 1, 5, "cannot be used as a pattern: references to groups"),
    ("S = /[0-9]+/ ;", 1, 5, "needs examples after ~"),
    ('S = /[0-9]+/ ~ "12" "x" ;', 1, 5, "the example 'x' is not one word that"),
    ('S = ("a" | x: "b") ;', 1, 12, "a part in brackets has no labels"),
    ('S = ("a" ;', 1, 10, "expected another part, | or ), found ';'"),
    ("# nothing\n", 1, 1, "no rule"),
    ('S = "a" ;\n\n  ; ', 3, 3, "expected the name of a category, found ';'"),
]


@pytest.mark.parametrize(("rules", "line", "column", "said"), MISTAKES)
def test_a_bad_rule_file_gives_line_and_column(rules: str, line: int, column: int, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(rules, "my.grammar")
    message = str(caught.value)
    assert message.startswith(f"my.grammar, line {line}, column {column}: "), message
    assert said in message


BAD_LEXICONS = [
    ("A big", 1, 3, "expected : and the words of A"),
    ("A: big, , small", 1, 9, "expected a word of A"),
    ("A: big @none", 1, 8, "expected a weight above 0"),
    ("A: big\nB: small ~ 3", 2, 4, "only a pattern between slashes takes examples"),
    ("A: /[0-9]/ ~ 7 77", 1, 4, "the example '77' is not one word"),
    ("A: /x/ ~ x /y/", 1, 4, "the example '/y/'"),
    ("A: big @2 small", 1, 11, "expected a comma or the end of the line"),
    ("A[n=s]: big", 1, 1, "the feature n is not declared"),
]


@pytest.mark.parametrize(("lexicon", "line", "column", "said"), BAD_LEXICONS)
def test_a_bad_lexicon_gives_line_and_column(lexicon: str, line: int, column: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.grammar").write_text('%lexicon "w.lex"\nS = A ;\n', encoding="utf-8")
    (tmp_path / "w.lex").write_text(lexicon, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "g.grammar")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'w.lex'}, line {line}, column {column}: "), message
    assert said in message


def test_unknown_grammars_are_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"there is no grammar 'persn'.*did you mean person"):
        find("persn")


def test_findings_are_named_with_their_places() -> None:
    rules = """%feature n = s | p
S = A[n=s] "x" | B "b" | C | "y" | L[n] ;
A[n=p] = "a" ;
B = "b" B ;
C = "c" | "c" ;
D = "d" ;
L[n] = L[n] "l" | "l" ;
"""
    checked = check(parsed(rules))
    found = [(finding.kind, finding.what, finding.place.line) for finding in checked.findings]
    assert found == [
        ("dead", "S.1", 2),
        ("lone feature", "S.5, n", 2),
        ("dead", "A.1", 3),
        ("unproductive", "B", 4),
        ("duplicate", "C.2", 5),
        ("unreachable", "D", 6),
    ]
    assert checked.left_recursive == ("L",)


def test_cycles_are_named_and_refused_for_parsing() -> None:
    grammar = parsed('S = A | "s" ;\nA = B E ;\nB = S ;\nE = "e"? ;')
    (finding,) = check(grammar).findings
    assert (finding.kind, finding.what) == ("cycle", "S → A → B → S")
    with pytest.raises(InputError, match=r"line 1, column 1: S → A → B → S derives itself"):
        Tables(grammar)
    assert check(parsed('S = ("a"?)* ;')).findings[0].kind == "cycle"


def test_a_grammar_without_any_text_is_named() -> None:
    assert [finding.kind for finding in check(parsed('S = S "a" ;')).findings] == ["unproductive"]
    rules = '%feature n = s | p\nS = A[n=s] ; A[n=p] = "a" ;'
    assert [finding.kind for finding in check(parsed(rules)).findings] == ["no text"]
    with pytest.raises(InputError, match="makes no text at all"):
        Tables(parsed(rules))


def test_features_that_explode_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "MOST", 1000)
    values = [f"v{k}" for k in range(12)]
    rules = f"%feature f = {' | '.join(values)}\nS = A A A A ;\n"
    rules += "".join(f'A[f={value}] = "a" ;\n' for value in values)
    with pytest.raises(InputError, match="more than 1,000 plain rules"):
        check(parsed(rules))
    names = [f"f{k}" for k in range(12)]
    rules = "".join(f"%feature {name} = a | b | c\n" for name in names) + f'S[{", ".join(names)}] = "a" ;'
    with pytest.raises(InputError, match="have 531,441 values together"):
        check(parsed(rules))


@pytest.mark.parametrize("name", ["person", "wind"])
def test_the_grammars_that_ship_are_clean(name: str) -> None:
    assert check(read(find(name))).findings == ()


def test_patterns_that_try_every_way_end() -> None:
    row = "a" * (LONGEST - 1)
    for form in ("(a+)+b", "(a|a)*b", "((a?){99999999}){2,9}b", "((((a+)+)+)+)+b", "a*" * 20 + "b"):
        assert [WordPattern(form).fits(word) for word in (row, row + "b", row + "ab")] == [False, True, False]
    assert accepts('S = /(a+)+b/ ~ "ab" ;', row, "aab") == [False, True]


SIMPLE = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\w", r"\d", "A", "^", "$", r"\b"])
FORMS = st.recursive(
    SIMPLE,
    lambda forms: st.one_of(
        st.tuples(forms, forms).map("".join),
        st.tuples(forms, forms).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(forms, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "*?", "{1,}", "{2,3}?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(FORMS, st.text("abA1", max_size=5), st.sampled_from([0, re.IGNORECASE]))
def test_patterns_match_as_in_python(form: str, word: str, flags: int) -> None:
    assert WordPattern(form, flags).fits(word) == bool(re.fullmatch(form, word, flags))
