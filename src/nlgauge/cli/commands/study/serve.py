"""`nlgauge study serve`, `links`, `status`, `pause`, `resume`, `close`, `reopen`, `add-judges`: while a study runs."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg, Part
from nlgauge.cli.commands.study.shared import BASE, STUDY, database, open_service
from nlgauge.cli.common import positive, whole
from nlgauge.errors import InputError, counted

if TYPE_CHECKING:
    from nlgauge.study.model import Link
    from nlgauge.study.service import Service

SHOWN = 3  # links of a panel printed at the start


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 65535, not {text!r}")
    return int(text)


_SERVE_OPTIONS = (
    *STUDY,
    Arg("--host ADDRESS", "address to listen on (default 127.0.0.1: this machine only)", default="127.0.0.1"),
    Arg("--port N", "port (default 8000)", _port, 8000),
    Arg(
        "--base URL",
        "where the site is reached from outside, for example https://host/prefix behind a proxy",
        default="",
    ),
    Arg("--workers N", "processes that serve; more than one needs PostgreSQL (default 1)", positive, 1),
    Arg(
        "--connections N",
        "most connections from one address at a time, for each worker; 0: any number (default 1000)",
        whole,
        1_000,
    ),
    Arg("--no-dashboard", "the judges' pages only"),
    Arg(
        "--password-file FILE",
        "the dashboard's password, on the file's first line (or in NLGAUGE_PASSWORD); by default it is set in the"
        " browser, at an address that is printed at the first start",
    ),
    Arg("--reset-password", "take the dashboard's password away and print an address to set a new one"),
    Arg(
        "--rehearsal",
        "every judge counts as simulated: to try the site out; the study must be launched afresh for real ones",
    ),
)


def _password(arguments: argparse.Namespace) -> str | None:
    """The dashboard's password, where a file or the environment gives one."""
    if arguments.password_file is None:
        return None if arguments.reset_password else os.environ.get("NLGAUGE_PASSWORD") or None
    from nlgauge.io.files import readable

    with readable(arguments.password_file), open(arguments.password_file, encoding="utf-8-sig") as file:
        return file.readline().rstrip("\r\n")


def _setup_path(arguments: argparse.Namespace) -> str | None:
    """The path at which the password is to be set; None where there is one."""
    if arguments.no_dashboard:
        return None
    from nlgauge.web import login

    code = login.prepare(arguments.folder, password=_password(arguments), reset=arguments.reset_password)
    return None if code is None else f"/dashboard/setup/{code}"


def _base(text: str) -> str:
    """Where the site is reached: a scheme, a host and perhaps a path."""
    from nlgauge.study.file.endings import is_address

    if text and (not is_address(text) or "?" in text or "#" in text):
        raise InputError(f"--base must be an address such as https://host/prefix, not {text!r}")
    return text.rstrip("/")


def _print_links(links: list[Link], base: str, command: str) -> None:
    """Some links of each panel, and the command that prints the rest."""
    panels = list(dict.fromkeys(link.panel for link in links))
    for panel in panels:
        own = [link for link in links if link.panel == panel]
        if len(panels) > 1:
            print(f"{'panel':9}  {panel}")
        for link in own[:SHOWN]:
            print(f"{'link':9}  {base}{link.path}")
        if len(own) > SHOWN:
            only = f" --panel {shlex.quote(panel)}" if len(panels) > 1 else ""
            print(f"{'':9}  {len(own) - SHOWN:,} more: {command}{only}")


def _serve(arguments: argparse.Namespace) -> int:
    from nlgauge.study.freeze import in_use
    from nlgauge.web.server import Settings, app_of, listen, serve

    settings = Settings(
        db=database(arguments),
        base=_base(arguments.base),
        dashboard=not arguments.no_dashboard,
        **common.given(arguments, ("folder", "host", "port", "workers", "rehearsal", "connections")),
    )
    service = settings.open()
    if settings.workers > 1 and service.store.engine.dialect.name == "sqlite":
        raise InputError(
            "an SQLite file has one writer at a time, so more workers would only wait for each other: "
            "leave --workers out, or keep the study in PostgreSQL with --db postgresql://…"
        )
    bound = listen(settings.host, settings.port)
    settings = replace(settings, port=bound.getsockname()[1])
    base = settings.address
    links = service.arrivals.links()
    setup = _setup_path(arguments)
    if arguments.json:
        addresses = [base + link.path for link in links]
        shown = {"dashboard": f"{base}/dashboard", "setup": None if setup is None else base + setup}
        common.print_json({"base": base, **shown, "links": addresses})
    else:
        print(f"{service.study.called}\n")
        if settings.dashboard:
            print(f"dashboard  {base}/dashboard")
        if setup is not None:
            print(f"{'password':9}  set it here, once: {base}{setup}")
        _print_links(links, base, f"nlgauge study links {settings.folder} --base {base}")
        print("\nStop with Ctrl-C; answers are safe, and the same command goes on.")
    if service.progress.report()["simulated"] and not settings.rehearsal:
        print(
            "note: this study holds simulated answers, and real judges will be turned away; for them launch it afresh: "
            f"nlgauge study launch {settings.folder} --fresh",
            file=sys.stderr,
        )
    sys.stdout.flush()
    with in_use.served(settings.folder):
        if settings.workers == 1:  # what is open already serves
            serve(settings, bound, app_of(settings, service))
            return 0
        service.store.close()
        serve(settings, bound)
    return 0


def _status(arguments: argparse.Namespace) -> int:
    from nlgauge.report.study import triangle_panels
    from nlgauge.study.protocols.triangle.analysis.reading import live_verdict
    from nlgauge.study.service.progress import STAGES, in_words, watch

    service = open_service(arguments)
    found, live = watch(service), live_verdict(service)
    if arguments.json:
        common.print_json(found | {"live": triangle_panels.live_in_json(live)})
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
    said = triangle_panels.live(live)
    print(said[:1].upper() + said[1:].rstrip(".") + ".")
    return 0


def _row(name: str, panel: dict[str, Any]) -> tuple[str, ...]:
    seconds = panel["median_seconds"]
    numbers = [panel[key] for key in ("done", "planned", "open", "stale", "surplus")] + [*panel["triads"].values()]
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
    done, planned = service.progress.planned_answers()
    told = {"study": service.id, "status": service.status, "answers": done, "planned": planned}
    return common.tell(arguments, told, f"{arguments.folder} is {words}.")


_ADD_JUDGES_OPTIONS = (
    *STUDY,
    Arg("judges N", "how many more than were planned", positive),
    Arg("--panel NAME", "of which panel (needed where there are several)"),
    BASE,
)


def _add_judges(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    people = [name for name, panel in service.study.panels.items() if panel.kind == "people"]
    if arguments.panel is None and len(people) != 1:
        raise InputError(f"name the panel that gets more judges: --panel, one of {', '.join(people)}")
    panel = arguments.panel or people[0]
    links = service.admin.add_judges(panel, arguments.judges)
    done, planned = service.progress.planned_answers()
    addresses = [arguments.base.rstrip("/") + link.path for link in links]
    return common.tell(
        arguments,
        {"panel": panel, "judges": arguments.judges, "answers": done, "planned": planned, "links": addresses},
        *addresses,
        f"{counted(arguments.judges, 'judge')} added to the panel {panel}: {done:,} of now {planned:,} planned answers "
        "are there. The log, the analysis and the statement will say so.",
    )


_LINKS_OPTIONS = (
    *STUDY,
    Arg("--panel NAME", "of one panel only"),
    BASE,
    Arg("--more N", "make so many further personal links (needs --panel)", positive),
)


def _links(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    if arguments.more:
        if not arguments.panel:
            raise InputError("--more needs --panel: for whom are the further links?")
        service.arrivals.more_links(arguments.panel, arguments.more)
    base = arguments.base.rstrip("/")
    found = [
        {"address": base + link.path, "panel": link.panel, "kind": link.kind, "used": link.judge is not None}
        for link in service.arrivals.links(arguments.panel)
    ]
    common.tell(arguments, {"links": found}, *(str(link["address"]) for link in found))
    counts = Counter(link["panel"] for link in found)
    if len(counts) > 1 and not arguments.json:
        told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        print(
            f"note: links of {len(counts)} panels in turn ({told}); --panel NAME prints those of one", file=sys.stderr
        )
    return 0


ACTIONS = {
    "serve": Part("the judges' site and the researcher's dashboard", _SERVE_OPTIONS, _serve),
    "add-judges": Part(
        "let more judges come than were planned, before anybody has seen answers", _ADD_JUDGES_OPTIONS, _add_judges
    ),
    "status": Part("how far the study is, by panel and triad", STUDY, _status),
    "pause": Part("deal nothing new for now", STUDY, _pause),
    "resume": Part("go on after a pause", STUDY, _resume),
    "close": Part("end the study", STUDY, _close),
    "reopen": Part("take up a study that was closed and not analysed", STUDY, _reopen),
    "links": Part("the addresses to send to judges, one a line", _LINKS_OPTIONS, _links),
}
