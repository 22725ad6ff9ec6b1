"""Tables of one's own for METEOR: alignment, phrases, pivoting, limits; from a parallel corpus to a score."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError, MissingResource
from nlgauge.lexicons import making
from nlgauge.lexicons.phrases import read_table
from nlgauge.metrics.meteor_universal import MeteorUniversal

# "grosse" is big or large; each sentence else word for word.
FOREIGN = [
    "la maison grosse",
    "la maison grosse",
    "la voiture grosse",
    "la voiture grosse",
    "la voiture",
    "la maison",
    "maison",
    "voiture",
]
OWN = [
    "the house big",
    "the house large",
    "the car big",
    "the car large",
    "the car",
    "the house",
    "house",
    "car",
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))


def test_model_1_by_hand() -> None:
    # One step from a uniform start: of "a b" / "x y" and "a" / "x", t(x | a) ∝ 1/3 + 1/2, t(y | a) ∝ 1/3.
    given = making.model1([(["a", "b"], ["x", "y"]), (["a"], ["x"])], steps=1)
    assert given["a"]["x"] == pytest.approx((1 / 3 + 1 / 2) / (1 / 3 + 1 / 2 + 1 / 3))
    assert given["b"] == pytest.approx({"x": 0.5, "y": 0.5})
    assert all(sum(row.values()) == pytest.approx(1) for row in given.values())


def test_alignments_are_joined_by_growing() -> None:
    one, other = {(0, 0), (1, 1), (3, 3)}, {(0, 0), (1, 1), (1, 2)}
    # (1, 2) touches (1, 1) and word 2 had no link; (3, 3) touches nothing, but both its words are still free.
    assert making.joined(one, other) == {(0, 0), (1, 1), (1, 2), (3, 3)}
    assert making.joined({(0, 0), (5, 0)}, {(0, 0)}) == {(0, 0)}  # its second word has a link already


def _consistent_by_definition(m: int, n: int, links: making.Links) -> set[tuple[int, int, int, int]]:
    return {
        (a, b, c, d)
        for a in range(m)
        for b in range(a, m)
        for c in range(n)
        for d in range(c, n)
        if any(a <= i <= b and c <= j <= d for i, j in links) and all((a <= i <= b) == (c <= j <= d) for i, j in links)
    }


def test_phrase_pairs_are_those_of_the_definition() -> None:
    generator = random.Random(3)
    for _ in range(300):
        m, n = generator.randrange(1, 6), generator.randrange(1, 6)
        links = {(generator.randrange(m), generator.randrange(n)) for _ in range(generator.randrange(6))}
        first, second = [f"f{i}" for i in range(m)], [f"e{j}" for j in range(n)]
        expected = sorted(
            (" ".join(first[a : b + 1]), " ".join(second[c : d + 1]))
            for a, b, c, d in _consistent_by_definition(m, n, links)
        )
        assert sorted(making.consistent(first, second, links, 7)) == expected


def test_pivoting_by_hand() -> None:
    table = [
        ("f", "big", 0.5, 0.6),
        ("f", "large", 0.8, 0.4),
        ("g", "big", 0.5, 0.2),
        ("g", "large", 0.2, 0.1),
    ]
    found = {(first, second): value for value, first, second in making.paraphrases(table)}
    assert found == {
        ("big", "large"): pytest.approx(0.5 * 0.4 + 0.5 * 0.1),
        ("large", "big"): pytest.approx(0.8 * 0.6 + 0.2 * 0.2),
    }


@pytest.mark.parametrize("phrase", ["large ,", "2 large", "of the", "a b c d e f g h", "large$"])
def test_phrases_that_are_left_out(phrase: str) -> None:
    table = [("f", "big", 1.0, 0.5), ("f", phrase, 1.0, 0.5)]
    assert making.paraphrases(table, {"of", "the"}) == []


def test_limits() -> None:
    table = [("f", "big", 1.0, 0.99), ("f", "large", 1.0, 0.0099)]
    assert [entry[1:] for entry in making.paraphrases(table)] == [("large", "big")]
    assert len(making.paraphrases(table, least=0.005)) == 2
    assert making.paraphrases(table, translation=0.01) == []


def test_function_and_copy_words() -> None:
    text = ["The " * 3 + "cat " * 2 + "sat"]
    assert making.function_words(text, above=1 / 3) == ["the"]  # strictly above: cat has exactly a third
    assert making.function_words([]) == []
    first = ["the quake hit rome", "a quake in rome", "quake big ."]
    second = ["rome had a quake", "rome felt the quake", "large quake ."]
    assert making.copy_words(first, second, least=2) == ["quake", "rome"]
    assert making.copy_words(first, second, {"rome"}, least=3) == ["quake"]
    with pytest.raises(InputError, match="a paraphrase for each line"):
        making.copy_words(["a"], [])


def test_from_a_parallel_corpus_to_a_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign, own, table, words = (tmp_path / name for name in ("f.txt", "e.txt", "paraphrase.gz", "function.words"))
    foreign.write_text("\n".join(FOREIGN) + "\n", encoding="utf-8")
    own.write_text("\n".join(OWN) + "\n", encoding="utf-8")
    assert main(["lexicon", "function-words", str(own), "--above", "0.3", "-o", str(words)]) == 0
    assert words.read_text(encoding="utf-8") == "the\n"
    made = ["lexicon", "paraphrases", "--parallel", str(foreign), str(own)]
    made += ["--function-words", str(words), "-o", str(table)]
    assert main(made) == 0
    assert "paraphrases in" in capsys.readouterr().out
    pairs = set(read_table(table))
    assert {("big", "large"), ("large", "big")} <= pairs
    assert ("house", "car") not in pairs and ("the", "house") not in pairs
    bytes_before = table.read_bytes()
    assert main([*made, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == len(pairs)
    assert table.read_bytes() == bytes_before  # no chance in it

    def score(**options: str) -> float:
        metric = MeteorUniversal(lang="other", function=str(words), **options)  # type: ignore[arg-type]
        return metric.corpus(["The big house"], [["the large house"]])

    # the (function, 0.3) and house (content, 0.7) are equal, big ~ large has the paraphrase weight 0.6: one chunk.
    assert score(paraphrases=str(table)) == pytest.approx((0.3 + 0.7 + 0.7 * 0.6) / (0.3 + 2 * 0.7))
    assert score(paraphrases="none") < score(paraphrases=str(table))


def test_another_language_equals_the_program(tmp_path: Path) -> None:
    """meteor-1.5.jar HYP REF -new DIR prints this score and these statistics for these files."""
    (tmp_path / "function.words").write_text("the\na\n", encoding="utf-8")
    (tmp_path / "paraphrase.gz").write_bytes(gzip.compress(b"0.5\na lot of\nmany\n"))
    metric = MeteorUniversal(
        lang="other",
        function=str(tmp_path / "function.words"),
        paraphrases=str(tmp_path / "paraphrase.gz"),
    )
    rows = metric.corpus_rows(["the cat saw many dogs it's"], [["a cat sees a lot of dogs it's"]])
    assert rows[0, :4].tolist() == [6, 8, 1, 2]
    assert rows[0, 4:8].tolist() == [3, 3, 0, 0] and rows[0, 16:20].tolist() == [1, 2, 0, 1]
    assert rows[0, 20:].tolist() == [2, 4, 6]
    assert metric.score(rows)[0] == pytest.approx(0.5995031735047602, abs=1e-15)


def test_segments_that_match_whole_add_no_chunk_to_the_corpus(tmp_path: Path) -> None:
    """The program prints 3 chunks and this final score for these three lines."""
    (tmp_path / "function.words").write_text("the\na\n", encoding="utf-8")
    metric = MeteorUniversal(lang="other", function=str(tmp_path / "function.words"), paraphrases="none")
    texts = ["a b c d", "a b d c", "x y"], [["a b c d"], ["a b c d"], ["x y"]]
    assert metric.corpus_rows(*texts)[:, 20].tolist() == [0, 3, 0]
    assert metric.corpus(*texts) == pytest.approx(0.9443979234489329, abs=1e-15)
    assert metric.segments(*texts).tolist() == pytest.approx([1, 0.7994572234788246, 1], abs=1e-15)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    texts = ["a"], [["a"]]
    with pytest.raises(MissingResource, match="nlgauge lexicon function-words"):
        MeteorUniversal(lang="other", paraphrases="none").corpus(*texts)
    with pytest.raises(MissingResource, match="nlgauge lexicon paraphrases"):
        MeteorUniversal(lang="other", function="none").corpus(*texts)
    with pytest.raises(InputError, match="no paraphrase table"):
        MeteorUniversal(lang="other", function="none", paraphrases=f"{tmp_path}/no").corpus(*texts)
    with pytest.raises(InputError, match="one word a line"):
        MeteorUniversal(lang="other", function=f"{tmp_path}/no", paraphrases="none").corpus(*texts)


def test_a_moses_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, output = tmp_path / "phrase-table", tmp_path / "paraphrase.txt"
    path.write_text(
        "gros ||| big ||| 0.5 0.1 0.6 0.1 ||| 0-0 ||| 1 1 1\n"
        "gros ||| large ||| 0.8 0.1 0.4 0.1 ||| 0-0 ||| 1 1 1\n"
        "grand ||| big ||| 0.5 0.1 1 0.1 ||| 0-0 ||| 1 1 1\n",
        encoding="utf-8",
    )
    assert main(["lexicon", "paraphrases", str(path), "-o", str(output)]) == 0
    assert "no --function-words" in capsys.readouterr().out
    assert output.read_text(encoding="utf-8") == "0.2\nbig\nlarge\n0.48\nlarge\nbig\n"
    assert main(["lexicon", "paraphrases", str(path), "--side", "source", "-o", str(output)]) == 0
    # p(grand | gros) = p(big | gros) · p(grand | big); the other way round likewise
    assert output.read_text(encoding="utf-8") == "0.5\ngrand\ngros\n0.3\ngros\ngrand\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gros ||| big", "as Moses writes"),
        ("gros ||| big ||| 0.5 x 0.5", "as Moses writes"),
        ("gros ||| big ||| 0.5 1 2 1", "between 0 and 1"),
        ("||| big ||| 0.5 1 1 1", "a phrase is empty"),
    ],
)
def test_a_bad_table_is_refused(line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table"
    path.write_text(line + "\n", encoding="utf-8")
    assert main(["lexicon", "paraphrases", str(path), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error and "line 1" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["paraphrases", "-o", "{}/x"], "one of the two"),
        (["paraphrases", "{}/no", "-o", "{}/x"], "No such file"),
        (["paraphrases", "{}/a", "--min", "2", "-o", "{}/x"], "between 0 and 1"),
        (["paraphrases", "--parallel", "{}/a", "{}/b", "-o", "{}/x"], "a line for each line"),
        (["function-words", "{}/latin", "-o", "{}/x"], "not UTF-8"),
        (["copy-words", "{}/a", "{}/a", "--least", "0", "-o", "{}/x"], "at least 1"),
    ],
)
def test_bad_input_gets_one_sentence(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").write_text("x\ny\n", encoding="utf-8")
    (tmp_path / "b").write_text("x\n", encoding="utf-8")
    (tmp_path / "latin").write_bytes(b"\xe9t\xe9\n")
    assert main(["lexicon", *(word.format(tmp_path) for word in words)]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
