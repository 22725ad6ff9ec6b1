"""What people call metrics: other spellings of ours, and names of metrics that nlgauge does not have.

`BLEU`, `ROUGE-1`, `BERTScore` and `chrF++` are read as the specs they mean; tables print the canonical name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from nlgauge.errors import SpecError, suggest
from nlgauge.metrics.registry import ALIASES, load, names

SPELLINGS: Mapping[str, str] = {
    **dict.fromkeys(("sacrebleu", "corpusbleu"), "bleu"),
    **dict.fromkeys(("sentencebleu", "segmentbleu"), "sentbleu"),
    "chrf2": "chrf",  # sacreBLEU's name: the 2 is beta, the default
    "chrf2++": "chrf++",
    "googlebleu": "gleu",
    **dict.fromkeys(("meteoru", "meteor15"), "meteor-universal"),
    "dist": "distinct",
    "ppl": "perplexity",
    "typetokenratio": "ttr",
    **dict.fromkeys(("fleschkincaid", "fleschkincaidgradelevel"), "fkgl"),
    "worderrorrate": "wer",
    "charactererrorrate": "cer",
    "translationeditrate": "ter",
    "editdistance": "levenshtein",
    "wordmoversdistance": "wmd",
    "vectorextrema": "extrema",
    "embeddingaverage": "average",
    "greedymatching": "greedy",
}
"""Names, folded, whose spelling alone does not lead to ours."""

_TRAINED = "a network trained on human ratings of translations"
_ENTAILED = "a network that judges whether a summary follows from its source"
_LEARNED = "bertscore, yisi1 or moverscore"
ABSENT: Mapping[str, tuple[str, str, str]] = {
    "comet": ("COMET", _TRAINED, _LEARNED),
    "cometkiwi": ("CometKiwi", f"{_TRAINED}, without references", "yisi2, which needs no references either"),
    "xcomet": ("xCOMET", _TRAINED, _LEARNED),
    "metricx": ("MetricX", _TRAINED, _LEARNED),
    "unite": ("UniTE", _TRAINED, _LEARNED),
    "bleurt": ("BLEURT", "a network trained on human ratings", _LEARNED),
    "prism": ("Prism", "a translation model that scores paraphrases", _LEARNED),
    "bartscore": (
        "BARTScore",
        "the likelihood of a text under a generation model",
        f"{_LEARNED}, or perplexity",
    ),
    "unieval": ("UniEval", "a network trained to answer questions about a text", _LEARNED),
    "geval": (
        "G-Eval",
        "ratings by a language model",
        "a machine judge in a study (nlgauge study run-judge)",
    ),
    "mauve": (
        "MAUVE",
        "a distance between two sets of texts",
        "selfbleu, distinct or novelty, which describe sets",
    ),
    "clipscore": (
        "CLIPScore",
        "a network that compares an image and a text",
        "spice or ciderD, which need references",
    ),
    "questeval": ("QuestEval", "questions that a network asks and answers", "rougeC or bertscore"),
    **{
        folded: (title, _ENTAILED, "rougeC, fragments or copyrate, which compare with the source by words")
        for folded, title in (
            ("summac", "SummaC"),
            ("factcc", "FactCC"),
            ("alignscore", "AlignScore"),
            ("qafacteval", "QAFactEval"),
        )
    },
    "lens": ("LENS", "a network trained on human ratings of simplifications", "sari"),
    "errant": ("ERRANT", "the F0.5 of edits to a sentence", "gleu-gec"),
    **dict.fromkeys(
        ("flesch", "fleschreadingease"),
        (
            "Flesch's reading ease",
            "words and syllables of a text",
            "fkgl, the grade level made of the same counts",
        ),
    ),
    **dict.fromkeys(
        ("em", "exactmatch"),
        ("Exact match", "the share of outputs equal to a reference", "se, its complement (1 − se)"),
    ),
}
"""Well-known metrics that are not here, by folded name: title, what it is, and the nearest of ours."""


def folded(name: str) -> str:
    """A name without case, hyphens and underscores."""
    return re.sub(r"[-_]", "", name.lower())


def resolve(name: str) -> tuple[str, str | None]:
    """The registered name or alias that a name means, and the order that it ends in: `ROUGE-2` is ("rouge", "2")."""
    known = [*names(), *ALIASES]
    if name in known:
        return name, None
    spelled = {folded(one): one for one in known} | dict(SPELLINGS)
    plain = folded(name)
    if plain in spelled:
        return spelled[plain], None
    parts = re.fullmatch(r"(.*?)([0-9]+)", plain)
    base = spelled.get(parts[1]) if parts else None
    if parts and base and load(ALIASES.get(base, (base, {}))[0]).at:
        return base, parts[2]
    raise SpecError(_unknown(name, plain, known))


def _unknown(name: str, plain: str, known: list[str]) -> str:
    """Why there is no such metric, without a guess where the name is known to mean another."""
    from nlgauge.metrics.survey import ENTRIES

    if plain in ABSENT:
        title, what, nearest = ABSENT[plain]
        return f"nlgauge does not have {title} ({what}); nearest here: {nearest}"
    for entry in ENTRIES:
        if any(folded(other) == plain for other in entry.names) and not set(entry.names) & set(known):
            about = f"{entry.title} ({entry.resources}; {entry.cite})"
            return f"nlgauge does not have {about}; nlgauge list --taxonomy shows its neighbours"
    return f"there is no metric {name!r}; {suggest(name, known, 'nlgauge list')}"
