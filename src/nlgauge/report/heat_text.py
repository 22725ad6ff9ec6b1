"""Heat maps and losses of words as lines of text: a grid of hundredths, shaded on a terminal that has colours.

Signs beside the numbers say which pairs count, so that the grid says the same without colours. Grids wider than the
screen are set in blocks; of long texts the first words are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nlgauge.metrics.explanation import Heat, Losses, Share
from nlgauge.wording.tables import visible, width

MOST = 40  # words of either text in a grid; the HTML page and the JSON have them all
WORST = 10  # words named with what they cost
LABEL = 14  # columns of the words beside a grid
SHADES = (
    (0.9, "#0b4f8a", "white"),
    (0.75, "#3f8ac9", "black"),
    (0.6, "#8fbfe6", "black"),
    (0.45, "#cfe3f5", "black"),
)
HEAD, SOFT, BAD = "bold", "dim", "yellow"

Piece = tuple[str, str]
Line = list[Piece]


def heat_lines(part: Heat, room: int) -> Iterator[Line]:
    """The grid in blocks of as many columns as the screen has room for, then what its signs mean."""
    rows, columns = part.hypothesis[:MOST], part.reference[:MOST]
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
    told = "; ".join(f"{sign} {meaning}" for sign, meaning in part.legend)
    yield [(f"hundredths; rows: the output, columns: the {part.other}", SOFT)]
    if told:
        yield [(told, SOFT)]
    longest = max(len(part.hypothesis), len(part.reference))
    if longest > MOST:
        yield [(f"the first {MOST} words of each text; --html and --json show all {longest}", SOFT)]


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
