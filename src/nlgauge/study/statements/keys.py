"""What only a person knows about a study, as the study file asks for it under `statement`.

Nothing here is part of the design: it is not frozen at launch, so that a paper's address or an agreement that was
computed later can still be filled in.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from nlgauge.io.fields import key

Quality = Literal["correctness", "goodness", "feature"]
Aspect = Literal["form", "content", "both"]
Reference = Literal["itself", "input", "outside"]


@dataclass(frozen=True)
class StatedCriterion:
    """What kind of quality a criterion is, where the catalogue does not know it."""

    definition: str = key("what is judged, where the file has no definition", default="")
    quality: Quality | None = key(
        "whether outputs can be wholly right (correctness), only better or worse (goodness), or neither (feature)",
        default=None,
    )
    aspect: Aspect | None = key("what is judged of an output: form, content or both", default=None)
    frame: Reference | None = key("what it is judged by: itself, its input, something outside", default=None)
    shown_name: str = key("what judges read as its name, where answers were collected elsewhere", default="")
    agreement: str = key("agreement between judges and with themselves: coefficient and value", default="")


@dataclass(frozen=True)
class Stated:
    """What only a person knows; every key may be left out, and is then listed as missing."""

    paper: str = key("the paper that reports the study, or: for preregistration", default="")
    resources: str = key("where outputs, answers and programs can be had", default="")
    contact: str = key("name, affiliation and address of who answers for the statement", default="")
    task: str = key("the task of the systems, for example data-to-text generation", default="")
    systems: Mapping[str, str] = key("each system by its name with what it is", default={})
    input: str = key("what the systems take as input, for example tables", default="")
    output: str = key("what they write, for example one sentence", default="")
    input_language: str = key("language of the inputs, or none", default="")
    output_language: str = key("language of the outputs", default="")
    dataset: str = key("the data set the inputs come from", default="")
    selection: str = key("how the items were chosen from it", default="")
    power: str = key("power of the sample, how it was computed", default="")
    preregistration: str = key("registry and address, or no", default="")
    expertise: str = key("what the judges know of the subject: experts or not, and of what", default="")
    demographics: str = key("who the judges are, where they were not asked on the pages", default="")
    language_familiarity: str = key("how well the judges know the texts' language", default="")
    recruitment: str = key("how the judges were found, where the panels do not say", default="")
    pay: str = key("what they were paid, where the panels do not say; or nothing", default="")
    pay_per_hour: str = key("what that is by the hour", default="")
    pay_each: float = key(
        "paid to each judge; with the minutes they took it gives the pay by the hour", default=0.0, least=0
    )
    currency: str = key("of pay_each", default="")
    known_to_authors: str = key("whether the authors knew judges before", default="")
    authors_among_judges: str = key("whether an author was among the judges", default="")
    training: str = key("training outside the pages, or none", default="")
    quality_control: str = key("checks of the answers outside the pages, or none", default="")
    exclusions: str = key("who or what was left out of the analysis and why, or nothing", default="")
    interface: str = key("where judges saw the texts, if not on the pages: a form, a sheet of paper", default="")
    feedback: str = key("whether judges could ask questions and comment", default="")
    conditions: str = key("where judges worked, if not wherever they liked", default="")
    analysis: str = key("how scores were made from answers", default="")
    significance: str = key("tests and effect sizes", default="")
    agreement: str = key("agreement between judges and with themselves", default="")
    personal_data: str = key("personal data in texts or answers and what protects them, or none", default="")
    special_data: str = key("health, belief and the like in texts or answers, or none", default="")
    impact: str = key("assessments of impact, for example on data protection, or none", default="")
    criteria: Mapping[str, StatedCriterion] = key("what is to be said of a criterion, by its id", default={})
