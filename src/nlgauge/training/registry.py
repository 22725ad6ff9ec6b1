"""The kinds of training by name, and the file that chooses one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import yaml

from nlgauge.errors import InputError
from nlgauge.io.files import readable
from nlgauge.study.fields import Kinds, Reader, compose
from nlgauge.training.config import Training

KINDS = {"features": "nlgauge.training.featured:FeatureTraining"}


def kinds() -> dict[str, type[Training]]:
    """Every kind of training, loaded."""
    found = {}
    for kind, place in KINDS.items():
        module, name = place.split(":")
        found[kind] = getattr(import_module(module), name)
    return found


def read_config(path: str | Path) -> Training:
    """Read a file; every problem at once, with its line."""
    path = Path(path)
    with readable(path):
        content = path.read_bytes()
    try:
        node = compose(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    if node is None:
        raise InputError(f"{path} is empty; nlgauge train --help shows what stands in such a file")
    reader = Reader(called="the file")
    found: Any = reader.read(Annotated[Training, Kinds(kinds())], node, "")
    problems = reader.problems
    if found is not None:
        problems = [*problems, *found.contradictions(reader.lines)]
    if problems:
        said = "; ".join(str(problem) for problem in sorted(problems, key=lambda problem: problem.line))
        raise InputError(f"{path}: {said}")
    made: Training = found
    return made
