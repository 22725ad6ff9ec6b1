"""What the pages of protocols share; those of one protocol are the part `pages` of its folder, with `PAGES`.

base            all of them
outputs         of studies of outputs: `one_text` and `several_texts` on a screen, `gold`: what was known beforehand

Where the protocols of a folder have pages of their own, `PAGES` has them by the protocol's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nlgauge.study.protocols import part_of

if TYPE_CHECKING:
    from nlgauge.web.protocols.base import Pages


def pages_of(protocol: str) -> Pages:
    """The pages of a protocol."""
    pages = part_of(protocol, "pages").PAGES
    return pages[protocol] if isinstance(pages, Mapping) else pages
