"""Goals × systems as slots: what is dealt is a goal, with the system that will answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.chat.conversation import RECORDED
from nlgauge.study.protocols.chat.file import ChatStudy, Goal
from nlgauge.study.protocols.outputs.file import RatedSubject, RatedText
from nlgauge.study.protocols.outputs.layout import lay_out
from nlgauge.study.protocols.outputs.practice import warm_up_texts

BESIDE = ("role", "persona", "opening")


def laid_out(study: ChatStudy, folder: str | Path) -> Layout:
    """The study with its questions fixed, a text for every goal and system, and the slots of every panel."""
    goals = {goal.id or str(number): goal for number, goal in enumerate(study.goals, start=1)}
    texts = tuple(RatedText(text=goal.goal, item=name) for name, goal in goals.items())
    subjects = {name: RatedSubject(name=bot.name, texts=texts) for name, bot in study.bots.items()}
    fixed = replace(study, asked=study.questions_asked, subjects=subjects)
    found = lay_out(fixed, folder, lambda own, read: warm_up_texts(own, own.practice, read))
    recorded = _recorded(study)
    return replace(
        found,
        texts=tuple(
            replace(one, beside=_beside(goals[one.item]) if one.item in goals else recorded[one.item])
            for one in found.texts
        ),
    )


def _recorded(study: ChatStudy) -> dict[str, dict[str, list[str]]]:
    """What was said in the conversations of attention checks and of practice."""
    checks = () if study.quality is None else study.quality.attention
    held = {f"check {number}": one.history for number, one in enumerate(checks, start=1)}
    held |= {f"practice {number}": one.history for number, one in enumerate(study.practice.examples, start=1)}
    return {item: {RECORDED: list(turns)} for item, turns in held.items()}


def _beside(goal: Goal) -> dict[str, str]:
    return {name: getattr(goal, name) for name in BESIDE if getattr(goal, name)}
