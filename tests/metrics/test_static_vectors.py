"""Metrics of static word vectors: the formulas written out word by word, POT, properties, and what is agreed on."""

from __future__ import annotations

import gzip
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.explanation import Links
from nlgauge.metrics.spec import parse
from nlgauge.models.interface import ModelInfo
from nlgauge.models.vectors import Table
from nlgauge.receipt import read, write
from nlgauge.text.sentences import is_content, sentences

_STOCK = (
    "the cat dog sat on mat naïve zwölf 猫 rain north south wind storm clear sunny warm cold day night "
    "will be in of and . , a"
)
WORDS = _STOCK.split()
DIM = 10  # no multiple of what the kernels add up at a time


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("vectors") / "small.txt"
    lines = [f"{word} {' '.join(f'{x:.4f}' for x in rng.normal(size=DIM))}" for word in WORDS]
    path.write_text("\n".join([f"{len(WORDS)} {DIM}", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def known(vectors: Path) -> dict[str, np.ndarray]:
    lines = vectors.read_text(encoding="utf-8").splitlines()[1:]
    return {line.split()[0]: np.array(line.split()[1:], dtype=np.float32).astype(float) for line in lines}


def segments(count: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Repeated, unknown and foreign words; one word; none; one to three references."""
    rng = random.Random(seed)
    stock = [*WORDS, *WORDS[:4] * 3, "unheard", "Of", "😀"]

    def text() -> str:
        return " ".join(rng.choices(stock, k=rng.choice((0, 1, 1, 2, 5, 9, 14))))

    return [text() for _ in range(count)], [[text() for _ in range(rng.randrange(1, 4))] for _ in range(count)]


def spec(name: str, path: Path, **fields: Any) -> Any:
    return (
        parse(f"{name}(model={path},tok=none)")
        if not fields
        else type(parse(name))(model=str(path), tok="none", **fields)
    )


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    lengths = math.sqrt(a @ a) * math.sqrt(b @ b)
    return float(a @ b / lengths) if lengths else 0.0


# -- nlg-eval's three, written out ------------------------------------------------------------------------------


def nlg_eval(hypothesis: str, reference: str, known: dict[str, np.ndarray]) -> dict[str, float]:
    unknown = np.mean(list(known.values()), axis=0)
    mine, theirs = ([known.get(word, unknown) for word in text.lower().split()] for text in (hypothesis, reference))
    if not mine or not theirs:
        return {"average": 0.0, "extrema": 0.0, "greedy": 0.0}

    def extreme(rows: list[np.ndarray]) -> np.ndarray:
        out = []
        for values in zip(*rows, strict=True):
            high, low = max(values), min(values)
            out.append(high if high > -low else low)
        return np.array(out)

    forth = sum(max(cosine(a, b) for b in theirs) for a in mine) / len(mine)
    back = sum(max(cosine(a, b) for a in mine) for b in theirs) / len(theirs)
    return {
        "average": cosine(sum(mine), sum(theirs)),
        "extrema": cosine(extreme(mine), extreme(theirs)),
        "greedy": (forth + back) / 2,
    }


@pytest.mark.parametrize("name", ["average", "extrema", "greedy"])
def test_the_three_of_nlg_eval_written_out(name: str, vectors: Path, known: dict[str, np.ndarray]) -> None:
    hypotheses, references = segments(150, 1)
    expected = [
        max(nlg_eval(hypothesis, reference, known)[name] for reference in several)
        for hypothesis, several in zip(hypotheses, references, strict=True)
    ]
    metric = spec(name, vectors)
    assert metric.segments(hypotheses, references) == pytest.approx(expected, abs=1e-6)
    assert metric.corpus(hypotheses, references) == pytest.approx(np.mean(expected), abs=1e-6)


def test_skipped_words_and_zero_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 3 4\nb 0 0\nc 4 3\nd -4 3\n")
    for name in ("average", "extrema", "greedy"):
        skip = spec(name, path, unknown="skip")
        assert skip.segments(["a x", "x", "b", "a"], [["a"], ["a"], ["a"], ["y"]]).tolist() == [1, 0, 0, 0]
    # highest and lowest equally far from 0: the lowest; nlg-eval's rule for a lowest of exactly 0 is not kept
    extrema = spec("extrema", path)
    assert extrema.corpus(["c d"], [["d"]]) == pytest.approx(1)
    assert extrema.corpus(["a b"], [["a"]]) == pytest.approx(1)
    assert spec("greedy", path).corpus(["a"], [["c"]]) == pytest.approx(24 / 25)


# -- Word Mover's Distance ------------------------------------------------------------------------------------------


def distance(known: dict[str, np.ndarray], hypothesis: str, reference: str, solve: Any) -> float:
    """WMD by another solver, on all words, shared ones as well."""
    bags = [Counter(word for word in text.lower().split() if word in known) for text in (hypothesis, reference)]
    if not bags[0] or not bags[1]:
        same = Counter(hypothesis.lower().split()) == Counter(reference.lower().split())
        return 0.0 if same else 2 * float(np.mean([math.sqrt(row @ row) for row in known.values()]))
    rows = [np.array([known[word] for word in bag]) for bag in bags]
    masses = [np.array(list(bag.values())) / bag.total() for bag in bags]
    costs = np.sqrt(((rows[0][:, None] - rows[1][None]) ** 2).sum(axis=2))
    return float(solve(masses[0], masses[1], costs))


def by_linear_programming(a: np.ndarray, b: np.ndarray, costs: np.ndarray) -> float:
    from scipy.optimize import linprog

    rows, columns = costs.shape
    sums = np.vstack([np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))])
    return float(linprog(costs.ravel(), A_eq=sums, b_eq=np.concatenate([a, b]), method="highs").fun)


def test_wmd_equals_linear_programming(backend: None, vectors: Path, known: dict[str, np.ndarray]) -> None:
    hypotheses, references = segments(80, 2)
    expected = [
        min(distance(known, hypothesis, reference, by_linear_programming) for reference in several)
        for hypothesis, several in zip(hypotheses, references, strict=True)
    ]
    assert spec("wmd", vectors).segments(hypotheses, references) == pytest.approx(expected, abs=1e-6)


def test_wmd_equals_pot_on_a_thousand_pairs(vectors: Path, known: dict[str, np.ndarray]) -> None:
    ot = pytest.importorskip("ot")
    hypotheses, references = segments(1000, 3)
    pairs = [[several[0]] for several in references]
    expected = [
        distance(known, hypothesis, reference, ot.emd2)
        for hypothesis, (reference,) in zip(hypotheses, pairs, strict=True)
    ]
    assert np.abs(spec("wmd", vectors).segments(hypotheses, pairs) - expected).max() < 1e-6


def test_bounds_symmetry_and_identity(vectors: Path) -> None:
    hypotheses, references = segments(300, 4)
    texts = [[several[0]] for several in references]
    exact, relaxed, centroid = (
        spec("wmd", vectors, bound=bound).segments(hypotheses, texts) for bound in ("exact", "rwmd", "wcd")
    )
    assert (relaxed <= exact + 1e-9).all() and (centroid <= exact + 1e-9).all()
    assert (relaxed < exact - 1e-3).any() and (centroid < relaxed - 1e-3).any()
    back = spec("wmd", vectors).segments([text for (text,) in texts], [[text] for text in hypotheses])
    assert back == pytest.approx(exact, abs=1e-12)
    shuffled = [" ".join(sorted(text.split())) for text in hypotheses]
    assert spec("wmd", vectors).segments(hypotheses, [[text] for text in shuffled]).max() == 0
    unit = spec("wmd", vectors, norm=True).segments(hypotheses, texts)
    assert unit.max() == 2 and (unit >= 0).all()


def test_what_a_text_without_known_words_is_worth(vectors: Path, known: dict[str, np.ndarray]) -> None:
    far = 2 * float(np.mean([math.sqrt(row @ row) for row in known.values()]))
    metric = spec("wmd", vectors)
    got = metric.segments(["", "", "xx", "xx", "cat"], [[""], ["cat"], ["xx"], ["yy"], ["xx", "cat"]])
    assert got.tolist() == pytest.approx([0, far, 0, far, 0])
    assert spec("sms", vectors).segments(["", "cat"], [[""], ["unheard"]]).tolist() == [0, 0]
    wmdo = spec("wmdo", vectors, delta=0.5, alpha=0.25)
    assert wmdo.segments(["", "", "猫"], [[""], ["cat"], ["猫"]]).tolist() == [0, 1.5, 0]
    assert spec("wewpi", vectors).segments(["", "cat", ""], [["cat"], [""], [""]]).tolist() == [0, 0, 0]


def test_function_words_can_be_left_out(vectors: Path) -> None:
    metric = spec("wmd", vectors, content=True)
    assert metric.corpus(["the cat sat on the mat ."], [["cat sat mat"]]) == 0
    assert is_content("Zwölf") and not is_content("The") and not is_content("3.5") and not is_content(".")


# -- WMD_O -----------------------------------------------------------------------------------------------------------


def test_wmdo_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text(
        "\n".join(
            f"{word} {' '.join(str(int(k == n)) for k in range(6))}"
            for n, word in enumerate(["aa", "bb", "cc", "dd", "ee", "ff"])
        )
    )
    metric = spec("wmdo", path, delta=1.0, alpha=0.0)
    # in order: one chunk of four matches; reversed: the first match at 3 starts a chunk, and so does each other
    assert metric.corpus(["aa bb cc dd"], [["aa bb cc dd"]]) == pytest.approx(1 / 4)
    assert metric.corpus(["dd cc bb aa"], [["aa bb cc dd"]]) == pytest.approx(1.0)
    # two runs change places: the jump to 2 and the one back to 0
    assert metric.corpus(["cc dd aa bb"], [["aa bb cc dd"]]) == pytest.approx(3 / 4)
    # a quarter of the mass at cosine 0, matched at its place
    assert metric.corpus(["aa bb cc ee"], [["aa bb cc dd"]]) == pytest.approx(1 / 4 + 1 / 4)
    # punctuation carries no mass but holds its place, and has no vector
    assert metric.corpus(["aa , bb"], [["aa bb"]]) == pytest.approx(2 / 2)
    assert spec("wmdo", path, delta=0.0, alpha=0.3).corpus(["aa , bb"], [["aa bb"]]) == pytest.approx(0.1)
    assert spec("wmdo", path, delta=1.0, alpha=0.0, centred=True).corpus(["aa bb"], [["aa bb"]]) == 0
    # of the places of a word the one nearest to the last match, the first of equals: the second "aa" goes back to 0
    assert metric.corpus(["aa bb aa bb"], [["aa bb aa bb"]]) == pytest.approx(2 / 4)
    assert metric.corpus(["cc bb aa bb"], [["aa bb cc"]]) == pytest.approx(1 + 1 / 6)


def test_wmdo_moves_mass_like_another_solver(vectors: Path, known: dict[str, np.ndarray]) -> None:
    hypotheses, references = segments(60, 5)
    texts = [several[0] for several in references]
    got = spec("wmdo", vectors, delta=0.0, alpha=0.0).segments(hypotheses, [[text] for text in texts])
    for mine, theirs, value in zip(hypotheses, texts, got, strict=True):
        bags = [Counter(w for w in text.lower().split() if len(w) > 1 and w.isalpha()) for text in (mine, theirs)]
        if not bags[0] or not bags[1]:
            continue
        zero = np.zeros(DIM)
        left, right = ({w: c / bag.total() for w, c in bag.items()} for bag in bags)
        for word in left.keys() & right.keys():
            stays = min(left[word], right[word])
            left[word], right[word] = left[word] - stays, right[word] - stays
        costs = np.array([[1 - cosine(known.get(a, zero), known.get(b, zero)) for b in right] for a in left])
        for i, a in enumerate(left):
            for j, b in enumerate(right):
                costs[i, j] = 0 if a == b else costs[i, j]
        expected = by_linear_programming(np.array([*left.values()]), np.array([*right.values()]), costs)
        assert value == pytest.approx(expected, abs=1e-6)


# -- Sentence Mover's Similarity -------------------------------------------------------------------------------------


def test_sentences_of_running_text() -> None:
    assert sentences('Rain fell. "Really?" he said! Dr. No left at 3.5 m… Then J. Doe came') == [
        "Rain fell.",
        '"Really?"',
        "he said!",
        "Dr. No left at 3.5 m…",
        "Then J. Doe came",
    ]
    assert sentences("one . two\nthree\n\n") == ["one .", "two", "three"]
    assert sentences("雨。晴れ！") == ["雨。", "晴れ！"] and sentences(" \n ") == []


@pytest.mark.parametrize("units", ["sentences", "words", "both"])
def test_sms_by_another_solver(backend: None, units: str, vectors: Path, known: dict[str, np.ndarray]) -> None:
    rng = random.Random(6)
    content = [word for word in WORDS if is_content(word)]

    def document() -> str:
        return " ".join(
            " ".join(rng.choices([*content, "the", "unheard"], k=rng.randrange(1, 7))) + " ."
            for _ in range(rng.randrange(1, 4))
        )

    texts = [(document(), document()) for _ in range(40)]
    got = spec("sms", vectors, units=units).segments([a for a, _ in texts], [[b] for _, b in texts])
    for (mine, theirs), value in zip(texts, got, strict=True):
        sides = []
        for text in (mine, theirs):
            points: list[tuple[np.ndarray, float]] = []
            for sentence in text.split(" ."):
                rows = [known[word] for word in sentence.split() if is_content(word) and word in known]
                if rows and units != "sentences":
                    points += [(row, 1.0) for row in rows]
                if rows and units != "words":
                    points.append((np.mean(rows, axis=0), float(len(rows))))
            sides.append(points)
        if not sides[0] or not sides[1]:
            assert value == 0
            continue
        costs = np.array([[math.dist(a, b) for b, _ in sides[1]] for a, _ in sides[0]])
        masses = [np.array([mass for _, mass in side]) for side in sides]
        expected = by_linear_programming(masses[0] / masses[0].sum(), masses[1] / masses[1].sum(), costs)
        assert value == pytest.approx(math.exp(-expected), abs=1e-6)


def test_the_forms_of_sms_have_names_and_words_alone_are_wmd(vectors: Path) -> None:
    assert parse("wms").units == "words" and parse("s+wms").units == "both"  # type: ignore[attr-defined]
    hypotheses, references = segments(50, 8)
    words = spec("sms", vectors, units="words", content=False).segments(hypotheses, references)
    moved = spec("wmd", vectors).segments(hypotheses, references)
    there = words > 0
    assert there.any() and words[there] == pytest.approx(np.exp(-moved[there]))


# -- WE_WPI ----------------------------------------------------------------------------------------------------------


def test_wewpi_written_out(backend: None, vectors: Path, known: dict[str, np.ndarray]) -> None:
    hypotheses, references = segments(50, 9)
    refs = [text.lower().split() for several in references for text in several]
    zero = np.zeros(DIM)

    def weight(word: str) -> float:
        return math.log((len(refs) + 1) / (sum(word in text for text in refs) + 1)) + 1

    def score(mine: list[str], theirs: list[str]) -> float:
        if not mine or not theirs:
            return 0.0
        costs = np.array(
            [
                [
                    1
                    - (1.0 if a == b else cosine(known.get(a, zero), known.get(b, zero)))
                    * (1 - abs((i + 1) / len(mine) - (j + 1) / len(theirs)))
                    for j, b in enumerate(theirs)
                ]
                for i, a in enumerate(mine)
            ]
        )
        left, right = (np.array([weight(word) for word in text]) for text in (mine, theirs))
        return 1 - by_linear_programming(left / left.sum(), right / right.sum(), costs)

    expected = [
        max(score(hypothesis.lower().split(), text.lower().split()) for text in several)
        for hypothesis, several in zip(hypotheses, references, strict=True)
    ]
    assert spec("wewpi", vectors).segments(hypotheses, references) == pytest.approx(expected, abs=1e-6)


def test_wewpi_tells_word_order_and_wants_the_corpus(vectors: Path) -> None:
    metric = spec("wewpi", vectors, idf=False)
    assert metric.corpus(["cat dog mat"], [["cat dog mat"]]) == pytest.approx(1)
    assert metric.corpus(["mat dog cat"], [["cat dog mat"]]) < 0.99
    with pytest.raises(InputError, match="all references of the corpus"):
        spec("wewpi", vectors).rows(Batch(["cat"], [["cat"]]))


# -- receipts, sharing, explanations -----------------------------------------------------------------------------


ALL = ["greedy", "average", "extrema", "wmd", "wmdo", "sms", "wewpi"]


@pytest.mark.parametrize("name", ALL)
def test_receipts_carry_the_digest_of_the_vectors(name: str, vectors: Path, tmp_path: Path) -> None:
    fact = read(write(spec(name, vectors), {}))["model"]
    other = tmp_path / "other.txt"
    other.write_text(vectors.read_text(encoding="utf-8").replace("cat ", "cats ", 1), encoding="utf-8")
    assert fact.startswith(f"{vectors}@path:") and len(fact.split(":")[-2]) == 12
    assert read(write(spec(name, other), {}))["model"].split(":")[-2] != fact.split(":")[-2]


@pytest.mark.parametrize("name", ALL)
def test_backends_threads_and_parts_agree(name: str, vectors: Path) -> None:
    hypotheses, references = segments(200, 10)
    metric = spec(name, vectors)
    whole = metric.corpus_rows(hypotheses, references)
    assert np.array_equal(metric.corpus_rows(hypotheses, references, jobs=3), whole)
    with kernels.use("python"):
        assert np.array_equal(metric.corpus_rows(hypotheses, references), whole)
    fitted = metric.prepare([Batch(hypotheses, references)])
    parts = [fitted.rows(Batch(hypotheses[k : k + 7], references[k : k + 7])) for k in range(0, 200, 7)]
    assert np.array_equal(np.concatenate(parts), whole)


def test_moves_are_shown_and_add_up(vectors: Path) -> None:
    told = spec("wmd", vectors).explain("the cat sat", ["dog", "the dog sat"])
    (part,) = told.parts
    assert isinstance(part, Links) and told.counted == (2,)
    moved = {(part.hypothesis[k.hypothesis[0]], part.reference[k.reference[0]]): k for k in part.links}
    assert set(moved) == {("the", "the"), ("cat", "dog"), ("sat", "sat")}
    assert moved["cat", "dog"].stage == f"{3 * told.score:.2f} away" and moved["the", "the"].stage == "stays"
    assert [figure.name for figure in told.figures] == ["distance", "cat → dog"]
    assert told.figures[1].how == f"33.3 % of the text, distance {3 * told.score:.2f}"
    assert not spec("wmd", vectors).explain("unheard", ["cat"]).parts
    for hypothesis, references in zip(*segments(60, 11), strict=True):
        told = spec("wmd", vectors).explain(hypothesis, references)
        if told.parts:
            assert sum(figure.value for figure in told.figures[1:]) == pytest.approx(told.score, abs=1e-8)


def test_greedy_shows_the_most_similar_words_both_ways(vectors: Path, known: dict[str, np.ndarray]) -> None:
    told = spec("greedy", vectors).explain("cat sat", ["dog sat mat"])
    forth, back = (part for part in told.parts if isinstance(part, Links))
    assert len(forth.links) == 2 and len(back.links) == 3
    means = [np.mean([link.weight for link in part.links]) for part in (forth, back)]
    assert told.score == pytest.approx(np.mean(means))
    assert [figure.value for figure in told.figures] == pytest.approx(means)
    assert [link.stage for link in forth.links if link.hypothesis == (1, 2)] == ["exact"]


def test_the_mean_length_of_a_table() -> None:
    table = Table(ModelInfo("t", "path", "0" * 64, "numpy"), ["a", "b"], np.array([[3, 4], [0, 1]], np.float32))
    assert table.length() == 3.0


def test_packaged_vectors_know_what_is_near() -> None:
    texts = ["rain is expected in the north", "the engine needs more oil"]
    reference = ["showers are likely in northern parts"] * 2
    for name in ALL:
        metric = parse(name)
        near, far = metric.segments(texts, [[text] for text in reference])
        assert near < far if metric.direction == "lower" else near > far, name


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", b"the 1 2\ncat nan 2\n", "line 2: expected a word and 2 finite numbers"),
        ("a.txt", b"the 1 2\ncat 1e60 2\n", "line 2: expected a word and 2 finite numbers"),
        ("a.txt", b"1 3\nthe 1 2\n", "line 2: expected a word and 3 finite numbers"),
        (
            "a.txt",
            b"the 1 2\ncat 1 2 3\n",
            "line 2: expected a word and 2 numbers, got 3 numbers after 'cat'",
        ),
        ("a.txt", b"3 2\nthe 1 2\n", "has 1 words where its first line announces 3"),
        ("a.bin", b"1 2\nthe \xff\xfe\x80\x01", "is not text in UTF-8"),
        ("a.txt.gz", b"the 1 2\n", "is damaged"),
        ("a.txt.gz", gzip.compress(b"the 1 2\n" * 99, mtime=0)[:-9], "is damaged"),
    ],
)
def test_a_file_that_holds_no_whole_vectors_is_refused(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        parse(f"wmd(model={path})").segments(["the cat"], [["the cat"]])


def test_a_mark_of_byte_order_is_no_part_of_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("the 1 2\ncat 2 1\n", encoding="utf-8-sig")
    metric = parse(f"average(model={path},unknown=skip)")
    assert metric.segments(["the"], [["the"]]).tolist() == pytest.approx([1.0])


def test_of_a_repeated_word_the_last_line_counts_and_a_remark_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("the 1 0\nof the 5 5\nthe 0 1\ncat 0 2\n")  # a word may have a blank in it
    metric = parse(f"average(model={path},unknown=skip)")
    assert metric.segments(["the"], [["cat"]]).tolist() == pytest.approx([1.0])
    assert "1 line gives a word a vector that a later line replaces" in metric.remarks()[0]


def test_a_vectors_file_that_is_not_there_is_not_sought_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file on this machine"):
        parse(f"wmd(model={tmp_path.name}/none.txt)").segments(["the"], [["the"]])


def test_yisi2_wants_vectors_of_one_length(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the 1 2\n")
    (tmp_path / "b.txt").write_text("die 1 2 3\n")
    metric = parse(f"yisi2(model={tmp_path}/a.txt,source_model={tmp_path}/b.txt)")
    with pytest.raises(InputError, match=r"2 numbers a word, .* 3; give two files"):
        metric.segments(["the"], sources=["die"])
