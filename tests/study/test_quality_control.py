"""Quality control: the study file, damaged copies, checks, the rule, exclusions, and both analyses."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import cared
import numpy as np
import pytest
import rated
from rated import write
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.stats.carefulness import attention, degraded, entropy, self_agreement
from nlgauge.study.checks.run import check
from nlgauge.study.file.study import inspect, load
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.protocols import PROTOCOLS, protocol_of
from nlgauge.study.protocols.outputs.damage import damage, words_replaced
from nlgauge.study.protocols.ratings.protocol import OfTexts
from nlgauge.study.protocols.ratings.simulation import Raters
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, launch
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

CHECK = cared.QUALITY["attention"][0]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"atention": []}, r"line \d+: there is no key 'quality.atention'; did you mean attention"),
    ({"attention": [{"answer": {"fluency": 2}}]}, r"quality.attention.1 must have text"),
    ({"attention": [{"text": "x", "texts": ["a", "b"], "answer": {"fluency": 2}}]}, r"must have text"),
    ({"attention": [{"text": "x"}]}, r"quality.attention.1 has no answer; write one, for example"),
    (
        {"attention": [{"text": "x", "answer": {"style": 2}}]},
        r"names 'style', which is not asked; name one of flu",
    ),
    (
        {"attention": [{"text": "x", "answer": {"fluency": 9}}]},
        r"9 is not on the scale of fluency \(7 points, 1 to 7\)",
    ),
    ({"attention": [CHECK], "attention_each": 3}, r"each judge is to get 3 attention checks, but .* has 1"),
    ({"degraded": -1}, r"quality.degraded"),
    ({"gap": 0}, r"quality.gap"),
    (
        {"rule": {"exclude": ["attention"]}},
        r"the rule excludes for attention, but the study has no such checks",
    ),
    ({"rule": {"exclude": ["degarded"]}}, r"cannot be 'degarded'; did you mean degraded"),
    ({"rule": {"exclude": ["speed", "speed"]}}, r"the rule names speed twice"),
    ({"rule": {"exclude": ["speed"], "failures": 2}}, r"would have to fail 2 of 1 check; lower failures"),
    ({"rule": {"codes": True}}, r"codes follow the rule, which excludes nobody"),
    ({"rule": {"exclude": ["speed"], "codes": True}}, r"write completion.failed_code"),
    ({"rule": {"alpha": 0}}, r"quality.rule.alpha"),
    ({"rule": {"test": "welch"}}, r"quality.rule.test cannot be 'welch'"),
    ({"comprehension": {"questions": []}}, r"quality.comprehension has no questions"),
    (
        {"comprehension": [{"text": "?", "options": ["a"], "answer": 1}]},
        r"quality.comprehension.questions.1 has 1 option, so there",
    ),
    (
        {"comprehension": [{"text": "?", "options": ["a", "b"], "answer": 3}]},
        r"answer is 3, but there are 2 options, counted from 1",
    ),
    ({"comprehension": cared.TEST | {"required": 3}}, r"asks for 3 right answers of 2; lower it"),
    (
        {"comprehension": cared.TEST | {"required": 0}},
        r"between 1 and 100, not 0; leave the key out .* by default all",
    ),
    (
        {"comprehension": {"questions": [{"text": "?", "options": ["x"], "answer": 1}]}},
        r"has 1 option, so there is nothing to choose; add options",
    ),
    (
        {"comprehension": [{"text": {"de": "Was?"}, "options": ["a", "b"], "answer": 1}]},
        r"has no wording for en",
    ),
    ({"comprehension": cared.TEST | {"attempts": 0}}, r"quality.comprehension.attempts"),
]


@pytest.mark.parametrize(("quality", "message"), REFUSED)
def test_a_bad_key_has_its_line_and_a_remedy(quality: dict[str, Any], message: str, tmp_path: Path) -> None:
    write(tmp_path, **cared.changes(quality=quality))
    _, problems, _ = inspect(tmp_path)
    assert problems and problems[0].line > 0
    with pytest.raises(InputError, match=message):
        load(tmp_path)


def test_copies_that_do_not_fit_a_sheet_are_refused_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, **cared.changes(panels={"public": {"judges": 6, "evaluations": 6}}))
    with pytest.raises(InputError, match=r"panel public: .*do not fit a sheet of 6 screens; give"):
        load(tmp_path)


def test_comparisons_have_checks_but_no_damaged_copies(tmp_path: Path) -> None:
    quality = {"degraded": 5}
    write(tmp_path, **rated.comparing("pairwise", quality=quality))
    with pytest.raises(InputError, match="degraded is for ratings"):
        load(tmp_path)
    quality = {"attention": [{"texts": ["a", "b"], "source": "x", "answer": {"fluency": 3}}]}
    write(tmp_path, **rated.comparing("pairwise", quality=quality))
    with pytest.raises(InputError, match="3 is no place on the screen"):
        load(tmp_path)


def test_what_cannot_tell_anything_is_a_risk(tmp_path: Path) -> None:
    write(tmp_path, **cared.changes(quality={"degraded": 3, "repeats": 2, "gap": 2, "rule": ["repeats"]}))
    said = [one.message for one in check(tmp_path)[0] if one.kind == "quality"]
    assert any("3 damaged copies" in one and "at least 5" in one for one in said)
    assert any("2 repeats" in one for one in said)
    assert any("judges who fail 1 kind of check or more (repeats) are left out by the rule" in one for one in said)


def test_a_new_study_shows_the_block_as_a_comment_that_works(tmp_path: Path) -> None:
    rows = [
        {
            "item": str(k),
            "system": name,
            "hypothesis": cared.sentence(name, k),
            "references": [],
            "ratings": {},
        }
        for name in ("a", "b")
        for k in range(20)
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = tmp_path / "new"
    assert main(["study", "new", str(folder), "--protocol", "likert", "--from", str(tmp_path / "data.jsonl")]) == 0
    text = (folder / "study.yaml").read_text()
    lines = [line[2:] if line.startswith(("# quality", "#   ")) else line for line in text.splitlines()]
    (folder / "study.yaml").write_text("\n".join(lines) + "\n")
    study = load(folder)
    assert study.test is not None and study.test.attempts == 2


# ------------------------------------------------------------------------------------------------------- what is shown


def test_the_run_of_words_has_the_length_of_direct_assessment() -> None:
    for words, other in ((1, 9), (4, 9), (7, 9), (12, 20), (18, 30), (40, 60)):
        text = " ".join(f"w{k}" for k in range(words))
        made = damage(text, " ".join(f"x{k}" for k in range(other)), Random(words)).split()
        assert len(made) == words
        assert sum(one.startswith("x") for one in made) == words_replaced(words)
        places = [k for k, one in enumerate(made) if one.startswith("x")]
        assert places == list(range(places[0], places[-1] + 1))
        if words > 6:
            assert made[0] == "w0" and made[-1] == f"w{words - 1}"


def test_texts_without_spaces_are_damaged_by_characters() -> None:
    text, other = "今天北部山谷有雨并且风很大请大家注意安全出行", "明日南方晴朗无云气温较高适合户外活动与旅行"
    made = damage(text, other, Random(2))
    assert made != text and len(made) == len(text)
    assert sum(a != b for a, b in zip(made, text, strict=True)) <= 2 * words_replaced(len(text))


def test_copies_are_texts_of_their_own_that_count_for_no_system(tmp_path: Path) -> None:
    write(tmp_path, **cared.changes())
    frozen = freeze(load(tmp_path), tmp_path)
    outputs = 3 * cared.ITEMS
    assert len(frozen.served) == outputs and not any(text.role for text in frozen.served)
    assert Counter(text.role for text in frozen.texts) == {"": outputs, "degraded": outputs, "check": 2}
    assert frozen.study.panels["public"].evaluations == cared.ITEMS + 16
    for sheet in range(6):
        own = [slot for slot in frozen.slots if slot.block == sheet + 1]
        assert Counter(slot.role for slot in own) == {"": 24, "degraded": 8, "repeat": 6, "check": 2}
        main = {slot.texts[0]: k for k, slot in enumerate(own) if not slot.role}
        for place, slot in enumerate(own):
            if slot.role in ("degraded", "repeat"):
                original = frozen.original.get(slot.texts[0], slot.texts[0])
                assert abs(place - main[original]) >= 4
                assert (frozen.text[original].text == frozen.text[slot.texts[0]].text) == (slot.role == "repeat")
    again = Frozen.from_dict(json.loads(json.dumps(frozen.to_dict())))
    assert again.study == frozen.study and again.digest == frozen.digest
    each = frozen.study.panels["public"].evaluations
    later = protocol_of("likert").more(frozen, "public", each, each=each, before=frozen.slots)
    assert Counter(slot.role for slot in later) == {"": 24, "degraded": 8, "repeat": 6, "check": 2}
    assert all(text in frozen.text for slot in later for text in slot.texts)


def test_a_study_without_the_block_keeps_its_hash(tmp_path: Path) -> None:
    write(tmp_path)
    body = freeze(load(tmp_path), tmp_path).to_dict()
    assert "quality" not in body["study"] and all("role" not in text for text in body["texts"])


def test_outputs_that_are_all_alike_cannot_be_damaged(tmp_path: Path) -> None:
    subjects = {name: {"texts": [{"text": "rain"} for _ in range(12)]} for name in ("a", "b")}
    write(tmp_path, **cared.changes(subjects=subjects, quality={"degraded": 1, "gap": 1}))
    with pytest.raises(InputError, match="cannot be damaged: no output for another input has other words"):
        freeze(load(tmp_path), tmp_path)


# ---------------------------------------------------------------------------------------------------- tests of a judge


@pytest.mark.parametrize("test", ["signed-rank", "sign", "t"])
def test_the_one_sided_test_keeps_its_level(test: Any) -> None:
    """Of judges who see no difference at most five of a hundred pass: points with ties, and numbers without."""
    rng = np.random.default_rng(7)
    trials = 1500
    for draw in (lambda: rng.integers(1, 8, 10).astype(float), lambda: rng.normal(size=10)):
        passed = sum(degraded(draw(), draw(), test=test).passed is True for _ in range(trials))
        assert passed / trials < 0.05 + 3 * (0.05 * 0.95 / trials) ** 0.5
    if test != "sign":  # that of ten pairs has no level between .011 and .055
        assert passed / trials > 0.03


def test_the_paired_t_is_scipys() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(3)
    a, b = rng.normal(0.4, 1, 12), rng.normal(size=12)
    assert degraded(a, b, test="t").p == pytest.approx(ttest_rel(a, b, alternative="greater").pvalue)
    assert degraded([2.0, 2.0], [1.0, 1.0], test="t").p == 0 and degraded([1.0], [1.0], test="t").passed is None


def test_attention_entropy_and_self_agreement_by_hand() -> None:
    assert attention([True, False, False, False]).passed is True
    assert attention([True, True, False, False]).passed is False and attention([]).passed is None
    assert entropy([1, 1, 1, 2], 2) == pytest.approx(0.8113, abs=1e-4)
    found = self_agreement([1, 2, 3, 4, 5], [1, 2, 3, 4, 4])
    assert found.difference == pytest.approx(0.2) and found.same == pytest.approx(0.8)
    # squared differences: 0.2 seen; 2 + 1.36 + 0.2² = 3.4 expected from the margins
    assert found.kappa == pytest.approx(1 - 0.2 / 3.4) and 0.9 < found.icc < 1


# ---------------------------------------------------------------------------------------------------------- simulation


def simulated(folder: Path, *, judges: int = 24, seed: int = 5, **quality: Any) -> tuple[Service, set[str]]:
    """A study with spammers, and who these are."""
    panels = {"public": {"judges": judges, "access": "open"}}
    write(folder, **cared.changes(panels=panels, quality=cared.QUALITY | quality))
    frozen = freeze(load(folder), folder)
    service, _ = rehearse(frozen, Raters(spammers=0.3, damage=0.35, noise=0.1), seed=seed)
    return service, {one.judge for one in service.judgements() if one.client == "simulated spammer"}


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Service, set[str]]:
    return simulated(tmp_path_factory.mktemp("quality"), judges=40)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return simulated(tmp_path_factory.mktemp("few"), judges=12, seed=6)[0]


def test_the_rule_finds_spammers_and_spares_the_others(studied: tuple[Service, set[str]]) -> None:
    """Power and false alarms of attention checks and damaged copies together: nine of ten, and one of ten."""
    service, spammers = studied
    found = set(service.protocol.rule_excludes(service.frozen, service.judgements()))
    careful = {row["id"] for row in service.people.judges()} - spammers
    assert len(spammers) >= 8
    assert len(found & spammers) >= 0.9 * len(spammers)
    assert len(found & careful) <= 0.1 * len(careful)


def test_exclusions_are_events_with_reasons_and_both_analyses_are_shown(
    few: Service, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from nlgauge.report.study.renderers import renderer_of
    from nlgauge.study.statements.build import statement_of
    from nlgauge.study.statements.facts import gather

    service = few
    fresh = service.quality.exclude_by_rule()
    assert fresh and not service.quality.exclude_by_rule()
    assert {event["judge"]: event["data"]["reason"] for event in service.events("excluded")} == fresh
    careful = next(row["id"] for row in service.people.judges() if row["id"] not in fresh)
    service.quality.exclude(careful, "wrote that they were in a hurry")
    with pytest.raises(Refused, match="left out already"):
        service.quality.exclude(careful, "again")
    service.quality.readmit(careful, "it was another judge")
    with pytest.raises(Refused, match="not left out"):
        service.quality.readmit(careful, "again")
    with pytest.raises(InputError, match="a reason"):
        service.quality.exclude(careful, "  ")
    assert service.quality.excluded() == fresh

    result = service.protocol.analyse_service(service)
    assert dict(result.excluded) == fresh
    (beside,) = result.beside
    every, kept = beside.variant("all judges"), beside.variant("without those left out")
    assert every is not None and kept is not None
    assert every.judges == 12 and kept.judges == 12 - len(fresh)
    assert kept.alpha > every.alpha  # noise was left out
    assert {row.judge for row in result.judging[0].judges if row.excluded} == set(fresh)
    told = result.to_dict()
    assert told["excluded"] == fresh and len(told["with_and_without"][0]["variants"]) >= 3
    for form in ("text", "markdown", "latex"):
        renderer_of(result).show(result, form)
        out = capsys.readouterr().out
        assert "With and without" in out and "left out" in out
    page = renderer_of(result).write(result, tmp_path / "page.html").read_text()
    assert "Judges left out:" in page and "without those left out" in page
    statement = statement_of(service.frozen, facts=gather(service))
    said = json.dumps(statement.to_dict())
    assert "judges left out" in said and "plain figures with and without" in said
    assert "rule fixed at launch: judges who fail 1 kind of check or more (attention, degraded)" in said


def test_only_a_rule_of_the_file_excludes_by_rule(tmp_path: Path) -> None:
    service = rated.launched(tmp_path, Clock(), **cared.changes(quality={"degraded": 5, "gap": 4}))
    with pytest.raises(InputError, match=r"leaves nobody out, so exclude_by_rule\(\) has nothing to do"):
        service.quality.exclude_by_rule()


# -------------------------------------------------------------------------------------------- codes of pass, fail


def run_through(service: Service, answer: Any, seconds: float = 20.0) -> str:
    """A judge who goes to the end; `answer` gives the number for a text."""
    judge, _ = service.arrivals.register("public")
    while (step := service.dealing.step(judge)).evaluation is not None:
        assert isinstance(service.context.clock, Clock)
        service.context.clock.now += seconds
        text = step.evaluation.texts[0]
        service.answers.answer(judge, step.evaluation.claim, {"fluency": answer(text)})
    return judge


def careful_number(text: Any) -> int:
    if text.role == "check":
        return int(text.text.rstrip(".")[-1])
    return max(
        1,
        4 + len(text.item) % 2 + {"rules": 0, "neural": 1, "people": 2}[text.subject] - 3 * (text.role != ""),
    )


def test_who_fails_by_the_rule_ends_with_the_other_code_and_nothing_is_lost(tmp_path: Path) -> None:
    clock = Clock()
    quality = cared.QUALITY | {"rule": cared.QUALITY["rule"] | {"codes": True}}
    completion = {"code": "GOOD", "failed_code": "BAD"}
    service = rated.launched(tmp_path, clock, **cared.changes(quality=quality, completion=completion))
    good, bad = run_through(service, careful_number), run_through(service, lambda text: 3)
    step = service.dealing.step(good)
    assert (step.kind, step.code) == ("done", "GOOD")
    step = service.dealing.step(bad)
    assert (step.kind, step.code, step.failed) == ("failed", "BAD", "checks")
    (event,) = service.events("failed")
    assert event["data"]["why"] == "failed by the study's rule: attention, degraded"
    assert sum(one.judge == bad for one in service.judgements()) == service.study.panels["public"].evaluations
    assert not service.quality.excluded()  # a code is no exclusion


def test_checks_of_comparisons(tmp_path: Path) -> None:
    quality = {
        "attention": [{"texts": ["A good text.", "no no no"], "source": "x", "answer": {"fluency": 1}}],
        "rule": ["attention"],
    }
    write(tmp_path, **rated.comparing("pairwise", quality=quality))
    frozen = freeze(load(tmp_path), tmp_path)
    crowd = protocol_of("pairwise").crowd(frozen.study, {"speeders": 0.5})
    service, _ = rehearse(frozen, crowd, seed=2)
    found = service.protocol.rule_excludes(frozen, service.judgements())
    quick = {one.judge for one in service.judgements() if one.client == "simulated speeder"}
    assert set(found) <= quick


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "study"
    write(folder, **cared.changes(panels={"public": {"judges": 6, "access": "open"}}))
    assert main(["study", "launch", str(folder)]) == 0
    assert main(["study", "simulate", str(folder), "--spammers", "0.4", "--damage", "0.4"]) == 0
    capsys.readouterr()
    assert main(["study", "exclude", str(folder), "--by-rule", "--json"]) == 0
    assert "excluded" in json.loads(capsys.readouterr().out)
    judge = launched_judge(folder)
    assert main(["study", "exclude", str(folder), judge]) == 2
    assert "a reason of 1 to 500 characters" in capsys.readouterr().err
    assert main(["study", "exclude", str(folder), judge, "--reason", "asked to be left out"]) in (0, 2)
    assert main(["study", "exclude", str(folder)]) == 2
    assert "--by-rule" in capsys.readouterr().err
    assert main(["study", "readmit", str(folder), judge, "--reason", "changed their mind"]) == 0
    assert "counts again" in capsys.readouterr().out


def launched_judge(folder: Path) -> str:
    from nlgauge.study.service import opened

    service = opened(folder, Store.at(folder))
    return next(row["id"] for row in service.people.judges() if row["finished_at"] is not None)


def test_the_frozen_study_is_the_one_that_is_launched(tmp_path: Path) -> None:
    write(tmp_path, **cared.changes())
    service = launch(load(tmp_path), tmp_path, Store.memory(), clock=Clock())
    assert dataclasses.asdict(service.frozen.study)["quality"]["screens"] == 16


QUESTIONS = [{"text": "What is told?", "type": "choice", "options": ["rain", "sun"], "answer": "rain"}]


def new_with_checks(folder: Path, protocol: str, *options: str) -> Path:
    """A study as `study new` writes it, its block of checks uncommented."""
    data = folder / "data.jsonl"
    rows = (
        {
            "item": k,
            "system": name,
            "source": f"Talk about {k}.",
            "hypothesis": cared.sentence(name, k),
            "questions": QUESTIONS,
        }
        for k in range(24)
        for name in ("rules", "neural", "people", "other")
    )
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = folder / "study"
    args = ["study", "new", str(made), "--protocol", protocol, "--from", str(data), "--seed", "3", *options]
    assert main(args) == 0
    file = made / "study.yaml"
    begun, _, rest = file.read_text(encoding="utf-8").partition("# quality:")
    block, _, after = rest.partition("\n# practice:")
    uncommented = ("quality:" + block).replace("\n# ", "\n")
    if not isinstance(
        protocol_of(protocol), OfTexts
    ):  # whose damaged copies need long lists: many judges with short ones
        begun = re.sub("items_per_judge: [0-9]+", "items_per_judge: 4", begun)
        begun = re.sub("judges: [0-9]+", "judges: 60", begun)
    file.write_text(begun + uncommented + "\n# practice:" + after, encoding="utf-8")
    return made


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "triangle"])
def test_the_checks_that_study_new_writes_keep_careful_judges_and_few_others(tmp_path: Path, protocol: str) -> None:
    found, frozen = check(new_with_checks(tmp_path, protocol), simulate=False)
    assert frozen is not None, found
    assert not [one for one in found if one.kind in ("quality", "passing") and one.severity != "note"]
    rule = [one for one in found if one.message.startswith("the rule keeps")]
    assert rule[0].figures["careful"] >= 0.95
    assert rule[0].figures["guessing"] <= 0.2

    own = protocol_of(protocol)
    for careless, least, most in ((0.0, 0.95, 1.0), (1.0, 0.0, 0.2)):
        kind = {"spammers": careless} if isinstance(own, OfTexts) else {"speeders": careless}
        crowd = own.crowd(frozen.study, kind)
        service, _ = rehearse(frozen, crowd, seed=1)
        judges = len({one.judge for one in service.judgements()})
        out = own.rule_excludes(frozen, service.judgements())
        assert least <= 1 - len(out) / judges <= most
        if not careless:  # and no check is an answer about a system
            checks = [one for one in service.judgements() if one.role == "check"]
            assert len(checks) == judges * frozen.study.quality.extras.attention  # type: ignore[attr-defined]
            rows = list(own.long(checks[0], frozen))
            assert {row["role"] for row in rows} == {"check"}
            assert not {row.get("system") for row in rows} & set(frozen.study.authors)
            result = own.analyse_service(service)
            assert result.aside["check"] == len(checks)


def test_check_warns_of_a_rule_that_would_leave_out_careful_judges(tmp_path: Path) -> None:
    five = {"degraded": 5, "gap": 4, "rule": {"exclude": ["degraded"]}}
    write(tmp_path, **cared.changes(quality=five, scale={"points": 5, "labels": ["bad", "good"]}))
    (risk,) = [one for one in check(tmp_path, simulate=False)[0] if one.message.startswith("the rule keeps")]
    assert risk.severity == "risk"
    assert risk.figures["careful"] < 0.5
    assert "more damaged copies" in risk.message

    twelve = {**five, "degraded": 12}
    write(tmp_path, **cared.changes(quality=twelve, scale={"points": 5, "labels": ["bad", "good"]}))
    (note,) = [one for one in check(tmp_path, simulate=False)[0] if one.message.startswith("the rule keeps")]
    assert note.severity == "note"
    assert note.figures["careful"] > 0.95


def test_check_warns_of_checks_that_guessing_passes(tmp_path: Path) -> None:
    test = {"questions": [{"text": "?", "options": ["a", "b"], "answer": 1}], "attempts": 2}
    write(tmp_path, **cared.changes(quality={"comprehension": test}, instructions="Read."))
    (risk,) = [one for one in check(tmp_path, simulate=False)[0] if one.kind == "passing"]
    assert risk.severity == "risk"
    assert risk.figures["guessing"] == 0.75
    assert risk.figures["careful"] == round(1 - 0.05**2, 4)
