"""The card of a trained metric: what it learnt from, how, how well, and where it must not be believed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge import __version__
from nlgauge.learned.featured import Featured
from nlgauge.learned.form import Form
from nlgauge.learned.learners import Linear
from nlgauge.learned.scale import scale_words
from nlgauge.training.config import Training, set_name


def card(training: Training, form: Form, figures: Mapping[str, Any], notes: Sequence[str]) -> str:
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
        f"A metric trained with nlgauge {__version__}. It runs as `{training.command('FOLDER')}`.",
        *([f"Its {said}."] if (said := scale_words(figures["scale"])) else []),
        *(["They are kept between 0 and 1."] if training.clipped else []),
        "",
        "## Learnt from",
        "",
        "| data set | criterion | examples | held out | licence |",
        "|---|---|---|---|---|",
        *(
            _row(
                set_name(data),
                data.human or training.learns,
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
        *(f"- {name}: {_said(value)}" for name, value in figures["settings"].items() if name != "features"),
        "",
        *_features(form, figures["settings"].get("features", ())),
        *_figures(training, figures),
        "## Limits",
        "",
        "- It knows the languages, genres and systems of the data above; elsewhere its scores may mean little.",
        "- A system that was tuned to it is flattered by it: report another metric beside it.",
        *(f"- {note}" for note in notes),
        "",
    ]
    return "\n".join(lines)


def _figures(training: Training, figures: Mapping[str, Any]) -> list[str]:
    if not figures["held_out"]:
        some = any(part["held"] for part in figures["sets"].values())
        why = "What was held out gives no figure" if some else "Nothing was held out"
        return ["## Figures", "", f"{why}, so how well it does is not known.", ""]
    intervals = figures["held_out_intervals"]
    said = [training.intervals_of] if intervals else []
    said += [training.figures_of] if training.figures_of else []
    if training.watches:
        said.append("What was held out also said when to stop, so that these figures are a little kind.")
    return [
        "## Figures",
        "",
        "| on what was held out | value | 95 % interval |",
        "|---|--:|---|",
        *(
            f"| {name.replace('_', ' ')} | {value:.4f} | {interval_words(intervals.get(name))} |"
            for name, value in figures["held_out"].items()
        ),
        "",
        *([" ".join(said), ""] if said else []),
    ]


def interval_words(ends: Sequence[float] | None) -> str:
    """The ends of an interval; a dash where there is none."""
    return f"{ends[0]:.4f} to {ends[1]:.4f}" if ends else "–"


def _features(form: Form, specs: Sequence[str]) -> list[str]:
    """The features, with the weights where the learner is a linear function."""
    learner = getattr(form, "learner", None)
    if not specs:
        return []
    if not isinstance(form, Featured) or not isinstance(learner, Linear):
        return ["| feature |", "|---|", *(f"| `{spec}` |" for spec in specs), ""]
    rows = zip(specs, learner.weights, form.scale.mean, form.scale.deviation, strict=True)
    return [
        "| feature | weight | mean | deviation |",
        "|---|--:|--:|--:|",
        *(f"| `{spec}` | {weight:+.4f} | {mean:.4g} | {spread:.4g} |" for spec, weight, mean, spread in rows),
        "",
        f"Weights are of standardised features, (value − mean) / deviation; {learner.bias:+.4f} is added.",
        "",
    ]


def _row(name: str, human: str, *, learnt: int, held: int, licence: str) -> str:
    return f"| {name} | {human} | {learnt:,} | {held:,} | {licence or 'not stated'} |"


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(part)}" for name, part in value.items())
    return ", ".join(f"`{part}`" for part in value) if isinstance(value, list) else f"`{value}`"
