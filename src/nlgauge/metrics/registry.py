"""The names of the metrics. Listing them imports none of them; third parties use the entry-point group
`nlgauge.metrics` (name = "package.module:Class")."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric

METRICS: dict[str, str] = {
    "bleu": "nlgauge.metrics.bleu:Bleu",
    "sentbleu": "nlgauge.metrics.bleu:SentBleu",
    "deltableu": "nlgauge.metrics.deltableu:DeltaBleu",
    "nist": "nlgauge.metrics.nist:Nist",
    "gtm": "nlgauge.metrics.gtm:Gtm",
    "gleu": "nlgauge.metrics.gleu:Gleu",
    "gleu-gec": "nlgauge.metrics.gleu:GleuGec",
    "ribes": "nlgauge.metrics.ribes:Ribes",
    "lepor": "nlgauge.metrics.lepor:Lepor",
    "hlepor": "nlgauge.metrics.lepor:Hlepor",
    "sari": "nlgauge.metrics.sari:Sari",
    "fkgl": "nlgauge.metrics.fkgl:Fkgl",
    "chrf": "nlgauge.metrics.chrf:Chrf",
    "ter": "nlgauge.metrics.ter:Ter",
    "pyter": "nlgauge.metrics.pyter:Pyter",
    "rouge": "nlgauge.metrics.rouge:Rouge",
    "rougeL": "nlgauge.metrics.rouge:RougeL",
    "rougeLsum": "nlgauge.metrics.rouge:RougeLsum",
    "meteor": "nlgauge.metrics.meteor:Meteor",
    "meteor-next": "nlgauge.metrics.meteor_universal:MeteorNext",
    "meteor-universal": "nlgauge.metrics.meteor_universal:MeteorUniversal",
    "meteor++": "nlgauge.metrics.meteor_plus:MeteorPlus",
    "meteor++2": "nlgauge.metrics.meteor_plus:MeteorPlus2",
    "rougeW": "nlgauge.metrics.rouge155:RougeW",
    "rougeS": "nlgauge.metrics.rouge155:RougeS",
    "rougeSU": "nlgauge.metrics.rouge155:RougeSU",
    "cider": "nlgauge.metrics.cider:Cider",
    "ciderD": "nlgauge.metrics.cider:CiderD",
    "wer": "nlgauge.metrics.wer:Wer",
    "cer": "nlgauge.metrics.wer:Cer",
    "mer": "nlgauge.metrics.wer:Mer",
    "wil": "nlgauge.metrics.wer:Wil",
    "wip": "nlgauge.metrics.wer:Wip",
    "se": "nlgauge.metrics.se:Se",
    "parent": "nlgauge.metrics.parent:Parent",
    "rougeC": "nlgauge.metrics.rougec:RougeC",
    "multiwer": "nlgauge.metrics.multiwer:MultiWer",
    "per": "nlgauge.metrics.per:Per",
    "cder": "nlgauge.metrics.cder:Cder",
    "iter": "nlgauge.metrics.iter:Iter",
    "character": "nlgauge.metrics.character:Character",
    "eed": "nlgauge.metrics.eed:Eed",
    "charcut": "nlgauge.metrics.charcut:Charcut",
    "yisi0": "nlgauge.metrics.yisi0:Yisi0",
    "levenshtein": "nlgauge.metrics.levenshtein:Levenshtein",
    "hter": "nlgauge.metrics.post_edited:Hter",
    "hbleu": "nlgauge.metrics.post_edited:Hbleu",
    "hmeteor": "nlgauge.metrics.post_edited:Hmeteor",
    "distinct": "nlgauge.metrics.diversity:Distinct",
    "vocabulary": "nlgauge.metrics.diversity:VocabularySize",
    "entropy": "nlgauge.metrics.diversity:Entropy",
    "ttr": "nlgauge.metrics.diversity:TypeTokenRatio",
    "selfbleu": "nlgauge.metrics.selfbleu:SelfBleu",
    "msttr": "nlgauge.metrics.msttr:Msttr",
    "novelty": "nlgauge.metrics.novelty:Novelty",
    "uniqueness": "nlgauge.metrics.diversity:Uniqueness",
    "rep": "nlgauge.metrics.repetition:Rep",
    "rep-w": "nlgauge.metrics.repetition:RepW",
    "copyrate": "nlgauge.metrics.repetition:CopyRate",
    "fragments": "nlgauge.metrics.repetition:Fragments",
    "entailment": "nlgauge.metrics.entailment:Entailment",
    "trained": "nlgauge.learned.trained:Trained",
    "nlgauge-mt": "nlgauge.learned.trained:NlgaugeMt",
    "sts": "nlgauge.learned.trained:Sts",
    "reading": "nlgauge.learned.one_pass:Reading",
    "nubia": "nlgauge.learned.trained:Nubia",
    "bleurt": "nlgauge.metrics.bleurt:Bleurt",
    "comet": "nlgauge.metrics.comet:Comet",
    "bertscore": "nlgauge.metrics.bertscore:BertScore",
    "sim": "nlgauge.metrics.sim:Sim",
    "simile": "nlgauge.metrics.simile:Simile",
    "greedy": "nlgauge.metrics.greedy:Greedy",
    "average": "nlgauge.metrics.average:Average",
    "extrema": "nlgauge.metrics.extrema:Extrema",
    "wmd": "nlgauge.metrics.wmd:Wmd",
    "wmdo": "nlgauge.metrics.wmdo:Wmdo",
    "sms": "nlgauge.metrics.sms:Sms",
    "wewpi": "nlgauge.metrics.wewpi:WeWpi",
    "spice": "nlgauge.metrics.spice:Spice",
    "spider": "nlgauge.metrics.spider:Spider",
    "meant": "nlgauge.metrics.meant:Meant",
    "meant2": "nlgauge.metrics.meant:Meant2",
    "xmeant": "nlgauge.metrics.xmeant:Xmeant",
    "yisi1": "nlgauge.metrics.yisi1:Yisi1",
    "yisi2": "nlgauge.metrics.yisi2:Yisi2",
    "bertr": "nlgauge.metrics.bertr:Bertr",
    "moverscore": "nlgauge.metrics.moverscore:MoverScore",
    "softmatch": "nlgauge.metrics.softmatch:SoftMatch",
    "perplexity": "nlgauge.metrics.perplexity:Perplexity",
    "slor": "nlgauge.metrics.slor:Slor",
    "coherence": "nlgauge.metrics.coherence:Coherence",
    "length": "nlgauge.metrics.length:Length",
    "answerability": "nlgauge.metrics.answerability:Answerability",
    "qmetric": "nlgauge.metrics.answerability:QMetric",
    "beer-features": "nlgauge.metrics.beer:BeerFeatures",
    "syntax": "nlgauge.metrics.syntax:Syntax",
    "treeaccuracy": "nlgauge.metrics.treeaccuracy:TreeAccuracy",
    "semantics": "nlgauge.metrics.semantics:Semantics",
    "conformity": "nlgauge.metrics.conformity:Conformity",
    "style-main": "nlgauge.learned.compliancy:StyleMain",
    "style-hh": "nlgauge.learned.compliancy:StyleHH",
    "style-ah": "nlgauge.learned.compliancy:StyleAH",
    "compliancy": "nlgauge.learned.compliancy:Compliancy",
}

# Other spellings: alias -> (metric, the fields it fixes). `str` of a metric uses the alias that fits.
ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "chrf+": ("chrf", {"word": 1}),
    "chrf++": ("chrf", {"word": 2}),
    "wms": ("sms", {"units": "words"}),
    "s+wms": ("sms", {"units": "both"}),
    # The Q-metrics of Nema and Khapra, each by the metric it is made of.
    "qbleu": ("qmetric", {"base": "bleu(lower=yes,effective=yes)"}),
    "qbleu1": ("qmetric", {"base": "bleu(lower=yes,effective=yes)@1"}),
    "qbleu2": ("qmetric", {"base": "bleu(lower=yes,effective=yes)@2"}),
    "qbleu3": ("qmetric", {"base": "bleu(lower=yes,effective=yes)@3"}),
    "qnist": ("qmetric", {"base": "nist(lower=yes)"}),
    "qmeteor": ("qmetric", {"base": "meteor(tok=13a)"}),
    "qrouge": ("qmetric", {"base": "rougeL"}),
    # The forms that the survey of Sai et al. gives, where the usual ones are a program's.
    "cider-survey": ("cider", {"stem": "porter"}),
    "wewpi-survey": ("wewpi", {"idf": False}),
    "meteor-survey": (
        "meteor-next",
        {
            **{"alpha": 0.9, "beta": 3.0, "gamma": 0.5, "stem": 1.0, "synonym": 1.0},
            **{"paraphrases": "none", "paraphrase": 0.0},
        },
    ),
}

GROUP = "nlgauge.metrics"


@cache
def _installed() -> dict[str, str]:
    """Metrics of other packages. Ours win a clash of names, so that a spec means the same on every machine."""
    return {point.name: point.value for point in entry_points(group=GROUP) if point.name not in METRICS}


def names() -> list[str]:
    """Every registered name, without importing any metric."""
    return [*METRICS, *_installed()]


@cache
def classes() -> dict[str, str]:
    """The names of metrics by the names of their classes, without importing any."""
    return {target.partition(":")[2]: name for name, target in {**_installed(), **METRICS}.items()}


@cache
def load(name: str) -> type[Metric]:
    """The class behind a name."""
    target = METRICS.get(name) or _installed()[name]
    module, _, attribute = target.partition(":")
    try:
        cls = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SpecError(f"the metric {name!r} is registered as {target} but cannot be loaded: {error}") from error
    if not (isinstance(cls, type) and issubclass(cls, Metric)):
        raise SpecError(f"the metric {name!r} is registered as {target}, which is not a Metric class")
    return cls
