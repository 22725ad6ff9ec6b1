"""The taxonomy and the table of tasks: every metric has a place, and the marks are those of the survey."""

from __future__ import annotations

import pytest

from nlgauge.errors import InputError
from nlgauge.metrics.registry import METRICS
from nlgauge.metrics.survey import BRANCHES, ENTRIES, TASKS, place_of, task_named

# Table 3 as printed, in the order MT, AS, DG, IC, QA, D2T, QG: p proposed, a adopted. "WER-family" stands for five of
# ours; the mark for data-to-text in ROUGE-C's row is PARENT's.
TABLE = {
    "BLEU": "paaaaaa",
    "NIST": "paaaaaa",
    "METEOR": "paaaaaa",
    "ROUGE": "apaaaaa",
    "GTM": "pa  a  ",
    "CIDEr": "   p   ",
    "SPICE": "   p   ",
    "SPIDEr": "   p   ",
    "WER": "p      ",
    "MultiWER": "p      ",
    "TER": "p      ",
    "ITER": "p      ",
    "CDER": "p      ",
    "chrF": "pa a   ",
    "Vector extrema": "aaaaaa ",
    "Embedding average": "aaaaaa ",
    "WMD": "aa a   ",
    "BERTr": "a      ",
    "BERTScore": "p apa  ",
    "MoverScore": "pp p p ",
    "BEER": "p      ",
    "BLEND": "p      ",
    "Q-metrics": "      p",
    "Composite metrics": "   p   ",
    "SIMILE": "p      ",
    "ESIM": "p      ",
    "RUSE": "p      ",
    "BERT for MTE": "p      ",
    "BLEURT": "p    p ",
    "NUBIA": "p  p   ",
    "ROUGE-C": " p     ",
    "PARENT": "     p ",
    "LEIC": "   p   ",
    "ADEM": "  p    ",
    "RUBER": "  p    ",
    "SSREM": "  p    ",
    "RUBER with BERT": "  p    ",
    "MaUde": "  p    ",
    "RoBERTa-eval": "  p    ",
}
ORDER = ("mt", "summarisation", "dialogue", "captioning", "qa", "d2t", "qg")


def test_every_registered_metric_has_one_place() -> None:
    for name in METRICS:
        places = [entry.title for entry in ENTRIES if name in entry.names]
        assert len(places) == 1, f"{name} stands in {places or 'no place'} of metrics/survey.toml"
        assert place_of(name) in BRANCHES


def test_branches_and_lines_fit() -> None:
    assert all(entry.place in BRANCHES for entry in ENTRIES)
    assert all(place.rpartition("/")[0] in ("", *BRANCHES) for place in BRANCHES)
    assert all(set(entry.proposed + entry.adopted) <= set(TASKS) for entry in ENTRIES)
    assert len({entry.title for entry in ENTRIES}) == len(ENTRIES)
    assert all(entry.cite or set(entry.names) & set(METRICS) or entry.by == "ours" for entry in ENTRIES)


def test_marks_are_those_of_table_3() -> None:
    known = {entry.title: entry for entry in ENTRIES}
    for title, marks in TABLE.items():
        found = "".join({"proposed": "p", "adopted": "a", "": " "}[known[title].mark(task)] for task in ORDER)
        assert found == marks, title
        assert known[title].named
    in_table = {entry.title for entry in ENTRIES if entry.by == "survey"}
    assert in_table == set(TABLE) - {"ROUGE-C", "PARENT"}  # whose marks are those of their papers


def test_tasks_have_other_names_and_unknown_ones_are_refused() -> None:
    assert task_named("Data to Text") == task_named("d2t") == "d2t"
    assert task_named("IC") == "captioning" and task_named("summarization") == "summarisation"
    with pytest.raises(InputError, match="no task 'captionin'; did you mean captioning"):
        task_named("captionin")
    with pytest.raises(InputError, match="no task 'x'; known: mt, summarisation"):
        task_named("x")
