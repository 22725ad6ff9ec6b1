"""More judges than were planned, while a study runs: balanced, told, and only while nobody has seen answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import rated
import studies
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study import triangle_panels as words
from nlgauge.report.study.words import in_json
from nlgauge.study.designs.triangle import counts
from nlgauge.study.protocols.triangle.analysis.reading import analyse_service as analyse_triangle
from nlgauge.study.protocols.triangle.analysis.reading import live_verdict
from nlgauge.study.service import Service
from nlgauge.study.statements.facts import gather
from nlgauge.study.store import Store

LINKS = {"public": {"judges": 6, "access": "links"}}


def answered(service: Service, tokens: list[str]) -> None:
    for number, token in enumerate(tokens):
        judge = service.arrivals.follow(token)
        while (step := service.dealing.step(judge)).kind == "evaluation":
            assert step.evaluation is not None
            service.answers.answer(judge, step.evaluation.claim, rated.some_answer(service, step.evaluation, number))


def test_the_design_goes_on_and_the_analysis_waits_for_them(tmp_path: Path, clock: Clock) -> None:
    service = rated.launched(tmp_path / "s", clock, panels=LINKS)
    first = [link.token for link in service.arrivals.links("public")]
    more = [link.token for link in service.admin.add_judges("public", 6)]
    assert len(set(first + more)) == 12
    answered(service, first)
    with pytest.raises(InputError, match="those of the judges who were added among them"):
        service.protocol.analyse_service(service)
    with pytest.raises(InputError, match="those of the judges who were added among them"):
        service.protocol.analyse_service(service, panel="public")
    answered(service, more)
    done, planned = service.progress.planned_answers()
    assert done == planned == 12 * service.study.panels["public"].evaluations
    judged = Counter(text for one in service.judgements() for text in one.texts)
    assert max(judged.values()) - min(judged.values()) <= 1  # balanced over both lots together
    result = service.protocol.analyse_service(service)
    assert "6 judges were added to the panel public after the launch" in json.dumps(in_json(result))
    assert gather(service).added == {"public": 6}


def test_a_discussion_and_the_rule_of_exclusion_are_looks_too(tmp_path: Path, clock: Clock) -> None:
    service = rated.launched(tmp_path / "s", clock, panels=LINKS)
    answered(service, [link.token for link in service.arrivals.links("public")])
    judge = service.judgements()[0]
    service.quality.exclude(judge.judge, "came twice")  # for a reason that is not in the answers
    service.quality.readmit(judge.judge, "did not")
    service.admin.add_judges("public", 1)
    service.quality.exclude(judge.judge, "missed 2 checks", rule=True)
    with pytest.raises(InputError, match="were checked by the rule of exclusion already"):
        service.admin.add_judges("public", 1)
    other = rated.launched(tmp_path / "t", clock, panels=LINKS)
    answered(other, [link.token for link in other.arrivals.links("public")])
    other.discussion.open([other.judgements()[0].texts[0]], least=2)
    with pytest.raises(InputError, match="were discussed already"):
        other.admin.add_judges("public", 1)


def test_a_triangle_test_plans_with_them(tmp_path: Path, clock: Clock) -> None:
    service = studies.launched(tmp_path / "s", clock, panels=LINKS)
    first = [link.token for link in service.arrivals.links("public")]
    more = [link.token for link in service.admin.add_judges("public", 6)]
    assert set(counts(service.slots()).values()) == {2}
    answered(service, first)
    assert "6 of 12 planned answers" in words.live(live_verdict(service))
    answered(service, more)
    test = analyse_triangle(service).verdicts[0].test
    assert test is not None and test.judges == 12


def test_it_is_refused_once_somebody_has_looked_or_where_the_number_is_fixed(tmp_path: Path, clock: Clock) -> None:
    service = rated.launched(tmp_path / "s", clock, panels=LINKS)
    answered(service, [link.token for link in service.arrivals.links("public")])
    service.protocol.analyse_service(service)
    with pytest.raises(InputError, match="the answers were analysed already"):
        service.admin.add_judges("public", 6)
    looks = {"plan": "looks", "looks": [6, 12]}
    rule = studies.launched(tmp_path / "t", clock, sequential=looks, panels={"public": {"judges": 12}})
    with pytest.raises(InputError, match="its rule of stopping fixes the number"):
        rule.admin.add_judges("public", 6)
    rule.admin.close()
    with pytest.raises(InputError, match="no judges can be added"):
        rule.admin.add_judges("public", 6)


def test_the_command_prints_new_links(tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    rated.launched(folder, clock, Store.at(folder), panels=LINKS)
    assert main(["study", "add-judges", str(folder), "3", "--base", "https://x.org", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["judges"] == 3 and len(told["links"]) == 3 and told["links"][0].startswith("https://x.org/j/")
    assert main(["study", "statement", str(folder)]) == 0
    assert "6 judges (and 3 added after the launch)" in capsys.readouterr().out
    assert main(["study", "add-judges", str(folder), "3", "--panel", "nobody"]) == 2
