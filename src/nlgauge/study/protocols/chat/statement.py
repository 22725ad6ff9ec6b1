"""What a chat study tells for its design statement: what ratings tell, of conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.chat.file import ChatStudy, chat_study
from nlgauge.study.protocols.outputs.statement import practice_told
from nlgauge.study.protocols.ratings.statement import told as rated
from nlgauge.study.statements.told import Sheets, Told


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = chat_study(frozen.study)
    goals = len({text.item for text in frozen.served})
    return replace(
        rated(frozen, seen),
        kind="conversation with a system, rated by the judge who had it",
        screen=_screen(study),
        practice=practice_told(study, "conversation"),
        sample=f"{goals:,} goals with {len(study.bots)} systems: {_systems(study)}",
    )


def _screen(study: ChatStudy) -> str:
    length = study.conversation
    beside = [
        words
        for words, there in (
            ("whom the judge plays", any(goal.role for goal in study.goals)),
            ("whom the system is to be", any(goal.persona for goal in study.goals)),
        )
        if there
    ]
    told = f", {' and '.join(beside)}" if beside else ""
    return (
        f"A goal{told}, and a conversation of {length.min_turns} to {length.max_turns} turns with a system; then all "
        "questions about it, with the conversation beside them. Judges never see which system it is."
    )


def _systems(study: ChatStudy) -> str:
    return "; ".join(
        f"{bot.name or name} ({bot.model}"
        + ("" if bot.temperature is None else f", temperature {bot.temperature:g}")
        + (", system prompt" if bot.system_prompt else "")
        + ")"
        for name, bot in study.bots.items()
    )
