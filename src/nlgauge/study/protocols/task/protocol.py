"""Tasks for the engine. An answer is an object: what was answered to each question, by its id, as it was given.

    {"answers": {"who": {"choice": 2}, "when": {"text": "in 1999"}, "how-far": {"number": 12.5}}, "confidence": 4}

Where the text was hidden, `read_at` says when the judge went on to the questions. What is right follows from the key.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.errors import counted
from nlgauge.study.file.study import say
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols.base import Crowd, Layout, Place, Protocol, Seen, accepted, told_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.outputs.layout import ROLES
from nlgauge.study.protocols.outputs.protocol import OutputProtocol, mean, summed
from nlgauge.study.protocols.task.contradictions import contradictions
from nlgauge.study.protocols.task.file import TaskStudy, task_study
from nlgauge.study.protocols.task.layout import laid_out, posed_about
from nlgauge.study.protocols.task.questions import LONGEST_ANSWER, Given, Posed, posed
from nlgauge.study.protocols.task.simulation import OPTIONS, Readers
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.service import Service

READ = "read"
SURE = (1, 2, 3, 4, 5)


class Tasks(OutputProtocol):
    """What does a reader get out of this text?"""

    reworded = False
    unordered = "a task has no criteria"
    study = TaskStudy
    instructions = ""
    machines = samples = True
    chosen = tuple(name for name in OutputProtocol.chosen if name not in ("task", "criteria"))
    figures = "success"
    records = True
    columns = (*Protocol.columns, "given", "confidence")
    whole = ("confidence",)
    uninstructed = (
        "there are no instructions: judges read those of the page; write your own (instructions: …), so that the "
        "statement holds them"
    )
    unpractised = "there is no practice: the first text of each judge counts, and its time"

    def describe(self, study: Study) -> str:
        """What is asked about what."""
        own = task_study(study)
        asked = counted(len(own.ask), "question") if own.ask else "the questions of the set"
        hidden = ", the text hidden meanwhile" if own.hide_text else ""
        return f"{asked} about outputs of {counted(len(own.authors), 'system')}{hidden}; {own.design.kind} design"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(task_study(study))

    def asked_wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, options."""
        for number, one in enumerate(task_study(study).ask, start=1):
            yield f"ask.{number}.text", one.text
            for place, words in enumerate(one.options, start=1):
                yield f"ask.{number}.options.{place}", words

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts with their questions, practice, and the design's sheets for every panel."""
        return laid_out(task_study(study), folder)

    def next_slot(self, frozen: Frozen, slots: Sequence[Any], seen: Sequence[Seen]) -> Any:
        """The first by number; of what others left, first what this judge was not asked about yet: a second text of the
        same input is answered from memory."""
        had = {frozen.text[text].item for slot, _ in seen for text in frozen.shown_in.get(slot, ())}

        def known(slot: Any) -> bool:
            return not slot.role and any(frozen.text[text].item in had for text in slot.texts)

        return min(slots, key=lambda slot: (known(slot), slot.number))

    # ------------------------------------------------------------------------------------------------- answers

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """An answer to each question, in their order; a page sends them as a list."""
        own, asked = task_study(study), posed_about(shown[0])
        if not isinstance(answer, Mapping) or not isinstance(answer.get("answers"), Mapping | list):
            raise Refused("invalid", "an answer is an object with answers, one for each question")
        given = answer["answers"]
        if isinstance(given, list):
            if len(given) != len(asked):
                raise Refused("invalid", f"{len(asked)} questions are asked, and {len(given)} were answered")
            given = {question.id: value for question, value in zip(asked, given, strict=True)}
        unknown = [name for name in given if name not in {question.id for question in asked}]
        unknown += [name for name in answer if name not in ("answers", "confidence", "read_at")]
        if unknown:
            raise Refused("invalid", f"the study asks nothing called {unknown[0]!r}")
        found: dict[str, Any] = {
            "answers": {question.id: _checked(question, given.get(question.id)) for question in asked}
        }
        if own.confidence:
            sure = answer.get("confidence")
            if sure not in SURE or isinstance(sure, bool):
                raise Refused("invalid", f"how sure a judge is stands between 1 and 5, not at {sure!r}")
            found["confidence"] = int(sure)
        elif answer.get("confidence") is not None:
            raise Refused("invalid", "the study does not ask how sure judges are")
        return found

    def completed(self, answer: Any, record: Sequence[Mapping[str, Any]], shown: Sequence[Text], study: Study) -> Any:
        """With the time at which the text was hidden."""
        if not task_study(study).hide_text:
            return answer
        read = next((event["at"] for event in record if event["role"] == READ), None)
        if read is None:
            raise Refused("stage", "the text has not been read yet; go on to the questions first")
        return {**answer, "read_at": read}

    def corrected(self, answer: Any, before: Any) -> Any:
        """Other answers about the same text."""
        return {**answer, **({"read_at": before["read_at"]} if "read_at" in before else {})}

    def fault(self, judgement: Judgement) -> str:
        """One text, a role, answers."""
        answer = judgement.answer
        if isinstance(answer, Mapping) and isinstance(answer.get("answers"), Mapping) and answer["answers"]:
            known = all(_is_given(reply) for reply in answer["answers"].values())
            if known and len(judgement.texts) == 1 and judgement.role in ROLES.values():
                return ""
        return "texts, role and answer do not describe answers to questions about one text"

    def unasked(self, judgement: Judgement, frozen: Frozen) -> str:
        """Questions of a task have no criteria."""
        return ""

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """A row for each question: value is 1 where the answer is right."""
        (text,) = (frozen.text[name] for name in judgement.texts)
        study = task_study(frozen.study)
        for question, right in scored(judgement, text, study):
            yield {
                "item": text.item,
                "system": text.subject,
                "criterion": question.id,
                "value": float(right),
                "given": said(question, judgement.answer["answers"][question.id]),
                "confidence": judgement.answer.get("confidence"),
                **told_of(judgement),
            }

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """A row for each text: how well and how fast its readers did the task."""
        from nlgauge.study.protocols.ratings.judged import judged_set
        from nlgauge.study.protocols.task.analysis.rows import sort_out, timed

        return judged_set(service, timed(sort_out(service.frozen, service.judgements()).rated))

    # ------------------------------------------------------------------ answers that are known beforehand

    def meets(self, given: Any, wanted: float, within: float, asked: Any) -> bool:
        """Nothing is asked but questions with a key."""
        return False

    def chance_of(self, wanted: float, within: float, asked: Any, study: Any) -> float:
        """Nothing is asked but questions with a key."""
        return 0.0

    def agrees(self, answer: Any, known: Known, shown: Sequence[Text], study: OutputStudy) -> bool | None:
        """All questions about the text are answered rightly."""
        steps = task_study(study).normalise
        return all(question.right(answer["answers"][question.id], steps) for question in posed_about(shown[0]))

    def chance(self, known: Known, texts: Sequence[str], study: OutputStudy) -> float:
        """Of all options the right ones."""
        return math.prod(posed(task_question, 1).chance for task_question in known.ask)

    # ---------------------------------------------------------------------------------------------- simulation

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Ten seconds for each question."""
        return 10.0 * len(posed_about(shown[0]))

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """A share of right answers beside one half."""
        from nlgauge.study.checks.foresight import of_shares

        systems = len(task_study(frozen.study).subjects)
        answers = sum(len(posed_about(frozen.text[slot.texts[0]])) for slot in slots) / max(systems, 1)
        if systems < 2 or not answers:
            return "", {}
        share = of_shares(0.5, answers, answers)
        told = (
            f"with {answers:.0f} answers about each system, independent of each other, {100 * share:.0f} % right "
            "answers for one system where another has 50 %"
        )
        return told, {"share_right": round(share, 4), "answers": round(answers, 1)}

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Readers of different ability."""
        return Readers(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the share of right answers and the median time of each system."""
        study = task_study(frozen.study)
        right: dict[str, list[bool]] = {name: [] for name in study.subjects}
        for judgement in counted:
            if not judgement.role:
                text = frozen.text[judgement.texts[0]]
                right[text.subject] += [value for _, value in scored(judgement, text, study)]
        return summed(counted, surplus, success={name: mean(values) for name, values in right.items()})

    def table(self, panels: Mapping[str, Mapping[str, Any]]) -> tuple[Sequence[str], list[Sequence[str]]]:
        """A row for each panel, a column for each system."""
        systems = list(dict.fromkeys(name for found in panels.values() for name in found["success"]))
        rows: list[Sequence[str]] = []
        for name, found in panels.items():
            shares = (found["success"].get(system) for system in systems)
            told = ("-" if share is None else f"{share:.3f}" for share in shares)
            rows.append((name, f"{found['answers']:,}", f"{found['surplus']:,}", *told))
        return ("panel", "answers", "surplus", *systems), rows

    def remark(self, crowd: Crowd) -> str:
        """What they were like."""
        told = crowd.to_dict()
        return (
            "Columns are shares of right answers. In logits, judges differed by "
            f"{told['judge_sd']:g} and questions by {told['item_sd']:g} (standard deviations)."
        )


def scored(judgement: Judgement, text: Text, study: TaskStudy) -> list[tuple[Posed, bool]]:
    """Every question about a text, and whether it was answered rightly."""
    given = judgement.answer["answers"]
    return [(posed, posed.right(given[posed.id], study.normalise)) for posed in posed_about(text)]


def said(question: Posed, given: Given, language: str = "en") -> str:
    """An answer in words."""
    if "choice" in given:
        return say(question.options[given["choice"]], language)
    return str(given["text"]) if "text" in given else f"{given['number']:g}"


def _checked(question: Posed, given: Any) -> dict[str, Any]:
    if not _is_given(given) or question.type not in given:
        raise Refused("invalid", f"{question.id} has not been answered by a {question.type}")
    value = given[question.type]
    if question.type == "choice" and not 0 <= value < len(question.options):
        raise Refused("invalid", f"{question.id} has {len(question.options)} options, and none at {value}")
    if question.type == "text":
        value = " ".join(value.split())
        if not value or len(value) > LONGEST_ANSWER:
            raise Refused("invalid", f"the answer to {question.id} must have 1 to {LONGEST_ANSWER} characters")
    return {question.type: value}


def _is_given(value: Any) -> bool:
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((kind, held),) = value.items()
    if kind == "text":
        return isinstance(held, str)
    if kind == "choice":
        return isinstance(held, int) and not isinstance(held, bool)
    return kind == "number" and not isinstance(held, bool) and isinstance(held, int | float) and math.isfinite(held)


FAMILY = {"task": Tasks}
