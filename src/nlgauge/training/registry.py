"""The kinds of training by name, and the file that chooses one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import yaml

from nlgauge.errors import InputError, suggest
from nlgauge.io.fields import Kinds, Reader
from nlgauge.io.trees import read_tree
from nlgauge.training.config import Recipe

RECIPES = Path(__file__).parent / "recipes"
KINDS = {
    "features": "nlgauge.training.featured:FeatureTraining",
    "vectors": "nlgauge.training.vectors:VectorTraining",
    "pair": "nlgauge.training.pair:PairTraining",
    "reader": "nlgauge.training.reader:ReaderTraining",
    "reading": "nlgauge.training.reading:ReadingTraining",
    "sequence": "nlgauge.training.sequence:SequenceTraining",
    "comparator": "nlgauge.training.comparator:ComparatorTraining",
    "classifier": "nlgauge.training.classifier:ClassifierTraining",
}


def kinds() -> dict[str, type[Recipe]]:
    """Every kind of training, loaded."""
    found = {}
    for kind, place in KINDS.items():
        module, name = place.split(":")
        found[kind] = getattr(import_module(module), name)
    return found


def recipes() -> dict[str, str]:
    """The recipes that come with nlgauge: name, and what they say of themselves."""
    found = {}
    for path in sorted(RECIPES.glob("*.yaml")):
        about = yaml.safe_load(path.read_text(encoding="utf-8")).get("about", "")
        found[path.stem] = " ".join(str(about).split())
    return found


def recipe(name: str) -> str:
    """The text of a recipe, to be edited."""
    known = recipes()
    if name not in known:
        raise InputError(f"there is no recipe {name!r}; {suggest(name, known, 'nlgauge train --recipes')}")
    return (RECIPES / f"{name}.yaml").read_text(encoding="utf-8")


def read_config(path: str | Path) -> Recipe:
    """Read a file; every problem at once, with its line."""
    path = Path(path)
    node = read_tree(path)
    if node is None:
        raise InputError(f"{path} is empty; nlgauge train --help shows what stands in such a file")
    reader = Reader(called="the file")
    found: Any = reader.read(Annotated[Recipe, Kinds(kinds())], node, "")
    problems = reader.problems
    if found is not None:
        problems = [*problems, *found.contradictions(reader.lines)]
    if problems:
        said = dict.fromkeys(str(problem) for problem in sorted(problems, key=lambda problem: problem.line))
        raise InputError(f"{path}: {'; '.join(said)}")
    made: Recipe = found
    return made
