"""Conformity reads the generator's own texts as they were made, finds every error put in, and gives credit by edits."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from controlled import BUILDING, PEOPLE, PLACES, configurations, impossible, made
from hypothesis import HealthCheck, given
from hypothesis import settings as limits

import nlgauge
from nlgauge.cli import main
from nlgauge.corpus.conform import checker, conform
from nlgauge.corpus.conform.checking import Checker
from nlgauge.corpus.generate import generate
from nlgauge.corpus.generate.config import NOISE, read_config
from nlgauge.corpus.reading import read
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse

FOUND = {"wrong": "wrong", "missing": "left out", "added": "added", "swapped": "swapped"}
CONFIGURATIONS: list[dict[str, Any]] = [
    {
        "only": BUILDING,
        "triples": [1, 2, 3],
        "order": "alphabetical",
        "segmentation": {"kind": "every", "triples": 2},
    },
    {
        "only": BUILDING,
        "triples": [2, 3],
        "subjects": [1, 2],
        "order": {"kind": "random", "orders": 3},
        "segmentation": "entity",
        "references": {"again": "pronoun", "within": "pronoun"},
        "called": {"number": 2},
    },
    {
        "only": list(PEOPLE),
        "triples": [1, 2],
        "aggregation": {"kind": "adjective", "insert": {"nationality": "job"}, "share": 0.5},
        "segmentation": {"kind": "number", "sentences": [1, 2]},
        "references": {"again": "pronoun"},
    },
    {
        "triples": [1, 2],
        "order": {"kind": "content", "first": ["year", "job"]},
        "segmentation": {"kind": "both", "begin": ["style"]},
        "references": {"first": "description", "again": "name", "within": "pronoun"},
    },
]


def _facts(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(s, p, o) for s, p, o in row["source"]]


@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_clean_texts_conform_and_are_read_as_they_were_made(number: int, tmp_path: Path) -> None:
    _, sets = made(tmp_path, train=500, **CONFIGURATIONS[number])
    checks = checker(tmp_path / "out")
    agree = 0
    for row in sets["train"]:
        found, rules = checks.check(row["references"][0], _facts(row)), row["rules"]
        assert found.strict and found.credit == 1 and found.facts["said"] and not found.facts["left out"]
        read_as = [
            [clause.template for clause in found.reading.clauses],
            [[c.subject.kind, c.subject.words] for c in found.reading.clauses],
            [clause.fact[1] for clause in found.reading.clauses if clause.inserted],
            rules["order"] in found.orders and found.ordered,
            [found.segmented, found.aggregated, found.referred],
            [len(sentence) + sum(c.inserted is not None for c in sentence) for sentence in found.reading.sentences],
        ]
        agree += read_as == [
            rules["templates"],
            [[kind, words] for kind, words, _ in rules["references"]],
            rules["inserted"],
            True,
            [True, True, True],
            list(map(len, rules["sentences"])),
        ]
    assert agree / len(sets["train"]) >= 0.99


@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_every_kind_of_noise_is_found(number: int, tmp_path: Path) -> None:
    noise = dict.fromkeys(NOISE, 0.1)
    if number == 2:
        noise["added"] = 0.0  # texts of two facts have all there are
    _, sets = made(tmp_path, train=1000, noise=noise, **CONFIGURATIONS[number])
    checks = checker(tmp_path / "out")
    put_in, seen, both = (dict.fromkeys(NOISE, 0) for _ in range(3))
    for row in sets["train"]:
        found = checks.check(row["references"][0], _facts(row)).facts
        gold = (row["rules"]["noise"] or {}).get("kind")
        for kind in NOISE:
            told = bool(found[FOUND[kind]])
            put_in[kind] += gold == kind
            seen[kind] += told
            both[kind] += gold == kind and told
    for kind in NOISE:
        if noise[kind]:
            assert both[kind] / put_in[kind] >= 0.98 and both[kind] / seen[kind] >= 0.98, (
                kind,
                put_in,
                seen,
                both,
            )
        else:
            assert not seen[kind]


def test_random_configurations_are_read_as_they_were_made() -> None:
    counts: Counter[str] = Counter()

    @limits(max_examples=20, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    @given(configurations())
    def look(config: dict[str, Any]) -> None:
        if impossible(config):
            return
        with tempfile.TemporaryDirectory() as folder:
            _, sets = made(Path(folder), **config)
            checks = checker(Path(folder) / "out")
        # all buildings have one description: of two in a text nobody can tell which is meant
        alike = 2 in config["subjects"] and "description" in config["references"].values()
        for row in sets["train"]:
            found = checks.check(row["references"][0], _facts(row))
            gold = (row["rules"]["noise"] or {}).get("kind")
            assert found.strict or gold
            templates = [clause.template for clause in found.reading.clauses]
            counts.update(clean=not gold, alike=not gold and templates == row["rules"]["templates"])
            assert gold or list(found.facts["said"]) == _facts(row)
            if alike:
                continue
            for kind in NOISE:
                told = bool(found.facts[FOUND[kind]])
                counts.update({f"put {kind}": gold == kind, f"seen {kind}": told})
                counts.update({f"both {kind}": gold == kind and told})

    look()
    assert counts["alike"] >= 0.99 * counts["clean"] > 0
    for kind in NOISE:
        assert counts[f"both {kind}"] >= 0.98 * max(counts[f"put {kind}"], counts[f"seen {kind}"]) > 0, counts


@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_credit_falls_with_every_edit(number: int, tmp_path: Path) -> None:
    """Words that stand in no rule are put in the place of others, one after the other."""
    _, sets = made(tmp_path, train=60, **CONFIGURATIONS[number])
    checks, rng = checker(tmp_path / "out"), random.Random(1)
    for row in sets["train"][:20]:
        words = row["references"][0].removesuffix(".").replace(",", "").split()
        before, edits = checks.credit(" ".join(words) + ".", _facts(row))[1], 0
        for place in rng.sample(range(len(words)), len(words)):
            words[place] = "zzz"
            more, credit = checks.credit(" ".join(words) + ".", _facts(row))
            assert more >= edits and (credit < before or credit == 0 or more == edits)
            edits, before = more, credit
        assert before < 0.5


def test_least_edits_are_those_of_every_text_that_conforms(tmp_path: Path) -> None:
    """Against the distances to all texts, written out by the generator."""
    config = {"only": ["year", "style"], "triples": [2], "entities": {"number": 2}, "values": {"number": 2}}
    _, sets = made(tmp_path, train=3000, segmentation={"kind": "every", "triples": 2}, order="alphabetical", **config)
    checks, rng = checker(tmp_path / "out"), random.Random(2)
    by_input: dict[frozenset[Any], set[str]] = {}
    for row in sets["train"]:
        by_input.setdefault(frozenset(_facts(row)), set()).add(row["references"][0])
    for row in rng.sample(sets["train"], 40):
        words = row["references"][0].lower().replace("'s", " ' s").replace(".", " .").split()
        for _ in range(rng.randrange(5)):
            words[rng.randrange(len(words))] = rng.choice([*words, "not"])
        if rng.random() < 0.5:
            del words[rng.randrange(len(words))]
        others = [
            text.lower().replace("'s", " ' s").replace(".", " .").split() for text in by_input[frozenset(_facts(row))]
        ]
        expected = min(_levenshtein(words, other) for other in others)
        assert checks.credit(" ".join(words), _facts(row))[0] == expected


def _levenshtein(one: list[str], other: list[str]) -> int:
    row = list(range(len(other) + 1))
    for place, word in enumerate(one, 1):
        last, row[0] = row[0], place
        for number, known in enumerate(other, 1):
            last, row[number] = row[number], min(last + (word != known), row[number] + 1, row[number - 1] + 1)
    return row[-1]


@pytest.fixture
def small(tmp_path: Path) -> Checker:
    rules = {"templates": {"number": 2}, "order": "alphabetical", "references": {"again": "pronoun"}}
    made(tmp_path, only=["year", "location"], triples=[1, 2], **rules)
    return checker(tmp_path / "out" / "manifest.json")


YEAR, PLACE = ("Arden Hall", "year", "1900"), ("Arden Hall", "location", "Ilva")
CASES = [
    ("Arden Hall is located in Ilva. It dates from 1900.", {"said": 2}, 0),
    ("Arden Hall is located in Ilva.", {"said": 1, "left out": 1}, 5),
    ("Arden Hall is located in Ilva. It dates from 1958.", {"said": 1, "wrong": 1}, 1),
    ("Ilva is located in Arden Hall. It dates from 1900.", {"said": 1, "swapped": 1}, 4),
    ("Arden Hall is in Ilva. It dates from 1900.", {"said": 1, "otherwise": 1}, 1),
    ("Arden Hall dates from 1900. It is located in Ilva.", {"said": 2}, 7),
    ("Arden Hall is located in Ilva and it dates from 1900.", {"said": 2}, 1),
    ("Arden Hall lies in Ilva. Arden Hall dates from 1900.", {"said": 2}, 2),
    ("", {"left out": 2}, 11),
]


@pytest.mark.parametrize(("text", "facts", "edits"), CASES)
def test_what_is_said_and_how_far_it_is_from_conforming(
    small: Checker, text: str, facts: dict[str, int], edits: int
) -> None:
    found = small.check(text, [YEAR, PLACE])
    assert {name: len(found.facts[name]) for name in facts} == facts
    assert found.edits == edits


def test_which_rule_is_broken(small: Checker) -> None:
    ordered = small.check(CASES[5][0], [YEAR, PLACE])
    assert not ordered.ordered and ordered.orders == ("input",) and ordered.segmented and ordered.referred
    segmented = small.check(CASES[6][0], [YEAR, PLACE])
    assert segmented.ordered and not segmented.segmented
    referred = small.check(CASES[7][0], [YEAR, PLACE])
    assert referred.segmented and not referred.referred


def _outputs(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """A system that always takes the first template, and one whose texts are those of other items."""
    path = folder / "outputs.jsonl"
    written = []
    for row, other in zip(rows, rows[1:] + rows[:1], strict=True):
        subject, predicate, value = row["source"][0]
        first = PLACES[predicate][0].format(subject=subject, object=value)
        for system, text in (("first", f"{first[0].upper()}{first[1:]}."), ("mixed", other["references"][0])):
            given = {key: row[key] for key in ("item", "source", "references")}
            written.append(json.dumps({**given, "system": system, "hypothesis": text}))
    path.write_text("\n".join(written), encoding="utf-8")
    return path


def test_systems_by_templates_predicates_and_confusions(tmp_path: Path) -> None:
    predicates = {"frequency": {"kind": "zipf"}, "number": 3}
    only = ["location", "architect", "year"]
    _, sets = made(tmp_path, only=only, train=600, predicates=predicates, tests={"t": 240})
    found = conform(read([_outputs(tmp_path, sets["t"])]), checker(tmp_path / "out"))
    first, mixed = found.systems
    assert (first.system, first.strict.estimate, first.facts["said"]) == ("first", 1.0, 240)
    assert mixed.strict.estimate < 0.2 and mixed.facts["wrong"] + mixed.facts["added"] > 200
    verdicts = {row.template: row.verdict for row in found.templates if row.system == "first"}
    assert verdicts["location/1"] == "over-used" and verdicts["location/2"] == "never used"
    assert [row.frequency for row in found.predicates if row.system == "first"] == pytest.approx([327, 164, 109], abs=3)
    assert {row.by for row in found.bands} == {"frequency", "ratio"}
    confused = {(row.reference, row.output): row.count for row in found.confusions if row.system == "first"}
    assert confused["location/2", "location/1"] > 30 and ("location/1", "location/2") not in confused


def test_the_metric_scores_as_the_command_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, sets = made(tmp_path, only=["year"], tests={"t": 40})
    path, rules = _outputs(tmp_path, sets["t"]), str(tmp_path / "out" / "manifest.json")
    assert main(["corpus", "conform", str(path), "--rules", rules, "--json", "--html", str(tmp_path / "c.html")]) == 0
    told = json.loads(capsys.readouterr().out)
    scores = nlgauge.score(
        nlgauge.load(path), [f'conformity(rules="{rules}")', f'conformity(rules="{rules}",credit=strict)']
    )
    for row in told["systems"]:
        mine = {score.metric: score.value for score in scores.scores if score.system == row["system"]}
        assert sorted(mine.values()) == pytest.approx(sorted([row["credit"]["estimate"], row["strict"]["estimate"]]))
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "Confusion of rules" in page and page.count("<figure>") == 1 + len(told["systems"])
    assert '<th scope="row" title="year/1"><bdi>year/1</bdi></th>' in page
    manifest = Path(rules).read_bytes()
    assert main(["corpus", "conform", str(path), "--rules", str(tmp_path / "out"), "--html", rules]) == 2
    assert "manifest.json is read by this command" in capsys.readouterr().err
    assert Path(rules).read_bytes() == manifest
    assert main(["corpus", "conform", str(path), "--rules", str(tmp_path / "out")]) == 0
    assert "over-used" in capsys.readouterr().out


def test_a_corpus_with_templates_gives_rules_of_any_order() -> None:
    metric = parse("conformity(credit=strict)")
    source = [["Arden_Bridge", "location", "Ilva"], ["Arden_Bridge", "architect", "Nora_Quist"]]
    texts = [
        "Arden Bridge is in Ilva. It was designed by Nora Quist.",
        "Nora Quist designed Arden Bridge and the bridge is located in Ilva.",
        "Arden Bridge is near Ilva. It was designed by Nora Quist.",
    ]
    assert list(metric.segments(texts, sources=[source] * 3)) == [1, 1, 0]


def test_matrices_of_clauses_give_the_edits_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four facts, of which texts say none or two: 24 and 12 chains."""
    checks = checker("example")
    triples = [
        ("Arden_Bridge", "location", "Ilva"),
        ("Arden_Bridge", "architect", "Nora_Quist"),
        ("Corran_Hall", "location", "Sella"),
        ("Corran_Hall", "architect", "Nora_Quist"),
    ]
    texts = [
        "The bridge was built by a Nora Quist, who designed Corran Hall too.",
        "Arden Bridge is in Ilva and it was designed by Nora. Corran Hall is hall.",
        "Nora Quist. Corran Hall is located in Sella. It stands there. Nora Quist designed Arden Bridge.",
        "",
    ]
    found = []
    for few in (0, 1000):
        monkeypatch.setattr("nlgauge.corpus.conform.checking.FEW", few)
        found.append([checks.check(text, triples).edits for text in texts])
    assert found[0] == found[1]
    assert len(set(found[0])) > 2


def test_bad_rules_and_outputs_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"rules": {\n  "entities": ]', encoding="utf-8")
    with pytest.raises(InputError, match=r"broken.json, line 2, column 15: "):
        checker(broken)
    broken.write_text('{"rules": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="holds no rules"):
        checker(broken)
    rules = {"lexicalisations": {"p": {"p/1": "{subject} is {object}"}}, "entities": {"q": {"names": ["Q"]}}}
    rules |= {"arrangement": {}, "shares": {}, "frequencies": {}}
    for said, part in (
        ("no gaps for subject and object", {"lexicalisations": {"p": {"p/1": "{subject} is"}}}),
        ("expected string", {"lexicalisations": {"p": {"p/1": 3}}}),
        ("q has no names", {"entities": {"q": {"names": []}}}),
        ("an order lacks p", {"arrangement": {"orders": [["r"]]}}),
        ("could not convert", {"shares": {"p/1": "x"}}),
    ):
        broken.write_text(json.dumps({"rules": rules | part}), encoding="utf-8")
        with pytest.raises(InputError, match=f"holds no rules .*{said}"):
            checker(broken)
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"source": "name[a]", "references": ["a"]}', encoding="utf-8")
    with pytest.raises(InputError, match="has no annotated templates"):
        checker(plain)
    with pytest.raises(InputError, match="the source is no list of triples"):
        parse("conformity").corpus(["a"], sources=["some text"])


@pytest.mark.long
def test_templates_of_webnlg_are_read_back(tmp_path: Path, shared: Path) -> None:
    source = str(shared / "data" / "webnlg_enriched_v13_train.jsonl.gz")
    config = {"source": source, "predicates": {"number": 40}, "triples": [1, 2, 3], "train": 5000}
    (tmp_path / "c.yaml").write_text(
        yaml.safe_dump({**config, "segmentation": {"kind": "number", "sentences": [1, 2]}}), encoding="utf-8"
    )
    generate(read_config(tmp_path / "c.yaml"), tmp_path / "out", beside=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines()[:1000]]
    checks = checker(tmp_path / "out")
    found = [checks.check(row["references"][0], _facts(row)) for row in rows]
    assert all(one.strict for one in found)
    same = [
        [clause.template for clause in one.reading.clauses] == row["rules"]["templates"]
        for one, row in zip(found, rows, strict=True)
    ]
    assert sum(same) / len(same) >= 0.99
