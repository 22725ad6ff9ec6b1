"""What a judge gets at the end: the wording, the code for the recruiting platform, the way back.

A panel's `completion` goes before the study's. Code and redirect of one end stay together, because an address of a
platform holds its code; it stands in a header, where no byte may stray. Where a panel comes from a platform, the codes
of the study are that platform's: judges who came another way do not get them, nobody would know what to do with one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

if TYPE_CHECKING:
    from nlgauge.io.fields import Words
    from nlgauge.study.file.study import Completion, Study
    from nlgauge.study.model import Step


LEFT = ("withdrawn", "full", "closed", "vetted")  # steps of judges who do not finish
_PREFIX = {"done": "", "failed": "failed_"} | dict.fromkeys(LEFT, "screened_out_")
Ending = tuple[str, str]  # a code and an address, either may be empty


def completions(study: Study) -> Iterator[tuple[str, Completion]]:
    """Every completion of a study file with its place."""
    yield "completion", study.completion
    for name, panel in study.panels.items():
        if panel.completion is not None:
            yield f"panels.{name}.completion", panel.completion


def ending(study: Study, panel: str, access: str, kind: str) -> Ending:
    """The code and the way back at a step, for a judge of a panel who came in a certain way."""
    if kind not in _PREFIX:
        return "", ""
    plan = study.panels.get(panel)
    of_panel = _pair(plan.completion, kind) if plan is not None and plan.completion is not None else ("", "")
    if any(of_panel):
        return of_panel
    # simulated judges come as the panel's real ones would
    sent = access == "platform" or (access == "simulated" and plan is not None and plan.access == "platform")
    if not sent and any(other.access == "platform" for other in study.panels.values()):
        return "", ""
    return _pair(study.completion, kind)


def judge_ending(study: Study, row: Any, kind: str) -> Ending:
    """The same for a judge's row: who finished, or failed, before leaving gets what finishing or failing gives."""
    if kind == "withdrawn":
        kind = "done" if row.finished_at is not None else "failed" if row.failed else kind
    return ending(study, row.panel, row.access, kind)


def wording(study: Study, step: Step) -> Words | None:
    """The study's own words at the end; those who do not finish read the pages' usual ones."""
    return closing(study, step.panel) if step.kind == "done" else None


def closing(study: Study, panel: str) -> Words | None:
    """What judges of a panel read when they have finished; None: the pages' usual words."""
    plan = study.panels.get(panel)
    of_panel = plan.completion.text if plan is not None and plan.completion is not None else None
    return of_panel or study.completion.text


def closings(study: Study) -> list[tuple[list[str], Words | None]]:
    """The same for all panels of people, those who read the same together; empty where all read the usual words."""
    together: list[tuple[list[str], Words | None]] = []
    for name, panel in study.panels.items():
        if panel.kind != "people":
            continue
        words = closing(study, name)
        same = next((names for names, other in together if other == words), None)
        if same is None:
            together.append(([name], words))
        else:
            same.append(name)
    return together if any(words for _, words in together) else []


def _pair(completion: Completion, kind: str) -> Ending:
    prefix = _PREFIX[kind]
    return getattr(completion, f"{prefix}code"), getattr(completion, f"{prefix}redirect")


_HOST = re.compile(r"(.*?)(:[0-9]*)?", re.DOTALL)
_KEPT = "%/:?#[]@!$&'()*+,;=~"  # what has a meaning in an address, or is in percent form already


def is_address(text: str) -> bool:
    """Whether this is a whole web address; one with a space or a line break is not."""
    try:
        parts = urlsplit(in_ascii(text))
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text


def in_ascii(address: str) -> str:
    """An address as headers hold it: a host of another script by its ASCII name, other characters in percent form."""
    parts = urlsplit(address)
    found = _HOST.fullmatch(parts.netloc)
    host, port = found.groups("") if found else (parts.netloc, "")
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    rest = (quote(part, safe=_KEPT) for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme, host + port, *rest))
