"""Quality control in the study file of any study of outputs: checks, damaged copies, repeats, a test, and the rule.

Nothing here leaves anybody out. What a judge fails is told in the analysis; `nlgauge study exclude DIR --by-rule`
writes the exclusions that the rule asks for into the log, each with its reason, and both analyses stand side by side.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Literal

from nlgauge.errors import InputError, counted
from nlgauge.io.fields import key
from nlgauge.study.designs.extras import Extras
from nlgauge.study.file.study import Comprehension
from nlgauge.study.protocols.outputs.gold import FORM, WRITTEN_AS, Form, Known, known_problems

if TYPE_CHECKING:
    from nlgauge.study.protocols.outputs.file import OutputStudy, Show

Kind = Literal["attention", "degraded", "repeats", "speed", "straight-lining"]
Test = Literal["signed-rank", "sign", "t"]
Problems = Iterator[tuple[str, str]]
COPIES = ("degraded", "repeats")
SCREENS = ("attention", *COPIES)  # what adds screens to those of the design
LEAST_REPEATS = 8  # for a verdict on a judge: with fewer a careful one may well look no better than chance


@dataclass(frozen=True)
class Attention(Known):
    """A screen whose right answer is known: the text itself says what to choose, or nobody could judge otherwise."""

    text: str = key("what is read in place of an output", default="")
    texts: tuple[str, ...] = key("of a comparison: the texts, from the first place on", default=())
    source: str = key("shown beside it, as the study shows it", default="")
    reference: tuple[str, ...] = key("shown beside it, as the study shows it", default=(), alone=True)
    history: tuple[str, ...] = key("shown beside it, as the study shows it", default=())
    context: str = key("shown above it", default="")

    @property
    def shown(self) -> tuple[str, ...]:
        """The texts on the screen."""
        return self.texts or (self.text,)


@dataclass(frozen=True)
class Rule:
    """When a judge fails, and which failures exclude."""

    SHORT: ClassVar[str] = "exclude"
    exclude: tuple[Kind, ...] = key(
        "failures for which `study exclude --by-rule` leaves a judge out: attention, degraded, repeats, speed, "
        "straight-lining; by default none",
        default=(),
    )
    failures: int = key("how many of these a judge must fail", default=1, least=1, most=5)
    test: Test = key(
        "of originals against damaged copies, one-sided: signed-rank (Wilcoxon's), sign, or t",
        default="signed-rank",
    )
    alpha: float = key("level of the test of damaged copies", default=0.05, least=0.0001, most=0.5)
    repeats: float = key(
        "p-value from which on a judge fails the repeats; 0.5: no nearer to the first answers than by chance",
        default=0.5,
        least=0.001,
        most=1,
    )
    attention: float = key(
        "share of attention checks from which on a judge fails them", default=0.5, least=0.001, most=1
    )
    speed: float = key("share of too fast answers above which a judge fails", default=0.1, least=0, most=1)
    codes: bool = key(
        "whether judges who fail by the rule end with completion.failed_code in place of the code",
        default=False,
    )


@dataclass(frozen=True)
class Quality:
    """What is done so that answers can be trusted."""

    attention: tuple[Attention, ...] = key("attention checks, each with the answer that passes", default=())
    attention_each: int = key(
        "attention checks for each judge; by default all there are", default=0, least=0, most=100, written=1
    )
    degraded: int = key(
        "damaged copies for each judge: a run of words replaced as in direct assessment",
        default=0,
        least=0,
        most=1000,
    )
    repeats: int = key("texts for each judge that come again", default=0, least=0, most=1000)
    gap: int = key("screens at least from an original to its copy", default=10, least=1, most=10_000)
    comprehension: Comprehension | None = key("a test before the first text", default=None)
    rule: Rule = key("when a judge fails, and which failures exclude", default=Rule())
    screens: int = key("additional screens of each judge, as fixed at launch", default=0, frozen=True)

    @property
    def extras(self) -> Extras:
        """The additional screens of a sheet, for the design."""
        checks = self.attention_each or len(self.attention)
        return Extras(attention=checks, degraded=self.degraded, repeats=self.repeats, gap=self.gap)

    @property
    def added(self) -> int:
        """How many these are."""
        extras = self.extras
        return extras.attention + extras.degraded + extras.repeats


def quality_problems(study: OutputStudy, *, texts: int = 1, form: Form = FORM, copies: Sequence[str] = ()) -> Problems:
    """What is wrong with the block; `texts` is the number on a screen, 0: not known yet, `form` how right answers are
    written, `copies` which of damaged copies and repeats the protocol can compare with their originals."""
    quality = study.quality
    if quality is None:
        return
    for name in (name for name in COPIES if name not in copies and getattr(quality, name)):
        yield (
            f"quality.{name}",
            f"quality.{name} is for ratings (likert, continuous, binary), where a copy is rated by itself; leave it "
            f"out: of quality the protocol {study.protocol} has attention checks and comprehension",
        )
    screens = next((name for name in SCREENS if getattr(quality, name)), None)
    if screens is not None and len(study.parts) > 1 and not study.apart:
        yield (
            f"quality.{screens}",
            "a text is judged on two pages here, and a screen that tests judges has one; leave quality."
            f"{screens} out, or what is shown on the second page alone",
        )
    if quality.attention_each > len(quality.attention):
        yield (
            "quality.attention_each",
            f"each judge is to get {counted(quality.attention_each, 'attention check')}, but quality.attention has "
            f"{len(quality.attention) or 'none'}; write more, or lower attention_each",
        )
    beside = [_written(show) for show in study.every_show if show.what != "image"]
    for number, check in enumerate(quality.attention, start=1):
        place = f"quality.attention.{number}"
        if bool(check.text) == bool(check.texts) or (texts == 1 and check.texts):
            need, name = ("text", "text") if texts == 1 else ("texts (a list)", "texts")
            yield place, f"{place} must have {need}, and nothing in its place; write {name}: …"
        elif texts > 1 and len(check.texts) != texts:
            yield (
                place,
                f"{place} has {counted(len(check.texts), 'text')}, but a screen shows {texts}; add or remove texts",
            )
        yield from known_problems(study, check, place, check.shown, form)
        lacking = [name for name in beside if not getattr(check, name, "")]
        if lacking:
            yield place, f"{place} has no {lacking[0]}, which stands beside every text (show: …); write it"
    yield from _test_problems(quality)
    yield from _rule_problems(study, quality)


def _written(show: Show) -> str:
    """The key of a check that holds what is shown; the standard of magnitudes is one of the others."""
    name = WRITTEN_AS.get(show.what, show.what)
    if name in (field.name for field in fields(Attention)):
        return name
    return "reference" if show.column == "references" else show.column


def _test_problems(quality: Quality) -> Problems:
    test, path = quality.comprehension, "quality.comprehension"
    if test is None:
        return
    if not test.questions:
        yield f"{path}.questions", f"{path} has no questions; write some, or leave it out"
    for number, question in enumerate(test.questions, start=1):
        place = f"{path}.questions.{number}"
        if len(question.options) < 2:
            yield (
                f"{place}.options",
                f"{place} has {counted(len(question.options), 'option')}, so there is nothing to choose; add options, "
                "or leave the question out",
            )
        elif question.answer > len(question.options):
            yield (
                f"{place}.answer",
                f"{place}.answer is {question.answer}, but there are {len(question.options)} options, counted from 1; "
                "give the number of the right one",
            )
        if len({tuple(sorted(option.items())) for option in question.options}) < len(question.options):
            yield f"{place}.options", f"{place} has two options that are the same; leave one out"
    if test.required > len(test.questions) > 0:
        yield (
            f"{path}.required",
            f"{path}.required asks for {test.required} right answers of {len(test.questions)}; lower it",
        )


def _rule_problems(study: OutputStudy, quality: Quality) -> Problems:
    used = {"attention": quality.attention, "degraded": quality.degraded, "repeats": quality.repeats}
    rule = quality.rule
    for name in rule.exclude:
        if name in used and not used[name]:
            yield (
                "quality.rule.exclude",
                f"the rule excludes for {name}, but the study has no such checks; add quality.{name}, or take it out "
                "of the rule",
            )
    repeated = [name for name in rule.exclude if rule.exclude.count(name) > 1]
    if repeated:
        yield "quality.rule.exclude", f"the rule names {repeated[0]} twice; leave one out"
    if rule.failures > max(1, len(set(rule.exclude))):
        yield (
            "quality.rule.failures",
            f"a judge would have to fail {rule.failures} of {counted(len(set(rule.exclude)), 'check')}; lower "
            "failures, or name more in exclude",
        )
    if rule.codes and not rule.exclude:
        yield "quality.rule.codes", "codes follow the rule, which excludes nobody; name failures in exclude"
    if rule.codes and not study.completion.failed_code and not study.completion.failed_redirect:
        own = [panel.completion for panel in study.panels.values() if panel.completion is not None]
        if not any(completion.failed_code or completion.failed_redirect for completion in own):
            yield "quality.rule.codes", "codes needs a code for those who fail; write completion.failed_code"
    for path, panel in study.panels.items():
        screens = panel.evaluations or study.design_for(path).items_per_judge
        if screens:
            try:
                quality.extras.check(screens, checks=len(quality.attention))
            except InputError as error:
                yield "quality", f"panel {path}: {error}"
                return


def least_degraded(alpha: float) -> int:
    """Copies with which a judge who always rates them lower can pass."""
    count = 1
    while 0.5**count >= alpha:
        count += 1
    return count
