"""BLEURT (Sellam, Das and Parikh 2020; Pu et al. 2021) from its published checkpoints, without TensorFlow.

`[CLS] reference [SEP] output [SEP]` goes through BERT, or through RemBERT (BLEURT-20); the pooler makes a vector of the
opening unit, and a linear head makes a number of that (fine-tuned models may have layers with ReLU before it). A pair
longer than `max_seq_length` loses units at the end of its longer text, of the output where both are equally long.

What the published files leave open is taken from the graph that lies beside them: whether GELU is the exact one (the
operation Erf) or, as in BERT's first code, the one by tanh.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, counted
from nlgauge.models.checkpoints import Network, folder_of, loaded, present, read_json, require
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import ModelInfo
from nlgauge.models.kept_pairs import KeptPairs, Pair
from nlgauge.models.protobuf import fields, read_varint
from nlgauge.models.resolve import Located
from nlgauge.models.wordpiece import numbered, read_pieces
from nlgauge.text.categories import encodable

# The variables of a TensorFlow checkpoint or SavedModel, read without TensorFlow.
#
# `NAME.index` is a sorted table in the form of LevelDB: blocks of keys, each written as how much of the key before it
# holds too and what follows, and a footer that says where the block of blocks lies. The key of a variable is its name;
# its value, a message of Protocol Buffers, says type, shape, file and place. `NAME.data-00000-of-00001` holds the
# numbers, which are mapped, not read.


_MAGIC = (0xDB4775248B80FB57).to_bytes(8, "little")
_FOOTER = 48  # bytes: two handles, padding, the magic number
# TensorFlow's numbers of the types of weights and of counters
_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("<f8"),
    3: np.dtype("<i4"),
    9: np.dtype("<i8"),
    19: np.dtype("<f2"),
}


@dataclass(frozen=True)
class _Entry:
    """Where a variable lies."""

    kind: int
    shape: tuple[int, ...]
    shard: int
    start: int
    size: int
    sliced: bool


class Bundle(Mapping[str, NDArray[Any]]):
    """The variables by name."""

    def __init__(self, prefix: Path) -> None:
        """Those of `prefix`.index and the files of numbers beside it."""
        self._prefix, self._index = prefix, prefix.with_name(f"{prefix.name}.index")
        try:
            table = memoryview(self._index.read_bytes())
            read = dict(_table(table))
            self._shards = next((int(value) for number, value in fields(read.pop(b"")) if number == 1), 1)
            self._entries = {key.decode(): _entry(value) for key, value in read.items()}
        except (OSError, ValueError, KeyError, IndexError) as error:
            raise InputError(
                f"{self._index} cannot be read as the index of a TensorFlow checkpoint ({str(error)[:120]}); "
                "is it whole?"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A variable, mapped from its file."""
        entry = self._entries[name]
        dtype = _TYPES.get(entry.kind)
        if dtype is None or entry.sliced:
            what = "is cut into slices" if entry.sliced else f"has the type {entry.kind} of TensorFlow"
            raise InputError(f"the variable {name} of {self._index} {what}, which is not read")
        path = self._prefix.with_name(f"{self._prefix.name}.data-{entry.shard:05d}-of-{self._shards:05d}")
        count = math.prod(entry.shape)
        try:
            if count * dtype.itemsize != entry.size:
                raise ValueError(f"{name} has {entry.size} bytes for {count} numbers")
            if not count:
                return np.zeros(entry.shape, dtype)
            flat: NDArray[Any] = np.memmap(path, dtype, mode="r", offset=entry.start, shape=(count,))
            return flat.reshape(entry.shape)
        except (OSError, ValueError) as error:
            raise InputError(f"{path} does not hold what {self._index.name} says ({error})") from None


def _table(raw: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Keys and values of all blocks."""
    footer = raw[-_FOOTER:]
    if len(raw) < _FOOTER or bytes(footer[-8:]) != _MAGIC:
        raise ValueError("there is no table in it")
    _, place = _handle(footer, 0)
    (start, size), _ = _handle(footer, place)
    for _, value in _block(raw, start, size):
        yield from _block(raw, *_handle(value, 0)[0])


def _handle(raw: memoryview, place: int) -> tuple[tuple[int, int], int]:
    """Where a block starts and how long it is; and the place after."""
    start, place = read_varint(raw, place)
    size, place = read_varint(raw, place)
    return (start, size), place


def _block(raw: memoryview, start: int, size: int) -> Iterator[tuple[bytes, memoryview]]:
    """Keys and values of a block; behind them stand the places of whole keys, which a search would need."""
    if start + size >= len(raw):
        raise ValueError("a block lies outside of it")
    if raw[start + size] != 0:
        raise ValueError("it is compressed")
    block = raw[start : start + size]
    end = size - 4 - 4 * int.from_bytes(block[-4:], "little")
    key, place = b"", 0
    while place < end:
        shared, place = read_varint(block, place)
        more, place = read_varint(block, place)
        length, place = read_varint(block, place)
        key = key[:shared] + bytes(block[place : place + more])
        place += more
        yield key, block[place : place + length]
        place += length


def _entry(message: memoryview) -> _Entry:
    found: dict[int, Any] = dict(fields(message))
    shape = tuple(
        int(dict(fields(dim)).get(1, 0))  # type: ignore[arg-type]
        for number, dim in fields(found.get(2, memoryview(b"")))
        if number == 2
    )
    kind, shard, start, size = (int(found.get(number, 0)) for number in (1, 3, 4, 5))
    return _Entry(kind, shape, shard, start, size, 7 in found)


WHOSE = "BLEURT"
ORIGINAL, CONVERTED = "bleurt_config.json", "config.json"
_LONGEST_WORD = 200  # characters; a longer word is unknown
_ERF = b"\x12\x03Erf"  # of a node of the graph: the field of its operation
_VARIABLES = ("variables/variables.index", "variables/variables.data-00000-of-00001")
_LAYER = re.compile(r"layer_(\d+)")


@dataclass(frozen=True)
class Form:
    """A checkpoint's files, and what they say of tokeniser and network."""

    files: tuple[str, ...]
    units: str  # the file of the vocabulary: vocab.txt, or a model of SentencePiece
    lower: bool
    longest: int
    config: Mapping[str, Any]
    exact: bool  # GELU
    original: bool  # variables of TensorFlow


def bleurt(name: str, *, purpose: str = "bleurt") -> Bleurt:
    """The checkpoint of that name."""
    folder, revision = folder_of(name, purpose, WHOSE, (ORIGINAL, CONVERTED))
    form = (_original if (folder / ORIGINAL).is_file() else _converted)(folder)
    pieces = ("tokenizers",) if form.units.endswith(".txt") else ("sentencepiece",)
    require(purpose, "torch", "transformers", *pieces, *(() if form.original else ("safetensors",)))
    found = Located(name, folder, revision, files=form.files)
    judge: Bleurt = loaded("bleurt", found, lambda info: Bleurt(info, folder, form, purpose))
    return judge


def _original(folder: Path) -> Form:
    """As the authors publish them."""
    about = read_json(folder / ORIGINAL)
    pieces = about.get("sp_model")
    units = f"{pieces}.model" if pieces else str(about.get("vocab_file") or "vocab.txt")
    shape = str(about.get("bert_config_file") or "bert_config.json")
    files = present(folder, (ORIGINAL, shape, units, *_VARIABLES), WHOSE)
    graph = folder / "saved_model.pb"
    there = graph.is_file()
    return Form(
        files=(*files, *(["saved_model.pb"] if there else [])),
        units=units,
        lower=bool(about.get("do_lower_case", True)),
        longest=int(about.get("max_seq_length") or 512),
        config=read_json(folder / shape),
        exact=there and _ERF in graph.read_bytes(),
        original=True,
    )


def _converted(folder: Path) -> Form:
    """As others converted them for PyTorch."""
    config = read_json(folder / CONVERTED)
    kind = config.get("model_type")
    if kind not in ("bleurt", "bert", "rembert"):
        raise InputError(f"{folder} is no checkpoint of {WHOSE}: its config.json says model_type {kind!r}, not bleurt")
    units = next((name for name in ("spm.model", "sentencepiece.model") if (folder / name).is_file()), "vocab.txt")
    files = present(folder, (CONVERTED, units, "model.safetensors"), WHOSE)
    told = folder / "tokenizer_config.json"
    given = read_json(told) if told.is_file() else {}
    return Form(
        files=(*files, *([told.name] if given else [])),
        units=units,
        lower=bool(given.get("do_lower_case", True)),
        longest=int(config.get("max_position_embeddings") or 512),
        config=config,
        exact=config.get("hidden_act", "gelu") == "gelu",
        original=False,
    )


class Bleurt:
    """A network with its tokeniser."""

    def __init__(self, info: ModelInfo, folder: Path, form: Form, purpose: str) -> None:
        self.info, self._long = info, set[Pair]()
        self._network = Network(purpose)
        self._units, self._opening, self._separator = _tokeniser(folder / form.units, lower=form.lower)
        weights = _from_tensorflow(folder) if form.original else _from_safetensors(folder)
        torch = self._network.torch
        tensors = {name: torch.from_numpy(np.array(array, np.float32)) for name, array in weights.items()}
        heads = sorted(name for name in tensors if name.startswith("head."))
        # bias, weight, bias, weight …
        self._head = [tensors.pop(name).to(self._network.device) for name in heads]
        if not self._head:
            raise InputError(f"{folder} holds no head that makes a score, so it is no checkpoint of {WHOSE}")
        with loaded_by(f"{folder} does not hold the weights of {WHOSE}"):
            kind, config = self._configured(form, tensors)
        self.longest = min(form.longest, config.max_position_embeddings)
        self._model = self._network.filled(kind, config, tensors, source=folder, pooler=True)
        self._kept = KeptPairs(f"{info.name} {info.digest}|{info.dtype}|{info.backend}|bleurt", 1)

    def _configured(self, form: Form, weights: Mapping[str, Any]) -> tuple[str, Any]:
        """The class of transformers, and its configuration; widths are those of the weights themselves."""
        words, types, places = (
            weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "token_type", "position")
        )
        given = form.config.get("hidden_act", "gelu")
        shape = {
            "vocab_size": len(words),
            "type_vocab_size": len(types),
            "max_position_embeddings": len(places),
            "hidden_size": len(weights["pooler.dense.weight"]),
            "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.weight"]),
            "num_hidden_layers": sum(name.endswith("intermediate.dense.weight") for name in weights),
            "num_attention_heads": int(form.config["num_attention_heads"]),
            "hidden_act": {"gelu": "gelu" if form.exact else "gelu_new"}.get(given, given),
        }
        made = self._network.transformers
        if "encoder.embedding_hidden_mapping_in.weight" not in weights:
            return "BertModel", made.BertConfig(**shape)
        return "RemBertModel", made.RemBertConfig(input_embedding_size=words.shape[1], **shape)

    def scores(self, pairs: Sequence[Pair]) -> Array:
        """One number for each pair of reference and output; a pair is read once."""
        return self._kept.find(pairs, self._made, self._read)[:, 0]

    def remarks(self) -> list[str]:
        """Pairs that were cut since this was last asked."""
        cut, self._long = len(self._long), set()
        return [f"{counted(cut, 'pair')} longer than the metric reads lost the end"] if cut else []

    def _read(self, pairs: Sequence[Pair]) -> list[tuple[list[int], int]]:
        """The units of each pair, and how many belong to the reference; those too long are cut and counted."""
        made = []
        room = self.longest - 3
        for pair in pairs:
            reference, output = (self._units(encodable(text)) for text in pair)
            if len(reference) + len(output) > room:
                self._long.add(pair)
            kept = min(len(reference), max(room - len(output), (room + 1) // 2))
            first = [self._opening, *reference[:kept], self._separator]
            made.append(([*first, *output[: room - kept], self._separator], len(first)))
        return made

    def _made(self, pairs: Sequence[Pair]) -> Array:
        read = self._read(pairs)
        found = np.zeros((len(pairs), 1))
        told = f"pairs read by {self.info.name}"
        rows = [ids for ids, _ in read]
        for part, made in self._network.batches(
            rows, lambda places: self._run([read[place] for place in places]), told
        ):
            found[part] = made
        return found

    def _run(self, read: Sequence[tuple[list[int], int]]) -> Array:
        torch = self._network.torch
        ids, mask = self._network.padded([row for row, _ in read], 0)
        first = torch.tensor([length for _, length in read], device=ids.device)[:, None]
        types = (torch.arange(ids.shape[1], device=ids.device) >= first).long() * mask
        with torch.inference_mode():
            vectors = self._model(ids, attention_mask=mask, token_type_ids=types).pooler_output
            *hidden, (bias, weight) = zip(self._head[::2], self._head[1::2], strict=True)
            for before, matrix in hidden:
                vectors = torch.relu(vectors @ matrix.T + before)
            made: Array = (vectors @ weight.T + bias).double().cpu().numpy()
        return made


def _from_tensorflow(folder: Path) -> dict[str, NDArray[Any]]:
    """Variables under the names that transformers gives them: `bert/encoder/layer_0/…/kernel`, `dense/bias`."""
    found: dict[str, NDArray[Any]] = {}
    bundle = Bundle(folder / "variables" / "variables")
    for name in bundle:
        part, _, rest = name.partition("/")
        if part == "bert":
            leaf = {"kernel": "weight", "gamma": "weight", "beta": "bias"}
            *way, last = _LAYER.sub(r"layer/\1", rest).split("/")
            named = [*way, leaf.get(last, last)] if last in (*leaf, "bias") else [*way, last, "weight"]
            found[".".join(named)] = bundle[name].T if last == "kernel" else bundle[name]
        elif re.fullmatch(r"dense(_\d+)?", part) and rest in ("kernel", "bias"):
            number = part.partition("_")[2] or "0"
            found[f"head.{number}.{'weight' if rest == 'kernel' else 'bias'}"] = bundle[name].T
    return found


def _from_safetensors(folder: Path) -> dict[str, NDArray[Any]]:
    """The same from a conversion, whose network is called bleurt, bert or rembert and whose head classifier."""
    from safetensors.numpy import load_file

    path = folder / "model.safetensors"
    with loaded_by(f"{path} cannot be read as weights"):
        stored = load_file(path)
    found: dict[str, NDArray[Any]] = {}
    for name, array in stored.items():
        part, _, rest = name.partition(".")
        if part == "classifier":
            found[f"head.0.{rest}"] = array
        else:
            found[rest.replace("embedding_projection", "embedding_hidden_mapping_in")] = array
    return found


def _tokeniser(path: Path, *, lower: bool) -> tuple[Callable[[str], list[int]], int, int]:
    """What makes units of a text, and the units that open and separate texts."""
    if path.suffix == ".txt":
        units, number = _wordpieces(path, lower=lower)
    else:
        import sentencepiece

        with loaded_by(f"{path} is no model of SentencePiece; get the checkpoint again"):
            pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
        units, number = pieces.encode, pieces.piece_to_id
    return units, number("[CLS]"), number("[SEP]")


def _wordpieces(path: Path, *, lower: bool) -> tuple[Callable[[str], list[int]], Callable[[str], int]]:
    """BERT's tokeniser; "[SEP]" in a text is signs and letters, as in the original."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece

    vocabulary = numbered(read_pieces(path))
    model = WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_LONGEST_WORD)
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return lambda text: list(made.encode(text).ids), vocabulary.__getitem__
