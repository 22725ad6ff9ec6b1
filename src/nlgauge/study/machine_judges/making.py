"""The machine that a panel of the study file names, for one of its judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, option
from nlgauge.study.machine_judges.asking import output_prompt
from nlgauge.study.machine_judges.base import Judge
from nlgauge.study.machine_judges.comparing import Comparing
from nlgauge.study.machine_judges.endpoint import Asked, Endpoint, key_from
from nlgauge.study.machine_judges.forms import Say
from nlgauge.study.machine_judges.measures import Measured
from nlgauge.study.machine_judges.program import Piped
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.judge import LanguageModel, MachineJudge, Measure, Program, TrainedComparator


def made(
    judge: MachineJudge,
    study: OutputStudy,
    folder: str | Path,
    *,
    language: str,
    say: Say,
    number: int = 1,
    url: str = "",
    key_env: str | None = None,
    side_by_side: int = 1,
    timeout: float = 60.0,
    retries: int = 5,
    prompt: str | Path | None = None,
) -> Judge:
    """The n-th judge of a panel; where and how patiently it is asked belongs to the run."""
    study = study.worded(study.wording_of(number))
    if isinstance(judge, Measure):
        return Measured(judge.metric, study, margin=judge.margin, folder=folder)
    if isinstance(judge, Program):
        return Piped(judge.command, study, folder, language=language, margin=judge.margin, timeout=timeout)
    if isinstance(judge, TrainedComparator):
        return Comparing.of(judge.model, study, beside=Path(folder))
    assert isinstance(judge, LanguageModel), judge
    address = url or judge.url
    if not address:
        raise InputError(f"the panel names no address of its model; give {option('url')}, or url: … in the study file")
    key = key_from(key_env or judge.key_env or None)
    endpoint = Endpoint(address, judge.model, key=key, timeout=timeout, retries=retries)
    file = prompt or (Path(folder) / judge.prompt if judge.prompt else None)
    asked = output_prompt(study, language, say, file)
    return Asked(endpoint, asked, parameters=parameters(judge, number), side_by_side=side_by_side)


def parameters(judge: LanguageModel, number: int) -> dict[str, Any]:
    """What goes with every request of the n-th judge of a panel."""
    found: dict[str, Any] = {} if judge.temperature is None else {"temperature": judge.temperature}
    if judge.seed is not None:
        found["seed"] = judge.seed + number - 1
    if judge.max_tokens:
        found["max_tokens"] = judge.max_tokens
    for name, value in judge.parameters.items():
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
