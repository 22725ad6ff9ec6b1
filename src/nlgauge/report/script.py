"""The one script of our pages (`page.js`): sorting, saving, and a word where a table is wider than the screen.

A page is complete without it. Its text is fixed, and the page's policy allows a script of this hash only.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

SCRIPT = files("nlgauge.report").joinpath("page.js").read_text(encoding="utf-8")
ELEMENT = f"<script>{SCRIPT}</script>"
HASH = f"sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}"
