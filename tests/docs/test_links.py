"""No link of the documentation is dead, neither in the built site nor for those who read the files where they lie."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
EXTRA = re.compile(r"nlgauge\[([a-z,]+)\]")


def links(page: Path) -> list[str]:
    """Where the page's links lead, those of its examples left out."""
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The headings of a page, as addresses name them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", head.lower()).strip()) for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_first_page_leads_to_every_other() -> None:
    reached = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "index.md")}
    assert {page for page in DOCS.rglob("*.md") if page.name != "index.md"} <= reached


def test_the_readme_leads_to_every_page_on_studies() -> None:
    reached = {(ROOT / link.partition("#")[0]).resolve() for link in links(ROOT / "README.md")}
    assert set((DOCS / "studies").glob("*.md")) <= reached


def test_the_glossary_is_alphabetical() -> None:
    rows = re.findall(r"^\| (?!The field)([^|-][^|]*) \|", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) > 50
    assert rows == sorted(rows, key=str.lower)


def extras() -> dict[str, list[str]]:
    """What can be asked for in brackets."""
    found: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    return found


def test_every_extra_that_is_named_exists_and_the_page_on_installation_names_those_for_users() -> None:
    known = extras()
    sources = [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.html")]
    for page in sources:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install\s+[\"']?\.\[", text), f"{page}: extras have one form, nlgauge[…]"
        for named in EXTRA.findall(text):
            assert set(named.split(",")) <= set(known), f"{page}: {named}"
    install = (DOCS / "install.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `([a-z]+)` \|", install, re.M))
    assert told == set(known) - {"dev", "docs", "test", "test-models"}


def test_the_line_that_messages_tell_works_from_any_folder(tmp_path: Path) -> None:
    """`nlgauge[…]` is found where it is installed, without an index to look it up in."""
    import subprocess

    if find_spec("pip") is None:
        pytest.skip("pip is not in this environment")
    line = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "nlgauge[study]"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "nlgauge" not in done.stdout and "No matching distribution found for nlgauge" in done.stderr:
        pytest.skip("nlgauge runs here without being installed")
    assert done.returncode == 0, done.stderr


def test_quoted_sentences_were_printed() -> None:
    """What a page quotes for a paper stands word for word in the output of its own commands."""
    text = (DOCS / "from-outputs-to-paper.md").read_text(encoding="utf-8")
    printed = "\n".join(re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S))
    quotes = re.findall(r"^> (.+)$", text, re.M)
    assert len(quotes) == 3
    for quote in quotes:
        assert f"\n{quote}\n" in printed, quote
