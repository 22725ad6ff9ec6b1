"""Style transfer between sources of texts, such as two newspapers: alignment, splits, classifiers, scores."""

from __future__ import annotations

from nlgauge.cli.arguments import Parts
from nlgauge.cli.commands.style import scores, systems, texts

EXAMPLES = """\
examples:
  nlgauge style example -o papers
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style split papers/gazette.jsonl papers/courier.jsonl pairs.jsonl -o split
  nlgauge style train split -o classifiers --evaluate
  nlgauge style transfer split -o outputs.jsonl
  nlgauge style score outputs.jsonl --split split --model classifiers --html style.html
  nlgauge style table scores.csv --harder rep2gio

`nlgauge style WHAT --help` shows the options."""


ARGUMENTS = (Parts(texts.PARTS | systems.PARTS | scores.PARTS),)
