"""Measures one case in this process and prints one JSON object: CPU seconds, wall seconds, peak memory, result.

    python benchmarks/worker.py CASE IMPLEMENTATION FOLDER SEGMENTS [JOBS]

The texts are in memory before the clock starts and the score is out when it stops. Imports and a first call on other
text happen before, so neither side pays for loading; no text is scored twice, so no cache helps.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
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
        from nlgauge.engine.local import system_rows
        from nlgauge.metrics.spec import parse
        from nlgauge.types import Column

        metrics = [parse(spec) for spec in specs]

        def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
            rows = system_rows([Column("s", [], hyps, refs)], metrics, jobs=jobs)["s"]
            return [float(metric.score(rows[metric.rows_key()].sum(axis=0))) for metric in metrics]

        return run

    return make


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
            return [
                sum(s[key].fmeasure for s in scores) / len(scores) for key in ("rouge1", "rouge2", "rougeL")
            ]

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
        return [
            corpus_nist([[split(r).split() for r in ref] for ref in refs], [split(h).split() for h in hyps])
        ]

    return run


def nltk_meteor(_: int) -> Run:
    """NLTK's METEOR; it finds WordNet in a folder of its own (NLTK_DATA)."""
    from nltk.translate.meteor_score import meteor_score

    def run(hyps: Texts, refs: list[Texts], _: list[Texts]) -> Any:
        scores = [
            meteor_score([r.split() for r in ref], hyp.split()) for hyp, ref in zip(hyps, refs, strict=True)
        ]
        return [sum(scores) / len(scores)]

    return run


def meteor_jar(_: int) -> Run:
    """METEOR 1.5 on Java; the program is started, and its tables loaded, before the clock starts."""
    import subprocess
    import threading

    from nlgauge.lexicons.meteor import find

    jar = next(find().glob("meteor-*.jar"))
    command = ["java", "-Xmx2G", "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]
    process = subprocess.Popen(
        command, cwd=jar.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
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
    "METEOR Universal": {"nlgauge": ours("meteor-universal"), "jar": meteor_jar},
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


def memory() -> float:
    """Peak resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    case, implementation, folder, segments = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    jobs = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    count = 4 if "4 references" in case else 1
    hyps = read(folder / "hyp.txt", segments)
    streams = [read(folder / f"ref{k + 1}.txt", segments) for k in range(count)]
    if "," in case and case.endswith("BLEU"):  # the paired tests: two systems, one after the other
        hyps, streams = hyps + read(folder / "hyp2.txt", segments), [stream * 2 for stream in streams]
    refs = [list(texts) for texts in zip(*streams, strict=True)]
    run = CASES[case][implementation](jobs)
    run(WARM_UP, [[text] for text in reversed(WARM_UP)], [WARM_UP[::-1]])
    gc.collect()
    before = memory()
    wall, cpu = time.perf_counter(), time.process_time()
    value = run(hyps, refs, streams)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(
        json.dumps(
            {
                "cpu": cpu,
                "wall": wall,
                "memory_above_input_mb": memory() - before,
                "peak_mb": memory(),
                "value": value,
            }
        )
    )


if __name__ == "__main__":
    main()
