"""`nlgauge study forget`: erase what identifies judges."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.study_make import add_database, add_folder, open_service
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.cli.study_ import Action
    from nlgauge.study.service import Service


def _forget_options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    parser.add_argument("judge", nargs="?", metavar="JUDGE", help="the judge's id, link or platform id")
    add_database(parser)
    parser.add_argument("--answers", action="store_true", help="erase the judge's answers too")
    parser.add_argument(
        "--expired", action="store_true", help="in place of JUDGE: all whose retention period has passed"
    )


def _forget(arguments: argparse.Namespace) -> int:
    if bool(arguments.judge) == arguments.expired:
        raise InputError("name a judge to forget, or --expired for all whose retention period has passed")
    if arguments.expired and arguments.answers:
        raise InputError("--expired erases what identifies judges, never their answers; leave --answers out")
    service = open_service(arguments)
    if arguments.expired:
        return _forget_expired(arguments, service)
    judge = service.find_judge(arguments.judge)
    erased = service.forget(judge, answers=arguments.answers)
    if arguments.json:
        common.print_json({"judge": judge, "erased": erased})
        return 0
    answers = (
        f"{erased['judgements']:,} judgements were erased, and their evaluations will be dealt again"
        if arguments.answers
        else "the choices stay, and nothing leads from them to a person any more"
    )
    print(
        f"{judge} is forgotten. Erased: answers about the judge ({erased['personal']:,}), platform ids "
        f"({erased['platform_ids']:,}), links ({erased['links']:,}); {answers}. "
        "The log keeps that and when it was done."
    )
    return 0


def _forget_expired(arguments: argparse.Namespace, service: Service) -> int:
    gone = service.forget_expired()
    if arguments.json:
        common.print_json({"judges": gone})
        return 0
    days = service.study.ethics.retention_days
    print(f"{len(gone):,} judges who registered more than {days:,} days ago are forgotten; their choices stay.")
    return 0


ACTIONS: dict[str, Action] = {
    "forget": ("erase what identifies a judge", _forget_options, _forget),
}
