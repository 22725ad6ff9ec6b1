"""Reading grammar files and lexicons; whatever is wrong is named by file, line and column.

    file        = { directive | rule } ;
    directive   = "%start" NAME | "%lexicon" STRING | "%case" ( "exact" | "ignored" )
                | "%feature" NAME "=" NAME { "|" NAME } ;
    rule        = NAME [ features ] "=" alternative { "|" alternative } ";" ;
    alternative = [ LABEL ":" ] { item } [ "@" WEIGHT ] ;
    item        = part [ "?" | "*" | "+" ] ;
    part        = NAME [ features ] | STRING | PATTERN "~" STRING { STRING } | "(" alternative { "|" alternative } ")" ;
    features    = "[" feature { "," feature } "]" ;     feature = NAME [ "=" NAME ] ;

A feature without a value is shared: all its mentions in an alternative have the same value. A line of a lexicon is
`Category[features]: word, two words @3, /[0-9]+/ ~ 12 15`; it goes on after a comma. `#` begins a comment in both.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from pathlib import Path

from nlgauge.corpus.grammar.rules import Grammar, Item, Pattern, Place, Rule, Use, Word, WordPattern, split
from nlgauge.errors import InputError, shortened, suggest
from nlgauge.io.files import blocks, decode

SHIPPED = Path(__file__).parent / "shipped"
ENDING = ".grammar"
MOST_OPEN = 50  # brackets within brackets
MOST_CHARACTERS = 5_000_000  # of a file: more is no grammar
_BLANK = re.compile(r"(?:\s+|#[^\n]*)+")
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<pattern>/(?:[^/\\\n]|\\.)+/)|(?P<number>\d+(?:\.\d+)?)"""
    r"|(?P<directive>%\w*)|(?P<name>[^\W\d][\w-]*)|(?P<sign>[=|;:()\[\]?*+,@~])"
)
_ENTRY = re.compile(r"[ \t]*(?:(?P<pattern>/(?:[^/\\\n]|\\.)+/)|(?P<text>[^,@~#\n]*))[ \t]*")
_EXAMPLES = re.compile(r"~[ \t]*(?P<examples>[^,@#\n]*)")
_WEIGHT = re.compile(r"@[ \t]*(?P<weight>\d+(?:\.\d+)?)?[ \t]*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|$)")
_ESCAPE = re.compile(r"\\(.)")


def shipped() -> tuple[str, ...]:
    """The names of the grammars that come with nlgauge."""
    return tuple(sorted(path.name.removesuffix(ENDING) for path in SHIPPED.glob(f"*{ENDING}")))


def find(name: str) -> Path:
    """The file of a shipped grammar, or the path itself; a name that is neither is refused."""
    if name in shipped():
        return SHIPPED / f"{name}{ENDING}"
    if not Path(name).is_file():
        raise InputError(
            f"there is no grammar {name!r}: expected a file of rules or a grammar that comes with nlgauge; "
            f"{suggest(name, shipped())}"
        )
    return Path(name)


def read(path: str | Path) -> Grammar:
    """The grammar of a file, with the lexicons it names."""
    return _Grammar(Path(path)).read()


def parsed(text: str, name: str = "the rules") -> Grammar:
    """A grammar from a text; lexicons are looked for in the working folder."""
    return _Grammar(Path(name), text).read()


class _Reader:
    """A text read token by token, with its places."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        self.text = _content(path) if text is None else text
        self.at = 0
        self.lines = [0, *(found.end() for found in re.finditer("\n", self.text))]

    def place(self, at: int | None = None) -> Place:
        where = self.at if at is None else at
        line = bisect(self.lines, where)
        return Place(str(self.path), line, where - self.lines[line - 1] + 1)

    def peek(self) -> tuple[str, str]:
        """The kind of the next token and its text; the kind of a sign is the sign, of the end nothing."""
        if blank := _BLANK.match(self.text, self.at):
            self.at = blank.end()
        if self.at == len(self.text):
            return "", ""
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            sign = self.text[self.at]
            if sign in '"/':
                raise self.place().error(f"the {sign} is not closed on this line")
            raise self.place().error(
                f"{shortened(sign)} begins nothing here; words stand in quotation marks, patterns between slashes"
            )
        kind = str(found.lastgroup)
        return (found[0] if kind == "sign" else kind), found[0]

    def take(self, kind: str, expected: str) -> str:
        """The next token, which must be of that kind."""
        found, text = self.peek()
        if found != kind:
            got = shortened(text) if text else "the end of the file"
            raise self.place().error(f"expected {expected}, found {got}")
        self.at += len(text)
        return text

    def took(self, kind: str) -> bool:
        """Whether the next token is of that kind; it is taken then."""
        found, text = self.peek()
        if found == kind:
            self.at += len(text)
        return found == kind

    def use(self) -> Use:
        """A category with features."""
        kind, _ = self.peek()
        place = self.place()
        category = self.take("name", "the name of a category")
        fixed: dict[str, str] = {}
        shared: list[str] = []
        if kind and self.took("["):
            while True:
                self.peek()
                at = self.place()
                feature = self.take("name", "the name of a feature")
                if feature in fixed or feature in shared:
                    raise at.error(f"the feature {feature} stands twice")
                if self.took("="):
                    fixed[feature] = self.take("name", f"a value of {feature}")
                else:
                    shared.append(feature)
                if not self.took(","):
                    break
            self.take("]", "a comma or ] after a feature")
        return Use(category, tuple(sorted(fixed.items())), tuple(sorted(shared)), place)

    def pattern(self, written: str, examples: tuple[str, ...], place: Place) -> Pattern:
        form = written[1:-1].replace("\\/", "/")
        try:
            compiled = WordPattern(form)
        except (re.error, OverflowError, RecursionError) as error:
            raise place.error(f"{shortened(written)} cannot be used as a pattern: {error}") from None
        if not examples:
            raise place.error(f"the pattern {shortened(written)} needs examples after ~, such as ~ 12 15")
        for example in examples:
            if split(example) != [example] or not compiled.fits(example):
                raise place.error(f"the example {shortened(example)} is not one word that {written} matches as a whole")
        return Pattern(form, examples)

    def words(self, text: str, place: Place) -> tuple[Item, ...]:
        if not (found := split(text)):
            raise place.error("there is no word here; an empty alternative is written as nothing at all")
        return tuple(Word(word) for word in found)

    def weight(self, written: str | None, place: Place) -> float:
        if written is None or float(written) <= 0:
            raise place.error("expected a weight above 0 after @, such as @2.5")
        return float(written)


class _Grammar(_Reader):
    """A grammar file."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        super().__init__(path, text)
        self.rules: list[Rule] = []
        self.features: dict[str, tuple[str, ...]] = {}
        self.start: Use | None = None
        self.lexicons: list[Path] = []
        self.exact = False
        self.hidden = self.open = 0
        self.labels: dict[str, set[str]] = {}

    def read(self) -> Grammar:
        while self.peek()[0]:
            if self.peek()[0] == "directive":
                self._directive()
            else:
                self._rule()
        if not self.rules:
            raise self.place(0).error('no rule; expected at least one, such as  Greeting = "hello" ;')
        first = next(rule.category for rule in self.rules if not rule.hidden)
        start = self.start.category if self.start else first
        for path in self.lexicons:
            self.rules += _Lexicon(path).read()
        name = self.path.name.removesuffix(ENDING)
        files = tuple(str(path) for path in (self.path, *self.lexicons))
        found = Grammar(name, start, tuple(self.rules), self.features, self.exact, files)
        self._check(found)
        return found

    def _directive(self) -> None:
        place = self.place()
        directive = self.take("directive", "a directive")
        if directive == "%start":
            self.start = self.use()
            if self.start.fixed or self.start.shared:
                raise place.error("%start takes a category without features")
        elif directive == "%lexicon":
            given = Path(_unescaped(self.take("string", "the name of a lexicon in quotation marks")))
            if given.is_absolute() or ".." in given.parts:
                raise place.error(f"the lexicon {given} lies elsewhere; put it beside the rules, or in a folder there")
            path = self.path.parent / given
            if not path.is_file():
                raise place.error(f"there is no lexicon {path}; it is looked for beside the rules")
            self.lexicons.append(path)
        elif directive == "%case":
            said = self.take("name", "exact or ignored")
            if said not in ("exact", "ignored"):
                raise place.error(f"%case is exact or ignored, not {said}")
            self.exact = said == "exact"
        elif directive == "%feature":
            name = self.take("name", "the name of a feature")
            if name in self.features:
                raise place.error(f"the feature {name} is declared twice")
            self.take("=", f"= and the values of {name}")
            values = [self.take("name", f"a value of {name}")]
            while self.took("|"):
                values.append(self.take("name", f"a value of {name}"))
            self.features[name] = tuple(dict.fromkeys(values))
        else:
            known = ("%start", "%lexicon", "%case", "%feature")
            raise place.error(f"there is no directive {directive}; {suggest(directive, known)}")

    def _rule(self) -> None:
        left = self.use()
        self.take("=", f"= after {left.category}")
        taken = self.labels.setdefault(left.category, set())
        for label, items, weight, place in self._alternatives(left.category):
            rule = Rule(left, label or str(len(taken) + 1), items, weight)
            if rule.label in taken:
                raise place.error(f"the label {rule.label} stands twice in {left.category}")
            taken.add(rule.label)
            self.rules.append(rule)
        self.take(";", "another part of the rule, | or ;")

    def _alternatives(self, category: str) -> Iterator[tuple[str, tuple[Item, ...], float, Place]]:
        while True:
            self.peek()
            place, label = self.place(), self._label()
            items: list[Item] = []
            while (kind := self.peek()[0]) in ("name", "string", "pattern", "("):
                items += self._item(kind, category)
            weight, at = 1.0, self.place()
            if self.took("@"):
                kind, text = self.peek()
                weight = self.weight(text if kind == "number" else None, at)
                self.take("number", "a weight")
            yield label, tuple(items), weight, place
            if not self.took("|"):
                return

    def _label(self) -> str:
        kind, text = self.peek()
        before = self.at
        if kind == "name":
            self.at += len(text)
            if self.took(":"):
                return text
            self.at = before
        return ""

    def _item(self, kind: str, category: str) -> tuple[Item, ...]:
        place = self.place()
        items: tuple[Item, ...]
        if kind == "name":
            items = (self.use(),)
        elif kind == "string":
            items = self.words(_unescaped(self.take("string", "a word")), place)
        elif kind == "pattern":
            written, examples = self.take("pattern", "a pattern"), []
            if self.took("~"):
                while self.peek()[0] == "string":
                    examples.append(_unescaped(self.take("string", "an example")))
            items = (self.pattern(written, tuple(examples), place),)
        else:
            self.take("(", "(")
            self.open += 1
            if self.open > MOST_OPEN:
                raise place.error(f"more than {MOST_OPEN} brackets are open here; make the inner part a category")
            inner = list(self._alternatives(category))
            self.open -= 1
            for label, _, _, where in inner:
                if label:
                    raise where.error("a part in brackets has no labels; make it a category to name its alternatives")
            self.take(")", "another part, | or )")
            items = (self._group(category, [(found, weight) for _, found, weight, _ in inner], place),)
        for sign in "?*+":
            if self.took(sign):
                return (self._repeated(category, items, sign, place),)
        return items

    def _hidden(self, category: str, items: Iterable[Item], place: Place) -> Use:
        """A category without a name, which shares the features that its parts share."""
        self.hidden += 1
        shared = {name for item in items if isinstance(item, Use) for name in item.shared}
        return Use(f"{category}({self.hidden})", (), tuple(sorted(shared)), place)

    def _add(self, left: Use, *alternatives: tuple[tuple[Item, ...], float]) -> Use:
        self.rules += [
            Rule(left, str(number), items, weight, hidden=True)
            for number, (items, weight) in enumerate(alternatives, 1)
        ]
        return left

    def _group(self, category: str, alternatives: list[tuple[tuple[Item, ...], float]], place: Place) -> Use:
        parts = [item for items, _ in alternatives for item in items]
        return self._add(self._hidden(category, parts, place), *alternatives)

    def _repeated(self, category: str, items: tuple[Item, ...], sign: str, place: Place) -> Use:
        left = self._hidden(category, items, place)
        first: tuple[Item, ...] = items if sign == "+" else ()
        # Left recursion: the chart of a long repetition then grows with its length, not with the square of it.
        further = items if sign == "?" else (left, *items)
        return self._add(left, (first, 1.0), (further, 1.0))

    def _check(self, grammar: Grammar) -> None:
        """Whatever a rule names must be there."""
        categories = grammar.categories
        if grammar.start not in categories and self.start:
            raise self.start.place.error(_undefined(grammar.start, categories))
        for rule in grammar.rules:
            for use in (rule.left, *(item for item in rule.items if isinstance(item, Use))):
                if use.category not in categories:
                    raise use.place.error(_undefined(use.category, categories))
                for feature in (*(name for name, _ in use.fixed), *use.shared):
                    if feature not in grammar.features:
                        raise use.place.error(
                            f"the feature {feature} is not declared; write %feature {feature} = value | value"
                        )
                    if feature not in categories[use.category]:
                        raise use.place.error(
                            f"{use.category} has no feature {feature}: none of its rules and words names it"
                        )
                for feature, value in use.fixed:
                    if value not in grammar.features[feature]:
                        raise use.place.error(
                            f"{value} is no value of {feature}; {suggest(value, grammar.features[feature])}"
                        )


class _Lexicon(_Reader):
    """A lexicon: categories with their words."""

    def read(self) -> list[Rule]:
        found: list[Rule] = []
        while self.peek()[0]:
            left = self.use()
            self.take(":", f": and the words of {left.category}")
            found += self._entries(left)
        return found

    def _entries(self, left: Use) -> Iterator[Rule]:
        while True:
            entry = _ENTRY.match(self.text, self.at)
            assert entry is not None  # it matches nothing at all, too
            place = self.place(self.at + len(entry[0]) - len(entry[0].lstrip(" \t")))
            self.at = entry.end()
            examples: tuple[str, ...] = ()
            if given := _EXAMPLES.match(self.text, self.at):
                examples, self.at = tuple(given["examples"].split()), given.end()
                if not entry["pattern"]:
                    raise place.error("only a pattern between slashes takes examples after ~")
            items: tuple[Item, ...]
            if entry["pattern"]:
                items = (self.pattern(entry["pattern"], examples, place),)
            elif entry["text"].strip():
                items = self.words(entry["text"], place)
            else:
                raise place.error(f"expected a word of {left.category}")
            weight, at = 1.0, self.place()
            if given := _WEIGHT.match(self.text, self.at):
                weight, self.at = self.weight(given["weight"], at), given.end()
            label = entry["pattern"] or entry["text"].strip()
            yield Rule(left, label, items, weight, lexical=True)
            if self.text.startswith(",", self.at):
                self.at += 1
                if rest := _REST.match(self.text, self.at):
                    self.at = rest.end()
                continue
            if not _REST.match(self.text, self.at):
                raise self.place().error("expected a comma or the end of the line after a word")
            return


def _undefined(category: str, known: dict[str, tuple[str, ...]]) -> str:
    named = [name for name in known if "(" not in name]
    return f"the category {category} has neither rules nor words; {suggest(category, named)}"


def _unescaped(string: str) -> str:
    return _ESCAPE.sub(r"\1", string[1:-1])


def _content(path: Path) -> str:
    if not path.is_file():
        raise InputError(f"no such file: {path}; expected a file of rules")
    data = b"".join(blocks(path))
    if len(data) > MOST_CHARACTERS:
        raise InputError(f"{path} has {len(data):,} bytes, more than the {MOST_CHARACTERS:,} of any grammar")
    return decode(data, path, 1).replace("\r\n", "\n")
