"""What is released: one version, a citation file, a source archive and a wheel that work where nothing else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path

import pytest
import yaml

import nlgauge

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CODE = """
import json, nlgauge
from nlgauge import kernels
bleu = nlgauge.score(["a b c d"], ["a b c d"], "bleu")[0].value
print(json.dumps([nlgauge.__file__, kernels.backend(), bleu]))
"""


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == nlgauge.__version__
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()


def test_the_addresses_are_those_of_the_project() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    urls = PROJECT["project"]["urls"]
    assert cited["repository-code"] == urls["Repository"]
    assert all(url.startswith(urls["Repository"]) for url in urls.values())


def test_all_has_every_extra_of_users() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    (named,) = extras["all"]
    of_developers = {"all", "dev", "docs", "test", "test-models"}
    assert set(named.removeprefix("nlgauge[").removesuffix("]").split(",")) == extras.keys() - of_developers


def _run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_archive_and_wheel_work_in_a_clean_environment(tmp_path: Path) -> None:
    """The wheel is built from the unpacked archive alone, and runs beside nothing but its own dependencies."""
    _run("git", "clone", "--quiet", ROOT, tmp_path / "clone", cwd=tmp_path)
    build = "import sys, setuptools.build_meta as b; print(getattr(b, f'build_{sys.argv[1]}')(sys.argv[2]))"
    _run(sys.executable, "-c", build, "sdist", tmp_path, cwd=tmp_path / "clone")
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert source.name == f"nlgauge-{nlgauge.__version__}"
    assert not (source / "tests").exists()
    _run(sys.executable, "-c", build, "wheel", tmp_path, cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    where, backend, value = json.loads(_run(python, "-c", CODE, cwd=tmp_path, PYTHONPATH=""))
    assert where.startswith(str(tmp_path / "clean"))
    assert (backend, round(value, 6)) == ("native", 100.0)
    made = _run(python, "-m", "nlgauge", "demo", "-o", "demo", cwd=tmp_path, PYTHONPATH="")
    assert "report.html" in made
