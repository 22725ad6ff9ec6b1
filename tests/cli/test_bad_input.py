"""Every mistake a user can make gets one clear sentence, exit code 2, and nothing half-written."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.io.outputs import refuse_harm

ROW = {"item": "1", "system": "a", "hypothesis": "x y z", "references": ["x y"]}


def write(path: Path, *rows: dict[str, object] | str) -> str:
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return str(path)


def two_systems(path: Path, a: list[str], b: list[str]) -> str:
    rows = [
        {"item": str(k), "system": system, "hypothesis": text, "references": ["the cat sat on the mat"]}
        for system, texts in (("a", a), ("b", b))
        for k, text in enumerate(texts)
    ]
    return write(path, *rows)


def check_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], *words: str) -> str:
    """Run, and check exit code 2, an empty standard output and one sentence with these words."""
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code == 2, (code, out, err)
    assert out == ""
    lines = err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("nlgauge: "), err
    for word in words:
        assert word in err, err
    assert "Traceback" not in err
    return err


def test_unequal_line_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hyp, ref = write(tmp_path / "h.txt", "a", "b", "c"), write(tmp_path / "r.txt", "a", "b")
    check_refused(capsys, ["score", "--hyp", f"s={hyp}", "--ref", ref], "h.txt", "r.txt", "3", "2")


def test_duplicate_item_and_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW, ROW)
    check_refused(capsys, ["score", path], "d.jsonl", "line 2", "line 1", "'a'", "'1'")


def test_missing_references(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", {"item": "1", "system": "a", "hypothesis": "x"})
    check_refused(capsys, ["score", path, "-m", "bleu"], "references", "'1'")


def test_unknown_metric_with_suggestion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW)
    check_refused(capsys, ["score", path, "-m", "blue"], "no metric 'blue'", "did you mean bleu")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("bleu(tokenizer=13a)", ["no field 'tokenizer'", "tok"]),
        ("bleu(tok=13b)", ["tok", "13a"]),
        ("bleu(order=-1)", ["order", "at least 1"]),
        ("bleu(", ["expected key=value"]),
        ("chrf(beta=much)", ["beta", "number"]),
    ],
)
def test_unknown_or_invalid_field(
    spec: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "d.jsonl", ROW)
    check_refused(capsys, ["score", path, "-m", spec], *words)


def test_invalid_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hyp, ref = tmp_path / "h.txt", write(tmp_path / "r.txt", "a", "b")
    hyp.write_bytes(b"good line\nbad \xff byte\n")
    check_refused(capsys, ["score", "--hyp", f"s={hyp}", "--ref", ref], "h.txt", "line 2", "UTF-8")
    path = tmp_path / "d.jsonl"
    path.write_bytes(json.dumps(ROW).encode() + b'\n{"item": "\xff"}\n')
    check_refused(capsys, ["score", str(path)], "d.jsonl", "line 2", "UTF-8")


def test_malformed_json_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW, '{"item": "2", "system": ')
    check_refused(capsys, ["score", path], "d.jsonl", "line 2", "JSON")


def test_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(capsys, ["score", write(tmp_path / "d.jsonl")], "d.jsonl", "empty")
    hyp, ref = write(tmp_path / "h.txt"), write(tmp_path / "r.txt")
    check_refused(capsys, ["score", "--hyp", f"s={hyp}", "--ref", ref], "empty")


def test_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(capsys, ["score", str(tmp_path)], str(tmp_path), "folder")
    check_refused(capsys, ["score", "--hyp", f"s={tmp_path}", "--ref", str(tmp_path)], str(tmp_path))


def test_no_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "d.jsonl", ROW)

    # The superuser may read anything, so the refusal of the operating system is played.
    def denied(*_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("builtins.open", denied)
    monkeypatch.setattr(Path, "open", denied)
    monkeypatch.setattr(Path, "read_bytes", denied)
    monkeypatch.setattr(Path, "read_text", denied)
    check_refused(capsys, ["score", path], "d.jsonl", "permission")


def test_missing_file_suggests_a_near_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "outputs.jsonl", ROW)
    check_refused(capsys, ["score", str(tmp_path / "output.jsonl")], "output.jsonl", "outputs.jsonl")


@pytest.mark.parametrize("rating", ["NaN", "Infinity", '"good"'])
def test_ratings_that_are_not_numbers(rating: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = json.dumps(ROW)[:-1] + f', "ratings": {{"fluency": [4, {rating}]}}}}'
    check_refused(capsys, ["score", write(tmp_path / "d.jsonl", row)], "d.jsonl", "line 1")


def test_one_system_given_to_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(capsys, ["compare", write(tmp_path / "d.jsonl", ROW)], "one system", "'a'")


def test_unknown_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two_systems(tmp_path / "d.jsonl", ["the cat", "a mat"], ["the dog", "the mat"])
    check_refused(capsys, ["compare", path, "--baseline", "c"], "no system 'c'", "a, b")


def test_zero_variance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two_systems(tmp_path / "d.jsonl", ["the cat", "a mat"], ["the cat", "a mat"])
    check_refused(capsys, ["compare", path, "-m", "bleu"], "bleu", "'a'", "'b'", "every segment")


def test_one_item_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two_systems(tmp_path / "d.jsonl", ["the cat"], ["the dog"])
    check_refused(capsys, ["compare", path, "-m", "bleu"], "one item")


def test_systems_that_lack_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two_systems(tmp_path / "d.jsonl", ["the cat", "a mat", "the cat sat on"], ["the dog", "the mat"])
    check_refused(capsys, ["compare", path, "-m", "chrf"], "--common", "'b'")
    assert main(["compare", path, "-m", "chrf", "--common", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"][0]["n"] == 2


def test_unknown_column_and_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", {**ROW, "hypotesis": "x"})
    check_refused(capsys, ["score", path], "hypotesis", "hypothesis", "line 1")
    check_refused(capsys, ["scroe", path], "did you mean score")


def test_data_and_line_files_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW)
    check_refused(capsys, ["score", path, "--hyp", "a=b"], "not both")
    check_refused(capsys, ["score"], "no data given")


def test_bad_level_and_trials(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW, {**ROW, "item": "2"})
    check_refused(capsys, ["score", path, "--ci", "--level", "95"], "level", "between 0 and 1")


def test_nothing_is_written_when_scoring_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW, "{broken")
    target = tmp_path / "segments.jsonl"
    check_refused(capsys, ["score", path, "--segments", str(target)], "line 2")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.jsonl"]


def test_segments_into_a_missing_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW)
    check_refused(capsys, ["score", path, "--segments", str(tmp_path / "no" / "s.jsonl")], "s.jsonl")


def test_usage_errors_also_exit_with_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nlgauge", "score", "--jobs", "0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "at least 1" in done.stderr and done.stdout == ""


@pytest.mark.parametrize(
    "arguments", [["score", "--segments"], ["score", "--stream", "--segments"], ["compare", "--html"]]
)
def test_data_are_never_overwritten(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two_systems(tmp_path / "d.jsonl", ["the cat", "a mat"], ["the dog", "the mat"])
    before = Path(path).read_bytes()
    (tmp_path / "link.jsonl").symlink_to(path)
    for target in (path, str(tmp_path / "link.jsonl")):
        check_refused(capsys, [arguments[0], path, *arguments[1:], target], "read by this command")
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--jobs", "2147483648"], "at most 1024"),
        (["--seed", "-1"], "at least 0"),
        (["--trials", "1000000000000"], "at most"),
        (["--trials", "many"], "whole number"),
        (["--level", "nan"], "between 0 and 1"),
        (["--segments", ""], "empty"),
        (["--segments", "d.jsonl/x.jsonl"], "d.jsonl is a file, not a folder"),
        (["--nonsense"], "unrecognized arguments"),
        (["--stream", "--repeats", "number"], "leave --stream out"),
    ],
)
def test_options_are_refused_in_one_sentence(
    options: list[str],
    word: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    check_refused(capsys, ["score", write(tmp_path / "d.jsonl", ROW), *options], word)


def test_files_with_the_longest_names_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", ROW)
    assert main(["score", path, "--segments", str(tmp_path / ("s" * 249 + ".jsonl"))]) == 0
    capsys.readouterr()
    check_refused(capsys, ["score", path, "--segments", str(tmp_path / ("s" * 300 + ".jsonl"))], "name too long")


def run_shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", ROW)
    full = run_shell(f"{sys.executable} -m nlgauge score {path} > /dev/full")
    assert full.returncode == 2 and "No space left" in full.stderr and "Traceback" not in full.stderr
    closed = run_shell(f"{sys.executable} -m nlgauge score {path} >&-")
    assert closed.returncode == 0 and "Traceback" not in closed.stderr
    latin = run_shell(f"PYTHONIOENCODING=latin-1 {sys.executable} -m nlgauge score {path}")
    assert latin.returncode == 0 and "bleu ?" in latin.stdout
    piped = run_shell(f"{sys.executable} -m nlgauge list | head -1")
    assert piped.returncode == 0 and piped.stderr == ""


def test_line_files_from_pipes(tmp_path: Path) -> None:
    command = f"{sys.executable} -m nlgauge score --json --hyp a=<(printf 'x\\n') --ref <(printf '%s')"
    good = run_shell(command % "x\\n")
    assert good.returncode == 0, good.stderr
    unequal = run_shell(command % "x\\ny\\n")
    assert unequal.returncode == 2 and "same number of lines" in unequal.stderr and "Traceback" not in unequal.stderr


def test_ratings_in_two_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "d.jsonl", {**ROW, "ratings": "x", "ratings.q": 1})
    check_refused(capsys, ["score", path], "line 1", "ratings")


def test_controls_in_names_are_shown_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {
            "item": i,
            "system": s,
            "hypothesis": f"a {i * k}",
            "references": ["a 4"],
            "ratings": {"q\x1b": (i + k) % 3},
        }
        for i in range(6)
        for k, s in enumerate(("x\ny", "z\x1b[2J"))
    ]
    path, page = tmp_path / "set.jsonl", tmp_path / "page.html"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for words in (
        ["compare", str(path), "-m", "chrf", "--html", str(page)],
        ["meta", str(path), "-m", "chrf", "--draws", "0", "--html", str(page)],
        ["meta", str(path), "--human", "nope"],
    ):
        main(words)
        shown = capsys.readouterr()
        assert "\x1b" not in shown.out + shown.err and "x\ny" not in shown.out
        assert "\\x1b" in shown.out + shown.err
        assert "\x1b" not in page.read_text(encoding="utf-8")


def test_a_warning_of_another_package_is_shown_once_with_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_: object) -> int:
        for _ in range(3):
            warnings.warn("this will change", UserWarning, stacklevel=1)
        return 0

    monkeypatch.setattr("nlgauge.cli.commands.list.run", run)
    with warnings.catch_warnings():
        warnings.resetwarnings()
        assert main(["list"]) == 0
    err = capsys.readouterr().err
    assert err.count("UserWarning: this will change") == 1 and f"{__file__}:" in err


def test_a_study_file_is_protected_without_the_package_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.yaml").write_text("data: outputs.jsonl\n", encoding="utf-8")
    (tmp_path / "outputs.jsonl").write_text("{}\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match="is a file of the study"):
        refuse_harm(tmp_path / "outputs.jsonl")


def test_a_long_list_of_known_names_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"item": "1", "system": f"system-{number:02}", "hypothesis": "a", "references": ["a"]} for number in range(61)
    ]
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["compare", str(path), "-m", "chrf", "--baseline", "q"]) == 2
    told = capsys.readouterr().err
    assert "known: system-00, system-01, " in told and told.endswith("system-23 and 37 more\n")
