"""What is kept of a browser's description of itself: its family and the kind of device.

The whole string names versions, systems and models of telephones, and together with the times of answers can tell
who somebody is. What is no browser (simulated judges, machines) stays as it is.
"""

from __future__ import annotations

import re

FAMILIES = (
    ("Edge", r"\bEdg"),
    ("Opera", r"\b(?:OPR|OPT|Opera)\b"),
    ("Samsung Internet", r"\bSamsungBrowser\b"),
    ("Firefox", r"\b(?:Firefox|FxiOS)\b"),
    ("Chrome", r"\b(?:Chrome|CriOS|Chromium)\b"),
    ("Safari", r"\bSafari\b"),
)
"""In this order: most browsers also name those that they are like."""
TABLET = re.compile(r"\biPad\b|\bTablet\b|\bAndroid\b(?!.*\bMobile\b)")
PHONE = re.compile(r"\b(?:Mobile|iPhone|iPod)\b")
_BROWSER = re.compile(r"(?:Mozilla|Opera)/\d")


def browser(client: str) -> str:
    """Family and kind of device of a browser; anything else unchanged.

    >>> browser("Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0")
    'Firefox, computer'
    >>> browser("Firefox, computer"), browser("simulated judge")
    ('Firefox, computer', 'simulated judge')
    """
    if not _BROWSER.match(client):
        return client
    family = next((name for name, mark in FAMILIES if re.search(mark, client)), "another browser")
    device = "tablet" if TABLET.search(client) else "phone" if PHONE.search(client) else "computer"
    return f"{family}, {device}"
