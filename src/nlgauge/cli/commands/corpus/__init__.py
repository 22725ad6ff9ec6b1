"""Corpora of inputs and texts: what they hold, and what systems make of them."""

from __future__ import annotations

from nlgauge.cli.arguments import Parts
from nlgauge.cli.commands.corpus import controlled, grammar, pcru, profile

EXAMPLES = """\
examples:
  nlgauge corpus profile train.xml dev.xml test.xml --html profile.html
  nlgauge corpus profile outputs.jsonl
  nlgauge corpus grammar check person outputs.jsonl
  nlgauge corpus grammar parse wind --text "SW 10-14, veering W by midday."
  nlgauge corpus grammar sample person -n 5
  nlgauge corpus pcru demonstrate
  nlgauge corpus generate places.yaml -o places
  nlgauge corpus conform outputs.jsonl --rules places
  nlgauge corpus experiment predictions -o predictions --small

`nlgauge corpus WHAT --help` shows the options."""


ARGUMENTS = (Parts(profile.PARTS | pcru.PARTS | controlled.PARTS | grammar.PARTS),)
