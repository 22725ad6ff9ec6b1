"""Texts that try a tokeniser: seeded mixtures of awkward pieces."""

from __future__ import annotations

import random

PIECES = [
    *"abcXYZ019 .,-'\"!?:;()[]{}<>&$%#@/\\|`~^_+=*",
    *" \n\t\r\x0b\x0c\x00\x1c\x1f\x85\xa0\u1680\u2001\u2028\u2029\u202f\u205f\u3000\u200b\ufeff",
    *"éßİΣςǅſ\u0301\u0327ﬁ²½٣७Ⅳ①€£¥°©™→≤–—‘’“”…«»¿¡",
    *"中国々〇のカ。，、「」！？（）한국אבعر\u0651हिन्ดีไ\u2a6d\u2a6e\u2001\u2f81\u2fe0\uff0e\uffef\ufe30",
    "\U00020000",
    "😀",
    "👩\u200d🚀",
    "🇩🇪",
    "\U000e0100",
    "can't",
    "cannot",
    "gonna",
    "wanna ",
    "'tis",
    "it's ",
    "don't ",
    "they'll ",
    "1,234.5",
    "2020.",
    "3-4",
    "&lt;",
    "&amp;lt;",
    "&quot;",
    "&amp;",
    "<skipped>",
    "-\n",
    "\n-",
    "...",
    "--",
    "''",
    "``",
    "'s ",
    "running",
    "generalisations ",
    "The ",
    "word ",
    "  ",
    " ",
    " ",
]


def random_texts(count: int, seed: int, longest: int = 30) -> list[str]:
    """`count` texts of up to `longest` pieces each; the first is empty, the second white space."""
    generator = random.Random(seed)
    made = ["".join(generator.choices(PIECES, k=generator.randint(0, longest))) for _ in range(count - 2)]
    return ["", " \n\t ", *made]
