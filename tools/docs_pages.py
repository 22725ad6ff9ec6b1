"""Pages made from the code when the site is built: one per metric, the tokenisers, and the help of each command."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import math
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from nlgauge.cli import COMMANDS, parser_for
from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import ALIASES, METRICS, load
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.survey import ENTRIES
from nlgauge.text import describe


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {"metrics/index.md": metrics_index(), "text.md": text_page(), "commands.md": commands_page()}
    pages |= {f"metrics/{name}.md": metric_page(load(name)) for name in METRICS}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def cell(value: object) -> str:
    """A value inside a Markdown table."""
    text = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    return text.replace("|", "\\|") or "(empty)"


def bounds(cls: type[Metric]) -> str:
    low, high = cls.bounds
    return f"{low:g} to {'∞' if math.isinf(high) else format(high, 'g')}"


def metrics_index() -> str:
    """The table of all metrics."""
    lines = [
        "# Metrics",
        "",
        "A metric is named by a spec, `name(key=value,…)@order.output`; every field has a default and shows in the",
        "receipt. `nlgauge list` prints this table, `nlgauge explain NAME` a metric's page.",
        "",
        "| metric | also | better | range | equals | what it is |",
        "|---|---|---|---|---|---|",
    ]
    for name in METRICS:
        cls = load(name)
        aliases = " ".join(f"`{alias}`" for alias, (target, _) in ALIASES.items() if target == name)
        summary = cls.about()[0].splitlines()[0] + ("" if cls.additive else " (Set metric, not additive.)")
        lines.append(
            f"| [`{name}`]({name}.md) | {aliases} | {cls.direction} | {bounds(cls)} | {cls.reference} | {summary} |"
        )
    return "\n".join(lines) + "\n"


def metric_page(cls: type[Metric]) -> str:
    """One metric: what it is, its fields, where its numbers come from."""
    metric = cls()
    words, example = cls.about()
    lines = [f"# {cls.name}", "", words, ""]
    if example:
        lines += ["```text", example.rstrip(), "```", ""]
    lines += [
        f"- **Range** {bounds(cls)}; {cls.direction} is better.",
        f"- **Needs** {', '.join([*cls.needs, *_resources(cls.name)])}.",
        f"- **Equals** {cls.reference}.",
        f"- **Paper** {cls.cite}",
        f"- **Full spec** `{metric.full()}`",
        _rows_of(metric),
        "",
        "| field | default | allowed | meaning |",
        "|---|---|---|---|",
    ]
    for spec in dataclasses.fields(cls):
        if spec.metadata:
            sign = " (`@`)" if spec.name == cls.at else " (`.`)" if spec.name == "output" else ""
            lines.append(
                f"| `{spec.name}`{sign} | {cell(spec.default)} | {allowed(spec)} | {cell(spec.metadata['help'])} |"
            )
    aliases = [(alias, fields) for alias, (target, fields) in ALIASES.items() if target == cls.name]
    for alias, fields in aliases:
        fixed = ", ".join(f"{key}={cell(value)}" for key, value in fields.items())
        lines += ["", f"`{alias}` is `{cls.name}({fixed})`."]
    lines += ["", "## Definition and sources", "", inspect.getdoc(inspect.getmodule(cls)) or ""]
    return "\n".join(lines) + "\n"


def _resources(name: str) -> list[str]:
    """Dictionaries and tables that a metric reads; what the rows themselves must hold is among its needs."""
    of_rows = ("weights of references", "post-edits", "the source ")
    parts = [part for entry in ENTRIES if name in entry.names for part in entry.resources.split(", ")]
    return [part for part in parts if part and not part.startswith(of_rows)]


def _rows_of(metric: Metric) -> str:
    """What adds up over segments; for a set metric: that nothing does."""
    if metric.additive:
        return f"- **Columns of a row** {', '.join(f'`{column}`' for column in metric.columns)}"
    told = metric.per_segment if isinstance(metric, SetMetric) else ""
    return (
        "- **Set metric, not additive**: it describes a system's outputs as a set. Intervals leave items out, tests "
        f"swap them, and the score is recomputed each time ([how](../sets.md)). `--segments`: {told or 'refused'}."
    )


def allowed(spec: dataclasses.Field[Any]) -> str:
    """The values a field may take, in words."""
    if spec.metadata["choices"]:
        return ", ".join(spec.metadata["choices"])
    kind = {bool: "yes, no", int: "whole number", float: "number", str: "text"}[type(spec.default)]
    low, high = spec.metadata["low"], spec.metadata["high"]
    return kind + (f" ≥ {low:g}" if low is not None else "") + (f" ≤ {high:g}" if high is not None else "")


def text_page() -> str:
    """The tokenisers and stemmers."""
    lines = [
        "# Text layer",
        "",
        "Tokenisers go into a metric's `tok` field, stemmers into `stem` where a metric has one; `lower=yes`",
        "lower-cases (Unicode) before tokenising.",
        "",
        "| name | extra | what it does |",
        "|---|---|---|",
    ]
    lines += [f"| `{name}` | {extra} | {cell(summary)} |" for name, summary, extra in describe()]
    return "\n".join(lines) + "\n"


def help_of(parser: argparse.ArgumentParser) -> list[str]:
    """The help of a command, and of each of its actions."""
    texts = [parser.format_help().rstrip()]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts += [text for sub in action.choices.values() for text in help_of(sub)]
    return texts


def commands_page() -> str:
    """The help of each command, as printed."""
    lines = [
        "# Commands",
        "",
        "Results go to standard output, messages to standard error; exit code 2 means bad input.",
        "",
    ]
    for name, summary in COMMANDS.items():
        lines += [
            f"## nlgauge {name}",
            "",
            f"{summary.capitalize()}.",
            "",
            "```text",
            "\n\n".join(help_of(parser_for(name))),
            "```",
            "",
        ]
    return "\n".join(lines)
