"""What analyses of ratings and comparisons share.

rows        which answers count
agreeing    coefficients of agreement, and a diagnosis where they are low
between     panels against panels, criteria against criteria
variants    figures with and without judges, side by side
results     everything as one value
wordings    whether one wording of a question gets other answers than another
notes       what must be known before figures are believed
reading     judgements from a folder or an exported file
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from nlgauge.errors import InputError, option
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis import digest

if TYPE_CHECKING:
    from nlgauge.study.protocols.outputs.analysis.rows import Given

Found = TypeVar("Found")


class Wanted(TypedDict, total=False):
    """The options of an analysis as arguments; see `Options`."""

    closed: bool
    unit: bool
    panel: str | None
    seed: int
    remarks: Sequence[str]
    excluded: Mapping[str, str] | None
    records: Mapping[str, Any] | None
    rounds: Sequence[Any]
    experts: Any


@dataclass(frozen=True, kw_only=True)
class Options:
    """How answers are to be analysed, and what the log tells beside them.

    `unit` puts every rating on 0 to 1, as Belz and Reiter report theirs; `panel` names one panel to be analysed alone;
    `seed` serves the tests by permutation. Judges in `excluded` (with reasons) are left out of everything but the
    checks, and the figures with them stand beside; `records` weight judges by their past, `rounds` are the discussions,
    and `experts` judged a sample again.
    """

    closed: bool = False
    unit: bool = False
    panel: str | None = None
    seed: int = 12345
    remarks: Sequence[str] = ()
    excluded: Mapping[str, str] | None = None
    records: Mapping[str, Any] | None = None
    rounds: Sequence[Any] = ()
    experts: Any = None

    def looked_at(self, sort_out: Callable[[str | None], Found], of: Callable[[Found], Given]) -> Found:
        """The answers of the panel in question, or of all; refused before the planned answers are there, unless the
        study was closed. Of a machine nothing of people's answers is looked at."""
        whole = sort_out(None)
        if not self.closed and self.panel not in of(whole).machines:
            refuse_peeking(of(whole))
        return whole if self.panel is None else sort_out(self.panel)

    def heading(self, frozen: Frozen, judgements: Sequence[Judgement]) -> dict[str, Any]:
        """What every result says of its study and its answers."""
        own = {"protocol": frozen.study.protocol, "title": frozen.study.called, "study": frozen.id}
        return own | {"digest": digest(judgements), "seed": self.seed, "closed": self.closed}


def refuse_peeking(rated: Given) -> None:
    """Refuse an analysis before the planned answers are there: looking and going on in view of the result multiplies
    the risk of a wrong conclusion."""
    waiting = next((name for name in rated.panels if name in rated.machines and rated.of(name)), "")
    hint = f"; a machine may be looked at meanwhile: {option('panel', waiting)}" if waiting else ""
    for name in rated.panels:
        if name in rated.machines:
            continue
        done, planned = len(rated.of(name)), rated.planned[name]
        if done < planned:
            raise InputError(
                f"panel {name!r} has {done:,} of {planned:,} planned answers: a study with a fixed number may be "
                "looked at only when it is complete, because stopping or going on in view of the result multiplies the "
                "risk of a wrong conclusion; wait for the rest, or close the study for good (nlgauge study close) and "
                f"analyse it as it is{hint}"
            )
