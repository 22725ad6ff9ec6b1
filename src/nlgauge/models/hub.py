"""Downloading a model of the Hugging Face hub into the hub's own cache: asked for, never on the way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, MissingExtra
from nlgauge.models.resolve import refuse_pickled, split_id

_FILES = ["*.json", "*.txt", "*.model", "*.spm", "*.safetensors", "1_Pooling/*"]


def download(name: str) -> Path:
    """The folder of the model, all its files on this machine."""
    model, revision = split_id(name)
    if os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on"):
        raise InputError(f"{name} cannot be downloaded while HF_HUB_OFFLINE is set; unset it, or name a folder")
    try:
        import huggingface_hub
    except ModuleNotFoundError:
        raise MissingExtra(f"downloading {name}", "huggingface-hub", "neural") from None
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
