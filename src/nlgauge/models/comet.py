"""COMET's regression metrics (Rei et al. 2020, 2022) from their published checkpoints.

Source, output and reference go through the encoder one by one. The vector of a text is the mean of its units, and that
of a unit a mixture of all layers: γ · Σ wₗ · hₗ with w = softmax or sparsemax of learnt numbers, each layer first
normalised over the units of the text where the checkpoint says so. With m, r and s for output, reference and source, a
network reads [m, r, m·r, |m − r|, m·s, |m − s|], without references [m, s, m·s, |m − s|], and gives the score. Vectors
are kept by text, so that a source that several systems translate is read once.

Settings are those in model.ckpt, as unbabel-comet 2.2.7 takes them; hparams.yaml gives the class, and what the other
lacks. `layer_transformation: sparsemax_patch` there means softmax, which such models were trained with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, MissingModel, counted
from nlgauge.models import runtime
from nlgauge.models.cache import Memory, Store
from nlgauge.models.checkpoints import Network, folder_of, loaded, present, read_json, require
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import ModelInfo, Vectors
from nlgauge.models.resolve import Located, hub_snapshot, split_id
from nlgauge.models.sentences import looked_up
from nlgauge.models.subwords import Subwords

WHOSE = "COMET"
AUTO = "auto"  # the encoder that the checkpoint names
SETTINGS, WEIGHTS = "hparams.yaml", "checkpoints/model.ckpt"
REGRESSION, REFERENCELESS = "regression_metric", "referenceless_regression_metric"
_CLASS = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_ENCODERS = {"XLM-RoBERTa": "XLMRobertaModel", "BERT": "BertModel"}  # classes of transformers
_ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "sigmoid": lambda values: 1 / (1 + np.exp(-values)),
}
_TOKENISER = ("tokenizer.json", "tokenizer_config.json", "sentencepiece.bpe.model", "vocab.txt")


def class_of(folder: Path) -> str:
    """Which of COMET's classes a checkpoint is of, if that can be read."""
    try:
        found = _CLASS.search((folder / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ""
    return found[1] if found else ""


def comet(name: str, *, encoder: str = AUTO, purpose: str = "comet") -> Comet:
    """The checkpoint of that name; `encoder`: where configuration and tokeniser of its encoder lie."""
    folder, revision = folder_of(name, purpose, WHOSE, (SETTINGS,))
    files = present(folder, (SETTINGS, WEIGHTS), WHOSE)
    kind = class_of(folder)
    if kind not in (REGRESSION, REFERENCELESS):
        raise InputError(
            f"{folder} is a checkpoint of COMET whose class_identifier is {kind or 'not said'}; read are "
            f"{REGRESSION} and {REFERENCELESS}"
        )
    require(purpose, "torch", "transformers", "tokenizers", "yaml")
    given = _yaml(folder / SETTINGS)
    base = _encoder_folder(folder, encoder, str(given.get("pretrained_model") or "xlm-roberta-large"), purpose)
    beside = [str(base.resolve() / file) for file in ("config.json", *_TOKENISER) if (base / file).is_file()]
    found = Located(name, folder, revision, files=(*files, *beside))
    judge: Comet = loaded("comet", found, lambda info: Comet(info, folder, base, given, purpose))
    return judge


def _yaml(path: Path) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path} cannot be read as settings (YAML); get the checkpoint again")
    return found


def _encoder_folder(folder: Path, encoder: str, named: str, purpose: str) -> Path:
    """Where configuration and tokeniser lie: as asked for, beside the checkpoint, or where its settings say."""
    beside = folder / "encoder"
    wanted = encoder if encoder != AUTO else str(beside) if beside.is_dir() else named
    local = Path(wanted).expanduser()
    path = local if local.is_dir() else hub_snapshot(*split_id(wanted))
    if path is None:
        how = (
            f"nlgauge models get {wanted}, or put its config.json and tokenizer.json into {beside}, or name their "
            f"folder: {purpose}(…,encoder=FOLDER)"
        )
        raise MissingModel(purpose, f"configuration and tokeniser of {wanted}", how)
    if not (path / "config.json").is_file() or not any((path / file).is_file() for file in _TOKENISER):
        raise InputError(f"{path} holds no encoder: config.json and a tokeniser are needed, weights are not")
    return path


@dataclass(frozen=True)
class Settings:
    """What of a checkpoint's settings a score depends on."""

    encoder_model: str
    pool: str
    layer: str | int
    layer_transformation: str
    layer_norm: bool
    activations: str
    final_activation: str | None

    @classmethod
    def of(cls, source: Path, given: Mapping[str, Any], stored: Mapping[str, Any]) -> Settings:
        """From hparams.yaml, and from the weights' own file, which counts where both say something."""
        usual = {
            **{"encoder_model": "XLM-RoBERTa", "pool": "avg", "layer": "mix", "layer_norm": True},
            **{"layer_transformation": "softmax", "activations": "Tanh", "final_activation": None},
        }
        both = {**usual, **given, **stored}
        if given.get("layer_transformation") == "sparsemax_patch":
            both["layer_transformation"] = "softmax"
        made = cls(**{name: both[name] for name in usual})
        allowed = {
            "encoder_model": tuple(_ENCODERS),
            "pool": ("avg", "max", "cls"),
            "activations": tuple(_ACTIVATIONS),
            "final_activation": ("none", *_ACTIVATIONS),
        }
        if made.layer != "mix" and not isinstance(made.layer, int):
            raise InputError(f"{source} has the layer {made.layer!r}; read are mix and the number of one")
        for name, known in allowed.items():
            value = str(both[name])
            if value not in known and value.lower() not in known:
                raise InputError(f"{source} has the {name} {value}; read are {', '.join(known)}")
        return made


class Comet:
    """An encoder with what was learnt over it."""

    def __init__(self, info: ModelInfo, folder: Path, base: Path, given: Mapping[str, Any], purpose: str) -> None:
        self.info, self._long, self._stores = info, set[str](), dict[str, Store | Memory]()
        self._network = Network(purpose)
        stored = self._read(folder / WEIGHTS)
        weights = stored["state_dict"]
        self.settings = Settings.of(folder, given, stored.get("hyper_parameters") or {})
        with loaded_by(f"{folder} does not hold the weights of {WHOSE}"):
            self._mix = self._mixture(weights)
            self._layers = _estimator(weights)
        kind = _ENCODERS[self.settings.encoder_model]
        self._subwords = Subwords.read(base, read_json(base / "config.json"), purpose)
        with loaded_by(f"no encoder could be loaded from {base}"):
            known = getattr(self._network.transformers, kind).config_class
            config = known.from_pretrained(str(base), local_files_only=True)
        inside = "encoder.model."
        own = {name.removeprefix(inside): weights[name] for name in weights if name.startswith(inside)}
        self._model = self._network.filled(kind, config, own, source=folder, pooler=False)
        self.dim, self.longest = int(config.hidden_size), int(config.max_position_embeddings) - 4
        if self.settings.layer != "mix" and not 0 <= int(self.settings.layer) <= config.num_hidden_layers:
            raise InputError(f"{folder} asks for layer {self.settings.layer}, which its encoder does not have")
        parts = {6: True, 4: False}.get(self._layers[0][0].shape[1] // self.dim)
        if parts is not (class_of(folder) == REGRESSION):
            raise InputError(f"{folder} has a network that does not fit its class_identifier; is it whole?")

    def _read(self, path: Path) -> dict[str, Any]:
        """The file of weights; nothing in it is run."""
        torch = self._network.torch
        how = (
            f"{path} cannot be read without running what it holds, or is damaged; where you trust it, keep only "
            "state_dict and hyper_parameters of it (torch.load, torch.save)"
        )
        with loaded_by(how):
            found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        if not isinstance(found, dict) or not isinstance(found.get("state_dict"), dict):
            raise InputError(f"{path} is no checkpoint of {WHOSE}: there is no state_dict in it")
        return found

    def _mixture(self, weights: Mapping[str, Any]) -> Any:
        """The weight of each layer, times γ; None where one layer is taken."""
        if self.settings.layer != "mix":
            return None
        learnt = "layerwise_attention.scalar_parameters."
        number = sum(name.startswith(learnt) for name in weights)
        values = np.array([float(weights[f"{learnt}{layer}"]) for layer in range(number)])
        shares = sparsemax(values) if self.settings.layer_transformation == "sparsemax" else softmax(values)
        return float(weights["layerwise_attention.gamma"]) * shares

    def remarks(self) -> list[str]:
        """Texts that were cut since this was last asked."""
        cut, self._long = len(self._long), set()
        if not cut:
            return []
        return [f"{counted(cut, 'text')} longer than the {self.longest} units the metric reads lost the end"]

    def scores(self, outputs: Sequence[str], sources: Sequence[str], references: Sequence[str] | None) -> Array:
        """One number for each output; references where the checkpoint reads them."""
        texts = list(dict.fromkeys([*outputs, *sources, *(references or ())]))
        rows = self._rows(texts)

        def encoded(texts: list[str]) -> Vectors:
            return self._encoded([rows[text] for text in texts])

        made = looked_up(texts, self._store(), encoded, self.dim).astype(np.float64)
        places = {text: place for place, text in enumerate(texts)}
        output, source = (made[[places[text] for text in some]] for some in (outputs, sources))
        about = [output * source, np.abs(output - source)]
        if references is None:
            seen = [output, source, *about]
        else:
            reference = made[[places[text] for text in references]]
            seen = [output, reference, output * reference, np.abs(output - reference), *about]
        return self._estimated(np.concatenate(seen, axis=1))

    def _estimated(self, values: Array) -> Array:
        """What the network over the vectors gives, in double precision."""
        last = len(self._layers) - 1
        for number, (weight, bias) in enumerate(self._layers):
            values = values @ weight.T.astype(np.float64) + bias
            name = self.settings.activations if number < last else self.settings.final_activation
            values = _ACTIVATIONS[str(name).lower()](values) if name else values
        return np.asarray(values[:, 0], dtype=np.float32).astype(np.float64)

    def _rows(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """The units of each text; those too long are cut and counted."""
        whole = [units.ids.tolist() for units in self._subwords.units(texts)]
        self._long.update(text for text, ids in zip(texts, whole, strict=True) if len(ids) > self.longest)
        cut = [ids if len(ids) <= self.longest else [*ids[: self.longest - 1], ids[-1]] for ids in whole]
        return dict(zip(texts, cut, strict=True))

    def _encoded(self, rows: Sequence[Sequence[int]]) -> Vectors:
        found = np.zeros((len(rows), self.dim), dtype=np.float32)
        told = f"texts encoded by {self.info.name}"
        for part, made in self._network.batches(
            rows, lambda places: self._run([rows[place] for place in places]), told
        ):
            found[part] = made
        return found

    def _run(self, rows: Sequence[Sequence[int]]) -> Any:
        torch, pad = self._network.torch, self._subwords.pad
        ids, mask = self._network.padded(rows, pad)
        with torch.inference_mode():
            states = self._model(ids, attention_mask=mask, output_hidden_states=True).hidden_states
            if self._mix is None:
                units = states[int(self.settings.layer)]
            else:
                norm = _normalised if self.settings.layer_norm else lambda state, _: state
                pairs = zip(self._mix, states, strict=True)
                units = sum(float(share) * norm(state, mask) for share, state in pairs if share)
            if self.settings.pool == "cls":
                return units[:, 0].cpu().numpy()
            away = (ids == pad)[..., None]  # also where a text writes the sign for padding
            if self.settings.pool == "max":
                return units.masked_fill(away, float("-inf")).amax(dim=1).cpu().numpy()
            return (units.masked_fill(away, 0.0).sum(dim=1) / mask.sum(dim=1, keepdim=True)).cpu().numpy()

    def _store(self) -> Store | Memory:
        now = runtime.current()
        kind = "off" if now.embeddings == "off" else "on"
        if kind not in self._stores:
            named = f"{self.info.name} {self.info.digest}|{self.info.dtype}|{self.info.backend}|comet"
            self._stores[kind] = Memory() if kind == "off" else Store(named, self.dim, limit=now.limit)
        return self._stores[kind]


def _normalised(state: Any, mask: Any) -> Any:
    """A layer with mean 0 and variance 1 over all numbers of a text's units."""
    there = mask[..., None].to(state.dtype)
    number = (there.sum(dim=(1, 2)) * state.shape[2])[:, None, None]
    mean = (state * there).sum(dim=(1, 2), keepdim=True) / number
    variance = (((state - mean) * there) ** 2).sum(dim=(1, 2), keepdim=True) / number
    return (state - mean) / (variance + 1e-12).sqrt()


def _estimator(weights: Mapping[str, Any]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Matrix and bias of each layer of the network over the vectors."""
    prefix = "estimator.ff."
    numbers = sorted({int(name.split(".")[2]) for name in weights if name.startswith(prefix)})
    made = [
        tuple(weights[f"{prefix}{number}.{part}"].float().numpy() for part in ("weight", "bias")) for number in numbers
    ]
    if not made:
        raise KeyError(f"no weights {prefix}0.weight")
    return made


def softmax(values: Array) -> Array:
    """Shares that sum to 1."""
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum())


def sparsemax(values: Array) -> Array:
    """The same, with noughts: the nearest point of the simplex (Martins and Astudillo 2016)."""
    falling = np.sort(values)[::-1]
    sums = np.cumsum(falling) - 1
    number = np.flatnonzero(falling * np.arange(1, len(values) + 1) > sums)[-1]
    return np.asarray(np.maximum(values - sums[number] / (number + 1), 0.0))
