"""Transfer systems in four forms (De Mattei et al. 2020), trained on the parts of a split.

SUM writes a headline from the article: a pointer-generator for each target, learnt from that source's own articles.
S2S1 to S2S3 translate the headline: an LSTM that reads both ways, with attention, for each direction, learnt from
aligned headlines. They differ only in the parts that they learn from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

from nlgauge import __version__
from nlgauge.errors import InputError, needing, suggest
from nlgauge.io.write import atomic_path
from nlgauge.style.forms import ARROW, PARTS, Article, Transfer, direction_of, sources_of
from nlgauge.text.pieces import pieces

LONGEST_HEADLINE = 48  # pieces
MOST = 4096  # texts of a batch and units of a layer: beyond, memory would not do
RECEIPT = "receipt.json"

Progress = Callable[[int, int], None]
Split = Mapping[str, Sequence[Article]]


@dataclass(frozen=True)
class Form:
    """From which parts of a split a system learns, and whether it reads the article or the headline."""

    parts: tuple[str, ...]
    summarises: bool = False

    @property
    def network(self) -> str:
        """The kind of its networks."""
        return "pointer" if self.summarises else "bilstm"

    def prompt(self, article: Article, words: int) -> str:
        """What it reads of an article, in pieces."""
        return _cut(article.text, words) if self.summarises else _cut(article.headline, LONGEST_HEADLINE)


FORMS = {
    "SUM": Form(("rest", "a3"), summarises=True),
    "S2S1": Form(("a3",)),
    "S2S2": Form(("a3", "a1")),
    "S2S3": Form(("a1",)),
}


@dataclass(frozen=True)
class Settings:
    """How every network is made and trained."""

    steps: int = 1500
    batch: int = 32
    width: int = 128
    rate: float = 0.002
    dropout: float = 0.1
    vocabulary: int = 8000  # the most words
    words: int = 100  # of an article: what comes after is not read
    seed: int = 12345

    def __post_init__(self) -> None:
        for name in ("batch", "width"):
            if not 1 <= getattr(self, name) <= MOST:
                raise InputError(f"{name} must be from 1 to {MOST:,}, not {getattr(self, name):,}")


@dataclass(frozen=True)
class Task:
    """A network to be trained; a summariser reads articles of whatever source."""

    system: str
    reads: str
    writes: str
    examples: tuple[tuple[str, str], ...]
    settings: Settings

    @cached_property
    def name(self) -> str:
        """Of its folder; the digest covers all that the network depends on."""
        told = json.dumps([FORMS[self.system].network, asdict(self.settings), self.examples])
        digest = sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return "-".join([*(re.sub(r"\W+", "_", part) for part in self._named), digest])

    @property
    def _named(self) -> list[str]:
        return [part for part in (self.system, self.reads, self.writes) if part]


@dataclass(frozen=True)
class Transferred:
    """What systems wrote, and how their networks were trained."""

    transfers: tuple[Transfer, ...]
    directions: tuple[str, ...]
    settings: Settings
    networks: tuple[Mapping[str, Any], ...]  # each one's receipt
    reused: tuple[str, ...]  # names of networks that were there before


def directions_between(split: Split, asked: Sequence[str] = ()) -> list[str]:
    """The directions that are asked for, or all; each has articles to be transferred."""
    test = split[PARTS[0]]
    known = sorted({source for part in PARTS for source in sources_of(split[part])})
    if len(known) < 2:
        held = f"articles of {known[0]} only" if known else "no articles"
        raise InputError(f"the split holds {held}; a transfer is from one source to another")
    for direction in asked:
        source, arrow, target = direction.partition(ARROW)
        if not arrow:
            raise InputError(f"direction {direction!r} must be SOURCE{ARROW}TARGET; known sources: {', '.join(known)}")
        for name in (source, target):
            if name not in known:
                raise InputError(f"direction {direction!r}: there is no source {name!r}; {suggest(name, known)}")
        if source == target:
            raise InputError(f"direction {direction!r} leads nowhere; name two sources")
    found = list(dict.fromkeys(asked)) or [direction_of(*pair) for pair in permutations(known, 2)]
    tested = sources_of(test)
    for direction in found:
        if _ends(direction)[0] not in tested:
            raise InputError(f"{PARTS[0]}.jsonl has no article of {_ends(direction)[0]} for {direction}")
    return found


def tasks_of(
    split: Split, systems: Sequence[str], directions: Sequence[str], settings: Settings
) -> dict[tuple[str, str], Task]:
    """The network of each system and direction; directions to one target share a summariser."""
    found = {}
    shared: dict[tuple[str, str, str], Task] = {}
    for system in systems:
        if system not in FORMS:
            raise InputError(f"there is no system {system!r}; {suggest(system, FORMS)}")
        form = FORMS[system]
        articles = [article for part in form.parts for article in split[part]]
        for direction in directions:
            source, target = _ends(direction)
            key = (system, "" if form.summarises else source, target)
            if key not in shared:
                shared[key] = Task(*key, _examples(articles, direction, form, settings.words), settings)
                if not shared[key].examples:
                    raise InputError(_nothing(system, form, direction))
            found[system, direction] = shared[key]
    return found


def transfer(
    split: Split,
    folder: Path,
    *,
    systems: Sequence[str] = tuple(FORMS),
    directions: Sequence[str] = (),
    settings: Settings | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Transferred:
    """Train what is not yet in the folder, and write a headline for each test article of each direction's source."""
    with needing("training of transfer systems", "train"):
        from nlgauge.generators.pool import finished
        from nlgauge.style.networks import kept, train, written
    settings = settings or Settings()
    chosen = directions_between(split, directions)
    tasks = tasks_of(split, systems, chosen, settings)
    each = {task.name: task for task in tasks.values()}
    reused = [name for name in each if kept(folder / name)]
    waiting = sorted(
        (task for name, task in each.items() if name not in reused),
        key=lambda task: not FORMS[task.system].summarises,  # the longest trainings first
    )
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; expected a folder for the trained networks")
    tell = progress or (lambda done, total: None)
    tell(len(reused), len(each))
    folder.mkdir(parents=True, exist_ok=True)
    for count, _ in enumerate(finished(partial(train, folder), waiting, processes=jobs), len(reused) + 1):
        tell(count, len(each))
    made = []
    for (system, direction), task in tasks.items():
        articles = [article for article in split[PARTS[0]] if article.source == _ends(direction)[0]]
        prompts = [FORMS[system].prompt(article, settings.words) for article in articles]
        for article, text in zip(articles, written(folder / task.name, prompts), strict=True):
            made.append(Transfer(article.id, direction, system, text))
    found = Transferred(
        tuple(made),
        tuple(chosen),
        settings,
        tuple(json.loads((folder / name / RECEIPT).read_text(encoding="utf-8")) for name in each),
        tuple(reused),
    )
    with atomic_path(folder / RECEIPT) as temporary:
        temporary.write_text(json.dumps(receipt_of(found), ensure_ascii=False, indent=1), encoding="utf-8")
    return found


def receipt_of(found: Transferred) -> dict[str, Any]:
    """How the outputs came about."""
    return {
        "nlgauge": __version__,
        "settings": asdict(found.settings),
        "directions": list(found.directions),
        "networks": list(found.networks),
    }


def _examples(articles: Sequence[Article], direction: str, form: Form, words: int) -> tuple[tuple[str, str], ...]:
    """Prompts and headlines in pieces: a source's articles and their headlines, or aligned headlines."""
    source, target = _ends(direction)
    if form.summarises:
        pairs = [(article, article) for article in articles if article.source == target]
    else:
        by_id = {article.id: article for article in articles}
        found = {}
        for article in articles:
            other = by_id.get(article.pair)
            if other is not None and (article.source, other.source) == (source, target):
                found[article.id, other.id] = (article, other)
            elif other is not None and (other.source, article.source) == (source, target):
                found[other.id, article.id] = (other, article)
        pairs = list(found.values())
    made = ((form.prompt(read, words), _cut(wrote.headline, LONGEST_HEADLINE)) for read, wrote in pairs)
    return tuple((prompt, headline) for prompt, headline in made if prompt and headline)


def _nothing(system: str, form: Form, direction: str) -> str:
    source, target = _ends(direction)
    files = " and ".join(f"{part}.jsonl" for part in form.parts)
    files += " hold" if len(form.parts) > 1 else " holds"
    lacking = (
        f"article of {target} with a headline"
        if form.summarises
        else f"headline of {source} aligned with one of {target}"
    )
    told = f"{system} has nothing to learn {direction} from: {files} no {lacking}"
    return f"{told}; leave out the system or the direction"


def _cut(text: str, most: int) -> str:
    return " ".join(pieces(text)[:most])


def _ends(direction: str) -> tuple[str, str]:
    source, _, target = direction.partition(ARROW)
    return source, target
