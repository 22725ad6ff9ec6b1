"""Judges left out by an event: every protocol shows its figures with and without them, and again with who is let in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made_studies
import pytest
import rated
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study import triangle_panels as said
from nlgauge.report.study import triangle_words as words
from nlgauge.report.study.renderers import renderer_of
from nlgauge.report.study.words import in_json, sentences
from nlgauge.study.exchange import export
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, Stopping, analyse
from nlgauge.study.protocols.triangle.analysis.reading import analyse_material, read_study
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.facts import gather

PROTOCOLS = (
    "triangle",
    "likert",
    "binary",
    "pairwise",
    "ranking",
    "best-worst",
    "magnitude",
    "rankme",
    "post-edit",
    "spans",
    "classification",
    "task",
    "chat",
)
BOTH = ["all judges", "without those left out"]


def played(protocol: str, folder: Path) -> Service:
    changes: dict[str, Any] = {"criteria": None} if protocol in ("post-edit", "spans") else {}
    service = rated.of(protocol, folder, Clock(), **changes)
    return rehearse(service.frozen, service.protocol.crowd(service.study, {}), seed=3)[0]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("protocol", ["triangle", "likert", "pairwise"])
def test_an_export_leaves_out_whom_the_study_leaves_out(protocol: str, kind: str, tmp_path: Path) -> None:
    service = played(protocol, tmp_path)
    judge, path = service.judgements()[0].judge, tmp_path / f"rows.{kind}"
    service.quality.exclude(judge, "=in haste, and careless")
    export.write(service.judgements(), path, service.quality.excluded())
    assert export.read(path, protocol=service.protocol) == service.judgements()
    if protocol == "triangle":
        read: Any = analyse_material(read_study(tmp_path, judgements=path))
    else:
        read = service.protocol.analyse_folder(tmp_path, judgements=path)
    found, held = in_json(read), in_json(analysed(service))
    assert found["excluded"] == held["excluded"] == {judge: "=in haste, and careless"}
    assert found["n"] == held["n"]


def test_an_export_read_back_tells_whom_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    service = played("pairwise", tmp_path)
    judge, path = service.judgements()[0].judge, str(tmp_path / "rows.csv")
    service.quality.exclude(judge, "in haste")
    export.write(service.judgements(), path, service.quality.excluded())
    assert main(["study", "import", str(tmp_path), path]) == 0
    assert f"leaves 1 judge out whom this study counts ({judge})" in capsys.readouterr().out


def analysed(service: Service) -> Any:
    return service.protocol.analyse_service(service)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_figures_stand_with_and_without(protocol: str, tmp_path: Path) -> None:
    service = played(protocol, tmp_path)
    judge = service.judgements()[0].judge
    service.quality.exclude(judge, "in haste & <careless>")
    result = analysed(service)
    found = in_json(result)
    assert found["excluded"] == {judge: "in haste & <careless>"}
    told = [one for one in found["with_and_without"] if one["excluded"]]  # not all judges answer all questions
    for one in told:
        every, kept = (
            (one["all_judges"], one["without_those_left_out"])
            if protocol == "triangle"
            else [v for v in one["variants"] if v["name"] in BOTH]
        )
        assert every["judges"] == kept["judges"] + 1 and every != kept
    assert told and len(found["with_and_without"]) == (1 if protocol == "triangle" else len(found["criteria"]))
    said = " ".join(text for head, text in sentences(result) if head.startswith("Exclusions"))
    assert f"judges is left out: {judge} (in haste & <careless>)" in said
    page = renderer_of(result).sections(result)
    assert "With and without" in page and "in haste &amp; &lt;careless&gt;" in page
    facts = gather(service)
    assert facts.excluded == (("in haste & <careless>", 1),) and "all 6 judges" in facts.beside
    service.quality.readmit(judge, "the time was right after all")
    again = in_json(analysed(service))
    assert again["excluded"] == {} and not any(one["excluded"] for one in again["with_and_without"])
    for one in told:  # the figures of all judges are those of a study that leaves nobody out
        place = "verdicts" if protocol == "triangle" else "result"
        row = next(
            row for row in again[place] if all(row[key] == one[key] for key in ("panel", "criterion") if key in one)
        )
        if protocol == "triangle":
            assert row == one["all_judges"]
        elif protocol in rated.COMPARISONS:
            assert {s["system"]: s["strength"] for s in row["systems"]} == {
                name: mean["mean"] for name, mean in one["variants"][0]["systems"].items()
            }
        else:
            assert row["alpha"] == one["variants"][0]["alpha"]


def test_a_verdict_that_hangs_on_who_is_left_out_says_so() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("public", 30),))
    given = made_studies.judgements([True] * 15 + [False] * 15)
    with_all = analyse(plan, given)
    out = {f"judge{k}": "talked to each other" for k in range(6)}
    assert with_all.concluded and with_all.exclusions == ()
    found = analyse(plan, given, excluded=out | {"somebody else": "never came"})
    (one,) = found.exclusions
    assert not found.concluded and one.every == with_all.verdicts[0] and not one.same
    assert (one.kept.correct, one.kept.answers, one.every.correct, one.every.answers) == (9, 24, 15, 30)
    assert one.left_out == out and "the conclusion changes" in said.exclusion(one)
    assert any("the conclusion changes" in note for note in words.warnings(found))
    assert not any("closed" in note for note in words.warnings(found))
    with pytest.raises(InputError, match="left out"):
        analyse(plan, given, excluded={f"judge{k}": "all" for k in range(30)})


def test_leaving_out_is_no_way_to_look_early_and_rules_of_stopping_say_what_they_followed() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("public", 30),))
    with pytest.raises(InputError, match="planned answers"):
        analyse(plan, made_studies.judgements([True] * 20), excluded={"judge0": "x"})
    looks = Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("public", 24),), stopping=Stopping("looks", (12, 24)))
    found = analyse(looks, made_studies.judgements([True] * 24), excluded={"judge0": "x"})
    assert words.FOLLOWED in words.warnings(found)
