"""Who sees what in which order: designs of rating and comparative studies as tables of whole numbers.

draws      random choices that never change; table: sheets of screens; base: what designs share
squares    latin, williams, random: each item at most once for a judge
stream     every cell once a round; shared: crossed, overlap, bibd, pairs, which are made with it
blocks     sets of systems for a screen (difference families, exchange search); places: their order on the screen
pairing    a few pairs for each item; extras: warm-up, checks, damaged copies, repeats; balance: what came of it

Nothing here knows texts, judges, the store or the web.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.study.designs.balance import Balance, balance
from nlgauge.study.designs.base import Design
from nlgauge.study.designs.blocks import Blocks, blocks
from nlgauge.study.designs.extras import Extras
from nlgauge.study.designs.shared import Crossed, Incomplete, Overlap, Pairs
from nlgauge.study.designs.squares import Latin, RandomText, Williams
from nlgauge.study.designs.table import Role, Screen, Table, next_sheet

__all__ = ["DESIGNS", "Balance", "Blocks", "Crossed", "Design", "Extras", "Incomplete", "Latin", "Overlap", "Pairs"]
__all__ += ["RandomText", "Role", "Screen", "Table", "Williams", "balance", "blocks", "next_sheet", "read"]

_KINDS: tuple[type[Design], ...] = (Latin, RandomText, Incomplete, Williams, Crossed, Overlap, Pairs)
DESIGNS = {design.kind: design for design in _KINDS}


def read(values: Mapping[str, Any]) -> Design:
    """The design that a mapping of the study file describes, `kind` and the design's own keys."""
    import orjson
    import yaml

    from nlgauge.io.fields import Reader

    kind = values.get("kind")
    if kind not in DESIGNS:
        what = "the key 'design.kind' is missing" if kind is None else f"design.kind cannot be {kind!r}"
        raise InputError(f"{what}; {suggest(str(kind or ''), DESIGNS)}")
    fields = {name: value for name, value in values.items() if name != "kind"}
    reader = Reader()
    node = yaml.compose(orjson.dumps(fields).decode(), Loader=yaml.SafeLoader)
    found = reader.read(DESIGNS[kind], node, "design")
    if reader.problems or found is None:
        raise InputError(reader.problems[0].message)
    design: Design = found
    return design
