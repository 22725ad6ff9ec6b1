"""From ratings to a launched study: its file, texts, one evaluation for every screen that was answered, the answers.

Nothing is dealt: an evaluation stands in the design because somebody made it. Times that a file does not hold stay
unknown (`Judgement.dated`, `Judgement.known_seconds`).

The file is a description that comes with nlgauge, or what the command says. A description holds what the documentation
of a published study tells, with the document named, and nothing else; what it does not tell is missing in the design
statement and can be written into the file by those who know it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

import yaml

from nlgauge.errors import InputError, option, suggest
from nlgauge.study.designs.imported import KIND
from nlgauge.study.designs.triangle import panel_prefix
from nlgauge.study.exchange.importing.types import LONGEST, Rating, Source
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.freeze.texts import text_id
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols.magnitudes.answers import number
from nlgauge.study.protocols.magnitudes.criteria import Estimated
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, RankmeStudy
from nlgauge.study.protocols.outputs.file import OutputStudy, RatedSubject
from nlgauge.study.protocols.ratings.criteria import NUMBER, Asked
from nlgauge.study.protocols.ratings.file import RatingStudy

CLIENT = "imported"
Output = tuple[str, str]
"""An item and a system."""


@dataclass
class _Screen:
    """What one judge answered at once, about one output or several."""

    first: Rating
    answer: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[Output, ...] = ()
    places: dict[str, str] = field(default_factory=dict)
    seconds: float | None = None


def make(study: RatingStudy | EstimationStudy, ratings: Sequence[Rating]) -> tuple[Frozen, list[Judgement]]:
    """The frozen study and its judgements, in the order of the file."""
    if not ratings:
        raise InputError("there are no ratings to import; every row was left aside, or the file holds none")
    _check_panels(study, ratings)
    texts = _texts(study, ratings)
    names = _judges(ratings)
    screens = _joined(study, ratings) if isinstance(study, RankmeStudy) else _screens(study, ratings)
    slots: list[Slot] = []
    numbers: Counter[str] = Counter()
    order = {judge: place for place, judge in enumerate(dict.fromkeys(names.values()), start=1)}
    for screen in screens:
        panel, judge = screen.first.panel, names[screen.first.panel, screen.first.judge]
        numbers[panel] += 1
        name = f"{panel_prefix(panel, study.seed)}-{numbers[panel]}"
        shown = tuple(texts[output].id for output in screen.outputs)
        slots.append(Slot(name, panel, numbers[panel], order[judge], "", shown))
    frozen = Frozen(_filled(study, texts, screens), tuple(texts.values()), tuple(slots), (), {})
    return frozen, [_judgement(frozen, slot, screen, names) for slot, screen in zip(slots, screens, strict=True)]


def _judgement(frozen: Frozen, slot: Slot, screen: _Screen, names: Mapping[tuple[str, str], str]) -> Judgement:
    one = screen.first
    return Judgement(
        id=f"i-{slot.id}",
        study=frozen.id,
        panel=slot.panel,
        judge=names[one.panel, one.judge],
        slot=slot.id,
        number=slot.number,
        role="",
        texts=slot.texts,
        items=tuple(item for item, _ in screen.outputs),
        answer=screen.answer,
        shown_at=0.0,
        answered_at=screen.seconds or 0.0,
        client=CLIENT,
    )


def _check_panels(study: OutputStudy, ratings: Sequence[Rating]) -> None:
    found = dict.fromkeys(rating.panel for rating in ratings)
    for rating in ratings:
        if rating.panel not in study.panels:
            raise InputError(
                f"{rating.place}: study.yaml has no panel {rating.panel!r}; {suggest(rating.panel, study.panels)}"
            )
    unseen = [name for name in study.panels if name not in found]
    if unseen:
        raise InputError(f"study.yaml has a panel {unseen[0]!r}, of which the file holds no rating; leave it out")


def _texts(study: OutputStudy, ratings: Sequence[Rating]) -> dict[Output, Text]:
    """One text for each output; a file that does not hold the texts leaves them empty."""
    held: dict[Output, Rating] = {}
    for rating in ratings:
        before = held.setdefault((rating.item, rating.system), rating)
        if before.text != rating.text:
            raise InputError(
                f"{rating.place}: the item {_short(rating.item)!r} has another text by {rating.system} than at "
                f"{before.place}; an item has one output of each system: give the items different names"
            )
    return {
        output: Text(
            text_id(study.seed, one.system, one.item, one.text or ""),
            one.system,
            one.item,
            one.text or "",
            beside={"source": one.source} if one.source else {},
        )
        for output, one in held.items()
    }


def _judges(ratings: Sequence[Rating]) -> dict[tuple[str, str], str]:
    """Names of judges that are one of a kind in the study: with their panel, where two panels use the same."""
    pairs = dict.fromkeys((rating.panel, rating.judge) for rating in ratings)
    uses = Counter(judge for _, judge in pairs)
    found = {}
    for panel, judge in pairs:
        name = judge if uses[judge] == 1 else f"{panel} {judge}"
        if len(name) > LONGEST:
            raise InputError(
                f"the judge {judge!r} occurs in several panels; shorten the name to {LONGEST - 1 - len(panel)} "
                "characters"
            )
        found[panel, judge] = name
    return found


def _screens(study: RatingStudy | EstimationStudy, ratings: Sequence[Rating]) -> list[_Screen]:
    asked = {criterion.id: criterion for criterion in study.questions_asked}
    found: dict[tuple[str, ...], _Screen] = {}
    for rating in ratings:
        key = (rating.panel, rating.judge, rating.item, rating.system, rating.screen)
        screen = found.setdefault(key, _Screen(rating, outputs=((rating.item, rating.system),)))
        if rating.criterion in screen.answer:
            raise InputError(
                f"{rating.place}: the judge {rating.judge!r} has rated {_short(rating.item)!r} by {rating.system} for "
                f"{rating.criterion} at {screen.places[rating.criterion]} already; leave one of the rows out, or tell "
                "the showings apart in a column screen"
            )
        screen.answer[rating.criterion] = _value(asked, rating)
        screen.places[rating.criterion] = rating.place
        _timed(screen, rating)
    return list(found.values())


def _joined(study: RankmeStudy, ratings: Sequence[Rating]) -> list[_Screen]:
    """Outputs that were judged at once: for each criterion of a screen a number for each of them, in its order."""
    asked = {estimated.id: estimated for estimated in study.questions_asked}
    found: dict[tuple[str, ...], _Screen] = {}
    for rating in ratings:
        if not rating.screen:
            raise InputError(f"{rating.place}: the screen is missing; rankme needs to know what was judged at once")
        key = (rating.panel, rating.judge, rating.item, rating.screen)
        screen = found.setdefault(key, _Screen(rating))
        output = (rating.item, rating.system)
        if output not in screen.outputs:
            screen.outputs = (*screen.outputs, output)
        given = screen.answer.setdefault(rating.criterion, {})
        if output in given:
            raise InputError(
                f"{rating.place}: the judge {rating.judge!r} gave {rating.system} two numbers for {rating.criterion} "
                f"on the screen {rating.screen!r}; leave one of the rows out, or give the screens different names"
            )
        given[output] = _value(asked, rating)
        _timed(screen, rating)
    size = study.per_screen
    for screen in found.values():
        for criterion, given in screen.answer.items():
            if len(given) != len(screen.outputs) or len(given) != size:
                raise InputError(
                    f"{screen.first.place}: the screen {screen.first.screen!r} has {len(given)} numbers for "
                    f"{criterion}; expected one for each of its {size} outputs"
                )
            screen.answer[criterion] = [given[output] for output in screen.outputs]
    return list(found.values())


def _timed(screen: _Screen, one: Rating) -> None:
    """The time of a screen, which all its rows tell."""
    if one.seconds is None:
        return
    if screen.seconds is not None and screen.seconds != one.seconds:
        raise InputError(
            f"{one.place}: {one.seconds:g} seconds, but {screen.seconds:g} at {screen.first.place} for the same "
            "text and judge; give the time of the whole screen in each row"
        )
    screen.seconds = one.seconds


def _value(asked: Mapping[str, Asked | Estimated], one: Rating) -> NUMBER:
    question = asked.get(one.criterion)
    if question is None:
        raise InputError(f"{one.place}: study.yaml has no criterion {one.criterion!r}; {suggest(one.criterion, asked)}")
    if isinstance(question, Estimated):
        found = number(one.value)
        if found is None:
            raise InputError(
                f"{one.place}: the answer {one.value:g} to {one.criterion} is no magnitude: only numbers above 0 have "
                "ratios; mend the row or leave the screen out, and say so"
            )
        return found
    value = question.scale.place(one.value)
    if value is None:
        raise InputError(
            f"{one.place}: the answer {one.value:g} to {one.criterion} is not on its scale ({question.scale}); "
            "mend the row, or the scale"
        )
    return value


def _filled(
    study: RatingStudy | EstimationStudy, texts: Mapping[Output, Text], screens: Sequence[_Screen]
) -> OutputStudy:
    """The study with what its answers tell: systems, and the numbers of judges and of their answers."""
    answers = Counter((screen.first.panel, screen.first.judge) for screen in screens)
    panels = {
        name: replace(
            panel,
            judges=sum(found == name for found, _ in answers),
            evaluations=max(number for (found, _), number in answers.items() if found == name),
        )
        for name, panel in study.panels.items()
    }
    subjects = {name: RatedSubject(system=name) for name in dict.fromkeys(system for _, system in texts)}
    told: dict[str, Any] = {"panels": panels, "subjects": subjects, "asked": study.questions_asked}
    return replace(study, **told)


def _short(item: str) -> str:
    return item if len(item) <= 40 else f"{item[:39]}…"


_SCALE = re.compile(r"(?:(?P<name>.+)=)?(?P<low>-?\d+(?:\.\d+)?)-(?P<high>-?\d+(?:\.\d+)?)")
_DECIMALS = 6  # of an answer on a slider
HEAD = """\
# A study that was run elsewhere; its answers were imported ({files}).
# What was asked and who judged is known as far as it stands here. Write down what you can find out: the exact questions
# under criteria (question: …), everything else under statement and panels. The statement says what is missing.
"""


def described(name: str) -> dict[str, Any]:
    """The description of a published study."""
    text = files("nlgauge.study.exchange.importing").joinpath("described", f"{name}.yaml").read_text(encoding="utf-8")
    values: dict[str, Any] = yaml.safe_load(text)
    return values


def plain(source: Source, *, scales: Mapping[str, tuple[float, float]], protocol: str, title: str) -> dict[str, Any]:
    """The least that can be said: criteria with their scales."""
    criteria = list(dict.fromkeys(rating.criterion for rating in source.ratings))
    if protocol == "binary":  # yes and no need no scale
        scales = {"": (0.0, 1.0), **scales}
    unknown = [name for name in scales if name and name not in criteria]
    if unknown:
        raise InputError(f"{option('scale')}: nothing was judged for {unknown[0]!r}; {suggest(unknown[0], criteria)}")
    lacking = [name for name in criteria if name not in scales and "" not in scales]
    if lacking:
        place = next(rating.place for rating in source.ratings if rating.criterion == lacking[0])
        raise InputError(
            f"{place}: the scale of {lacking[0]!r} is not known, because answers do not tell which were possible; name "
            f'it with --scale "{lacking[0]}=1-5" (or --scale 1-5 for all), or write a study.yaml with design: imported'
        )
    ends = {name: scales.get(name, scales.get("", (0, 0))) for name in criteria}
    asked = [{"id": name, "scale": _scale(low, high, protocol)} for name, (low, high) in ends.items()]
    values: dict[str, Any] = {"protocol": protocol, "title": title, "criteria": asked}
    if protocol == "continuous":
        values["scale"] = {"step": 10.0 ** -_places(source.ratings)}
    return values


def scales_of(options: Sequence[str]) -> dict[str, tuple[float, float]]:
    """What `--scale fluency=1-5` says; without a name it holds for every criterion.

    >>> scales_of(["1-5", "overall=0-100"])
    {'': (1.0, 5.0), 'overall': (0.0, 100.0)}
    """
    found = {}
    for scale in options:
        read = _SCALE.fullmatch(scale.strip())
        if read is None or float(read["low"]) >= float(read["high"]):
            raise InputError(
                f"{option('scale')} {scale!r} cannot be read; write the lowest and the highest answer, as in "
                "fluency=1-5"
            )
        found[read["name"] or ""] = (float(read["low"]), float(read["high"]))
    return found


def _scale(low: float, high: float, protocol: str) -> dict[str, Any]:
    if protocol == "continuous":
        return {"low": low, "high": high}
    if low != int(low) or high != int(high) or high - low > 100:
        raise InputError(
            f"a scale from {low:g} to {high:g} has no points that could be counted; add "
            f"{option('protocol', 'continuous')}"
        )
    if protocol == "binary" and high - low != 1:
        raise InputError(
            f"a scale from {low:g} to {high:g} has more answers than yes and no; give {option('scale', '0-1')}, or "
            f"leave {option('protocol')} "
            "binary out"
        )
    return {"points": int(high - low) + 1, "low": low}


def _places(ratings: Iterable[Rating]) -> int:
    """Decimals that the answers need."""
    values = {rating.value for rating in ratings}
    return next((k for k in range(_DECIMALS) if all(round(value, k) == value for value in values)), _DECIMALS)


def completed(values: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """With what the answers tell: their criteria and panels, and whether judges are named."""
    judges: dict[str, set[str]] = {}
    for rating in source.ratings:
        judges.setdefault(rating.panel, set()).add(rating.judge)
    known = values.get("panels") or {}
    asked = {rating.criterion for rating in source.ratings}
    own = {name: value for name, value in values.items() if name not in ("panels", "criteria", "design")}
    return {
        **{name: own.pop(name) for name in ("protocol", "title")},
        "seed": 1,
        **own,
        "criteria": [value for value in values["criteria"] if value["id"] in asked],
        "panels": {name: {"judges": len(who), **known.get(name, {})} for name, who in judges.items()},
        "design": {"kind": KIND, "judges": source.judges, **values.get("design", {})},
    }


def written(values: Mapping[str, Any], names: Sequence[str]) -> str:
    """The study file."""
    body: str = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=110)
    return HEAD.format(files=", ".join(names)) + body
