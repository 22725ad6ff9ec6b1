"""`nlgauge list --task` and `--taxonomy`: what the field has, and what of it is here."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from nlgauge.cli import common
from nlgauge.errors import MissingResource, NlgaugeError, SpecError
from nlgauge.metrics.base import Metric
from nlgauge.metrics.survey import (
    BRANCHES,
    ENTRIES,
    TABLES,
    TASKS,
    WORDNET,
    Entry,
    entries_of,
    place_of,
    task_named,
)


def run(arguments: argparse.Namespace) -> int:
    """Print one of the two."""
    return _taxonomy(arguments.json) if arguments.taxonomy else _task(task_named(arguments.task), arguments.json)


def facts_of(entry: Entry) -> dict[str, Any]:
    """What is known of a metric; direction, bounds and needs only where it is installed."""
    from nlgauge.metrics.registry import load, names

    installed = [name for name in entry.names if name in names()]
    facts: dict[str, Any] = {
        "metric": entry.title,
        "names": list(entry.names),
        "installed": installed,
        "resources": entry.resources,
        "model": entry.model,
        "cite": entry.cite,
        "named_in_survey": entry.named,
        "recipe": entry.recipe,
        "training": entry.training,
    }
    if installed:
        facts["missing"] = _missing(entry.resources)
        try:
            cls = load(installed[0])
        except SpecError:
            return facts
        facts["missing"] |= _lacking(cls())
        facts |= {
            "direction": cls.direction,
            "bounds": common.finite(cls.bounds),
            "needs": list(cls.needs),
            "cite": cls.cite,
        }
    return facts


def _missing(resources: str) -> dict[str, str]:
    """What of a metric's resources is not on this machine, with the sentence that says how to get it."""
    from nlgauge.lexicons import meteor, wordnet

    found: dict[str, str] = {}
    for name, find in {WORDNET: wordnet.find, TABLES: meteor.find}.items():
        if name in resources:
            try:
                find()
            except NlgaugeError as error:
                found[name] = str(error)
    return found


def _lacking(metric: Metric) -> dict[str, str]:
    """Models and tables that the metric as it stands would read and that are not on this machine."""
    from nlgauge.models.resolve import locate

    found: dict[str, str] = {}
    for kind, name in metric.models:
        try:
            locate(name, kind, metric.name)
        except NlgaugeError as error:
            found[f"the model {name}"] = str(error)
    try:
        _ = metric.reads_files
    except MissingResource as error:
        found[error.resource] = str(error)
    except NlgaugeError as error:
        found["its tables"] = str(error)
    return found


def _task(task: str, as_json: bool) -> int:
    from nlgauge.presets import named

    preset = named(task)
    rows = [{**facts_of(entry), "mark": entry.mark(task), "by": entry.by} for entry in entries_of(task)]
    if as_json:
        runs = {"preset": preset.name, "runs": list(preset.specs)}
        common.print_json({"task": task, "about": TASKS[task], **runs, "metrics": rows})
        return 0
    from nlgauge.report.text import print_lines, print_table

    print_lines([f"{task}: {TASKS[task]}", ""])
    print_table(
        ("metric", "mark", "here", "better", "range", "needs", "paper"),
        [
            (
                row["metric"],
                row["mark"] + ("" if row["by"] == "survey" else " (paper)"),
                _here(row),
                row.get("direction", ""),
                common.score_range(row.get("bounds")),
                _needs(row),
                row["cite"],
            )
            for row in rows
        ],
        prose=True,
    )
    closing = (
        f"`nlgauge score DATA --preset {preset.name}` runs {', '.join(preset.specs)}. Marks are those of the "
        "survey of Sai, Mohankumar and Khapra (2022), table 3; (paper): not in the table, so by the metric's own paper."
    )
    print_lines(["", closing])
    return 0


def _here(facts: dict[str, Any], lacks: str = "") -> str:
    """The names that run a metric, with what they lack, and how it is trained."""
    names = " ".join(facts["installed"]) + lacks
    return ", or ".join(filter(None, (names, facts["training"]))) or "not in nlgauge"


def _needs(row: dict[str, Any]) -> str:
    given = [need for need in row.get("needs", ()) if need not in ("references", "outputs")]
    if row["resources"]:
        told = str(row["resources"])
        for name in row.get("missing", ()):
            told = told.replace(name, f"{name} (not found)")
        return told
    return ", ".join(given) or "references"


def _taxonomy(as_json: bool) -> int:
    from nlgauge.metrics.registry import names

    other = [name for name in names() if place_of(name) is None]
    branches = [
        {
            "branch": place.split("/"),
            "about": about,
            "metrics": [facts_of(entry) for entry in ENTRIES if entry.place == place],
        }
        for place, about in BRANCHES.items()
    ]
    if as_json:
        common.print_json({"taxonomy": branches, "other_packages": other})
        return 0
    from nlgauge.report.text import print_lines

    lines = ["automatic metrics", *_tree("")]
    if other:
        lines += ["", f"from other packages: {', '.join(other)}"]
    named = [facts_of(entry) for entry in ENTRIES if entry.named]
    here = [facts for facts in named if facts["installed"]]
    running = [facts for facts in here if not facts["missing"]]
    trainable = sum(bool(facts["recipe"]) and facts not in running for facts in named)
    lacking = sum(bool(facts["missing"]) and not facts["recipe"] for facts in here)
    lack = f"; {lacking} more lack what stands in brackets" if lacking else ""
    train = f"; {trainable} can be trained" if trainable else ""
    closing = (
        f"{len(running)} of the {len(named)} metrics of the survey (Sai, Mohankumar and Khapra 2022, figure 2 and "
        f"text) run as they stand{lack}{train}. Their names stand behind the colons. A plus marks metrics that "
        "it does not name."
    )
    print_lines([*lines, "", closing])
    return 0


def _tree(place: str, indent: str = "") -> Iterator[str]:
    """The lines under a branch: its metrics, then its branches."""
    entries = [entry for entry in ENTRIES if entry.place == place]
    depth = place.count("/") + 1 if place else 0
    inside = [path for path in BRANCHES if path.startswith(f"{place}/" if place else "") and path.count("/") == depth]
    if not place:
        inside = [path for path in BRANCHES if "/" not in path]
    last = len(entries) + len(inside) - 1
    for number, entry in enumerate(entries):
        facts = facts_of(entry)
        lacks = "".join(f" ({name} not found)" for name in facts.get("missing", ()))
        plus = "" if entry.named else " +"
        yield f"{indent}{'└' if number == last else '├'}─ {entry.title}{plus}: {_here(facts, lacks)}"
    for number, path in enumerate(inside, start=len(entries)):
        name, about = path.rpartition("/")[2], BRANCHES[path]
        yield f"{indent}{'└' if number == last else '├'}─ {name}{f': {about}' if about else ''}"
        yield from _tree(path, indent + ("   " if number == last else "│  "))
