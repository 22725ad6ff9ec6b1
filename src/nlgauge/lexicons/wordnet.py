"""WordNet (Fellbaum 1998), read from its database files (WNDB): base forms and synonyms of a word.

Equal to NLTK's WordNetCorpusReader: `morphy` looks a form up in the exception lists or, where it is not listed,
applies each rule of detachment once, and keeps what the index knows. Debian's `wordnet-base`, NLTK's data folder
and the original distribution have the same files.
"""

from __future__ import annotations

import mmap
import os
import re
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.errors import InputError, MissingResource
from nlgauge.lexicons.digests import digest_of
from nlgauge.text.porter import rules

if TYPE_CHECKING:
    from nlgauge import _native

_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_FILES = tuple(f"{kind}.{part}" for part in _PARTS.values() for kind in ("index", "data"))

# Ending, what takes its place: the rules of detachment of each part of speech (morphy(7WN)).
RULES = {
    "n": rules("s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y"),
    "v": rules("s: ies:y es:e es: ed:e ed: ing:e ing:"),
    "a": rules("er: est: er:e est:e"),
    "r": rules(""),
}
_LAST_LETTERS = frozenset(old[-1] for rules in RULES.values() for old, _ in rules)
_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand, written after it


class WordNet:
    """The database in one folder; synsets are parsed when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in _PARTS.values():
            _check_index(folder / f"index.{name}")
        self._data = {part: _mapped(folder / f"data.{name}") for part, name in _PARTS.items()}
        self._known: dict[str, frozenset[str]] = {}

    # Read as dictionaries only where the compiled reader is not in use.
    @cached_property
    def _index(self) -> dict[str, dict[str, str]]:
        return {part: _index(self.folder / f"index.{name}") for part, name in _PARTS.items()}

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        return {part: _exceptions(self.folder / f"{name}.exc") for part, name in _PARTS.items()}

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset().union(*self._index.values(), *self._exceptions.values())

    @cached_property
    def compiled(self) -> _native.WordNet:
        """The same files, read by the compiled kernels."""
        from nlgauge import _native

        return _native.WordNet(
            [
                (
                    _mapped(self.folder / f"index.{name}"),
                    (self.folder / f"{name}.exc").read_bytes(),
                    RULES[part],
                    self._data[part],
                    part == "a",
                )
                for part, name in _PARTS.items()
            ]
        )

    @cached_property
    def fact(self) -> str:
        """For a receipt: the version that the files tell, and the first digits of their digest."""
        with (self.folder / "data.noun").open("rb") as file:
            told = re.search(rb"WordNet (\d+(?:\.\d+)*) Copyright", file.read(2_048))
        files = [self.folder / name for name in (*_FILES, *(f"{name}.exc" for name in _PARTS.values()))]
        digest = digest_of([path for path in files if path.is_file()])
        return f"wordnet@{told[1].decode() if told else 'unknown'}:{digest[:12]}"

    def morphy(self, form: str, part: str) -> list[str]:
        """The form itself and its base forms, as far as the index of the part of speech (n, v, a, r) has them."""
        index, bases = self._index[part], self._exceptions[part].get(form)
        if bases is None:
            bases = [form[: len(form) - len(old)] + new for old, new in RULES[part] if form.endswith(old)]
        if not bases:
            return [form] if form in index else []
        return [base for base in dict.fromkeys([form, *bases]) if base in index]

    def synsets(self, word: str) -> list[tuple[str, int]]:
        """(part of speech, offset) of every synset of the word's base forms."""
        word = word.lower()
        return [
            (part, int(offset))
            for part in _PARTS
            for form in self.morphy(word, part)
            for offset in self._index[part][form].split()
        ]

    def lemmas(self, part: str, offset: int) -> list[str]:
        """The words and collocations of a synset, with `_` for blanks."""
        data = self._data[part]
        # offset (8 digits), file (2), type (1), number of words (2, hexadecimal), then words and numbers in turn
        first = offset + 17
        count = int(data[first - 3 : first - 1], 16)
        fields = data[first : first + 100 * count].split(b" ", 2 * count)[: 2 * count : 2]
        words = [field.decode("utf-8") for field in fields]
        return [_MARKER.sub("", word) for word in words] if part == "a" else words

    def synonyms(self, word: str) -> frozenset[str]:
        """The single words that share a synset with the word."""
        known = self._known.get(word)
        if known is None and word[-1:] not in _LAST_LETTERS and word.lower() not in self._listed:
            return frozenset()  # most stems: no rule applies and no file has them
        if known is None:
            known = frozenset(
                lemma for part, offset in self.synsets(word) for lemma in self.lemmas(part, offset) if "_" not in lemma
            )
            self._known[word] = known
        return known


def _check_index(path: Path) -> None:
    """Refuse what is no index of WordNet's at the first line after the licence, before a kernel relies on it."""
    with path.open("rb") as lines:
        first = next((line for line in lines if not line.startswith(b"  ")), b"")
    if not re.fullmatch(rb"\S+ [nvar] [0-9]+ .*[0-9]{8}\s*", first):
        raise ValueError(f"{path.name} is not an index of WordNet's")


def _index(path: Path) -> dict[str, str]:
    """lemma -> the offsets of its synsets, still as text: most are never read."""
    index = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith(" "):  # the licence
                continue
            head, _, rest = line.partition(" ")
            synsets = int(rest.split(" ", 2)[1])
            index[head] = " ".join(rest.split()[-synsets:])
    return index


def _exceptions(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8") as file:
        rows = (line.split() for line in file)
        return {row[0]: row[1:] for row in rows if row}


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _candidates() -> list[Path]:
    """Where WordNet usually lies: NLGAUGE_WORDNET, WNHOME, Debian, NLTK's data folders."""
    named = [Path(os.environ["NLGAUGE_WORDNET"])] if os.environ.get("NLGAUGE_WORDNET") else []
    if os.environ.get("WNHOME"):
        named.append(Path(os.environ["WNHOME"]) / "dict")
    nltk = [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    nltk += [Path.home() / "nltk_data", Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")]
    system = [
        Path("/usr/share/wordnet"),
        Path("/usr/local/WordNet-3.0/dict"),
        Path("/opt/homebrew/share/wordnet"),
    ]
    return named + system + [folder / "corpora" / "wordnet" for folder in nltk]


def _complete(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _FILES)


def find() -> Path:
    """The folder of WordNet's files, or a sentence that says how to get them."""
    if os.environ.get("NLGAUGE_WORDNET") and not _complete(Path(os.environ["NLGAUGE_WORDNET"])):
        raise InputError(
            f"NLGAUGE_WORDNET names {os.environ['NLGAUGE_WORDNET']}, where index.noun, data.noun and the other "
            "files of WordNet were expected; name the folder that holds them (apt install wordnet-base: "
            "/usr/share/wordnet)"
        )
    for folder in _candidates():
        if _complete(folder):
            return folder
    raise MissingResource(
        "synonyms",
        "WordNet's database",
        "apt install wordnet-base (or: python -m nltk.downloader wordnet && unzip it in place), or set "
        "NLGAUGE_WORDNET to the folder with index.noun",
    )


@cache
def _opened(folder: Path) -> WordNet:
    try:
        return WordNet(folder)
    except (OSError, ValueError, IndexError) as error:  # a file is missing, empty, or not WordNet's
        raise InputError(
            f"the WordNet in {folder} cannot be read ({error}); install it again (apt install wordnet-base), or set "
            "NLGAUGE_WORDNET to the folder of another"
        ) from None


def wordnet() -> WordNet:
    """The WordNet of this machine; opened once."""
    return _opened(find())
