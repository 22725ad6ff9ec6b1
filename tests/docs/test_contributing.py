"""CONTRIBUTING.md, followed word for word: add what it describes (a metric, a statistic, an option) to a copy of the
package, run their tests and the contract suite, and use them."""

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
