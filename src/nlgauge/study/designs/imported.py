"""The design of a study that was run elsewhere: who saw what is what its answers tell, and nothing can be dealt.

It stands in no list of designs to choose from, because no judge can be given a sheet of it; `study import` makes such
studies, and their balance is reported as it was realised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.designs.base import Design
from nlgauge.study.designs.draws import Draws

KIND = "imported"


@dataclass(frozen=True)
class Imported(Design):
    """Answers that were collected elsewhere and imported."""

    # studies of single texts keep the hash they always had
    KEYS = "kind, ..., not per_screen, per_screen = several if any"

    kind = KIND
    about = "run elsewhere: the answers are imported, and who saw what is what they tell"

    description: str = key("who saw what in which order, as those say who ran the study", default="")
    judges: Literal["people", "places"] = key(
        "whether the file names its judges, or only the places of their answers in lists", default="people"
    )

    per_screen: int = key("texts that a judge saw at once", default=1, least=1)

    @property
    def several(self) -> int:
        """Texts that a judge saw at once, 0 where they were seen one by one."""
        return self.per_screen if self.per_screen > 1 else 0

    def check(self, items: int, systems: int) -> None:
        """Nothing can be dealt."""
        raise InputError(
            "the study was run elsewhere (design: imported), so nobody can be asked here; import its answers with: "
            "nlgauge study import DIR FILE --format NAME"
        )

    def complete(self, items: int, systems: int) -> int:
        """Never known."""
        return 0

    def describe(self, items: int, systems: int) -> str:
        """What is told; nothing where nobody told it."""
        return self.description

    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        raise NotImplementedError  # `check` has refused
