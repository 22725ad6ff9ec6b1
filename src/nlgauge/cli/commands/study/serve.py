"""`nlgauge study serve`: the judges' site and the researcher's dashboard from one command."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.commands.study.shared import Action, add_database, add_folder
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.study.model import Link

SHOWN = 3  # links of a panel printed at the start


def _options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on (default 127.0.0.1: this machine only)",
    )
    parser.add_argument("--port", type=_port, default=8000, metavar="N", help="port (default 8000)")
    parser.add_argument(
        "--base",
        default="",
        metavar="URL",
        help="where the site is reached from outside, for example https://host/prefix behind a proxy",
    )
    parser.add_argument(
        "--workers",
        type=common.positive,
        default=1,
        metavar="N",
        help="processes that serve; more than one needs PostgreSQL (default 1)",
    )
    parser.add_argument(
        "--connections",
        type=common.whole,
        default=1_000,
        metavar="N",
        help="most connections from one address at a time, for each worker; 0: any number (default 1000)",
    )
    parser.add_argument("--no-dashboard", action="store_true", help="the judges' pages only")
    parser.add_argument(
        "--password-file",
        metavar="FILE",
        help="the dashboard's password, on the file's first line (or in NLGAUGE_PASSWORD); by default it is set in the "
        "browser, at an address that is printed at the first start",
    )
    parser.add_argument(
        "--reset-password",
        action="store_true",
        help="take the dashboard's password away and print an address to set a new one",
    )
    parser.add_argument(
        "--rehearsal",
        action="store_true",
        help="every judge counts as simulated: to try the site out; the study must be launched afresh for real ones",
    )


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 65535, not {text!r}")
    return int(text)


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
    from nlgauge.study.launch import in_use
    from nlgauge.web.server import Settings, app_of, listen, serve

    settings = Settings(
        folder=arguments.folder,
        db=arguments.db or os.environ.get("NLGAUGE_DB"),
        host=arguments.host,
        port=arguments.port,
        base=_base(arguments.base),
        workers=arguments.workers,
        dashboard=not arguments.no_dashboard,
        rehearsal=arguments.rehearsal,
        connections=arguments.connections,
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


ACTIONS: dict[str, Action] = {
    "serve": ("the judges' site and the researcher's dashboard", _options, _serve),
}
