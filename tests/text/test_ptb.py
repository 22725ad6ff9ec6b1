"""The caption tokeniser beside Stanford's: recorded sentences, and live where Java and the jar are present."""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import random_texts

from nlgauge.text.ptb import PUNCTUATION, _is_plain, _lexed, ptb, ptb_keep

CASES = json.loads((Path(__file__).parent / "ptb_recorded.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:30])
def test_recorded_sentences(case: dict[str, str]) -> None:
    tokens = case["tokens"].split(" ")
    assert ptb_keep(case["text"]) == tokens
    assert ptb(case["text"]) == [token for token in tokens if token not in PUNCTUATION]


def test_punctuation_is_dropped_but_lower_case_brackets_stay() -> None:
    assert ptb('He said: "Go (now)!" -- really...') == ["he", "said", "go", "-lrb-", "now", "-rrb-", "really"]
    assert ptb("?! ;") == ["?!"]  # a run of marks is not on the caption kit's list


def test_context_to_the_right_decides() -> None:
    assert ptb_keep("Acme Inc. grew") == ["acme", "inc.", "grew"]
    assert ptb_keep("Acme Inc. It grew") == ["acme", "inc.", ".", "it", "grew"]
    assert ptb_keep("vitamin C. The") == ["vitamin", "c", ".", "the"]
    assert ptb_keep("vitamin C. Thea") == ["vitamin", "c.", "thea"]
    assert ptb_keep("no. 5") == ["no.", "5"]
    assert ptb_keep("no. five") == ["no", ".", "five"]


def test_no_token_is_empty_or_holds_white_space() -> None:
    for text in random_texts(1500, seed=13):
        assert all(token and not any(character.isspace() for character in token) for token in ptb_keep(text))


@given(text=st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_tokenised_in_lower_case(text: str) -> None:
    for token in ptb_keep(text):
        assert token.split() == [token]
        assert token == token.lower()


def test_long_texts_take_linear_time() -> None:
    text = "word, " * 20000 + "a." * 200 + "-" * 5000 + "x" * 20000 + "1" * 5000 + "'" * 2001
    assert len(ptb_keep(text)) > 40000


def jar() -> Path | None:
    """The jar of an installed pycocoevalcap."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "tokenizer" / "stanford-corenlp-3.4.1.jar"
        if path.is_file():
            return path
    return None


@pytest.mark.slow
def test_live_beside_java(tmp_path: Path) -> None:
    """Sentences shuffled from the words of the recorded ones."""
    path = jar()
    if path is None or shutil.which("java") is None:
        pytest.skip("needs Java and the jar in the package pycocoevalcap")
    generator = random.Random(2)
    words = [word for case in CASES for word in case["text"].split()]
    texts = [" ".join(generator.choices(words, k=generator.randint(1, 15))) for _ in range(3000)]
    file = tmp_path / "texts.txt"
    # A line of its own between two texts keeps each from seeing the next one's first word.
    file.write_text("\n\nzzz\n\n".join(texts) + "\n", encoding="utf-8")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", str(path), "edu.stanford.nlp.process.PTBTokenizer"]
    output = subprocess.run([*command, "-preserveLines", "-lowerCase", str(file)], capture_output=True, check=True)
    lines = output.stdout.decode("utf-8").split("\n")[::4]
    equal = [ptb_keep(text) == line.split() for text, line in zip(texts, lines, strict=False)]
    assert len(equal) == len(texts)
    assert sum(equal) / len(equal) > 0.97, sum(equal) / len(equal)


def test_plain_texts_need_no_rules() -> None:
    draw = random.Random(5)
    special = "a I C cannot Gonna gimme Mr mr Inc etc Mass mass St no No Fig US www com Jan may al Ph d n o vs p jr"
    words = [
        *special.split(),
        *("".join(draw.choices("abcdnotgmlsW", k=draw.randint(1, 5))) for _ in range(60)),
    ]
    plain = 0
    for _ in range(4000):
        gaps = draw.choices((" ", " ", " ", " , ", ", ", "  ", ",", ",, "), k=draw.randint(0, 5))
        text = "".join(draw.choice(words) + gap for gap in gaps) + draw.choice(words)
        text += draw.choice(("", " .", ".", ". ", "  .", ",."))
        assert ptb_keep(text) == " ".join(_lexed(text)).split(), text
        plain += _is_plain(text)
    assert plain > 2000
