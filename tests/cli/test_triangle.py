"""`nlgauge triangle`: stable keys, the figures of the paper, sentences, and refusals in one sentence."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from nlgauge.cli import main
from nlgauge.cli.commands.triangle import shared


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["triangle", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def as_text(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["triangle", *arguments]) == 0
    return capsys.readouterr().out


def test_plan(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "plan", "--alpha", ".05", "--beta", ".05", "--pd", ".5")
    assert {"alpha", "beta", "p_d", "first", "stable", "min_correct", "power", "warnings"} <= found.keys()
    assert (found["first"], found["stable"], found["n"], found["min_correct"]) == (23, 29, 29, 15)
    assert found["power"] == pytest.approx(0.96886, abs=1e-5) and found["dips"] == [24, 26, 28]
    dip = as_json(capsys, "plan", "--alpha", ".05", "--beta", ".05", "--pd", ".5", "--judges", "24")
    assert dip["power"] == pytest.approx(0.93234, abs=1e-5) and any("power dip" in w for w in dip["warnings"])
    text = as_text(capsys, "plan", "--alpha", ".05", "--beta", ".05", "--pd", ".5")
    assert "stable number of judges  29" in text and text.strip().endswith("medium.")
    similar = as_json(
        capsys,
        "plan",
        "--alpha",
        ".2",
        "--beta",
        ".05",
        "--pd",
        ".2",
        "--true-pd",
        ".1",
        "--goal",
        "similarity",
        "--protocol",
        "duo-trio",
    )
    assert (similar["first"], similar["stable"]) == (604, 634)
    assert as_json(capsys, "plan", "--alpha", ".05", "--beta", ".2", "--d-prime", ".9")["first"] == 297


def test_what_the_judges_at_hand_can_do(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "plan", "-n", "24", "--alpha", ".05", "--beta", ".05")
    assert found["settings"][0]["p_d"] == 0.5 and found["smallest_p_d"] == pytest.approx(0.52087, abs=1e-5)
    assert "24 judges keep, at best," in as_text(capsys, "plan", "-n", "24")
    assert "none of the usual risks" in as_text(capsys, "plan", "-n", "3")


def test_critical(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "critical", "-n", "24", "--alpha", ".05")
    assert (found["n"], found["min_correct"]) == (24, 13)
    found = as_json(capsys, "critical", "-n", "36", "--beta", ".05", "--pd", ".3")
    assert (found["n"], found["max_correct"]) == (36, 13)
    assert found["power_if_no_difference"] == pytest.approx(0.7067, abs=1e-4)
    assert as_json(capsys, "critical", "-n", "6", "--alpha", ".001")["min_correct"] is None
    lenient = as_json(capsys, "critical", "-n", "24", "--alpha", ".05", "--method", "normal")
    assert lenient["min_correct"] == 12 and "too lenient" in lenient["warnings"][0]
    assert as_json(capsys, "critical", "-n", "1000000", "--alpha", ".05")["min_correct"] == 334110


SIMILAR = ("test", "--correct", "36", "--judges", "98", "--goal", "similarity", "--beta", ".01", "--pd", ".3")


def test_test(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, *SIMILAR)
    keys = {"goal", "correct", "judges", "p_value", "concluded", "p_d", "d_prime", "method", "sentence"}
    assert keys <= found.keys() and {"estimate", "low", "high"} <= found["p_d"].keys() & found["d_prime"].keys()
    assert found["concluded"] is True and found["p_d"]["high"] == pytest.approx(0.23397, abs=5e-6)
    assert found["p_value"] == pytest.approx(0.000694592, rel=1e-5) and "exact" in found["method"]
    normal = as_json(capsys, *SIMILAR, "--method", "normal")
    assert round(normal["p_d"]["high"], 3) == 0.221 and "normal" in normal["method"]
    text = as_text(capsys, *SIMILAR)
    assert "very strong evidence of similarity" in text and "at most 23.4 % of people" in text
    everyone = as_json(capsys, "test", "--correct", "20", "--judges", "20")
    assert everyone["d_prime"]["estimate"] is None  # unbounded
    planned = as_json(
        capsys,
        "test",
        "--correct",
        "16",
        "-n",
        "29",
        "--alpha",
        ".05",
        "--beta",
        ".05",
        "--pd",
        ".5",
        "--planned",
        "29",
    )
    assert planned["study"] == "confirmatory"


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    text = as_text(capsys, "tables")
    assert "1178 / 1200" in text and "1181 is the next number" in text and "Table 3" in text
    found = as_json(capsys, "tables")
    assert [len(found[f"table{k}"]) for k in (1, 2, 3)] == [125, 95, 100]
    assert "1181" not in as_text(capsys, "tables", "--protocol", "tetrad").replace("1178 / 1200", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("plan --alpha .05 --beta .05 --pd .5 --per-judge 6 --gamma .2", "6 answers each find a difference"),
        ("replicated --by-judge 0,2,3,3,3,5,9,9 --per-judge 12", "over-dispersion"),
        (
            "sequential --alpha .05 --beta .05 --pd .5 --answers 11111",
            "after 5 of 5 answers: stop: difference",
        ),
        ("sequential --alpha .05 --beta .05 --pd .5 --most 9 --answers 101010101", "undecided"),
        ("sequential --looks 24,48,72 --alpha .05 --pd .3 --futility .1", "at 72 judges at least 32 correct"),
        (
            "sequential --looks 50,100 --beta .05 --pd .3 --goal similarity",
            "Conclude similarity at 50 judges",
        ),
        ("sequential --correct 15 -n 30 --total 72 --pd .3", "After 30 of 72 judges"),
        ("panels --panel experts=13/24 --panel public=36/98", "Fisher's exact test"),
        ("panels --panel a=60/100 --panel b=45/100@duo-trio", "likelihood ratio of d′"),
        ("preference 2 2 6", "in favour of B"),
        ("a-not-a 10 20 3 20", "A-not-A"),
        ("same-different 8 5 4 9", "same-different"),
        ("test --correct 13 --judges 4 --per-judge 6", "4 judges, 6 answers each"),
        ("test --correct 30 -n 60 --protocol double-tetrad --method likelihood", "double tetrad test"),
    ],
)
def test_every_action_ends_in_a_sentence(capsys: pytest.CaptureFixture[str], arguments: str, words: str) -> None:
    assert words in as_text(capsys, *arguments.split())
    assert as_json(capsys, *arguments.split())["sentence"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("plan --alpha 0 --beta .05 --pd .5", "alpha must lie between 0 and 1, not 0"),
        ("plan --alpha .05 --beta 1 --pd .5", "beta must lie between 0 and 1, not 1"),
        ("plan --alpha .05 --beta .05 --pd 1.2", "not 1.2; write 30 % as 0.3"),
        ("plan --alpha .05 --beta .05 --pd 0", "above 0"),
        ("plan --alpha .05 --beta .05 --pd nan", "finite number"),
        ("plan --alpha much --beta .05 --pd .5", "must be a number, not 'much'"),
        ("plan --alpha .05 --beta .05", "--judges N"),
        ("plan --judges 0", "at least 1, not 0"),
        ("plan --judges 24 --goal sameness", "no goal 'sameness'"),
        ("plan --alpha .05 --beta .05 --pd .5 --protocol triangel", "did you mean triangle"),
        ("plan --alpha .05 --beta .05 --pd .5 --d-prime 1", "either as p_d or as d_prime"),
        ("plan --alpha .05 --beta .05 --pd 1e-9", "larger p_d"),
        ("plan --alpha .05 --beta .05 --pd .3 --true-pd .4 --goal similarity", "must lie below p_d"),
        ("plan --alpha .05 --beta .05 --pd .5 --per-judge 6", "need --gamma"),
        ("plan --alpha .05 --beta .05 --pd .5 --per-judge 6 --gamma 1", "gamma must be at least 0"),
        ("plan --alpha .05 --beta .05 --pd .5 --per-judge 6 --goal similarity", "one answer from each judge"),
        ("critical -n 24 --beta .05", "needs p_d beside beta"),
        ("critical -n 24 --alpha .05 --beta .05 --pd .3", "give one or the other"),
        ("critical -n 24 --beta .05", "needs p_d"),
        ("critical -n 24 --alpha .05 --pd .3", "belongs to a similarity test"),
        ("critical -n 24 --alpha .05 --method guess", "no method 'guess'"),
        ("critical -n 2.5 --alpha .05", "whole number"),
        ("test --correct 99 --judges 98", "more correct answers than answers"),
        ("test --correct -1 --judges 98", "at least 0"),
        ("test --correct 0 --judges 0", "at least 1, not 0"),
        ("test --correct 9 --judges 18 --level 95", "write 95 % as 0.95"),
        ("test --correct 36 --judges 98 --goal similarity", "needs beta and p_d"),
        (
            "test --correct 36 --judges 49 --per-judge 2 --goal similarity --beta .01 --pd .3",
            "one answer from each",
        ),
        ("test --correct 0 --judges 98 --goal similarity --beta .01 --pd .3 --method normal", "no spread"),
        ("test --correct 9 --judges 18 --planned 0", "planned number of judges must be at least 1"),
        ("tables --protocol square", "no protocol 'square'"),
        ("replicated --by-judge 3 --per-judge 12", "at least two"),
        ("replicated --by-judge 3,x --per-judge 12", "whole numbers separated by commas"),
        ("replicated --by-judge 3,13 --per-judge 12", "judge 2 has 13"),
        ("replicated --by-judge 3,3 --per-judge 12,12,12", "one per judge"),
        ("sequential --alpha .05 --beta .05", "needs --pd"),
        ("sequential --alpha .05 --beta .05 --pd .5 --answers 012", "row of 0 and 1"),
        ("sequential --looks 24,24 --alpha .05 --pd .3", "growing numbers"),
        ("sequential --looks 24,48 --beta .05 --pd .3", "need --alpha and --pd"),
        ("sequential --correct 5 -n 30 --total 20 --pd .3", "more than the 20 planned"),
        ("plan --pd .3 --gamma .2", "needs --per-judge"),
        ("plan --pd .3 --per-judge 10000 --gamma .2", "at most 1,000"),
        ("plan --pd 1e-5", "more than can be searched"),
        ("test --correct 1 --judges 2e12", "at least 1 and at most 1,000,000,000"),
        ("test --correct 1 --judges 20 --alpha 1e-300", "alpha = 1e-300 is too small"),
        ("test --correct 20 --judges 20 --method normal", "no spread"),
        ("replicated --by-judge 3,,5 --per-judge 12", "whole numbers separated by commas"),
        ("sequential --pd .3 --looks 10,,20", "whole numbers separated by commas"),
        ("sequential --pd .3 --looks 10,20 --total 30", "give one of them"),
        ("sequential --pd .3 --looks 10,20 --most 30", "leave --looks out"),
        ("sequential --pd .3 --looks 10,20 --answers 101", "leave --looks out"),
        ("sequential --pd .3 --spending pocock", "needs --looks"),
        ("sequential --pd .3 --looks 10,20 --futility 0", "no test can keep a risk of nothing"),
        ("a-not-a 11 10 5 10", "more answers “A” than texts of kind A"),
        ("panels --panel a=1/2", "at least two panels"),
        ("panels --panel a=1-2 --panel b=1/2", "NAME=CORRECT/JUDGES"),
        ("panels --panel a=3/2 --panel b=1/2", "more correct answers than answers"),
        ("preference 0 0 0", "no one answered"),
        ("preference 1 2", "PREFER_B"),
        ("a-not-a 20 20 20 20", "every answer is the same"),
        ("same-different 0 5 4 9", "cannot be estimated"),
        ("", "ACTION"),
        ("guess", "guess"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], arguments: str, words: str) -> None:
    assert main(["triangle", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1 and err.startswith("nlgauge: "), err
    assert words in err
    assert "Traceback" not in err


def test_help_is_light() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from nlgauge.cli import main\n"
        "try: main(['triangle', 'test', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'scipy', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]" and "--planned" in done.stdout


@pytest.mark.parametrize("action", shared.EXAMPLES)
def test_every_action_shows_examples_that_run(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["triangle", action, "--help"])
    assert shared.EXAMPLES[action] in capsys.readouterr().out
    for line in shared.EXAMPLES[action].splitlines():
        command = re.split(r"\s{3,}", line.strip())[0].split()
        assert main([*command[1:], "--json"]) == 0, line
        capsys.readouterr()


def test_risks_are_five_per_cent_unless_given(capsys: pytest.CaptureFixture[str]) -> None:
    usual = as_json(capsys, "plan", "--pd", ".5")
    assert usual == as_json(capsys, "plan", "--alpha", ".05", "--beta", ".05", "--pd", ".5")
    assert as_json(capsys, "critical", "-n", "24") == as_json(capsys, "critical", "-n", "24", "--alpha", ".05")
    similar = as_json(capsys, "critical", "-n", "98", "--pd", ".3")
    assert similar == as_json(capsys, "critical", "-n", "98", "--pd", ".3", "--beta", ".05")


def test_quantities_and_levels_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["triangle", "test", "--correct", "13", "--judges", "24"]) == 0
    out = capsys.readouterr().out
    assert "p_d: the share of people who perceive the difference" in out
    assert "1 − α = 95 %, as the test does, so that both together make a 90 % interval" in out
    assert main(["triangle", "test", "--correct", "13", "--judges", "24", "--level", ".95"]) == 0
    assert "both together" not in capsys.readouterr().out


def test_whole_numbers_in_any_notation(capsys: pytest.CaptureFixture[str]) -> None:
    plain = as_json(capsys, "test", "--correct", "36", "--judges", "100")
    assert plain == as_json(capsys, "test", "--correct", "36.0", "--judges", "1e2")
    plain = as_json(capsys, "replicated", "--by-judge", "3,5,6", "--per-judge", "12")
    assert plain == as_json(capsys, "replicated", "--by-judge", "3, 5.0 6", "--per-judge", "12.0")


def test_a_tiny_gamma_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    alike = as_json(capsys, "plan", "--pd", ".3", "--per-judge", "4", "--gamma", "0")
    assert alike["judges"] == 19
    assert as_json(capsys, "plan", "--pd", ".3", "--per-judge", "4", "--gamma", "1e-15") == alike


def test_even_preferences_favour_neither(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "preference", "1", "1", "1")
    assert "1 judge preferred A" in found["sentence"] and "in favour of neither (" in found["sentence"]


def test_reversed_answers_are_remarked_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert any("look reversed" in note for note in as_json(capsys, "a-not-a", "0", "10", "10", "10")["warnings"])
    assert not any("reversed" in note for note in as_json(capsys, "a-not-a", "4", "10", "5", "10")["warnings"])
