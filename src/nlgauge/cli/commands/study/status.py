"""`nlgauge study status`, `pause`, `resume`, `close`, `reopen`, `add-judges` and `links`: while a study runs."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.commands.study.shared import Action, add_base, add_database, add_folder, open_service
from nlgauge.errors import InputError, counted

if TYPE_CHECKING:
    from nlgauge.study.service import Service


def _options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)


def _status(arguments: argparse.Namespace) -> int:
    from nlgauge.report.study.triangle_words import live as live_words
    from nlgauge.report.study.triangle_words import live_in_json
    from nlgauge.study.protocols.triangle.analysis.reading import live_verdict
    from nlgauge.study.service.progress import STAGES, in_words, watch

    service = open_service(arguments)
    found, live = watch(service), live_verdict(service)
    if arguments.json:
        common.print_json(found | {"live": live_in_json(live)})
        return 0
    from nlgauge.report.text import print_table

    rows = [_row(name, panel) for name, panel in found["panels"].items()]
    triads = next(iter(found["panels"].values()))["triads"]
    heads = ("panel", "done", "planned", "on screen", "abandoned", "surplus", *triads, "median time")
    print_table(heads, rows, right=range(1, len(heads)))
    print()
    counts = [(name, *(f"{n:,}" for n in panel["judges"].values())) for name, panel in found["panels"].items()]
    stages = ("judges of", "registered", *map(in_words, STAGES))
    print_table(stages, counts, right=range(1, len(stages)))
    last = "no answer yet" if found["last_answer_at"] is None else f"last answer {_when(found['last_answer_at'])}"
    rehearsal = " Its judges are simulated." if found["simulated"] else ""
    print(f"\n{found['title']}: {found['status']}, launched {_when(found['launched_at'])}, {last}.{rehearsal}")
    for line in found.get("remarks", ()):
        print(line)
    said = live_words(live)
    print(said[:1].upper() + said[1:].rstrip(".") + ".")
    return 0


def _row(name: str, panel: dict[str, Any]) -> tuple[str, ...]:
    seconds = panel["median_seconds"]
    numbers = (
        panel["done"],
        panel["planned"],
        panel["open"],
        panel["stale"],
        panel["surplus"],
        *panel["triads"].values(),
    )
    return (name, *(f"{number:,}" for number in numbers), "-" if seconds is None else f"{seconds:.0f} s")


def _when(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _pause(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    service.admin.pause()
    return _said(arguments, service, "paused: nobody is dealt anything new; what is on screen may still be answered")


def _resume(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    service.admin.resume()
    return _said(arguments, service, "open")


def _close(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    service.admin.close()
    done, planned = service.progress.planned_answers()
    missing = (
        ""
        if done >= planned
        else f" with {done:,} of {planned:,} planned answers; its analysis will be exploratory, and once it has "
        "been analysed it cannot be opened again"
    )
    if not service.study.fixed:
        missing = f" with {done:,} of at most {planned:,} answers"
    return _said(arguments, service, f"closed{missing}. Answers that still come are stored as surplus")


def _reopen(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    if service.status == "open":
        return _said(arguments, service, "open, and was so before; nothing was changed")
    service.admin.reopen()
    return _said(arguments, service, "open again; the log and every analysis say so")


def _said(arguments: argparse.Namespace, service: Service, words: str) -> int:
    if arguments.json:
        done, planned = service.progress.planned_answers()
        common.print_json({"study": service.id, "status": service.status, "answers": done, "planned": planned})
    else:
        print(f"{arguments.folder} is {words}.")
    return 0


def _add_judges_options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    parser.add_argument("judges", type=common.positive, metavar="N", help="how many more than were planned")
    parser.add_argument("--panel", metavar="NAME", help="of which panel (needed where there are several)")
    add_base(parser)


def _add_judges(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    people = [name for name, panel in service.study.panels.items() if panel.kind == "people"]
    if arguments.panel is None and len(people) != 1:
        raise InputError(f"name the panel that gets more judges: --panel, one of {', '.join(people)}")
    panel = arguments.panel or people[0]
    links = service.admin.add_judges(panel, arguments.judges)
    done, planned = service.progress.planned_answers()
    addresses = [arguments.base.rstrip("/") + link.path for link in links]
    if arguments.json:
        told = {"panel": panel, "judges": arguments.judges, "answers": done, "planned": planned}
        common.print_json({**told, "links": addresses})
        return 0
    for address in addresses:
        print(address)
    print(
        f"{counted(arguments.judges, 'judge')} added to the panel {panel}: {done:,} of now {planned:,} planned answers "
        "are there. The log, the analysis and the statement will say so."
    )
    return 0


def _links_options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    parser.add_argument("--panel", metavar="NAME", help="of one panel only")
    add_base(parser)
    parser.add_argument(
        "--more",
        type=common.positive,
        metavar="N",
        help="make so many further personal links (needs --panel)",
    )


def _links(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    if arguments.more:
        if not arguments.panel:
            raise InputError("--more needs --panel: for whom are the further links?")
        service.arrivals.more_links(arguments.panel, arguments.more)
    found = [
        {
            "address": arguments.base.rstrip("/") + link.path,
            "panel": link.panel,
            "kind": link.kind,
            "used": link.judge is not None,
        }
        for link in service.arrivals.links(arguments.panel)
    ]
    if arguments.json:
        common.print_json({"links": found})
        return 0
    for link in found:
        print(link["address"])
    counts = Counter(link["panel"] for link in found)
    if len(counts) > 1:
        told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        print(
            f"note: links of {len(counts)} panels in turn ({told}); --panel NAME prints those of one",
            file=sys.stderr,
        )
    return 0


ACTIONS: dict[str, Action] = {
    "add-judges": (
        "let more judges come than were planned, before anybody has seen answers",
        _add_judges_options,
        _add_judges,
    ),
    "status": ("how far the study is, by panel and triad", _options, _status),
    "pause": ("deal nothing new for now", _options, _pause),
    "resume": ("go on after a pause", _options, _resume),
    "close": ("end the study", _options, _close),
    "reopen": ("take up a study that was closed and not analysed", _options, _reopen),
    "links": ("the addresses to send to judges, one a line", _links_options, _links),
}
