"""Which metric belongs where: the taxonomy and the table of tasks of Sai, Mohankumar and Khapra (2022), "A Survey of
Evaluation Metrics Used for NLG Systems" (ACM Computing Surveys), figure 2 and table 3, as data.

`ENTRIES` has a line for each metric of the survey, installed here or not, and for each of ours that the survey does
not name. Marks are facts of the table: a task for which the metric was *proposed*, tasks that *adopted* it. Where the
table cannot be right the original papers hold:

* the table's mark for data-to-text in the row of ROUGE-C is PARENT's, whose row is empty (Dhingra et al. 2019 propose
  PARENT for tables; He et al. 2008 propose ROUGE-C for summaries);
* "WER-family" stands for WER, MultiWER, TER, ITER and CDER of the figure; CharacTER, EED, YiSi and others that have no
  row in the table get the task of their own paper (`by="paper"`).

Names that printing has garbled in the figure (BEER, ESIM, WE_WPI, YiSi) are the papers' own.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from nlgauge.errors import InputError

TASKS = {
    "mt": "machine translation",
    "summarisation": "abstractive summarisation",
    "dialogue": "dialogue generation",
    "captioning": "image captioning",
    "qa": "question answering",
    "d2t": "data-to-text generation",
    "qg": "question generation",
}
# Other names of the tasks, the survey's abbreviations among them.
TASK_NAMES = {
    "as": "summarisation",
    "dg": "dialogue",
    "ic": "captioning",
    "summarization": "summarisation",
    "summary": "summarisation",
    "translation": "mt",
    "dialog": "dialogue",
    "caption": "captioning",
    "captions": "captioning",
    "data-to-text": "d2t",
    "data2text": "d2t",
    "question-answering": "qa",
    "question-generation": "qg",
}

Source = Literal["survey", "paper", "ours"]

# The branches of figure 2, from the root: path -> what it holds.
BRANCHES = {
    "context-free": "compare the output with references only; mostly for any task",
    "context-free/untrained": "",
    "context-free/untrained/word-based": "",
    "context-free/untrained/word-based/n-gram": "",
    "context-free/untrained/word-based/edit distance": "",
    "context-free/untrained/word-based/other": "",
    "context-free/untrained/character-based": "",
    "context-free/untrained/character-based/n-gram": "",
    "context-free/untrained/character-based/edit distance": "",
    "context-free/untrained/character-based/other": "",
    "context-free/untrained/embedding-based": "",
    "context-free/untrained/embedding-based/static": "",
    "context-free/untrained/embedding-based/contextualised": "",
    "context-free/trained": "",
    "context-free/trained/feature-based": "",
    "context-free/trained/end-to-end": "",
    "context-free/trained/end-to-end/transformer-based": "",
    "context-dependent": "also look at the source; mostly for one task",
    "context-dependent/untrained": "",
    "context-dependent/untrained/word-based": "",
    "context-dependent/untrained/word-based/n-gram": "",
    "context-dependent/untrained/word-based/other": "",
    "context-dependent/untrained/embedding-based": "",
    "context-dependent/untrained/embedding-based/contextualised": "",
    "context-dependent/trained": "",
    "context-dependent/trained/end-to-end": "",
    "context-dependent/trained/end-to-end/transformer-based": "",
    "without references": "judge a text by itself, by its words or under a language model; not in the survey",
    "sets of outputs": "describe all outputs of a system together; not in the survey",
}


@dataclass(frozen=True)
class Entry:
    """One line of the taxonomy."""

    title: str
    place: str
    names: tuple[str, ...] = ()  # registered names, present or to come
    proposed: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()
    by: Source = (
        "survey"  # who says for which task: table 3, the metric's paper, or nobody (a relative of ours)
    )
    resources: str = ""  # what it needs beside the texts
    model: bool = False  # whether that is a trained model or word vectors
    cite: str = ""  # for what is not installed; an installed metric says it itself
    named: bool = True  # whether the survey names it

    def mark(self, task: str) -> str:
        """`proposed`, `adopted` or an empty string."""
        return "proposed" if task in self.proposed else "adopted" if task in self.adopted else ""


def _entries(place: str, *entries: Entry) -> Iterator[Entry]:
    for entry in entries:
        yield replace(entry, place=place)


def _e(
    title: str,
    names: str = "",
    proposed: str = "",
    adopted: str = "",
    *,
    by: Source = "survey",
    needs: str = "",
    model: bool = False,
    cite: str = "",
) -> Entry:
    """A line in short form: lists are separated by blanks."""
    return Entry(
        title,
        "",
        tuple(names.split()),
        tuple(proposed.split()),
        tuple(adopted.split()),
        by,
        needs,
        model,
        cite,
    )


def _b(*values: str, **options: Any) -> Entry:
    """A line for a metric that the survey does not name."""
    return replace(_e(*values, **options), named=False)


_ALL_BUT_MT = "summarisation dialogue captioning qa d2t qg"
_ALL_BUT_AS = "mt dialogue captioning qa d2t qg"
_ALL_BUT_QG = "mt summarisation dialogue captioning qa d2t"
_VECTORS, _ENCODER, _TRAINED = "word vectors", "a text encoder", "a trained model"
WORDNET, TABLES = "WordNet", "METEOR's tables"

ENTRIES: tuple[Entry, ...] = (
    *_entries(
        "context-free/untrained/word-based/n-gram",
        _e("BLEU", "bleu", "mt", _ALL_BUT_MT),
        _e("SentBLEU", "sentbleu", "mt", by="paper"),
        _e("ΔBLEU", "deltableu delta-bleu", "dialogue", by="paper", needs="weights of references",
           cite="Galley et al. (2015), ACL"),
        _b("HBLEU", "hbleu", "mt", by="paper", needs="post-edits"),
        _e("NIST", "nist", "mt", _ALL_BUT_MT),
        _e("GTM", "gtm", "mt", "summarisation qa", cite="Turian, Shen and Melamed (2003), MT Summit"),
        _e("METEOR", "meteor", "mt", _ALL_BUT_MT, needs=WORDNET,
           cite="Banerjee and Lavie (2005), ACL workshop"),
        _e("METEOR-NEXT", "meteor-next", "mt", by="paper", needs=TABLES,
           cite="Denkowski and Lavie (2010), NAACL"),
        _e("METEOR Universal", "meteor-universal", "mt", by="paper", needs=TABLES,
           cite="Denkowski and Lavie (2014), WMT"),
        _e("METEOR++", "meteor++", "mt", by="paper", needs=TABLES, cite="Guo, Ruan and Hu (2018), WMT"),
        _e("METEOR++ 2.0", "meteor++2", "mt", by="paper", needs=f"{TABLES}, patterns",
           cite="Guo and Hu (2019), WMT"),
        _b("HMETEOR", "hmeteor", "mt", by="paper", needs=f"post-edits, {TABLES}",
           cite="Snover et al. (2006), AMTA"),
        _e("ROUGE", "rouge rougeL rougeLsum", "summarisation", _ALL_BUT_AS),
        _e("ROUGE-W", "rougeW", "summarisation", by="paper"),
        _e("ROUGE-S", "rougeS rougeSU", "summarisation", by="paper"),
        _e("CIDEr", "ciderD cider", "captioning"),
        _b("GLEU", "gleu", "mt", by="paper", cite="Wu et al. (2016), arXiv 1609.08144"),
        _b("RIBES", "ribes", "mt", by="paper", cite="Isozaki et al. (2010), EMNLP"),
        _b("LEPOR", "lepor hlepor", "mt", by="paper", cite="Han, Wong and Chao (2012), COLING"),
    ),
    *_entries(
        "context-free/untrained/word-based/edit distance",
        _e("WER", "wer", "mt"),
        _e("MultiWER", "multiwer", "mt", cite="Nießen et al. (2000), LREC"),
        _e("TER", "ter", "mt"),
        _b("HTER", "hter", "mt", by="paper", needs="post-edits"),
        _e("ITER", "iter", "mt", cite="Panja and Naskar (2018), WMT"),
        _e("CDER", "cder", "mt", cite="Leusch, Ueffing and Ney (2006), EACL"),
        _e("PER", "per", "mt", by="paper", cite="Tillmann et al. (1997), Eurospeech"),
        _b("SE", "se", "d2t", by="paper"),
        _b("MER, WIL, WIP", "mer wil wip", by="ours"),
        _b("Levenshtein", "levenshtein", by="ours", cite="Levenshtein (1966)"),
    ),
    *_entries(
        "context-free/untrained/word-based/other",
        _e("SPICE", "spice", "captioning", needs=f"a parser, {WORDNET}", model=True,
           cite="Anderson et al. (2016), ECCV"),
        _e("SPIDEr", "spider", "captioning", needs=f"a parser, {WORDNET}", model=True,
           cite="Liu et al. (2017), ICCV"),
    ),
    *_entries(
        "context-free/untrained/character-based/n-gram",
        _e("chrF", "chrf", "mt", "summarisation captioning"),
    ),
    *_entries(
        "context-free/untrained/character-based/edit distance",
        _e("CharacTER", "character", "mt", by="paper", cite="Wang et al. (2016), WMT"),
        _e("EED", "eed", "mt", by="paper", cite="Stanchev, Wang and Ney (2019), WMT"),
        _b("CER", "cer", by="ours"),
        _b("CharCut", "charcut", "mt", by="paper", cite="Lardilleux and Lepage (2017), EAMT"),
    ),
    *_entries(
        "context-free/untrained/character-based/other",
        _e("YiSi-0", "yisi0", "mt", by="paper", cite="Lo (2019), WMT"),
    ),
    *_entries(
        "context-free/untrained/embedding-based/static",
        _e("Greedy matching", "greedy", "", "dialogue", by="paper", needs=_VECTORS, model=True,
           cite="Rus and Lintean (2012), BEA"),
        _e("Embedding average", "average", "", _ALL_BUT_QG, needs=_VECTORS, model=True,
           cite="Landauer and Dumais (1997), Psychological Review"),
        _e("Vector extrema", "extrema", "", _ALL_BUT_QG, needs=_VECTORS, model=True,
           cite="Forgues et al. (2014), NIPS workshop"),
        _e("WMD", "wmd wmdo", "", "mt summarisation captioning", needs=_VECTORS, model=True,
           cite="Kusner et al. (2015), ICML"),
        _b("Sentence Mover's Similarity", "sms", "summarisation", by="paper", needs=_VECTORS, model=True,
           cite="Clark, Celikyilmaz and Smith (2019), ACL"),
        _e("WE_WPI", "wewpi", "mt", by="paper", needs=_VECTORS, model=True, cite="Echizen'ya et al. (2019), NAACL"),
        _e("MEANT", "meant meant2", "mt", by="paper", needs=f"{_VECTORS}, a semantic parser", model=True,
           cite="Lo (2017), WMT"),
    ),
    *_entries(
        "context-free/untrained/embedding-based/contextualised",
        _e("YiSi-1", "yisi1", "mt", by="paper", needs=_ENCODER, model=True, cite="Lo (2019), WMT"),
        _e("MoverScore", "moverscore", "mt summarisation captioning d2t", needs=_ENCODER, model=True,
           cite="Zhao et al. (2019), EMNLP"),
        _e("BERTr", "bertr", "", "mt", needs=_ENCODER, model=True, cite="Mathur et al. (2019), ACL"),
        _e("BERTScore", "bertscore", "mt captioning", "dialogue qa", needs=_ENCODER, model=True,
           cite="Zhang et al. (2020), ICLR"),
        _e("SIM (cosine of sentence embeddings)", "sim", "mt", by="paper", needs=_ENCODER, model=True),
        _b("softmatch", "softmatch", by="ours", needs=_ENCODER, model=True),
    ),
    *_entries(
        "context-free/trained/feature-based",
        _e("BEER", "beer", "mt", needs=_TRAINED, model=True, cite="Stanojević and Sima'an (2014), EMNLP"),
        _e("BLEND", "blend", "mt", needs=_TRAINED, model=True, cite="Ma et al. (2017), WMT"),
        _e("Composite metrics", "composite", "captioning", needs=_TRAINED, model=True,
           cite="Sharif et al. (2018), ACL SRW"),
        _e("NNEval", "nneval", "captioning", by="paper", needs=_TRAINED, model=True, cite="Sharif et al. (2018), ECCV"),
        _e("Q-metrics", "q-bleu q-nist q-meteor q-rouge", "qg", needs="fitted weights", model=True,
           cite="Nema and Khapra (2018), EMNLP"),
    ),
    *_entries(
        "context-free/trained/end-to-end",
        _e("SIMILE", "simile", "mt", needs=_TRAINED, model=True, cite="Wieting et al. (2019), ACL"),
        _e("ESIM", "esim", "mt", needs=_TRAINED, model=True, cite="Chen et al. (2017), ACL; Mathur et al. (2019), ACL"),
        _e("RUSE", "ruse", "mt", needs=_TRAINED, model=True, cite="Shimanaka et al. (2018), WMT"),
    ),
    *_entries(
        "context-free/trained/end-to-end/transformer-based",
        _e("BERT for MTE", "bert-mte", "mt", needs=_TRAINED, model=True,
           cite="Shimanaka et al. (2019), arXiv 1907.12679"),
        _e("BLEURT", "bleurt", "mt d2t", needs=_TRAINED, model=True, cite="Sellam, Das and Parikh (2020), ACL"),
        _e("NUBIA", "nubia", "mt captioning", needs=_TRAINED, model=True, cite="Kane et al. (2020), EvalNLGEval"),
    ),
    *_entries(
        "context-dependent/untrained/word-based/n-gram",
        _e("ROUGE-C", "rougeC", "summarisation", by="paper", needs="the source document",
           cite="He et al. (2008), ALTA"),
        _e("PARENT", "parent", "d2t", by="paper", needs="the source table",
           cite="Dhingra et al. (2019), ACL"),
        _b("GLEU of corrections", "gleu-gec", by="paper", needs="the source text", cite="Napoles et al. (2015), ACL"),
        _b("SARI", "sari", by="paper", needs="the source text", cite="Xu et al. (2016), TACL (simplification)"),
    ),
    *_entries(
        "context-dependent/untrained/word-based/other",
        _e("XMEANT", "xmeant", "mt", by="paper", needs="a semantic parser, bilingual word scores", model=True,
           cite="Lo et al. (2014), ACL"),
    ),
    *_entries(
        "context-dependent/untrained/embedding-based/contextualised",
        _e("YiSi-2", "yisi2", "mt", by="paper", needs="a multilingual encoder", model=True, cite="Lo (2019), WMT"),
    ),
    *_entries(
        "context-dependent/trained/end-to-end",
        _e("LEIC", "leic", "captioning", needs=_TRAINED, model=True, cite="Cui et al. (2018), CVPR"),
        _e("ADEM", "adem", "dialogue", needs=_TRAINED, model=True, cite="Lowe et al. (2017), ACL"),
        _e("RUBER", "ruber", "dialogue", needs=_TRAINED, model=True, cite="Tao et al. (2018), AAAI"),
        _e("GAN discriminator", "", "dialogue", by="paper", needs=_TRAINED, model=True,
           cite="Li et al. (2017), EMNLP"),
        _e("CMADE", "cmade", "dialogue", by="paper", needs=_TRAINED, model=True, cite="Liang, Zou and Yu (2020), ACL"),
        _e("SSREM", "ssrem", "dialogue", needs=_TRAINED, model=True, cite="Bak and Oh (2020), ACL"),
    ),
    *_entries(
        "context-dependent/trained/end-to-end/transformer-based",
        _e("RUBER with BERT", "ruber-bert", "dialogue", needs=_TRAINED, model=True,
           cite="Ghazarian et al. (2019), NeuralGen"),
        _e("MaUde", "maude", "dialogue", needs=_TRAINED, model=True, cite="Sinha et al. (2020), ACL"),
        _e("RoBERTa-eval", "roberta-eval", "dialogue", needs=_TRAINED, model=True,
           cite="Zhao, Lala and Kawahara (2020), ACL"),
    ),
    *_entries(
        "without references",
        _b("FKGL", "fkgl", by="paper", cite="Kincaid et al. (1975), technical report (simplification)"),
        _b("perplexity", "perplexity", by="ours", needs="a language model", model=True),
        _b("SLOR", "slor", by="paper", needs="a language model", model=True),
        _b("length", "length", by="ours"),
    ),
    *_entries(
        "sets of outputs",
        _b("distinct-n", "distinct", "dialogue", by="paper",
           cite="Li et al. (2016), NAACL"),
        _b("entropy", "entropy", "dialogue", by="paper", cite="Zhang et al. (2018), NeurIPS"),
        _b("self-BLEU", "selfbleu self-bleu", by="ours", cite="Zhu et al. (2018), SIGIR"),
        _b("type–token ratios", "ttr msttr", by="ours"),
        _b("vocabulary", "vocabulary novelty uniqueness", by="ours"),
        _b("copying and repetition", "copyrate fragments rep rep-w", by="ours"),
    ),
)  # fmt: skip


def task_named(name: str) -> str:
    """The task of that name or abbreviation; an unknown one is refused with the near name."""
    known = name.strip().lower().replace(" ", "-").replace("_", "-")
    known = TASK_NAMES.get(known, known)
    if known not in TASKS:
        near = difflib.get_close_matches(known, [*TASKS, *TASK_NAMES], n=1, cutoff=0.5)
        hint = f"did you mean {TASK_NAMES.get(near[0], near[0])}? " if near else ""
        raise InputError(f"there is no task {name!r}; {hint}Known: {', '.join(TASKS)}")
    return known


def entries_of(task: str) -> list[Entry]:
    """The metrics proposed for or adopted by a task, those proposed for it first."""
    marked = [entry for entry in ENTRIES if entry.mark(task)]
    return sorted(marked, key=lambda entry: entry.mark(task) == "adopted")


def place_of(name: str) -> str | None:
    """The branch a registered name belongs to; None for a metric of another package."""
    return next((entry.place for entry in ENTRIES if name in entry.names), None)
