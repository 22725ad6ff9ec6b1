"""The profile counts what a corpus holds; the figures of the paper on enriched WebNLG, and findings on real systems."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from nlgauge.corpus.entries import Corpus, Entry, Output, Text, Triple, make_template
from nlgauge.corpus.profile import Profile, profile
from nlgauge.corpus.profile.bands import by_frequency
from nlgauge.corpus.profile.sides import entities, frequencies, placed, with_templates
from nlgauge.corpus.reading import read
from nlgauge.corpus.templates import accuracy
from nlgauge.errors import InputError

TABLE_1 = {
    **{"fullName": (3, 3), "product": (3, 3), "architecturalStyle": (17, 18), "order": (15, 16)},
    **{"discipline": (8, 9), "champions": (18, 21), "locationCity": (7, 9), "demonym": (25, 32)},
    **{"foundedBy": (2, 3), "birthName": (6, 9), "leaderTitle": (37, 63), "address": (4, 7)},
    **{"areaCode": (17, 36), "countySeat": (7, 15), "language": (47, 119), "city": (14, 36)},
    **{
        "status": (3, 11),
        "affiliation": (3, 11),
        "capacity": (5, 26),
        "capital": (11, 61),
        "location": (22, 177),
    },
}


@pytest.fixture(scope="module")
def enriched(shared: Path) -> Corpus:
    return read([shared / "data" / "webnlg_enriched_v13_train.jsonl.gz"])


@pytest.fixture(scope="module")
def webnlg(enriched: Corpus) -> Profile:
    return profile(enriched)


def test_the_papers_figure_2(webnlg: Profile, shared: Path) -> None:
    inputs = webnlg.inputs
    assert (inputs.predicates, inputs.rare, inputs.frequencies["country"]) == (246, 76, 2150)
    saved = json.loads((shared / "data" / "webnlg_predicate_freq_v13.json").read_text(encoding="utf-8"))
    assert inputs.frequencies == dict(saved) and next(iter(inputs.frequencies)) == "country"


def test_the_papers_table_1(webnlg: Profile, shared: Path) -> None:
    assert webnlg.outputs is not None
    found = {row.predicate: (row.unique, row.total) for row in webnlg.outputs.single}
    assert {name: found[name] for name in TABLE_1} == TABLE_1
    saved = json.loads((shared / "data" / "webnlg_template_ratios_v13.json").read_text(encoding="utf-8"))
    assert found == {row["predicate"]: (row["unique"], row["total"]) for row in saved}


def test_the_noise_of_webnlg_is_estimated_small(webnlg: Profile) -> None:
    assert webnlg.noise is not None
    assert 0.005 < webnlg.noise.missing < 0.02 and webnlg.noise.added < 0.003


def test_induced_templates_agree_with_annotated_ones(enriched: Corpus) -> None:
    found = accuracy(enriched.entries[1::2])
    assert found is not None and found.texts == 9010
    assert found.precision > 0.95 and found.recall > 0.94 and found.same > 0.54


def test_slot_errors_of_the_e2e_systems_follow_what_is_published(shared: Path) -> None:
    found = profile(read([shared / "data" / "e2e17_primary_outputs.jsonl.gz"]))
    rates = {row.system: row.slots.errors.estimate for row in found.systems}
    faulty = {row.system: row.slots.faulty for row in found.systems}
    assert len(rates) == 21 and found.inputs.entries == 630
    assert rates["tuda"] < 0.001 and rates["forge1"] < 0.001 and rates["dangnt"] < 0.03  # templates and grammars
    assert max(rates["slug"], rates["gong"], rates["tgen"]) < 0.04  # reranked, or trained for their slots
    vanilla = ("chen", "sheff2", "zhang")
    assert min(rates[name] for name in vanilla) > 3 * rates["tgen"]
    assert min(faulty[name].low for name in vanilla) > faulty["slug"].high
    missing = sum(row.slots.missing for row in found.systems)
    assert missing > 3 * sum(row.slots.wrong + row.slots.added for row in found.systems)


def test_the_head_is_rated_higher_than_the_tail(enriched: Corpus, shared: Path) -> None:
    judged = read([shared / "data" / "webnlg17_human.jsonl.gz"])
    counted = frequencies(enriched.entries)
    overall, *splits = by_frequency(judged, counted, "semantics", without=["webnlg"])
    rows = {row.system: row for row in overall.rows}
    together = rows["all systems"]
    assert [band.items for band in overall.bands] == [52, 8, 71, 92] and len(rows) == 10
    assert together.difference.low > 0.4 and together.alike.low > 0.4
    assert rows["upf-forge"].difference.low < 0 < rows["upf-forge"].difference.high  # rules need no examples
    assert {split.split for split in splits} == {"seen", "unseen"}


def entry(item: str, texts: tuple[str, ...], *triples: Triple, split: str = "") -> Entry:
    return Entry(item, triples, tuple(map(Text, texts)), split=split)


ILVA = Triple("Ilva", "country", "Marn")
LUND = Triple("Ilva", "leader", "Jana_Lund")


def test_orders_are_those_of_the_objects() -> None:
    names = {"AGENT-1": "Ilva", "PATIENT-1": "Marn", "PATIENT-2": "Jana_Lund"}

    def order(template: str) -> tuple[tuple[int, ...], ...] | None:
        text = Text("", make_template(template.split(), names, (ILVA, LUND)))
        return placed(Entry("1", (ILVA, LUND), (text,), entities=names), text)

    assert order("AGENT-1 is in PATIENT-1 . PATIENT-2 leads AGENT-1 .") == ((0,), (1,))
    assert order("PATIENT-2 leads AGENT-1 in PATIENT-1 .") == ((1, 0),)
    assert order("PATIENT-2 came . AGENT-1 is in PATIENT-1 , led by PATIENT-2 .") == ((0, 1),)
    assert order("PATIENT-2 leads AGENT-1 .") is None
    given = Text("", order=((1,), (0,)))
    assert placed(Entry("1", (ILVA, LUND), (given,)), given) == ((1,), (0,))


def test_overlap_between_splits() -> None:
    corpus = Corpus(
        (
            entry("1", ("Ilva is in Marn.",), ILVA, split="train"),
            entry("2", ("Ilva is in Marn.", "Ilva belongs to Marn."), ILVA, split="test"),
            entry("3", ("Torrek is in Marn.",), Triple("Torrek", "country", "Marn"), split="test"),
        )
    )
    found = {row.kind: (row.shared, row.distinct) for row in profile(corpus).overlaps}
    assert found == {
        "inputs": (1, 2),
        "triples": (1, 2),
        "predicates": (1, 1),
        "entities": (2, 3),
        "templates": (1, 2),
        "texts": (1, 3),
    }


def test_ratios_orders_and_skew_of_a_plain_corpus() -> None:
    texts = ("Jana Lund leads Ilva. It is in Marn.", "Ilva is in Marn, and Jana Lund leads it.")
    corpus = Corpus((entry("1", ("Ilva is in Marn.", "Ilva is in Marn!"), ILVA), entry("2", texts, ILVA, LUND)))
    found = profile(corpus, under=2)
    assert found.inputs.sizes == {"1": 1, "2": 1} and found.inputs.rare == 1
    assert found.outputs is not None and found.outputs.source == "induced"
    (row,) = found.outputs.single
    assert (row.predicate, row.unique, row.total) == ("country", 2, 2)
    (order,) = found.outputs.orders
    assert (order.placed, order.orders, order.as_input) == (2, 2, 1)
    assert order.segmentations == {"1+1": 1, "2": 1}
    names = {entity.name: dict(entity.realisations) for entity in entities(with_templates(corpus))}
    assert names["Ilva"] == {("name", "Ilva"): 4, ("pronoun", "It"): 1, ("pronoun", "it"): 1}


def test_head_and_tail_of_a_system_that_fails_on_the_tail() -> None:
    rows = [(str(n), ("often", "rare", "new")[n % 3], 5.0 if n % 3 == 0 else 2.0 - n % 3 / 2) for n in range(60)]
    corpus = Corpus(
        tuple(entry(item, (), Triple("a", name, "b"), split="x" if int(item) < 3 else "") for item, name, _ in rows),
        tuple(Output(item, "s", "", {"quality": rating}) for item, _, rating in rows),
    )
    overall, *_ = by_frequency(corpus, {"often": 400, "rare": 4}, "quality")
    assert [band.items for band in overall.bands] == [20, 20, 0, 20]
    row = overall.rows[1]
    assert row.system == "s" and row.means == (1.0, 1.5, None, 5.0)
    assert row.difference.estimate == row.alike.estimate == 3.75 and row.difference.low > 3.6
    with pytest.raises(InputError, match="did you mean quality"):
        by_frequency(corpus, {}, "qualty")
    few = by_frequency(Corpus(corpus.entries[:6], corpus.outputs[:6]), {"often": 400}, "quality")[0].rows[0]
    assert few.difference.estimate == 3.75 and few.difference.low != few.difference.low


def test_no_input_is_refused() -> None:
    with pytest.raises(InputError, match="no entry has a triple"):
        profile(Corpus((Entry("1", (), (Text("x"),)),)))


def test_patterns_and_the_judges_of_e2e_agree(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of docs/corpus-profile.md."""
    path = Path(__file__).parents[2] / "tools" / "e2e_slot_errors.py"
    runpy.run_path(str(path))["main"](shared / "data")
    told = capsys.readouterr().out
    assert "missing: 6,012 outputs, people 1,597" in told and "kappa 0.63 [0.61, 0.65]" in told
    assert "rho with marked as missing: 0.93 [0.88, 0.95]" in told
    assert "rho with comparisons won: -0.74 [-0.78, -0.68]" in told
