"""`nlgauge study export` and `forget`: what leaves a study, and what is erased."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.commands.study.shared import Action, add_database, add_folder, open_service
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from nlgauge.study.service import Service


def _export_options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    common.add_target(parser, ".csv, .tsv, .jsonl (.gz, .zst) or .parquet: one row a judgement")
    parser.add_argument(
        "--people",
        action="store_true",
        help="one row a judge in place of the judgements: stage, times, answers about the judge (personal data)",
    )
    parser.add_argument(
        "--platform-ids",
        action="store_true",
        help="with --people: also the recruiting platform's ids and the completion codes, to approve and pay",
    )
    parser.add_argument(
        "--log",
        type=common.Output,
        metavar="FILE",
        help="also write the study's log (.jsonl): what happened when",
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="one row for each number or preference of each judgement, marked whether it counts: for other programs "
        "and for nlgauge rate and agree; study import --format table makes a new study of such ratings",
    )
    parser.add_argument(
        "--set",
        action="store_true",
        help="an evaluation set (.jsonl), the outputs with what judges gave them or could do: for meta, agree, compare",
    )
    parser.add_argument(
        "--transcripts",
        action="store_true",
        help="chat: the conversations, one JSON object a line with turns, times and ratings (not read back)",
    )


def _export(arguments: argparse.Namespace) -> int:
    from nlgauge import studies
    from nlgauge.study.exchange import export

    path = common.output(arguments.output)
    if path is None:
        raise InputError("name the file to write with -o")
    _refuse_several(arguments)
    if arguments.people:
        return _export_people(arguments, path)
    log = common.output(arguments.log)
    service = open_service(arguments)
    judgements = service.judgements()
    written = len(judgements)
    tables: tuple[studies.Table, ...] = ("transcripts", "set", "long")
    rows = studies.write(service, path, next((name for name in tables if getattr(arguments, name)), "judgements"))
    complete = service.admin.note_export(judgements=written)
    events = None if log is None else export.write_log(service, log)
    done, planned = service.progress.planned_answers()
    notes = _export_notes(service)
    textless = export.without_text(service) if arguments.set else ""
    if arguments.json:
        found: dict[str, Any] = {
            "file": str(path),
            "judgements": written,
            "complete": complete,
            "answers": done,
            "planned": planned,
        }
        if arguments.long or arguments.transcripts or arguments.set:
            found["rows"] = rows
        if notes or textless:
            found["warnings"] = [*notes, *filter(None, (textless,))]
        common.print_json(found if log is None else found | {"log": str(log), "events": events})
        return 0
    what = f"{written:,} judgements" + (f" in {rows:,} rows" if arguments.long else "")
    if arguments.transcripts:
        what = f"{rows:,} conversations"
    marked = "; the column counts marks what an analysis takes" if arguments.long else ""
    if arguments.set:
        print(f"{path}: {rows:,} outputs with their ratings, as the analysis counts them.")
    else:
        print(f"{path}: {what}, practice, surplus and corrections included{marked}.")
    for note in notes:
        print(f"note: {note}; say so wherever these answers are shown")
    if textless:
        print(f"note: {textless}")
    if log is not None:
        print(f"{log}: {events:,} events of the study's log.")
    if done and not complete:
        print(
            f"note: {done:,} of {planned:,} planned answers are there. That they were exported before the end is in "
            "the log, and the analysis will say so: looking at them is a look that was not planned."
        )
    return 0


def _export_notes(service: Service) -> list[str]:
    """What must be known of the answers wherever they go."""
    from nlgauge.io.exported import REHEARSAL
    from nlgauge.study.protocols.outputs.criteria import UNKNOWN

    unknown = service.protocol.unknown_wordings(service.study)
    simulated = bool(service.progress.report()["simulated"])
    return [REHEARSAL] * simulated + [f"{UNKNOWN}: {', '.join(unknown)}"] * bool(unknown)


def _refuse_several(arguments: argparse.Namespace) -> None:
    """One table at a time; above all not the judges in place of the answers that were asked for."""
    chosen = [name for name in ("long", "set", "transcripts") if getattr(arguments, name)]
    if arguments.people and chosen:
        raise InputError(
            f"--people writes the judges, which are personal data, and --{chosen[0]} their answers: choose one"
        )
    if len(chosen) > 1:
        raise InputError("--long, --set and --transcripts write different tables: choose one")
    if arguments.platform_ids and not arguments.people:
        raise InputError("--platform-ids belongs to the judges, not to their judgements: add --people")


def _export_people(arguments: argparse.Namespace, path: Path) -> int:
    from nlgauge.study.exchange import people

    if arguments.log is not None:
        raise InputError("--log belongs to the judgements: export the judges (--people) by themselves")
    service = open_service(arguments)
    described = people.sample(service, people.rows(service))
    written = people.write(service, path, platform_ids=arguments.platform_ids)
    if arguments.json:
        found = {"file": str(path), "judges": written, "platform_ids": arguments.platform_ids}
        common.print_json(found | {"sample": described})
        return 0
    print(f"{path}: {written:,} judges. This is personal data: keep it apart and erase it in time.")
    for line in described:
        print(line)
    return 0


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
    judge = service.people.find_judge(arguments.judge)
    erased = service.people.forget(judge, answers=arguments.answers)
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
    gone = service.people.forget_expired()
    if arguments.json:
        common.print_json({"judges": gone})
        return 0
    days = service.study.ethics.retention_days
    print(f"{len(gone):,} judges who registered more than {days:,} days ago are forgotten; their choices stay.")
    return 0


ACTIONS: dict[str, Action] = {
    "export": ("write every judgement, or every judge, to a file", _export_options, _export),
    "forget": ("erase what identifies a judge", _forget_options, _forget),
}
