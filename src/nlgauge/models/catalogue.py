"""The models that come with nlgauge or from PyPI, by alias: all run without any hub. Listing them imports none."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata, resources, util
from pathlib import Path
from typing import Any

import orjson

from nlgauge import __version__
from nlgauge.models.interface import Kind


@dataclass(frozen=True)
class Entry:
    """A model under an alias."""

    alias: str
    kinds: tuple[Kind, ...]
    package: str  # on PyPI
    module: str  # as imported
    install: str  # the exact line
    about: str
    libraries: tuple[str, ...] = ()  # modules that run it
    commands: tuple[str, ...] = ()  # that run it, beside metrics

    def folder(self) -> Path | None:
        """Where the package lies; None where it is not installed. Nothing is imported."""
        return module_folder(self.module)

    def version(self) -> str:
        """Of the package installed."""
        return version(self.package)

    def lacking(self) -> tuple[str, ...]:
        """What is not installed: the package, and libraries it needs."""
        missing = () if self.folder() else (self.package,)
        return (*missing, *(name for name in self.libraries if not has(name)))


OWN = "comes with nlgauge"  # in place of an install line
_TOLD: dict[str, dict[str, Any]] = orjson.loads(
    resources.files("nlgauge.models").joinpath("catalogue.json").read_bytes()
)
_TUPLES = ("kinds", "libraries", "commands")
ALIASES = {
    alias: Entry(alias, **{**told, **{name: tuple(told.get(name, ())) for name in _TUPLES}})
    for alias, told in _TOLD.items()
}
ENTRIES = tuple(ALIASES.values())
MULTILINGUAL = frozenset({"use"})  # the others are for English
KINDS: dict[str, str] = {
    "contextual": "contextual encoder",
    "sentence": "sentence encoder",
    "static": "static word vectors",
    "language": "language model",
    "entailment": "entailment model",
    "parser": "parser",
}


def of_kind(kind: str) -> list[str]:
    """The aliases of models of a kind."""
    return [entry.alias for entry in ENTRIES if kind in entry.kinds]


def has(module: str) -> bool:
    """Whether a module could be imported, without importing it."""
    try:
        return util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def module_folder(module: str) -> Path | None:
    """The folder of a package, without importing it."""
    try:
        found = util.find_spec(module)
    except (ImportError, ValueError):
        return None
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations)))


def version(package: str) -> str:
    """Of an installed package; "unknown" where it does not say."""
    if package == "nlgauge":  # may run from a folder, installed or not
        return __version__
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"
