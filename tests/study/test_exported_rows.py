"""Rows of `study export --long`: other commands count what the study's analysis counts, and say what they set aside."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cared
import pytest
import rated
from studies import Clock

from nlgauge import agreement, skill
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.io.exported import set_aside
from nlgauge.io.games import read_games
from nlgauge.meta.observations import observe
from nlgauge.study.exchange import export
from nlgauge.study.exchange.importing.tables import read_table
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.comparisons import answers
from nlgauge.study.protocols.comparisons.simulation import Choosers
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse

NUMBERS = (4, 2, 5, 1, 3, 2, 4, 5)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Service, Path]:
    """Two criteria, a warm-up, repeated screens, a judge who is left out."""
    folder = tmp_path_factory.mktemp("compared")
    quality = {"repeats": 2, "gap": 2}
    panels = {"public": {"judges": 6, "evaluations": 8, "access": "open"}}
    rated.write(folder, **rated.comparing("pairwise", practice=1, quality=quality, panels=panels))
    service, _ = rehearse(freeze(load(folder), folder), Choosers(), seed=3)
    service.quality.exclude(service.people.judges()[0]["id"], "answered for somebody else")
    export.write_long(service, folder / "long.jsonl")
    export.write_long(service, folder / "long.csv")
    return service, folder


@pytest.mark.parametrize("name", ["long.jsonl", "long.csv"])
def test_rate_counts_what_the_analysis_counts(compared: tuple[Service, Path], name: str) -> None:
    service, folder = compared
    with pytest.raises(InputError, match=r"2 criteria \(fluency, formality\).*--criterion"):
        skill.rate(folder / name)
    with pytest.raises(InputError, match="no games of the criterion 'form'; did you mean formality"):
        skill.rate(folder / name, criterion="form")
    for one in service.protocol.analyse_service(service).comparisons:
        found = skill.rate(folder / name, criterion=one.criterion.id)
        assert f"|n={one.n}|" in found.receipt and one.n < 48
        (note,) = [text for text in found.notes if "left out" in text]
        assert "warm-up 6" in note and "repeats" in note and "judges who are left out" in note


def test_the_commands_say_it(compared: tuple[Service, Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = str(compared[1] / "long.jsonl")
    assert main(["rate", path]) == 2
    assert main(["rate", path, "--criterion", "fluency", "--criterion", "formality", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["criteria"]
    assert [one["criterion"] for one in told] == ["fluency", "formality"]
    assert main(["rate", path, "--criterion", "fluency", "--panel", "experts"]) == 2
    assert "there are no games of the panel 'experts'" in capsys.readouterr().err


def test_rows_appended_again_and_rows_of_which_none_counts(compared: tuple[Service, Path], tmp_path: Path) -> None:
    lines = (compared[1] / "long.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    twice, none = tmp_path / "twice.csv", tmp_path / "none.csv"
    twice.write_text("".join(lines + lines[1:]), encoding="utf-8")
    with pytest.raises(InputError, match=r"twice.csv, line \d+: the judgement '\w+' was read before \(.*line \d+"):
        skill.rate(twice, criterion="fluency")
    none.write_text("".join([lines[0], *(line for line in lines if ",false,warmup" in line)]), encoding="utf-8")
    for criterion, said in (("fluency", "6 were"), (None, "12 were")):
        with pytest.raises(InputError, match=rf"no row of .*none.csv counts: {said} set aside \(warm-up"):
            skill.rate(none, criterion=criterion)
        with pytest.raises(InputError, match=rf"no row of .*none.csv counts: {said} set aside \(warm-up"):
            agreement.agree(none, criterion)


def test_meta_takes_one_question_of_what_counts(compared: tuple[Service, Path]) -> None:
    service, folder = compared
    with pytest.raises(InputError, match=r"2 criteria .*where=\[\('criterion', 'fluency'\)\]"):
        observe(folder / "long.jsonl")
    found = observe(folder / "long.jsonl", where=[("criterion", "fluency")])
    (one,) = [one for one in service.protocol.analyse_service(service).comparisons if one.criterion.id == "fluency"]
    assert len(found.pairs) == one.n - one.ties
    assert any("warm-up 6" in note for note in found.notes)


def test_agreement_on_preferences_does_not_ask_who_stood_first() -> None:
    rows: list[dict[str, Any]] = [
        {"item": str(k), "system_a": a, "system_b": b, "judge": judge, "ratings.preference": side}
        for k in range(4)
        for judge, a, b, side in (("j", "x", "y", "ab"[k % 2]), ("i", "y", "x", "ba"[k % 2]))
    ]
    found = agreement.agree(rows)
    assert (found.items, found["percent"].estimate) == (4, 1.0)


def test_agreement_and_strengths_of_exported_preferences_are_those_of_the_analysis(
    compared: tuple[Service, Path], tmp_path: Path
) -> None:
    service, _ = compared
    path = tmp_path / "long.jsonl"
    export.write_long(service, path)
    for ours in service.protocol.analyse_service(service).parts:
        name = ours.criterion.id
        assert agreement.agree(path, name)["krippendorff"].estimate == pytest.approx(ours.agreeing.alpha)
        found = skill.rate(path, criterion=name, ties="rao-kupper", interval="two-way")
        shown = {one.player: (one.rating, one.low, one.high) for one in found.ratings}
        for one in ours.models.means:
            assert shown[one.system] == pytest.approx((one.mean, one.low, one.high), abs=1e-6)
        assert any('interval="two-way"' in note for note in skill.rate(path, criterion=name).notes)


def test_a_discussion_and_excluded_judges_in_agreement_and_import(tmp_path: Path) -> None:
    clock = Clock()
    small = cared.changes(quality=None, design="crossed", panels={"public": {"judges": 3, "access": "open"}})
    small["subjects"] = {name: {"texts": one["texts"][:3]} for name, one in small["subjects"].items()}
    service = rated.launched(tmp_path / "s", clock, practice=1, **small)
    judges = [service.arrivals.register("public")[0] for _ in range(3)]
    for place, judge in enumerate(judges):
        number = place
        while (step := service.dealing.step(judge)).evaluation is not None:
            clock.now, number = clock.now + 9, number + 1
            value = {"fluency": NUMBERS[number % len(NUMBERS)]}
            if step.evaluation.practice:
                service.answers.answer_practice(judge, step.evaluation.number, value)
            else:
                service.answers.answer(judge, step.evaluation.claim, value)
    text = next(one.texts[0] for one in service.judgements() if not one.practice)
    service.discussion.open([text], least=0.5)
    for judge in judges:
        talk = service.dealing.step(judge).talk
        assert talk is not None
        clock.now += 9
        service.answers.rerate(judge, talk.given.id, {"fluency": 7})
    service.discussion.end()
    for out in ("", judges[2]):
        if out:
            service.quality.exclude(out, "a colleague")
        path = tmp_path / f"long{bool(out)}.csv"
        export.write_long(service, path)
        found = agreement.agree(path)
        (ours,) = service.protocol.analyse_service(service).ratings
        assert found.judges == ours.judges == 3 - bool(out) and found.ratings == ours.n
        assert found["krippendorff"].estimate == pytest.approx(ours.agreeing.alpha)
        notes = " ".join(found.notes)
        assert "answers before a discussion" in notes and "no agreement of independent judges" in notes
        assert ("judges who are left out" in notes) == bool(out)
        source = read_table([path])
        assert len(source.ratings) == ours.n and source.skipped["answers before a discussion"] == 3


def test_an_empty_file_lacks_judgements_not_outputs(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.touch()
    for read, each in ((agreement.agree, "judgement"), (skill.rate, "game")):
        with pytest.raises(InputError, match=f"empty.csv is empty: it has no rows; expected one row for each {each}"):
            read(path)


def test_an_export_from_before_the_mark() -> None:
    row = {"judgement": "a", "slot": "p-1", "practice": "false", "role": "", "surplus": "False"}
    assert set_aside(row, "x") == ""
    assert [set_aside(row | more, "x") for more in ({"practice": "True"}, {"role": "check"}, {"surplus": 1})] == [
        "practice",
        "check",
        "surplus",
    ]
    with pytest.raises(InputError, match="export the study again"):
        set_aside(row | {"replaces": "b"}, "x")
    assert set_aside({"practice": "true", "item": "1"}, "x") == ""  # somebody else's table


def test_the_mark_is_believed_in_our_own_rows_only_and_must_be_one() -> None:
    row = {"judgement": "a", "slot": "p-1", "practice": "false"}
    for theirs in ("0", "2", "no", "false"):
        assert set_aside({"item": "1", "judge": "j", "value": 3, "counts": theirs}, "x") == ""
    assert set_aside({"item": "1", "counts": "false", "aside": "excluded"}, "x") == "excluded"  # columns were cut
    assert set_aside(row | {"counts": "1"}, "x") == "" == set_aside(row | {"counts": True}, "x")
    assert set_aside(row | {"counts": "FALSE"}, "x") == "unsaid"
    assert set_aside(row | {"counts": "0", "role": "check"}, "x") == "check"
    for word in ("yes", "WAHR", "perhaps", 2):
        with pytest.raises(InputError, match=rf"x, line 3: counts is {word!r}; expected true or false"):
            set_aside(row | {"counts": word}, "x, line 3")
    with pytest.raises(InputError, match=r"x: counts is 'true', but aside says .*excluded"):
        set_aside(row | {"counts": "true", "aside": "excluded"}, "x")
    with pytest.raises(InputError, match=r"x: counts is empty, and aside is 'excluded'"):
        set_aside(row | {"aside": "excluded"}, "x")


def test_spans_that_were_marked_are_no_ratings(tmp_path: Path) -> None:
    ours = {"judgement": "a", "slot": "p-1", "practice": "false", "counts": "true"}
    rows: list[dict[str, Any]] = [
        ours | {"item": item, "judge": judge, "criterion": "penalty", "value": value}
        for item, judge, value in (("1", "j", 5), ("1", "k", 0), ("2", "j", 1), ("2", "k", 1))
    ]
    mark = ours | {"item": "1", "judge": "j", "criterion": "error", "value": 1}
    rows += [mark | {"on": "output", "start": place, "end": place + 2} for place in (0, 4)]
    assert agreement.agree(rows).criterion == "penalty", "the only criterion that is rated"
    path = tmp_path / "long.jsonl"
    path.write_text("\n".join(json.dumps(row | {"system": "x"}) for row in rows), encoding="utf-8")
    source = read_table([path])
    assert (len(source.ratings), source.skipped) == (4, {"spans that were marked": 2})
    with pytest.raises(InputError, match=r"'error' of the rows are spans .* of ratings there are: penalty"):
        agreement.agree(rows, "error")


@pytest.mark.parametrize("protocol", ["ranking", "best-worst", "rankme"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_rate_reads_screens_of_several_texts(tmp_path: Path, protocol: str, kind: str) -> None:
    comparing = rated.estimating if protocol == "rankme" else rated.comparing
    rated.write(tmp_path, **comparing(protocol, practice=1))
    study = load(tmp_path)
    service, _ = rehearse(freeze(study, tmp_path), protocol_of(protocol).crowd(study, {}), seed=3)
    export.write_long(service, tmp_path / f"long.{kind}")
    counted = [one for one in service.judgements() if not one.role]
    criterion = study.questions_asked[0].id
    won: Counter[tuple[str, str]] = Counter()
    for one in counted:
        systems = [service.frozen.text[text].subject for text in one.texts]
        if criterion not in one.answer:
            continue
        if protocol == "rankme":
            values = [-value for value in one.answer[criterion]]
            pairs = answers.wins({"ranks": [1 + sum(o < v for o in values) for v in values]}, len(systems))
        else:
            pairs = answers.wins(one.answer[criterion], len(systems))
        for better, worse, share in pairs:
            won[systems[better], systems[worse]] += share
            won[systems[worse], systems[better]] += 1 - share
    found = skill.rate(tmp_path / f"long.{kind}", criterion=criterion, ridge=1.0)
    games = read_games(tmp_path / f"long.{kind}", criterion=criterion)
    told: Counter[tuple[str, str]] = Counter()
    for a, b, outcome in zip(games.a, games.b, games.outcome, strict=True):
        told[a, b] += {"a": 1.0, "b": 0.0, "tie": 0.5}[outcome]
        told[b, a] += {"a": 0.0, "b": 1.0, "tie": 0.5}[outcome]
    assert told == won and len(found.ratings) == len({name for pair in won for name in pair})
    assert any("warm-up" in note for note in found.notes)
