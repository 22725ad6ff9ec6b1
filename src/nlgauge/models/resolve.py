"""From the name of a model to its files: an alias of the catalogue, a folder or file, or an id of the Hugging Face hub.

An id is looked up in the hub's cache on this machine; nothing is downloaded on the way (`nlgauge models get ID` does
that), so that a run is the same with and without a network. `owner/name:revision` asks for a branch, tag or commit.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from nlgauge.errors import InputError, MissingModel, needing, suggest
from nlgauge.lexicons.digests import digest_of, file_digest, joined
from nlgauge.models.catalogue import ALIASES, KINDS, OWN, Entry, module_folder, of_kind
from nlgauge.wording.numbers import listing

# The files of the packaged models as they were published: SHA-256 by alias, version and file (`known.json`).
#
# `tools/known_models.py` adds those of the packages installed, for a version that is not in the table yet.


Standing = Literal["known", "unknown", "changed"]


@cache
def table() -> dict[str, dict[str, dict[str, str]]]:
    """Alias -> version -> file -> SHA-256."""
    found: dict[str, dict[str, dict[str, str]]] = json.loads(
        resources.files("nlgauge.models").joinpath("known.json").read_text(encoding="utf-8")
    )
    return found


_ID = re.compile(r"(?P<id>[\w.-]+(?:/[\w.-]+)?)(?::(?P<revision>[\w./-]+))?$")
# Ids of the hub's first years, which have no owner; others must be written owner/name.
UNOWNED = re.compile(
    r"(distil)?(bert|roberta|gpt2)(-(base|large|medium|xl|multilingual|chinese|german|cased|uncased|whole|word|masking"
    r"|openai|detector|mnli|finetuned|mrpc))*$|xlm-roberta-(base|large)$|xlnet-(base|large)-cased$"
    r"|albert-(base|large|xlarge|xxlarge)-v[12]$|t5-(small|base|large|3b|11b)$"
)
_SPACY = re.compile(r"[a-z]{2,3}_[a-z]+_[a-z]+_[a-z0-9]+")  # how packages of spaCy's models are called
# The words of MiniLM, which the package with its 8-bit weights does not bring: the reader was made of the same model.
VOCABULARY = "nlgauge.models.shipped.reader"
# What a number depends on: weights, shape of the network, tokeniser, pooling.
_WEIGHTS = (".safetensors", ".bin", ".onnx", ".gguf", ".npz", ".npy")
_OTHERS = (
    *("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "vocab.json"),
    *("merges.txt", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"),
)


@dataclass(frozen=True)
class Located:
    """A model found on this machine."""

    name: str
    path: Path  # a folder, or a single file
    revision: str
    entry: Entry | None = None
    files: tuple[str, ...] = ()  # what the digest is of, where the folder holds more than the model

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the model's files, remembered on disk; changed files of a known package are refused."""
        if self.standing == "changed":
            raise InputError(self._changed())
        return digest_of(self._files())

    @cached_property
    def standing(self) -> Standing:
        """Whether the files are those that the package was published with; unknown of what is no known package."""
        known = self._published()
        if not known:
            return "unknown"
        expected = joined((Path(name).name, digest) for name, digest in known.items())
        try:
            return "known" if digest_of(self._files()) == expected else "changed"
        except OSError:  # a file is gone
            return "changed"

    def by_file(self) -> dict[str, str]:
        """SHA-256 of each of the model's files."""
        return {self._called(path): file_digest(path) for path in self._files() if path.is_file()}

    def _called(self, path: Path) -> str:
        inside = path != self.path and path.is_relative_to(self.path)
        return path.relative_to(self.path).as_posix() if inside else path.name

    def _published(self) -> dict[str, str]:
        return table().get(self.entry.alias, {}).get(self.revision, {}) if self.entry is not None else {}

    def _changed(self) -> str:
        assert self.entry is not None
        known, found = self._published(), self.by_file()
        names = [name for name in (*known, *found) if known.get(name) != found.get(name)]
        again = "install nlgauge again"
        if self.entry.install != OWN:
            again = f"pip install --force-reinstall --no-deps {self.entry.package}=={self.revision}"
        return (
            f"{self.entry.package} {self.revision} is not as it was published: {listing(list(dict.fromkeys(names)))} "
            f"{'differs' if len(set(names)) == 1 else 'differ'} in {self.path}, so its numbers would not be those of "
            f"{self.entry.alias}; {again}, or, if you changed the model on purpose, name its path"
        )

    def _files(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        if self.files:
            return [self.path / name for name in self.files]
        weights = sorted(path for path in self.path.iterdir() if path.suffix in _WEIGHTS)
        if any(path.suffix == ".safetensors" for path in weights):
            weights = [path for path in weights if path.suffix != ".bin"]  # the same weights twice
        return [*weights, *(found for name in _OTHERS if (found := self.path / name).is_file())]

    def config(self) -> dict[str, Any]:
        """config.json of the folder."""
        path = (self.path if self.path.is_dir() else self.path.parent) / "config.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            raise InputError(f"{path} cannot be read as JSON; the model {self.name!r} is damaged") from None
        return found if isinstance(found, dict) else {}


def looks_like_a_model(name: str) -> bool:
    """Whether a name could be that of a model: an alias, something on the disk, or an id of the hub."""
    if name in ALIASES or (name and Path(name).exists()):
        return True
    found = _ID.match(name)
    return bool(found and ("/" in found["id"] or UNOWNED.match(found["id"])))


def split_id(name: str) -> tuple[str, str]:
    """An id of the hub and the revision asked for."""
    found = _ID.match(name)
    if not found or not ("/" in found["id"] or UNOWNED.match(found["id"])):
        raise InputError(f"{name!r} is no owner/name of the Hugging Face hub; aliases: {', '.join(ALIASES)}")
    return found["id"], found["revision"] or "main"


def check(kind: str, name: str) -> str | None:
    """What was expected of a field that names a model of a kind; None where the name is fine."""
    entry = ALIASES.get(name)
    if entry is not None and kind in entry.kinds:
        return None
    if entry is None and (looks_like_a_model(name) or (kind == "parser" and _SPACY.fullmatch(name))):
        return None
    return _expected(kind)


def _expected(kind: str) -> str:
    """What a field that names a model of a kind takes."""
    known = ", ".join(of_kind(kind)) or "a folder"
    if kind == "parser":
        return f"{_a(kind)}: {known}, the package of another spaCy model, such as de_core_news_sm, or a path"
    if kind == "static":
        return f"{_a(kind)}: {known}, or the path of a text file"
    return f"{_a(kind)}: {known}, owner/name of the Hugging Face hub, or a path"


def _a(kind: str) -> str:
    """A kind with its article."""
    if kind == "static":
        return KINDS[kind]
    return f"{'an' if KINDS[kind][0] in 'aeiou' else 'a'} {KINDS[kind]}"


def locate(name: str, kind: str, purpose: str = "this") -> Located:
    """The files of a model of a kind, or a sentence that says how to get them."""
    entry = ALIASES.get(name)
    if entry is not None:
        return _packaged(entry, kind, purpose)
    path = Path(name).expanduser()
    if path.exists():
        whole = kind == "parser" and (path / "config.cfg").is_file()  # spaCy spreads a model over folders
        return Located(name, path, "path", files=_below(path) if whole else ())
    if kind == "parser" and not _SPACY.fullmatch(name):
        raise InputError(f"{purpose} needs {_expected(kind)}; {name!r} is none of these on this machine")
    if kind == "parser":
        folder = module_folder(name)
        if folder is None:
            raise MissingModel(purpose, f"the spaCy model {name}", f"python -m spacy download {name}")
        return Located(name, *_pipeline(folder))
    if kind == "static":
        raise InputError(
            f"{purpose} needs {_a(kind)}, and {name!r} is no alias and no file on this machine; name a text file with "
            f"a word and its numbers on each line, or {' or '.join(of_kind(kind))}"
        )
    if not looks_like_a_model(name):
        raise InputError(
            f"{purpose} needs {_a(kind)}, and {name!r} is no alias, no path on this machine and no owner/name of "
            f"the Hugging Face hub; {suggest(name, of_kind(kind))}"
        )
    snapshot = hub_snapshot(*split_id(name))
    if snapshot is None:
        raise MissingModel(purpose, f"the model {name}", f"nlgauge models get {name}")
    refuse_pickled(snapshot, name)
    return Located(name, snapshot, snapshot.name[:12])


def refuse_pickled(folder: Path, name: str) -> None:
    """Refuse weights of the hub that are pickled: those are a program, and anybody may upload one.

    Where there are safetensors, these are read; .gguf and .onnx beside a .bin do not keep the .bin from being read.
    """
    kinds = {path.suffix for path in folder.iterdir()}
    if ".safetensors" not in kinds and (".bin" in kinds or kinds.isdisjoint({".gguf", ".onnx"})):
        raise InputError(
            f"{name} has no weights as .safetensors; pickled ones (.bin) of the hub are not read, as they can run any "
            "program: name a revision that has them (owner/name:REVISION), or convert the model and name its folder"
        )


def _packaged(entry: Entry, kind: str, purpose: str) -> Located:
    if kind not in entry.kinds:
        known = of_kind(kind)
        raise InputError(
            f"{purpose} needs {_a(kind)}, which {entry.alias} is not; "
            f"{'known: ' + ', '.join(known) if known else 'name a folder'}"
        )
    lacking, folder = entry.lacking(), entry.folder()
    if lacking or folder is None:
        what = f"the model {entry.alias}"
        if entry.package not in lacking:
            what += f", which runs on {' and '.join(lacking)}"
        again = "it is part of nlgauge, whose files are not whole; install nlgauge again"
        raise MissingModel(purpose, what, again if entry.install == OWN else entry.install)
    inside = {"minilm": "model", "glove": "data", "use": "resources"}.get(entry.alias, "")
    files: tuple[str, ...] = ()
    if entry.alias == "spacy-en":
        path, _, _, files = _pipeline(folder)
        inside = path.name
    if entry.alias == "trigram":
        inside = "model/en-us/en-us.lm.bin"
    if entry.alias == "smollm2":
        inside = next(path.name for path in folder.iterdir() if path.suffix == ".gguf")
    if entry.alias == "use":
        files = ("weights.npz", "sp.model")
    if entry.alias == "minilm-int8":
        files = ("model.onnx", str(tokeniser_folder() / "vocab.txt"))
    if entry.alias == "glove":
        files = ("glove_6B_50d_emb.npy", "glove_6B_index.parquet")
    return Located(entry.alias, folder / inside, entry.version(), entry, files)


def _pipeline(folder: Path) -> tuple[Path, str, None, tuple[str, ...]]:
    """Of the package of a spaCy model: where its pipeline is, which version, and its files."""
    try:
        path = next(path for path in folder.iterdir() if (path / "meta.json").exists())
    except StopIteration:
        raise InputError(f"{folder} holds no spaCy model: no folder in it has a meta.json") from None
    return path, path.name.rpartition("-")[2], None, _below(path)


def tokeniser_folder() -> Path:
    """Where the vocabulary of MiniLM lies: it comes with nlgauge."""
    folder = module_folder(VOCABULARY)
    assert folder is not None
    return folder


def _below(path: Path) -> tuple[str, ...]:
    """Every file of a folder and the folders in it."""
    return tuple(str(file.relative_to(path)) for file in sorted(path.rglob("*")) if file.is_file())


def hub_folder() -> Path:
    """The hub's cache on this machine, where its own settings put it."""
    if os.environ.get("HF_HUB_CACHE"):
        return Path(os.environ["HF_HUB_CACHE"])
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    return Path(home) / "hub"


def hub_snapshot(model: str, revision: str, mark: str = "config.json") -> Path | None:
    """The folder of a model that was downloaded before, with the file that tells it is there."""
    folder = hub_folder() / f"models--{model.replace('/', '--')}"
    reference = folder / "refs" / revision
    try:
        commit = reference.read_text(encoding="utf-8").strip() if reference.is_file() else revision
        snapshot = folder / "snapshots" / commit
        return snapshot if (snapshot / mark).exists() else None
    except OSError:
        return None


# Downloading a model of the Hugging Face hub into the hub's own cache: asked for, never on the way.


_FILES = ["*.json", "*.txt", "*.model", "*.spm", "*.safetensors", "1_Pooling/*"]


def download(name: str) -> Path:
    """The folder of the model, all its files on this machine."""
    model, revision = split_id(name)
    if os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on"):
        raise InputError(f"{name} cannot be downloaded while HF_HUB_OFFLINE is set; unset it, or name a folder")
    with needing(f"downloading {name}", "neural", "huggingface-hub"):
        import huggingface_hub
    folder = Path(_fetched(huggingface_hub, model, revision, _FILES))
    refuse_pickled(folder, name)
    return folder


def _fetched(hub: Any, model: str, revision: str, files: list[str]) -> str:
    try:
        found: str = hub.snapshot_download(model, revision=revision, allow_patterns=files)
    except Exception as error:  # the hub's library has a dozen of its own, and those of its network libraries
        said = str(error).strip().splitlines()
        reason = (said or [type(error).__name__])[0][:200]
        raise InputError(
            f"{model} (revision {revision}) could not be downloaded: {reason}; check the name and the network, or put "
            "the files into a folder and name that"
        ) from None
    return found
