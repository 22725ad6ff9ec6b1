"""CONTRIBUTING.md, followed word for word: add what it describes (a metric, a statistic, an option, a protocol, a
language) to a copy of the package, run their tests and the contract suite, and use them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def block_after(marker: str) -> str:
    """The code block that follows a piece of text."""
    found = re.search(re.escape(marker) + r".*?```\w+\n(.*?)```", TEXT, re.S)
    assert found, f"CONTRIBUTING.md no longer has a block after {marker!r}"
    return found[1]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with the new metric and the new statistic added as the page says."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copytree(ROOT / "tests" / "contract", folder / "tests" / "contract")
    for needed in ("metrics", "study", "stats/correlation"):
        (folder / "tests" / needed).mkdir(parents=True)
    shutil.copy(ROOT / "tests/study/endpoints.py", folder / "tests/study")  # which the contract asks
    (folder / "src/nlgauge/metrics/lengthratio.py").write_text(block_after("`src/nlgauge/metrics/lengthratio.py`"))
    (folder / "tests/metrics/test_lengthratio.py").write_text(block_after("`tests/metrics/test_lengthratio.py`"))
    insert(folder / "src/nlgauge/metrics/registry.py", "METRICS: dict[str, str] = {\n", block_after("inside `METRICS`"))
    for file in ("src/nlgauge/stats/correlation/gini.py", "tests/stats/correlation/test_gini.py"):
        (folder / file).write_text(block_after(f"`{file}`"))
    registry = folder / "src/nlgauge/stats/correlation/statistic.py"
    insert(registry, "from nlgauge.stats.correlation.coefficients import complete\n", block_after("among the imports"))
    insert(registry, "REGISTERED = (\n", block_after("inside `REGISTERED`"))
    return folder


def insert(file: Path, head: str, lines: str) -> None:
    """Lines after a line of a file."""
    text = file.read_text(encoding="utf-8")
    assert head in text
    file.write_text(text.replace(head, head + lines), encoding="utf-8")


@pytest.fixture(scope="module")
def with_option(copy: Path) -> Path:
    """The project with the new option, too."""
    for file, mark, block in (
        ("options.py", "    common: Annotated[", "inside `CompareOptions`"),
        ("api.py", "    said = facts(\n        CompareOptions,", "before `said = facts(`"),
    ):
        path = copy / "src/nlgauge" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(mark) == 1
        path.write_text(text.replace(mark, block_after(block) + mark), encoding="utf-8")
    (copy / "tests/cli").mkdir()
    (copy / "tests/cli/test_negligible.py").write_text(block_after("`tests/cli/test_negligible.py`"))
    return copy


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_new_metric_passes_its_test_and_the_contract(copy: Path) -> None:
    done = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", "-k", "lengthratio or by_hand")
    assert done.returncode == 0, done.stdout
    assert re.search(r"(\d+) passed", done.stdout) and int(re.search(r"(\d+) passed", done.stdout)[1]) > 12  # type: ignore[index]


def test_the_new_metric_is_listed_explained_and_scored(copy: Path) -> None:
    (copy / "d.jsonl").write_text('{"item": "1", "system": "s", "hypothesis": "a b", "references": ["a b c d"]}\n')
    assert "lengthratio" in run(copy, "-m", "nlgauge", "list").stdout
    assert "lower-case before tokenising" in run(copy, "-m", "nlgauge", "explain", "lengthratio").stdout
    done = run(copy, "-m", "nlgauge", "score", "d.jsonl", "-m", "lengthratio", "--json")
    assert '"value": 0.5' in done.stdout, done.stderr


def test_the_new_metric_is_typed_and_clean(copy: Path) -> None:
    done = run(
        copy,
        "-m",
        "ruff",
        "check",
        "--config",
        str(ROOT / "pyproject.toml"),
        "src/nlgauge/metrics/lengthratio.py",
    )
    assert done.returncode == 0, done.stdout


def test_the_new_statistic_passes_its_test(copy: Path) -> None:
    done = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/stats")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_metrics_are_compared_with_people_by_the_new_statistic(copy: Path) -> None:
    rows = [
        {
            "item": f"{i}",
            "system": s,
            "hypothesis": "a",
            "ratings": {"q": (i * k) % 7},
            "metrics": {"m": i, "n": -i * k},
        }
        for k, s in enumerate("xyz", start=1)
        for i in range(20)
    ]
    (copy / "judged.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    asked = ("meta", "judged.jsonl", "-m", "@*", "--draws", "100", "--statistic")
    done = run(copy, "-m", "nlgauge", *asked, "cograduation")
    assert "By Gini's γ over outputs" in done.stdout and "no corrected" not in done.stdout, done.stdout + done.stderr
    assert "did you mean gini" in run(copy, "-m", "nlgauge", *asked, "ginni").stderr


def test_the_new_files_are_typed_and_clean(copy: Path) -> None:
    files = ["src/nlgauge/stats/correlation/gini.py", "src/nlgauge/stats/correlation/statistic.py"]
    assert run(copy, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), *files).stdout.startswith("All")


def test_the_new_option_passes_its_test(with_option: Path) -> None:
    done = run(with_option, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/cli/test_negligible.py")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_the_new_option_is_explained_typed_and_clean(with_option: Path) -> None:
    assert "--negligible D" in run(with_option, "-m", "nlgauge", "compare", "--help").stdout
    meaning = run(with_option, "-m", "nlgauge", "explain", "nlgauge=0.1.0|metric=bleu|negligible=0.2").stdout
    assert "a difference up to this size is too small to matter" in meaning
    changed = ("src/nlgauge/options.py", "src/nlgauge/api.py")
    for tool in (("ruff", "check"), ("ruff", "format", "--check")):
        done = run(with_option, "-m", *tool, "--config", str(ROOT / "pyproject.toml"), *changed)
        assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def with_faces(copy: Path) -> Path:
    """The project with the new protocol, too."""
    own = copy / "src/nlgauge/study/protocols/emoji"
    shutil.rmtree(own, ignore_errors=True)  # of one who has followed the page
    own.mkdir()
    for name in ("__init__", "file", "protocol", "template", "pages"):
        file = f"src/nlgauge/study/protocols/emoji/{name}.py"
        (copy / file).write_text(block_after(f"`{file}`"), encoding="utf-8")
    insert(copy / "src/nlgauge/study/protocols/__init__.py", "_HOME = {\n", block_after("inside `_HOME`"))
    insert(
        copy / "src/nlgauge/study/languages/en/wordings.json",
        "{\n",
        block_after("languages/en/wordings.json`; the other"),
    )
    (copy / "tests/study/test_emoji.py").write_text(block_after("`tests/study/test_emoji.py`"), encoding="utf-8")
    shutil.copy(ROOT / "tests/architecture/test_parts.py", copy / "tests/study")
    return copy


def test_the_new_protocol_passes_its_test_and_is_not_deeper_than_others(with_faces: Path) -> None:
    tests = ("tests/study/test_emoji.py", "tests/study/test_parts.py")
    done = run(with_faces, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout


def test_the_new_protocol_is_clean_and_says_english_where_a_language_says_nothing(with_faces: Path) -> None:
    for tool in (("ruff", "check"), ("ruff", "format", "--check")):
        changed = ("src/nlgauge/study/protocols/emoji", "src/nlgauge/study/protocols/__init__.py")
        done = run(with_faces, "-m", *tool, "--config", str(ROOT / "pyproject.toml"), *changed)
        assert done.returncode == 0, done.stdout
    asked = "from nlgauge.study.languages import worded; print(worded('emoji.title')['gl'])"
    assert run(with_faces, "-c", asked).stdout == "How do these texts make you feel?\n"


@pytest.fixture(scope="module")
def with_portuguese(copy: Path) -> Path:
    """The project with the new language, too, of which two phrases are translated."""
    own = copy / "src/nlgauge/study/languages/pt"
    shutil.rmtree(own, ignore_errors=True)  # of one who has followed the page
    shutil.copytree(own.with_name("en"), own)
    (own / "language.json").write_text(block_after("`src/nlgauge/study/languages/pt/language.json`"), encoding="utf-8")
    for name in ("wordings", "pages"):
        line = block_after(f"`src/nlgauge/study/languages/pt/{name}.json`")
        key = line.partition(":")[0]
        text = (own / f"{name}.json").read_text(encoding="utf-8")
        lines = [line.rstrip("\n") if old.startswith(key) else old for old in text.split("\n")]
        assert "\n".join(lines) != text
        (own / f"{name}.json").write_text("\n".join(lines), encoding="utf-8")
    criteria = json.loads((own / "criteria.json").read_text(encoding="utf-8"))
    del criteria["scales"]["fluency-5-german"]
    (own / "criteria.json").write_text(json.dumps(criteria), encoding="utf-8")
    return copy


def test_the_new_language_is_spoken(with_portuguese: Path) -> None:
    (with_portuguese / "e.jsonl").write_text(
        "".join(f'{{"item": "{i}", "system": "{s}", "hypothesis": "a {i}"}}\n' for i in range(12) for s in "xy")
    )
    asked = ("study", "new", "pt", "--from", "e.jsonl", "--protocol", "likert", "--languages", "pt,en", "--seed", "1")
    done = run(with_portuguese, "-m", "nlgauge", *asked)
    assert done.returncode == 0, done.stderr
    assert "O que acha destes textos?" in (with_portuguese / "pt/study.yaml").read_text(encoding="utf-8")
    said = "from nlgauge.web.language import load; print(load('pt').say('begin'), load('pt').number(2000))"
    assert run(with_portuguese, "-c", said).stdout == "Começar 2.000\n"


def test_what_the_new_language_lacks_is_named(with_portuguese: Path) -> None:
    shutil.copy(ROOT / "tests/study/test_languages.py", with_portuguese / "tests/study")
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/study/test_languages.py", "-k")
    lines = (*tests, "pt and not left_in_english")  # what passes before all is translated
    assert run(with_portuguese, *lines).returncode == 0
    left = run(with_portuguese, *tests, "pt and left_in_english").stdout
    assert "1 failed" in left, left
    assert "wordings.json: ratings.instructions\n" in left and "wordings.json: ratings.title\n" not in left
    pages = with_portuguese / "src/nlgauge/study/languages/pt/pages.json"
    pages.write_text(json.dumps({k: v for k, v in json.loads(pages.read_text("utf-8")).items() if k != "leave"}))
    assert "pages.json: leave" in run(with_portuguese, *lines).stdout
    said = "from nlgauge.web.language import load; print(load('pt').say('leave'))"
    assert run(with_portuguese, "-c", said).stdout == "Leave the study\n"
