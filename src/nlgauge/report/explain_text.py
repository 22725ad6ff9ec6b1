"""An explanation as text: 80 columns, in colour on a terminal; without colour it says the same.

Colours only repeat what letters, numbers and brackets say. They are cyan and yellow, which colour-blind readers
can tell apart. Signs beside the numbers of a grid say which pairs count; a grid wider than the screen is set in blocks.
"""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from nlgauge.errors import as_called
from nlgauge.metrics.explanation import (
    Cells,
    Edits,
    Explanation,
    Graph,
    Heat,
    Links,
    Losses,
    Ngram,
    Ngrams,
    Part,
    Passage,
    Share,
    Shift,
    Shifts,
    Triple,
)
from nlgauge.wording.numbers import number
from nlgauge.wording.tables import visible, width

WIDTH = 80
MOST = {1: 12}  # n-grams named in a list, by length; the HTML page and the JSON have them all
FEW = 6  # of longer ones
MOST_WORDS = 40  # of either text in a grid
WORST = 10  # words named with what they cost
LABEL = 14  # columns of the words beside a grid
SHADES = (
    (0.9, "#0b4f8a", "white"),
    (0.75, "#3f8ac9", "black"),
    (0.6, "#8fbfe6", "black"),
    (0.45, "#cfe3f5", "black"),
)
GOOD, BAD, SOFT, HEAD = "cyan", "yellow", "dim", "bold"
LETTERS = {"match": "", "substitution": "S", "insertion": "I", "deletion": "D"}
STATES = (
    ("matched", "matched", GOOD),
    ("clipped", "counted less often than the output has them", BAD),
    ("extra", "only in the output", BAD),
    ("missing", "only in a reference", SOFT),
)
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Piece = tuple[str, str]  # text and style
Line = list[Piece]


def print_explanation(told: Explanation) -> None:
    """On standard output."""
    lines = explanation_lines(told)
    if not sys.stdout.isatty():
        print("\n".join("".join(text for text, _ in line).rstrip() for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for line in explanation_lines(told, console.width):
        console.print(Text.assemble(*line), soft_wrap=True)


def explanation_lines(told: Explanation, room: int = WIDTH) -> list[Line]:
    """Head, texts, the sum, the parts and the notes."""
    lines: list[Line] = [[(headline(told), HEAD)], []]
    lines += list(_texts(told, room))
    if told.figures:
        lines += [[], *_figures(told, room)]
    for part in told.parts:
        if isinstance(part, Ngrams) and part.unit == "characters":
            continue  # too many to be read: the figures count them, the passage shows where they are
        lines += [[], [(part.title, HEAD)], *_SHOWN[type(part)](part, room)]
    for note in told.notes:
        lines += [[], *_wrapped(f"note: {note}", room)]
    return lines


def headline(told: Explanation) -> str:
    """`bleu 27.78 (higher is better) · item f01, system rules`."""
    where = ", ".join(
        f"{key} {visible(value)}" for key, value in (("item", told.item), ("system", told.system)) if value is not None
    )
    head = f"{told.metric} {number(told.score, told.places)} ({told.direction} is better)"
    return f"{head} · {where}" if where else head


def _texts(told: Explanation, room: int) -> Iterator[Line]:
    yield from _labelled("output", told.hypothesis or "(empty)", room)
    for place, text in enumerate(told.references, start=1):
        label = "reference" if len(told.references) == 1 else f"reference {place}"
        mark = "  ← counts" if len(told.references) > 1 and place in told.counted else ""
        yield from _labelled(label, (text or "(empty)") + mark, room)


def _labelled(label: str, text: str, room: int) -> Iterator[Line]:
    first, *rest = textwrap.wrap(visible(text), room - 13, break_long_words=True) or [""]
    yield [(f"{label:<13}", SOFT), (first, "")]
    yield from ([(" " * 13, ""), (line, "")] for line in rest)


def _figures(told: Explanation, room: int) -> Iterator[Line]:
    name = min(max(width(figure.name) for figure in told.figures), room - 24)
    for figure in told.figures:
        first, *rest = textwrap.wrap(figure.how, room - name - 14) or [""]
        value = f"  {in_figures(figure.value):>9}"
        yield [(figure.name + " " * (name - width(figure.name)), ""), (value, HEAD), (f"   {first}", SOFT)]
        yield from ([(" " * (name + 14) + line, SOFT)] for line in rest)


def in_figures(value: float) -> str:
    """A whole number, or four decimals."""
    return f"{value:g}" if float(value).is_integer() else f"{value:.4f}"


def _edits(part: Edits, room: int) -> Iterator[Line]:
    """Three rows: the output, the reference, and a letter under what differs."""
    gap = " " if part.unit == "words" else ""
    columns = []
    for step in part.steps:
        mine = "" if step.hypothesis is None else standing(part.hypothesis[step.hypothesis], part.unit)
        theirs = "" if step.reference is None else standing(part.reference[step.reference], part.unit)
        size = max(width(mine), width(theirs), 1)
        columns.append((mine or "-" * size, theirs or "-" * size, LETTERS[step.kind], size))
    for block in _blocks(columns, room - 11, len(gap)):
        rows: list[Line] = [[("output     ", SOFT)], [("reference  ", SOFT)], [(" " * 11, "")]]
        for mine, theirs, letter, size in block:
            style = BAD if letter else ""
            for row, cell in zip(rows, (mine, theirs, letter), strict=True):
                row.append((cell + " " * (size - width(cell)) + gap, style))
        yield from rows if any(letter for *_, letter, _ in block) else rows[:2]
        yield []
    counts = [(part.count("match"), "equal"), (part.count("substitution"), "S replaced")]
    counts += [(part.count("insertion"), "I only in the output"), (part.count("deletion"), "D only in the reference")]
    told = ", ".join(f"{many} {what}" for many, what in counts if many)
    yield [(told or "both texts are empty", SOFT)]


def _blocks(
    columns: Sequence[tuple[str, str, str, int]], room: int, gap: int
) -> Iterator[list[tuple[str, str, str, int]]]:
    block: list[tuple[str, str, str, int]] = []
    used = 0
    for column in columns:
        if block and used + column[3] > room:
            yield block
            block, used = [], 0
        block.append(column)
        used += column[3] + gap
    if block:
        yield block


def standing(text: str, unit: str) -> str:
    """A token that can stand in a column: blanks are seen, marks that join the letter before get a ring."""
    if unit == "characters" and text.isspace():
        return "␣" if text == " " else visible(text)
    shown = visible(text)
    return f"◌{shown}" if width(shown) == 0 else shown


def _links(part: Links, room: int) -> Iterator[Line]:
    """Both texts; words that go together carry the same number."""
    for label, words, side in (("output", part.hypothesis, 0), ("reference", part.reference, 1)):
        marks: dict[int, str] = {}
        for place, link in enumerate(part.links, start=1):
            letter = "" if link.stage == "exact" else next(c for c in link.stage if c.isalpha())
            for word in range(*(link.hypothesis, link.reference)[side]):
                marks[word] = f"{marks[word]},{place}{letter}" if word in marks else f"{place}{letter}"
        pieces = [
            (f"{visible(word)}[{marks[k]}]" if k in marks else visible(word), marks.get(k))
            for k, word in enumerate(words)
        ]
        styled = [(text, GOOD if mark else BAD) for text, mark in pieces]
        yield from _flow(label, styled, room)
    kinds = Counter(link.stage.lstrip("0123456789. ") for link in part.links)
    told = ", ".join(f"{many} {kind}" + ("" if kind == "exact" else f" ({kind[0]})") for kind, many in kinds.items())
    yield [(f"{told or 'no matches'}; words with the same number go together", SOFT)]


def _shifts(part: Shifts, room: int) -> Iterator[Line]:
    for place, shift in enumerate(part.shifts, start=1):
        moved = f'"{" ".join(map(visible, shift.words))}" is moved:' if shift.words else "after all shifts:"
        yield from _wrapped(f"{place}. {moved}", room)
        yield from _flow("", [(text, GOOD if moved else "") for text, moved in shifted(shift)], room)


def shifted(shift: Shift) -> Iterator[tuple[str, bool]]:
    """The words after a shift, the run that was moved in brackets, and whether they are part of it."""
    landed, size = shift.landed, len(shift.words)
    for place, word in enumerate(shift.after):
        inside = landed is not None and landed <= place < landed + size
        opened = "[" if inside and place == landed else ""
        closed = "]" if inside and place + 1 == (landed or 0) + size else ""
        yield f"{opened}{visible(word)}{closed}", inside


def _passage(part: Passage, room: int) -> Iterator[Line]:
    """Words with a raised level, or characters with their levels in a row below."""
    if part.unit == "words":
        pieces = [
            (visible(word) + (str(level).translate(SUPERSCRIPTS) if level else ""), GOOD if level else BAD)
            for word, level in zip(part.words, part.levels, strict=True)
        ]
        yield from _flow("", pieces, room)
    else:
        cells = []
        for character, level in zip(part.words, part.levels, strict=True):
            shown = standing(character, "characters") if character != " " else " "
            digit = "" if character.isspace() else str(level) if level < 10 else "+"
            cells.append((shown, digit, "", max(width(shown), 1)))
        for block in _blocks(cells, room - 2, 0):
            looks = [BAD if digit == "0" else "" for _, digit, _, _ in block]
            for texts in ([cell[0] for cell in block], [cell[1] for cell in block]):
                padded = (_padded(text, cell[3]) for text, cell in zip(texts, block, strict=True))
                yield [("  ", ""), *zip(padded, looks, strict=True)]
    shown_levels = [level for level in range(len(part.legend)) if level in part.levels]
    told = "; ".join(
        f"{level if level else 'plain' if part.unit == 'words' else 0}: {part.legend[level]}" for level in shown_levels
    )
    yield from _wrapped(told or "(empty)", room, SOFT)


def _padded(text: str, size: int) -> str:
    return text + " " * (size - width(text))


def _ngrams(part: Ngrams, room: int) -> Iterator[Line]:
    yield [(tally(part), SOFT)]
    most = MOST.get(max((len(row.words) for row in part.rows), default=1), FEW)
    for state, label, style in STATES:
        rows = [row for row in part.rows if row.state == state]
        if not rows:
            continue
        if any(row.share or row.weight for row in rows):
            rows.sort(key=lambda row: (-(row.share or 0.0), -(row.weight or 0.0)))
        shown = rows[:most] if len(rows) > most + 1 else rows
        pieces = [(_ngram(row, part), style) for row in shown]
        if len(shown) < len(rows):
            pieces.append((f"… and {len(rows) - len(shown)} more", SOFT))
        yield [(f"  {label}:", "")]
        yield from _flow("", pieces, room, joint=" · ")


def tally(part: Ngrams) -> str:
    """How many n-grams there are, and how many match."""
    return f"{part.matched} matched; the output has {part.hypothesis}, the reference {part.reference}"


def spelt(row: Ngram, part: Ngrams) -> str:
    """An n-gram as it is read."""
    if part.unit == "characters":
        return "".join(standing(word, part.unit) for word in row.words)
    return " ".join(row.words)


def _ngram(row: Ngram, part: Ngrams) -> str:
    times = ""
    if row.state == "clipped":
        times = f" ({row.matched} of {row.hypothesis})"
    elif max(row.hypothesis, row.reference) > 1:
        times = f" ×{row.matched or row.hypothesis or row.reference}"
    adds = f", adds {row.share:.4f}" if row.share else ""
    worth = "" if row.weight is None else f" [{row.weight:.2f}{adds}]"
    return f"{visible(spelt(row, part))}{times}{worth}"


def _cells(part: Cells, room: int) -> Iterator[Line]:
    for cell in part.cells:
        words = f"  ({' '.join(cell.by)})" if cell.by else ""
        names = " | ".join(name for name in (cell.entity, cell.attribute, cell.value) if name)
        text = f"{cell.found:.2f}  {names}{words}"
        yield from _wrapped(text, room, GOOD if cell.found else BAD)


def _graph(part: Graph, room: int) -> Iterator[Line]:
    """Each object with its attributes and relations below it, ✓ before what the other text has too."""
    if not part.triples:
        yield [("  (no object)", SOFT)]
    for thing in part.objects:
        yield from _tuple(thing, "", room)
        for triple in part.about(thing.words[0]):
            yield from _tuple(triple, "  ", room)


def _tuple(triple: Triple, indent: str, room: int) -> Iterator[Line]:
    words = [visible(word) for word in triple.words]
    text = words[0] if len(words) == 1 else words[1] if len(words) == 2 else f"{words[1]} → {words[2]}"
    by = f"  (as {', '.join(visible(word) for word in triple.by)})" if triple.by else ""
    marked = f"{'✓' if triple.matched else '✗'} {text}{by}"
    for line in textwrap.wrap(marked, room, initial_indent=f"  {indent}", subsequent_indent=f"    {indent}"):
        yield [(line, GOOD if triple.matched else BAD)]


def heat_lines(part: Heat, room: int) -> Iterator[Line]:
    """The grid in blocks of as many columns as the screen has room for, then what its signs mean."""
    rows, columns = part.hypothesis[:MOST_WORDS], part.reference[:MOST_WORDS]
    if not rows or not columns:
        yield [("(one of the texts is empty)", SOFT)]
        return
    signs = {(mark.row, mark.column): mark.sign for mark in part.marks}
    cell = 1 + max(3, *(len(_hundredths(value)) for line in part.table for value in line))
    blocks = -(-len(columns) // max(1, (room - LABEL) // cell))
    wide = -(-len(columns) // blocks)  # blocks of like width
    for start in range(0, len(columns), wide):
        block = range(start, min(start + wide, len(columns)))
        yield from _heads([columns[column] for column in block], cell)
        for row, word in enumerate(rows):
            line: Line = [(_fitted(word, LABEL - 1) + " ", "")]
            for column in block:
                line += _cell(part.table[row][column], signs.get((row, column), ""), cell)
            yield line
        yield []
    meanings = "; ".join(f"{sign} {meaning}" for sign, meaning in part.legend)
    yield [(f"hundredths; rows: the output, columns: the {part.other}", SOFT)]
    if meanings:
        yield [(meanings, SOFT)]
    longest = max(len(part.hypothesis), len(part.reference))
    if longest > MOST_WORDS:
        yield [
            (
                f"the first {MOST_WORDS} words of each text; {as_called('--html', 'a page')} and "
                f"{as_called('--json', 'to_dict()')} show all {longest}",
                SOFT,
            )
        ]


def _heads(words: Sequence[str], cell: int) -> Iterator[Line]:
    """The words of the columns, written downwards."""
    shown = [_shortened(visible(word), 12) for word in words]
    height = max(len(word) for word in shown)
    for line in range(height):
        text = " " * LABEL
        for word in shown:
            # words stand on the line of the numbers
            place = line - (height - len(word))
            sign = word[place] if place >= 0 else " "
            text += " " * (cell - 1 - max(width(sign), 1)) + (sign or " ") + " "
        yield [(text.rstrip(), HEAD)]


def _hundredths(value: float) -> str:
    return f"{round(value * 100)}"


def _cell(value: float, sign: str, cell: int) -> Line:
    shade = next((f"{ink} on {paper}" for low, paper, ink in SHADES if value >= low), SOFT)
    return [(f"{_hundredths(value):>{cell - 1}}", shade), (sign or " ", HEAD)]


def _fitted(word: str, size: int) -> str:
    shown = visible(word)
    while width(shown) > size:
        shown = shown[:-2] + "…"
    return shown + " " * (size - width(shown))


def _shortened(word: str, size: int) -> str:
    return word if len(word) <= size else word[: size - 1] + "…"


def losses_lines(part: Losses, room: int) -> Iterator[Line]:
    """The words that cost most, a bar for each, and what all of them cost."""
    worst = sorted(part.words, key=lambda share: -share.loss)
    shown = [share for share in worst[:WORST] if share.loss >= 0.00005]
    highest = max((share.loss for share in shown), default=1.0)
    name = min(max((width(visible(share.word)) for share in shown), default=0), 20)
    for share in shown:
        bar = "█" * max(1, round(10 * share.loss / highest))
        text = f"  {_fitted(share.word, name)}  {share.loss:.4f} "
        matched = _shortened(_matched(share), max(room - name - 24, 10))
        yield [(text, ""), (f"{bar:<10}", BAD), (f"  {matched}", SOFT)]
    rest = len([share for share in part.words if share.loss >= 0.00005]) - len(shown)
    more = f"; {rest} more words cost the rest" if rest > 0 else ""
    yield [(f"{part.total:.4f} in all = {part.missing}{more}", SOFT)]


def _matched(share: Share) -> str:
    if not share.partner:
        return "matched with nothing"
    gained = share.gain / share.weight if share.weight else 0.0
    return f"keeps {gained:.2f} by {visible(share.partner)}"


def _flow(label: str, pieces: Iterable[Piece], room: int, joint: str = " ") -> Iterator[Line]:
    """Pieces one after another, broken between them, under a label of eleven columns (or indented by four)."""
    indent = 11 if label else 4
    line: Line = [(f"{label:<{indent}}", SOFT)]
    used = indent
    for text, style in pieces:
        size = width(text)
        if len(line) > 1 and used + len(joint) + size > room:
            yield line
            line, used = [(" " * indent, "")], indent
        if len(line) > 1:
            line.append((joint, ""))
            used += len(joint)
        line.append((text, style))
        used += size
    yield line if len(line) > 1 else [*line, ("(empty)", SOFT)]


def _wrapped(text: str, room: int, style: str = "") -> Iterator[Line]:
    for line in textwrap.wrap(visible(text), room):
        yield [(line, style)]


_SHOWN: dict[type[Part], Callable[[Any, int], Iterator[Line]]] = {
    Edits: _edits,
    Links: _links,
    Shifts: _shifts,
    Passage: _passage,
    Ngrams: _ngrams,
    Cells: _cells,
    Graph: _graph,
    Heat: heat_lines,
    Losses: losses_lines,
}
