"""Experts judge a sample of a study's items again: a study of its own, with the same questions and what is shown.

Whole items are drawn, each with all its systems, so that systems stay comparable. The new folder holds a study file and
an evaluation set, to be looked at and launched as any other; `study analyse DIR --recheck NEW` compares both.
"""

from __future__ import annotations

import dataclasses
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from nlgauge.errors import InputError
from nlgauge.io.write import atomic_path, write_jsonl
from nlgauge.study.file.study import FILE
from nlgauge.study.model import Text
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.service import Service

DATA = "outputs.jsonl"
COPIED = (
    *("title", "languages", "instructions", "context", "scale", "cannot_judge", "criteria_order"),
    *("consent", "ethics", "too_fast"),
)


@dataclass(frozen=True)
class Made:
    """The new study."""

    path: Path
    items: list[str]
    outputs: int


def recheck(
    service: Service, folder: str | Path, into: str | Path, *, sample: float, panel: str, judges: int, seed: int
) -> Made:
    """Write the study of a sample of the items that judges have answered; the folder must not hold one yet."""
    study = service.study
    if not isinstance(study, OutputStudy) or not service.protocol.again:
        raise InputError(
            f"studies of the protocol {study.protocol} cannot be rechecked here; ratings (likert, continuous, binary) "
            "can"
        )
    if not 0 < sample <= 1:
        raise InputError(f"the sample is a share of the items above 0 and up to 1, not {sample:g}")
    root, target = Path(folder), Path(into)
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{target} is not empty; name another folder, which is made")
    rated = [judgement for judgement in service.judgements() if not (judgement.practice or judgement.role)]
    judged = {item for judgement in rated for item in judgement.items}
    items = [item for item in dict.fromkeys(text.item for text in service.frozen.served) if item in judged]
    if not items:
        raise InputError("no output has been judged yet, so that nothing can be judged again")
    size = max(2, round(sample * len(items)))
    if size > len(items):
        raise InputError(f"a recheck needs at least two items; the study has {len(items)} with answers")
    drawn = set(Random(f"{seed}/recheck").sample(items, size))
    texts = [text for text in plain_texts(service.frozen.served) if text.item in drawn]
    target.mkdir(parents=True, exist_ok=True)
    for image in {text.image for text in texts if text.image}:
        (target / image).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / image, target / image)
    write_jsonl([_row(study, text) for text in texts], target / DATA)
    for tag, pages in study.pages.items():
        _write(target / f"{tag}.yaml", _yaml(pages))
    path = target / FILE
    _write(path, _file(study, panel, judges, seed))
    return Made(path, [item for item in items if item in drawn], len(texts))


def _write(path: Path, text: str) -> None:
    with atomic_path(path, own=True) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _row(study: OutputStudy, text: Text) -> dict[str, Any]:
    """An output as a row of an evaluation set, with what stood beside it."""
    beside = dict(text.beside)
    row: dict[str, Any] = {
        "item": text.item,
        "system": study.authors.get(text.subject) or text.subject,
        "source": beside.pop("source", ""),
        "references": beside.pop("reference", []),
        "hypothesis": text.text,
    }
    shown = {"image": text.image, "context": text.context}
    return row | {name: value for name, value in shown.items() if value} | beside


def _file(study: OutputStudy, panel: str, judges: int, seed: int) -> str:
    """The study file: the same questions for other judges, each of whom sees the whole sample.

    Of several wordings the first is asked: experts are few, and their answers stand beside those to all wordings.
    """
    keys = _own(study)
    values: dict[str, Any] = {"protocol": study.protocol}
    values |= {name: keys[name] for name in COPIED if name in keys}
    values |= {"translations": {tag: f"{tag}.yaml" for tag in study.pages}, "data": DATA}
    values["criteria"] = [dataclasses.replace(entry, wordings={}) for entry in study.criteria]
    values["show"] = [
        {"what": show.what, "label": show.label}
        | ({} if show.what in ("source", "reference", "image") else {"column": show.what})
        | ({} if show.layout == "auto" else {"layout": show.layout})
        for show in study.every_show
    ]
    if not any(map(study.explanation, study.questions_asked)):
        values["definitions"] = "hidden"  # the first judges did not read them
    panels = {panel: {"judges": judges, "access": "links", "description": ""}}
    values |= {"design": "crossed", "panels": panels, "seed": seed}
    head = "# Experts judge a sample again. All keys: nlgauge study schema. Check: nlgauge study check DIR.\n"
    return head + _yaml(values)


def _yaml(values: Any) -> str:
    text: str = yaml.safe_dump(_plain(values), sort_keys=False, allow_unicode=True, width=110)
    return text


def _own(value: Any) -> dict[str, Any]:
    """The keys that a file has: not what has its default, nor what a launch adds."""
    kept = {}
    for field in dataclasses.fields(value):
        present = getattr(value, field.name)
        usual = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if present != usual and not field.metadata.get("frozen"):
            kept[field.name] = present
    return kept


def _plain(value: Any) -> Any:
    """Dataclasses as the file writes them: what has its default, and what is empty, is left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(_own(value))
    if isinstance(value, dict):
        if list(value) == [""]:
            return value[""]  # a wording for all languages
        return {name: _plain(entry) for name, entry in value.items() if entry not in (None, "", (), [], {})}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
