"""The phrases of the judges' pages: those of the package, and translations of one's own that a study names.

A translation is a YAML file beside the study file. What it says is read and checked against the English phrases when
the study is loaded, and frozen with it at launch; a phrase that it lacks is said in its fallback language.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import yaml

from nlgauge.errors import InputError, shortened, suggest
from nlgauge.io.fields import Problem, Reader, Words, key
from nlgauge.io.files import readable
from nlgauge.io.trees import compose
from nlgauge.study.languages import ABOUT, DEFAULT, LANGUAGES, Language, content

TAG = re.compile(r"(?=.{2,16}$)[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)
ELSE = "else"
USUAL: Mapping[str, str] = {"one": "n = 1", "other": ELSE}
_TWO, _NO_TEEN = {"one": "n = 1", "two": "n = 2"}, "and n % 100 != 11..19"
_SLAVIC = {"one": "n % 10 = 1 and n % 100 != 11", "few": "n % 10 = 2..4 and n % 100 != 12..14"}
PLURALS: Mapping[str, Mapping[str, str]] = {
    "id ja km ko lo ms my th vi zh": {"other": ELSE},
    "am bn fa fr gu hi hy kn pa pt zu": {"one": "n = 0..1", "other": ELSE},
    "be ru uk": {**_SLAVIC, "many": ELSE},
    "bs hr sr": {**_SLAVIC, "other": ELSE},
    "pl": {"one": "n = 1", "few": _SLAVIC["few"], "many": ELSE},
    "cs sk": {"one": "n = 1", "few": "n = 2..4", "other": ELSE},
    "sl": {"one": "n % 100 = 1", "two": "n % 100 = 2", "few": "n % 100 = 3..4", "other": ELSE},
    "lt": {"one": f"n % 10 = 1 {_NO_TEEN}", "few": f"n % 10 = 2..9 {_NO_TEEN}", "other": ELSE},
    "lv": {"zero": "n % 10 = 0 or n % 100 = 11..19", "one": "n % 10 = 1 and n % 100 != 11", "other": ELSE},
    "is mk": {"one": "n % 10 = 1 and n % 100 != 11", "other": ELSE},
    "ro": {"one": "n = 1", "few": "n = 0 or n % 100 = 1..19", "other": ELSE},
    "he": {"one": "n = 1", "two": "n = 2", "other": ELSE},
    "ga": {"one": "n = 1", "two": "n = 2", "few": "n = 3..6", "many": "n = 7..10", "other": ELSE},
    "cy": {"zero": "n = 0", "one": "n = 1", "two": "n = 2", "few": "n = 3", "many": "n = 6", "other": ELSE},
    "mt": {**_TWO, "few": "n = 0 or n % 100 = 3..10", "many": "n % 100 = 11..19", "other": ELSE},
    "ar": {"zero": "n = 0", **_TWO, "few": "n % 100 = 3..10", "many": "n % 100 = 11..99", "other": ELSE},
}
"""The plural categories of Unicode CLDR for whole numbers, in their order, and when each is meant; languages that are
not here have `USUAL`."""
_RELATION = re.compile(r"n(?: ?% ?(\d+))? ?(!?=) ?(\d+(?:\.\.\d+)?(?: ?, ?\d+(?:\.\.\d+)?)*)", re.ASCII)
RIGHT_TO_LEFT = frozenset(("ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"))
GROUPS = {"space": "\u202f", "comma": ",", "point": ".", "none": ""}
_SPELT = ("zero", "one", "two")  # forms that may say the number in words
NAMED = 40  # phrases in a note


@dataclass(frozen=True)
class Translation:
    """A translation of the pages into a language."""

    name: str = key("what its speakers call the language")
    phrases: Mapping[str, Words] = key("the phrases of the pages, by their names")
    direction: Literal["ltr", "rtl"] | None = key(
        "left to right or right to left; by default that of the language", default=None
    )
    fallback: Language = key(
        "the language of the package whose phrases stand in for those that are missing", default="en"
    )
    plurals: Mapping[str, str] = key(
        "plural categories and when they are meant, as Unicode CLDR writes it; by default those of the language",
        default={},
    )
    group: Literal["space", "comma", "point", "none"] = key(
        "what stands between groups of three digits", default="space"
    )
    sha256: str = key("of the file at launch", default="", frozen=True)


def plurals_of(tag: str) -> Mapping[str, str]:
    """The plural categories of a language, in their order, and when each is meant."""
    first = tag.lower().partition("-")[0]
    return next((rules for tags, rules in PLURALS.items() if first in tags.split()), USUAL)


def category(plurals: Mapping[str, str], count: int) -> str:
    """The plural category of a whole number.

    >>> [category(plurals_of("pl"), n) for n in (1, 3, 5, 12, 22)]
    ['one', 'few', 'many', 'many', 'few']
    """
    return next(name for name, rule in plurals.items() if rule == ELSE or _holds(rule, count))


def _holds(rule: str, count: int) -> bool:
    return any(all(_relation(relation, count) for relation in part.split(" and ")) for part in rule.split(" or "))


def _relation(written: str, count: int) -> bool:
    found = _RELATION.fullmatch(written.strip())
    if found is None:
        raise ValueError(written)
    divisor, sign, listed = found.groups()
    ends = [part.strip().split("..") for part in listed.split(",")]
    if (divisor and not int(divisor)) or any(int(end[0]) > int(end[-1]) for end in ends):
        raise ValueError(written)  # nothing has a remainder by 0, nothing lies from 5 to 2
    rest = abs(count) % int(divisor) if divisor else abs(count)
    return any(int(end[0]) <= rest <= int(end[-1]) for end in ends) == (sign == "=")


# ------------------------------------------------------------------------------------------------------ one's own


def read_all(folder: Path, files: Mapping[str, str]) -> tuple[dict[str, Translation], list[tuple[str, str]]]:
    """The translations that a study file names, and what is wrong in them: the key of the file, and a sentence."""
    found, wrong = {}, []
    for tag, name in files.items():
        path = f"translations.{tag}"
        if TAG.fullmatch(tag) is None:
            wrong.append((path, f"{shortened(tag)} is no tag of a language; write it as in eu, pt-BR or zh-Hant"))
            continue
        try:
            made, problems = read(folder / name, tag)
        except InputError as error:
            wrong.append((path, str(error)))
            continue
        wrong += [(path, f"{name}, {problem}") for problem in problems]
        if made is not None:
            found[tag] = made
    return found, wrong


def read(path: Path, tag: str) -> tuple[Translation | None, list[Problem]]:
    """A translation and everything that is wrong in it, by line; None where it cannot be read."""
    with readable(path):
        content = path.read_bytes()
    try:
        node = compose(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        why = getattr(error, "problem", None) or error
        raise InputError(
            f"{path}{line}: not valid YAML ({why}); check indentation, colons and quotes, and put a phrase in "
            "quotation marks"
        ) from None
    if node is None:
        raise InputError(f"{path} is empty; make one with: nlgauge study translation {tag} -o {path.name}")
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{path} must have keys (name, phrases), as nlgauge study translation {tag} writes it")
    reader = Reader()
    reader.refuse_unshowable(node)
    _leave_out_empty(node)
    made: Translation | None = reader.read(Translation, node, "")
    problems = reader.problems
    if made is not None:
        problems += [Problem(reader.lines.get(where, 0), where, message) for where, message in _faults(made, tag)]
        made = replace(made, sha256=hashlib.sha256(content).hexdigest())
    return made, sorted(problems, key=lambda problem: problem.line)


def _leave_out_empty(node: yaml.Node) -> None:
    """A phrase that is open is none yet."""

    def is_open(value: yaml.Node) -> bool:
        if isinstance(value, yaml.MappingNode):
            return all(is_open(form) for _, form in value.value)
        return isinstance(value, yaml.ScalarNode) and not value.value.strip()

    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if name.value == "phrases" and isinstance(value, yaml.MappingNode):
            value.value = [pair for pair in value.value if not is_open(pair[1])]


def _faults(made: Translation, tag: str) -> Iterator[tuple[str, str]]:
    """What of a translation the pages could not say."""
    plurals = made.plurals or plurals_of(tag)
    for name, rule in made.plurals.items():
        try:
            for part in re.split(" and | or ", rule) if rule != ELSE else ():
                _relation(part, 1)  # each of them, whether or not one before it decides
        except ValueError:
            place = f"plurals.{name}"
            yield place, f"{place}: {shortened(rule)} cannot be read; write it as in n % 10 = 2..4"
    rest = [place for place, rule in enumerate(made.plurals.values(), start=1) if rule == ELSE]
    if made.plurals and not rest:
        yield "plurals", f"plurals: no category is for the rest of the numbers; write {ELSE} after the last one"
    elif made.plurals and rest != [len(made.plurals)]:
        yield (
            "plurals",
            f"plurals: a category after {ELSE} is never meant, because {ELSE} takes every number; write {ELSE} once, "
            "after the last one",
        )
    english = content(DEFAULT, "pages")
    for name, words in made.phrases.items():
        place, source = f"phrases.{name}", english.get(name)
        if source is None:
            yield place, f"there is no phrase {shortened(name)}; {suggest(name, english)}"
            continue
        forms = [] if isinstance(source, str) or list(words) == [""] else list(plurals)
        unknown = [form for form in words if form not in (forms or [""])]
        lacking = [form for form in forms if form not in words]
        if unknown:
            expected = f"its forms are {', '.join(forms)}" if forms else "it is one text, without forms for numbers"
            yield place, f"the phrase {name} has the form {shortened(unknown[0])}; {expected}"
        if lacking:
            yield place, f"the phrase {name} has no form for {', '.join(lacking)}; add it"
        needed = placeholders(*([source] if isinstance(source, str) else source.values()))
        for form, text in words.items():
            at = f"{name} ({form})" if form else name
            yield from ((place, f"the phrase {at} {fault}") for fault in _broken(text, needed, form in _SPELT))


def _broken(text: str, needed: set[str], spelt: bool) -> Iterator[str]:
    """What is wrong with the placeholders of a phrase."""
    shown = ", ".join(f"{{{name}}}" for name in sorted(needed)) or "none"
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        yield f"has a brace that opens or closes no placeholder; its placeholders are: {shown}"
        return
    given = {name for _, name, _, _ in parsed if name is not None}
    if given - needed or any(form or turn for _, _, form, turn in parsed):
        if not given - needed:
            yield f"changes a placeholder with ! or :, which stands there by itself; its placeholders are: {shown}"
            return
        odd = min(given - needed)
        yield f"holds {{{odd}}}, which the page does not fill in; its placeholders are: {shown}"
    elif needed - given and not spelt:
        yield f"lacks {{{min(needed - given)}}}; its placeholders are: {shown}"


def placeholders(*texts: str) -> set[str]:
    """The names in braces."""
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def language_names(translations: Mapping[str, Translation]) -> dict[str, str]:
    """What the languages of the pages are called, those of a study's own translations among them."""
    names = {code: language.english for code, language in ABOUT.items()}
    return names | {tag: translation.name for tag, translation in translations.items()}


def missing(made: Translation) -> list[str]:
    """The phrases that a translation lacks, in the order of the catalogue."""
    return [name for name in content(DEFAULT, "pages") if name not in made.phrases]


def missing_note(tag: str, file: str, made: Translation) -> str:
    """That phrases are missing, and what judges read instead; empty where none is."""
    lacking, total = missing(made), len(content(DEFAULT, "pages"))
    if not lacking:
        return ""
    more = f" and {len(lacking) - NAMED:,} more" if len(lacking) > NAMED else ""
    return (
        f"{file} lacks {len(lacking):,} of the {total:,} phrases of the pages, which judges who read {tag} see in "
        f"{ABOUT[made.fallback].name} ({made.fallback}): {', '.join(lacking[:NAMED])}{more}"
    )


def template(tag: str, source: str = "en") -> str:
    """A file to translate: every phrase with its source above it."""
    if TAG.fullmatch(tag) is None:
        raise InputError(f"{shortened(tag)} is no tag of a language; write it as in eu, pt-BR or zh-Hant")
    if source not in LANGUAGES:
        raise InputError(f"the package has no pages in {shortened(source)}; {suggest(source, LANGUAGES)}")
    first = tag.lower().partition("-")[0]
    plurals, known = plurals_of(tag), content(source, "pages")
    lines = [
        "# The phrases of the judges' pages. Write each translation between the quotation marks below its source. Keep",
        "# what stands in braces, for example {total}: the pages fill it in. An empty phrase is said in the fallback",
        "# language; of plural forms fill in all or none.",
        f"# Then write into study.yaml:  translations: {{{tag}: THIS-FILE}}",
        'name: ""  # what speakers of the language call it',
        f"direction: {'rtl' if first in RIGHT_TO_LEFT else 'ltr'}",
        f"fallback: {source}",
        "group: space  # between groups of three digits: space, comma, point or none",
        "plurals:  # which form is meant by which number n, as Unicode CLDR writes it",
        *(f"  {name}: {rule}" for name, rule in plurals.items()),
        "phrases:",
    ]
    for name, phrase in known.items():
        texts = [phrase] if isinstance(phrase, str) else [f"{form}: {text}" for form, text in phrase.items()]
        lines += [f"  # {text}" for text in texts]
        forms: Sequence[str] = () if isinstance(phrase, str) else tuple(plurals)
        lines += [f"  {name}:", *(f'    {form}: ""' for form in forms)] if forms else [f'  {name}: ""']
    return "\n".join(lines) + "\n"
