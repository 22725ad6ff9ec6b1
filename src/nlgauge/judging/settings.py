"""What judges are asked, as a study in memory that nobody launches, and how the machines of studies are made for it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from random import Random
from typing import Any

from nlgauge.api import load
from nlgauge.engine.scripts import text_remarks
from nlgauge.errors import InputError, suggest
from nlgauge.io import write_jsonl
from nlgauge.learned.comparator import context_of
from nlgauge.learned.trained import Trained
from nlgauge.metrics.spec import parse
from nlgauge.study.file.study import Study
from nlgauge.study.file.template import Made
from nlgauge.study.languages import DEFAULT, content
from nlgauge.study.machine_judges.base import Beside, Judge, Sheet, Shown
from nlgauge.study.machine_judges.comparing import Comparing
from nlgauge.study.machine_judges.making import made
from nlgauge.study.machine_judges.measures import Measured
from nlgauge.study.machine_judges.sheets import output_study
from nlgauge.study.model import Text
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.judge import (
    JUDGES,
    LanguageModel,
    MachineJudge,
    Measure,
    TrainedComparator,
)
from nlgauge.types import EvaluationSet, Segment

QUALITY = "overall-quality"
SAMPLING = 0.7  # the temperature at which several samples are drawn, as Wang et al. (2022) draw them
RUBRIC = "rubric"
ACROSS = (
    "You will see two texts, each written for an input of its own. Judge each text by its own input, then say for each "
    "question which of them it fits better. There are no right or wrong answers."
)


@dataclass(frozen=True)
class Reached:
    """Where a machine is reached, and how patiently it is asked: nothing that changes its verdict."""

    url: str = ""
    key_env: str | None = None
    side_by_side: int = 1
    timeout: float = 60.0
    retries: int = 5
    prompt: str | Path | None = None


def judge_of(given: MachineJudge | Mapping[str, Any]) -> MachineJudge:
    """A judge as a study file names it: {"kind": "metric", "metric": "chrf"}."""
    if isinstance(given, MachineJudge):
        found = given
    elif not isinstance(given, Mapping):
        raise InputError(f"a judge is named as {{'kind': 'metric', 'metric': 'chrf'}}; got {given!r}")
    else:
        kind = str(given.get("kind", ""))
        if kind not in JUDGES.known:
            raise InputError(f"there is no judge {kind!r}; {suggest(kind, list(JUDGES.known))}")
        try:
            found = JUDGES.known[kind](**{name: value for name, value in given.items() if name != "kind"})
        except TypeError as error:
            raise InputError(f"the judge {kind} cannot be made: {error}") from None
    for _, message in found.problems("the judge"):
        raise InputError(message)
    return found


def comparing(criterion: str = QUALITY, *, question: str = "", across: bool = False, seed: int) -> OutputStudy:
    """Which of two texts? By a criterion of the catalogue, or by a question of one's own; `across` items or not."""
    asked: Any = (
        {"id": "question", "definition": question, "question": question, "form": "comparison"}
        if question
        else criterion
    )
    return _study("pairwise", asked, seed=seed, instructions=ACROSS if across else "")


def rating(rubric: str, *, seed: int) -> OutputStudy:
    """How good is a text by a rubric, from 1 to 5?"""
    asked = {
        "id": RUBRIC,
        "definition": "How well the text meets the rubric in the instructions.",
        "question": "How well does this text meet the rubric?",
        "scale": {"points": 5, "low": 1},
    }
    return _study("likert", asked, seed=seed, instructions=rubric)


def _study(protocol: str, asked: Any, *, seed: int, instructions: str = "") -> OutputStudy:
    values = {
        "protocol": protocol,
        "title": "Texts",
        "subjects": {name: {"texts": []} for name in "ab"},
        "criteria": [asked],
        "panels": {"machine": {"judges": 1}},
        "instructions": instructions,
        "seed": seed,
    }
    study = output_study(Study.from_dict(values))
    if not study.questions_asked:
        raise InputError(f"the criterion {asked!r} has no question that compares texts; give a question of your own")
    return study


def make_judge(
    judge: MachineJudge,
    study: OutputStudy,
    *,
    sample: int = 1,
    reached: Reached,
    whole: Callable[[], EvaluationSet],
) -> Judge:
    """The machine, for one of several samples; comparators leave the joining of orders to who asks.

    A metric that is fitted is fitted on the `whole` set, however few games are played.
    """
    if isinstance(judge, Measure) and parse(judge.metric).needs_prepare:
        return Measured(judge.metric, study, margin=judge.margin, sets=[whole()])
    if isinstance(judge, TrainedComparator):
        return Comparing.of(judge.model, study, one_order=True)
    given = {name: value for name, value in vars(reached).items() if name != "url"}
    return made(judge, study, Path(), language="en", say=_say, number=sample, url=reached.url, **given)


def sampling(judge: MachineJudge, samples: int) -> MachineJudge:
    """Several samples need a model that draws its words."""
    if samples > 1 and not isinstance(judge, LanguageModel):
        raise InputError(f"only a language model is asked for several samples, not {judge.told}")
    if samples > 1 and isinstance(judge, LanguageModel) and judge.temperature == 0:
        return replace(judge, temperature=SAMPLING)
    return judge


def places_matter(judge: MachineJudge, machine: Judge) -> bool:
    """Whether a verdict may depend on which text stands first."""
    if isinstance(judge, TrainedComparator):
        assert isinstance(machine, Comparing)
        return machine.comparator.reads == "together"
    return not isinstance(judge, Measure)


def sheet_of(outputs: Sequence[Segment], *, references: bool = False) -> Sheet:
    """What a judge is shown: the texts, and the input above them, or one for each text; metrics also the references.

    The kept texts name item and system, for metrics that are fitted on the outputs of a system.
    """
    if len({output.item for output in outputs}) == 1:
        beside = tuple(_beside(outputs[0], references))
    else:
        beside = tuple(
            replace(found, heading=f"{found.heading} of text {place + 1}", of=place)
            for place, output in enumerate(outputs)
            for found in _beside(output, references)
        )
    kept = (Text(f"{number}", output.system, output.item, output.hypothesis) for number, output in enumerate(outputs))
    return Sheet(tuple(Shown(output.hypothesis) for output in outputs), beside, tuple(kept))


def _beside(output: Segment, references: bool) -> Iterator[Beside]:
    if output.source is not None:
        what = "table" if _is_table(output.source) else "source"
        yield Beside(what, "Input", (told(output.source),), output.source)
    if references and output.references:
        yield Beside("reference", "References", output.references, list(output.references))


def told(source: Any) -> str:
    """An input as a judge reads it."""
    return "\n".join(" | ".join(map(str, row)) for row in source) if _is_table(source) else context_of(source)


def _is_table(source: Any) -> bool:
    return isinstance(source, list) and all(isinstance(row, list) for row in source)


def needs_references(judge: MachineJudge) -> bool:
    """Whether references stand beside the texts: a metric may need them, and nobody else is shown any."""
    return isinstance(judge, Measure) and "references" in parse(judge.metric).needs


def remarks(judge: MachineJudge, machines: Sequence[Judge], data: EvaluationSet) -> list[str]:
    """What a reader must know of a metric or a comparator on these texts: what it cut, and what it learnt from."""
    if isinstance(judge, Measure):
        metric = parse(judge.metric)
    elif isinstance(judge, TrainedComparator):
        metric = Trained(model=judge.model)
    else:
        return []
    columns = [data.column(system) for system in data.systems]
    said = [note for machine in machines if hasattr(machine, "remarks") for note in machine.remarks()]
    return [*text_remarks([metric], columns, data.language), *said]


def _say(name: str, **values: object) -> str:
    phrases: Mapping[str, Any] = content(DEFAULT, "pages")
    return str(phrases[name]).format_map({key: str(value) for key, value in values.items()})


# People as judges: the folder of a pairwise study of the same texts, to be checked, launched and served.


SET = "outputs.jsonl"


def study_of(
    data: Any,
    folder: str | Path,
    *,
    criterion: str = QUALITY,
    budget: int | None = None,
    seed: int = 12345,
    columns: Mapping[str, str] | None = None,
) -> Made:
    """Write the study: every pair of systems for every item, or for as many items, drawn by chance, as `budget` pairs
    allow (one more serves for practice)."""
    content = data if isinstance(data, EvaluationSet) else load(data, columns=columns, allow_extra=True)
    pairs = comb(len(content.systems), 2)
    items = list(content.items)
    met = Counter(segment.item for segment in content)
    if max(met.values()) < len(content.systems):
        raise InputError(
            f"{content.origin} has no item with a text by each of its {len(content.systems)} systems, and a study "
            "deals whole grids: give the systems of one grid"
        )
    if budget is not None:
        if budget < pairs:
            raise InputError(
                f"{len(content.systems)} systems have {pairs} pairs an item; give a budget of {pairs} or more, not "
                f"{budget}"
            )
        items = Random(f"{seed}/people").sample(items, min(len(items), budget // pairs + 1))
    chosen = set(items)
    with tempfile.TemporaryDirectory() as beside:
        source = Path(beside) / SET
        write_jsonl([segment for segment in content if segment.item in chosen], source)
        return protocol_of("pairwise").new(folder, source, {"criteria": (criterion,), "seed": seed})
