"""The METEOR family by hand: counts, scores, empty texts, weights, and both backends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError, MissingResource, SpecError
from nlgauge.lexicons import meteor as tables
from nlgauge.lexicons import phrases
from nlgauge.lexicons import wordnet as wordnets
from nlgauge.metrics.base import Metric
from nlgauge.metrics.explanation import Link, Links
from nlgauge.metrics.meteor import Meteor
from nlgauge.metrics.meteor_universal import MeteorNext, MeteorUniversal
from nlgauge.metrics.spec import parse


@pytest.fixture(params=["native", "python"], autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


@pytest.fixture
def tables_at_hand() -> None:
    try:
        tables.find()
    except MissingResource as missing:
        pytest.skip(str(missing))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "table.txt"
    path.write_text("0.5\na lot of\nmany\n0.4\nset off\nleft\n0.4\nbig apple\nnew york\n", encoding="utf-8")
    return str(path)


def links(metric: Metric, hypothesis: str, reference: str) -> list[Link]:
    """What the explanation shows as matched."""
    (part,) = metric.explain(hypothesis, [reference]).parts
    assert isinstance(part, Links)
    return list(part.links)


def test_2007_by_hand() -> None:
    metric = Meteor(synonyms="none")
    # sat-sits share no stem under Porter; the, cat match in one chunk: P = 2/3, R = 2/4.
    row = metric.corpus_rows(["the cat sat"], [["the cats sit down"]])
    assert row[0, :6].tolist() == [1, 1, 0, 1, 3, 4]
    precision, recall = 2 / 3, 2 / 4
    fmean = precision * recall / (0.9 * precision + 0.1 * recall)
    assert row[0, 6] == pytest.approx(fmean * (1 - 0.5 * (1 / 2) ** 3))


def test_2007_takes_words_from_the_end() -> None:
    metric = Meteor(synonyms="none")
    assert [(m.hypothesis, m.reference) for m in links(metric, "a b a", "a c a")] == [
        ((0, 1), (0, 1)),
        ((2, 3), (2, 3)),
    ]
    assert links(metric, "a b", "a c a") == [Link((0, 1), (2, 3), "exact")]


@pytest.mark.parametrize(("hypothesis", "reference"), [("", ""), ("a", ""), ("", "a"), ("a", "b")])
def test_2007_without_matches_is_zero(hypothesis: str, reference: str) -> None:
    for average in ("macro", "micro"):
        assert Meteor(synonyms="none", average=average).corpus([hypothesis], [[reference]]) == 0


def test_2007_averages() -> None:
    hypotheses, references = ["a b c d", "x"], [["a b c d"], ["y"]]
    whole = 1 - 0.5 / 4**3
    assert Meteor(synonyms="none").corpus(hypotheses, references) == pytest.approx(whole / 2)
    micro = Meteor(synonyms="none", average="micro").corpus(hypotheses, references)
    assert micro == pytest.approx(0.8 * whole)


def test_wordnet_is_read_from_its_own_files() -> None:
    try:
        net = wordnets.wordnet()
    except MissingResource as missing:
        pytest.skip(str(missing))
    assert net.morphy("geese", "n") == ["goose"]
    assert net.morphy("running", "v") == ["run"]
    assert {"car", "auto", "automobile"} <= net.synonyms("cars")
    assert Meteor().corpus_rows(["a car"], [["the auto"]])[0, :3].tolist() == [0, 0, 1]
    # NLTK looks for the synonyms of stems among stems: "automobil" is none.
    assert Meteor().corpus_rows(["a car"], [["the automobile"]])[0, :3].tolist() == [0, 0, 0]


ODD = [
    "",
    " ",
    "Σ ΑΣ ΑΣΣ ας",
    "İ İs ŉ ŉs ǰ ẞ STRASSE straße",
    "\ud800 a\ud800s cars",
    "日本 語 Привет привет приветы",
    "a-very-long-word-that-does-not-fit-cars A-Very-Long-Word-That-Does-Not-Fit-car",
    "naïvetés-of-a-very-long-word Naïvetés-of-a-very-long-word",
    "dying dy's 's *d",
    "car car car Auto auto AUTO",
    "one\ttab\u2003and\xa0blanks",
]


@pytest.mark.parametrize("tok", ["none", "13a", "chars", "jiwer", "rouge", "ptb"])
@pytest.mark.parametrize("lower", [True, False])
def test_2007_is_the_same_compiled(tok: str, lower: bool) -> None:
    pytest.importorskip("nlgauge._native")
    try:
        listed = sorted(wordnets.wordnet()._listed)
    except MissingResource as missing:
        pytest.skip(str(missing))
    rng = np.random.default_rng(len(tok) + lower)
    some = [listed[int(place)].replace("_", " ") for place in rng.integers(len(listed), size=60)]
    some += [
        "the",
        "a",
        "Car",
        "car",
        "cars",
        "auto",
        "buy",
        "purchased",
        "purchase",
        "big",
        "large",
        "é",
        "x,",
    ]

    def text() -> str:
        return " ".join(rng.choice(some, size=int(rng.integers(0, 12))))

    hypotheses = [*ODD, *ODD[::-1], *(text() for _ in range(150))]
    references = [*([text] for text in [*ODD[::-1], *ODD]), *([text(), text()] for _ in range(150))]
    metric = Meteor(tok=tok, lower=lower)
    with kernels.use("python"):
        plain = metric.corpus_rows(hypotheses, references)
    with kernels.use("native"):
        for jobs in (1, 3):
            np.testing.assert_array_equal(metric.corpus_rows(hypotheses, references, jobs=jobs), plain)
    assert plain[:, :3].sum(axis=0).min() > 0 or tok == "chars"


def test_a_missing_wordnet_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(wordnets, "_candidates", lambda: [tmp_path])
    with pytest.raises(MissingResource, match="apt install wordnet-base"):
        wordnets.find()
    monkeypatch.setenv("NLGAUGE_WORDNET", str(tmp_path))
    with pytest.raises(InputError, match=r"index\.noun"):
        wordnets.find()


# -- the beam search -----------------------------------------------------------------------------------------------


def universal(table: str, **options: object) -> MeteorUniversal:
    return MeteorUniversal(norm=False, paraphrases=table, **options)  # type: ignore[arg-type]


@pytest.mark.usefixtures("tables_at_hand")
def test_universal_by_hand(table: str) -> None:
    metric = universal(table)
    row = metric.corpus_rows(["the cats saw many cars"], [["the cat saw a lot of automobiles"]])[0]
    # Function words: the | the, a, of. Stages: the and saw, cats-cat, cars-automobiles, many-a lot of.
    assert row[:4].tolist() == [5, 7, 1, 3]
    assert row[4:20].reshape(4, 4).tolist() == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 2]]
    assert row[20:].tolist() == [0, 5, 7]  # one chunk covers both texts: it is not counted
    weighted_hyp = 0.75 * (1 + 0.6 + 0.8 + 0.6) + 0.25
    weighted_ref = 0.75 * (1 + 0.6 + 0.8 + 0.6) + 0.25 * (1 + 0.6 * 2)
    precision, recall = weighted_hyp / (0.75 * 4 + 0.25), weighted_ref / (0.75 * 4 + 0.25 * 3)
    fmean = precision * recall / (0.85 * precision + 0.15 * recall)
    assert metric.score(row) == pytest.approx(fmean)  # one chunk that covers both texts has no penalty


@pytest.mark.usefixtures("tables_at_hand")
def test_an_uncertain_weak_match_is_taken_only_inside_a_chunk(table: str) -> None:
    metric = universal(table)
    assert links(metric, "car runs", "automobile automobile walked") == []
    found = links(metric, "blue car runs", "blue automobile automobile walked")
    assert [link.stage for link in found] == ["exact", "synonym"]


@pytest.mark.usefixtures("tables_at_hand")
def test_the_corpus_score_is_that_of_the_sums(table: str) -> None:
    metric = universal(table)
    rows = metric.corpus_rows(["the dog", "a b c d"], [["the cat"], ["a b d c"]])
    assert metric.score(rows.sum(axis=0)) != pytest.approx(metric.score(rows).mean())
    assert metric.corpus(["the dog", "a b c d"], [["the cat"], ["a b d c"]]) == metric.score(rows.sum(axis=0))


@pytest.mark.usefixtures("tables_at_hand")
def test_next_counts_function_words_in_full(table: str) -> None:
    texts = ["the of cat"], [["the of dog"]]
    flat = MeteorNext(norm=False, paraphrases=table)
    assert flat.corpus_rows(*texts).tolist() == universal(table).corpus_rows(*texts).tolist()
    assert flat.weights()[0][3] == 0.5
    assert flat.corpus(*texts) == universal(table, delta=0.5).corpus(*texts)
    assert flat.corpus(*texts) > universal(table).corpus(*texts)


def test_weights_of_tasks_and_languages() -> None:
    assert MeteorUniversal().weights() == ((0.85, 0.2, 0.6, 0.75), (1.0, 0.6, 0.8, 0.6))
    assert MeteorUniversal(lang="de").weights() == ((0.95, 1.0, 0.55, 0.55), (1.0, 0.8, 0.0, 0.2))
    assert MeteorUniversal(alpha=0.5, stem=0).weights() == ((0.5, 0.2, 0.6, 0.75), (1.0, 0.0, 0.8, 0.6))
    with pytest.raises(SpecError, match="no weights for the task adq in german"):
        MeteorUniversal(lang="de", task="adq")


def test_tables_are_indexed_once_and_bad_ones_refused(table: str, tmp_path: Path) -> None:
    first = phrases.phrase_table(Path(table))
    assert sorted(first.words)[:3] == ["a", "apple", "big"]
    found = {(start, size): node for start, size, node in first.phrases([first.words[w] for w in ("a", "lot", "of")])}
    assert list(first.pairs(found[0, 3])) == [first.words["many"]]
    assert len(list((tmp_path / "cache" / "phrases").iterdir())) == 1
    bad = tmp_path / "bad.txt"
    bad.write_text("0.5\na\nb\nnot a number\nc\nd\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 4: expected a probability"):
        phrases.build(bad)


@pytest.mark.usefixtures("tables_at_hand")
@pytest.mark.parametrize("beam", [1, 2, 5, 40])
def test_both_backends_align_alike(table: str, beam: int) -> None:
    rng = np.random.default_rng(beam)
    words = ["a", "lot", "of", "many", "the", "cat", "cats", "car", "automobile", "set", "off", "left", "x"]

    def text(longest: int) -> str:
        return " ".join(rng.choice(words, size=int(rng.integers(0, longest))))

    hypotheses = [text(14) for _ in range(120)] + [text(90)]
    references = [[text(14) for _ in range(int(rng.integers(1, 3)))] for _ in range(120)] + [[text(90)]]
    metric = universal(table, beam=beam)
    with kernels.use("python"):
        plain = metric.corpus_rows(hypotheses, references)
    with kernels.use("native"):
        np.testing.assert_array_equal(metric.corpus_rows(hypotheses, references, jobs=3), plain)


def test_compiled_wordnet_equals_its_twin() -> None:
    pytest.importorskip("nlgauge._native")
    try:
        found = wordnets.wordnet()
    except MissingResource as missing:
        pytest.skip(str(missing))
    generator = np.random.default_rng(4)
    listed = sorted(found._listed)
    words = [listed[int(place)] for place in generator.integers(len(listed), size=4000)]
    words += [word + ending for word in words[:1000] for ending in ("s", "es", "ed", "ing", "er", "men")]
    words += ["", "'", "é", "Paris", "İ", "\ud800", "galore", "best"]
    assert [found.compiled.synonyms(word) for word in words] == [found.synonyms(word) for word in words]


@pytest.mark.parametrize(
    ("alias", "spec"),
    [
        ("cider-survey", "cider(stem=porter)"),
        ("wewpi-survey", "wewpi(idf=no)"),
        (
            "meteor-survey",
            "meteor-next(alpha=0.9,beta=3,gamma=0.5,stem=1,synonym=1,paraphrases=none,paraphrase=0)",
        ),
    ],
)
def test_forms_of_the_survey_have_names(alias: str, spec: str) -> None:
    assert parse(alias) == parse(spec) and str(parse(spec)) == alias


@pytest.mark.usefixtures("tables_at_hand")
def test_meteor_of_the_survey_takes_the_fewest_chunks() -> None:
    """Three chunks, where NLTK's greedy alignment has six: 1 - 0.5 (3 / 6)³."""
    texts = ["the cat sat on the mat"], [["on the mat sat the cat"]]
    assert parse("meteor-survey").corpus(*texts) == pytest.approx(0.9375)
    assert parse("meteor(synonyms=none)").corpus(*texts) == pytest.approx(0.5)
