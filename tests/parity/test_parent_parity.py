"""PARENT against recorded numbers, against its authors' program and KaijuML's, live where they can be imported, and
the compiled kernel against its twin.

Neither program is on PyPI (the package `parent` there is another thing), so the live tests run where a checkout is on
the path: google-research/language, or KaijuML/parent. Everywhere else the figures that the authors' program gave for
the same seeded texts stand in for it.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded import Case, cases
from texts import WORDS

from nlgauge import kernels
from nlgauge.metrics.parent import Cooccurrence, Parent, words_of
from nlgauge.text import tables

Segment = tuple[str, list[str], list[Any]]
FIGURES = Path(__file__).with_name("parent_authors.json")
BLOCK = 20  # segments in one recorded mean: a single one that differs shows
TRAINING = 300


@pytest.mark.parametrize("case", cases("PARENT"))
def test_recorded(case: Case) -> None:
    if case.needs:
        pytest.skip(f"needs the {case.needs}, which are not among the recorded fixtures")
    weight = case.options["lambda_weight"]
    metric = Parent(
        lam="auto" if weight is None else str(weight),
        smooth=case.options["smoothing"],
        order=case.options["max_order"],
    )
    got = metric.corpus(case.hypotheses, case.references, sources=[case.options["table"]])
    case.check({"f": got})


# -- seeded texts and tables -----------------------------------------------------------------------------------

POOL = [word.lower() for word in WORDS] + [f"w{number}" for number in range(30)]


def segment(draw: random.Random) -> Segment:
    """A table with text, references that are edited copies, and a hypothesis; empty, repeated and one-word ones too."""

    def words(most: int, least: int = 0) -> list[str]:
        return [draw.choice(POOL) for _ in range(draw.randint(least, most))]

    triples = draw.random() < 0.3
    table: list[Any] = []
    for _ in range(draw.choice((1, 2, 5, 9))):
        attribute, value = " ".join(words(2, 1)), " ".join(words(70 if draw.random() < 0.02 else 4, 1))
        table.append([" ".join(words(2, 1)), attribute, value] if triples else [attribute, value])
    told = " ".join(row[-1] for row in table if draw.random() < 0.6).split()
    text = [word for word in told if draw.random() < 0.9] + words(draw.choice((0, 2, 8, 20)))

    def edited() -> str:
        copy = [draw.choice(POOL) if draw.random() < 0.25 else word for word in text if draw.random() > 0.1]
        cut = draw.randint(0, len(copy))
        copy = copy[cut:] + copy[:cut] if draw.random() < 0.3 else copy
        return " ".join(copy * 2 if draw.random() < 0.1 else copy)

    hypothesis = draw.choice(("", draw.choice(POOL), edited(), edited(), edited(), " ".join(text)))
    return hypothesis, [edited() for _ in range(draw.randint(1, 3))], table


def seeded(n: int, seed: int) -> list[Segment]:
    draw = random.Random(seed)
    return [segment(draw) for _ in range(n)]


def rows(metric: Parent, segments: list[Segment], jobs: int = 1) -> Any:
    texts, references, sources = (list(column) for column in zip(*segments, strict=True))
    return metric.corpus_rows(texts, references, sources=sources, jobs=jobs)


def counts_of(segments: list[Segment]) -> dict[str, int]:
    """Co-occurrence counts in the authors' format."""
    counts: dict[str, int] = {}
    for _, references, source in segments:
        inside = words_of(tables.read(source), str.split)
        for text in references:
            for word in inside:
                counts[word] = counts.get(word, 0) + 1
                for other in set(text.split()):
                    counts[f"{word}|||{other}"] = counts.get(f"{word}|||{other}", 0) + 1
    return counts


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Counts of other texts of the same kind, as the authors' program reads them."""
    path = tmp_path_factory.mktemp("counts") / "counts.json"
    path.write_text(json.dumps(counts_of(seeded(TRAINING, 99))), encoding="utf-8")
    return path


# -- the programs ----------------------------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    {"lam": "auto"},
    {"lam": "0.5"},
    {"lam": "0"},
    {"lam": "1", "order": 2},
    {"lam": "auto", "smooth": 0.0},
    {"lam": "auto", "entailment": True},
]


def tokenised(segments: list[Segment]) -> tuple[list[Any], list[Any], list[Any]]:
    return (
        [text.split() for text, _, _ in segments],
        [[text.split() for text in references] for _, references, _ in segments],
        [[[cell.split() for cell in row] for row in table] for _, _, table in segments],
    )


def options_of(setting: dict[str, Any]) -> dict[str, Any]:
    """The setting in the words of both programs."""
    lam = setting["lam"]
    return {
        "lambda_weight": None if lam == "auto" else float(lam),
        "max_order": setting.get("order", 4),
        "smoothing": setting.get("smooth", 1e-5),
    }


def ours(setting: dict[str, Any], counts: Path, **more: Any) -> Parent:
    fields = setting | ({"entailment": str(counts)} if setting.get("entailment") else {})
    return Parent(**fields, **more)


def authors(setting: dict[str, Any], segments: list[Segment], counts: Path, program: Any) -> Any:
    """Precision, recall and F of each segment."""
    entailment = program.overlap_probability
    if setting.get("entailment"):
        entailment = program.cooccur_probability_fn(json.loads(counts.read_text(encoding="utf-8")))
    found = [
        program.parent([text], [refs], [table], entailment_fn=entailment, **options_of(setting))[:3]
        for text, refs, table in zip(*tokenised(segments), strict=True)
    ]
    return np.array(found, dtype=float)


def program(name: str, needed: str) -> Any:
    found = pytest.importorskip(name, reason=f"the live comparison runs {name}, which is not on PyPI")
    if not hasattr(found, needed):
        pytest.skip(f"the package {name} on this machine is another one")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_many_segments_equal_the_authors_program(number: int, counts: Path) -> None:
    theirs = program("language.table_text_eval.table_text_eval", "cooccur_probability_fn")
    segments = seeded(400, number)
    wanted = authors(SETTINGS[number], segments, counts, theirs)
    np.testing.assert_allclose(rows(ours(SETTINGS[number], counts), segments)[:, :3], wanted, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_many_segments_equal_kaijuml(number: int, counts: Path) -> None:
    theirs = program("parent.parent", "parent_instance_level")
    segments = seeded(400, 50 + number)
    wanted = [
        theirs.parent_instance_level(package, **options_of(SETTINGS[number]))
        for package in zip(*tokenised(segments), strict=True)
    ]
    metric = ours(SETTINGS[number], counts, multi="highest")
    np.testing.assert_allclose(rows(metric, segments)[:, :3], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_figures_of_the_authors_program(number: int, counts: Path) -> None:
    """Means of precision, recall and F over blocks of seeded segments, as the authors' program gave them."""
    recorded = json.loads(FIGURES.read_text(encoding="utf-8"))["blocks"][number]
    got = rows(ours(SETTINGS[number], counts), seeded(400, number))[:, :3]
    np.testing.assert_allclose(got.reshape(-1, BLOCK, 3).mean(axis=1), recorded, rtol=0, atol=1e-9)


# -- both kernels ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels: nothing to compare with")
@pytest.mark.parametrize("multi", ["best", "highest"])
@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_native_equals_python(number: int, multi: str, counts: Path) -> None:
    metric, segments = ours(SETTINGS[number], counts, multi=multi), seeded(150, 70 + number)
    with kernels.use("python"):
        plain = rows(metric, segments)
    assert np.array_equal(rows(metric, segments), plain)
    assert np.array_equal(rows(metric, segments, jobs=3), plain)


def test_counting_from_rows_equals_counts_in_a_file(counts: Path, tmp_path: Path) -> None:
    training = [{"source": table, "references": refs} for _, refs, table in seeded(TRAINING, 99)]
    path = tmp_path / "train.jsonl"
    path.write_text("\n".join(map(json.dumps, training)), encoding="utf-8")
    learnt = Cooccurrence.of(str(path), "none", True)
    read = Cooccurrence.of(str(counts), "none", True)
    assert learnt.shares == read.shares
    segments = seeded(50, 5)
    assert np.array_equal(rows(Parent(entailment=str(path)), segments), rows(Parent(entailment=str(counts)), segments))


def record(program: Any, counts: Path) -> dict[str, Any]:
    """What `parent_authors.json` holds: run with the authors' program at hand."""
    blocks = []
    for number, setting in enumerate(SETTINGS):
        found = authors(setting, seeded(400, number), counts, program)
        blocks.append(found.reshape(-1, BLOCK, 3).mean(axis=1).round(10).tolist())
    return {
        "source": "google-research/language table_text_eval.py, 94e93d8: its functions, without the command",
        "blocks": blocks,
    }
