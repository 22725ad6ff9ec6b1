"""Where no compiler is present the install succeeds all the same, and the plain kernels give the same numbers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import json, nlgauge
from nlgauge import kernels
hyp, ref = ["the cat sat on the mat .", "naïve café"], [["the cat is on the mat ."], ["a naïve café"]]
print(json.dumps({"backend": kernels.backend(), "where": nlgauge.__file__,
                  "scores": [nlgauge.parse(m).corpus(hyp, ref) for m in ("bleu", "chrf++", "ter", "rougeL", "wer")]}))
"""


@pytest.mark.slow
def test_install_without_a_compiler(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "site"
    project.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    for name in ("src", "native"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__"))
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    environment = os.environ | {"CC": "false", "CXX": "false"}
    done = subprocess.run(
        [*install, "--target", str(target), str(project)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not list(target.rglob("_native*.so"))

    def run(*arguments: str, path: Path | None = None) -> str:
        settings = os.environ | ({"PYTHONPATH": str(path)} if path else {})
        return subprocess.run(
            [sys.executable, *arguments],
            env=settings,
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        ).stdout

    plain = json.loads(run("-c", CODE, path=target))
    here = json.loads(run("-c", CODE))
    assert plain["backend"] == "python" and plain["where"].startswith(str(target))
    assert plain["scores"] == here["scores"]
    assert "plain Python" in run("-m", "nlgauge", "list", path=target)
