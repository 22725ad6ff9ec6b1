"""The frame of every page of ours, and the pieces that all of them are made of.

A page is one file: nothing is loaded from elsewhere, and but for one script of ours, without which it is complete, none
may run (`report.script`); the content-security policy in its head says so to the browser.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from nlgauge import __version__
from nlgauge.io import atomic_path
from nlgauge.report.pages import ELEMENT, HASH
from nlgauge.report.style import CSS, printable

ROUNDED = "Scores are rounded; the JSON output has them in full."
NUMBERS = "Numbers are rounded; the JSON output has them in full."

_FRAME = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'$policy">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>$css</style>
</head>
<body>
<main>
$body
<footer>Made with nlgauge $version.$closing</footer>
</main>
$script</body>
</html>
""")


def page(title: str, body: str, *, css: str = CSS, closing: str = ROUNDED, script: bool = True) -> str:
    """The page as text."""
    return printable(
        _FRAME.substitute(
            title=escape(title),
            css=css,
            body=body,
            version=__version__,
            closing=f" {closing}" if closing else "",
            policy=f"; script-src '{HASH}'" if script else "",
            script=f"{ELEMENT}\n" if script else "",
        )
    )


def write(text: str, path: str | Path) -> Path:
    """Write a page whole or not at all, and return its path."""
    target = Path(path)
    with atomic_path(target) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return target
