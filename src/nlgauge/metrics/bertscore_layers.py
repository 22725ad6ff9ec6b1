"""Which layer of a model BERTScore takes: the numbers that bert-score 0.3.13 lists, tuned on WMT16 to-English segments,
and our own for the models of the catalogue (tuned likewise on WMT16, see docs/models.md)."""

from __future__ import annotations

from collections.abc import Sequence

LAYERS = {
    "minilm": 4,
    "minilm-int8": 4,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-multilingual-cased": 9,
    "bert-base-chinese": 8,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "distilroberta-base": 5,
    "distilbert-base-uncased": 5,
    "distilbert-base-multilingual-cased": 5,
    "xlnet-base-cased": 5,
    "xlnet-large-cased": 7,
    "albert-base-v2": 9,
    "albert-large-v2": 14,
    "albert-xlarge-v2": 13,
    "albert-xxlarge-v2": 8,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "allenai/scibert_scivocab_uncased": 8,
    "allenai/scibert_scivocab_cased": 9,
    "google/electra-small-discriminator": 11,
    "google/electra-base-discriminator": 9,
    "google/electra-large-discriminator": 14,
    "google/bert_uncased_L-2_H-128_A-2": 1,
    "google/bert_uncased_L-4_H-512_A-8": 3,
    "facebook/bart-base": 6,
    "facebook/bart-large": 10,
    "facebook/bart-large-cnn": 10,
    "facebook/bart-large-mnli": 11,
    "t5-small": 6,
    "t5-base": 11,
    "t5-large": 23,
    "microsoft/mpnet-base": 8,
    "vinai/bertweet-base": 9,
    "microsoft/deberta-base": 9,
    "microsoft/deberta-base-mnli": 9,
    "microsoft/deberta-large": 16,
    "microsoft/deberta-large-mnli": 18,
    "microsoft/deberta-xlarge": 18,
    "microsoft/deberta-xlarge-mnli": 40,
    "microsoft/deberta-v3-base": 9,
    "microsoft/deberta-v3-large": 12,
    "microsoft/mdeberta-v3-base": 10,
}
# The first models got owners later; both names are theirs.
_OWNERS = ("google-bert/", "FacebookAI/", "distilbert/", "albert/", "xlnet/", "google-t5/")


def best_layer(model: str, layers: Sequence[int]) -> int:
    """The layer listed for a model; for others the one at five sixths of the way up, where those listed mostly lie."""
    name = model.partition(":")[0]
    for owner in _OWNERS:
        name = name.removeprefix(owner)
    listed = LAYERS.get(name)
    if listed is not None and listed in layers:
        return listed
    return layers[0] if len(layers) == 1 else round(layers[-1] * 5 / 6)
