"""Post-editing and error marking: the study file, answers, rows for analysis, known rates recovered, the statement."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rated import OWN, launched, write
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.annotations import difference, marked_text
from nlgauge.report.study.ratings import headlines
from nlgauge.report.study.renderers import renderer_of
from nlgauge.report.study.words import sentences
from nlgauge.study.exchange import export
from nlgauge.study.file.study import Study, inspect, load
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.languages import LANGUAGES
from nlgauge.study.model import Text
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.annotations.analysis import analyse
from nlgauge.study.protocols.annotations.analysis.results import Mark
from nlgauge.study.protocols.annotations.edits import Edits, edits_of, mended
from nlgauge.study.protocols.annotations.file import SpanStudy, span_study
from nlgauge.study.protocols.annotations.simulation import Annotators, errors, severity_shares
from nlgauge.study.protocols.annotations.spans import penalty
from nlgauge.study.protocols.outputs.gold import Known, Planted
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.told import told

BASE: dict[str, dict[str, Any]] = {
    "post-edit": {"protocol": "post-edit", "criteria": None},
    "spans": {"protocol": "spans", "criteria": None},
}
KINDS = [{"id": "form", "sub": ["grammar", "spelling"]}, "content"]
GRADES = [{"id": "light", "weight": 1}, {"id": "heavy", "weight": 5}]


def of(protocol: str, folder: Path, clock: Clock, **changes: Any) -> Service:
    return launched(folder, clock, **BASE[protocol] | changes)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("spans", {"scheme": "own"}, "scheme", r"scheme"),
    ("spans", {"scheme": "esa"}, "scheme", r"ESA asks for a score .* add criteria: \[overall-quality\]"),
    (
        "spans",
        {"scheme": "esa", "criteria": ["fluency"], "rating": "likert"},
        "rating",
        r"set rating: continuous",
    ),
    (
        "spans",
        {"omissions": "source", "show": []},
        "omissions",
        r"panel public does not see; add show: \[source\]",
    ),
    ("spans", {"severities": [{"id": "x"}]}, "severities", r"weight"),
    ("spans", {"severities": [{"id": "x", "weight": 0}]}, "severities", r"no severity has a weight above 0"),
    ("spans", {"severities": [{"id": "x", "weight": -1}]}, "weight", r"weight"),
    ("spans", {"severities": [*GRADES, GRADES[0]]}, "severities", r"two of severities are called 'light'"),
    ("spans", {"categories": ["form", "form"]}, "- form", r"two of categories are called 'form'"),
    ("spans", {"categories": ["a/b"]}, "categories", r"no /; not 'a/b'"),
    (
        "spans",
        {"categories": [{"id": "a", "sub": ["x", "x"]}]},
        "- x",
        r"two of categories.1.sub are called 'x'",
    ),
    (
        "spans",
        {"categories": [{"id": "a", "name": "Same"}, {"id": "b", "name": "Same"}]},
        "name",
        r"judges could not tell them apart",
    ),
    (
        "spans",
        {"languages": ["en", "de"], "categories": [{"id": "a", "name": {"en": "A"}}]},
        "name",
        r"categories.1.name has no wording for de",
    ),
    (
        "spans",
        {"reasons": {"highlight": "optional"}},
        "highlight",
        r"marked as errors .* leave reasons.highlight out",
    ),
    ("spans", {"per": "word"}, "per", r"per"),
    ("spans", {"words": "signs"}, "words", r"there is no key 'words'"),
    ("post-edit", {"scheme": "mqm"}, "scheme", r"there is no key 'scheme'"),
    ("post-edit", {"words": "all"}, "words", r"words"),
    (
        "post-edit",
        {"scale": {"points": 5, "labels": ["a", "b"]}},
        "scale",
        r"no questions to be answered on a scale",
    ),
    ("post-edit", {"criteria": [OWN], "rating": "binary"}, "scale", r"a binary question has two answers"),
    ("post-edit", {"design": {"kind": "crossed", "per_screen": 2}}, "per_screen", r"one text at a time"),
    (
        "post-edit",
        {
            "panels": {
                "p": {"judges": 2},
                "m": {"judges": 1, "kind": "machine", "judge": {"kind": "metric", "metric": "chrf"}},
            }
        },
        "kind",
        r"scores of a metric are no answers of the protocol post-edit",
    ),
    ("post-edit", {"data": "x.jsonl"}, "data", r"either from data .* or from subjects"),
]


@pytest.mark.parametrize(
    ("protocol", "changes", "key", "message"), REFUSED, ids=[f"{one[0]}-{one[3][:30]}" for one in REFUSED]
)
def test_what_is_refused(tmp_path: Path, protocol: str, changes: dict[str, Any], key: str, message: str) -> None:
    folder = write(tmp_path / "s", **BASE[protocol] | changes)
    with pytest.raises(InputError, match=message):
        load(folder)
    _, problems, _ = inspect(folder)
    lines = (folder / "study.yaml").read_text(encoding="utf-8").splitlines()
    said = [problem for problem in problems if problem.line]
    assert said and any(key in "\n".join(lines[problem.line - 2 : problem.line + 1]) for problem in said)


def test_the_scheme_is_fixed_at_launch(tmp_path: Path) -> None:
    frozen = freeze(load(write(tmp_path / "s", **BASE["spans"])), tmp_path / "s")
    study = span_study(frozen.study)
    assert study.weights == {"neutral": 0, "minor": 1, "major": 5, "critical": 25}
    assert "accuracy/addition" in study.paths and len(study.categories or ()) == 6
    again = Study.from_dict(json.loads(json.dumps(study.to_dict())))
    assert isinstance(again, SpanStudy) and again == study
    own = load(write(tmp_path / "t", **BASE["spans"] | {"categories": KINDS, "severities": GRADES}))
    assert list(span_study(own).paths) == ["form", "form/grammar", "form/spelling", "content"]
    esa = load(write(tmp_path / "u", **BASE["spans"] | {"scheme": "esa", "criteria": ["overall-quality"]}))
    assert span_study(esa).paths == {} and esa.questions_asked[0].scale.points == 0  # type: ignore[attr-defined]


def test_a_source_whose_words_cannot_be_marked(tmp_path: Path) -> None:
    row = {"item": "1", "system": "a", "source": " ", "references": ["x"], "hypothesis": "x"}
    (tmp_path / "set.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    write(tmp_path, **BASE["spans"] | {"omissions": "source", "subjects": None, "data": "set.jsonl"})
    with pytest.raises(InputError, match="no text whose words could be marked; set omissions: marker"):
        freeze(load(tmp_path), tmp_path)


SHOWN = Text("t", "one", "1", "Rain 🌧 in the\nvalley.", beside={"source": "rain (🌧)"})
ERROR = {"on": "output", "start": 5, "end": 6, "category": "content", "severity": "heavy", "note": "no"}


def marking(tmp_path: Path, **changes: Any) -> Study:
    return load(write(tmp_path / "s", **BASE["spans"] | {"categories": KINDS, "severities": GRADES} | changes))


def test_spans_have_one_form(tmp_path: Path) -> None:
    study, protocol = marking(tmp_path), protocol_of("spans")
    wide = ERROR | {"start": 0, "end": 12, "category": "form/grammar", "note": " twice "}
    lacks = {"on": "missing", "severity": "light", "category": "content"}
    found = protocol.check_answer({"spans": [lacks, ERROR, wide, ERROR]}, [SHOWN], study)
    assert [one["start"] for one in found["spans"]] == [0, 5, 0] and found["none"] is False
    assert found["spans"][2] == lacks | {"start": 0, "end": 0, "note": ""}
    assert found["spans"][0]["note"] == "twice", "overlapping spans are kept, equal ones once"
    assert SHOWN.text[5:6] == "🌧"
    none = protocol.check_answer({"spans": [], "none": True}, [SHOWN], study)
    assert none == {"spans": [], "none": True, "ratings": {}}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (3, "an object with a list of spans"),
        ({"spans": []}, "nothing is marked; where there is no error, the answer must say so"),
        ({"spans": [ERROR], "none": True}, "says that there is no error, and marks 1"),
        ({"spans": [ERROR | {"end": 22}]}, "from 5 to 22 lies outside the output, which has 21 characters"),
        ({"spans": [ERROR | {"start": -1}]}, "from -1 to 6 lies outside"),
        ({"spans": [ERROR | {"start": 6}]}, "from 6 to 6 lies outside"),
        ({"spans": [ERROR | {"start": 1.5}]}, "from 1.5 to 6 lies outside"),
        ({"spans": [ERROR | {"category": "beauty"}]}, "the category 'beauty' is none of form, form/grammar"),
        ({"spans": [ERROR | {"severity": "grim"}]}, "the severity 'grim' is none of light, heavy"),
        ({"spans": [ERROR | {"on": "margin"}]}, "on output, source, missing, not on 'margin'"),
        ({"spans": [ERROR | {"on": "source"}]}, "cannot be on source"),
        ({"spans": [ERROR | {"on": "missing"}]}, "has no place in the text"),
        ({"spans": [ERROR | {"note": "x" * 2001}]}, "at most 2,000 characters"),
        ({"spans": [ERROR | {"colour": "red"}]}, "an error is an object with"),
        ({"spans": [ERROR] * 101}, "101 errors are more than"),
        ({"spans": [ERROR], "ratings": {"fluency": 1}}, "asks nothing called 'fluency'"),
    ],
)
def test_spans_that_are_refused(tmp_path: Path, answer: Any, message: str) -> None:
    with pytest.raises(Refused, match=re.escape(message)) as refused:
        protocol_of("spans").check_answer(answer, [SHOWN], marking(tmp_path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("text", "an object with an outcome and a text"),
        ({"outcome": "mended", "text": "x"}, "'mended' is none of edited, unchanged, rewritten"),
        ({"outcome": "edited", "text": 3}, "the text of a post-edit is missing"),
        ({"outcome": "edited", "text": SHOWN.text}, "the outcome is edited, but the text is as it was shown"),
        ({"outcome": "unchanged", "text": "x"}, "the text was changed"),
        ({"outcome": "rewritten", "text": " \n "}, "the text is empty"),
        ({"outcome": "edited", "text": "x" * 40_001}, "40,001 characters, more than 40,000"),
        ({"outcome": "edited", "text": "x", "mood": 1}, "an object with an outcome and a text"),
    ],
)
def test_post_edits_that_are_refused(tmp_path: Path, answer: Any, message: str) -> None:
    study = load(write(tmp_path / "s", **BASE["post-edit"]))
    with pytest.raises(Refused, match=re.escape(message)):
        protocol_of("post-edit").check_answer(answer, [SHOWN], study)


def test_an_output_that_is_too_long_to_be_edited(tmp_path: Path) -> None:
    write(tmp_path, **BASE["post-edit"] | {"subjects": {"a": {"texts": ["x" * 20_001]}}, "show": []})
    with pytest.raises(InputError, match=r"has 20,001 characters, too many to be edited \(20,000\); shorten it"):
        freeze(load(tmp_path), tmp_path)


def test_edits_are_named_as_the_judge_made_them() -> None:
    assert edits_of("a b c", "a b c") == Edits(0, 0, 0, 0, 3, 3, 0, 5)
    assert edits_of("a b c", "a c") == Edits(0, 1, 0, 0, 2, 3, 2, 3), "the judge deleted a word"
    assert edits_of("a c", "a b c") == Edits(1, 0, 0, 0, 3, 2, 2, 5)
    assert edits_of("a b c", "a x c").replaced == 1 and edits_of("The", "the").hter == 100, "case counts"
    assert edits_of("c d a b", "a b c d").moved == 1
    assert edits_of("猫が好き", "犬が好き", "signs").hter == 25 and edits_of("猫が好き", "犬が好き").hter == 100
    assert edits_of("", "a b").hter == 100 and edits_of("a", "").hter == 100


def answers(service: Service, judge: str, text: Text, number: int) -> Any:
    """Another answer for each number."""
    if service.study.protocol == "post-edit":
        outcome = ("edited", "unchanged", "rewritten")[number % 3]
        text_ = text.text if outcome == "unchanged" else f"{text.text} 🌦️\nAnd é {number} غدًا."
        return {"outcome": outcome, "text": text_, "ratings": {}} | (
            {"keys": number, "active": 2.5} if number % 2 else {}
        )
    spans = errors(span_study(service.study), text, 0.4, Random(number))
    found = sorted(map(tuple, (one.items() for one in spans)))
    return {"spans": [dict(one) for one in dict.fromkeys(found)], "none": not spans, "ratings": {}}


@pytest.mark.parametrize("protocol", BASE)
def test_answers_are_read_back_equal(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = of(protocol, tmp_path / "s", clock)
    sent = []
    judge, _ = service.arrivals.register("public")
    while (shown := service.dealing.step(judge).evaluation) is not None:
        answer = answers(service, judge, shown.texts[0], len(sent))
        clock.minutes(1)
        service.answers.answer(judge, shown.claim, answer)
        sent.append(service.protocol.check_answer(answer, shown.texts, service.study))
    assert [one.answer for one in service.judgements()] == sent and len(sent) == 6
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        export.write(service.judgements(), tmp_path / name)
        read = export.read(tmp_path / name, protocol=service.protocol)
        assert [one.answer for one in read] == sent, name
    assert export.write_long(service, tmp_path / "long.parquet") == export.write_long(service, tmp_path / "long.csv")
    long = [row for one in service.judgements() for row in service.protocol.long(one, service.frozen)]
    if protocol == "spans":
        rows = [row for row in long if row["criterion"] == "error"]
        assert len(rows) == sum(len(one["spans"]) for one in sent) > 0
        text = {(one.item, one.subject): one.text for one in service.frozen.texts}
        assert all(text[row["item"], row["system"]][row["start"] : row["end"]] == row["quoted"] for row in rows)
        penalties = [row["value"] for row in long if row["criterion"] == "penalty"]
        assert penalties == [penalty(one["spans"], span_study(service.study).weights) for one in sent]
    else:
        assert [row["text"] for row in long if row["criterion"] == "hter"] == [one["text"] for one in sent]
        assert {row["value"] for row in long if row["criterion"] == "seconds_per_word"} == {10.0}
    assert {name for row in long for name in row} - {"number"} >= set(service.protocol.columns)
    assert service.protocol.fault(service.judgements()[0]) == ""


def study(folder: Path, protocol: str, words: int, items: int, judges: int, **changes: Any) -> Any:
    """A frozen study of texts with so many words."""
    subjects = {
        name: {"texts": [" ".join(f"{name}{k}w{n}" for n in range(words)) for k in range(items)]}
        for name in ("good", "fair", "bad")
    }
    panels = {"public": {"judges": judges, "access": "open"}}
    given = BASE[protocol] | {"subjects": subjects, "panels": panels, "show": []} | changes
    return freeze(load(write(folder, **given)), folder)


def near(found: Any, truth: float) -> bool:
    """Within three standard errors, by the limits."""
    low, high = (found["low"], found["high"]) if isinstance(found, Mapping) else (found.low, found.high)
    return bool(abs((low + high) / 2 - truth) < 3 * (high - low) / (2 * 1.96))


def rates(result: RatingResult, criterion: str) -> Mapping[str, Any]:
    return {one.system: one for one in result.rating(criterion).models.means}


def test_known_edit_rates_are_recovered(tmp_path: Path) -> None:
    known = {"good": 0.05, "fair": 0.15, "bad": 0.3}
    frozen = study(tmp_path, "post-edit", 40, 12, 9)
    service, outcome = rehearse(frozen, Annotators(rates=known, judge_sd=0.05), seed=3)
    result = analyse(frozen, tuple(service.judgements()))
    for system, rate in known.items():
        mean = rates(result, "hter")[system]
        assert near(mean, 100 * rate) and mean.high - mean.low < 6, (system, mean)
        row = result.own.to_dict()["annotations"]["systems"][system]
        assert near(row["hter"], 100 * rate)
        assert abs(row["replaced"] - 70 * rate) < 3 and abs(row["inserted"] - 15 * rate) < 2
    clusters = result.rating("hter").models.clusters
    assert clusters is not None and clusters.groups == (("good",), ("fair",), ("bad",)), "low is good"
    unchanged = rates(result, "unchanged")["good"]
    assert abs(unchanged.raw - 0.95**40) < 0.15
    assert outcome.panels["public"]["means"]["hter"]["bad"] == pytest.approx(rates(result, "hter")["bad"].raw)
    assert "HTER (edits per 100 words" in sentences(result)[0][1]
    page = renderer_of(result).write(result, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<ins>new" in page and "<del>" in page


def test_limits_that_are_not_known_are_not_told(tmp_path: Path) -> None:
    frozen = study(tmp_path, "post-edit", 10, 3, 1)
    service, _ = rehearse(frozen, Annotators(), seed=3)
    result = analyse(frozen, tuple(service.judgements()))
    page = renderer_of(result).write(result, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "HTER (edits per 100 words" in page and not re.search(r"\bnan\b", page)


def test_known_error_rates_are_recovered(tmp_path: Path) -> None:
    known = {"good": 2.0, "fair": 6.0, "bad": 12.0}
    frozen = study(tmp_path, "spans", 40, 20, 12, categories=KINDS, severities=GRADES)
    service, _ = rehearse(frozen, Annotators(marks=True, rates=known, judge_sd=0.0, noise=0.2), seed=5)
    result = analyse(frozen, tuple(service.judgements()))
    weights = span_study(frozen.study).weights
    shares = severity_shares(span_study(frozen.study))
    assert shares == {"light": 0.6, "heavy": pytest.approx(0.4)}
    each = sum(shares[name] * weights[name] for name in weights)
    for system, rate in known.items():
        marked, points = rates(result, "errors")[system], rates(result, "penalty")[system]
        assert near(marked, 0.4 * rate), (system, marked)
        assert near(points, 0.4 * rate * each), (system, points)
        row = next(
            one
            for one in result.own.to_dict()["annotations"]["errors"]
            if (one["system"], one["category"], one["severity"]) == (system, "all", "all")
        )
        assert near(row["rate"], 0.4 * rate)
    assert result.rating("penalty").models.means[0].system == "good"
    agreement = result.own.to_dict()["annotations"]["agreement"]
    # of a true error each of two judges sees 0.8; a fifth of the marks are a judge's own
    assert agreement["F1 of spans"]["estimate"] == pytest.approx(0.8 * 0.8 / 1.0, abs=0.08)
    assert agreement["same category of matched spans"]["estimate"] > 0.9
    assert result.to_dict()["annotations"]["per"] == "segment"
    page = renderer_of(result).write(result, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<mark" in page and "Agreement on errors" in page
    drawn = dict(re.findall(r"<title>(\w+), all: ([\d.]+) errors for each text", page))
    assert drawn == {name: f"{one.raw:.3f}" for name, one in rates(result, "errors").items()}
    assert set(re.findall(r"<title>good, (\w+): ", page)) == {"all", "form", "content"}


def test_the_score_of_esa_is_its_main_outcome(tmp_path: Path) -> None:
    frozen = study(tmp_path, "spans", 10, 4, 3, scheme="esa", criteria=["overall-quality"])
    service, _ = rehearse(frozen, Annotators(marks=True), seed=5)
    result = analyse(frozen, tuple(service.judgements()))
    assert [one.criterion.id for one in result.ratings] == ["overall-quality", "penalty", "errors"]
    first, *others = headlines(result)
    assert "for Overall quality" in first and len(others) == 2
    means = [mean for one in result.ratings for mean in one.models.means]
    assert all(0 <= mean.low <= mean.mean <= mean.high for mean in means)  # the model's goes below 0 once


def test_simulated_judges_mark_no_more_in_a_long_text_than_can_be_sent(tmp_path: Path) -> None:
    frozen = study(tmp_path, "spans", 1500, 3, 3)
    service, outcome = rehearse(frozen, Annotators(marks=True), seed=5)
    assert outcome.finished == 3
    assert max(len(one.answer["spans"]) for one in service.judgements()) == 100


def test_penalties_by_a_hundred_words(tmp_path: Path) -> None:
    frozen = study(tmp_path, "spans", 20, 4, 3, per="100 words")
    service, _ = rehearse(frozen, Annotators(marks=True, rates={"good": 50.0}), seed=5)
    result = analyse(frozen, tuple(service.judgements()))
    plain = [
        penalty(one.answer["spans"], span_study(frozen.study).weights)
        for one in service.judgements()
        if frozen.text[one.texts[0]].subject == "good"
    ]
    assert rates(result, "penalty")["good"].raw == pytest.approx(5 * sum(plain) / len(plain))


def test_judges_who_hurry_leave_everything_as_it_is(tmp_path: Path) -> None:
    for protocol, crowd in (("post-edit", Annotators(speeders=1.0)), ("spans", Annotators(marks=True, speeders=1.0))):
        frozen = study(tmp_path / protocol, protocol, 5, 3, 3)
        service, _ = rehearse(frozen, crowd, seed=1)
        result = analyse(frozen, tuple(service.judgements()))
        assert {one.mean for one in rates(result, "hter" if protocol == "post-edit" else "penalty").values()} == {0}


@pytest.mark.parametrize("option", [{"rates": {"good": 1.5}}, {"rates": {"best": 0.1}}])
def test_rates_that_cannot_be(tmp_path: Path, option: dict[str, Any]) -> None:
    frozen = study(tmp_path, "post-edit", 5, 3, 3)
    with pytest.raises(InputError, match=r"between 0 and 1|no system 'best'"):
        rehearse(frozen, protocol_of("post-edit").crowd(frozen.study, option), seed=1)


@pytest.mark.parametrize("protocol", BASE)
def test_the_statement_tells_what_is_done(protocol: str, tmp_path: Path) -> None:
    frozen = study(tmp_path, protocol, 5, 3, 3, criteria=[OWN], rating="likert")
    found = told(frozen, {})
    work, asked = found.criteria
    assert asked.id == "formality" and work.wording["en"] and "mixed model" in found.analysis
    assert ("Critical (25)" in work.definition) == (protocol == "spans")


@pytest.mark.parametrize("protocol", BASE)
def test_from_a_set_to_the_tables(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {
            "item": str(k),
            "system": name,
            "source": f"rain ({k})",
            "references": ["Rain."],
            "hypothesis": f"{name} {k} mm of rain",
        }
        for name in "ab"
        for k in range(5)
    ]
    Path("set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    languages = "en,de,es,fr,it,gl,ar"
    made = [
        "study",
        "new",
        "s",
        "--protocol",
        protocol,
        "--from",
        "set.jsonl",
        "--seed",
        "1",
        "--languages",
        languages,
    ]
    assert main(made) == 0
    assert main(["study", "check", "s", "--no-simulation"]) == 0
    assert main(["study", "launch", "s"]) == 0
    assert main(["study", "simulate", "s", "--rate", "a=0.5", "--seed", "4"]) == 0
    capsys.readouterr()
    assert main(["study", "analyse", "s", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["protocol"] == protocol and found["annotations"] and found["examples"]
    assert main(["study", "analyse", "s", "--format", "latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out
    assert main(["study", "export", "s", "--long", "-o", "long.csv"]) == 0
    assert main(["study", "statement", "s"]) == 0
    assert main(["study", "simulate", "s", "--scratch", "--mean", "a=2"]) == 2


def test_marks_and_changes_are_shown_as_they_are() -> None:
    marks = (Mark(0, 4, "major", "style", "j1"), Mark(2, 6, "minor", "", "j2"))
    shown = marked_text("a<b>c 🌧", marks)
    assert re.sub(r"</?mark[^>]*>", "", shown) == "a&lt;b&gt;c 🌧"
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", shown) == ["a&lt;", "b&gt;", "c "]
    assert difference("a b c", "a x c <d>") == "a <del>b</del> <ins>x</ins> c <ins>&lt;d&gt;</ins>"


def test_the_score_of_esa_has_its_four_anchors(tmp_path: Path) -> None:
    data, folder = tmp_path / "d.jsonl", tmp_path / "made"
    rows = [{"item": k, "system": s, "source": "x", "hypothesis": f"{s} {k}."} for k in range(4) for s in "ab"]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = ["study", "new", str(folder), "--protocol", "spans", "--scheme", "esa", "--from", str(data)]
    assert main([*made, "--seed", "3"]) == 0
    study = load(folder)
    assert isinstance(study, SpanStudy)
    (asked,) = study.questions_asked
    assert [value for value, _ in asked.scale.marks] == [0, 33, 66, 100]
    assert asked.scale.place(47) == 47  # any number between them may be given
    assert all(set(words) == set(LANGUAGES) for _, words in asked.scale.marks)


@pytest.mark.parametrize(
    ("output", "text", "right"),
    [
        ("The catt sat on the mat all day.", "The cat sat on the mat all day.", True),
        ("The catt sat on the mat all day.", "All day the cat sat on the mat.", True),
        ("The catt sat on the mat all day.", "The cat sat there.", False),
        ("The catt sat on the mat all day.", "x", False),
        ("The catt sat on the mat all day.", "The catt sat on a mat all day.", False),
        ("catt", "cat", True),
        ("我们在纽约 catt 看到它", "我们在纽约看到它", True),
        ("我们在纽约 catt 看到它", "好", False),
    ],
)
def test_planted_words_are_mended_only_where_most_others_stay(output: str, text: str, right: bool) -> None:
    known = Known(errors=(Planted("catt"),))
    assert mended({"outcome": "edited", "text": text}, known, output) is right
