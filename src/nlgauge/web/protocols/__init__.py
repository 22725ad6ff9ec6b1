"""The pages of each protocol: a module of the same name as in `study.protocols`, with `PAGES`.

Beside them stands what protocols share: `base` (all), `outputs` (studies of outputs), `one_text` and `several_texts`.
Where the protocols of a module have pages of their own, `PAGES` has them by the protocol's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from nlgauge.study.protocols import home

if TYPE_CHECKING:
    from nlgauge.web.protocols.base import Pages


def pages_of(protocol: str) -> Pages:
    """The pages of a protocol."""
    found = import_module(f"{__name__}.{home(protocol)}").PAGES
    pages: Pages = found[protocol] if isinstance(found, Mapping) else found
    return pages
