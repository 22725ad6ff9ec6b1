"""What the modules of a protocol's folder must hold that are imported by name; see `part_of`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from nlgauge.report.study.own import Spoken
    from nlgauge.report.study.renderers import Renderer
    from nlgauge.study.checks.findings import Finding
    from nlgauge.study.file.template import Made
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.machine_judges.forms import Form, Say, Work
    from nlgauge.study.protocols.outputs.analysis.results import OutputResult
    from nlgauge.study.protocols.outputs.file import OutputStudy
    from nlgauge.study.protocols.outputs.template import Wish
    from nlgauge.study.statements.told import Sheets, Told
    from nlgauge.web.protocols.base import Pages


class Analysis(Protocol):
    """From judgements to a result; a function `logged` beside it may say what it takes from the log of a database."""

    analyse: Callable[..., OutputResult]


class Checks(Protocol):
    """What `study check` says."""

    def check_design(self, frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
        """Of texts and design."""


class Template(Protocol):
    """The file that `study new` writes."""

    def new(self, folder: str | Path, data: str | Path, wish: Wish) -> Made:
        """Write it for a data set."""


class PagesPart(Protocol):
    """The pages of judges, which belong to the layer `web`."""

    PAGES: Pages | Mapping[str, Pages]


class Report(Protocol):
    """How a result of a kind of its own is shown, or what a protocol of ratings finds of its own (`RatingResult.own`).

    It belongs to the layer `report`, and needs only the one of the two that there is.
    """

    RENDERER: Renderer
    SPOKEN: Spoken


class Statement(Protocol):
    """The protocol's part of the design statement."""

    def told(self, frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
        """By panel, for each judge, `seen` is what was answered in that order."""


class Machine(Protocol):
    """How a machine answers."""

    def form_of(self, study: OutputStudy) -> Form | None:
        """How the questions are answered; None where a screen asks for more than that."""

    def work_of(self, study: OutputStudy, language: str, say: Say) -> Work:
        """What a screen asks."""
