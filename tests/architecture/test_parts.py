"""Classes of the study service are parts beside each other, none built on top of another."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import nlgauge.study.service as package


def test_no_part_of_the_service_inherits_from_another() -> None:
    names = [path.stem for path in Path(package.__file__).parent.glob("*.py") if path.stem != "__init__"]
    modules = [package, *(importlib.import_module(f"{package.__name__}.{name}") for name in names)]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    own = {kind for kind in classes if kind.__module__.startswith(package.__name__)}
    assert {kind.__name__ for kind in own} >= {"Service", "Context", "Arrivals", "Dealing", "Answers", "Admin"}
    assert [kind.__name__ for kind in own if any(parent in own for parent in kind.__mro__[1:])] == []
