"""Pages made from the code when the site is built: one per metric and module of Python, the tokenisers, and the help of
each command."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from html import escape
from importlib import import_module
from typing import Any, get_type_hints

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from nlgauge.cli import COMMANDS, parser_for
from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import ALIASES, METRICS, load
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.survey import ENTRIES
from nlgauge.results import Result, Rows
from nlgauge.text import describe

REFERENCE = {
    "nlgauge": "What one types first: reading data, scoring, comparing, agreement, rankings.",
    "nlgauge.results": "",
    "nlgauge.humans": "",
    "nlgauge.triangle": "",
    "nlgauge.presets": "",
    "nlgauge.studies": "",
    "nlgauge.stats": "",
    "nlgauge.stats.agreement": "",
    "nlgauge.stats.correlation": "",
    "nlgauge.stats.mixed": "",
    "nlgauge.stats.skill": "",
}
"""The modules that have a page of reference, and what they are for where their docstring is for developers."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {"metrics/index.md": metrics_index(), "text.md": text_page(), "commands.md": commands_page()}
    pages |= {f"metrics/{name}.md": metric_page(load(name)) for name in METRICS}
    pages |= {f"reference/{name}.md": reference_page(name) for name in REFERENCE}
    pages["reference/index.md"] = reference_index()
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


def public(module: str) -> dict[str, Any]:
    """The functions and classes that a module offers, by name; what is a module has its own page."""
    home = import_module(module)
    names = getattr(home, "__all__", None) or [
        name for name, value in vars(home).items() if getattr(value, "__module__", "") == module and name[0] != "_"
    ]
    found = {name: getattr(home, name) for name in sorted(names, key=str.lower)}
    return {name: value for name, value in found.items() if inspect.isfunction(value) or inspect.isclass(value)}


def reference_index() -> str:
    """All public names of Python, by module."""
    lines = [
        "# Python reference",
        "",
        "Made from the code: signatures and docstrings. [Python](../python.md) shows how",
        "",
    ]
    lines += ["the parts go together; metrics are [on pages of their own](../metrics/index.md).", ""]
    for module, about in REFERENCE.items():
        lines += [f"## [{module}]({module}.md)", "", about or first_sentence(import_module(module)), ""]
        lines += [
            f"- [`{name}`]({module}.md#{anchor(name)}): {first_sentence(value)}"
            for name, value in public(module).items()
        ]
        lines.append("")
    return "\n".join(lines)


def reference_page(module: str) -> str:
    """One module: its functions and the results they return."""
    about = REFERENCE[module] or prose(inspect.getdoc(import_module(module)) or "")
    lines = [f"# {module}", "", about, ""]
    offered = public(module)
    returned = {
        kind.__name__: kind for value in offered.values() if inspect.isfunction(value) for kind in results(value)
    }
    for name, value in {**offered, **{name: kind for name, kind in returned.items() if name not in offered}}.items():
        lines += [
            f"## {name}",
            "",
            "```python",
            signature(name, value),
            "```",
            "",
            prose(inspect.getdoc(value) or ""),
            "",
        ]
        lines += [f"- {text}" for text in members(value)] if inspect.isclass(value) else []
        lines.append("")
    return "\n".join(lines)


def results(function: Callable[..., Any]) -> Iterator[type]:
    """The class of results that a function returns."""
    kind = get_type_hints(function).get("return")
    if inspect.isclass(kind) and issubclass(kind, Result):
        yield kind


def signature(name: str, value: Any) -> str:
    """How a function or class is called, a line for each parameter where it is long."""
    try:
        known = inspect.signature(value)
    except ValueError:
        return name
    parts = [shown(part) for part in known.parameters.values()]
    star = next((place for place, part in enumerate(known.parameters.values()) if part.kind is part.KEYWORD_ONLY), None)
    if star is not None and not any(part.kind is part.VAR_POSITIONAL for part in known.parameters.values()):
        parts.insert(star, "*")
    back = (
        ""
        if inspect.isclass(value) or known.return_annotation is known.empty
        else f" -> {typed(known.return_annotation)}"
    )
    line = f"{name}({', '.join(parts)}){back}"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){back}"])


def shown(part: inspect.Parameter) -> str:
    """A parameter with its type and default."""
    mark = {part.VAR_POSITIONAL: "*", part.VAR_KEYWORD: "**"}.get(part.kind, "")
    kind = "" if part.annotation is part.empty else f": {typed(part.annotation)}"
    default = "" if part.default is part.empty else f" = {part.default!r}"
    return f"{mark}{part.name}{kind}{re.sub(r' at 0x[0-9a-f]+|<factory>', '…', default)}"


def typed(annotation: Any) -> str:
    """A type as it stands in the code."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:typing|collections\.abc|nlgauge(?:\.\w+)*|numpy|pathlib)\.(?=\w)", "", text)


def members(kind: type) -> Iterator[str]:
    """The properties and methods of a class that are not those of all results."""
    for name, value in vars(kind).items():
        asked = isinstance(value, property | cached_property)
        function = (value.fget if isinstance(value, property) else value.func) if asked else value
        function = getattr(function, "__func__", function)
        if name[0] == "_" or not inspect.isfunction(function) or hasattr(Result, name) or hasattr(Rows, name):
            continue
        call = re.sub(r"\(\s*(?:self|cls)(?:,\s*)?", "(", signature(name, function))
        call = re.sub(r",?\s+\)", ")", re.sub(r"\(\s+", "(", call))
        yield f"`{name if asked else ' '.join(call.split())}`: {first_sentence(function)}"
    if issubclass(kind, Result) and kind is not Result:
        rows = "It is iterated, and asked for rows by place and by name. " if issubclass(kind, Rows) else ""
        yield f"{rows}It is shown as every result is (`nlgauge.results.Result`)."


def anchor(name: str) -> str:
    """How a heading is linked to."""
    return re.sub(r"[^\w-]", "", name.lower())


def first_sentence(value: Any) -> str:
    """The first line or lines of a docstring, as one."""
    text = (inspect.getdoc(value) or "").split("\n\n")[0]
    return escape(" ".join(text.split()), quote=False)


def prose(text: str) -> str:
    """A docstring as Markdown: parameters as a list, examples and what is indented as code."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        head, _, rest = block.partition("\n")
        if head in ("Args:", "Options:", "Attributes:"):
            entries = re.findall(r"^    (\*{0,2}\w+): (.*(?:\n     +.*)*)", rest, re.M)
            blocks.append(
                "\n".join(f"- `{name}`: {escape(' '.join(said.split()), quote=False)}" for name, said in entries)
            )
        elif block.startswith(">>> ") or all(line.startswith("    ") for line in block.splitlines()):
            blocks.append(f"```python\n{inspect.cleandoc(block)}\n```")
        else:
            blocks.append(escape(block, quote=False))
    return "\n\n".join(blocks)
