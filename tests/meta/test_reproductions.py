"""Published correlations come out of one command each, and docs/reproductions.md says what was expected and obtained.

`python tests/meta/test_reproductions.py` writes the page's tables anew from ../shared/data. A metric whose dictionary
is not on the machine is left out of its command, and its figures are skipped with the sentence that names it.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from reproductions import REPRODUCTIONS, Figure, Reproduction

from nlgauge.cli import main
from nlgauge.errors import MissingResource
from nlgauge.metrics.spec import parse

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reproductions.md"
DATA = ROOT.parent / "shared" / "data"
MARK = "<!-- figures: written by tests/meta/test_reproductions.py -->\n"


@cache
def obtained(command: str) -> dict[tuple[str, str], float]:
    """The figures of a command; intervals and tests, on which they do not depend, are left out."""
    words = [str(DATA / word) if word.endswith(".gz") else word for word in shlex.split(command)[1:]]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main([*words, "--draws", "0", "--test", "none", "--json"])
    assert code == 0
    found: list[dict[str, Any]] = json.loads(out.getvalue())["correlations"]
    return {(one["metric"], one["criterion"]): one["value"] for one in found}


def parameters() -> list[Any]:
    return [pytest.param(one, id=one.title, marks=[pytest.mark.slow] if one.slow else []) for one in REPRODUCTIONS]


@cache
def lacking(metric: str) -> str:
    """What this machine lacks for a metric, in the words a user reads; nothing where the metric can be computed."""
    try:
        parse(metric).segments(["a"], [["a"]])
    except MissingResource as missing:
        return str(missing)
    return ""


def missed(reproduction: Reproduction, metrics: Collection[str]) -> list[str]:
    """The figures of these metrics that are further off than the record says, or off without a reason given."""
    absent = [metric for metric in reproduction.dictionaries if lacking(metric)]
    found = obtained(reproduction.without(absent))
    wrong = []
    for figure in reproduction.figures:
        if figure.metric in metrics:
            value = found[figure.metric, figure.criterion]
            near = abs(value - figure.expected) <= figure.tolerance
            if not near or not (reached(figure, value) or reproduction.why):
                wrong.append(f"{figure.name}: {value} instead of {figure.expected}")
    return wrong


@pytest.mark.parametrize("reproduction", parameters())
def test_figures_are_reproduced(shared: Path, reproduction: Reproduction) -> None:
    metrics = {figure.metric for figure in reproduction.figures} - set(reproduction.dictionaries)
    assert metrics
    assert missed(reproduction, metrics) == []


@pytest.mark.slow
@pytest.mark.parametrize("reproduction", [one for one in REPRODUCTIONS if one.dictionaries], ids=lambda one: one.title)
def test_figures_that_need_a_dictionary_are_reproduced(shared: Path, reproduction: Reproduction) -> None:
    for metric in reproduction.dictionaries:
        if lacking(metric):
            pytest.skip(lacking(metric))
    assert missed(reproduction, reproduction.dictionaries) == []


@pytest.mark.parametrize(
    "reproduction", [one for one in REPRODUCTIONS if "Novikova" in one.title], ids=lambda one: one.title
)
def test_the_best_metric_is_the_one_published(shared: Path, reproduction: Reproduction) -> None:
    """Among the word-overlap metrics; the other stored columns are no such metrics."""
    found = obtained(reproduction.command)
    for figure in reproduction.figures:
        overlap = {
            metric: abs(value)
            for (metric, criterion), value in found.items()
            if criterion == figure.criterion and metric not in ("@sim.mr.sys", "@lev.dist")
        }
        assert max(overlap, key=lambda metric: overlap[metric]) == figure.metric


def test_expected_figures_are_those_of_the_record(shared: Path) -> None:
    """No figure of the page was mistyped: each stands in the record of published figures."""
    record = json.dumps(json.loads((shared / "data" / "published.json").read_text(encoding="utf-8")))
    numbers = {float(text) for text in re.findall(r"-?\d+\.\d+", record)}
    for reproduction in REPRODUCTIONS:
        for figure in reproduction.figures:
            assert figure.expected in numbers, figure


def test_the_page_lists_every_command() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for reproduction in REPRODUCTIONS:
        assert reproduction.command in page, reproduction.title
        assert f"## {reproduction.title}" in page


@pytest.mark.slow
def test_the_page_shows_what_is_obtained(shared: Path) -> None:
    for reason in filter(None, map(lacking, dictionary_metrics())):
        pytest.skip(reason)
    page = PAGE.read_text(encoding="utf-8")
    assert page.partition(MARK)[2] == figures_page(), "python tests/meta/test_reproductions.py rewrites the page"


def dictionary_metrics() -> list[str]:
    """The metrics of the page that need a dictionary."""
    return sorted({metric for one in REPRODUCTIONS for metric in one.dictionaries})


def figures_page() -> str:
    """The sections of the page: command, table, what is not reached."""
    return "\n".join(_section(one) for one in REPRODUCTIONS)


def _section(one: Reproduction) -> str:
    found = obtained(one.command)
    lines = [
        f"## {one.title}",
        "",
        "```sh",
        one.command,
        "```",
        "",
        "| figure | expected | obtained | |",
        "|---|--:|--:|---|",
    ]
    for figure in one.figures:
        value = found[figure.metric, figure.criterion]
        expected, shown = f"{figure.expected:.{figure.digits}f}", f"{value:.{figure.digits + 1}f}"
        lines.append(f"| {figure.name} | {expected} | {shown} | {_verdict(figure, value)} |")
    lines += ["", f"Figures: {one.source}."]
    return "\n".join([*lines, *([one.why] if one.why else []), ""])


def reached(figure: Figure, value: float) -> bool:
    """Whether a value agrees with a figure to the figure's last digit."""
    return abs(value - figure.expected) <= 0.5000001 * 10.0**-figure.digits


def _verdict(figure: Figure, value: float) -> str:
    kinds = {
        "published": "published",
        "remembered": "as remembered, not verified against the paper",
        "recomputed": "recomputed by another implementation",
    }
    return kinds[figure.kind] + ("" if reached(figure, value) else "; **not reached**")


if __name__ == "__main__":
    for sentence in filter(None, map(lacking, dictionary_metrics())):
        raise SystemExit(sentence)
    top = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(top + MARK + figures_page(), encoding="utf-8")
