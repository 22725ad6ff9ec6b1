"""What `study check` says of a chat study: goals, keys of addresses, criteria, balance, a simulated run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from nlgauge.errors import counted
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.chat.file import ChatStudy, chat_study
from nlgauge.study.protocols.outputs.check import (
    balance_findings,
    criteria_findings,
    quality_findings,
    rehearsal_findings,
)


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said without asking a system anything."""
    study = chat_study(frozen.study)
    yield from _conversations(frozen, study, lines)
    yield from _systems(study, lines)
    yield from _personas(study, lines)
    yield from criteria_findings(study, lines)
    yield from balance_findings(frozen, study, lines)
    yield from quality_findings(study, lines)
    if simulate:
        from nlgauge.study.protocols.chat.simulation import Talkers

        yield from rehearsal_findings(frozen, Talkers(dropouts=0.1))


def _conversations(frozen: Frozen, study: ChatStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    length, slots = study.conversation, sum(not slot.role for slot in frozen.slots)
    goals, most = len({text.item for text in frozen.served}), slots * length.max_turns
    yield Finding(
        "note",
        "conversations",
        f"{counted(slots, 'conversation')} about {counted(goals, 'goal')} with {counted(len(study.bots), 'system')}, "
        f"{length.min_turns} to {length.max_turns} turns each: at most {most:,} replies to be paid for",
        lines.get("conversation", 0) or lines.get("goals", 0),
        {"conversations": slots, "goals": goals, "most_replies": most},
    )


def _systems(study: ChatStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    for name, bot in study.bots.items():
        line = lines.get(f"bots.{name}", 0)
        if bot.key_env and not os.environ.get(bot.key_env, "").strip():
            yield Finding(
                "risk",
                "keys",
                f"{name}: the environment variable {bot.key_env} is not set here; where the site runs it must hold the "
                "key of the address",
                lines.get(f"bots.{name}.key_env", line),
            )
        if bot.key_env and bot.url.lower().startswith("http:") and "//127." not in bot.url:
            yield Finding(
                "risk",
                "keys",
                f"{name}: the key is sent to {bot.url} without encryption; give an address that begins with https://",
                lines.get(f"bots.{name}.url", line),
            )
        wait = bot.timeout * (bot.retries + 1)
        if wait > PATIENT:
            yield Finding(
                "risk",
                "waiting",
                f"{name}: a judge may wait {wait:g} seconds for a reply; lower timeout or retries",
                line,
                {"seconds": wait},
            )


def _personas(study: ChatStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    told = [number for number, goal in enumerate(study.goals, start=1) if goal.persona]
    deaf = [name for name, bot in study.bots.items() if "{persona}" not in bot.system_prompt]
    if told and deaf:
        yield Finding(
            "risk",
            "persona",
            f"goals have a persona, but the system prompt of {deaf[0]} has no {{persona}}: it is not told whom to be",
            lines.get(f"bots.{deaf[0]}", 0),
        )
    if any(asked.id == "persona-adherence" for asked in study.questions_asked) and len(told) < len(study.goals):
        yield Finding(
            "risk",
            "persona",
            "persona adherence is asked for, but not every goal has a persona to be judged by",
            lines.get("goals", 0),
        )


PATIENT = 150.0  # seconds
