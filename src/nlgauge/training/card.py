"""The card of a trained metric: what it learnt from, how, how well, and where it must not be believed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge import __version__
from nlgauge.training.config import Training, set_name


def card(training: Training, figures: Mapping[str, Any], notes: Sequence[str]) -> str:
    """As the Hugging Face hub shows it."""
    licences = sorted({data.licence for data in training.data if data.licence})
    opening = {
        "library_name": "nlgauge",
        "license": training.licence,
        "language": training.languages,
        "tags": ["evaluation", "metric", "natural-language-generation"],
        "license_of_data": licences,
    }
    lines = [
        "---",
        *(f"{name}: {json.dumps(told, ensure_ascii=False)}" for name, told in opening.items() if told),
        "---",
        f"# {training.name}",
        "",
        *([training.about, ""] if training.about else []),
        f'A metric trained with nlgauge {__version__}. It runs as `nlgauge score DATA -m "trained(model=FOLDER)"`.',
        "",
        "## Learnt from",
        "",
        "| data set | criterion | examples | held out | licence |",
        "|---|---|---|---|---|",
        *(
            _row(
                set_name(data),
                data.human or training.supervise.learns or "preferences",
                **figures["sets"][set_name(data)],
                licence=data.licence,
            )
            for data in training.data
        ),
        "",
        "## What it is made of",
        "",
        f"Kind: {figures['kind']}; seed {training.seed}. The recipe is in training.json.",
        "",
        *(f"- {name}: {_said(value)}" for name, value in figures["settings"].items()),
        "",
        "## Figures",
        "",
        "| on what was held out | value |",
        "|---|---|",
        *(f"| {name} | {value:.4f} |" for name, value in figures["held_out"].items()),
        "",
        f"{training.figures_of}\n" if training.figures_of else "",
        "What was held out also said when to stop, so that these figures are a little kind.\n"
        if training.watches
        else "",
        "## Limits",
        "",
        "- It knows the languages, genres and systems of the data above; elsewhere its scores may mean little.",
        "- A system that was tuned to it is flattered by it: report another metric beside it.",
        *(f"- {note}" for note in notes),
        "",
    ]
    return "\n".join(lines)


def _row(name: str, human: str, *, learnt: int, held: int, licence: str) -> str:
    return f"| {name} | {human} | {learnt:,} | {held:,} | {licence or 'not stated'} |"


def _said(value: Any) -> str:
    return ", ".join(f"`{part}`" for part in value) if isinstance(value, list) else f"`{value}`"
