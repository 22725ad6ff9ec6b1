"""What an answer to post-editing is, and the edits it stands for.

{"outcome": "edited" | "unchanged" | "rewritten", "text": the final text, "ratings": {criterion: number}}, and where the
judge's browser told it, "active" (seconds of typing) and "keys" (keys pressed): these come from outside and are only
ever shown beside the time that the server measured.

HTER (Snover et al. 2006) is TER of the output against its own post-edit: inserted, deleted and replaced words and moved
runs of words, for each word of the post-edit. Case counts, because a judge who mended it edited the text. What TER
calls an insertion, a word that only the output has, is a deletion by the judge, and is called so here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nlgauge.kernels.python.edit import edit_counts
from nlgauge.metrics.ter import Ter
from nlgauge.study.protocols.annotations.planted import places, stand_still, words_of
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.task.questions import normalised
from nlgauge.study.refusals import Refused

OUTCOMES = ("edited", "unchanged", "rewritten")
LONGEST = 40_000  # characters of an edited text: a form with as many of any script is one that the site takes
LONGEST_OUTPUT = LONGEST // 2
KEYS = ("outcome", "text", "ratings", "active", "keys")
MOST_KEYS = 1_000_000
MOST_ACTIVE = 1e6
METRICS = {"spaces": Ter(lower=False), "signs": Ter(lower=False, norm=True, asian=True)}


def taken(answer: Any, output: str) -> dict[str, Any]:
    """The answer but for its ratings, where it fits the output shown."""
    if not isinstance(answer, Mapping) or not {"outcome", "text"} <= set(answer) <= set(KEYS):
        raise Refused("invalid", "a post-edit is an object with an outcome and a text")
    outcome, text = answer["outcome"], answer["text"]
    if outcome not in OUTCOMES:
        raise Refused("invalid", f"the outcome {outcome!r} is none of {', '.join(OUTCOMES)}")
    if not isinstance(text, str):
        raise Refused("invalid", "the text of a post-edit is missing")
    if len(text) > LONGEST:
        raise Refused("invalid", f"the text has {len(text):,} characters, more than {LONGEST:,}; shorten it")
    if outcome == "unchanged" and text != output:
        raise Refused("invalid", "the text was changed, but the outcome says that it needs no change")
    if outcome != "unchanged" and text == output:
        raise Refused("invalid", f"the outcome is {outcome}, but the text is as it was shown")
    if outcome != "unchanged" and not text.strip():
        raise Refused("invalid", "the text is empty; write what it should be")
    return {"outcome": outcome, "text": text, **_told(answer)}


def _told(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What the browser said of the typing, as far as it can be true; it is never a reason to lose an answer."""
    found: dict[str, Any] = {}
    seconds, keys = answer.get("active"), answer.get("keys")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds <= MOST_ACTIVE:
        found["active"] = round(float(seconds), 1)
    if isinstance(keys, int) and not isinstance(keys, bool) and 0 <= keys <= MOST_KEYS:
        found["keys"] = keys
    return found


def possible(answer: Any) -> bool:
    """Whether some study could have taken an answer."""
    return (
        isinstance(answer, Mapping)
        and {"outcome", "text"} <= set(answer) <= set(KEYS)
        and answer["outcome"] in OUTCOMES
        and isinstance(answer["text"], str)
    )


def mended(answer: Mapping[str, Any], known: Known, output: str) -> bool:
    """Whether a post-edit is one that is known to be right: accepted as it stands (spaces do not count), by its
    pattern, or because the words that are wrong stand no more where they did and at least half of the others are kept;
    a text without errors must be left as it is."""
    text = normalised(answer["text"], ("width",))
    if text in {normalised(edit, ("width",)) for edit in known.edits}:
        return True
    if known.pattern and fits(text, normalised(known.pattern, ("width",))):
        return True
    if not known.errors:
        return known.errors is not None and answer["outcome"] == "unchanged"
    wrong = [error.words for error in known.errors]
    planted = [place for words in wrong for place in places(words, output)]
    others = _counted(
        output,
        [
            (start, end)
            for start, end in words_of(output)
            if not any(first < end and start < last for first, last in planted)
        ],
    )
    kept = others & _counted(answer["text"], words_of(answer["text"]))
    return 2 * kept.total() >= others.total() and not any(stand_still(words, output, answer["text"]) for words in wrong)


def fits(text: str, pattern: str) -> bool:
    """Whether a text is as a pattern says, in which * stands for anything.

    >>> fits("The cat sat here.", "The cat * here."), fits("The cat sat.", "* here*")
    (True, False)
    """
    first, *parts = pattern.split("*")
    if not parts:
        return text == pattern
    last, place = parts.pop(), len(first)
    end = len(text) - len(last)
    for part in parts:
        place = text.find(part, place, end) + len(part)
        if place < len(part):
            return False
    return text.startswith(first) and text.endswith(last) and place <= end


def _counted(text: str, words: Sequence[tuple[int, int]]) -> Counter[str]:
    return Counter(text[start:end].casefold() for start, end in words)


@dataclass(frozen=True)
class Edits:
    """What turned an output into its post-edit, in words, as the judge did it; and in characters."""

    inserted: int
    deleted: int
    replaced: int
    moved: int  # runs of words
    words: int  # of the post-edit
    output_words: int
    characters: int  # inserted, deleted or replaced
    length: int  # characters of the post-edit

    @property
    def edits(self) -> int:
        """All of them."""
        return self.inserted + self.deleted + self.replaced + self.moved

    @property
    def hter(self) -> float:
        """Edits per hundred words of the post-edit; 100 where everything was deleted."""
        return 100 * self.edits / self.words if self.words else 100.0 * bool(self.edits)

    @property
    def changed(self) -> float:
        """Characters changed per hundred of the post-edit."""
        return 100 * self.characters / self.length if self.length else 100.0 * bool(self.characters)


@lru_cache(maxsize=8_192)
def edits_of(output: str, text: str, words: str = "spaces") -> Edits:
    """The edits between an output and its post-edit.

    >>> edits_of("on the mat sat the cat", "the cat sat on a mat").hter
    50.0
    """
    trace = METRICS[words].trace(output, [text])
    kinds = [edit.kind for edit in trace.edits]
    return Edits(
        inserted=kinds.count("deletion"),
        deleted=kinds.count("insertion"),
        replaced=kinds.count("substitution"),
        moved=len(trace.shifts),
        words=len(trace.reference_words),
        output_words=len(trace.hypothesis_words),
        characters=sum(edit_counts(list(text), list(output))[1:]),
        length=len(text),
    )


def per_word(seconds: float, edits: Edits) -> float:
    """Seconds for each word of the output; an empty output counts as one word."""
    return seconds / max(1, edits.output_words)


def doublings(seconds: float) -> float:
    """Log to the base of 2, so that 1 more is twice the time; what is below a hundredth of a second counts as that."""
    return math.log2(max(seconds, 0.01))
