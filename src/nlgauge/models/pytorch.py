"""Networks on PyTorch through transformers: contextual encoders, causal language models, entailment classifiers.

As bert-score does, a single layer is had by dropping those above it, so that a network with a norm at its end applies
it there too; several layers at once are the hidden states as they are. Code that comes with a model is never run.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError, needing
from nlgauge.models import runtime
from nlgauge.models.encoding import Shape
from nlgauge.models.failures import loaded_by
from nlgauge.models.matching import on_its_way
from nlgauge.models.runtime import chosen, torch_dtype

# Units in a batch, padding included: small batches stay in the caches of a CPU, large ones fill a GPU.
_BUDGET = {"cpu": 2_048, "cuda": 65_536, "mps": 8_192}
# Where networks keep their layers; the first that is there.
_STACKS = ("encoder.layer", "encoder.block", "encoder.layers", "transformer.layer", "layer", "layers", "h")
_loading = threading.Lock()


def libraries(purpose: str) -> tuple[Any, Any]:
    """torch and transformers, with transformers' talk silenced."""
    with needing(purpose, "neural"):
        import torch
        import transformers
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def out_of_memory(device: str) -> Callable[[BaseException], bool]:
    """Whether an error says that the memory of a device ran out; frees what it can."""
    import torch

    def ran_out(error: BaseException) -> bool:
        full = isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error).lower()
        if full and device != "cpu":
            torch.cuda.empty_cache()
        return full

    return ran_out


def budget_of(device: str) -> int:
    """Units in a batch of a network that reads pairs or checkpoints read."""
    return 2_048 if device == "cpu" else 65_536


def lengths_of(tokeniser: Any, pairs: Sequence[tuple[str, str]]) -> list[int]:
    """The units of each pair."""
    if not pairs:
        return []
    made = tokeniser([first for first, _ in pairs], [other for _, other in pairs], verbose=False)
    return [len(ids) for ids in made["input_ids"]]


@contextmanager
def without_bars() -> Iterator[None]:
    """transformers shows some bars past its own switch, straight from tqdm: also where nobody watches, or who asked
    for none."""
    try:
        tqdm: Any = importlib.import_module("tqdm").tqdm
    except ModuleNotFoundError:
        yield
        return
    shown = tqdm.__init__
    tqdm.__init__ = partialmethod(shown, disable=True)
    try:
        yield
    finally:
        tqdm.__init__ = shown


def attention(*, on_gpu: bool) -> Any:
    """Kernels of attention without cuDNN's, which are built anew for each shape of a batch: seconds in all."""
    if not on_gpu:
        return nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    return sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH])


def shape(config: dict[str, Any], tokeniser: dict[str, Any], name: str) -> Shape:
    """Layers, length of vectors and longest text, from the files alone."""
    layers = _first(config, "num_hidden_layers", "n_layers", "n_layer", "num_layers", "encoder_layers")
    dim = _first(config, "hidden_size", "d_model", "n_embd", "dim", "emb_dim")
    if layers is None or dim is None:
        raise InputError(f"the config.json of {name} does not say how many layers of which width the model has")
    places = _first(config, "max_position_embeddings", "n_positions") or 0
    if config.get("model_type") in ("roberta", "xlm-roberta", "camembert", "longformer"):
        places -= int(config.get("pad_token_id") or 0) + 1  # their positions start after that of the padding
    if config.get("model_type") in ("t5", "mt5"):
        places = 0  # positions are relative
    takes = [int(n) for n in (places, tokeniser.get("model_max_length") or 0) if 0 < n < 1_000_000]
    return Shape(tuple(range(layers + 1)), dim, min(takes, default=512))


class TorchNetwork:
    """An encoder that transformers can load."""

    def __init__(self, source: Path, *, dtype: str = "float32", pad: int = 0, purpose: str = "this") -> None:
        self._torch, transformers = libraries(purpose)
        now = runtime.current()
        self.device = chosen(now.device)
        self.resident = self.device.startswith("cuda")
        self.budget = _BUDGET[self.device.partition(":")[0]]
        self._pad = pad
        if now.threads:
            self._torch.set_num_threads(now.threads)
        with _loading:  # from_pretrained changes global state
            model = _loaded(transformers, source)
        if hasattr(model, "decoder") and hasattr(model, "encoder"):
            model = model.encoder
        if hasattr(model, "pooler"):
            model.pooler = None  # a vector for the whole text, which nobody asks for
        self.model = model.to(device=self.device, dtype=torch_dtype(dtype)).eval()
        self._holder, self._name = _stack(model)
        self._layers = getattr(self._holder, self._name) if self._holder is not None else None

    def run(self, rows: Sequence[Ints], layers: Sequence[int]) -> Any:
        """Vectors of all units from each layer, rows one after the other."""
        torch = self._torch
        lengths = np.array([len(row) for row in rows])
        longest = int(lengths.max())
        mask = np.arange(longest) < lengths[:, None]
        ids = np.full(mask.shape, self._pad, dtype=np.int64)
        ids[mask] = np.concatenate(rows)
        units = np.flatnonzero(mask)  # known here, so that the device need not be waited for to count them
        sent = (ids, mask.astype(np.int64), units)
        fed, seen, places = (on_its_way(part, self.device) for part in sent)
        with torch.inference_mode(), attention(on_gpu=self.resident):
            made = self._one(fed, seen, layers[0]) if len(layers) == 1 else self._several(fed, seen, layers)
            flat = made.flatten(0, 1)[places]
        return flat if self.resident else flat.float().cpu().numpy()

    def _one(self, ids: Any, mask: Any, layer: int) -> Any:
        if self._layers is None:
            return self._several(ids, mask, (layer,))
        kept = type(self._layers)(list(self._layers)[:layer])
        setattr(self._holder, self._name, kept)
        try:
            return self.model(ids, attention_mask=mask)[0].unsqueeze(2)
        finally:
            setattr(self._holder, self._name, self._layers)

    def _several(self, ids: Any, mask: Any, layers: Sequence[int]) -> Any:
        states = self.model(ids, attention_mask=mask, output_hidden_states=True).hidden_states
        return self._torch.stack([states[layer] for layer in layers], dim=2)

    def join(self, parts: Sequence[Any]) -> Any:
        """One array, or one tensor on the device."""
        return self._torch.cat(list(parts)) if self.resident else np.concatenate(parts)

    def exhausted(self, error: BaseException) -> bool:
        """Whether memory ran out."""
        return out_of_memory(self.device)(error)


def refuse_guesses(told: dict[str, Any], source: Path, what: str) -> None:
    """transformers gives weights that a folder lacks at random; no number may be made with those."""
    lacking = sorted(told["missing_keys"])
    if lacking:
        raise InputError(
            f"{source} is no {what}: it has no weights for {lacking[0]}"
            + (f" and {len(lacking) - 1} more" if len(lacking) > 1 else "")
            + "; name a model that has them all"
        )


def _loaded(transformers: Any, source: Path) -> Any:
    with loaded_by(f"no model could be loaded from {source}"):
        config = transformers.AutoConfig.from_pretrained(str(source), local_files_only=True)
        cls = transformers.T5EncoderModel if config.model_type == "t5" else transformers.AutoModel
        model, told = cls.from_pretrained(str(source), local_files_only=True, output_loading_info=True)
    unused = ("pooler", "decoder")  # dropped above
    told["missing_keys"] = [name for name in told["missing_keys"] if not any(part in name for part in unused)]
    refuse_guesses(told, source, "whole encoder")
    return model


def _stack(model: Any) -> tuple[Any, str]:
    """The module that holds the list of layers, and under which name; (None, "") where layers cannot be dropped."""
    import torch

    for place in _STACKS:
        holder: Any = model
        *way, name = place.split(".")
        for step in way:
            holder = getattr(holder, step, None)
        if isinstance(getattr(holder, name, None), torch.nn.ModuleList):
            return holder, name
    return None, ""


def _first(config: dict[str, Any], *names: str) -> int | None:
    return next((int(config[name]) for name in names if isinstance(config.get(name), int)), None)
