"""The tables of METEOR 1.5 (Denkowski and Lavie 2014): function words, synonyms, paraphrases, weights.

They are read from the user's own copy of the program: the PyPI package pycocoevalcap carries `meteor-1.5.jar` (function
words and synonyms are files inside) and the English paraphrase table. NLGAUGE_METEOR names another folder.
"""

from __future__ import annotations

import importlib.util
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from nlgauge.errors import InputError, MissingResource
from nlgauge.lexicons.digests import digest_of
from nlgauge.lexicons.wordnet import RULES
from nlgauge.text import meteor as text_meteor

P = ParamSpec("P")
R = TypeVar("R")

# As the program names them.
LANGUAGES = {
    "en": "english",
    "cz": "czech",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "ru": "russian",
    "da": "danish",
    "fi": "finnish",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "se": "swedish",
    "tr": "turkish",
    "other": "other",  # the program's -new: function words and paraphrases are the user's
}
MODULES = ("exact", "stem", "synonym", "paraphrase")
_FULL = {"en": MODULES, "cz": ("exact", "paraphrase"), "other": ("exact", "paraphrase")}
_WITH_PARAPHRASES = ("de", "es", "fr", "ru")
TASKS = ("rank", "adq", "hter", "li", "tune", "util")

Parameters = tuple[float, float, float, float]
# (alpha, beta, gamma, delta) and the weights of the modules in use, as the program prints them.
_TUNED: dict[tuple[str, str], tuple[Parameters, tuple[float, ...]]] = {
    ("en", "rank"): ((0.85, 0.2, 0.6, 0.75), (1.0, 0.6, 0.8, 0.6)),
    ("en", "adq"): ((0.75, 1.4, 0.45, 0.7), (1.0, 1.0, 0.6, 0.8)),
    ("en", "hter"): ((0.4, 1.5, 0.35, 0.55), (1.0, 0.2, 0.6, 0.8)),
    ("en", "util"): ((0.65, 0.1, 0.55, 0.65), (1.0, 0.0, 0.0, 0.8)),
    ("cz", "rank"): ((0.95, 0.2, 0.6, 0.8), (1.0, 0.4)),
    ("de", "rank"): ((0.95, 1.0, 0.55, 0.55), (1.0, 0.8, 0.2)),
    ("es", "rank"): ((0.65, 1.3, 0.5, 0.8), (1.0, 0.8, 0.6)),
    ("fr", "rank"): ((0.9, 1.4, 0.6, 0.65), (1.0, 0.2, 0.4)),
    ("ru", "rank"): ((0.75, 1.4, 0.7, 0.5), (1.0, 0.5, 0.5)),
    ("other", "rank"): ((0.7, 1.4, 0.3, 0.7), (1.0, 0.6)),  # the universal weights
}
_ANY: dict[str, Parameters] = {"li": (0.75, 1.4, 0.7, 0.5), "tune": (0.5, 1.0, 0.5, 0.5)}


def modules(language: str) -> tuple[str, ...]:
    """The stages the program has for a language."""
    if language in _FULL:
        return _FULL[language]
    return ("exact", "stem", "paraphrase") if language in _WITH_PARAPHRASES else ("exact", "stem")


def parameters(language: str, task: str) -> tuple[Parameters, dict[str, float]] | None:
    """(alpha, beta, gamma, delta) and the weight of each module; None where the program has none."""
    stages = modules(language)
    if (language, task) in _TUNED:
        values, weights = _TUNED[language, task]
        return values, dict(zip(stages, weights, strict=True))
    if task in _ANY:
        return _ANY[task], {stage: 1.0 if stage == "exact" else 0.5 for stage in stages}
    return None


# -- finding the files -----------------------------------------------------------------------------------------------


_INSTALL = "pip install --no-deps pycocoevalcap"
_ARCHIVE = "curl -LO https://www.cs.cmu.edu/~alavie/METEOR/download/meteor-1.5.tar.gz && tar -xf meteor-1.5.tar.gz"


def find() -> Path:
    """The folder with the jar and `data/`."""
    named = os.environ.get("NLGAUGE_METEOR")
    if named:
        if not any(Path(named).glob("meteor-*.jar")):
            raise InputError(
                f"NLGAUGE_METEOR names {named}, where meteor-1.5.jar was expected; name the folder that holds it, or "
                f"unset the variable and {_INSTALL}"
            )
        return Path(named)
    spec = importlib.util.find_spec("pycocoevalcap")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if any(Path(place, "meteor").glob("meteor-*.jar")):
            return Path(place, "meteor")
    raise MissingResource(
        "METEOR Universal",
        "the tables of METEOR 1.5",
        f"{_INSTALL}, or set NLGAUGE_METEOR to the folder with meteor-1.5.jar",
    )


def fact(paraphrases: Path | None) -> str:
    """For a receipt: the program's version and the first digits of the digest of its tables."""
    own = [paraphrases] if paraphrases else []
    try:
        jar = next(find().glob("meteor-*.jar"))
    except MissingResource:  # with lists of one's own for everything, none of the program's tables is needed
        return f"paraphrases:{digest_of(own)[:12]}" if own else ""
    return f"meteor@{jar.stem.removeprefix('meteor-')}:{digest_of([jar, *own])[:12]}"


def paraphrase_file(language: str) -> Path:
    """The paraphrase table of a language; only the English one comes with pycocoevalcap."""
    if language == "other":
        raise MissingResource(
            "METEOR Universal for another language",
            "a paraphrase table",
            "make one with nlgauge lexicon paraphrases and name it with paraphrases=PATH, or leave the stage out with "
            "paraphrases=none",
        )
    path = find() / "data" / f"paraphrase-{language}.gz"
    if not path.is_file():
        raise MissingResource(
            f"the paraphrase stage of METEOR for {LANGUAGES[language]}",
            f"the table {path}",
            f"it is in METEOR's own archive, {_ARCHIVE}, whose folder NLGAUGE_METEOR may name; or name another table "
            "with paraphrases=PATH, or leave the stage out with paraphrases=none",
        )
    return path


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its results kept, for each folder that NLGAUGE_METEOR has named apart."""
    kept: dict[tuple[Any, ...], R] = {}

    @wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        key = (os.environ.get("NLGAUGE_METEOR", ""), *args, *sorted(kwargs.items()))
        if key not in kept:
            kept[key] = function(*args, **kwargs)
        return kept[key]

    return found


@contextmanager
def _jar() -> Iterator[zipfile.ZipFile]:
    """The program's archive, whose tables are read."""
    path = next(find().glob("meteor-*.jar"))
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, KeyError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} is no whole copy of METEOR 1.5 ({error}); get it again: {_INSTALL} --force-reinstall"
        ) from None


@remembered
def _lines(name: str) -> tuple[str, ...]:
    with _jar() as archive:
        return tuple(archive.read(name).decode("utf-8").removesuffix("\n").split("\n"))


def _has(name: str) -> bool:
    with _jar() as archive:
        return name in archive.namelist()


@remembered
def function_words(language: str) -> frozenset[str]:
    """Words that count little; empty for languages without a list."""
    if language == "other":
        raise MissingResource(
            "METEOR Universal for another language",
            "a list of function words",
            "make one with nlgauge lexicon function-words and name it with function=PATH, or do without: function=none",
        )
    return frozenset(word.strip() for word in _lines(f"function/{LANGUAGES[language]}.words") if word.strip())


def word_file(path: Path, what: str) -> frozenset[str]:
    """The words of a file, one a line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; expected {what}, one word a line") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; expected {what}, one word a line") from None
    return frozenset(word for line in lines if (word := line.strip()))


@remembered
def normalizer(language: str) -> Callable[[str], list[str]]:
    """The program's normaliser for a language, with its list of abbreviations where it has one.

    Of another language (-new) it only lower-cases: texts come tokenised.
    """
    if language == "other":
        return lambda text: text.lower().split()
    name = f"nonbreaking/{LANGUAGES[language]}.prefixes"
    entries = [line.strip() for line in _lines(name)] if _has(name) else []
    entries = [line for line in entries if line and not line.startswith("#")]
    numeric = {line.split()[0] for line in entries if "NUMERIC_ONLY" in line}
    plain = {line for line in entries if "NUMERIC_ONLY" not in line}
    return text_meteor.normalizer(language, plain, numeric)


# -- synonyms --------------------------------------------------------------------------------------------------------

# Endings a form may lose, in the order they are tried: WordNet's for nouns, verbs and adjectives but for one. The first
# that leaves a word of the dictionary counts.
_DETACHED = tuple(dict.fromkeys(rule for part in "nva" for rule in RULES[part] if rule != ("ves", "f")))
_BY_LAST_LETTER = {letter: [rule for rule in _DETACHED if rule[0][-1] == letter] for letter in "sndgrt"}


class Synonyms:
    """Which synsets a word belongs to: its own and those of its base forms.

    A form on the list of exceptions has the bases given there; any other has the first base that detaching an ending
    leaves in the dictionary.
    """

    def __init__(self) -> None:
        synsets = _lines("synonym/english.synsets")
        exceptions = _lines("synonym/english.exceptions")
        self._synsets = dict(zip(synsets[0::2], synsets[1::2], strict=False))
        self._bases: dict[str, list[str]] = {}
        for base, forms in zip(exceptions[0::2], exceptions[1::2], strict=False):
            for form in forms.split():
                self._bases.setdefault(form, []).append(base)

    def synsets(self, word: str) -> frozenset[int]:
        forms = [word, *self._base_forms(word)]
        return frozenset(map(int, " ".join([self._synsets.get(form, "") for form in forms]).split()))

    def _base_forms(self, word: str) -> list[str]:
        if word in self._bases:
            return self._bases[word]
        if len(word) > 2:
            for old, new in _BY_LAST_LETTER.get(word[-1], ()):
                if word.endswith(old) and not (old == "s" and word.endswith("ss")):
                    base = word[: len(word) - len(old)] + new
                    if base in self._synsets:
                        return [base]
        return []


@remembered
def synonyms() -> Synonyms:
    """The English synonym dictionary; opened once."""
    return Synonyms()
