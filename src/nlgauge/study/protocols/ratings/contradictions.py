"""What the keys of a rating study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

from nlgauge.study.criteria.entries import scale_problems
from nlgauge.study.protocols.outputs.contradictions import (
    Problems,
    criteria_problems,
    machine_problems,
    showing_problems,
    system_problems,
)
from nlgauge.study.protocols.ratings.criteria import entry_problems
from nlgauge.study.protocols.ratings.file import RatingStudy


def contradictions(study: RatingStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    yield from system_problems(study)
    before = len(found := [*_scale_problems(study), *_criteria_problems(study)])
    yield from found
    if not before:
        yield from showing_problems(study, paged=True)
    designs = {"design": study.design} | {
        f"panels.{name}.design": panel.design for name, panel in study.panels.items() if panel.design
    }
    for path, design in designs.items():
        if getattr(design, "per_screen", 1) != 1:
            yield f"{path}.per_screen", f"ratings show one text at a time; leave {path}.per_screen out"
    yield from machine_problems(study)
    practice = study.practice
    if practice.items and len(practice.items) < practice.texts:
        yield "practice.items", f"{practice.texts} texts for practice need as many inputs"


def _scale_problems(study: RatingStudy) -> Problems:
    scale = study.scale
    if scale is None:
        return
    if scale.step is not None and study.protocol != "continuous":
        yield "scale.step", "steps belong to a slider (protocol: continuous); points have steps of their own"
    only_step = not scale.name and scale.points is None and scale.low is None and scale.high is None
    if only_step and study.protocol == "continuous" and not scale.labels:
        return
    yield from scale_problems(scale, "scale")


def _criteria_problems(study: RatingStudy) -> Problems:
    yield from criteria_problems(
        study, lambda entry, path: entry_problems(entry, path, study.protocol, study.scale)
    )
