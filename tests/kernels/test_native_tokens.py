"""The compiled tokenisers against the reference implementations; token numbers against a dictionary."""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections.abc import Callable

import jiwer
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score import tokenize as rouge_tokenize
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

native = pytest.importorskip("nlgauge._native", reason="the kernels were not compiled")

Tokenize = Callable[[str], list[str]]
PORTER = PorterStemmer()

# Pieces that meet in awkward ways: every class of character the tokenisers know, in short runs.
PIECES = st.sampled_from(
    [
        *".,-'&;<>!\"()?:/$+_*~`0123456789 \t\n\r",
        *"\x00\x01\x1c\x1f\x85\xa0\xad\u1680\u2003\u200b\u2028\u202f\u3000\ufeff",
        *("..", ",,,", "--", "-\n", "\n-", "  ", " \t", "'s", "'s ", "'S.", "'s!", "'s\n", "'s。"),
        *(
            "&quot;",
            "&amp;",
            "&lt;",
            "&gt;",
            "&amp;lt;",
            "&amp;quot;",
            "&apos;",
            "&AMP;",
            "<skipped>",
            "-<skipped>\n",
        ),
        *(
            "1.5",
            "x.5",
            "x..5",
            "1..5",
            "1,000.00",
            "5.-3",
            "5--6",
            "5-6-7",
            "1999.",
            ".5",
            "…",
            "Ⅷ",
            "²",
            "½",
            "٣",
            "१",
        ),
        *(
            "a",
            "Word",
            "running",
            "naïve",
            "ÉTÉ",
            "İ",
            "ẞ",
            "ΑΣ",
            "K",
            "straße",
            "ÿ",
            "Привет",
            "мир",
            "हिन्दी",
            "שלום",
            "مرحبا",
        ),
        *(
            "e\u0301",
            "中",
            "文字",
            "々",
            "〇",
            "ひらがな",
            "カタカナ",
            "ー",
            "㍿",
            "㋐",
            "。",
            "、",
            "「",
            "！",
            "，",
            "．",
            "｡",
            "・",
        ),
        *(
            "한국어",
            "𠀀",
            "𝒳",
            "😀",
            "👩‍💻",
            "€",
            "«",
            "»",
            "’",
            "“",
            "—",
            "→",
            "\ud800",
            "antidisestablishmentarianism",
        ),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=25).map("".join),
    st.lists(PIECES, max_size=25).map(" ".join),
    st.text(max_size=40),
    st.text(alphabet="ab1 .,-", max_size=40),
)


def sacrebleu(tokenizer: Callable[[str], str]) -> Tokenize:
    """What sacreBLEU's metrics do to a text (`_preprocess_segment`, then `split`)."""
    return lambda text: tokenizer(text.rstrip()).split()


def tercom(name: str) -> Tokenize:
    return sacrebleu(
        TercomTokenizer(
            normalized="norm" in name,
            no_punct="nopunct" in name,
            asian_support="asian" in name,
            case_sensitive=True,
        )
    )


def words(text: str) -> list[str]:
    """The definition of `words`, spelt out."""
    return regex.findall(r"[\p{L}&&\p{Script=Han}]|[\p{L}\p{M}\p{N}--[\p{L}&&\p{Script=Han}]]+", text, regex.V1)


TERCOM = [name for name in native.TOKENIZERS if name.startswith("tercom")]
REFERENCES: dict[str, Tokenize] = {
    "none": str.split,
    "13a": sacrebleu(Tokenizer13a()),
    "intl": sacrebleu(TokenizerV14International()),
    "zh": sacrebleu(TokenizerZh()),
    "char": sacrebleu(TokenizerChar()),
    "rouge": lambda text: rouge_tokenize.tokenize(text, None),
    "words": words,
    "jiwer": lambda text: jiwer.transformations.wer_default(text)[0],
    "chars": lambda text: jiwer.transformations.cer_default(text)[0],
    **{name: tercom(name) for name in TERCOM},
}


def test_every_tokeniser_has_a_reference() -> None:
    assert set(native.TOKENIZERS) == set(REFERENCES)
    assert native.STEMMERS == ("none", "porter")
    assert len(TERCOM) == 8


@pytest.mark.parametrize("tok", REFERENCES)
@given(text=TEXTS, lower=st.booleans())
@settings(max_examples=200, deadline=None)
def test_equals_the_reference(tok: str, text: str, lower: bool) -> None:
    expected = REFERENCES[tok](text.lower() if lower else text)
    assert native.tokenize(text, tok, lower, "none") == expected


@pytest.mark.parametrize("tok", REFERENCES)
def test_short_combinations_of_ascii(tok: str) -> None:
    """All strings of up to five of the characters that the rules of mteval look at."""
    for size in range(6):
        for letters in itertools.product("a1.-'", repeat=size):
            text = "".join(letters)
            assert native.tokenize(text, tok, False, "none") == REFERENCES[tok](text)


@pytest.mark.parametrize("tok", REFERENCES)
def test_ends_of_texts(tok: str) -> None:
    """What sacreBLEU strips off before it tokenises would change the tokens."""
    for end in ("a-\n", "a-\n ", "1999. ", "1999.\u3000", "1,\t", "it's\n", "&amp;\n", ". ", "\n-", "中. "):
        for text in (end, f"x {end}", f"Привет {end}", f"{end}{end}"):
            assert native.tokenize(text, tok, False, "none") == REFERENCES[tok](text)


@pytest.mark.parametrize("tok", ["none", "13a", "intl", "rouge", "jiwer", "words"])
def test_boundaries_of_the_block_scan(tok: str) -> None:
    """Tokens that end before, at and behind multiples of 16 and 64 bytes, in all three widths of string."""
    for size in [*range(1, 20), *range(60, 70), *range(124, 132), 500]:
        for tail in ("", " b", ", b.", "\u00e9", "\u4e2d", "😀", " 1.5 ", "\u2003x"):
            for text in ("w" * size + tail, "w " * (size // 2) + tail, tail + "1" * size + "."):
                assert native.tokenize(text, tok, False, "none") == REFERENCES[tok](text)


@pytest.mark.parametrize("tok", ["intl", "zh", "words", "tercom:norm+asian", "tercom:nopunct+asian"])
def test_every_code_point(tok: str) -> None:
    """Every assigned code point between letters, and between digits."""
    for block in range(0, 0x20000, 256):
        points = [chr(c) for c in range(block, block + 256) if unicodedata.category(chr(c)) != "Cn"]
        for text in (" ".join(f"a{c}b" for c in points), " ".join(f"1{c}2" for c in points)):
            assert native.tokenize(text, tok, False, "none") == REFERENCES[tok](text)


def test_known_results() -> None:
    """By hand from the rules, so that a change in a reference tool does not go unseen."""
    cases = {
        "x..5 1..5 1...5": ["x", ".", ".5", "1", ".", ".", "5", "1", ".", ".", ".5"],
        "5.-3, 5--6 (1,000.5)": ["5", ".", "-3", ",", "5", "-", "-6", "(", "1,000.5", ")"],
        "&amp;lt;b&gt; don't-\ncare <skipped>": ["<", "b", ">", "don'tcare"],
    }
    for text, expected in cases.items():
        assert native.tokenize(text, "13a", False, "none") == expected
    assert native.tokenize("in 1999.", "intl", False, "none") == ["in", "1999."]
    assert native.tokenize("tabs\tin one", "jiwer", False, "none") == ["tabs\tin", "one"]
    assert native.tokenize("\u212aelvin Ünit_5", "rouge", False, "none") == ["kelvin", "nit", "5"]
    assert native.tokenize("Привет, мир_1 汉字ab", "words", True, "none") == [
        "привет",
        "мир",
        "1",
        "汉",
        "字",
        "ab",
    ]


SUFFIXES = """
s es ies sses ss ed ied eed ing at bl iz y ational tional enci anci izer bli alli entli eli ousli ization
ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness
al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll
"""
IRREGULAR = """
sky skies dying lying tying news innings inning outings outing cannings canning howe proceed exceed succeed
"""


def word_list(seed: int, count: int) -> list[str]:
    """Words from random stems and chains of the suffixes that Porter's rules look at."""
    rng = random.Random(seed)
    suffixes = SUFFIXES.split()
    letters = "aeiouybcdlnrstwxz"
    return [
        "".join(rng.choices(letters, k=rng.randint(0, 5))) + "".join(rng.choices(suffixes, k=rng.randint(0, 3)))
        for _ in range(count)
    ]


def test_porter_equals_nltk() -> None:
    for word in [
        *word_list(7, 30_000),
        *IRREGULAR.split(),
        "y" * 40,
        "yyying",
        "a*ded",
        "feed",
        "dies",
        "ties",
    ]:
        stem = PORTER.stem(word) if len(word) > 3 else word
        assert native.tokenize(word, "none", False, "porter") == ([stem] if word else []), word


@given(text=TEXTS, lower=st.booleans(), tok=st.sampled_from(["none", "13a", "words", "rouge"]))
@settings(max_examples=300, deadline=None)
def test_stems_of_any_text(text: str, lower: bool, tok: str) -> None:
    """Words of more than three characters, lower-cased as NLTK does, also beyond ASCII."""
    plain = REFERENCES[tok](text.lower() if lower else text)
    assert native.tokenize(text, tok, lower, "porter") == [PORTER.stem(w) if len(w) > 3 else w for w in plain]


@given(text=TEXTS)
@settings(max_examples=100, deadline=None)
def test_stemmed_rouge_equals_rouge_score(text: str) -> None:
    assert native.tokenize(text, "rouge", False, "porter") == rouge_tokenize.tokenize(text, PORTER)


def numbered(segments: list[list[list[str]]]) -> list[list[list[int]]]:
    """Numbers in order of first appearance within each segment."""
    result = []
    for texts in segments:
        known: dict[str, int] = {}
        result.append([[known.setdefault(word, len(known)) for word in text] for text in texts])
    return result


SEGMENTS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), max_size=6)


@given(segments=SEGMENTS, tok=st.sampled_from(native.TOKENIZERS), lower=st.booleans(), stem=st.booleans())
@settings(max_examples=300, deadline=None)
def test_numbers_follow_the_tokens(segments: list[tuple[str, list[str]]], tok: str, lower: bool, stem: bool) -> None:
    stemmer = "porter" if stem else "none"
    hypotheses, references = [h for h, _ in segments], [r for _, r in segments]
    split = [[native.tokenize(t, tok, lower, stemmer) for t in (h, *refs)] for h, refs in segments]
    batch = native.tokens(hypotheses, references, tok, lower, stemmer, False, 1)
    assert len(batch) == len(segments)
    assert batch.numbers() == numbered(split)
    assert batch.sentences() is None
    listed = native.tokens_from_lists([s[0] for s in split], [s[1:] for s in split])
    assert listed.numbers() == batch.numbers()
    assert listed.hashes() == batch.hashes()


@given(segments=SEGMENTS, tok=st.sampled_from(["none", "13a", "rouge", "chars"]))
@settings(max_examples=200, deadline=None)
def test_sentences_are_the_lines_that_are_not_empty(segments: list[tuple[str, list[str]]], tok: str) -> None:
    hypotheses, references = [h for h, _ in segments], [r for _, r in segments]
    batch = native.tokens(hypotheses, references, tok, False, "none", True, 1)
    lines = [
        [[native.tokenize(line, tok, False, "none") for line in text.split("\n") if line] for text in (h, *refs)]
        for h, refs in segments
    ]
    joined = [[list(itertools.chain(*text)) for text in texts] for texts in lines]
    numbers = numbered(joined)
    assert batch.numbers() == numbers
    expected = []
    for texts, ids in zip(lines, numbers, strict=True):
        for text, text_ids in zip(texts, ids, strict=True):
            rest = iter(text_ids)
            expected.append([list(itertools.islice(rest, len(line))) for line in text])
    assert batch.sentences() == expected
    counts = [[[len(line) for line in text] for text in texts] for texts in lines]
    listed = native.tokens_from_lists(
        [texts[0] for texts in joined],
        [texts[1:] for texts in joined],
        [c[0] for c in counts],
        [c[1:] for c in counts],
    )
    assert listed.numbers() == numbers
    assert listed.sentences() == expected


def many_segments(count: int) -> tuple[list[str], list[list[str]]]:
    rng = random.Random(3)
    pool = [*word_list(1, 300), "naïve", "Привет", "中文", "😀", "1.5", "a\nb", "…", ""]
    text = lambda: " ".join(rng.choices(pool, k=rng.randint(0, 30))) + rng.choice(["", ".", "!", "\n\n"])  # noqa: E731
    return [text() for _ in range(count)], [[text() for _ in range(rng.randint(1, 3))] for _ in range(count)]


@pytest.mark.parametrize(("tok", "stem"), [("13a", "none"), ("rouge", "porter"), ("none", "porter")])
def test_threads_and_shards_change_nothing(tok: str, stem: str) -> None:
    hypotheses, references = many_segments(700)
    for sentences in (False, True):
        one = native.tokens(hypotheses, references, tok, False, stem, sentences, 1)
        four = native.tokens(hypotheses, references, tok, False, stem, sentences, 4)
        parts = [
            native.tokens(hypotheses[i : i + 100], references[i : i + 100], tok, False, stem, sentences, 1)
            for i in range(0, 700, 100)
        ]
        assert one.numbers() == four.numbers() == [n for part in parts for n in part.numbers()]
        assert one.hashes() == four.hashes() == [h for part in parts for h in part.hashes()]
        assert one.sentences() == four.sentences()
        if sentences:
            assert one.sentences() == [s for part in parts for s in part.sentences()]


def test_one_word_one_hash_in_every_width_of_string() -> None:
    texts = ["word", "word é", "word 中", "word 😀"]
    hashes = native.tokens(texts, [["word"]] * 4, "none", False, "none", False, 1).hashes()
    assert len({segment[0] for segment in hashes}) == 1
    assert len({segment[1] for segment in hashes[1:]}) == 3


def test_hashes_tell_words_apart() -> None:
    """No collision among 200,000 tokens, short, long, and with bytes that could be mistaken for padding."""
    rng = random.Random(5)
    found = {"".join(rng.choices("ab\x00é中😀", k=rng.randint(1, 30))) for _ in range(60_000)}
    found |= {str(i) for i in range(100_000)} | {"x" * i for i in range(200)} | {"\x00" * i for i in range(40)}
    found |= {"中" * i for i in range(1, 40)} | {chr(i) for i in range(0x3000)}
    batch = native.tokens_from_lists([sorted(found)], [[[]]])
    assert batch.numbers() == [[list(range(len(found))), []]]
    assert len(set(batch.hashes()[0])) == len(found)
    low_bits = {h & 0xFFFF for h in batch.hashes()[0]}
    assert len(low_bits) > 0.9 * (1 << 16)  # 1 - exp(-170,000 / 65,536) = 0.93 of all values by chance


def test_words_of_equal_hash_stay_apart() -> None:
    """Two words made to collide: only a comparison of the words themselves tells them apart."""
    bits = (1 << 64) - 1

    def first_half(word: bytes) -> int:
        value = (int.from_bytes(word, "little") ^ (((1 << 56) | 16) * 0x9E3779B97F4A7C15 & bits)) * 0xBF58476D1CE4E5B9
        return value & bits ^ (value & bits) >> 32

    second = int.from_bytes(b"ijklmnop", "little") + first_half(b"abcdefgh") - first_half(b"ABCDEFGH") & bits
    one, two = "abcdefghijklmnop", (b"ABCDEFGH" + second.to_bytes(8, "little")).decode("latin-1")
    batch = native.tokens_from_lists([[one, two, one]], [[[two, one]]])
    assert batch.hashes()[0][0] == batch.hashes()[0][1]  # else this test tests nothing
    assert batch.numbers() == [[[0, 1, 0], [1, 0]]]


def test_a_long_text_between_short_ones() -> None:
    long = " ".join(f"w{i} {'long' * 20}{i % 50}" for i in range(50_000))
    hypotheses, references = ["a b a", long, "b a"], [["b"], [long], ["a"]]
    batch = native.tokens(hypotheses, references, "13a", False, "none", False, 1)
    assert batch.numbers() == numbered(
        [[h.split(), *(r.split() for r in refs)] for h, refs in zip(hypotheses, references, strict=True)]
    )


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="tokeniser 'ja-mecab'"):
        native.tokens(["a"], [["a"]], "ja-mecab", False, "none", False, 1)
    with pytest.raises(ValueError, match="stemmer 'snowball'"):
        native.tokenize("a", "none", False, "snowball")
    with pytest.raises(ValueError, match="as many"):
        native.tokens(["a", "b"], [["a"]], "none", False, "none", False, 1)
    with pytest.raises(TypeError, match="list of references"):
        native.tokens(["a"], ["a"], "none", False, "none", False, 1)
    with pytest.raises(TypeError, match="hypotheses must be a list"):
        native.tokens("a", [["a"]], "none", False, "none", False, 1)
    with pytest.raises(TypeError, match="must be a string"):
        native.tokens([None], [["a"]], "none", False, "none", False, 1)
    with pytest.raises(TypeError, match="every token must be a string"):
        native.tokens_from_lists([["a", 1]], [[["a"]]])
    with pytest.raises(TypeError, match="list of tokens"):
        native.tokens_from_lists(["a b"], [[["a"]]])
    with pytest.raises(ValueError, match="all of its tokens"):
        native.tokens_from_lists([["a", "b"]], [[["a"]]], [[1]], [[[1]]])
    with pytest.raises(ValueError, match="line lengths"):
        native.tokens_from_lists([["a", "b"]], [[["a"]]], [[2]], [[]])
    with pytest.raises(ValueError, match="for both sides or for none"):
        native.tokens_from_lists([["a"]], [[["a"]]], [[1]], None)
