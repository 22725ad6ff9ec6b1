"""The bundled example: what the script makes is what ships, and it has the shape and the faults it claims."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SHIPPED = files("nlgauge") / "demo" / "forecasts.jsonl"
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "make_demo.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_demo"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SHIPPED.read_text(encoding="utf-8").splitlines()]


def test_the_script_makes_the_shipped_file(script: ModuleType) -> None:
    assert script.dump(script.make()) == SHIPPED.read_text(encoding="utf-8")


def test_shape(rows: list[dict[str, Any]]) -> None:
    assert len({(row["item"], row["system"]) for row in rows}) == len(rows) == 300
    assert {row["system"] for row in rows} == {"rules", "neural", "stock", "sparse", "clumsy"}
    for row in rows:
        assert len(row["references"]) == 3
        assert all(text.strip() for text in row["references"])
        assert all(len(triple) == 3 for triple in row["source"])
        for marks in row["ratings"].values():
            assert len(marks) == 3
            assert all(isinstance(mark, int) and 0 <= mark <= 5 for mark in marks)


def test_one_empty_output_and_clean_texts(rows: list[dict[str, Any]]) -> None:
    assert sum(not row["hypothesis"] for row in rows) == 1
    for row in rows:
        for text in (row["hypothesis"], *row["references"]):
            assert "  " not in text
            assert text == text.strip()
            assert not re.search(r" [,.]|,,|\.\.|None|\{|\}", text)


def test_references_and_rules_state_every_fact(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        texts = [*row["references"], *([row["hypothesis"]] if row["system"] == "rules" else [])]
        values = {value.removesuffix(" kn") for _, _, value in row["source"]}
        for text in texts:
            # What does not change need not be said twice, but every value must be said once.
            assert all(re.search(rf"\b{re.escape(value)}\b", text, re.IGNORECASE) for value in values), (
                values,
                text,
            )


def test_forecasters_and_rules_make_no_mistakes(script: ModuleType) -> None:
    rng = script.random.Random(5)
    for _ in range(300):
        states = script.weather(rng)
        for style in (*script.FORECASTERS, script.RULES):
            draft = script.realise(states, style, rng)
            assert draft.wrong == 0
        assert script.realise(states, script.RULES, rng).missing == 0


def test_systems_differ_in_the_ways_they_claim(rows: list[dict[str, Any]]) -> None:
    def mean(system: str, criterion: str) -> float:
        marks = [mark for row in rows if row["system"] == system for mark in row["ratings"][criterion]]
        return sum(marks) / len(marks)

    accuracy = {name: mean(name, "accuracy") for name in ("rules", "neural", "sparse", "clumsy")}
    assert accuracy["rules"] > accuracy["neural"] > accuracy["sparse"] > accuracy["clumsy"]
    assert mean("neural", "clarity") > mean("stock", "clarity") + 0.5

    def length(system: str) -> int:
        return sum(len(row["hypothesis"]) for row in rows if row["system"] == system)

    assert length("sparse") < 0.6 * length("rules")
