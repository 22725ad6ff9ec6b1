"""Generated corpora have the properties asked for, counted from their files; what the data cannot give is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from controlled import BUILDING, configurations, impossible, made, settings, strategy_keys
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from nlgauge.cli import main
from nlgauge.corpus.generate import generate
from nlgauge.corpus.generate.config import NOISE, Config, read_config
from nlgauge.corpus.generate.making import Deck, round_of
from nlgauge.corpus.generate.rules import Lexicalisation, forms, with_article
from nlgauge.corpus.profile import profile
from nlgauge.corpus.reading import read
from nlgauge.errors import InputError

Rows = list[dict[str, Any]]


def _zipf(count: int, exponent: float) -> list[float]:
    ranks = np.arange(1, count + 1) ** -exponent
    return list(ranks / ranks.sum())


def _shares(counts: Counter[Any], order: list[Any], frequency: Any) -> None:
    """Counts are by rank as asked for, within a round of cards and two draws."""
    if isinstance(frequency, dict) and frequency["kind"] == "given":
        shares = [share / sum(frequency["shares"]) for share in frequency["shares"]]
    else:
        shares = _zipf(len(order), frequency["exponent"] if isinstance(frequency, dict) else 0)
    size, total = round_of(shares), sum(counts[name] for name in order)
    for name, share in zip(order, shares, strict=True):
        assert abs(counts[name] - total * share) <= size * share + 2, (counts, shares)


def _clean(rows: Rows) -> Rows:
    return [row for row in rows if not row["rules"]["noise"]]


@limits(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(configurations())
def test_every_property_asked_for_is_found_in_the_files(config: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if impossible(config):
            with pytest.raises(InputError, match=r"asks for|rate of noise"):
                made(Path(folder), **config)
            return
        found, sets = made(Path(folder), **config)
    assert all(row.holds for row in found.properties)
    assert {name: len(rows) for name, rows in sets.items()} == {
        "train": config["train"],
        "dev": config["dev"],
        "seen": 150,
        "other": 150,
    }
    shown = {}
    for split, rows in sets.items():
        templates = Counter(name for row in rows for name in row["rules"]["templates"])
        values = Counter((p, o) for row in rows for _, p, o in row["source"])
        subjects = Counter(s for row in rows for s in {s for s, _, _ in row["source"]})
        shown[split] = (set(templates), set(values), set(subjects))
        assert len({p for p, _ in values}) == config["predicates"]["number"]
        for predicate in config["only"][: config["predicates"]["number"]]:
            own = [name for name in templates if name.startswith(predicate)]
            assert len(own) == config["templates"]["number"]
            assert sum(p == predicate for p, _ in values) == config["values"]["number"]
            if split != "other":
                ranked = [f"{predicate}/{rank}" for rank in range(1, len(own) + 1)]
                _shares(templates, ranked, config["templates"]["frequency"])
            own_values = Counter({pair: count for pair, count in values.items() if pair[0] == predicate})
            _shares(own_values, [name for name, _ in own_values.most_common()], config["values"]["frequency"])
        assert len(subjects) == config["entities"]["number"]
        _shares(subjects, [name for name, _ in subjects.most_common()], config["entities"]["frequency"])
        sizes = Counter(size for row in rows for size in Counter(s for s, _, _ in row["source"]).values())
        assert set(sizes) == set(config["triples"]) and max(sizes.values()) - min(sizes.values()) <= 2 * len(sizes)
        counts = Counter(row["rules"]["noise"]["kind"] for row in rows if row["rules"]["noise"])
        for kind in NOISE:
            rate = config["noise"][kind] if split in config["noise"]["splits"] else 0
            assert abs(counts[kind] - rate * len(rows)) <= 7
        _arranged(config, _clean(rows))
    number = {
        0: config["templates"]["number"],
        1: config["values"]["number"],
        2: config["entities"]["number"],
    }
    for place, key in enumerate(("templates", "values", "entities")):
        assert shown["seen"][place] == shown["train"][place]
        share = len(shown["other"][place] & shown["train"][place]) / len(shown["other"][place])
        assert abs(share - config["tests"]["other"][key]) <= 0.5 / number[place]


def _arranged(config: dict[str, Any], rows: Rows) -> None:
    """Orders, sentences and referring expressions are those of the rules."""
    orders = defaultdict(set)
    for row in rows:
        source, rules = row["source"], row["rules"]
        places = [place for sentence in rules["sentences"] for place in sentence]
        assert sorted(places) == list(range(len(source)))
        about = [source[place][0] for place in places]
        assert about == [subject for subject, _, _ in source]  # entities stay in their order
        for subject in set(about):
            own = [source[place][1] for place in places if source[place][0] == subject]
            if config["order"] == "input":
                assert own == [p for s, p, _ in source if s == subject]
            if config["order"] == "alphabetical":
                assert own == sorted(own)
            if "content" in str(config["order"]):
                assert own == sorted(own, key=lambda name: (name != "year", name))
            orders[frozenset(own)].add(tuple(own))
        text = row["references"][0]
        kind = config["segmentation"] if isinstance(config["segmentation"], str) else config["segmentation"]["kind"]
        cuts = [sentence[0] for sentence in rules["sentences"][1:]]
        changes = [b for a, b in pairwise(places) if source[a][0] != source[b][0]]
        begun = [place for place in places[1:] if source[place][1] in str(config["segmentation"])]
        if kind == "every":
            assert all(len(sentence) == config["segmentation"]["triples"] for sentence in rules["sentences"][:-1])
        if kind == "entity":
            assert cuts == changes
        if kind == "predicate":
            assert cuts == begun
        if kind == "both":
            assert cuts == [place for place in places[1:] if place in changes or place in begun]
        if kind == "number":
            assert len(rules["sentences"]) in (1, min(2, len(source)))
        before = ""
        told = iter(rules["references"])
        for sentence in rules["sentences"]:
            for number, place in enumerate(sentence):
                subject = source[place][0]
                when = "first" if subject != before else "within" if number else "again"
                expected, words, value = next(told)
                assert expected == config["references"][when]
                assert words.lower() in text.lower() and value.lower() in text.lower()
                before = subject
    assert all(len(own) <= (3 if "random" in str(config["order"]) else 24) for own in orders.values())


def test_every_key_is_varied() -> None:
    """At random, or in a test of its own: of texts about people, of tables and corpora."""
    alone = {"aggregation", "facts", "fill", "source", "lexicalisations", "names", "known"}
    assert strategy_keys() | alone == {field.name for field in fields(Config)}
    assert not strategy_keys() & alone


def test_the_frequency_of_predicates_follows_their_ranks(tmp_path: Path) -> None:
    predicates = {"number": 3, "frequency": {"kind": "given", "shares": [6, 3, 1]}}
    _, sets = made(tmp_path, only=["year", "style", "location"], predicates=predicates, train=1000)
    counts = Counter(p for row in sets["train"] for _, p, _ in row["source"])
    assert [round(counts[p] / 1000, 2) for p in ("year", "style", "location")] == [0.6, 0.3, 0.1]


def test_adjectives_are_inserted_with_their_article(tmp_path: Path) -> None:
    aggregation = {"kind": "adjective", "insert": {"nationality": "job"}, "share": 0.5}
    segmentation = {"kind": "every", "triples": 2}
    config = {
        "only": ["nationality", "job"],
        "triples": 2,
        "aggregation": aggregation,
        "segmentation": segmentation,
    }
    _, sets = made(tmp_path, train=400, templates={"number": 1}, **config)
    texts = [(row["references"][0], row["rules"]["inserted"]) for row in sets["train"]]
    assert sum(bool(inserted) for _, inserted in texts) == pytest.approx(200, abs=8)
    assert any("an American test pilot." in text for text, inserted in texts if inserted)
    assert any("a Japanese actor." in text for text, inserted in texts if inserted)
    assert all(" and " in text and "American" not in text for text, inserted in texts if not inserted)


@pytest.mark.parametrize(
    ("words", "article"),
    [
        ("American", "an"),
        ("test pilot", "a"),
        ("university", "a"),
        ("hour", "an"),
        ("uncle", "an"),
        ("European", "a"),
    ],
)
def test_articles(words: str, article: str) -> None:
    assert with_article(words) == f"{article} {words}"


def test_clauses_take_cases_of_pronouns_and_possessives() -> None:
    clause = Lexicalisation("x/1", "{object} designed {subject} and 100% of {subject}'s halls")
    assert clause.clause(("she", "her", "her", ""), forms("Tom")) == "Tom designed her and 100% of her halls"


def test_facts_of_the_data_only(tmp_path: Path) -> None:
    _, sets = made(tmp_path, facts="given", triples=[1, 2], train=300)
    known = {tuple(fact.split(" | ")) for fact in settings()["known"]}
    assert all(tuple(triple) in known for row in sets["train"] for triple in row["source"])


def test_the_same_seed_gives_the_same_texts(tmp_path: Path) -> None:
    one, again, other = (
        made(tmp_path / str(number), triples=[1, 2], seed=seed)[1] for number, seed in enumerate((3, 3, 4))
    )
    assert one == again and one != other


def test_a_table_fills_rare_predicates_up(tmp_path: Path) -> None:
    table = "subject,predicate,object\nArden Hall,year,1601\nArden Hall,year,1602\n"
    (tmp_path / "more.csv").write_text(table, encoding="utf-8")
    with pytest.raises(InputError, match=r"values.number asks for 8 values of year, and the data have 6"):
        made(tmp_path, only=["year"], values={"number": 8})
    _, sets = made(tmp_path, only=["year"], values={"number": 8}, fill="more.csv", train=400)
    assert {"1601", "1602"} < {o for row in sets["train"] for _, _, o in row["source"]}


REFUSED = [
    ({"templates": {"number": 4}}, "templates.number asks for 4 templates of job, and the data have 3"),
    (
        {"templates": {"number": 2}, "tests": {"t": {"size": 9, "templates": 0}}},
        "2 templates of job and 2 others for a test, and the data have 3",
    ),
    (
        {"entities": {"number": 13}},
        "entities.number asks for 13 entities with job, and the data have 12",
    ),
    ({"predicates": {"number": 7}}, "predicates.number asks for 7 predicates, and the data have 6"),
    ({"triples": [5]}, "no entity has 5 of the 6 predicates"),
    (
        {"only": ["year", "style"], "order": {"kind": "random", "orders": 3}},
        "orders asks for 3 orders, and 2",
    ),
    ({"only": ["colour"]}, "only names 'colour', which the data do not have"),
    ({"known": ["Oslo | colour | red"]}, "known names 'colour', which the data do not have"),
    ({"names": {"Olso": {"names": ["Olso"]}}}, "names has 'Olso', which is in no fact; did you mean Oslo"),
    (
        {"only": ["year"], "train": 2, "templates": {"number": 3}},
        "number of templates .* 3, and the texts give 2",
    ),
    ({"noise": {"missing": 0.5}}, "rate of noise, missing 0.5, and the texts give 0"),
    (
        {"only": ["year", "style"], "triples": [2], "predicates": {"frequency": {"kind": "zipf"}}},
        "year is to be 67% of the triples about its entities, and with 2 triples an entity it can be 50%",
    ),
]


@pytest.mark.parametrize(("given_", "said"), REFUSED)
def test_what_the_data_cannot_give_is_refused_and_nothing_is_written(
    given_: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        made(tmp_path, **given_)
    assert not (tmp_path / "out").exists()


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    made(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def interrupt(split: str, texts: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(read_config(tmp_path / "config.yaml"), tmp_path / "out", beside=tmp_path, progress=interrupt)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_no_source_is_replaced_by_a_set(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    table = tmp_path / "out" / "more.csv"
    table.write_text("subject,predicate,object\nArden Hall,year,1601\n", encoding="utf-8")
    (table.parent / "train.jsonl").symlink_to(table)
    with pytest.raises(InputError, match=r"train.jsonl is read by this command"):
        made(tmp_path, only=["year"], fill="out/more.csv")
    assert table.read_text(encoding="utf-8").startswith("subject")


def test_sets_of_an_earlier_corpus_do_not_stay_beside_the_new_ones(tmp_path: Path) -> None:
    made(tmp_path, tests={"a": 50, "b": 50})
    with pytest.raises(InputError, match=r"sets of an earlier corpus, which this one does not have: b;"):
        made(tmp_path, tests={"a": 50})
    (tmp_path / "out" / "b.jsonl").unlink()
    assert set(made(tmp_path, tests={"a": 50})[1]) == {"train", "a"}
    (tmp_path / "out" / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match=r"manifest.json is no manifest of nlgauge corpus generate"):
        made(tmp_path)


def test_progress_counts_every_text(tmp_path: Path) -> None:
    made(tmp_path, train=5000, tests={"a": 50})
    told: Counter[str] = Counter()

    def progress(split: str, texts: int) -> None:
        told[split] += texts

    generate(read_config(tmp_path / "config.yaml"), tmp_path / "out", beside=tmp_path, progress=progress)
    assert told == {"train": 5000, "a": 50}


BROKEN = [
    (
        "train: 10\norder: {kind: inptu}",
        "line 2, column 15: order.kind cannot be 'inptu'; did you mean input",
    ),
    ("train: 10\n noise: [", "line 2, column 7: mapping values are not allowed here"),
    (
        "train: 10\nsource: a\nnoise:\n  wrong: 0.7\n  added: 0.6",
        "line 3, column 1: a text has one error at most",
    ),
    (
        "train: 10\nlexicalisations:\n  p: ['{subject} is.']",
        "line 3, column 7: '{subject} is.' is no clause with",
    ),
    ("train: 10\nsource: a\ntests:\n  x y: 3", "line 4, column 3: 'x y' names a file"),
    (
        "train: 10\nsource: a\ntests:\n  x: {size: 3, entities: 0}",
        "line 4, column 3: x is to have entities that",
    ),
    ("train: 10", "there is no source"),
    ("train: 1" + "0" * 30 + "\nsource: a", "line 1, column 8: train must be between 1 and 1000000000"),
    (
        "train: 10\nsource: a\nseed: 1" + "0" * 30,
        "line 3, column 7: seed must be between 0 and 9223372036854775807",
    ),
    ("train: 10\nsource: a\ntriples: []", "line 3, column 1: triples is an empty list"),
    ("train: 10\nsource: a\nsubjects: []", "line 3, column 1: subjects is an empty list"),
    ("train: 10\nsource: a\nnames: {b: {names: []}}", "names.b.names is an empty list"),
    ("train: 10\nsource: a\nvalues: {frequency: {kind: given, shares: []}}", "shares is an empty list"),
    ("train: 10\nsource: a\nsegmentation: {kind: number, sentences: []}", "sentences is an empty list"),
    ("train: 10\nsource: a\nonly: [p, q, p]", "line 3, column 1: only names 'p' twice"),
    ("train: 10\nsource: a\ntests: {Train: 3}", "line 3, column 9: the set train would have the same file"),
    ("train: 10\nsource: a\ntests: {a: 3, A: 3}", "line 3, column 15: the set a would have the same file"),
    (
        "train: 10\nlexicalisations:\n  p: ['{subject} is {x} {object}']",
        "line 3, column 7: '{subject} is {x} {object}' has a line break or a brace",
    ),
    (
        "train: 10\nsource: a\naggregation: {kind: adjective, insert: {p: q, q: r}}",
        "line 3, column 41: p becomes an adjective of q, which is one itself",
    ),
    (
        "train: 10\nsource: a\naggregation: {kind: adjective, insert: {p: p}}",
        "p becomes an adjective of p, which is one itself",
    ),
    (
        "train: 10\nsource: a\nnoise: {splits: [tran]}",
        "line 3, column 9: there is no set 'tran'; did you mean train",
    ),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_bad_file_is_told_by_line_and_column(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["corpus", "generate", str(path), "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_of_webnlg_three_lexicalisations_of_full_name_are_all_there_are(tmp_path: Path, shared: Path) -> None:
    source = str(shared / "data" / "webnlg_enriched_v13_train.jsonl.gz")
    (tmp_path / "c.yaml").write_text(
        yaml.safe_dump({"source": source, "only": ["fullName"], "templates": {"number": 4}, "train": 10})
    )
    with pytest.raises(InputError, match=r"4 templates of fullName, and the data have 2 .3 as annotated"):
        generate(read_config(tmp_path / "c.yaml"), tmp_path / "out", beside=tmp_path)


def test_the_profile_reads_what_was_generated(tmp_path: Path) -> None:
    made(tmp_path, only=BUILDING, triples=[1, 2], tests={"t": 100})
    found = profile(read([tmp_path / "out" / "train.jsonl", tmp_path / "out" / "t.jsonl"]))
    assert found.inputs.predicates == 4 and found.inputs.sizes == {"1": 150, "2": 150}
    assert found.noise is not None and found.noise.errors.estimate < 0.02


def test_the_command_prints_what_was_asked_for_and_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump(settings(only=["year"], templates={"number": 2})), encoding="utf-8")
    assert main(["corpus", "generate", str(path), "-o", str(tmp_path / "out")]) == 0
    assert "number of templates" in capsys.readouterr().out
    assert main(["corpus", "generate", str(path), "-o", str(tmp_path / "out"), "--json", "--seed", "5"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["texts"] == {"train": 200} and all(row["holds"] for row in told["properties"])
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["config"]["seed"] == 5


@limits(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=30), st.integers(1, 2000))
def test_decks_deal_by_shares(weights: list[float], draws: int) -> None:
    shares = [weight / sum(weights) for weight in weights]
    deck = Deck(range(len(shares)), shares, np.random.default_rng(1))
    counts = Counter(deck.draw() for _ in range(draws))
    size = round_of(shares)
    assert all(abs(counts[k] - draws * share) <= size * share + 2 for k, share in enumerate(shares))


MEASURED = """
import json, resource, sys, time
from pathlib import Path
from nlgauge.corpus.generate import generate
from nlgauge.corpus.generate.config import read_config
folder = Path(sys.argv[1])
begun, worked = time.perf_counter(), time.process_time()
texts = sum(generate(read_config(folder / "c.yaml"), folder / "out", beside=folder).texts.values())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([texts / (time.perf_counter() - begun), texts / (time.process_time() - worked), peak]))
"""


@pytest.mark.long
def test_a_million_texts_stream_in_constant_memory(tmp_path: Path) -> None:
    found = {}
    for size in (20_000, 1_000_000):
        (tmp_path / "c.yaml").write_text(
            yaml.safe_dump(settings(only=BUILDING, triples=[1, 2], train=size)), encoding="utf-8"
        )
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, str(tmp_path)], capture_output=True, text=True, check=True
        )
        speed, worked, peak = found[size] = json.loads(done.stdout)
        print(f"{size:,} texts: {speed:,.0f} a second, {worked:,.0f} a second of CPU time, {peak:.0f} MiB")
    assert sum(1 for _ in (tmp_path / "out" / "train.jsonl").open("rb")) == 1_000_000
    assert found[1_000_000][2] < found[20_000][2] + 10
    assert found[1_000_000][1] >= 50_000
