"""The study file of a triangle test: what every study's has, and two authors, a goal with its risks, the question."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import Words, key
from nlgauge.study.file.study import Study, Subject


@dataclass(frozen=True)
class Risks:
    """α, β and p_d."""

    alpha: float = key("risk of concluding a difference where there is none, between 0 and 1", default=0.05)
    beta: float = key("risk of missing a difference that the share p_d perceives", default=0.05)
    p_d: float = key(
        "share of people who perceive the difference: the size worth finding, or to be excluded", default=0.3
    )


@dataclass(frozen=True)
class Example:
    """A practice triad written in the study file."""

    texts: tuple[str, ...] = key("three texts in the order shown")
    odd: int = key("which of them is the odd one, from 1 to 3", least=1, most=3)
    explanation: Words | None = key("shown after the answer", default=None)


@dataclass(frozen=True)
class Practice:
    """Triads before the first that counts; never analysed."""

    SHORT: ClassVar[str] = "triads"
    triads: int = key("practice triads drawn from the texts, which then serve no more", default=0, least=0, most=20)
    items: tuple[str, ...] = key("the inputs to draw them from", default=())
    examples: tuple[Example, ...] = key("practice triads with texts of their own", default=())
    feedback: bool = key("say after each whether the answer was right", default=True)
    required: int = key("correct practice answers without which a judge does not go on", default=0, least=0)


@dataclass(frozen=True)
class Sequential:
    """A rule of stopping that is fixed beforehand; without one nobody may peek."""

    plan: Literal["looks", "wald"] = key(
        "looks: at the numbers of answers listed; wald: Wald's test, after every answer", default="looks"
    )
    looks: tuple[int, ...] = key("after how many answers of a panel, the last being all of them", default=(), least=1)
    spending: Literal["obrien-fleming", "pocock"] = key(
        "how the risk is shared between the looks", default="obrien-fleming"
    )


@dataclass(frozen=True, kw_only=True)
class TriangleStudy(Study):
    """A triangle test: two texts by one author, one by another; which is the odd one?"""

    protocol: Literal["triangle"] = key("the kind of test")
    goal: Literal["difference", "similarity"] = key("what is to be shown")
    subjects: Mapping[str, Subject] = key("the two authors compared, A and B")
    question: Words = key("the exact wording above the three texts, for each language")
    risks: Risks = key("α, β and p_d", default=Risks())
    context: Words | None = key("shown once above the three texts", default=None)
    inputs: Literal["different", "any"] = key(
        "whether a triad's three texts come from three different inputs", default="different"
    )
    practice: Practice = key("triads before the first that counts", default=Practice())
    sequential: Sequential | None = key("a rule of stopping: planned looks, or Wald's test", default=None)

    @property
    def main_wording(self) -> Mapping[str, str]:
        """The question."""
        return self.question

    @property
    def authors(self) -> Mapping[str, str]:
        """A and B."""
        return {name: subject.called for name, subject in self.subjects.items()}

    @property
    def fixed(self) -> bool:
        """Whether no rule of stopping was planned."""
        return self.sequential is None


def triangle_study(study: Study) -> TriangleStudy:
    """The same study, where it is a triangle test; refused where it is none."""
    if isinstance(study, TriangleStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a triangle test can do this")
