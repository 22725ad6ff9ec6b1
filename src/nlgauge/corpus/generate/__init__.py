"""Corpora with known properties: texts made of templates, names and rules, checked to be as asked for.

`config` is the file, `stock` what there is, `plan` what each set uses, `making` the texts, `checking` what they showed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from nlgauge.corpus.generate.checking import Property, check, refuse_unmet
from nlgauge.corpus.generate.config import Config
from nlgauge.corpus.generate.making import Found, Making
from nlgauge.corpus.generate.plan import Plan, arrangement, plan
from nlgauge.corpus.generate.rules import Lexicalisation, Names, Rules
from nlgauge.corpus.generate.stock import gather
from nlgauge.errors import InputError
from nlgauge.io.outputs import reading
from nlgauge.io.streaming import collector_paused
from nlgauge.io.write import atomic_file

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Generated:
    """What was written: the folder, texts by set, and every property, asked for and found."""

    folder: Path
    texts: dict[str, int]
    properties: tuple[Property, ...]
    left_out_predicates: tuple[str, ...]
    left_out_entities: int

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "folder": str(self.folder),
            "texts": self.texts,
            "properties": [asdict(found) for found in self.properties],
            "left_out": {"predicates": list(self.left_out_predicates), "entities": self.left_out_entities},
        }


def generate(
    config: Config,
    folder: Path,
    *,
    beside: Path,
    progress: Callable[[str, int], None] | None = None,
) -> Generated:
    """Write the sets and a manifest into a folder; all of it, or nothing where a property does not come out.

    Paths of the configuration begin `beside`; `progress` is told the set and how many texts were added.
    """
    stock = gather(config, beside)
    planned = plan(config, stock)
    used = {name for split in planned.splits for name in split.templates}
    rules = arrangement(config, sorted(used))
    entities = _entities(planned, stock.entities)
    counted: dict[str, Found] = {}
    with ExitStack() as files:
        files.enter_context(reading([beside / path for path in (*config.source, *config.fill)]))
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; expected a folder to write to")
        _refuse_left_over(folder, config)
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if made:
            files.callback(_remove_empty, folder)
        about = files.enter_context(atomic_file(folder / MANIFEST))  # moved into its place last
        files.enter_context(collector_paused())
        for split in planned.splits:
            out = files.enter_context(atomic_file(folder / f"{split.name}.jsonl"))
            making = Making(config, split, rules, entities)
            for rows in making.rows():
                out.write(b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows]))
                if progress is not None:
                    progress(split.name, len(rows))
            counted[split.name] = making.found
        properties = check(config, planned, counted)
        refuse_unmet(properties)
        result = Generated(
            folder,
            {name: found.texts for name, found in counted.items()},
            properties,
            planned.left_out_predicates,
            planned.left_out_entities,
        )
        known = Rules(
            {name: _used(planned, name) for name in sorted(used)},
            {name: _named(names, config.called.number) for name, names in entities.items()},
            rules,
            _shares(counted["train"]),
            dict(counted["train"].predicates.most_common()),
        )
        manifest = {**result.to_dict(), "config": asdict(config), "rules": known.to_dict()}
        about.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return result


def _refuse_left_over(folder: Path, config: Config) -> None:
    """Sets of an earlier corpus beside the new ones would look like part of it."""
    if not (folder / MANIFEST).is_file():
        return
    try:
        earlier = set(orjson.loads((folder / MANIFEST).read_bytes())["texts"]) - set(config.splits)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise InputError(
            f"{folder / MANIFEST} is no manifest of nlgauge corpus generate; name another folder"
        ) from None
    if left := sorted(name for name in earlier if (folder / f"{name}.jsonl").exists()):
        raise InputError(
            f"{folder} has sets of an earlier corpus, which this one does not have: {', '.join(left)}; remove their "
            "files, or name another folder"
        )


def _remove_empty(folder: Path) -> None:
    """A folder made for nothing goes again."""
    if not any(folder.iterdir()):
        folder.rmdir()


def _entities(planned: Plan, known: dict[str, Any]) -> dict[str, Any]:
    """Those that any set can name."""
    used: dict[str, None] = {}
    for split in planned.splits:
        for kind in split.kinds.options:
            used.update(dict.fromkeys(kind.subjects.options))
        for options in split.values.values():
            used.update(dict.fromkeys(options.options))
        for facts in split.facts.values():
            used.update(dict.fromkeys(value for values in facts.values() for value in values))
    return {name: known[name] for name in used}


def _used(planned: Plan, predicate: str) -> tuple[Lexicalisation, ...]:
    """The lexicalisations of a predicate in any set."""
    found = {known.name: known for split in planned.splits for known in split.templates[predicate].options}
    return tuple(found.values())


def _named(names: Names, number: int) -> Names:
    """With those names only that texts use."""
    return replace(names, names=names.names[:number] if number else names.names)


def _shares(found: Found) -> dict[str, float]:
    """Of each template among those of its predicate."""
    totals: dict[str, int] = {}
    for name, count in found.templates.items():
        predicate = name.rpartition("/")[0]
        totals[predicate] = totals.get(predicate, 0) + count
    return {name: count / totals[name.rpartition("/")[0]] for name, count in sorted(found.templates.items())}
