"""Texts for the live comparisons: awkward ones by rule, and many from a seed."""

from __future__ import annotations

import random

from hypothesis import strategies as st

# All white space of str.split() and what only looks like it, combining marks, scripts, emoji, controls.
SPACES = " \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
NOT_SPACES = "\u200b\u200d\u2060\ufeff\u180e\x00\x08\x7f"
LETTERS = "abcdeABCDE019" + "éßİıſKÅΣσςЖжשלוםابعहिन日本語한국어" + "e\u0301a\u0308\u0345"
MARKS = ".,!?;:'\"()[]{}<>-_/\\&%$#@*+=^`~|" + "¿¡«»“”…—、。؟"
EMOJI = "😀👩\u200d👩\u200d👧🇨🇭𝔘𐐀"
ALPHABET = SPACES + NOT_SPACES + LETTERS + MARKS + EMOJI

WORDS = [
    *(
        "the",
        "a",
        "cat",
        "cats",
        "sat",
        "on",
        "mat",
        ".",
        ",",
        "was",
        "running",
        "runs",
        "Running",
        "don't",
        "x",
    ),
    *(
        "state-of-the-art",
        "(hi)",
        '"quote"',
        "3.5",
        "%",
        "2019",
        "happily",
        "nation",
        "national",
        "relational",
    ),
    *(
        "été",
        "naïve",
        "Straße",
        "ZÜRICH",
        "слово",
        "日本語",
        "तीन",
        "שלום",
        "😀",
        "--",
        "...",
        "a.b.",
        "!?",
        "'",
    ),
    *("l'homme", "generously", "conditions", "dying", "agreed", "feed", "ties", "caresses", "skies", "y"),
]


def awkward() -> st.SearchStrategy[str]:
    """Short texts of anything, mostly from the characters that tools treat differently."""
    word = st.one_of(st.sampled_from(WORDS), st.text(st.sampled_from(ALPHABET), max_size=6))
    return st.one_of(
        st.lists(st.one_of(word, st.sampled_from(SPACES)), max_size=14).map(" ".join),
        st.lists(word, max_size=8).map("".join),
        st.text(max_size=20),
    )


def segments() -> st.SearchStrategy[list[tuple[str, list[str]]]]:
    """A few hypotheses, each with one to three references."""
    return st.lists(st.tuples(awkward(), st.lists(awkward(), min_size=1, max_size=3)), min_size=1, max_size=5)


def seeded(n: int, seed: int, *, references: int = 3, lines: bool = False) -> tuple[list[str], list[list[str]]]:
    """n hypotheses with one to `references` references each, which are edited copies of them."""
    draw = random.Random(seed)

    def text() -> list[str]:
        size = draw.choice((0, 1, 2, 5, 9, 14, 25))
        return [draw.choice(WORDS) for _ in range(size)]

    def edited(words: list[str]) -> list[str]:
        copy = [draw.choice(WORDS) if draw.random() < 0.2 else word for word in words if draw.random() > 0.1]
        cut = draw.randint(0, len(copy))
        return copy[cut:] + copy[:cut] if draw.random() < 0.3 else copy

    def written(words: list[str]) -> str:
        gaps = [
            "\n" if lines and draw.random() < 0.15 else draw.choice((" ", " ", " ", "", "\xa0", "  ")) for _ in words
        ]
        return "".join(word + gap for word, gap in zip(words, gaps, strict=True))

    hypotheses = [text() for _ in range(n)]
    return (
        [written(words) for words in hypotheses],
        [[written(edited(words)) for _ in range(draw.randint(1, references))] for words in hypotheses],
    )
