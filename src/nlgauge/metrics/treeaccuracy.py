"""treeaccuracy: simple and generation tree accuracy of Bangalore, Rambow and Whittaker (2000).

A tree is taken apart into treelets, strings of a head and its daughters in the order of the text. With S, D and I the
substitutions, deletions and insertions that lead from the treelets of the reference to those of the output, and R the
length of the reference's treelets together,

    simple tree accuracy      1 − (S + D + I) / R
    generation tree accuracy  1 − (M + S + D′ + I′) / R        (`moves=yes`)

where M counts the tokens that are deleted in one place and inserted in another, in the same treelet or not, and D′
and I′ are the rest: a move is one error, not two. Moves are looked for in the alignment that gives the simple accuracy
and in the one that keeps most tokens, in which what is lost and what is added at one place are then substitutions; the
fewer errors count. Both may fall below 0.

How the definition is read here. The authors order the words of a given dependency tree anew, so that every treelet of
the reference has its counterpart in the output; here both texts are parsed, treelets of one head are aligned in their
order at the least cost, and a treelet without counterpart is deleted or inserted as a whole. The roots of a text are
a treelet of their own. With `grammar`, trees are derivations: the head is a category, its daughters are categories and
words; a text that is not grammatical has the tree of the nearest grammatical text, with its own words in it. Words
are lower-cased, and the parser's punctuation is left out. Of several references the one with the highest simple
accuracy counts; the score of a set is made from the sums of all counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np

from nlgauge import models
from nlgauge.corpus import grammar as grammars
from nlgauge.corpus.grammar.measuring import Reading, read_text
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import edit_pairs
from nlgauge.kernels.python.rouge import lcs_table
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.modelled import ModelMetric, model_option
from nlgauge.models.interface import Parse, Parser

_LARGEST = 250_000  # of the table of two treelets; longer ones are compared without moves

Treelet = tuple[str, ...]
Treelets = Mapping[str, Sequence[Treelet]]  # by head, in the order of the text


def _check(name: str) -> str | None:
    fine = not name or name in grammars.shipped() or "." in name
    return None if fine else f"empty, {' or '.join(grammars.shipped())}, or a file of rules with its ending"


@dataclass(frozen=True)
class TreeAccuracy(ModelMetric):
    """Accuracy of the output's tree against the reference's: 1 less the edits between heads with their daughters.

    Trees are dependency parses, or derivations of a grammar (`treeaccuracy(grammar=person)`). `moves=yes` is generation
    tree accuracy, which counts a token in another place as one error.
    """

    model: str = model_option("parser", "spacy-en")
    grammar: str = option("", "a file of rules, or person or wind, in place of the parser", check=_check)
    moves: bool = option(False, "a token in another place is one error, not two", scoring=True)

    name = "treeaccuracy"
    bounds = (-float("inf"), 1.0)
    needs = ("references", "parser")
    cite = "Bangalore, Rambow and Whittaker (2000), Evaluation metrics for generation. INLG."
    reference = "the paper's formulas, over trees of another parser or of a grammar"
    kind = "parser"
    columns = ("substitutions", "deletions", "insertions", "errors_with_moves", "reference")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grammar:
            object.__setattr__(self, "needs", ("references",))

    def loaded(self) -> Parser:
        """The parser, loaded once in a process."""
        return models.parser(self.model, purpose=self.name)

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return () if self.grammar else super().models

    @property
    def model_fact(self) -> str:
        return "" if self.grammar else super().model_fact

    @property
    def reads_files(self) -> tuple[str, ...]:
        return grammars.load(self.grammar).grammar.files if self.grammar else ()

    def remarks(self) -> list[str]:
        return [] if self.grammar else super().remarks()

    def rows(self, batch: Batch) -> Array:
        texts = dict.fromkeys([*batch.hypotheses, *(text for some in batch.references for text in some)])
        trees = dict(zip(texts, self._trees(list(texts)), strict=True))
        rows = np.zeros((len(batch), len(self.columns)))
        for number, (text, others) in enumerate(zip(batch.hypotheses, batch.references, strict=True)):
            compared = [_compared(trees[text], trees[other]) for other in dict.fromkeys(others)]
            rows[number] = max(compared, key=_accuracy)
        return rows

    def _trees(self, texts: list[str]) -> Iterator[Treelets]:
        if self.grammar:
            tables = grammars.load(self.grammar)
            return (_derived(read_text(tables, text)) for text in texts)
        return (_dependencies(parse) for parse in self.loaded().parse(texts))

    def score(self, totals: Array) -> Array:
        errors = totals[..., 3] if self.moves else totals[..., :3].sum(axis=-1)
        accuracy: Array = 1 - errors / np.maximum(totals[..., 4], 1)
        return accuracy


def _dependencies(parse: Parse) -> Treelets:
    """Words with their dependents, and the roots."""
    kept = [k for k, word in enumerate(parse.words) if word.pos not in ("PUNCT", "SPACE")]
    below: dict[int, list[int]] = defaultdict(list)
    for k in kept:
        head = parse.words[k].head
        while head != parse.words[head].head and parse.words[head].pos in ("PUNCT", "SPACE"):
            head = parse.words[head].head
        below[-1 if head == k or parse.words[head].pos in ("PUNCT", "SPACE") else head].append(k)
    found: dict[str, list[Treelet]] = defaultdict(list)
    texts = [word.text.lower() for word in parse.words]
    for head in sorted(below):
        members = sorted({*below[head], head} - {-1})
        found[texts[head] if head >= 0 else ""].append(tuple(texts[k] for k in members))
    return found


def _derived(reading: Reading) -> Treelets:
    """Categories with their daughters: the output's own words, and only the categories that hold some of them."""
    if reading.tree is None:  # too long to be mended: no tree
        return {"": [reading.words]} if reading.words else {}
    steps = reading.mended.steps if reading.mended else ()
    own = iter([step.word for step in steps if step.by] if steps else reading.words)
    trees: list[Tree] = []
    daughters: list[list[int | str]] = []  # places of trees, and words
    stack: list[tuple[int, Tree | str]] = [(-1, reading.tree)]
    while stack:
        above, part = stack.pop()
        if isinstance(part, str):
            daughters[above] += filter(None, [next(own)])  # an inserted word is none of the output's
            continue
        if above >= 0:
            daughters[above].append(len(trees))
        stack += [(len(trees), below) for below in reversed(part.parts)]
        trees.append(part)
        daughters.append([])
    daughters[0] += [step.word for step in steps if step.kind == "delete"]
    holds = [not steps] * len(trees)
    for place in range(len(trees) - 1, -1, -1):
        holds[place] |= any(isinstance(part, str) or holds[part] for part in daughters[place])
    found: dict[str, list[Treelet]] = defaultdict(list)
    for place, tree in enumerate(trees):
        if holds[place]:
            kept = [
                part.lower() if isinstance(part, str) else trees[part].category
                for part in daughters[place]
                if isinstance(part, str) or holds[part]
            ]
            found[tree.category].append((tree.category, *kept))
    return found


def _compared(mine: Treelets, theirs: Treelets) -> list[int]:
    """Substitutions, deletions, insertions, errors where moves count once, and the length of the reference."""
    heads = {**theirs, **mine}
    pairs = [pair for head in heads for pair in _aligned(theirs.get(head, ()), mine.get(head, ()))]
    steps = [
        (reference[other] if other is not None else "", output[place] if place is not None else "")
        for reference, output in pairs
        for place, other in edit_pairs(reference, output)
    ]
    lost = Counter(old for old, new in steps if old and not new)
    gained = Counter(new for old, new in steps if new and not old)
    substituted = sum(old != new for old, new in steps if old and new)
    simple = substituted + lost.total() + gained.total()
    moved = min(simple - (lost & gained).total(), _moved(pairs))
    length = sum(len(treelet) for some in theirs.values() for treelet in some)
    return [substituted, lost.total(), gained.total(), moved, length]


def _moved(pairs: Sequence[tuple[Treelet, Treelet]]) -> int:
    """Errors where as many tokens as possible stay, the others move where they can, and the rest is substituted."""
    gaps = [gap for pair in pairs for gap in _gaps(*pair)]
    lost = Counter(token for old, _ in gaps for token in old)
    moving = lost & Counter(token for _, new in gaps for token in new)
    errors, leaving, coming = moving.total(), +moving, +moving
    for old, new in gaps:
        errors += max(_staying(old, leaving), _staying(new, coming))
    return errors


def _staying(tokens: Treelet, moving: Counter[str]) -> int:
    """How many tokens do not move; those that do are taken from `moving`."""
    stay = 0
    for token in tokens:
        if moving[token]:
            moving[token] -= 1
        else:
            stay += 1
    return stay


def _gaps(reference: Treelet, output: Treelet) -> Iterator[tuple[Treelet, Treelet]]:
    """What stands between the tokens of a longest common subsequence."""
    if reference == output:
        return
    if len(reference) * len(output) > _LARGEST:
        yield reference, output
        return
    table = lcs_table(list(reference), list(output))
    i, j = end, last = len(reference), len(output)
    while i and j:
        if reference[i - 1] == output[j - 1]:
            yield reference[i:end], output[j:last]
            i, j = end, last = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    yield reference[:end], output[:last]


def _aligned(theirs: Sequence[Treelet], mine: Sequence[Treelet]) -> list[tuple[Treelet, Treelet]]:
    """Treelets of one head in their order, at the least number of edits; an empty one where there is no counterpart."""
    if len(theirs) == len(mine) == 1:
        return [(theirs[0], mine[0])]
    costs = [list(accumulate(map(len, mine), initial=0))]
    for reference in theirs:
        above, row = costs[-1], [costs[-1][0] + len(reference)]
        for column, output in enumerate(mine):
            paired = above[column] + _distance(reference, output)
            row.append(min(paired, above[column + 1] + len(reference), row[column] + len(output)))
        costs.append(row)
    pairs: list[tuple[Treelet, Treelet]] = []
    i, j = len(theirs), len(mine)
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + _distance(theirs[i - 1], mine[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((theirs[i], mine[j]))
        elif i and costs[i][j] == costs[i - 1][j] + len(theirs[i - 1]):
            i -= 1
            pairs.append((theirs[i], ()))
        else:
            j -= 1
            pairs.append(((), mine[j]))
    return pairs


@lru_cache(maxsize=100_000)
def _distance(reference: Treelet, output: Treelet) -> int:
    pairs = edit_pairs(reference, output)
    return sum(place is None or other is None or output[place] != reference[other] for place, other in pairs)


def _accuracy(row: Sequence[int]) -> float:
    return 1 - sum(row[:3]) / max(row[4], 1)
