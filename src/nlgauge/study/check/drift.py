"""A study file that was edited after the launch: what differs from the study that runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.errors import counted, unquoted
from nlgauge.study.check.findings import Finding
from nlgauge.study.launch import frozen as frozen_file
from nlgauge.study.launch.frozen import Frozen

NAMED = 6  # differences


@dataclass(frozen=True)
class Drift:
    """That a folder was launched, and what its files say otherwise now; `changed` is None where they say nothing."""

    digest: str
    changed: tuple[str, ...] | None

    def finding(self) -> Finding:
        """The same for `check`."""
        if not self.changed:
            return Finding("note", "frozen", "the study was launched with these files, and is frozen")
        rest = len(self.changed) - NAMED
        more = f"; {counted(rest, 'more difference')}" if rest > 0 else ""
        return Finding(
            "risk",
            "frozen",
            "the study is launched and frozen, so that these changes have no effect on it: "
            f"{'; '.join(self.changed[:NAMED])}{more}; undo them, or launch afresh (--fresh), which sets the "
            "answers aside",
            figures={"changed": list(self.changed)},
        )


def drift(folder: str | Path, found: Frozen | None) -> Drift | None:
    """What differs between the launched study and the files as they would be frozen now; None where none is."""
    if not (Path(folder) / frozen_file.FILE).exists():
        return None
    launched = frozen_file.read(folder)
    if found is None:
        return Drift(launched.digest, None)
    then, files = launched.study.to_dict(), found.study.to_dict()
    if then.get("criteria") == files.get("criteria"):  # what an edition of the catalogue made of them is no edit
        then.pop("asked", None)
        files.pop("asked", None)
    changed = list(_differences(then, files))
    before, now = ({(text.subject, text.item): text for text in one.texts} for one in (launched, found))
    texts = sum(before.get(key) != now.get(key) for key in {*before, *now})
    if texts:
        changed.append(counted(texts, "text"))
    pictures = {*launched.images.items()} ^ {*found.images.items()}
    if pictures:
        changed.append(counted(len({name for name, _ in pictures}), "picture"))
    return Drift(launched.digest, tuple(changed))


def _differences(before: Any, now: Any, path: str = "") -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*before, *now]):
            below = f"{path}.{key}" if path and key else path or str(key)
            yield from _differences(before.get(key), now.get(key), below)
    elif isinstance(before, list | tuple) and isinstance(now, list | tuple) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now, strict=True), start=1):
            yield from _differences(one, other, f"{path}.{number}")
    elif before != now:
        plain = all(one is None or isinstance(one, str | int | float) for one in (before, now))
        yield f"{path} ({_said(before)} at launch, now {_said(now)})" if plain else path


def _said(value: Any) -> str:
    return "nothing" if value in (None, "") else unquoted(value)
