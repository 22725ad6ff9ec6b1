"""What says which outputs are good: people's ratings, which reply followed, who wrote a text, or what says the same.

Without ratings, examples are made of texts alone. With `next`, what people replied is 1, and replies of other items,
corrupted replies and other turns of the same speaker are 0; they are drawn on each side of the split by itself, so that
no reply is known from the other. With `paraphrase`, texts of one item are 1 beside each other, and texts of other
items are 0. With `origin`, what people wrote is 1 and what systems wrote is 0, and so are texts of
people that were spoilt (`augment`). Always a text is never among its own references: it is taken out of them, and
with `origin` a system's output loses one as well, drawn with the seed, so that the number of references tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError
from nlgauge.io.fields import Kinds, key
from nlgauge.learned.turns import dialogue
from nlgauge.meta.observations import Observation

if TYPE_CHECKING:
    from nlgauge.training.examples import Examples

Held = NDArray[np.bool_]
Corruption = Literal["shuffled", "dropped", "repeated"]
Augmentation = Literal["others", "shuffled", "replaced"]
TRIES = 50  # draws of another reply before it is given up
_PEOPLE = "systems whose outputs are people's, beside the references"


@dataclass(frozen=True)
class Taken:
    """A text that is learnt as good (1) or bad (0), and the row that it is about."""

    row: Observation
    target: float
    about: Observation


@dataclass(frozen=True)
class Supervision:
    """What an example's target is."""

    kind: ClassVar[str]
    judged: ClassVar[bool] = False  # whether people rated or compared outputs
    sourced: ClassVar[bool] = False  # whether a row without a source is of no use
    beside: ClassVar[str] = ""  # what each text of people needs, where bad ones are drawn later
    learns: ClassVar[str] = ""  # for the card

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """The key where something does not fit together, and what."""
        return iter(())

    def taken(self, rows: Sequence[Observation], random: Random) -> Iterator[Taken]:
        """The texts of a data set to learn from, where people did not rate them."""
        return iter(())

    def completed(self, examples: Examples, held: Held, seed: int) -> tuple[Examples, Held]:
        """With what can be drawn only when it is known what is held out."""
        return examples, held


@dataclass(frozen=True)
class Ratings(Supervision):
    """What people said of outputs."""

    kind: ClassVar[str] = "ratings"
    judged: ClassVar[bool] = True


class Drawn(Supervision):
    """Bad examples are drawn among the good, on each side of the split by itself."""

    def completed(self, examples: Examples, held: Held, seed: int) -> tuple[Examples, Held]:
        """With what is learnt as bad beside each good text, as pairs."""
        random = Random(f"{seed}/{self.kind}")
        rows: list[Observation] = []
        owners: list[int] = []
        for name in dict.fromkeys(examples.sets):
            for side in (False, True):
                places = [
                    place for place in range(len(examples)) if examples.sets[place] == name and held[place] == side
                ]
                bad = list(self._bad(examples, places, random))
                rows += [replace(examples.rows[place], system=what, text=text) for place, text, what in bad]
                owners += [place for place, _, _ in bad]
                if places and not bad and not side:
                    raise InputError(
                        f"{name}: no other text can be drawn, since there is one item only, or every text is the "
                        "same; give more items"
                    )
        start, owned = len(examples), np.array(owners, dtype=np.int64)
        pairs = np.column_stack([owned, np.arange(start, start + len(rows))])
        whole = examples.followed_by(rows, owners, 0.0, pairs=pairs.astype(np.int64))
        return whole, np.concatenate([held, held[owned]])

    def _bad(self, examples: Examples, places: Sequence[int], random: Random) -> Iterator[tuple[int, str, str]]:
        """The good text's place, a bad one and what it is."""
        return iter(())


@dataclass(frozen=True)
class Next(Drawn):
    """Which reply followed the source."""

    kind: ClassVar[str] = "next"
    sourced: ClassVar[bool] = True
    beside: ClassVar[str] = "with a source"
    learns: ClassVar[str] = "which reply follows"
    negatives: int = key("replies of other items for each true one", default=1, least=0, most=50)
    corrupt: tuple[Corruption, ...] = key("corruptions of the true reply: shuffled, dropped, repeated", default=())
    same_speaker: int = key("other turns of the same speaker", default=0, least=0, most=50)
    people: tuple[str, ...] = key(_PEOPLE, default=())

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not (self.negatives or self.corrupt or self.same_speaker):
            message = "negatives: 0 leaves nothing to learn as bad; give negatives, corrupt or same_speaker"
            yield "supervise.negatives", message

    def taken(self, rows: Sequence[Observation], random: Random) -> Iterator[Taken]:
        """Every true reply, once."""
        known = set()
        for row in rows:
            if row.source is None:
                continue
            about = replace(row, references=())  # contexts are held out, whatever was replied
            true = [*row.references, *([row.text] if row.text and row.system in self.people else ())]
            for text in true:
                said = (repr(row.source), folded(text))
                if said in known or not folded(text):
                    continue
                known.add(said)
                others = tuple(other for other in row.references if folded(other) != folded(text))
                yield Taken(replace(row, system="people", text=text, references=others), 1.0, about)

    def _bad(self, examples: Examples, places: Sequence[int], random: Random) -> Iterator[tuple[int, str, str]]:
        texts, true = _by_item(examples, places)
        speakers: dict[str, list[int]] = {}
        for place in places:
            speakers.setdefault(speaker(examples.rows[place]), []).append(place)
        for place in places:
            row, own = examples.rows[place], true[examples.items[place]]
            for text in _drawn([texts[other] for other in places], own, self.negatives, random):
                yield place, text, "another item"
            for way in self.corrupt:
                text = CORRUPTIONS[way](texts[place], random)
                if folded(text) not in own:
                    yield place, text, way
            if self.same_speaker:
                said = list(dialogue(row.source, texts[place], f"item {row.item!r}").own)
                if speaker(row):
                    said += [texts[other] for other in speakers[speaker(row)]]
                for text in _drawn(said, own, self.same_speaker, random):
                    yield place, text, "the same speaker"


@dataclass(frozen=True)
class Paraphrase(Drawn):
    """Which texts say the same: the references of an item, and outputs of people."""

    kind: ClassVar[str] = "paraphrase"
    learns: ClassVar[str] = "which texts say the same"
    beside: ClassVar[str] = "with another of the same item"
    negatives: int = key("texts of other items for each text", default=1, least=1, most=50)
    people: tuple[str, ...] = key(_PEOPLE, default=())

    def taken(self, rows: Sequence[Observation], random: Random) -> Iterator[Taken]:
        """Every text once, the others of its row as its references."""
        known = set()
        for row in rows:
            own = [row.text] if row.text and row.system in self.people else []
            texts = {folded(text): text for text in (*row.references, *own) if folded(text)}
            for name, text in texts.items() if len(texts) > 1 else ():
                if (name, frozenset(texts)) in known:
                    continue
                known.add((name, frozenset(texts)))
                others = tuple(other for key, other in texts.items() if key != name)
                yield Taken(replace(row, system="people", text=text, references=others), 1.0, row)

    def _bad(self, examples: Examples, places: Sequence[int], random: Random) -> Iterator[tuple[int, str, str]]:
        texts, own = _by_item(examples, places)
        every = list(texts.values())
        for place in places:
            for text in _drawn(every, own[examples.items[place]], self.negatives, random):
                yield place, text, "another item"


@dataclass(frozen=True)
class Origin(Supervision):
    """Who wrote a text: people, or systems."""

    kind: ClassVar[str] = "origin"
    learns: ClassVar[str] = "who wrote a text"
    people: tuple[str, ...] = key(_PEOPLE, default=())
    augment: tuple[Augmentation, ...] = key(
        "texts of people to learn as bad: those of others, their own shuffled or with words replaced",
        default=(),
    )

    def taken(self, rows: Sequence[Observation], random: Random) -> Iterator[Taken]:
        """Every text of people once, and every output that is none of theirs."""
        known: set[tuple[str, str]] = set()
        for row in rows:
            about = repr((row.references, row.source))
            theirs = {folded(text) for text in row.references}
            for text in (*row.references, *([row.text] if row.text and row.system in self.people else ())):
                if (about, folded(text)) in known or not folded(text):
                    continue
                known.add((about, folded(text)))
                others = tuple(other for other in row.references if folded(other) != folded(text))
                if len(others) == len(row.references):
                    others = _one_less(others, random)
                yield Taken(replace(row, system="people", text=text, references=others), 1.0, row)
            if row.text and row.system not in self.people and folded(row.text) not in theirs:
                yield Taken(replace(row, references=_one_less(row.references, random)), 0.0, row)

    def completed(self, examples: Examples, held: Held, seed: int) -> tuple[Examples, Held]:
        """With spoilt texts of people, each side's of its own (Cui et al. 2018)."""
        random = Random(f"{seed}/augment")
        rows: list[Observation] = []
        owners: list[int] = []
        for side in (False, True):
            places = np.flatnonzero((held == side) & (examples.targets == 1)).tolist()
            texts, own = _by_item(examples, places)
            words = [word for text in texts.values() for word in text.split()]
            for place, text in texts.items():
                for way in self.augment:
                    true = own[examples.items[place]]
                    if way == "others":
                        spoilt = _drawn(list(texts.values()), true, 1, random)
                    else:
                        made = shuffled(text, random) if way == "shuffled" else replaced(text, words, random)
                        spoilt = [made] if folded(made) not in true else []
                    rows += [replace(examples.rows[place], system=way, text=bad) for bad in spoilt]
                    owners += [place] * len(spoilt)
        whole = examples.followed_by(rows, owners, 0.0)
        return whole, np.concatenate([held, held[np.array(owners, dtype=np.int64)]])


SUPERVISION = Kinds({kind.kind: kind for kind in (Ratings, Next, Paraphrase, Origin)})


def speaker(row: Observation) -> str:
    """Who replies, where the set names them under `speaker`."""
    return str(row.extra.get("speaker") or "")


def _by_item(examples: Examples, places: Sequence[int]) -> tuple[dict[int, str], dict[str, set[str]]]:
    """The text at each place, and those of each item."""
    texts = {place: examples.rows[place].text or "" for place in places}
    own: dict[str, set[str]] = {}
    for place, text in texts.items():
        own.setdefault(examples.items[place], set()).add(folded(text))
    return texts, own


def _one_less(references: tuple[str, ...], random: Random) -> tuple[str, ...]:
    if not references:
        return ()
    place = random.randrange(len(references))
    return references[:place] + references[place + 1 :]


def _drawn(texts: Sequence[str], own: set[str], number: int, random: Random) -> list[str]:
    """So many different texts, none of which is a true reply."""
    found: dict[str, str] = {}
    for _ in range(TRIES * number if texts else 0):
        text = texts[random.randrange(len(texts))]
        if folded(text) not in own:
            found.setdefault(folded(text), text)
        if len(found) == number:
            break
    return list(found.values())


def shuffled(text: str, random: Random) -> str:
    """The words in another order."""
    words = text.split()
    random.shuffle(words)
    return " ".join(words)


def dropped(text: str, random: Random) -> str:
    """About half of the words, at least one."""
    words = text.split()
    kept = [word for word in words if random.random() < 0.5]
    return " ".join(kept or words[:1])


def repeated(text: str, random: Random) -> str:
    """About half of the words said twice."""
    return " ".join(word for word in text.split() for _ in range(1 + (random.random() < 0.5)))


def replaced(text: str, words: Sequence[str], random: Random) -> str:
    """Two words or more, up to all, replaced by words of other texts."""
    made = text.split()
    number = random.randint(min(2, len(made)), len(made))
    for place in random.sample(range(len(made)), number):
        made[place] = random.choice(words)
    return " ".join(made)


CORRUPTIONS: dict[str, Callable[[str, Random], str]] = {
    "shuffled": shuffled,
    "dropped": dropped,
    "repeated": repeated,
}
