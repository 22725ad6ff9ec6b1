"""List the metrics with what they need, their range and source, and the tokenisers and stemmers."""

from __future__ import annotations

import argparse
from typing import Any

from nlgauge.cli import common
from nlgauge.errors import InputError, SpecError

EXAMPLES = """\
examples:
  nlgauge list
  nlgauge list nubia                  one metric: its fields, paper and, where it was trained, its card
  nlgauge list --task captioning      what the field uses for captions, and what of it is here
  nlgauge list --presets              bundles that scripts of the field print
  nlgauge list --taxonomy
  nlgauge list --task d2t --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="one metric: as nlgauge explain NAME")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--task",
        metavar="T",
        help="metrics proposed for or adopted by a task: mt, summarisation, dialogue, captioning, qa, d2t, qg",
    )
    what.add_argument("--taxonomy", action="store_true", help="the families of metrics, with what is installed of each")
    what.add_argument("--presets", action="store_true", help="the bundles of metrics that --preset runs")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


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
        from nlgauge.cli import list_survey

        return list_survey.run(arguments)
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
    from nlgauge.cli import explain_

    if arguments.task is not None or arguments.taxonomy or arguments.presets:
        raise InputError(f"list {arguments.name} is about one metric; leave --task, --taxonomy and --presets out")
    asked = argparse.ArgumentParser()
    explain_.configure(asked)
    given = [arguments.name, *(["--json"] if arguments.json else [])]
    return explain_.run(asked.parse_args(given))


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
