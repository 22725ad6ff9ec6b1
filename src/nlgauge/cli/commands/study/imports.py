"""`nlgauge study import`: judgements back from an export, or those of a study that was run elsewhere."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.commands.study.shared import Action, add_database, add_folder, open_service
from nlgauge.errors import InputError, counted, unquoted

if TYPE_CHECKING:
    from nlgauge.study.exchange.importing import Imported

FORMATS = ("table", "set", "summeval", "usr", "hanna", "webnlg2017", "e2e-rankme")
_FOREIGN = {"panel": None, "column": None, "scale": None, "protocol": None, "title": None}


def _options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    parser.add_argument(
        "file",
        nargs="+",
        metavar="FILE",
        help="a file written by nlgauge study export; with --format the files of a study that was run elsewhere",
    )
    add_database(parser)
    parser.add_argument(
        "--log", metavar="FILE", help="also take over the log that was exported: history, open or closed"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="make a finished study of judgements that were collected elsewhere: a table with item, system, judge, "
        "criterion and value; an evaluation set with lists of ratings; or the files of a published study",
    )
    parser.add_argument("--panel", metavar="NAME", help="with --format: only the judgements of one panel")
    parser.add_argument(
        "--column",
        action="append",
        metavar="KEY=NAME",
        help="with --format table or set: the column that holds a key, for example judge=worker_id (repeatable)",
    )
    parser.add_argument(
        "--scale",
        action="append",
        metavar="[CRITERION=]LOW-HIGH",
        help="with --format table or set: the lowest and the highest answer, for example 1-5",
    )
    parser.add_argument(
        "--protocol",
        choices=("likert", "continuous", "binary"),
        help="with --format table or set: rated on points (default), on a slider, or by yes and no",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="with --format: set an earlier import into the folder aside"
    )
    parser.add_argument("--title", metavar="TEXT", help="with --format table or set: what the study is called")


def _import(arguments: argparse.Namespace) -> int:
    if arguments.format is not None:
        return _elsewhere(arguments)
    given = [name for name in _FOREIGN if getattr(arguments, name) is not None]
    if given:
        raise InputError(f"--{given[0]} is for a study that was run elsewhere: add --format")
    if arguments.fresh:
        raise InputError("--fresh is for a study that was run elsewhere: add --format")
    if len(arguments.file) > 1:
        raise InputError("an export is one file; several belong to a study that was run elsewhere: add --format")
    return _back(arguments, arguments.file[0])


def _back(arguments: argparse.Namespace, file: str) -> int:
    from nlgauge.study.exchange import export, restore
    from nlgauge.study.exchange.export import load_log
    from nlgauge.study.exchange.fit import Fit
    from nlgauge.study.launch import frozen
    from nlgauge.study.protocols import protocol_of
    from nlgauge.study.service import start
    from nlgauge.study.store import FILE, Store

    if not (Path(arguments.folder) / frozen.FILE).exists():
        raise InputError(
            f"{arguments.folder} holds no launched study that an export could be read back into; a study that was run "
            f"elsewhere is imported with --format ({', '.join(FORMATS)})"
        )
    held = frozen.read(arguments.folder)
    _check_export(file)
    found = export.read(file, fault=Fit(held).asked, protocol=protocol_of(held.study.protocol))
    store = Store.at(arguments.folder, arguments.db or os.environ.get("NLGAUGE_DB"))
    if not store.holds(held.id):  # a copy of the folder without its database
        start(held, store)
    service = open_service(arguments)
    erased = restore.erased(service, found)
    added = restore.load_into(service, found)
    events = 0 if arguments.log is None else load_log(service, arguments.log)
    lost = sorted(export.read_excluded(file).keys() - service.quality.excluded().keys())
    if arguments.json:
        told = {"read": len(found), "added": added, "erased": erased, "events": events}
        common.print_json(told | ({"not_excluded": lost} if lost else {}))
        return 0
    print(
        f"{file}: {len(found):,} judgements read, {added:,} added to {arguments.db or FILE}, "
        f"{len(found) - added - erased:,} were there already."
        + (f" {erased:,} of judges who were forgotten stay erased." if erased else "")
    )
    if lost:
        print(
            f"note: the export leaves {counted(len(lost), 'judge')} out whom this study counts ({', '.join(lost)}); "
            "leave them out here too with nlgauge study exclude, or read the study's log beside its answers (--log)"
        )
    return 0


def _check_export(file: str) -> None:
    """Refuse what `study export` did not write, and say how such a file is read."""
    from nlgauge.study.exchange.importing.tables import rows_of

    first = next((row for _, row in rows_of(file)), {})
    if "slot" not in first or "item" in first:
        raise InputError(
            f"{file} is no export of judgements (nlgauge study export, without --long); judgements of a study that was "
            f"run elsewhere are imported into a folder of their own with --format ({', '.join(FORMATS)})"
        )


def _elsewhere(arguments: argparse.Namespace) -> int:
    from nlgauge.study.exchange.importing import import_study

    if arguments.log is not None:
        raise InputError("--log belongs to what nlgauge study export wrote; a study run elsewhere has no such log")
    done = import_study(
        arguments.folder,
        arguments.file,
        arguments.format,
        panel=arguments.panel,
        columns=common.columns(arguments),
        scales=arguments.scale or (),
        protocol=arguments.protocol or "likert",
        title=arguments.title or "",
        fresh=arguments.fresh,
        db=arguments.db or os.environ.get("NLGAUGE_DB"),
    )
    if arguments.json:
        common.print_json(_told(done))
        return 0
    _print(arguments.folder, done)
    return 0


def _told(done: Imported) -> dict[str, Any]:
    study, frozen = done.service.study, done.service.frozen
    return {
        "study": done.service.id,
        "title": study.called,
        "judgements": len(frozen.slots),
        "ratings": len(done.source.ratings),
        "items": len({text.item for text in frozen.texts}),
        "systems": list(study.authors),
        "judges": dict(done.judges),
        "judges_named": done.source.judges == "people",
        "columns_not_read": list(done.source.unread),
        "not_numbers": dict(done.source.skipped),
        "warnings": done.warnings,
    }


def _print(folder: str, done: Imported) -> None:
    told = _told(done)
    named = told["judges_named"]
    who = ", ".join(
        f"{counted(number, 'judge') if named else counted(number, 'rating of each text', 'ratings of each text')} "
        f"({panel})"
        for panel, number in told["judges"].items()
    )
    print(
        f"{folder}: {told['title']}. {counted(told['ratings'], 'rating')} in {counted(told['judgements'], 'answer')}: "
        f"{counted(told['items'], 'item')}, {counted(len(told['systems']), 'system')}, {who}. The study is closed; "
        "it was "
        "not run here."
    )
    for warning in told["warnings"]:
        print(f"note: {warning}")
    if told["columns_not_read"]:
        unread = ", ".join(map(unquoted, told["columns_not_read"]))
        print(f"note: columns that were not read: {unread}")
    if told["not_numbers"]:
        what = ", ".join(f"{name} {number:,}" for name, number in told["not_numbers"].items())
        print(f"note: left aside, because they are no ratings that count: {what}")
    print(f"Next: nlgauge study analyse {folder}; nlgauge study statement {folder}")


ACTIONS: dict[str, Action] = {
    "import": ("read judgements back from a file, or those of a study run elsewhere", _options, _import),
}
