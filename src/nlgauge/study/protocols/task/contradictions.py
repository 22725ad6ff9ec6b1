"""What the keys of a task allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nlgauge.errors import shortened
from nlgauge.study.protocols.outputs.contradictions import (
    LONGEST_ID,
    Problems,
    machine_problems,
    option_problems,
    practice_problems,
    single_problems,
    system_problems,
)
from nlgauge.study.protocols.outputs.gold import Form, Known, gold_problems
from nlgauge.study.protocols.outputs.quality import quality_problems
from nlgauge.study.protocols.task.file import TaskStudy
from nlgauge.study.protocols.task.questions import PLACEHOLDER, TaskQuestion, question_problems


def contradictions(study: TaskStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    yield from system_problems(study)
    yield from option_problems(study)
    if study.criteria:
        yield (
            "criteria",
            "a task is scored by its key, not rated; leave criteria out, or set protocol: likert to have texts rated",
        )
    yield from _question_problems(study)
    form = Form(("ask",), partial(_known_problems, study))
    yield from quality_problems(study, form=form)
    yield from gold_problems(study, form)
    if study.hide_text and study.reasons.highlight != "no":
        yield (
            "reasons.highlight",
            "the text is hidden while questions are answered (hide_text), so nothing can be marked; set highlight: no",
        )
    yield from single_problems(study, "a task shows")
    yield from machine_problems(study, scores=False)
    machine = next((name for name, panel in study.panels.items() if panel.kind == "machine"), None)
    if study.hide_text and machine is not None:
        yield (
            f"panels.{machine}.kind",
            "the text is hidden while questions are answered (hide_text), and a machine forgets nothing: it would "
            "answer with the text in sight; leave hide_text or the panel out",
        )
    yield from practice_problems(study, "text")
    bare = next((number for number, one in enumerate(study.examples, start=1) if one.gold is None), None)
    if bare is not None:
        yield (
            f"practice.examples.{bare}",
            "questions belong to the items of the study, and an example of its own has none; give it some with their "
            "answers (gold: {ask: […]}), or draw practice from the items (practice: 1)",
        )


def _question_problems(study: TaskStudy) -> Problems:
    if study.ask and study.ask_column:
        yield (
            "ask",
            "the questions come either from ask (a list in the file) or from ask_column (a key of the set's rows), not "
            "from both; leave one of them out",
        )
    elif not study.ask and not study.ask_column:
        yield (
            "ask",
            "the file asks nothing; add ask: [{text: …, answer: …}], or ask_column: KEY where the rows of the set hold "
            "the questions",
        )
    if study.ask_column and not study.data and any(not rated_subject.data for rated_subject in study.subjects.values()):
        yield "ask_column", "ask_column names a key of a set's rows; name the set (data: …), or write ask"
    yield from _names(study.ask, "ask")
    for number, question in enumerate(study.ask, start=1):
        path = f"ask.{number}"
        if str(question.answer) == PLACEHOLDER:
            yield (
                f"{path}.answer",
                f"{path} is the example that study new wrote; write a question of your own and its answer",
            )
        for key, why in question_problems(question, study.normalise):
            yield f"{path}.{key}", f"{path} {why}"
    twice = [step for step in study.normalise if study.normalise.count(step) > 1]
    if twice:
        yield "normalise", f"normalise: {twice[0]} is named twice; leave one out"


def _names(questions: Sequence[TaskQuestion], path: str) -> Problems:
    """Each question about a text has a name of its own."""
    seen: set[str] = set()
    for number, question in enumerate(questions, start=1):
        place, name = f"{path}.{number}", question.id or str(number)
        if name in seen:
            yield place, f"two questions are called {shortened(name)}; give each an id of its own"
        seen.add(name)
        if not name.isprintable() or len(name) > LONGEST_ID:
            yield (
                f"{place}.id",
                f"a question's id must have 1 to {LONGEST_ID} characters that can be seen, not {shortened(name)}",
            )


def _known_problems(study: TaskStudy, known: Known, texts: Sequence[str]) -> Problems:
    """Questions about a text of its own that cannot be scored."""
    yield from _names(known.ask, "ask")
    for number, question in enumerate(known.ask, start=1):
        for key, why in question_problems(question, study.normalise):
            yield f"ask.{number}.{key}", f"the question {why}"
        if question.items:
            yield f"ask.{number}.items", "it is asked about this text alone; leave items out"
