"""What a verb answers when it cannot do what was asked: one sentence, and a code for the page that shows it."""

from __future__ import annotations

from nlgauge.errors import InputError


class Refused(InputError):  # noqa: N818 - what happened, not a fault of the program
    """A judge's or researcher's request that cannot be granted.

    Codes: unknown (no such link, judge, claim), foreign (another judge's), closed, paused, full, stage (not yet or no
    longer), elsewhere (begun in another browser), answered, invalid (an answer that does not fit the question),
    withdrawn, simulated.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
