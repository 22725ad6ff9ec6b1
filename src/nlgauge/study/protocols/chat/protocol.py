"""Conversations for the engine. An answer is an object: the ratings as in `ratings`, and the conversation itself.

    {"ratings": {"engagingness": 4}, "turns": [{"role": "judge", "text": "Hello", "at": 1767225600.0}, …]}

`turns` holds every entry of the record, failures included. A conversation that ended before there was enough to be
rated, because the system did not reply, has no ratings and `broken` set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.errors import counted
from nlgauge.study.model import TURN, Judgement, Text
from nlgauge.study.protocols.base import Crowd, Layout, Place, accepted, told_of
from nlgauge.study.protocols.chat.contradictions import contradictions
from nlgauge.study.protocols.chat.conversation import FAILURE, JUDGE, RECORDED, SYSTEM, Conversation
from nlgauge.study.protocols.chat.file import ChatStudy, chat_study
from nlgauge.study.protocols.outputs.file import OutputStudy, RatedSubject, RatedText
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.outputs.layout import ROLES
from nlgauge.study.protocols.outputs.practice import laid_out
from nlgauge.study.protocols.outputs.protocol import OutputProtocol
from nlgauge.study.protocols.ratings.protocol import OnScales
from nlgauge.study.protocols.ratings.simulation import OPTIONS
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.checks.findings import Finding
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.service import Service

COUNTS = ("replies", "judge_words", "system_words", "failures")
BESIDE = ("role", "persona", "opening")
KNOWN = ("ratings", "turns", "broken")


class Chat(OnScales, OutputProtocol):
    """How was this conversation?"""

    study = ChatStudy
    records = True
    analysed_by = ("unit",)
    machines = False  # a machine that converses would be another study
    samples = False
    columns = (*OutputProtocol.columns, *COUNTS)
    whole = COUNTS
    uninstructed = (
        "there are no instructions: judges read those of the page; write your own (instructions: …), so that the "
        "statement holds them"
    )
    unpractised = "there is no practice: the first conversation of each judge counts"

    def describe(self, study: Study) -> str:
        """What is rated for what."""
        own = chat_study(study)
        names = ", ".join(criterion.id for criterion in own.questions_asked)
        return (
            f"conversations with {counted(len(own.bots), 'system')} about {counted(len(own.goals), 'goal')}, rated for "
            f"{names}; {own.design.kind} design"
        )

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(chat_study(study))

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """A slot for a goal and a system."""
        return _laid_out(chat_study(study), folder)

    # ------------------------------------------------------------------------------------------------- answers

    def call(self, frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
        """Each system is asked for a reply."""
        from nlgauge.study.protocols.chat.bots import call

        yield from call(chat_study(frozen.study), frozen.served[0], lines)

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """The ratings; or none, of a conversation that broke off, which `completed` checks."""
        if not isinstance(answer, Mapping) or not isinstance(answer.get("ratings"), Mapping):
            raise Refused("invalid", "an answer is an object with ratings, a number for each criterion")
        unknown = [name for name in answer if name not in KNOWN]
        if unknown:
            raise Refused("invalid", f"an answer about a conversation has nothing called {unknown[0]!r}")
        given = {"turns": answer["turns"]} if "turns" in answer else {}
        if not answer["ratings"]:
            return {"ratings": {}, **given}
        ratings: dict[str, Any] = super().check_answer(answer["ratings"], shown, study)
        return {"ratings": ratings, **given}

    def completed(self, answer: Any, record: Sequence[Mapping[str, Any]], shown: Sequence[Text], study: Study) -> Any:
        """The ratings with what was said; refused before the conversation has ended."""
        said = Conversation.of(record, chat_study(study), shown[0])
        turns = [dict(turn) for turn in said.record]
        _check_turns(answer, turns)
        if not said.ended:
            raise Refused("stage", "the conversation has not ended yet; end it, then rate it")
        if said.broken == bool(answer["ratings"]):
            why = "broke off and is not rated" if said.broken else "has not been rated"
            raise Refused("invalid", f"this conversation {why}")
        found = {"ratings": answer["ratings"], "turns": turns}
        return found | ({"broken": True} if said.broken else {})

    def corrected(self, answer: Any, before: Any) -> Any:
        """Other ratings of the same conversation."""
        _check_turns(answer, before["turns"])
        if bool(answer["ratings"]) == bool(before.get("broken")):
            raise Refused("invalid", "a conversation that broke off is not rated, and every other is")
        return {**before, "ratings": answer["ratings"]}

    def impersonal(self, answer: Any) -> Any:
        """The ratings, and how long the turns were."""
        turns = [
            {**turn, "text": "", "words": len(str(turn["text"]).split())} if turn.get("text") else dict(turn)
            for turn in answer["turns"]
        ]
        return {**answer, "turns": turns}

    def given(self, answer: Any) -> Mapping[str, Any]:
        """The ratings."""
        found: Mapping[str, Any] = answer["ratings"]
        return found

    def score(self, study: OutputStudy, judgement: Judgement) -> float | None:
        """Nothing that a copy could be compared with."""
        return None

    def fault(self, judgement: Judgement) -> str:
        """A goal, a role, ratings, turns."""
        answer = judgement.answer
        if isinstance(answer, Mapping) and isinstance(answer.get("turns"), list):
            turns = all(isinstance(turn, Mapping) and isinstance(turn.get("role"), str) for turn in answer["turns"])
            if turns and answer.get("broken") and answer.get("ratings") == {}:
                return "" if judgement.role in ROLES.values() and len(judgement.texts) == 1 else NO_CONVERSATION
            if turns and not super().fault(rated(judgement)):
                return ""
        return NO_CONVERSATION

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """A row for each criterion, with the length of the conversation."""
        counts = counts_of(judgement, chat_study(frozen.study))
        return [row | counts for row in super().long(rated(judgement), frozen)]

    def transcript(self, judgement: Judgement, frozen: Frozen) -> dict[str, Any] | None:
        """The conversation with what it was about."""
        (text,) = (frozen.text[name] for name in judgement.texts)
        about = {"item": text.item, "system": text.subject, "goal": text.text, **text.beside}
        return {**about, **told_of(judgement), **judgement.answer}

    def watched(self, service: Service) -> Sequence[str]:
        """How many replies came, and which requests failed."""
        return list(_watched(service))

    # ---------------------------------------------------------------------------------------------- simulation

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Half a minute for each turn of a conversation of middling length, and the questions."""
        length = chat_study(study).conversation
        return 30.0 * (length.min_turns + length.max_turns) / 2 + 5.0 * len(chat_study(study).questions_asked)

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges who converse with scripted systems."""
        from nlgauge.study.protocols.chat.simulation import Talkers

        return Talkers(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the mean of each system for each criterion, as answered."""
        found = super().summary(frozen, [rated(judgement) for judgement in counted], surplus)
        return found | {"broken": sum(bool(judgement.answer.get("broken")) for judgement in counted)}

    def with_and_without(self, frozen: Frozen, judgements: Sequence[Judgement], excluded: Mapping[str, str]) -> str:
        """Plain means of the ratings."""
        from nlgauge.study.protocols.ratings.analysis.variants import plain_means

        return plain_means(frozen, [rated(judgement) for judgement in judgements], excluded)


NO_CONVERSATION = "texts, role and answer do not describe a conversation with its ratings"


def _check_turns(answer: Mapping[str, Any], turns: list[dict[str, Any]]) -> None:
    """What was said is in the record; an answer may repeat it, but not tell it otherwise."""
    if "turns" in answer and answer["turns"] != turns:
        raise Refused("invalid", "the turns of an answer are those of the conversation; leave them out")


def rated(judgement: Judgement) -> Judgement:
    """The same judgement with its ratings alone, as the machinery of ratings reads it; a check stays as it is."""
    return judgement if judgement.role == CHECK else replace(judgement, answer=dict(judgement.answer["ratings"]))


def counts_of(judgement: Judgement, study: ChatStudy) -> dict[str, int]:
    """How long a conversation was; what was erased is counted as it was noted then."""
    said = Conversation.of(judgement.answer["turns"], study)
    erased = Counter[str]()
    for turn in said.turns:
        erased[turn["role"]] += int(turn.get("words", 0))
    return {
        "replies": said.replies,
        "judge_words": said.words(JUDGE) + erased[JUDGE],
        "system_words": said.words(SYSTEM) + erased[SYSTEM],
        "failures": said.failures,
    }


def _watched(service: Service) -> Iterator[str]:
    study = chat_study(service.study)
    shown = service.turns.shown_texts()
    replies: Counter[str] = Counter()
    failed: dict[str, list[Mapping[str, Any]]] = {}
    for event in service.events(TURN):
        system = shown.get(event["data"]["claim"], "")
        if event["data"]["role"] == SYSTEM:
            replies[system] += 1
        elif event["data"]["role"] == FAILURE:
            failed.setdefault(system, []).append(event)
    for name in study.bots:
        own = failed.get(name, [])
        said = f"{name}: {replies[name]:,} replies"
        if not own:
            yield f"{said}, no request failed."
            continue
        why = own[-1]["data"].get("why", "")
        yield f"{said}, {counted(len(own), 'request')} failed; the last: {why}"


def _laid_out(study: ChatStudy, folder: str | Path) -> Layout:
    """A text for every goal and system: what is dealt is a goal, with the system that will answer."""
    goals = {goal.id or str(number): goal for number, goal in enumerate(study.goals, start=1)}
    texts = tuple(RatedText(text=goal.goal, item=name) for name, goal in goals.items())
    subjects = {name: RatedSubject(name=bot.name, texts=texts) for name, bot in study.bots.items()}
    found = laid_out(replace(study, subjects=subjects), folder)
    beside: dict[str, Any] = _recorded(study) | {
        item: {name: getattr(goal, name) for name in BESIDE if getattr(goal, name)} for item, goal in goals.items()
    }
    return replace(found, texts=tuple(replace(text, beside=beside[text.item]) for text in found.texts))


def _recorded(study: ChatStudy) -> dict[str, Any]:
    """What was said in the conversations of attention checks and of practice."""
    checks = () if study.quality is None else study.quality.attention
    held = {f"check {number}": one.history for number, one in enumerate(checks, start=1)}
    held |= {f"practice {number}": one.history for number, one in enumerate(study.practice.examples, start=1)}
    return {item: {RECORDED: list(turns)} for item, turns in held.items()}


FAMILY = {"chat": Chat}
