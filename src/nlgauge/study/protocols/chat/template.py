"""A new chat study: the inputs of a data set as goals, two systems to be given their addresses, dialogue criteria."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.errors import InputError, counted
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.file.study import FILE
from nlgauge.study.file.template import Made, Source, closing, heading, opened, quoted, recruiting, write
from nlgauge.study.languages import worded
from nlgauge.study.protocols.chat.file import for_users
from nlgauge.study.protocols.outputs.contradictions import options_told
from nlgauge.study.protocols.outputs.file import SINGLE
from nlgauge.study.protocols.outputs.template import (
    Planned,
    Wish,
    checks_told,
    chosen,
    enough_checks,
    planned,
    whole_squares,
)
from nlgauge.study.protocols.ratings.criteria import asked_of
from nlgauge.types import EvaluationSet

USUAL = ("engagingness", "making-sense", "avoiding-repetition", "goal-fulfilment")
RATINGS = 3  # of each system about each goal
SHEET = 4  # conversations for a judge
MOST_GOALS = 30


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a chat study; the sources of the data are what judges talk about."""
    root, source = Path(folder), Source(Path(data), wish.columns)
    content = opened(root, source, wish.languages)
    goals = _goals(content)
    asked, notes = chosen(wish, "likert", "a scale of points", ("history", "context"), USUAL)
    bots = list(wish.systems) or list(content.systems)[:2]
    each = max(1, min(SHEET, len(goals)))
    wanted = wish.judges or max(len(bots), -(-RATINGS * len(goals) // each) * len(bots))
    plan = planned(wish, SINGLE, "latin", (len(goals), len(bots)), Planned(each, wanted, whole_squares(len(bots))))
    write(root, source, content, _text(bots, goals, asked, plan, wish))
    if len(content.items) > len(goals):
        notes = [
            *notes,
            f"the first {len(goals)} of {len(content.items):,} inputs are goals; edit them in the file",
        ]
    notes = [*notes, "give each system under bots its own address and model before launching"]
    sentence = (
        f"conversations with {counted(len(bots), 'system')} about {counted(len(goals), 'goal')}, rated for "
        f"{', '.join(criterion.id for criterion in asked)}, {counted(plan.judges, 'judge')} with "
        f"{counted(plan.each, 'conversation')} each"
    )
    return Made(root / FILE, {name: name for name in bots}, plan.judges, len(goals), sentence, notes)


def _goals(content: EvaluationSet) -> list[tuple[str, str]]:
    """Items with a source in words."""
    found: dict[str, str] = {}
    for segment in content:
        if isinstance(segment.source, str) and segment.source.strip():
            found.setdefault(segment.item, segment.source.strip())
    if not found:
        raise InputError(
            f"{content.origin} has no sources in words, which would be what judges talk about; give a set whose source "
            "says it, one row for each goal"
        )
    return list(found.items())[:MOST_GOALS]


def _text(
    bots: Sequence[str],
    goals: Sequence[tuple[str, str]],
    asked: Sequence[Criterion],
    plan: Planned,
    wish: Wish,
) -> str:
    lines = [
        *heading(wish.protocol, wish.title, worded("chat.title"), wish.languages),
        "bots:  # OpenAI-compatible addresses; judges never see anything of this",
    ]
    for name in bots:
        lines += [
            f"  {quoted(name)}:",
            "    url: http://127.0.0.1:8080/v1",
            f"    model: {quoted(name)}",
            '    key_env: ""  # the environment variable that holds the key where the site runs; never the key',
            '    system_prompt: ""  # may hold {goal}, {role} and {persona}',
            "    # temperature: 0.7, max_tokens: 512, timeout: 60, retries: 1",
        ]
    lines += ["goals:  # what each conversation is about; role, persona and opening may stand beside it"]
    lines += [f"  - {{id: {quoted(item)}, goal: {quoted(words)}}}" for item, words in goals]
    lines += [
        "conversation: {min_turns: 3, max_turns: 10, longest_message: 2000}",
        "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: …}}",
        *(f"  - {criterion.id}" for criterion in asked),
        "# - {id: avoiding-repetition, wording: quoted}  # “Does the bot repeat itself?”, reverse-keyed",
        "# scale: {points: 7, labels: [{en: Very poor}, {en: Very good}]}  # for all criteria",
        plan.line,
        f"languages: [{', '.join(wish.languages)}]",
        "# instructions: {en: …}  # in place of the page's own",
        *recruiting("users", plan.judges, wish.access, plan.about, wish.languages, ["who: end_user"]),
        "practice: 0  # conversations before the first that counts; their goals serve no more",
        *_checks(asked[0].id),
        "reasons: {text: no}  # no, optional or required",
        "questions: []  # about the judge",
        *options_told(wish.protocol),
        *closing(wish.seed),
    ]
    return "\n".join(lines) + "\n"


def _checks(criterion: str) -> list[str]:
    """The checks as a comment: recorded conversations that say what to answer."""
    asked = asked_of(for_users(CriterionEntry(id=criterion)), "likert", None)
    assert asked is not None, f"{criterion} was chosen"
    low, high = asked.scale.values[1], asked.scale.values[-2]
    said = asked.question["en"]
    checks = [
        f'text: "Read this conversation.", history: ["Hello.", {quoted(READ.format(question=said, answer=value))}], '
        f"answer: {{{criterion}: {value}}}"
        for value in (low, high, low, high)[: enough_checks(1 / (asked.scale.points - 1))]
    ]
    gold = f"{{text: …, history: […, …], gold: {{answer: {{{criterion}: {high}}}, within: 1}}, why: …}}"
    return checks_told(checks, gold)


READ = "This conversation is here to see whether it is read: to the question “{question}” please answer {answer}."
