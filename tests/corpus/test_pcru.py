"""pCRU: weights against counts by hand, the 2-gram model and the modes against plain computations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import pytest

from nlgauge.corpus.pcru.generating import Generator, Mode, discounts, expand, learn, spelled
from nlgauge.corpus.pcru.rules import Relation, Rule, RuleBase, filled, parse_rules
from nlgauge.corpus.pcru.training import train, words_of
from nlgauge.corpus.pcru.wind import make_corpus, relations, wind_rules
from nlgauge.errors import InputError

RULES = """\
input first turned
$dir = N NE E
$time = 2100 0000
$low = number
$high = number
first($dir, $low, $high)
  -> $dir $low-$high
turned($dir, $time)
  -> link() backing $dir time($time)
  -> link() $dir
link()
  -> then
  -> ,
time(2100)
  -> later
  -> by 2100
time(0000)
  -> later
  -> by midnight
"""
SMALL = parse_rules(RULES, "small")


def weights(base: RuleBase) -> dict[str, list[float]]:
    return {str(head): [rule.weights[0] for rule in rules] for head, rules in base.heads.items()}


def test_weights_are_counts_and_derivations_share_them() -> None:
    texts = ["N 4-8 then backing NE later", "N 4-8, backing E by midnight then NE.", "E 10-12"]
    found = train(SMALL, texts)
    assert (found.texts, found.ambiguous, found.unparsed) == (3, 1, ())
    assert weights(found.base) == {
        "first($dir, $low, $high)": [3],
        "turned($dir, $time)": [2, 1],
        "link()": [2, 1],
        "time(2100)": [0.5, 0],  # "later" may be either hour
        "time(0000)": [0.5, 1],
    }


def test_two_ambiguous_places_make_four_derivations() -> None:
    found = train(SMALL, ["N 4-8 then backing NE later then backing E later"])
    assert weights(found.base)["time(2100)"] == [1, 0] and weights(found.base)["time(0000)"] == [1, 0]
    assert weights(found.base)["turned($dir, $time)"] == [2, 0]


def test_values_must_agree_within_a_relation() -> None:
    base = parse_rules("input a\n$x = u v\na($x)\n  -> $x b($x)\nb(u)\n  -> one\nb(v)\n  -> two\n", "r")
    found = train(base, ["u one", "v two", "u two"])
    assert found.unparsed == ("u two",) and [rule.weights for rule in found.base.rules] == [(2,), (1,), (1,)]


def test_texts_that_no_rule_fits_are_named_or_refused() -> None:
    found = train(SMALL, ["N 4-8", "snow"])
    assert found.unparsed == ("snow",)
    with pytest.raises(InputError, match="parse none of 1 text, for example 'snow'"):
        train(SMALL, ["snow"])


def test_training_recovers_what_the_forecasters_did() -> None:
    """Rules that only one derivation can use are counted exactly: the words of the corpus say so."""
    texts = [forecast.text for forecast in make_corpus(200, 3)]
    found = train(wind_rules(), texts)
    assert not found.unparsed
    told = {(str(rule.head), rule.spelled()): rule.weights[0] for rule in found.base.rules if rule.body}
    words = Counter(word for text in texts for word in words_of(text))
    for verb, head in (
        ("veering", "turning(veer)"),
        ("easing", "changing(fall)"),
        ("freshening", "changing(rise)"),
    ):
        assert told[head, verb] == pytest.approx(words[verb])
    later = told["time(2100)", "later"], told["time(0000)", "later"]
    assert later[0] == pytest.approx(later[1]) and sum(later) == pytest.approx(words["later"])


def test_discounts_are_those_of_the_formula() -> None:
    # n1..n8 = 40, 16, 9, 6, 4, 3, 2, 1: by hand c = 8 * 1 / 40 = 0.2
    sizes = {1: 40, 2: 16, 3: 9, 4: 6, 5: 4, 6: 3, 7: 2, 8: 1}
    counts = {(r, number): r for r, size in sizes.items() for number in range(size)}
    found = discounts(counts)
    assert found[1] == pytest.approx((2 * 16 / 40 - 0.2) / 0.8)
    assert found[2] == pytest.approx((3 * 9 / (2 * 16) - 0.2) / 0.8)
    assert found[6] == pytest.approx((7 * 2 / (6 * 3) - 0.2) / 0.8)
    assert found[3] == pytest.approx((4 * 6 / (3 * 9) - 0.2) / 0.8)
    assert discounts({"a": 3, "b": 3})[3] == 1  # nothing occurs four times: no estimate
    assert discounts({}) == dict.fromkeys(range(1, 8), 1.0)


def test_back_off_against_a_plain_computation() -> None:
    texts = [words_of(forecast.text) for forecast in make_corpus(120, 5)]
    model = learn(texts)
    chains = [["<s>", *words, "</s>"] for words in texts]
    one = Counter(word for chain in chains for word in chain[1:])
    two = Counter(pair for chain in chains for pair in pairwise(chain))
    for before in ("<s>", "then", "by", "backing"):
        total = sum(count for (first, _), count in two.items() if first == before)
        factor = discounts(two)
        seen = {word: factor.get(n, 1) * n / total for (first, word), n in two.items() if first == before}
        free = 1 - sum(seen.values())
        if free < 1e-9:
            seen = {word: chance * total / (total + 1) for word, chance in seen.items()}
            free = 1 / (total + 1)
        rest = 1 - sum(model.words[word] for word in seen)
        for word in one:
            expected = seen[word] if word in seen else free * model.words[word] / rest
            assert model.chance(word, before) == pytest.approx(expected, rel=1e-9)
    for before in ("<s>", *one):  # every distribution sums to one, the unknown word included
        if before != "</s>":
            whole = sum(model.chance(word, before) for word in one) + model.chance("never-seen", before)
            assert whole == pytest.approx(1)
    assert model.log_probability(texts[0]) == pytest.approx(
        sum(math.log(model.chance(word, before)) for before, word in pairwise(chains[0]))
    )


def enumerated(base: RuleBase, relation: Relation, chances: list[float]) -> Iterator[tuple[float, list[str]]]:
    """All derivations of a relation: probability and words."""
    rules, values = base.alternatives(relation)
    for rule in rules:
        parts = [
            list(enumerated(base, piece.bound(values), chances))
            if isinstance(piece, Relation)
            else [(1.0, [filled(piece, values)])]
            for piece in rule.body
        ]
        for chosen in product(*parts):
            chance = chances[rule.number] * math.prod(part[0] for part in chosen)
            yield chance, [word for part in chosen for word in part[1]]


TRICKY = parse_rules(
    """\
input a
weights trained
a()
  -> [6] b() c()
  -> [4] plain
b()
  -> [2] one
  -> [1] two
  -> [1] three
c()
  -> [1] four
  -> [1] five
""",
    "tricky",
)


def test_viterbi_is_the_best_of_all_and_greedy_is_not() -> None:
    best = max(enumerated(TRICKY, Relation("a"), TRICKY.chances()), key=lambda pair: pair[0])
    assert Generator(TRICKY, "viterbi").generate([Relation("a")]) == spelled(best[1]) == "plain"
    assert Generator(TRICKY, "greedy").generate([Relation("a")]) == "one four"
    corpus = make_corpus(80, 2)
    base = train(wind_rules(), [forecast.text for forecast in corpus]).base
    made = Generator(base, "viterbi")
    for forecast in corpus[:6]:
        for relation in relations(forecast.winds):
            top = max(enumerated(base, relation, base.chances()), key=lambda pair: pair[0])
            assert made.generate([relation]) == spelled(top[1])


def test_ngram_is_the_best_of_all_texts() -> None:
    corpus = make_corpus(80, 2)
    base = wind_rules()
    model = learn([words_of(forecast.text) for forecast in corpus])
    made = Generator(base, "ngram", model=model)
    content = [Relation("first", ("N", "8", "12")), Relation("turned", ("veer", "NE", "0000"))]
    alike = [1.0] * len(base.rules)
    texts = [
        first[1] + second[1] for first, second in product(*(enumerated(base, relation, alike) for relation in content))
    ]
    best = max(texts, key=model.log_probability)
    assert len(texts) > 500
    assert model.log_probability(words_of(made.generate(content))) == pytest.approx(model.log_probability(best))
    with pytest.raises(InputError, match="needs texts"):
        Generator(base, "ngram")


def test_greedy_and_ngram_are_the_same_for_any_seed_and_the_others_by_their_seed() -> None:
    corpus = make_corpus(60, 4)
    base = train(wind_rules(), [forecast.text for forecast in corpus]).base
    model = learn([words_of(forecast.text) for forecast in corpus])
    inputs = [relations(forecast.winds) for forecast in corpus]

    def texts(mode: Mode, seed: int) -> list[str]:
        made = Generator(base, mode, seed=seed, model=model)
        return [made.generate(content) for content in inputs]

    settled: tuple[Mode, ...] = ("greedy", "viterbi", "ngram")
    drawn: tuple[Mode, ...] = ("random", "roulette")
    for mode in settled:
        assert texts(mode, 1) == texts(mode, 2)
    for mode in drawn:
        assert texts(mode, 1) == texts(mode, 1) != texts(mode, 2)


def test_commas_of_rules_are_words_as_in_texts() -> None:
    base = parse_rules("input a\na()\n  -> one, two\n", "r")
    assert train(base, ["one, two"]).unparsed == ()
    assert Generator(base, "random").generate([Relation("a")]) == "one, two"


def test_drawn_rules_are_as_frequent_as_their_weights() -> None:
    made = {mode: Generator(TRICKY, mode, seed=7) for mode in ("roulette", "random")}
    drawn = {mode: Counter(one.generate([Relation("b")]) for _ in range(4000)) for mode, one in made.items()}
    for word, share in (("one", 0.5), ("two", 0.25), ("three", 0.25)):
        assert drawn["roulette"][word] / 4000 == pytest.approx(share, abs=0.03)
        assert drawn["random"][word] / 4000 == pytest.approx(1 / 3, abs=0.03)


def test_inputs_without_a_rule_are_refused() -> None:
    def first(_: Relation, rules: Sequence[Rule]) -> Rule:
        return rules[0]

    with pytest.raises(InputError, match=r"no rule expands turned\(E, 0300, x\)"):
        expand(SMALL, Relation("turned", ("E", "0300", "x")), first)
