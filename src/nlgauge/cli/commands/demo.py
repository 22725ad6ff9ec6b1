"""Run the main job on the bundled example: score five forecast generators, compare them, write an HTML report."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg
from nlgauge.cli.common import Output
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge demo
  nlgauge demo -o forecasts-report
  nlgauge demo --json"""

METRICS = ("bleu", "chrf++", "ter", "rougeL", "nist", "wer")
BASELINE = "rules"
SHOWN = 3  # example items in the report


ARGUMENTS = (
    Arg("-o --output DIR", "folder for the data and the page (default demo-output)", Output, "demo-output"),
    Arg("--json", "print one JSON object instead of tables"),
)


def run(arguments: argparse.Namespace) -> int:
    """Score, compare, conclude, and write the page."""
    from nlgauge import api
    from nlgauge.engine.local import segment_scores
    from nlgauge.io import atomic_path
    from nlgauge.report.scores import write_report
    from nlgauge.report.text import conclusion, print_comparisons, print_scores

    folder = Path(arguments.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}; choose another with -o") from None
    text = files("nlgauge").joinpath("demo/forecasts.jsonl").read_bytes()
    data_path = folder / "forecasts.jsonl"
    if data_path.exists() and data_path.read_bytes() != text:
        raise InputError(f"{data_path} is not the demo's, and is not replaced; choose another folder with -o")
    if (folder / "report.html").exists() and not data_path.exists():
        raise InputError(f"{folder / 'report.html'} is not the demo's; choose another folder with -o")
    with atomic_path(data_path) as temporary:
        temporary.write_bytes(text)
    data = api.load(data_path)
    scores = api.score(data, METRICS, ci=True)
    comparisons = api.compare(data, METRICS, baseline=BASELINE)
    shown = set(data.items[:: len(data.items) // SHOWN][:SHOWN])
    page = write_report(
        scores,
        comparisons,
        folder / "report.html",
        title="Five wind-forecast generators",
        segments=segment_scores(data, ("sentbleu", "chrf++")),
        examples=[segment.to_dict() for segment in data if segment.item in shown],
        summary=f"{data.summary}. The texts and ratings of this example were made by a script.",
    )
    if arguments.json:
        page_facts = {"conclusion": conclusion(scores, comparisons), "report": str(page), "data": str(data_path)}
        common.print_json({"score": scores.to_dict(), "compare": comparisons.to_dict(), **page_facts})
        return 0
    print(f"Data: {data.summary}\n")
    print_scores(scores)
    print()
    print_comparisons(comparisons)
    print(f"\nThe page with plots: {page}\nThe data:            {data_path}")
    print(f"Try next:            nlgauge score {data_path} -m bleu -m rouge@2 --ci")
    return 0
