"""Folders as the WMT shared tasks publish them, read as line files.

Two layouts are known:

* that of the metrics task (mt-metrics-eval): `sources/en-de.txt`, `references/en-de.refA.txt`,
  `system-outputs/en-de/SYSTEM.txt`; an output named like a reference in use is that reference, and is left
  out;
* that of the submissions: `newstest2017.SYSTEM.4959.en-de[.txt]` beside `newstest2017-ende-src.en` and
  `newstest2017-ende-ref.de`, or beside `reference.txt` and `source.txt`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from nlgauge.errors import InputError, option
from nlgauge.io.files import StrPath, near_names, readable

SUBMISSION = re.compile(
    r"(?P<set>[^.]+)\.(?P<system>.+)\.(?P<number>\d+)\.(?P<pair>[a-z]{2,3}-[a-z]{2,3})(\.txt)?(\.gz|\.zst)?"
)
LAYOUTS = (
    "system-outputs/en-de/SYSTEM.txt with references/en-de.refA.txt, "
    "or newstest2017.SYSTEM.1234.en-de with newstest2017-ende-ref.de or reference.txt"
)


class LineFiles(NamedTuple):
    """The files of one language pair."""

    hyp: dict[str, Path]
    refs: list[Path]
    src: Path | None
    pair: str = ""


def wmt_files(folder: StrPath, pair: str | None = None) -> LineFiles:
    """Find one language pair's files in a WMT folder."""
    root = Path(folder)
    if not root.exists():
        raise InputError(f"no such folder: {root}{near_names(root)}")
    with readable(root):
        if (root / "system-outputs").is_dir():
            return _metrics_task(root, pair)
        return _submissions(root, pair)


def _not_wmt(root: Path, reason: str) -> InputError:
    return InputError(f"{root} is a folder but not a WMT set: {reason}; expected {LAYOUTS}")


def _choose(root: Path, pairs: set[str], pair: str | None) -> str:
    known = ", ".join(sorted(pairs))
    if pair is None and len(pairs) == 1:
        return next(iter(pairs))
    if pair is None:
        raise InputError(
            f"{root} holds several language pairs ({known}); choose one, e.g. {option('pair', min(pairs))}"
        )
    if pair not in pairs:
        raise InputError(f"{root} has no language pair {pair!r}; it holds {known}")
    return pair


def _metrics_task(root: Path, pair: str | None) -> LineFiles:
    outputs = root / "system-outputs"
    pairs = {entry.name for entry in outputs.iterdir() if entry.is_dir() and any(entry.glob("*.txt*"))}
    if not pairs:
        raise _not_wmt(root, "system-outputs holds no folder with outputs")
    chosen = _choose(root, pairs, pair)
    refs = sorted((root / "references").glob(f"{chosen}.*.txt*")) or sorted(
        (root / "references").glob(f"{chosen}.txt*")
    )
    if not refs:
        raise _not_wmt(root, f"no reference file references/{chosen}.refA.txt")
    used = {_plain(path.name).removeprefix(f"{chosen}.") for path in refs}
    found = {_plain(path.name): path for path in sorted((outputs / chosen).glob("*.txt*"))}
    hyp = {system: path for system, path in found.items() if system not in used}
    sources = sorted((root / "sources").glob(f"{chosen}.txt*"))
    return LineFiles(hyp, refs, sources[0] if sources else None, chosen)


def _plain(name: str) -> str:
    return re.sub(r"\.txt(\.gz|\.zst)?$", "", name)


def _submissions(root: Path, pair: str | None) -> LineFiles:
    files = sorted(entry for entry in root.iterdir() if entry.is_file())
    found = [(match, path) for path in files if (match := SUBMISSION.fullmatch(path.name))]
    if not found:
        raise _not_wmt(root, "no file is named like a submission")
    chosen = _choose(root, {match["pair"] for match, _ in found}, pair)
    kept = [(match, path) for match, path in found if match["pair"] == chosen]
    names = [match["system"] for match, _ in kept]
    hyp = {
        match["system"] if names.count(match["system"]) == 1 else f"{match['system']}.{match['number']}": path
        for match, path in kept
    }
    source, target = chosen.split("-")
    refs = _beside(files, chosen, f"-ref.{target}", "reference")
    if not refs:
        raise _not_wmt(root, f"no reference file ending in -ref.{target} and no reference.txt")
    sources = _beside(files, chosen, f"-src.{source}", "source")
    return LineFiles(hyp, refs, sources[0] if sources else None, chosen)


def _beside(files: list[Path], pair: str, ending: str, plain: str) -> list[Path]:
    """The files with an ending such as -ref.de, those of this language pair if they say so; else
    reference*.txt.
    """
    ended = [path for path in files if re.search(re.escape(ending) + r"(\.txt)?(\.gz|\.zst)?$", path.name)]
    own = [path for path in ended if pair.replace("-", "") in path.name or pair in path.name]
    stem = re.compile(plain + r"[-_.]?\w*\.txt(\.gz|\.zst)?")
    return own or ended or [path for path in files if stem.fullmatch(path.name)]
