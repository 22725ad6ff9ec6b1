"""Annotations: a judge works on one output, by editing it or by marking its errors, and may rate it afterwards.

post-edit   the text is edited until it is acceptable; HTER, edits, time
spans       errors are marked in the text with category and severity, as MQM and ESA have it

file            the study files: what a rating study has, with optional questions, and what is done to the text
edits           what an answer to post-editing is, and the edits it stands for
spans           what an answer to error marking is
contradictions  what the keys do not allow together
simulation      judges who edit or mark at known rates
template        the files that `study new` writes
protocol        all of it for the engine
statement       what the design statement says of it
analysis        from answers to measures, and from these by the models of ratings

Everything around the work (design, questions, what stands beside a text) is that of ratings, and the classes derive
from theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """post-edit or spans."""
    from nlgauge.study.protocols.annotations.protocol import FAMILY

    return FAMILY[name](name)
