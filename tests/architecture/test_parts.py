"""Classes are parts beside each other: those of the study service without parents, those of studies not deep."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import nlgauge.study
import nlgauge.study.service as package


def test_no_part_of_the_service_inherits_from_another() -> None:
    names = [path.stem for path in Path(package.__file__).parent.glob("*.py") if path.stem != "__init__"]
    modules = [package, *(importlib.import_module(f"{package.__name__}.{name}") for name in names)]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    own = {kind for kind in classes if kind.__module__.startswith(package.__name__)}
    assert {kind.__name__ for kind in own} >= {"Service", "Context", "Arrivals", "Dealing", "Answers", "Admin"}
    assert [kind.__name__ for kind in own if any(parent in own for parent in kind.__mro__[1:])] == []


def test_no_class_of_studies_has_more_than_a_parent_and_a_grandparent() -> None:
    found = pkgutil.walk_packages(nlgauge.study.__path__, f"{nlgauge.study.__name__}.")
    modules = [importlib.import_module(module.name) for module in found]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    own = {kind for kind in classes if kind.__module__.startswith(nlgauge.study.__name__)}
    assert len(own) > 400

    def depth(kind: type) -> int:
        return 1 + max((depth(parent) for parent in kind.__bases__ if parent in own), default=-1)

    assert {kind.__qualname__: depth(kind) for kind in own if depth(kind) > 2} == {}
