"""The documentation builds without a warning and has a page for every metric and command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import nlgauge as ng
from nlgauge.cli import COMMANDS
from nlgauge.metrics.registry import METRICS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is built with mkdocs (extra docs)")
    target = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


def test_every_metric_has_a_page(site: Path) -> None:
    for name in METRICS:
        page = (site / "metrics" / f"{name}.html").read_text(encoding="utf-8")
        for part in ("Range", "is better", "Needs", "Equals", "Paper", "Full spec", "Definition and sources"):
            assert part in page, f"{name}: {part}"


@pytest.mark.parametrize("name", ["meteor++", "meteor++2", "rougeC"])
def test_pages_say_what_was_not_at_hand(site: Path, name: str) -> None:
    assert "only the abstract was at hand" in (site / "metrics" / f"{name}.html").read_text(encoding="utf-8")


def test_every_command_is_documented(site: Path) -> None:
    page = (site / "commands.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"usage: nlgauge {name}" in page


def test_every_public_name_has_its_reference(site: Path) -> None:
    index = (site / "reference" / "index.html").read_text(encoding="utf-8")
    assert index.count("nlgauge.html#") >= len([name for name in ng.__all__ if callable(getattr(ng, name))])
    page = (site / "reference" / "nlgauge.html").read_text(encoding="utf-8")
    for name in ng.__all__:
        value = getattr(ng, name)
        if callable(value):
            assert f">{name}</h2>" in page, name
            assert value.__doc__, name
    assert "ties: Literal[&#39;count&#39;, &#39;ignore&#39;]" in page or "ties: Literal['count', 'ignore']" in page
    assert ">Comparisons</h2>" in page, "what a function returns stands beside it"


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text and 'rel="stylesheet" href="http' not in text, page
