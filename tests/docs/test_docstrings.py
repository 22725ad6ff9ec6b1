"""Examples in docstrings run, and public functions of the statistics say what their parameters mean."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from nlgauge import study

SOURCE = Path(__file__).resolve().parents[2] / "src"
STATISTICS = ("stats", "stats.agreement", "stats.correlation", "stats.mixed", "stats.skill", "triangle")
EXAMPLES = [path for path in sorted(SOURCE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("name", [module_name(path) for path in EXAMPLES])
def test_examples_print_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "nlgauge.studies":
        a_study()
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(str(error))
    result = doctest.testmod(module)
    assert result.failed == 0


def a_study() -> None:
    """The study that examples name: launched, and answered by simulated judges."""
    rows = [{"item": f"{i}", "system": s, "hypothesis": f"Text {i} of {s}."} for i in range(12) for s in ("a", "b")]
    Path("texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    study.new("tasting", "texts.jsonl", protocol="likert", criteria=("fluency",), judges=6, seed=1)
    study.launch("tasting")
    study.simulate("tasting", seed=5, means={"a": 0.4, "b": 0.7})


def public_functions(package: ModuleType) -> Iterator[FunctionType]:
    names = getattr(package, "__all__", None) or [name for name in vars(package) if not name.startswith("_")]
    for name in names:
        value = getattr(package, name)
        if inspect.isfunction(value) and value.__module__.startswith("nlgauge."):
            yield value


@pytest.mark.parametrize("name", STATISTICS)
def test_every_function_says_what_its_parameters_mean_and_has_an_example(name: str) -> None:
    for function in public_functions(importlib.import_module(f"nlgauge.{name}")):
        text = inspect.getdoc(function) or ""
        told = set(re.findall(r"^    (\w+): ", text.partition("Args:")[2], re.M))
        assert told == set(inspect.signature(function).parameters), function.__qualname__
        assert ">>> " in text, function.__qualname__


@pytest.mark.parametrize("name", ["nlgauge", "nlgauge.humans", "nlgauge.studies"])
def test_functions_of_the_interface_say_what_their_parameters_mean(name: str) -> None:
    package = importlib.import_module(name)
    for function in public_functions(package):
        text = inspect.getdoc(function) or ""
        told = set(re.findall(r"^    (\w+): ", text.partition("Args:")[2], re.M))
        assert told == set(inspect.signature(function).parameters), function.__qualname__
        assert ">>> " in text, function.__qualname__
