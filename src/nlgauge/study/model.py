"""The vocabulary of a study: texts to be shown, slots to be filled, judgements, and what a judge sees next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from nlgauge.jsonable import Jsonable

PRACTICE = "practice"
"""The panel of practice slots."""

MEASURED = "measured by "
"""How the client of a judgement begins whose numbers are a machine's own: read by `Judgement.measured` only."""

SIMULATED = "simulated"
"""How the client of a simulated judge begins: read by `Judgement.simulated` only."""

TURN = "turn"
"""The kind of event that keeps what happened between the showing of a text and its answer."""

BETWEEN = " | "
"""What stands between the options of one answer where they are exported."""

TRIADS = ("ABB", "ABA", "AAB", "BAA", "BAB", "BBA")
"""The six orders of two subjects in three places (González Corbelle, Alonso and Bugarín 2020, section 4.1)."""


def odd_position(triad: str) -> int:
    """Where the odd text stands, counted from 0.

    >>> [odd_position(triad) for triad in TRIADS]
    [0, 1, 2, 0, 1, 2]
    """
    return next(place for place, subject in enumerate(triad) if triad.count(subject) == 1)


@dataclass(frozen=True)
class Text(Jsonable):
    """One text that a judge can see."""

    # nothing beside a text is left out, so that designs keep the hash they always had
    KEYS = "..., beside if any, role if any"

    id: str
    subject: str
    item: str
    text: str
    image: str | None = None
    caption: str = ""
    context: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what is shown with it: source, table …
    role: str = ""  # degraded: a damaged copy; check: an attention check; else an output


@dataclass(frozen=True)
class Slot:
    """One evaluation to be made, materialised at launch.

    `role` is what the screen is for: empty where its answer counts, else warmup, check, degraded or repeat. In a
    triangle test it is the triad, the subjects on screen from first to last.
    """

    id: str
    panel: str
    number: int
    block: int
    role: str
    texts: tuple[str, ...]  # text ids in screen order


def role_of(role: str) -> str:
    """The role of a screen that does not count; empty for one that does, as every triad.

    >>> role_of("ABB"), role_of("warmup")
    ('', 'warmup')
    """
    return "" if role in TRIADS else role


@dataclass(frozen=True)
class Judgement:
    """One answer, as stored and exported; nothing is kept that can be computed from the rest."""

    id: str
    study: str
    panel: str
    judge: str
    slot: str
    number: int
    role: str
    texts: tuple[str, ...]
    items: tuple[str, ...]
    answer: Any  # what the protocol says; of a triangle test the screen position chosen, 0 to 2
    shown_at: float  # seconds since the epoch
    answered_at: float
    practice: bool = False
    surplus: bool = False
    reason: str = ""
    highlights: tuple[tuple[int, int, int], ...] = ()  # (position, start, end)
    language: str = ""
    client: str = ""
    replaces: str = ""  # a correction names the judgement it replaces
    wording: str = ""  # of the questions, that the judge read; empty where all read the same

    @property
    def correct(self) -> bool:
        """Whether the odd one of a triad was chosen; never so where there is no triad."""
        return self.role in TRIADS and bool(self.answer == odd_position(self.role))

    @property
    def measured(self) -> bool:
        """Whether its numbers are a machine's own and on no scale of the study."""
        return self.client.startswith(MEASURED)

    @property
    def simulated(self) -> bool:
        """Whether a simulated judge gave it."""
        return self.client.startswith(SIMULATED)

    @property
    def seconds(self) -> float:
        """From the first showing to the answer."""
        return self.answered_at - self.shown_at

    @property
    def dated(self) -> bool:
        """Whether it is known when it was given: of an imported answer as a rule it is not."""
        return self.answered_at > 0 and self.shown_at > 0

    @property
    def known_seconds(self) -> float | None:
        """How long it took; None where that was imported from a file that does not tell it."""
        return self.seconds if self.answered_at > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form; without a wording a judgement keeps the digest it always had."""
        # every answer is written by it: `Jsonable` takes five times as long
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        if not self.wording:
            del row["wording"]
        return row | {"highlights": [list(span) for span in self.highlights]}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Judgement:
        """The judgement a row holds; keys that are not its fields are left aside."""
        values = {field.name: row[field.name] for field in fields(cls) if field.name in row}
        for name in ("texts", "items"):
            values[name] = tuple(values[name])
        values["highlights"] = tuple(
            (int(place), int(start), int(end)) for place, start, end in values.get("highlights", ())
        )
        return cls(**values)


@dataclass(frozen=True)
class Link:
    """A personal or open link; the token is what stands in the address."""

    token: str
    panel: str
    kind: str  # personal, open, platform
    judge: str | None
    number: int

    @property
    def path(self) -> str:
        """The address on the judges' site; a platform fills in the ids it knows its people by."""
        if self.kind == "platform":
            return f"/p/{self.token}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&SESSION_ID={{{{%SESSION_ID%}}}}"
        return f"/{'o' if self.kind == 'open' else 'j'}/{self.token}"


@dataclass(frozen=True)
class Evaluation:
    """What is to be shown, practice or not; three texts in a triangle test."""

    claim: str
    slot: str
    number: int  # of the judge's evaluations, from 1
    total: int
    texts: tuple[Text, ...]  # in screen order
    shown_at: float
    practice: bool = False
    panel: str = ""  # of the judge who sees it
    judge: str = ""
    wording: str = ""  # of the questions, as dealt to that judge


@dataclass(frozen=True)
class Round:
    """An open discussion."""

    number: int
    texts: tuple[str, ...]
    comments: bool  # whether what judges wrote as reasons is shown


@dataclass(frozen=True)
class Talk:
    """One text under discussion as a judge sees it."""

    given: Judgement  # the judge's own, as it stands
    shown: Evaluation
    others: tuple[Any, ...]  # answers before the round, in no order that tells whose
    comments: tuple[str, ...]
    round: Round
    number: int
    total: int


@dataclass(frozen=True)
class Step:
    """What a judge is to see next.

    kind: consent, questions, instructions, comprehension, practice, evaluation, closing, discussion, done,
    failed, withdrawn, paused, full, closed.
    """

    kind: str
    judge: str
    panel: str
    language: str = ""
    done: int = 0
    total: int = 0
    evaluation: Evaluation | None = None
    code: str = ""  # completion code
    redirect: str = ""  # and address
    talk: Talk | None = None  # what is to be discussed
    failed: str = ""  # what was not passed: practice, comprehension, checks


@dataclass(frozen=True)
class Receipt:
    """A stored judgement; `repeated` where this very submission had been stored before."""

    judgement: Judgement
    repeated: bool = False


def clean(text: str) -> str:
    """Text that every database can hold: no NUL and no half of a surrogate pair."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
