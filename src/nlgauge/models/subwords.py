"""Sub-word tokenisers, read with the library `tokenizers` alone: neither torch nor transformers is needed.

A folder of the Hugging Face kind brings tokenizer.json; where it has only a WordPiece vocabulary (vocab.txt) the
tokeniser is made from that. The units of RoBERTa and GPT-2 depend on whether a space stands before a word; as in
bert-score a text's first word gets one there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.arrays import Bools, Ints
from nlgauge.errors import InputError, needing
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import Units

SPACED = ("roberta", "gpt2")
_KEPT = 65_536  # texts whose units are remembered


def library(purpose: str) -> Any:
    """tokenizers, or how to install it."""
    with needing(purpose, "encoder"):
        import tokenizers
    return tokenizers


def config_of(folder: Path) -> dict[str, Any]:
    """tokenizer_config.json of a folder; nothing where there is none."""
    return _json(folder / "tokenizer_config.json")


class Subwords:
    """A tokeniser with the ids of its delimiters."""

    def __init__(self, tokeniser: Any, config: dict[str, Any]) -> None:
        tokeniser.no_padding()
        tokeniser.no_truncation()
        self._tokeniser = tokeniser
        self._kept: dict[str, Units] = {}
        self._lock = threading.Lock()  # texts may be split ahead of their use, in a thread of its own
        names = (_content(config.get("cls_token")), _content(config.get("sep_token")))
        self.delimiters = frozenset(
            found for name in names if name and (found := tokeniser.token_to_id(name)) is not None
        )
        pad = _content(config.get("pad_token"))
        self.pad = (tokeniser.token_to_id(pad) if pad else None) or 0

    @classmethod
    def read(cls, folder: Path, config: dict[str, Any], purpose: str) -> Subwords:
        """The tokeniser of a folder; `config` is the model's config.json."""
        given = config_of(folder)
        named = _json(folder / "special_tokens_map.json")
        whole = folder / "tokenizer.json"
        if whole.exists():
            tokenizers = library(purpose)
            with loaded_by(f"{whole} is no tokeniser; get the model again"):
                made = tokenizers.Tokenizer.from_str(_spaced(whole, config))
        elif (folder / "vocab.txt").exists():
            made = _wordpiece(folder / "vocab.txt", given)
        else:
            made = _converted(folder)
        bert = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
        roberta = {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>"}
        usual = {
            "bert": bert,
            "distilbert": bert,
            "electra": bert,
            "roberta": roberta,
            "xlm-roberta": roberta,
        }
        return cls(made, {**usual.get(str(config.get("model_type")), {}), **named, **given})

    def units(self, texts: Sequence[str]) -> list[Units]:
        """The units of each text, delimiters included; those of recent texts are remembered."""
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
            self._make_room(texts, len(missing))
            # lone surrogates cannot be handed to the library
            clean = [text.encode("utf-8", "replace").decode("utf-8") for text in missing]
            made: list[Units] = [_Units(encoding) for encoding in self._tokeniser.encode_batch(clean)]
            self._kept.update(zip(missing, made, strict=True))
            return [self._kept[text] for text in texts]

    def _make_room(self, texts: Sequence[str], more: int) -> None:
        """Let the older half go where too many are remembered; the later half may have been split ahead of its use."""
        if len(self._kept) + more > _KEPT:
            asked = {text: self._kept[text] for text in texts if text in self._kept}
            half = max(len(self._kept) // 2, len(self._kept) + more - _KEPT)
            self._kept = {**dict(islice(self._kept.items(), half, None)), **asked}


class _Units:
    """`interface.Units` over what the library gives; what few ask for is made when asked for."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self.ids = np.array(encoding.ids, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def special(self) -> Bools:
        """Units that the tokeniser added."""
        return np.array(self._encoding.special_tokens_mask, dtype=np.bool_)

    @property
    def tokens(self) -> tuple[str, ...]:
        """As the vocabulary writes them."""
        return tuple(self._encoding.tokens)

    @property
    def words(self) -> Ints:
        """The number of each unit's word."""
        found = [-1 if word is None else word for word in self._encoding.word_ids]
        return np.array(found, dtype=np.int64)

    @property
    def spans(self) -> Ints:
        """Where each unit stands."""
        return np.array(self._encoding.offsets, dtype=np.int64).reshape(-1, 2)


def _spaced(path: Path, config: dict[str, Any]) -> str:
    """tokenizer.json, with a space before the first word where the model's texts are read so."""
    text = path.read_text(encoding="utf-8")
    if config.get("model_type") not in SPACED:
        return text
    value = json.loads(text)
    for part in (value.get("pre_tokenizer"), value.get("post_processor")):
        if part and "add_prefix_space" in part:
            part["add_prefix_space"] = True
    return json.dumps(value)


def _wordpiece(path: Path, config: dict[str, Any]) -> Any:
    from tokenizers import BertWordPieceTokenizer

    return BertWordPieceTokenizer(
        str(path),
        lowercase=bool(config.get("do_lower_case", True)),
        strip_accents=config.get("strip_accents"),
        handle_chinese_chars=bool(config.get("tokenize_chinese_chars", True)),
    )


def _converted(folder: Path) -> Any:
    """Any other tokeniser, such as SentencePiece's, as transformers converts it."""
    refused = InputError(
        f"{folder} has no tokenizer.json, and no other tokeniser that can be read, so texts cannot be split into units"
    )
    try:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(str(folder), local_files_only=True).backend_tokenizer
    except (ImportError, OSError, ValueError, KeyError, AttributeError, TypeError):
        raise refused from None


def _json(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path} cannot be read as a JSON object; get the model again")
    return {key: value for key, value in found.items() if value is not None}


def _content(token: Any) -> str | None:
    """The text of a special token, which files write bare or as an object."""
    return token.get("content") if isinstance(token, dict) else token
