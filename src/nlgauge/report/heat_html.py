"""Heat maps and losses of words as HTML: a table with a shaded cell for each pair of words, and words marked by cost.

Every cell has its number, and pairs that count a frame and a sign, so that nothing hangs on colour.
"""

from __future__ import annotations

from html import escape

from nlgauge.metrics.explanation import Heat, Losses, Share
from nlgauge.report.markup import minus, plain_table, scroll

STYLE = """
.heat{width:auto;border-collapse:separate;border-spacing:1px;font-size:.8rem}
.heat th,.heat td{border:0;padding:.16rem .2rem;line-height:1.3}
.heat thead th{vertical-align:bottom;text-align:center;color:var(--ink);padding:.3rem 0}
.heat thead th span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:9rem;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap}
.heat tbody th{position:sticky;left:0;background:var(--card);z-index:1;text-align:right;font-weight:600;
max-width:8rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-right:.4rem}
.heat td{text-align:right;white-space:nowrap;min-width:2.1rem;border-radius:3px;
background:color-mix(in srgb,var(--blue) var(--h,0%),var(--card))}
.heat td.counts-pair{outline:2px solid var(--ink);outline-offset:-2px;font-weight:700;color:inherit}
.heat td i{display:inline-block;width:.6rem;font-style:normal;text-align:left}
.costs{line-height:2.2;margin:.5rem 0;max-width:none}
.costs span{padding:.1em .2em;border-radius:3px;
background:color-mix(in srgb,var(--vermilion) var(--h,0%),transparent);border-bottom:2px solid transparent}
.costs .dear{border-bottom-color:var(--vermilion)}
.costs small{font-size:.68em;color:inherit;padding-left:.15em;font-variant-numeric:tabular-nums}
"""
DEEPEST = 45  # per cent of colour behind the highest number: ink on it stays readable


def heat_html(part: Heat) -> str:
    """The table, in a box that scrolls, and what its signs mean."""
    if not part.hypothesis or not part.reference:
        return '<p class="soft">One of the texts is empty.</p>'
    signs = {(mark.row, mark.column): mark.sign for mark in part.marks}
    head = "".join(
        f'<th scope="col" title="{escape(word)}"><span>{escape(word)}</span></th>' for word in part.reference
    )
    rows = "".join(
        f'<tr><th scope="row" title="{escape(word)}"><bdi>{escape(word)}</bdi></th>'
        + "".join(_cell(value, signs.get((row, column), "")) for column, value in enumerate(part.table[row]))
        + "</tr>"
        for row, word in enumerate(part.hypothesis)
    )
    caption = f'<caption class="hidden">Rows: the output; columns: the {part.other}; in hundredths</caption>'
    table = f'<table class="heat">{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>'
    told = "".join(f"; <strong>{escape(sign)}</strong> {escape(meaning)}" for sign, meaning in part.legend)
    return (
        scroll(part.title, table)
        + f'<p class="soft">Rows are words of the output, columns of the {part.other}; hundredths{told}.</p>'
    )


def _cell(value: float, sign: str) -> str:
    shade = round(DEEPEST * min(max(value, 0.0), 1.0) ** 2)  # squares: high similarities are told apart
    look = ' class="counts-pair"' if sign else ""
    return f'<td{look} style="--h:{shade}%">{minus(f"{round(value * 100)}")}<i>{escape(sign)}</i></td>'


def losses_html(part: Losses) -> str:
    """The text with each word's cost, and a table of all words."""
    highest = max((share.loss for share in part.words), default=0.0)
    words = " ".join(_word(share, highest) for share in part.words)
    rows = [
        (
            share.word,
            f"{share.weight:.4f}",
            f"{share.gain:.4f}",
            f"{share.loss:.4f}",
            share.partner or "nothing",
        )
        for share in sorted(part.words, key=lambda share: -share.loss)
    ]
    table = plain_table(("word", "weighs", "adds", "costs", "matched with"), rows, (1, 2, 3), part.title)
    text = words or '<span class="none">(empty)</span>'
    return (
        f'<p class="costs" dir="auto">{text}</p>'
        f'<p class="soft">Small numbers: ten-thousandths that a word costs; in all {part.total:.4f} = '
        f"{escape(part.missing)}.</p><details><summary>What each word weighs, adds and costs</summary>{table}</details>"
    )


def _word(share: Share, highest: float) -> str:
    part = share.loss / highest if highest > 0 else 0.0
    dear = ' class="dear"' if part >= 0.5 else ""
    shade = round(40 * max(part, 0.0))
    cost = minus(f"{round(share.loss * 10_000)}")
    return f'<span{dear} style="--h:{shade}%">{escape(share.word)}<small>{cost}</small></span>'
