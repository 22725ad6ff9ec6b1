"""The study files of annotations: what a rating study has, and what is done to each text before it is rated."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import Words, key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.file.study import Study, say
from nlgauge.study.languages import DEFAULT, content, worded
from nlgauge.study.protocols.ratings.file import RatingStudy

Rating = Literal["likert", "continuous", "binary"]
# The core of the error typology of the Multidimensional Quality Metrics (Lommel, Uszkoreit and Burchardt 2014), as far
# as it makes sense for any generated text and not only for translations.
MQM = {
    "accuracy": ("mistranslation", "addition", "omission", "untranslated"),
    "fluency": ("grammar", "spelling", "punctuation", "inconsistency"),
    "terminology": (),
    "style": (),
    "locale": (),
    "other": (),
}
# ESA (Kocmi et al. 2024) marks spans without categories, before a score from 0 to 100; its weights serve the count of
# errors alone. A neutral error of MQM is noted and not counted.
WEIGHTS = {
    "mqm": {"neutral": 0.0, "minor": 1.0, "major": 5.0, "critical": 25.0},
    "esa": {"minor": 1.0, "major": 5.0},
}


@dataclass(frozen=True, kw_only=True)
class AnnotationKeys:
    """The keys of questions that may follow the work on an output."""

    criteria: tuple[CriterionEntry, ...] = key("what is asked after the work, in this order", default=())
    rating: Rating = key("how these questions are answered: on points, on a slider, or by yes and no", default="likert")

    ANSWERED_BY: ClassVar[str] = "rating"

    @property
    def answered(self) -> str:
        """How the questions are answered."""
        return self.rating


@dataclass(frozen=True, kw_only=True)
class PostEditStudy(AnnotationKeys, RatingStudy):
    """Each output is edited until it is acceptable."""

    protocol: Literal["post-edit"] = key("each text is edited until it is acceptable")
    words: Literal["spaces", "signs"] = key(
        "what HTER counts as a word: what stands between spaces, or (Chinese, Japanese …) each sign",
        default="spaces",
    )


@dataclass(frozen=True)
class SubCategory:
    """A kind of error within a category."""

    SHORT: ClassVar[str] = "id"
    id: str = key("a short name; answers hold it")
    name: Words | None = key("what judges read; by default the id", default=None)
    definition: Words | None = key("what belongs to it, for judges", default=None)


@dataclass(frozen=True)
class Category(SubCategory):
    """A category of errors, with kinds of its own where it has any."""

    sub: tuple[SubCategory, ...] = key("kinds of error within it", default=())


def _usual(kind: str, tabular: bool) -> tuple[Words, Words]:
    """What judges read of a kind of error of MQM: its name and its definition, which speaks of data above a table."""
    name = f"annotations.mqm.{kind}"
    of_data = f"{name}.of_data"
    about = of_data if tabular and of_data in content(DEFAULT, "wordings") else f"{name}.definition"
    return Words(dict(worded(name))), Words(dict(worded(about)))


@dataclass(frozen=True)
class Severity:
    """How grave an error is, and its penalty."""

    id: str = key("a short name; answers hold it")
    weight: float = key("the penalty of an error", least=0, most=10_000)
    name: Words | None = key("what judges read; by default the id", default=None)
    definition: Words | None = key("which errors are so grave, for judges", default=None)


@dataclass(frozen=True, kw_only=True)
class SpanStudy(AnnotationKeys, RatingStudy):
    """Errors are marked in each output."""

    protocol: Literal["spans"] = key("errors are marked in each text, with category and severity")
    scheme: Literal["mqm", "esa"] = key(
        "the usual categories and severities: MQM's, or those of ESA, which has severities and a score, no categories",
        default="mqm",
    )
    categories: tuple[Category, ...] | None = key(
        "in place of the scheme's: categories of errors; [] for none", default=None
    )
    severities: tuple[Severity, ...] = key("in place of the scheme's: severities with their weights", default=())
    omissions: Literal["no", "marker", "source"] = key(
        "how a judge says that something is missing: not at all, without a place, or by marking it in the source",
        default="marker",
    )
    note: Literal["no", "optional"] = key("whether each error may have a note", default="optional")
    per: Literal["segment", "100 words"] = key("what a penalty is counted by", default="segment")
    rating: Rating = key("how the questions are answered that follow the marking", default="continuous")

    @property
    def marks_source(self) -> bool:
        """Where omissions are marked in the source."""
        return self.omissions == "source"

    @cached_property
    def kinds(self) -> tuple[Category, ...]:
        """The categories, as written or as the scheme has them."""
        if self.categories is not None:
            return self.categories
        if self.scheme == "esa":
            return ()
        tabular = any("table" in (show.what, show.layout) for show in self.every_show)
        return tuple(
            Category(name, *_usual(name, tabular), sub=tuple(SubCategory(kind, *_usual(kind, tabular)) for kind in sub))
            for name, sub in MQM.items()
        )

    @cached_property
    def grades(self) -> tuple[Severity, ...]:
        """The severities, as written or as the scheme has them."""
        return self.severities or tuple(
            Severity(
                name,
                weight,
                Words(dict(worded(f"annotations.severity.{name}"))),
                Words(dict(worded(f"annotations.severity.{name}.definition"))),
            )
            for name, weight in WEIGHTS[self.scheme].items()
        )

    @property
    def fixed_scheme(self) -> SpanStudy:
        """The same with nothing left to the scheme: what a launch keeps."""
        return replace(self, categories=self.kinds, severities=self.grades)

    @cached_property
    def weights(self) -> dict[str, float]:
        """The penalty of each severity."""
        return {severity.id: severity.weight for severity in self.grades}

    @cached_property
    def paths(self) -> dict[str, tuple[SubCategory, ...]]:
        """What an error can be called (`accuracy`, `accuracy/omission`), with the category and the kind in it."""
        return dict(self._paths())

    def category_name(self, path: str, language: str = "en") -> str:
        """What judges read for a category; analyses and statements call it the same."""
        return ": ".join(say(sub_category.name, language) or sub_category.id for sub_category in self.paths[path])

    def severity_name(self, severity: str, language: str = "en") -> str:
        """The same for a severity."""
        return next(say(grade.name, language) or grade.id for grade in self.grades if grade.id == severity)

    def _paths(self) -> Iterator[tuple[str, tuple[SubCategory, ...]]]:
        for category in self.kinds:
            yield category.id, (category,)
            for sub in category.sub:
                yield f"{category.id}/{sub.id}", (category, sub)


AnnotationStudy = PostEditStudy | SpanStudy
"""One output at a time to be worked on."""


def annotation_study(study: Study) -> AnnotationStudy:
    """The same study, where texts are worked on in it; refused where not."""
    if isinstance(study, AnnotationStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only post-edit and spans can do this")


def post_edit_study(study: Study) -> PostEditStudy:
    """The same study, where texts are edited in it."""
    if isinstance(study, PostEditStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only post-edit can do this")


def span_study(study: Study) -> SpanStudy:
    """The same study, where errors are marked in it."""
    if isinstance(study, SpanStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only spans can do this")
