"""Prints the packages of the extras named, one a line; an extra that names another is resolved.

python tools/extras.py test dev
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def packages(extras: Iterable[str]) -> list[str]:
    """The requirements of some extras."""
    found: dict[str, None] = {}
    for extra in extras:
        for requirement in PROJECT["optional-dependencies"][extra]:
            inner = re.fullmatch(rf"{PROJECT['name']}\[(.*)\]", requirement)
            found |= dict.fromkeys(packages(inner[1].split(",")) if inner else [requirement])
    return list(found)


if __name__ == "__main__":
    print("\n".join(packages(sys.argv[1:])))
