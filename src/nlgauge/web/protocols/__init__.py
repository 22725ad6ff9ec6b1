"""The pages of each protocol: a module of the same name as in `study.protocols`, with `PAGES`, which may be by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from nlgauge.study.protocols import home

if TYPE_CHECKING:
    from nlgauge.web.protocols.base import Pages


def pages_of(protocol: str) -> Pages:
    """The pages of a protocol."""
    found: Pages | Mapping[str, Pages] = import_module(f"{__name__}.{home(protocol)}").PAGES
    return found[protocol] if isinstance(found, Mapping) else found
