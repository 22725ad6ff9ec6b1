"""What the actions of `nlgauge study` share: the folder, the database, the launched study."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from nlgauge.cli.arguments import Arg

if TYPE_CHECKING:
    from nlgauge.study.service import Service


FOLDER = Arg("folder DIR", "the study's folder")
DATABASE = Arg(
    "--db URL",
    "database, for example postgresql://user@host/name (default: study.sqlite in DIR; "
    "the environment variable NLGAUGE_DB serves as well)",
)
STUDY = (FOLDER, DATABASE)
JUDGE = Arg("judge JUDGE", "the judge's id, link or platform id")
JUDGE_IF_ANY = replace(JUDGE, nargs="?")
BASE = Arg("--base URL", "where the site is reached (default http://127.0.0.1:8000)", default="http://127.0.0.1:8000")


def database(arguments: argparse.Namespace) -> str | None:
    """The address that the options or the environment name."""
    return arguments.db or os.environ.get("NLGAUGE_DB") or None


def open_service(arguments: argparse.Namespace, *, simulated: bool = False) -> Service:
    """The launched study that the options name."""
    from nlgauge import studies

    return studies.open(arguments.folder, db=arguments.db, simulated=simulated)
