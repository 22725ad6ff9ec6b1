"""Classifications for the engine. An answer is `{"class": N}`, the place of the class in the study file from 1 on.

A class may also be answered by its name; what is stored is the number. Exported rows hold the name and the true class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.errors import counted
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols.base import Crowd, Layout, Place, Protocol, accepted
from nlgauge.study.protocols.classification.file import CLASS, ClassStudy, class_study, contradictions
from nlgauge.study.protocols.classification.layout import truth_of, with_truth
from nlgauge.study.protocols.classification.simulation import OPTIONS, Classifiers
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.protocol import OutputProtocol, mean, summed
from nlgauge.study.protocols.ratings.protocol import OnScales

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.service import Service

ACCURACY = "accuracy"


class Classification(OnScales, OutputProtocol):
    """Which class does this text belong to?"""

    unordered = "a classification asks one question"
    study = ClassStudy
    instructions = "classification.instructions"
    chosen = (*(name for name in OutputProtocol.chosen if name not in ("task", "criteria")), "truth")
    figures = "success"
    columns = (*Protocol.columns, "class", "truth")

    def describe(self, study: Study) -> str:
        """Classes and systems."""
        own = class_study(study)
        return (
            f"classification of outputs of {counted(len(own.authors), 'system')} into {len(own.names)} classes "
            f"({', '.join(own.names)}); {own.design.kind} design"
        )

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(class_study(study))

    def asked_wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """The question, labels, descriptions."""
        own = class_study(study)
        yield "question", own.question
        for name, one in own.classes.items():
            yield f"classes.{name}.label", one.label
            yield f"classes.{name}.description", one.description

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts with their classes, practice, and the design's sheets for every panel."""
        return with_truth(class_study(study), folder)

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """The number of a class, also for its name."""
        given, names = answer.get(CLASS) if isinstance(answer, Mapping) else None, class_study(study).names
        if isinstance(given, str) and given in names:
            answer = {**answer, CLASS: names.index(given) + 1}
        return super().check_answer(answer, shown, study)

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """A row with the class that was answered and the true one."""
        names = class_study(frozen.study).names
        truth = truth_of(frozen.text[judgement.texts[0]])
        for row in super().long(judgement, frozen):
            yield row | {"class": names[int(row["value"]) - 1], "truth": truth}

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """A row for each output: whether each of its judges was right."""
        from nlgauge.study.protocols.classification.answers import sort_out
        from nlgauge.study.protocols.ratings.judged import judged_set

        return judged_set(service, sort_out(service.frozen, service.judgements()).rated)

    def score(self, study: OutputStudy, judgement: Judgement) -> float | None:
        """No class is better than another."""
        return None

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """An accuracy that is told from guessing."""
        from nlgauge.study.checks.foresight import of_shares

        known = {text for slot in slots for text in slot.texts if truth_of(frozen.text[text]) is not None}
        if not known:
            return "", {}
        chance = class_study(frozen.study).chance
        share = of_shares(chance, len(known))
        told = (
            f"by one judge of all {counted(len(known), 'output')} whose class is known, an accuracy of "
            f"{100 * share:.0f} % where guessing has {100 * chance:.0f} %"
        )
        return told, {"accuracy": round(share, 4), "chance": round(chance, 4), "outputs": len(known)}

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges of known accuracy."""
        return Classifiers(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the share of right answers about each system's outputs, as far as their class is known."""
        study = class_study(frozen.study)
        right: dict[str, list[float]] = {name: [] for name in study.subjects}
        for judgement in counted:
            text = frozen.text[judgement.texts[0]]
            truth = truth_of(text)
            if not judgement.role and truth is not None:
                right[text.subject].append(float(study.names[judgement.answer[CLASS] - 1] == truth))
        shares = {name: mean(values) for name, values in right.items()}
        return summed(counted, surplus, success={ACCURACY: shares})

    def remark(self, crowd: Crowd) -> str:
        """What they were like."""
        told = crowd.to_dict()
        return (
            f"Columns are shares of right answers. In logits, judges differed by {told['judge_sd']:g} and texts by "
            f"{told['item_sd']:g} (standard deviations)."
        )


FAMILY = {"classification": Classification}
