"""METEOR beside the recorded numbers of NLTK and the Java program, and beside both of them running.

NLTK's own code and METEOR's jar read the same dictionaries as ours: WordNet as Debian installs it, and the tables of
pycocoevalcap. What is not on the machine is skipped by name.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from recorded import FIXTURES, Case, cases
from texts import seeded

from nlgauge.errors import MissingResource
from nlgauge.lexicons import meteor as tables
from nlgauge.lexicons import wordnet
from nlgauge.metrics.meteor import Meteor
from nlgauge.metrics.meteor_universal import MeteorUniversal
from nlgauge.text.ptb import ptb


def needs_wordnet() -> None:
    try:
        wordnet.find()
    except MissingResource as missing:
        pytest.skip(str(missing))


def needs_tables() -> None:
    try:
        tables.find()
    except MissingResource as missing:
        pytest.skip(str(missing))


@pytest.mark.slow  # the first use of the paraphrase table indexes it
@pytest.mark.parametrize("case", cases("METEOR"))
def test_recorded(case: Case) -> None:
    if "nltk" in case.system:
        needs_wordnet()
        case.check(Meteor().corpus(case.hypotheses, case.references))
        return
    needs_tables()
    hypotheses, references = case.hypotheses, case.references
    if "PTB" in str(case.options.get("tokenize", "")):
        hypotheses = [" ".join(ptb(text.lower())) for text in hypotheses]
        references = [[" ".join(ptb(text.lower())) for text in texts] for texts in references]
    metric = MeteorUniversal()
    rows = metric.corpus_rows(hypotheses, references)
    # The COCO kit and those that copied it print the corpus score of the program.
    case.check(float(metric.score(rows.sum(axis=0))))


@pytest.mark.parametrize("case", cases("METEOR-NEXT(from-statistics)"))
def test_recorded_statistics(case: Case) -> None:
    """From the program's sufficient statistics to its score; these builds rounded the mean of matches down."""
    stats = list(case.options["stats"])
    matched = [sum(stats[4 + side : 20 : 2]) for side in (0, 1)]
    row = np.array([*stats, *matched])
    metric = MeteorUniversal(task="tune", matched="floor")
    values, weights = metric.weights()
    assert (*values, *weights) == (0.5, 1.0, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5)
    case.check(float(metric.score(row)))


@pytest.mark.slow  # the first use of the paraphrase table indexes it
@pytest.mark.parametrize("case", cases("METEOR-NEXT"))
def test_recorded_from_text(case: Case) -> None:
    """The example of the program's own manual, from its texts."""
    hypothesis = FIXTURES / case.hypothesis["file"].partition(" in ")[0]
    if not hypothesis.is_file():
        pytest.skip(f"needs {case.hypothesis['file']}, which is not among the recorded fixtures")
    needs_tables()
    metric = MeteorUniversal()
    rows = metric.corpus_rows(hypothesis.read_text(encoding="utf-8").splitlines(), case.references)
    found = {"final": float(metric.score(rows.sum(axis=0))), "segment_1..5": metric.score(rows)[:5].tolist()}
    case.check(found, {name: case.expected[name] for name in found})


# -- NLTK, running -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """NLTK's reader on a copy of the files that ours reads; it wants them in its own folder, with a list of names."""
    needs_wordnet()
    nltk = pytest.importorskip("nltk")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Versions of WordNet are not mixed here, and Debian leaves out the file that would."""

    data = tmp_path_factory.mktemp("nltk")
    folder = data / "corpora" / "wordnet"
    shutil.copytree(wordnet.find(), folder)
    (folder / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    nltk.data.path.insert(0, str(data))
    yield Reader(str(folder), None)
    nltk.data.path.remove(str(data))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_many_segments_equal_nltk(nltk_wordnet: object, seed: int) -> None:
    meteor_score = pytest.importorskip("nltk.translate.meteor_score").meteor_score
    hypotheses, references = seeded(1200, seed)
    wanted = [
        meteor_score([text.split() for text in texts], hypothesis.split(), wordnet=nltk_wordnet)
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    np.testing.assert_array_equal(Meteor().segments(hypotheses, references), wanted)


ODD = [
    "",
    "word",
    "Σ ΑΣ ας",
    "İs ŉ STRASSE straße",
    "日本 語 Привет привет",
    "car car car auto",
    "to be or not to be",
]


@pytest.mark.slow
def test_english_and_odd_texts_equal_nltk(nltk_wordnet: object) -> None:
    """Words of WordNet, their synonyms and endings, so that all stages have work, and texts that are empty or odd."""
    meteor_score = pytest.importorskip("nltk.translate.meteor_score").meteor_score
    net, rng = wordnet.wordnet(), np.random.default_rng(3)
    listed = sorted(word for word in net._listed if "_" not in word)

    def family() -> list[str]:
        """A few words with their synonyms, each with and without an ending."""
        words = [listed[int(place)] for place in rng.integers(len(listed), size=4)]
        words += [other for word in words for other in sorted(net.synonyms(word))]
        return [word + ending for word in words for ending in ("", "s", "ed", "ing", ",")]

    families = [family() for _ in range(300)]

    def text(row: int) -> str:
        return " ".join(rng.choice(families[row], size=int(rng.integers(1, 25))))

    hypotheses = [*ODD, *ODD, *(text(row) for row in range(300))]
    references = [[a, b] for a, b in zip([*ODD, *ODD[::-1]], ODD * 2, strict=True)] + [
        [text(row), text(row)] for row in range(300)
    ]
    wanted = [
        meteor_score([text.split() for text in texts], hypothesis.split(), wordnet=nltk_wordnet)
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    np.testing.assert_array_equal(Meteor().segments(hypotheses, references), wanted)
    matched = Meteor().corpus_rows(hypotheses, references)[:, :3].sum(axis=0)
    assert matched.min() > 20


# -- the jar, running --------------------------------------------------------------------------------------------------


class Jar:
    """The Java program reading sentences from its standard input."""

    def __init__(self, *options: str) -> None:
        folder = tables.find()
        command = [
            "java",
            "-Xmx2G",
            "-jar",
            str(next(folder.glob("meteor-*.jar"))),
            "-",
            "-",
            "-stdio",
            *options,
        ]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, line: str) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def statistics(self, hypothesis: str, references: list[str]) -> list[float]:
        return [float(part) for part in self.ask(" ||| ".join(["SCORE", *references, hypothesis])).split()]

    def next_number(self) -> float:
        """The number on the next line of an answer that has several."""
        assert self.process.stdout
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(timeout=30)


@contextmanager
def running(*options: str) -> Iterator[Jar]:
    needs_tables()
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine: METEOR's jar cannot be run beside ours")
    jar = Jar(*options)
    yield jar
    jar.close()


@pytest.fixture
def no_paraphrases(tmp_path: Path) -> str:
    """A table with one pair that no text has: the program insists on a table."""
    path = tmp_path / "paraphrase.gz"
    with gzip.open(path, "wt") as file:
        file.write("0.5\nquux\nqux\n")
    return str(path)


WORDS = [
    "a",
    "the",
    "cat",
    "cats",
    "dog",
    "runs",
    "run",
    "ran",
    "big",
    "large",
    "sat",
    "on",
    "car",
    "automobile",
]


def small_texts(n: int, seed: int) -> tuple[list[str], list[list[str]]]:
    rng = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(rng.choice(WORDS, size=int(rng.integers(1, 9))))

    return [text() for _ in range(n)], [[text() for _ in range(int(rng.integers(1, 3)))] for _ in range(n)]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["rank", "hter"])
def test_scores_of_statistics_equal_the_jar(task: str, no_paraphrases: str) -> None:
    """The formula, from the program's own statistics, for single segments and the corpus."""
    hypotheses, references = small_texts(40, 1)
    with running("-l", "en", "-t", task, "-a", no_paraphrases) as jar:
        stats = [jar.statistics(h, r) for h, r in zip(hypotheses, references, strict=True)]
        wanted = [float(jar.ask(" ||| ".join(["EVAL", *(" ".join(map(str, row)) for row in stats)])))]
        assert jar.process.stdout
        wanted += [float(jar.process.stdout.readline()) for _ in stats]
    metric, rows = MeteorUniversal(task=task), np.array(stats)
    scores = [*metric.score(rows), metric.score(rows.sum(axis=0))]
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_another_language_equals_the_jar(tmp_path: Path) -> None:
    """Tables of one's own (-new), segments and corpus; every tenth output is its reference."""
    pairs = ["big\nlarge", "on the\na", "cat runs\ncats run", "automobile\nthe car", "sat on\nran"]
    (tmp_path / "function.words").write_text("a\nthe\non\n", encoding="utf-8")
    (tmp_path / "paraphrase.gz").write_bytes(gzip.compress("".join(f"0.5\n{p}\n" for p in pairs).encode()))
    hypotheses, references = small_texts(300, 8)
    for number in range(0, 300, 10):
        references[number][0] = hypotheses[number]
    with running("-new", str(tmp_path)) as jar:
        stats = [jar.statistics(h, r) for h, r in zip(hypotheses, references, strict=True)]
        wanted = [float(jar.ask(" ||| ".join(["EVAL", *(" ".join(map(str, row)) for row in stats)])))]
        assert jar.process.stdout
        wanted += [float(jar.process.stdout.readline()) for _ in stats]
    metric = MeteorUniversal(
        lang="other",
        function=str(tmp_path / "function.words"),
        paraphrases=str(tmp_path / "paraphrase.gz"),
    )
    scores = [*metric.segments(hypotheses, references), metric.corpus(hypotheses, references)]
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "fr"])
def test_normaliser_equals_the_jar(language: str, tmp_path: Path) -> None:
    needs_tables()
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine: METEOR's jar cannot be run beside ours")
    texts = [
        "Hello, World! It's 3.5% of U.S. GDP... (see e.g. Mr. Smith's).",
        "don't ``x'' state-of-the-art -- dash \u2014 en \u2013 1,000 a,b ,,c",
        "etc. foo etc. Foo word. lower word. 5 No. 5 No. Five Nr. 5 5. Foo",
        "l'homme 'x' 5's a' b rock'n'roll a_b <c> \u201eb\u201c \u4e2d\u6587",
        *seeded(200, 3)[0],
    ]
    texts = [" ".join(text.split()) or "x" for text in texts]
    (tmp_path / "hyp").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    (tmp_path / "ref").write_text("x\n" * len(texts), encoding="utf-8")
    jar = next(tables.find().glob("meteor-*.jar"))
    command = [
        "java",
        "-jar",
        str(jar),
        "hyp",
        "ref",
        "-l",
        language,
        "-m",
        "exact",
        "-norm",
        "-writeAlignments",
    ]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    lines = (tmp_path / "meteor-align.out").read_text(encoding="utf-8").split("\n")
    wanted = [lines[at + 1].split() for at, line in enumerate(lines) if line.startswith("Alignment\t")]
    normalize = tables.normalizer(language)
    assert [normalize(text) for text in texts] == wanted


def differing(metric: MeteorUniversal, jar: Jar, hypotheses: list[str], references: list[list[str]]) -> list[int]:
    """The segments whose score is not the program's to 1e-6."""
    stats = np.array([jar.statistics(h, r) for h, r in zip(hypotheses, references, strict=True)])
    ours = metric.segments(hypotheses, references)
    return [int(number) for number in np.flatnonzero(abs(ours - metric.score(stats)) > 1e-6)]


@pytest.mark.slow
def test_equals_the_jar_without_paraphrases(no_paraphrases: str) -> None:
    hypotheses, references = small_texts(400, 2)
    metric = MeteorUniversal(norm=False, paraphrases=no_paraphrases)
    with running("-l", "en", "-a", no_paraphrases) as jar:
        assert differing(metric, jar, hypotheses, references) == []


@pytest.mark.long
@pytest.mark.slow
def test_equals_the_jar_on_real_texts(shared: Path) -> None:
    """All four stages, normalised."""
    rows = []
    for name, count in (("flickr8k_expert", 150), ("webnlg17_human", 150), ("wmt17_daseg", 150)):
        with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            rows += [json.loads(line) for line, _ in zip(file, range(count), strict=False)]
    hypotheses = [row["hypothesis"].replace("\n", " ") for row in rows]
    references = [[text.replace("\n", " ") for text in row["references"]] for row in rows]
    with running("-l", "en", "-norm") as jar:
        assert differing(MeteorUniversal(), jar, hypotheses, references) == []
        # A corpus with segments that are matched whole, which the program sums differently.
        hypotheses, references = (
            hypotheses[::9] + ["the same text ."] * 3,
            references[::9] + [["the same text ."]] * 3,
        )
        stats = [jar.ask(" ||| ".join(["SCORE", *r, h])).strip() for h, r in zip(hypotheses, references, strict=True)]
        first = float(jar.ask(" ||| ".join(["EVAL", *stats])))
        scores = [first] + [jar.next_number() for _ in stats]
    metric = MeteorUniversal()
    assert metric.segments(hypotheses, references) == pytest.approx(scores[:-1], abs=1e-12)
    assert metric.corpus(hypotheses, references) == pytest.approx(scores[-1], abs=1e-12)


@pytest.mark.slow
def test_letters_are_counted_as_by_the_jar(no_paraphrases: str) -> None:
    hypotheses, references = small_texts(150, 3)
    metric = MeteorUniversal(norm=False, paraphrases=no_paraphrases, count="letters")
    with running("-l", "en", "-a", no_paraphrases, "-ch") as jar:
        assert differing(metric, jar, hypotheses, references) == []


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 3, 40])
def test_ties_are_broken_as_by_the_jar(no_paraphrases: str, beam: int) -> None:
    """Few words, often repeated: most texts have several alignments of the same weight and chunks."""
    rng = np.random.default_rng(beam)
    texts = [" ".join(rng.choice(list("xyzw"), size=int(rng.integers(1, 9)))) for _ in range(1200)]
    hypotheses, references = texts[:600], [[text] for text in texts[600:]]
    metric = MeteorUniversal(norm=False, paraphrases=no_paraphrases, beam=beam)
    with running("-l", "en", "-a", no_paraphrases, "-x", str(beam)) as jar:
        assert differing(metric, jar, hypotheses, references) == []
