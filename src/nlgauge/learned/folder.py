"""The folder of a trained metric: metric.json (what it is), weights.safetensors (what it learnt), README.md (its card).

The card opens with the block of YAML that the Hugging Face hub reads, so that the folder can be uploaded as it lies.
"""

from __future__ import annotations

import html
import json
import os
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.errors import InputError, SpecError
from nlgauge.io.write import fcntl
from nlgauge.learned.form import Arrays, Form
from nlgauge.lexicons.digests import digest_of, joined
from nlgauge.models.weights import read, write

# The trained metrics that come with nlgauge, by name.


NUBIA = (
    "nubia",
    "nubia-light",
    "nubia-one-pass",
    "nubia-6dim-lreg",
    "nubia-6dim-nn",
    "nubia-8dim-lreg",
    "nubia-8dim-nn",
)
HEADS = ("similarity", "surprise", "refsurprise")  # of the metric `reading`
COMPARATOR = "nlgauge-compare"  # that of judges for whom none is named
NAMED = (*NUBIA, "nlgauge-mt", COMPARATOR, "sts")  # those that are offered
SHIPPED = (*NAMED, *(f"reading-{name}" for name in HEADS))
_HOME = Path(__file__).parent / "shipped"


def shipped(name: str) -> Path | None:
    """The folder of a metric that comes with nlgauge; None where the name is none of these."""
    return _HOME / name if name in SHIPPED else None


# Which rows a trained metric learnt from, kept as short digests: figures on these say nothing about new texts.


SIZE = 5  # bytes: among 10,000 rows that were learnt and 100,000 others one in a thousand sets has a false match


def row_digests(text: str, references: Sequence[str], source: Any = None) -> set[bytes]:
    """A row by its output with each reference, or with its source; capitals, spaces and escapes do not count."""
    about = map(_plain, references) if references else (_plain(repr(source)),)
    return {_digest(_plain(text), other) for other in about}


def is_known(learnt: Set[bytes], text: str, references: Sequence[str], source: Any = None) -> bool:
    """Whether an output was learnt with any of its references or with its source; earlier versions kept it with all
    references as one."""
    earlier = _digest(_plain(text), *sorted(map(_plain, references)))
    digests = row_digests(text, references) | row_digests(text, (), source)
    return earlier in learnt or not learnt.isdisjoint(digests)


def _digest(*texts: str) -> bytes:
    return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()[:SIZE]


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).casefold().split())


def packed(digests: Iterable[bytes]) -> str:
    """Digests as a text, each once."""
    return b64encode(b"".join(sorted(set(digests)))).decode("ascii")


def unpacked(told: Any) -> frozenset[bytes] | None:
    """The digests of such a text; None where it is damaged."""
    try:
        whole = b64decode(told, validate=True)
    except (TypeError, ValueError):
        return None
    return frozenset(whole[place : place + SIZE] for place in range(0, len(whole), SIZE))


FORMAT = 1
ABOUT, WEIGHTS, CARD, RECIPE = "metric.json", "weights.safetensors", "README.md", "training.json"
VOCABULARY, ENCODER = "vocab.txt", "encoder"  # beside the weights: the units of BERT, or a whole encoder
OURS = (ABOUT, WEIGHTS, CARD, RECIPE, VOCABULARY, ENCODER, "within")  # all that lies in a folder
FORMS = {
    "features": "nlgauge.learned.featured:Featured",
    "vectors": "nlgauge.learned.vectors:VectorForm",
    "pair": "nlgauge.learned.paired:PairEncoder",
    "reading": "nlgauge.learned.one_pass:Read",
    "sequence": "nlgauge.learned.sequence:Sequenced",
    "comparator": "nlgauge.learned.comparator:Comparator",
    "classifier": "nlgauge.learned.classifier:Classifier",
}


@dataclass(frozen=True)
class About:
    """What a trained metric is."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    clipped: bool = False  # scores are kept between 0 and 1
    normalised: bool = False  # a score is divided by that of the output compared with itself
    target: Mapping[str, Any] = field(default_factory=dict)  # what was learnt: criteria, their scale
    format: int = FORMAT
    content: str = ""  # digest of what was learnt and of the rest of this; none in folders of earlier versions


@dataclass(frozen=True, eq=False)
class Folder:
    """A trained metric as it lies on the disk."""

    path: Path
    about: About
    form: Form

    @cached_property
    def digest(self) -> str:
        """SHA-256 over what a score depends on: all files but the card and the story of the training."""
        return digest_of(
            sorted(file for file in self.path.rglob("*") if file.is_file() and file.name not in (CARD, RECIPE))
        )

    @cached_property
    def learnt_rows(self) -> frozenset[bytes] | None:
        """Digests of the rows that it learnt from; None where the story of the training does not tell."""
        return unpacked(self.story.get("learnt_rows"))

    @cached_property
    def story(self) -> Mapping[str, Any]:
        """What the training wrote of itself; empty where it is missing or damaged."""
        try:
            found = json.loads((self.path / RECIPE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def open_folder(path: Path) -> Folder:
    """Read a folder that `nlgauge train` wrote."""
    try:
        told = _told(path / ABOUT)
        about = _about(told)
        if about.format != FORMAT:
            raise InputError(
                f"{path} was written in form {about.format}, and this nlgauge reads form {FORMAT}; train it again"
            )
        if about.kind not in FORMS:
            raise InputError(f"{path} is of kind {about.kind!r}; expected one of {', '.join(FORMS)}")
        module, name = FORMS[about.kind].split(":")
        if about.content not in ("", _content(path, told), _learnt(path)):  # the last: of earlier versions
            raise InputError(
                f"{path} was changed or damaged after it was written: its files are not those that {ABOUT} tells of; "
                "copy it again, or train it again"
            )
        arrays = _weights(path / WEIGHTS)
        for array, values in arrays.items():
            if not np.isfinite(values.astype(np.float32)).all():
                raise InputError(f"{path / WEIGHTS} holds what is no number in {array}; is it whole?")
        form = getattr(import_module(module), name).of(about.settings, arrays, path)
    except OSError as error:
        raise InputError(
            f"{path} is no trained metric: {error.strerror or error} ({ABOUT} and {WEIGHTS} are expected); "
            "make one with nlgauge train"
        ) from None
    except KeyError as error:
        raise InputError(f"{path} is no whole trained metric: it lacks {error}; copy or train it again") from None
    except (SpecError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise InputError(f"{path} holds no trained metric that can be read: {error}; is it whole?") from None
    return Folder(path, about, form)


def seal(path: Path) -> None:
    """Renew the digest of a folder whose metric.json, or what was learnt, was changed on purpose."""
    told = _told(path / ABOUT)
    _json(path / ABOUT, {**told, "content": _content(path, told)})


def _content(path: Path, told: Mapping[str, Any]) -> str:
    """SHA-256 over what was learnt and what metric.json says beside."""
    about = json.dumps({**told, "content": ""}, sort_keys=True)
    return joined([(ABOUT, sha256(about.encode()).hexdigest()), (WEIGHTS, _learnt(path))])


def _learnt(path: Path) -> str:
    """SHA-256 over what was learnt; a licence, say, may be put beside it, and trained features have their own."""
    own = [path / WEIGHTS, path / VOCABULARY, *(path / ENCODER).rglob("*")]
    return digest_of(sorted(file for file in own if file.is_file()))


def _weights(path: Path) -> Arrays:
    try:
        return read(path)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path} is damaged or cut short ({error}); copy or train it again") from None


def _told(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(f"{path} is damaged: it holds no JSON; copy or train it again") from None


def _about(told: Any) -> About:
    """What a file says, with every entry of its type."""
    types = {
        "name": str,
        "kind": str,
        "settings": dict,
        "clipped": bool,
        "normalised": bool,
        "target": dict,
        "format": int,
        "content": str,
    }
    if not isinstance(told, dict) or {"content", *told} != set(types):
        raise ValueError(f"{ABOUT} must hold {', '.join(types)}")
    for key, kind in types.items():
        if key in told and type(told[key]) is not kind:
            raise ValueError(f"{key} in {ABOUT} is {told[key]!r}")
    return About(**told)


def keep(path: Path, about: About, form: Form, *, card: str, recipe: Mapping[str, Any]) -> Folder:
    """Write a folder, whole or not at all, and read it back: what is used is what was kept."""
    with _made(path) as folder:
        write(folder / WEIGHTS, form.arrays())
        form.beside(folder)
        _json(folder / ABOUT, asdict(about))
        seal(folder)
        _json(folder / RECIPE, recipe)
        (folder / CARD).write_text(card, encoding="utf-8")
    return open_folder(path)


def _json(path: Path, told: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@contextmanager
def _made(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes its place only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".training-", dir=path.parent) as room:
        folder = Path(room) / path.name
        folder.mkdir()
        yield folder
        if path.is_dir():  # an earlier form of the metric, or empty: goes with the room
            os.replace(path, Path(room) / "earlier")
        os.replace(folder, path)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """While a training writes a folder no other may; one that was killed leaves nothing that stands in the way."""
    if fcntl is None:
        yield
        return
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror} ({path.parent}); give a folder elsewhere") from None
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"another training is writing {path}; wait for it, or give another folder") from None
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def refuse_other(path: Path) -> None:
    """Refuse to write over what is no trained metric; asked before a training, not after."""
    if str(path) in SHIPPED:
        raise InputError(f"{path} is the name of a metric that comes with nlgauge; give the folder another name")
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.is_symlink() or (path.exists() and not is_ours(path)):
        raise InputError(f"{path} exists already and is no trained metric; give a new folder")


def is_ours(path: Path) -> bool:
    """Whether a folder is a trained metric with nothing of anybody else's in it."""
    try:
        _about(_told(path / ABOUT))
        return all(entry.name in OURS for entry in path.iterdir())
    except (OSError, ValueError, InputError):
        return False
