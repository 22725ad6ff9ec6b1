"""Measures one case in this process and prints one JSON object: CPU seconds, wall seconds, peak memory, result.

    python benchmarks/worker.py CASE IMPLEMENTATION FOLDER SEGMENTS [JOBS]

The texts are in memory before the clock starts and the score is out when it stops. Imports and a first call on other
text happen before, so neither side pays for loading; no text is scored twice, so no cache helps.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WARM_UP = [
    "Quite another text, 3.5 of it.",
    "and a second one, not in the corpus",
    "a third one follows",
    "The last, 4 of 4.",
]


def read(path: Path, segments: int) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n") for _, line in zip(range(segments), file, strict=False)]


# -- the implementations: case -> (hypotheses, references by segment, references by stream) -> score ------------------

Texts = list[str]
Run = Callable[[Texts, list[Texts], list[Texts]], Any]


def ours(*specs: str) -> Callable[[int], Run]:
    def make(jobs: int) -> Run:
        from nlgauge.engine.local import Plan, system_rows
        from nlgauge.metrics.spec import parse
        from nlgauge.types import Column

        metrics = [parse(spec) for spec in specs]
        # a metric that is fitted on the corpus sees each item once, and so needs their names
        items = [str(number) for number in range(1_000_000)] if Plan.of(metrics).needs_prepare else []

        def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
            rows = system_rows([Column("s", items[: len(hyps)], hyps, refs)], metrics, jobs=jobs)["s"]
            return [float(metric.score(rows[metric.rows_key()].sum(axis=0))) for metric in metrics]

        return run

    return make


def table(text: str) -> list[list[str]]:
    """A table for a reference: three of every four of its words as values, and a value that it does not tell."""
    words = text.split()
    values = [" ".join(words[start : start + 3]) for start in range(0, len(words), 4)]
    return [[f"attribute {number}", value] for number, value in enumerate([*values, "not told"])]


def our_parent(spec: str) -> Callable[[int], Run]:
    def make(jobs: int) -> Run:
        from nlgauge.engine.local import system_rows
        from nlgauge.metrics.spec import parse
        from nlgauge.types import Column

        metric = parse(spec)

        def run(hyps: Texts, refs: list[Texts], tables: list[Any]) -> Any:
            rows = system_rows([Column("s", [], hyps, refs, tables)], [metric], jobs=jobs)["s"]
            return [float(metric.score(rows[metric.rows_key()].sum(axis=0)))]

        return run

    return make


def kaijuml_parent(_: int) -> Run:
    """Its function for one segment, without the processes that its command starts: one CPU as elsewhere."""
    from parent.parent import parent_instance_level

    def words(text: str) -> Texts:
        return text.lower().split()

    def run(hyps: Texts, refs: list[Texts], tables: list[Any]) -> Any:
        total = 0.0
        for hyp, texts, rows in zip(hyps, refs, tables, strict=True):
            cells = [[words(cell) for cell in row] for row in rows]
            total += parent_instance_level((words(hyp), list(map(words, texts)), cells), lambda_weight=None)[2]
        return [total / len(hyps)]

    return run


def sacrebleu_metric(name: str, **options: Any) -> Callable[[int], Run]:
    def make(_: int) -> Run:
        import sacrebleu.metrics

        def run(hyps: Texts, _: list[Texts], streams: list[Texts]) -> Any:
            # A new object for each call: its tokeniser's cache is warm only from this corpus.
            return [getattr(sacrebleu.metrics, name)(**options).corpus_score(hyps, streams).score]

        return run

    return make


def rouge_score(stem: bool) -> Callable[[int], Run]:
    def make(_: int) -> Run:
        from rouge_score import rouge_scorer

        def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
            scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stem)
            scores = [scorer.score(ref[0], hyp) for hyp, ref in zip(hyps, refs, strict=True)]
            return [sum(s[key].fmeasure for s in scores) / len(scores) for key in ("rouge1", "rouge2", "rougeL")]

        return run

    return make


def jiwer(_: int) -> Run:
    import jiwer as package

    return lambda hyps, _, streams: [package.wer(streams[0], hyps)]


def rapidfuzz(_: int) -> Run:
    from rapidfuzz.distance import Levenshtein

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        edits = length = 0
        for hyp, ref in zip(hyps, refs, strict=True):
            words = ref[0].split()
            edits += Levenshtein.distance(words, hyp.split())
            length += len(words)
        return [edits / length]

    return run


def nltk_nist(_: int) -> Run:
    from nltk.translate.nist_score import corpus_nist
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        split = Tokenizer13a()
        return [corpus_nist([[split(r).split() for r in ref] for ref in refs], [split(h).split() for h in hyps])]

    return run


def nltk_meteor(_: int) -> Run:
    """NLTK's METEOR on a copy of the WordNet that ours reads, in the folder and with the list of names it wants.

    On either side WordNet is opened, and its index read, by the first call, before the clock starts.
    """
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.translate.meteor_score import meteor_score

    from nlgauge.lexicons import wordnet

    # Versions of WordNet are not mixed here; Debian's copy lacks the file that NLTK would read for that.
    WordNetCorpusReader.map_wn = lambda self, version="wordnet": None
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)  # its files are opened as they are needed
    nltk.data.path.insert(0, folder)
    copy = Path(folder) / "corpora" / "wordnet"
    shutil.copytree(wordnet.find(), copy)
    (copy / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    reader = WordNetCorpusReader(str(copy), None)

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        scores = [
            meteor_score([r.split() for r in ref], hyp.split(), wordnet=reader)
            for hyp, ref in zip(hyps, refs, strict=True)
        ]
        return [sum(scores) / len(scores)]

    return run


def pycocoevalcap_cider(_: int) -> Run:
    from pycocoevalcap.cider.cider import Cider

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        score, _scores = Cider().compute_score(dict(enumerate(refs)), {k: [hyp] for k, hyp in enumerate(hyps)})
        return [float(score)]

    return run


def rouge_metric(*kinds: str, **options: Any) -> Callable[[int], Run]:
    """The mean precision and recall of each kind; its F is that of the means, ours the mean of F."""

    def make(_: int) -> Run:
        from rouge_metric import PyRouge

        def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
            scores = PyRouge(rouge_n=(), rouge_l=False, **options).evaluate(hyps, refs)
            return [scores[kind][key] for kind in kinds for key in "pr"]

        return run

    return make


def torchmetrics_eed(_: int) -> Run:
    from torchmetrics.functional.text import extended_edit_distance

    return lambda hyps, refs, _: [float(extended_edit_distance(hyps, refs))]


def cer_package(_: int) -> Run:
    from cer import calculate_cer_corpus

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        return [calculate_cer_corpus([hyp.split() for hyp in hyps], [ref[0].split() for ref in refs])["mean"]]

    return run


def nltk_of_words(module: str, function: str) -> Callable[[int], Run]:
    """A corpus function of NLTK that takes lists of words: references by segment, then hypotheses."""

    def make(_: int) -> Run:
        score = getattr(importlib.import_module(f"nltk.translate.{module}"), function)

        def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
            return [score([[r.split() for r in ref] for ref in refs], [h.split() for h in hyps])]

        return run

    return make


def nltk_lepor(_: int) -> Run:
    score = importlib.import_module("nltk.translate.lepor").sentence_lepor

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        scores = [max(score(list(ref), hyp, tokenizer=str.split)) for hyp, ref in zip(hyps, refs, strict=True)]
        return [sum(scores) / len(scores)]

    return run


def meteor_jar(_: int) -> Run:
    """METEOR 1.5 on Java; the program is started, and its tables loaded, before the clock starts."""
    import subprocess
    import threading

    from nlgauge.lexicons.meteor import find

    jar = next(find().glob("meteor-*.jar"))
    command = [
        "java",
        "-Xmx2G",
        "-Dfile.encoding=UTF-8",
        "-jar",
        str(jar),
        "-",
        "-",
        "-stdio",
        "-l",
        "en",
        "-norm",
    ]
    process = subprocess.Popen(command, cwd=jar.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout

    def write(lines: list[str]) -> None:
        assert process.stdin
        process.stdin.writelines(lines)
        process.stdin.flush()

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        assert process.stdin and process.stdout
        lines = [" ||| ".join(["SCORE", *ref, hyp]) + "\n" for hyp, ref in zip(hyps, refs, strict=True)]
        writer = threading.Thread(target=write, args=(lines,))
        writer.start()
        stats = [process.stdout.readline().strip() for _ in lines]
        writer.join()
        write([" ||| ".join(["EVAL", *stats]) + "\n"])
        return [float([process.stdout.readline() for _ in range(len(stats) + 1)][-1])]

    return run


def pot_wmd(_: int) -> Run:
    """A loop over POT's exact solver, with our tokeniser and with the vectors in memory, so that moving is compared."""
    import numpy as np
    import ot

    from nlgauge.kernels import active
    from nlgauge.models import static

    table = static("glove")
    tokenize = active().tokenize

    def bag(text: str) -> tuple[Any, Any]:
        counts: dict[str, float] = {}
        for word in tokenize(text, "13a", True, "none"):
            if word in table:
                counts[word] = counts.get(word, 0.0) + 1.0
        masses = np.array(list(counts.values()))
        return table.vectors(list(counts))[0].astype(np.float64), masses / masses.sum()

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        total = 0.0
        for hyp, (ref,) in zip(hyps, refs, strict=True):
            (mine, sent), (theirs, received) = bag(hyp), bag(ref)
            total += ot.emd2(sent, received, ot.dist(mine, theirs, metric="euclidean"))
        return [total / len(hyps)]

    return run


def our_comparison(test: str, trials: int) -> Callable[[int], Run]:
    def make(jobs: int) -> Run:
        import nlgauge

        def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
            half = len(hyps) // 2
            data = nlgauge.EvaluationSet.of({"a": hyps[:half], "b": hyps[half:]}, refs[:half])
            done = nlgauge.compare(data, ["bleu"], baseline="a", test=test, trials=trials, jobs=jobs)
            return [done.comparisons[0].value, done.comparisons[0].p]

        return run

    return make


def sacrebleu_comparison(test: str, trials: int) -> Callable[[int], Run]:
    def make(_: int) -> Run:
        from sacrebleu.metrics import BLEU
        from sacrebleu.significance import PairedTest

        def run(hyps: Texts, _: list[Texts], streams: list[Texts]) -> Any:
            half = len(hyps) // 2
            systems = [("a", hyps[:half]), ("b", hyps[half:])]
            _, result = PairedTest(
                systems,
                {"BLEU": BLEU()},
                [stream[:half] for stream in streams],
                test_type=test,
                n_samples=trials,
            )()
            return [result["BLEU"][1].score, result["BLEU"][1].p_value]

        return run

    return make


CASES: dict[str, dict[str, Callable[[int], Run]]] = {
    "BLEU": {"nlgauge": ours("bleu"), "sacreBLEU": sacrebleu_metric("BLEU")},
    "BLEU, 4 references": {"nlgauge": ours("bleu"), "sacreBLEU": sacrebleu_metric("BLEU")},
    "chrF": {"nlgauge": ours("chrf"), "sacreBLEU": sacrebleu_metric("CHRF")},
    "chrF++": {"nlgauge": ours("chrf++"), "sacreBLEU": sacrebleu_metric("CHRF", word_order=2)},
    "TER": {"nlgauge": ours("ter"), "sacreBLEU": sacrebleu_metric("TER")},
    "ROUGE-1/2/L": {"nlgauge": ours("rouge@1", "rouge@2", "rougeL"), "rouge-score": rouge_score(False)},
    "ROUGE-1/2/L, stemmed": {
        "nlgauge": ours("rouge(stem=porter)@1", "rouge(stem=porter)@2", "rougeL(stem=porter)"),
        "rouge-score": rouge_score(True),
    },
    "WER": {"nlgauge": ours("wer"), "jiwer": jiwer},
    "WER, split words": {"nlgauge": ours("wer(tok=none)"), "rapidfuzz": rapidfuzz},
    "NIST": {"nlgauge": ours("nist"), "NLTK": nltk_nist},
    "METEOR": {"nlgauge": ours("meteor"), "NLTK": nltk_meteor},
    "METEOR, English words": {"nlgauge": ours("meteor"), "NLTK": nltk_meteor},
    "WMD, English words": {"nlgauge": ours("wmd"), "POT": pot_wmd},
    "METEOR Universal": {"nlgauge": ours("meteor-universal"), "jar": meteor_jar},
    "ROUGE-W": {
        "nlgauge": ours("rougeW(tok=none).p", "rougeW(tok=none).r"),
        "rouge-metric": rouge_metric("rouge-w-1.2", rouge_w=True),
    },
    "ROUGE-S and SU": {
        "nlgauge": ours("rougeS(tok=none).p", "rougeS(tok=none).r", "rougeSU(tok=none).p", "rougeSU(tok=none).r"),
        "rouge-metric": rouge_metric("rouge-s*", "rouge-su*", rouge_s=True, rouge_su=True),
    },
    "ROUGE-S4 and SU4": {
        "nlgauge": ours(
            "rougeS(tok=none)@4.p", "rougeS(tok=none)@4.r", "rougeSU(tok=none)@4.p", "rougeSU(tok=none)@4.r"
        ),
        "rouge-metric": rouge_metric("rouge-s4", "rouge-su4", rouge_s=True, rouge_su=True, skip_gap=4),
    },
    "CIDEr-D, 4 references": {"nlgauge": ours("ciderD(tok=none)"), "pycocoevalcap": pycocoevalcap_cider},
    "GLEU": {"nlgauge": ours("gleu(tok=none)"), "NLTK": nltk_of_words("gleu_score", "corpus_gleu")},
    "RIBES": {"nlgauge": ours("ribes"), "NLTK": nltk_of_words("ribes_score", "corpus_ribes")},
    "LEPOR": {"nlgauge": ours("lepor(form=nltk,tok=none)"), "NLTK": nltk_lepor},
    "EED": {"nlgauge": ours("eed"), "torchmetrics": torchmetrics_eed},
    "CharacTER": {"nlgauge": ours("character"), "cer": cer_package},
    "PARENT": {"nlgauge": our_parent("parent"), "KaijuML/parent": kaijuml_parent},
    "paired bootstrap, BLEU": {
        "nlgauge": our_comparison("bootstrap", 1000),
        "sacreBLEU": sacrebleu_comparison("bs", 1000),
    },
    "approximate randomisation, BLEU": {
        "nlgauge": our_comparison("ar", 10000),
        "sacreBLEU": sacrebleu_comparison("ar", 10000),
    },
    # one tokeniser for several metrics, against each of them alone
    "shared": {"nlgauge": ours("bleu", "nist", "rouge(tok=13a)@1", "rouge(tok=13a)@2")},
    "alone bleu": {"nlgauge": ours("bleu")},
    "alone nist": {"nlgauge": ours("nist")},
    "alone rouge@1": {"nlgauge": ours("rouge(tok=13a)@1")},
    "alone rouge@2": {"nlgauge": ours("rouge(tok=13a)@2")},
    "alone rouge@1 and @2": {"nlgauge": ours("rouge(tok=13a)@1", "rouge(tok=13a)@2")},
}


def cpu_seconds() -> float:
    """CPU time of this process and of the programs that it has started and that still run, on all their threads."""
    ticks = 0
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text(encoding="utf-8").split():
            user, system = Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
            ticks += int(user) + int(system)
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def memory() -> float:
    """Peak resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    case, implementation, folder, segments = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    jobs = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    count = 4 if "4 references" in case else 1
    if case.endswith("English words"):
        folder /= "english"
    hyps = read(folder / "hyp.txt", segments)
    streams: list[Any] = [read(folder / f"ref{k + 1}.txt", segments) for k in range(count)]
    if "," in case and case.endswith("BLEU"):  # the paired tests: two systems, one after the other
        hyps, streams = hyps + read(folder / "hyp2.txt", segments), [stream * 2 for stream in streams]
    refs = [list(texts) for texts in zip(*streams, strict=True)]
    warm: list[Any] = [WARM_UP[::-1]]
    if case == "PARENT":  # the tables stand in the place of the streams
        warm, streams = [table(text) for text in WARM_UP[::-1]], [table(text) for text in streams[0]]
    loading = time.perf_counter()
    run = CASES[case][implementation](jobs)
    run(WARM_UP, [[text] for text in reversed(WARM_UP)], warm)
    loading = time.perf_counter() - loading
    gc.collect()
    before = memory()
    wall, cpu = time.perf_counter(), cpu_seconds()
    value = run(hyps, refs, streams)
    cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
    print(
        json.dumps(
            {
                "cpu": cpu,
                "wall": wall,
                "loading": loading,
                "memory_above_input_mb": memory() - before,
                "peak_mb": memory(),
                "value": value,
            }
        )
    )


if __name__ == "__main__":
    main()
