"""What the keys of a chat study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

import re
from functools import partial

from nlgauge.errors import InputError, counted, shortened
from nlgauge.study.machine_judges.endpoint import checked_address
from nlgauge.study.protocols.chat.file import Bot, ChatStudy, answered_on
from nlgauge.study.protocols.outputs.contradictions import (
    LONGEST_ID,
    Problems,
    criteria_problems,
    showing_problems,
)
from nlgauge.study.protocols.outputs.gold import Form, gold_problems
from nlgauge.study.protocols.outputs.quality import quality_problems
from nlgauge.study.protocols.ratings.contradictions import off_scale, own_scale_problems
from nlgauge.study.protocols.ratings.criteria import entry_problems

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
FOREIGN = {
    "data": "a chat study has no texts: name the systems (bots: …) and what to talk about (goals: …)",
    "systems": "a chat study calls its systems by their addresses; name them under bots",
    "items": "a chat study has goals in place of items; leave items out",
    "subjects": "a chat study has no texts; name the systems under bots",
    "show": "judges of a conversation see the goal and what was said; leave show out",
}


def contradictions(study: ChatStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    for name, remedy in FOREIGN.items():
        if getattr(study, name):
            yield name, remedy
    for name, bot in study.bots.items():
        yield from _bot_problems(f"bots.{name}", name, bot)
    yield from _goal_problems(study)
    wrong = list(own_scale_problems(study, answered_on(study.scale)))
    scale = None if wrong else study.scale
    found = [
        *wrong,
        *criteria_problems(study, lambda entry, path: entry_problems(entry, path, study.asked_as(entry), scale)),
    ]
    yield from found
    if not found:
        yield from showing_problems(study)
        form = Form(wrong=partial(off_scale, study))
        yield from quality_problems(study, form=form)
        yield from gold_problems(study, form)
    length = study.conversation
    if length.min_turns > length.max_turns:
        yield (
            "conversation.min_turns",
            f"a conversation cannot end after {length.max_turns} messages (max_turns) and need {length.min_turns} "
            "replies (min_turns); lower min_turns",
        )
    yield from _panel_problems(study)
    yield from _practice_problems(study)
    if study.reasons.highlight != "no":
        yield "reasons.highlight", "there is no text to be marked in a conversation; set highlight: no"


def _bot_problems(path: str, name: str, bot: Bot) -> Problems:
    if not name.isprintable() or not name.strip() or len(name) > LONGEST_ID:
        yield (
            path,
            f"bots: the name {shortened(name)} must have 1 to {LONGEST_ID} characters that can be seen",
        )
    try:
        parts = checked_address(bot.url, f"{path}.url", "key_env")
    except InputError as error:
        yield f"{path}.url", str(error)
    else:
        if parts.query:
            yield (
                f"{path}.url",
                f"{path}.url holds a question mark, after which keys often stand; give the address without it, and the "
                "key in an environment variable (key_env)",
            )
    if bot.key_env and VARIABLE.fullmatch(bot.key_env) is None:
        # what stands there may be the key itself: it is not told again
        yield (
            f"{path}.key_env",
            f"{path}.key_env must be the name of an environment variable, such as CHAT_KEY, not the key; the file is "
            "no place for a key",
        )
    if not bot.name.isprintable():
        yield f"{path}.name", f"{path}.name holds characters that cannot be seen; take them out"


def _goal_problems(study: ChatStudy) -> Problems:
    if not study.goals:
        yield (
            "goals",
            "goals is empty; say what judges are to talk about, for example [Book a table for two.]",
        )
    seen: set[str] = set()
    for number, goal in enumerate(study.goals, start=1):
        name = goal.id or str(number)
        if name in seen:
            yield f"goals.{number}", f"two goals are called {shortened(name)}; give each an id of its own"
        if not name.isprintable() or len(name) > LONGEST_ID:
            yield (
                f"goals.{number}.id",
                f"a goal's id must have 1 to {LONGEST_ID} characters that can be seen, not {shortened(name)}",
            )
        seen.add(name)


def _panel_problems(study: ChatStudy) -> Problems:
    designs = {"design": study.design} | {
        f"panels.{name}.design": panel.design for name, panel in study.panels.items() if panel.design
    }
    for path, design in designs.items():
        if getattr(design, "per_screen", 1) != 1:
            yield f"{path}.per_screen", f"there is one conversation at a time; leave {path}.per_screen out"
    for name, panel in study.panels.items():
        if panel.kind == "machine":
            yield (
                f"panels.{name}.kind",
                (
                    "judges of a conversation hold it themselves, and a machine would rate its own; leave the "
                    "panel out, and let a machine rate finished conversations (protocol: likert, show: [history])"
                ),
            )
        if panel.show is not None:
            yield f"panels.{name}.show", FOREIGN["show"]


def _practice_problems(study: ChatStudy) -> Problems:
    practice = study.practice
    checks = () if study.quality is None else study.quality.attention
    held = {f"quality.attention.{number}": one.history for number, one in enumerate(checks, start=1)}
    held |= {f"practice.examples.{number}": one.history for number, one in enumerate(practice.examples, start=1)}
    for path, said in held.items():
        if len(said) < 2 or len(said) % 2:
            yield (
                f"{path}.history",
                f"{path} is a recorded conversation that judges read and rate: write what was said "
                "(history: [the user, the system, …]), ending with the system",
            )
    bare = next((number for number, one in enumerate(practice.examples, start=1) if one.gold is None), None)
    if bare is not None:
        yield (
            f"practice.examples.{bare}",
            "a recorded conversation is for training, with the answers that are right (gold: {answer: …}); to warm up, "
            "judges hold one about a goal (practice: 1)",
        )
    if practice.items and len(practice.items) < practice.texts:
        yield (
            "practice.items",
            f"{counted(practice.texts, 'conversation')} for practice need as many goals, not {len(practice.items)}; "
            "name more, or lower texts",
        )
