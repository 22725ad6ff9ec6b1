"""The WER family, edit distance and TER against recorded numbers and, live, jiwer, NLTK and sacreBLEU.

The compiled kernels are compared with their Python twins on token lists as well.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import Case, cases
from texts import awkward, seeded, segments

from nlgauge import kernels
from nlgauge.kernels import python as twin
from nlgauge.kernels.python.edit import edit_counts
from nlgauge.metrics.se import edit_distance
from nlgauge.metrics.ter import Ter
from nlgauge.metrics.wer import Cer, ErrorRate, Mer, Wer, Wil, Wip

jiwer = pytest.importorskip("jiwer", reason="the live comparison runs jiwer beside ours")
sacrebleu = pytest.importorskip("sacrebleu", reason="the live comparison runs sacreBLEU beside ours")
needs_native = pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels to compare")

FAMILY: dict[str, type[ErrorRate]] = {"wer": Wer, "mer": Mer, "wil": Wil, "wip": Wip}
COUNTS = ("hits", "sub", "del", "ins")


# Recorded numbers


@pytest.mark.parametrize("case", cases("WER"))
def test_recorded_wer(case: Case) -> None:
    texts = case.hypotheses, case.references
    if not isinstance(case.expected, dict):
        # GEM averages the segments' rates over lower-cased words without punctuation. Its tokeniser is not one of
        # ours; on these texts dropping the marks leaves the same words.
        metric = Wer(tok="tercom:nopunct", lower=True, average="macro")
        case.check(case.options["scale"] * metric.corpus(*texts))
        return
    got = {name: metric().corpus(*texts) for name, metric in FAMILY.items()} | {"cer": Cer().corpus(*texts)}
    counts = dict(zip(COUNTS, Wer().corpus_rows(*texts).sum(axis=0), strict=True))
    case.check(got | counts)


@pytest.mark.parametrize("case", cases("CER"))
def test_recorded_cer(case: Case) -> None:
    case.check(Cer().corpus(case.hypotheses, case.references))


@pytest.mark.parametrize("case", cases("edit-distance"))
@pytest.mark.parametrize("backend", ["native", "python"])
def test_recorded_edit_distance(case: Case, backend: str) -> None:
    a, b, cost = case.hypotheses[0], case.references[0][0], float(case.options["substitution_cost"])
    with kernels.use(backend):
        case.check(
            {
                "transpositions": edit_distance(a, b, substitution=cost, transpositions=True),
                "no_transpositions": edit_distance(a, b, substitution=cost),
            }
        )


def ter_of(options: dict[str, Any]) -> Ter:
    """The metric a recorded case describes, in the words of the project that recorded it."""
    if options.get("backend") == "sacrebleu":  # GEM-metrics, whose default at that commit is normalized=True
        return Ter(norm=True)
    return Ter(
        lower=not options.get("case_sensitive", False),
        norm=options.get("normalized", False) or options.get("normalize", False),
        nopunct=options.get("no_punct", False) or options.get("ignore_punct", False),
        asian=options.get("asian_support", False),
    )


@pytest.mark.parametrize("case", cases("TER"))
def test_recorded_ter(case: Case) -> None:
    metric = ter_of(case.options)
    totals = metric.corpus_rows(case.hypotheses, case.references).sum(axis=0)
    score = float(metric.score(totals)) * case.options["scale"] / 100
    if isinstance(case.expected, dict):
        case.check({"score": score, "num_edits": totals[0], "ref_length": totals[1]})
    else:
        case.check(score)


@pytest.mark.parametrize("case", cases("TER-tokenizer"))
@pytest.mark.parametrize("backend", ["native", "python"])
def test_recorded_ter_tokenizer(case: Case, backend: str) -> None:
    metric = ter_of(case.options)
    with kernels.use(backend):
        words = kernels.active().tokenize(case.hypotheses[0], metric.tokenizer, metric.lower, "none")
    assert " ".join(words) == case.expected


# jiwer, live


def other_than_jiwer(hypotheses: list[str], references: list[str]) -> list[str]:
    """Which measures and counts, of the corpus or of a segment, are not jiwer's to the digit."""
    ours = [[text] for text in references]
    by_words = [jiwer.process_words(r, h) for r, h in zip(references, hypotheses, strict=True)]
    whole = jiwer.process_words(references, hypotheses)
    rows = Wer().corpus_rows(hypotheses, ours)
    theirs = [(one.hits, one.substitutions, one.deletions, one.insertions) for one in by_words]
    same = {"counts": rows.tolist() == [list(map(float, counts)) for counts in theirs]}
    for name, metric in FAMILY.items():
        single = [getattr(one, name) for one in by_words]
        same[name] = metric().segments(hypotheses, ours) == pytest.approx(single, abs=1e-12)
        corpus = metric().corpus(hypotheses, ours)
        same[f"{name} of the corpus"] = corpus == pytest.approx(getattr(whole, name), abs=1e-12)
    single = [jiwer.cer(r, h) for r, h in zip(references, hypotheses, strict=True)]
    same["cer"] = Cer().segments(hypotheses, ours) == pytest.approx(single, abs=1e-12)
    corpus = Cer().corpus(hypotheses, ours)
    same["cer of the corpus"] = corpus == pytest.approx(jiwer.cer(references, hypotheses), abs=1e-12)
    return [name for name, equal in same.items() if not equal]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_seeded_text_equals_jiwer(seed: int) -> None:
    hypotheses, references = seeded(3000, seed, references=1)
    assert other_than_jiwer(hypotheses, [texts[0] for texts in references]) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(awkward(), awkward()), min_size=1, max_size=5))
def test_odd_text_equals_jiwer(pairs: list[tuple[str, str]]) -> None:
    assert other_than_jiwer([pair[0] for pair in pairs], [pair[1] for pair in pairs]) == []


def test_no_words_at_all_equals_jiwer() -> None:
    for hypotheses, references in ((["", " "], ["", ""]), (["a b", ""], ["", " "]), (["", ""], ["a", "b c"])):
        assert other_than_jiwer(hypotheses, references) == []


def letters(draw: random.Random, size: int, kinds: int) -> list[str]:
    """Few kinds of letters, so that many alignments are optimal."""
    return [chr(97 + draw.randrange(kinds)) for _ in range(size)]


def edited(draw: random.Random, words: list[str], share: float, kinds: int) -> list[str]:
    """A copy with about that share of the words dropped, replaced or followed by another."""
    copy: list[str] = []
    for word in words:
        change = draw.random() / share
        if change < 2 / 3:
            copy += letters(draw, change < 1 / 3, kinds)
        elif change < 1:
            copy += [word, *letters(draw, 1, kinds)]
        else:
            copy.append(word)
    return copy


def rapidfuzz_counts(reference: list[str], hypothesis: list[str]) -> list[float]:
    from rapidfuzz.distance import Levenshtein

    tags = [edit.tag for edit in Levenshtein.editops(reference, hypothesis)]
    substitutions, deletions, insertions = (tags.count(tag) for tag in ("replace", "delete", "insert"))
    return list(map(float, (len(reference) - substitutions - deletions, substitutions, deletions, insertions)))


@pytest.mark.parametrize(
    ("number", "longest"), [(4000, 12), (600, 70), (80, 300), pytest.param(4, 5000, marks=pytest.mark.slow)]
)
def test_counts_are_those_of_the_alignment_rapidfuzz_picks(number: int, longest: int) -> None:
    """One block, several blocks, and (from about 2,000 by 2,000 on) bisection."""
    draw = random.Random(longest)
    pairs: list[tuple[list[str], list[str]]] = []
    for kinds in [draw.randint(1, 6) for _ in range(number)]:
        reference = letters(draw, draw.randint(longest // 2, longest), kinds)
        other = letters(draw, draw.randint(0, longest), kinds)
        hypothesis = edited(draw, reference, draw.choice((0.02, 0.2, 0.6)), kinds) if draw.random() < 0.6 else other
        pairs.append((reference, hypothesis))
    expected = [rapidfuzz_counts(*pair) for pair in pairs]
    assert [list(map(float, edit_counts(*pair))) for pair in pairs] == expected
    if kernels.native_available():
        from nlgauge import _native

        tokens = _native.tokens_from_lists([pair[1] for pair in pairs], [[pair[0]] for pair in pairs])
        assert _native.edit_rows(tokens, 2).tolist() == expected


# NLTK, live


@pytest.mark.parametrize("transpositions", [False, True])
@pytest.mark.parametrize("substitution", [1, 2, 3])
def test_edit_distance_equals_nltk(substitution: int, transpositions: bool) -> None:
    distance = pytest.importorskip("nltk.metrics.distance")
    draw = random.Random(substitution)
    for _ in range(200):
        a, b = ("".join(letters(draw, draw.randint(0, 9), 4)) for _ in "ab")
        expected = distance.edit_distance(a, b, substitution_cost=substitution, transpositions=transpositions)
        assert edit_distance(a, b, substitution=substitution, transpositions=transpositions) == expected


# sacreBLEU, live


def other_than_sacrebleu(metric: Ter, hypotheses: list[str], references: list[list[str]]) -> list[str]:
    """Which of statistics and score of every segment, and of a corpus (there sacreBLEU wants equally many references),
    are not sacreBLEU's."""
    theirs = sacrebleu.metrics.TER(
        case_sensitive=not metric.lower,
        normalized=metric.norm,
        no_punct=metric.nopunct,
        asian_support=metric.asian,
    )
    rows = metric.corpus_rows(hypotheses, references)
    single = [theirs.sentence_score(h, refs) for h, refs in zip(hypotheses, references, strict=True)]
    same = {"statistics": rows.tolist() == [[one.num_edits, one.ref_length] for one in single]}
    same["segments"] = metric.score(rows) == pytest.approx([one.score for one in single], abs=1e-9)
    some = slice(0, 100)
    most = max(map(len, references[some]))
    padded = [[refs[min(k, len(refs) - 1)] for refs in references[some]] for k in range(most)]
    whole = theirs.corpus_score(hypotheses[some], padded)
    ours = metric.corpus(hypotheses[some], [list(refs) for refs in zip(*padded, strict=True)])
    same["corpus"] = ours == pytest.approx(whole.score, abs=1e-9)
    return [name for name, equal in same.items() if not equal]


@pytest.mark.slow
@pytest.mark.parametrize("options", range(16))
def test_seeded_text_equals_sacrebleu_ter(options: int) -> None:
    flags = {name: bool(options >> bit & 1) for bit, name in enumerate(("lower", "norm", "nopunct", "asian"))}
    hypotheses, references = seeded(650, options, references=1 + options % 4)
    assert other_than_sacrebleu(Ter(**flags), hypotheses, references) == []


@settings(max_examples=100, deadline=None)
@given(segments(), st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()))
def test_odd_text_equals_sacrebleu_ter(texts: list[tuple[str, list[str]]], flags: tuple[bool, ...]) -> None:
    lower, norm, nopunct, asian = flags
    metric = Ter(lower=lower, norm=norm, nopunct=nopunct, asian=asian)
    assert other_than_sacrebleu(metric, [text for text, _ in texts], [refs for _, refs in texts]) == []


def shuffled(draw: random.Random, words: list[str]) -> list[str]:
    """A copy with a few blocks moved."""
    copy = list(words)
    for _ in range(draw.randint(0, 3)):
        start, length = draw.randint(0, len(copy)), draw.randint(1, 6)
        block = copy[start : start + length]
        del copy[start : start + length]
        target = draw.randint(0, len(copy))
        copy[target:target] = block
    return copy


def long_pairs(number: int, seed: int) -> list[tuple[list[str], list[str]]]:
    """Texts long and different enough for the beam to matter, some far longer than their partner."""
    draw = random.Random(seed)
    pairs = []
    for _ in range(number):
        reference = [f"w{draw.randrange(400)}" for _ in range(draw.choice((30, 70, 130)))]
        other = [f"w{draw.randrange(400)}" for _ in range(draw.choice((1, 3, 40, 90, 150)))]
        tail = reference[: draw.choice((10, 30))]
        hypothesis = draw.choice((shuffled(draw, reference), other, other + tail, shuffled(draw, other + reference)))
        pairs.append((hypothesis, reference))
    return pairs


@pytest.mark.long
@pytest.mark.slow
def test_edits_of_long_texts_equal_sacrebleu() -> None:
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    pairs = long_pairs(40, 1)
    expected = [translation_edit_rate(*pair)[0] for pair in pairs]
    tokens = kernels.active().tokens_from_lists([pair[0] for pair in pairs], [[pair[1]] for pair in pairs])
    assert kernels.active().ter_rows(tokens, 1)[:, 0].tolist() == expected


# Compiled and plain kernels


@needs_native
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from("abcdé"), max_size=40),
            st.lists(st.lists(st.sampled_from("abcdé"), max_size=40), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_native_equals_the_twin(texts: list[tuple[list[str], list[list[str]]]]) -> None:
    from nlgauge import _native

    hypotheses, references = [text for text, _ in texts], [refs for _, refs in texts]
    fast, plain = (
        _native.tokens_from_lists(hypotheses, references),
        twin.tokens_from_lists(hypotheses, references),
    )
    assert np.array_equal(_native.edit_rows(fast, 1), twin.edit_rows(plain, 1))
    assert np.array_equal(_native.ter_rows(fast, 1), twin.ter_rows(plain, 1))
    for weights in (
        (2.0, 1.0, 1.0, False),
        (1.0, 1.0, 1.0, True),
        (0.7, 0.5, 1.5, False),
        (3.0, 0.5, 1.0, True),
    ):
        assert np.allclose(_native.distance_rows(fast, *weights, 1), twin.distance_rows(plain, *weights, 1), atol=1e-12)


@needs_native
def test_native_ter_equals_the_twin_in_the_beam() -> None:
    from nlgauge import _native

    pairs = long_pairs(6, 9)
    hypotheses, references = [pair[0] for pair in pairs], [[pair[1]] for pair in pairs]
    fast, plain = (
        _native.tokens_from_lists(hypotheses, references),
        twin.tokens_from_lists(hypotheses, references),
    )
    assert np.array_equal(_native.ter_rows(fast, 1), twin.ter_rows(plain, 1))
