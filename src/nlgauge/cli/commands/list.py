"""List the metrics with what they need, their range and source, and the tokenisers and stemmers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, Arg, Group, add
from nlgauge.errors import InputError, MissingResource, NlgaugeError, SpecError
from nlgauge.metrics.base import Metric
from nlgauge.metrics.survey import BRANCHES, ENTRIES, TABLES, TASKS, WORDNET, Entry, entries_of, place_of, task_named

EXAMPLES = """\
examples:
  nlgauge list
  nlgauge list nubia                  one metric: its fields, paper and, where it was trained, its card
  nlgauge list --task captioning      what the field uses for captions, and what of it is here
  nlgauge list --presets              bundles that scripts of the field print
  nlgauge list --taxonomy
  nlgauge list --task d2t --json"""


ARGUMENTS = (
    Arg("name NAME", "one metric: as nlgauge explain NAME", nargs="?"),
    Group(
        "",
        (
            Arg(
                "--task T",
                "metrics proposed for or adopted by a task: mt, summarisation, dialogue, captioning, qa, d2t, qg",
            ),
            Arg("--taxonomy", "the families of metrics, with what is installed of each"),
            Arg("--presets", "the bundles of metrics that --preset runs"),
        ),
        exclusive=True,
    ),
    JSON,
)


def facts() -> dict[str, Any]:
    """Everything the command shows."""
    from nlgauge import kernels
    from nlgauge.metrics.registry import ALIASES, load, names
    from nlgauge.text import describe

    rows = []
    for name in names():
        try:
            cls = load(name)
        except SpecError as error:  # another package's metric that cannot be loaded: say so, list the rest
            rows.append({"name": name, "summary": str(error), "aliases": [], "error": True})
            continue
        rows.append(
            {
                "name": name,
                "summary": cls.about()[0].splitlines()[0],
                "direction": cls.direction,
                "bounds": common.finite(cls.bounds),
                "needs": list(cls.needs),
                "additive": cls.additive,
                "reference": cls.reference,
                "cite": cls.cite,
                "aliases": [alias for alias, (target, _) in ALIASES.items() if target == name],
            }
        )
    return {
        "backend": kernels.backend(),
        "metrics": rows,
        "text": [{"name": name, "summary": summary, "extra": extra} for name, summary, extra in describe()],
    }


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or a task's part of it, or the families."""
    if arguments.name:
        return _named(arguments)
    if arguments.presets:
        return _presets(arguments.json)
    if arguments.task is not None or arguments.taxonomy:
        return _taxonomy(arguments.json) if arguments.taxonomy else _task(task_named(arguments.task), arguments.json)
    everything = facts()
    if arguments.json:
        common.print_json(everything)
        return 0
    from nlgauge.report.text import print_lines, print_table

    print(f"kernels: {_kernels(everything['backend'])}")
    print_table(
        ("metric", "better", "range", "what it is"),
        [
            (row["name"], row.get("direction", ""), common.score_range(row.get("bounds")), _summary(row))
            for row in everything["metrics"]
        ],
        prose=True,
    )
    print()
    print_table(
        ("tokeniser or stemmer", "extra", "what it does"),
        [(row["name"], row["extra"], row["summary"]) for row in everything["text"]],
        prose=True,
    )
    closing = "A metric's fields, its paper and what it equals: nlgauge explain NAME."
    print_lines(["", closing, 'Extras install with pip install "nlgauge[EXTRA]".'])
    return 0


def _named(arguments: argparse.Namespace) -> int:
    """One metric, as `explain` tells it; a trained one with the place of its card."""
    from nlgauge.cli.commands import explain

    if arguments.task is not None or arguments.taxonomy or arguments.presets:
        raise InputError(f"list {arguments.name} is about one metric; leave --task, --taxonomy and --presets out")
    asked = argparse.ArgumentParser()
    add(asked, explain.ARGUMENTS)
    given = [arguments.name, *(["--json"] if arguments.json else [])]
    return explain.run(asked.parse_args(given))


def _presets(as_json: bool) -> int:
    """The bundles: what each holds, whose numbers they are, what differs."""
    from nlgauge.presets import PRESETS

    if as_json:
        common.print_json({"presets": [preset.to_dict() for preset in PRESETS.values()]})
        return 0
    from nlgauge.report.text import print_lines

    for preset in PRESETS.values():
        task = f"; also {preset.task}" if preset.task not in ("", preset.name) else ""
        lines = [f"{preset.name}: {preset.about}{task}", f"  runs {', '.join(preset.specs)}"]
        lines += [f"  equals {preset.script}"] if preset.script else []
        lines += [f"  differs: {preset.apart}"] if preset.apart else []
        print_lines([*lines, ""])
    print_lines(
        [
            "For outputs in another language than English (--language, or what the data say) parts that know only "
            "English are exchanged or left out; what is missing on this machine is left out. A note says so."
        ]
    )
    return 0


def _summary(row: dict[str, Any]) -> str:
    also = f" Also: {', '.join(row['aliases'])}." if row["aliases"] else ""
    return str(row["summary"]) + ("" if row.get("additive", True) else " (set metric, not additive)") + also


def _kernels(backend: str) -> str:
    from nlgauge.kernels import native_available

    if backend == "native":
        return "compiled (native)"
    why = "as NLGAUGE_BACKEND says" if native_available() else "no compiled extension found"
    return f"plain Python ({why}; same numbers, slower)"


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
