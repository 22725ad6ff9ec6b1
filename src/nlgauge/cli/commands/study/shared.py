"""What the actions of `nlgauge study` share: the folder, the database, the launched study."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.service import Service


def add_folder(parser: argparse.ArgumentParser) -> None:
    """The folder of a study."""
    parser.add_argument("folder", metavar="DIR", help="the study's folder")


def add_database(parser: argparse.ArgumentParser) -> None:
    """Where the answers are kept."""
    parser.add_argument(
        "--db",
        metavar="URL",
        help="database, for example postgresql://user@host/name (default: study.sqlite in DIR; "
        "the environment variable NLGAUGE_DB serves as well)",
    )


def add_study(parser: argparse.ArgumentParser) -> None:
    """Both."""
    add_folder(parser)
    add_database(parser)


def add_judge(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Which judge."""
    told = "the judge's id, link or platform id"
    parser.add_argument("judge", nargs="?" if optional else None, metavar="JUDGE", help=told)


def add_base(parser: argparse.ArgumentParser) -> None:
    """Where judges find the site."""
    parser.add_argument(
        "--base",
        default="http://127.0.0.1:8000",
        metavar="URL",
        help="where the site is reached (default http://127.0.0.1:8000)",
    )


def database(arguments: argparse.Namespace) -> str | None:
    """The address that the options or the environment name."""
    return arguments.db or os.environ.get("NLGAUGE_DB") or None


def open_service(arguments: argparse.Namespace, *, simulated: bool = False) -> Service:
    """The launched study that the options name."""
    from nlgauge import studies

    return studies.open(arguments.folder, db=arguments.db, simulated=simulated)
