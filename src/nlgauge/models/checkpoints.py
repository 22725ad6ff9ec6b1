"""Networks that others trained to judge texts, from the folders they are published as: BLEURT and COMET.

A folder is named by its path, or by owner/name of the Hugging Face hub where the hub's cache holds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge.arrays import Array
from nlgauge.errors import InputError, MissingModel
from nlgauge.models import runtime
from nlgauge.models.batching import in_batches
from nlgauge.models.catalogue import has
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import ModelInfo
from nlgauge.models.loading import once
from nlgauge.models.pytorch import budget_of, libraries, out_of_memory, refuse_guesses, without_bars
from nlgauge.models.resolve import Located, hub_snapshot, looks_like_a_model, split_id
from nlgauge.models.runtime import chosen

NONE = "none"  # in place of a folder
INSTALL = 'pip install "nlgauge[checkpoints]"'


def check(name: str) -> str | None:
    """What was expected of a field that names a checkpoint; None where the name is fine."""
    if name == NONE or looks_like_a_model(name):
        return None
    return "the folder of a checkpoint, or owner/name of the Hugging Face hub"


def folder_of(name: str, purpose: str, whose: str, marks: Sequence[str]) -> tuple[Path, str]:
    """The folder of a checkpoint, which has one of the files `marks`; and its revision."""
    if name == NONE:
        how = f"download one of {whose}'s and name its folder, {purpose}(model=FOLDER)"
        raise MissingModel(purpose, "a checkpoint", how)
    path, revision = Path(name).expanduser(), "path"
    if not path.exists():
        found = next((folder for mark in marks if (folder := hub_snapshot(*split_id(name), mark))), None)
        if found is None:
            how = f"download it with the hub's own tools, or name its folder: {purpose}(model=FOLDER)"
            raise MissingModel(purpose, f"the checkpoint {name}", how)
        path, revision = found, found.name[:12]
    if not path.is_dir():
        raise InputError(f"{path} is a file; {purpose} needs the folder of a checkpoint of {whose}")
    if not any((path / mark).is_file() for mark in marks):
        raise InputError(f"{path} is no checkpoint of {whose}: there is no {' or '.join(marks)} in it")
    return path, revision


def loaded(kind: str, found: Located, load: Callable[[ModelInfo], Any]) -> Any:
    """The network of a folder, loaded once in a process."""
    now = runtime.current()
    info = ModelInfo(found.name, found.revision, found.digest, "torch", standing=found.standing)
    return once((kind, found, found.digest, now.device, now.threads), lambda: load(info))


def require(purpose: str, *modules: str) -> None:
    """Refuse to go on without libraries."""
    lacking = [module for module in modules if not has(module)]
    if lacking:
        raise MissingModel(purpose, " and ".join(lacking), INSTALL)


def present(folder: Path, names: Sequence[str], whose: str) -> tuple[str, ...]:
    """The names, where each is a file of the folder."""
    lacking = [name for name in names if not (folder / name).is_file()]
    if lacking:
        raise InputError(f"{folder} is no whole checkpoint of {whose}: it lacks {' and '.join(lacking)}")
    return tuple(names)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path} cannot be read as a JSON object; get the checkpoint again")
    return found


class Network:
    """A network of transformers with weights of our giving, in float32, and the batches it reads."""

    def __init__(self, purpose: str) -> None:
        self.torch, self.transformers = libraries(purpose)
        now = runtime.current()
        self.device = chosen(now.device)
        if now.threads:
            self.torch.set_num_threads(now.threads)

    def filled(self, kind: str, config: Any, weights: Mapping[str, Any], *, source: Path, pooler: bool) -> Any:
        """A model with these weights, ready to run; weights that it has no place for are passed over."""
        with without_bars(), loaded_by(f"{source} has weights that do not fit its configuration"):
            model, told = getattr(self.transformers, kind).from_pretrained(
                None,
                config=config,
                state_dict=dict(weights),
                add_pooling_layer=pooler,
                output_loading_info=True,
            )
        refuse_guesses(told, source, "whole checkpoint")
        return model.to(self.device).float().eval()

    def batches(
        self, rows: Sequence[Sequence[int]], run: Callable[[list[int]], Array], told: str
    ) -> Iterator[tuple[list[int], Array]]:
        """What `run` makes of rows of like length, with their places; batches are halved where memory runs out."""
        full, budget = out_of_memory(self.device), budget_of(self.device)
        return in_batches([len(row) for row in rows], run, full, budget=budget, told=told)

    def padded(self, rows: Sequence[Sequence[int]], pad: int) -> tuple[Any, Any]:
        """Rows of one length on the device, and which of their units are no padding."""
        longest = max(map(len, rows))
        ids = [[*row, *[pad] * (longest - len(row))] for row in rows]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
        return self.torch.tensor(ids, device=self.device), self.torch.tensor(mask, device=self.device)
