"""Language models: trigrams of words, and causal networks on PyTorch.

Both count something for an empty text: trigrams the end of the text, as for every text; a causal network, which is not
asked for the end otherwise, its token for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.models import runtime
from nlgauge.models.batching import in_batches
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import Likelihood, ModelInfo
from nlgauge.models.pytorch import libraries, out_of_memory, refuse_guesses, without_bars
from nlgauge.models.runtime import chosen, torch_dtype

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BASE = math.log(1.0001)  # of pocketsphinx's logarithms
_NEVER = -(2**29)  # what it gives for a word it does not know
FLOOR = -7 * math.log(10)  # of a word the trigrams do not know
END = "</s>"


class Trigram:
    """The general English model of pocketsphinx: lower-case words, no punctuation; the end of a text is a token.

    A word outside its list counts 10⁻⁷.
    """

    def __init__(self, info: ModelInfo, path: Path) -> None:
        from pocketsphinx import NGramModel

        self.info = info
        self._model = NGramModel.readfile(str(path))
        self._judged: dict[str, tuple[int, int]] = {}  # of each text since `remarks`: words, those not in the list

    def tokens(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The words of each text, and its end."""
        return [(*(word.lower().replace("’", "'") for word in _WORD.findall(text)), END) for text in texts]

    def score(self, texts: Sequence[str]) -> list[Likelihood]:
        """Each text's words with their log-probabilities."""
        return [self._one(text, words) for text, words in zip(texts, self.tokens(texts), strict=True)]

    def unigram(self, word: str) -> float:
        """The logarithm of a word's probability, whatever stands before it."""
        return self._logp([word])[0]

    def remarks(self) -> list[str]:
        """How many words were not in the list, of the distinct texts judged since this was last asked."""
        judged, self._judged = self._judged, {}
        words, unknown = (sum(counts) for counts in zip(*judged.values(), strict=True)) if judged else (0, 0)
        if not unknown:
            return []
        return [
            f"{unknown:,} of the {words:,} words of distinct texts are not among those of {self.info.name} and count "
            "1e-7 each"
        ]

    def _one(self, text: str, tokens: tuple[str, ...]) -> Likelihood:
        before = ["<s>"]
        found = []
        unknown = 0
        for word in tokens:
            logp, known = self._logp([word, *before])
            found.append(logp)
            unknown += not known
            before = [word, *before][:2]
        self._judged[text] = len(tokens) - 1, unknown
        return Likelihood(tokens, np.array(found, dtype=np.float64), len(text.split()))

    def _logp(self, words: list[str]) -> tuple[float, bool]:
        """Of the first word after the others, which stand in reverse order; and whether it is in the list."""
        found = self._model.prob(words)
        return (found * _BASE, True) if found > _NEVER else (FLOOR, False)


class Causal:
    """A network that predicts the next token.

    A text opens with the model's first token, where it has one, else with that which ends texts. Long texts are read in
    windows that share half; each token is judged once, with the most before it.
    """

    def __init__(self, info: ModelInfo, path: Path, purpose: str) -> None:
        self._torch, transformers = libraries(purpose)
        self.info = info
        self.device = chosen(runtime.current().device)
        given: dict[str, Any] = {"local_files_only": True}
        if path.suffix == ".gguf":
            given["gguf_file"] = path.name
        folder = str(path.parent if path.is_file() else path)
        with without_bars(), loaded_by(f"no language model could be loaded from {path}"):
            self._tokeniser = transformers.AutoTokenizer.from_pretrained(folder, **given)
            model, told = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True, **given)
        refuse_guesses(told, path, "language model")
        self._model = model.to(device=self.device, dtype=torch_dtype(info.dtype)).eval()
        takes = getattr(model.config, "max_position_embeddings", None) or getattr(model.config, "n_positions", None)
        self.longest = min(int(takes or 1024), 2048)
        opening, self._end = self._tokeniser.bos_token_id, self._tokeniser.eos_token_id
        self._opening = self._end if opening is None else opening
        self._long: set[str] = set()

    def tokens(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The tokens of each text, as `score` judges them."""
        return [self._named(ids) for ids in self._ids(texts)]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        found = [self._tokeniser(text, add_special_tokens=False, verbose=False)["input_ids"] for text in texts]
        return [ids or ([] if self._end is None else [self._end]) for ids in found]

    def _named(self, ids: list[int]) -> tuple[str, ...]:
        """Without an opening token nothing stands before the first, so it is not judged."""
        return tuple(self._tokeniser.convert_ids_to_tokens(ids if self._opening is not None else ids[1:]))

    def remarks(self) -> list[str]:
        """Texts longer than the model takes, of those judged since this was last asked."""
        number, self._long = len(self._long), set()
        if not number:
            return []
        return [
            f"{number:,} {'text is' if number == 1 else 'texts are'} longer than the {self.longest} tokens that "
            f"{self.info.name} reads at once, and {'was' if number == 1 else 'were'} read in windows that move on by "
            f"{self.longest // 2}"
        ]

    def score(self, texts: Sequence[str]) -> list[Likelihood]:
        """Each text's tokens with their log-probabilities."""
        distinct = list(dict.fromkeys(texts))
        ids = self._ids(distinct)
        opened = [numbers if self._opening is None else [self._opening, *numbers] for numbers in ids]
        found = [np.zeros(max(0, len(tokens) - 1)) for tokens in opened]
        pieces = [(text, start, first) for text, one in enumerate(opened) for start, first in self._windows(len(one))]
        self._long.update(text for text, one in zip(distinct, opened, strict=True) if len(one) > self.longest)
        lengths = [min(self.longest, len(opened[text]) - start) for text, start, _ in pieces]

        def judged(places: list[int]) -> list[Any]:
            chosen_pieces = (pieces[place] for place in places)
            return self._run([opened[text][start : start + self.longest] for text, start, _ in chosen_pieces])

        full, budget = out_of_memory(self.device), 2_048 if self.device == "cpu" else 16_384
        told = f"texts judged by {self.info.name}"
        for part, made in in_batches(lengths, judged, full, budget=budget, told=told):
            for place, values in zip(part, made, strict=True):
                text, start, first = pieces[place]
                found[text][start + first : start + len(values)] = values[first:]
        kept = {
            text: Likelihood(self._named(one), logp, len(text.split()))
            for text, one, logp in zip(distinct, ids, found, strict=True)
        }
        return [kept[text] for text in texts]

    def _windows(self, length: int) -> list[tuple[int, int]]:
        """(start, first prediction that counts) of each window."""
        if length <= 1:
            return []
        if length <= self.longest:
            return [(0, 0)]
        step = self.longest // 2
        starts = [*range(0, length - self.longest, step), length - self.longest]
        ends = [0, *(start + self.longest - 1 for start in starts)]
        return [(start, ends[number] - start) for number, start in enumerate(starts)]

    def _run(self, rows: Sequence[Sequence[int]]) -> list[Any]:
        """The log-probability of every token but the first of each row."""
        torch = self._torch
        longest = max(len(row) for row in rows)
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.as_tensor(row)
            mask[number, : len(row)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.inference_mode():
            logits = self._model(ids, attention_mask=mask).logits[:, :-1].float()
            chosen_ones = logits.gather(2, ids[:, 1:, None])[..., 0] - logits.logsumexp(dim=-1)
        values = chosen_ones.double().cpu().numpy()
        return [values[number, : len(row) - 1] for number, row in enumerate(rows)]
