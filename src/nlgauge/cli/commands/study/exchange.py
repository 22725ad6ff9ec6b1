"""`nlgauge study export`, `forget` and `import`: what leaves a study, what is erased, and what comes in."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import Arg, Part, to_write
from nlgauge.cli.commands.study.shared import DATABASE, FOLDER, JUDGE_IF_ANY, STUDY, database, open_service
from nlgauge.cli.common import Output
from nlgauge.errors import InputError, counted, unquoted

if TYPE_CHECKING:
    from nlgauge.study.exchange.importing import Imported
    from nlgauge.study.service import Service


_EXPORT_OPTIONS = (
    *STUDY,
    to_write(".csv, .tsv, .jsonl (.gz, .zst) or .parquet: one row a judgement"),
    Arg(
        "--people", "one row a judge in place of the judgements: stage, times, answers about the judge (personal data)"
    ),
    Arg(
        "--platform-ids",
        "with --people: also the recruiting platform's ids and the completion codes, to approve and pay",
    ),
    Arg("--log FILE", "also write the study's log (.jsonl): what happened when", Output),
    Arg(
        "--long",
        "one row for each number or preference of each judgement, marked whether it counts: for other programs "
        "and for nlgauge rate and agree; study import --format table makes a new study of such ratings",
    ),
    Arg(
        "--set",
        "an evaluation set (.jsonl), the outputs with what judges gave them or could do: for meta, agree, compare",
    ),
    Arg(
        "--transcripts", "chat: the conversations, one JSON object a line with turns, times and ratings (not read back)"
    ),
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
        found: dict[str, Any] = {"file": str(path), "judgements": written, "complete": complete}
        found |= {"answers": done, "planned": planned}
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
    found = {"file": str(path), "judges": written, "platform_ids": arguments.platform_ids, "sample": described}
    told = f"{path}: {written:,} judges. This is personal data: keep it apart and erase it in time."
    return common.tell(arguments, found, told, *described)


_FORGET_OPTIONS = (
    FOLDER,
    JUDGE_IF_ANY,
    DATABASE,
    Arg("--answers", "erase the judge's answers too"),
    Arg("--expired", "in place of JUDGE: all whose retention period has passed"),
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
    answers = (
        f"{erased['judgements']:,} judgements were erased, and their evaluations will be dealt again"
        if arguments.answers
        else "the choices stay, and nothing leads from them to a person any more"
    )
    return common.tell(
        arguments,
        {"judge": judge, "erased": erased},
        f"{judge} is forgotten. Erased: answers about the judge ({erased['personal']:,}), platform ids "
        f"({erased['platform_ids']:,}), links ({erased['links']:,}); {answers}. "
        "The log keeps that and when it was done.",
    )


def _forget_expired(arguments: argparse.Namespace, service: Service) -> int:
    gone = service.people.forget_expired()
    days = service.study.ethics.retention_days
    told = f"{len(gone):,} judges who registered more than {days:,} days ago are forgotten; their choices stay."
    return common.tell(arguments, {"judges": gone}, told)


FORMATS = ("table", "set", "summeval", "usr", "hanna", "webnlg2017", "e2e-rankme")
_FOREIGN = ("panel", "column", "scale", "protocol", "title", "fresh")


_IMPORT_OPTIONS = (
    FOLDER,
    Arg(
        "file FILE",
        "a file written by nlgauge study export; with --format the files of a study that was run elsewhere",
        nargs="+",
    ),
    DATABASE,
    Arg("--log FILE", "also take over the log that was exported: history, open or closed"),
    Arg(
        "--format",
        "make a finished study of judgements that were collected elsewhere: a table with item, system, judge, "
        "criterion and value; an evaluation set with lists of ratings; or the files of a published study",
        FORMATS,
    ),
    Arg("--panel NAME", "with --format: only the judgements of one panel"),
    Arg(
        "--column KEY=NAME",
        "with --format table or set: the column that holds a key, for example judge=worker_id (repeatable)",
        many=True,
    ),
    Arg(
        "--scale [CRITERION=]LOW-HIGH",
        "with --format table or set: the lowest and the highest answer, for example 1-5",
        many=True,
    ),
    Arg(
        "--protocol",
        "with --format table or set: rated on points (default), on a slider, or by yes and no",
        ("likert", "continuous", "binary"),
    ),
    Arg("--fresh", "with --format: set an earlier import into the folder aside"),
    Arg("--title TEXT", "with --format table or set: what the study is called"),
)


def _import(arguments: argparse.Namespace) -> int:
    if arguments.format is not None:
        return _elsewhere(arguments)
    common.refuse(arguments, _FOREIGN, "is for a study that was run elsewhere: add --format")
    if len(arguments.file) > 1:
        raise InputError("an export is one file; several belong to a study that was run elsewhere: add --format")
    return _back(arguments, arguments.file[0])


def _back(arguments: argparse.Namespace, file: str) -> int:
    from nlgauge.study.exchange import export, restore
    from nlgauge.study.exchange.export import load_log
    from nlgauge.study.exchange.fit import Fit
    from nlgauge.study.freeze import frozen
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
    store = Store.at(arguments.folder, database(arguments))
    if not store.holds(held.id):  # a copy of the folder without its database
        start(held, store)
    service = open_service(arguments)
    erased = restore.erased(service, found)
    added = restore.load_into(service, found)
    events = 0 if arguments.log is None else load_log(service, arguments.log)
    lost = sorted(export.read_excluded(file).keys() - service.quality.excluded().keys())
    lines = [
        f"{file}: {len(found):,} judgements read, {added:,} added to {arguments.db or FILE}, "
        f"{len(found) - added - erased:,} were there already."
        + (f" {erased:,} of judges who were forgotten stay erased." if erased else "")
    ]
    if lost:
        lines.append(
            f"note: the export leaves {counted(len(lost), 'judge')} out whom this study counts ({', '.join(lost)}); "
            "leave them out here too with nlgauge study exclude, or read the study's log beside its answers (--log)"
        )
    told = {"read": len(found), "added": added, "erased": erased, "events": events}
    return common.tell(arguments, told | ({"not_excluded": lost} if lost else {}), *lines)


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
        columns=inputs.columns(arguments),
        scales=arguments.scale or (),
        protocol=arguments.protocol or "likert",
        title=arguments.title or "",
        db=database(arguments),
        **common.given(arguments, ("panel", "fresh")),
    )
    told = _imported_in_json(done)
    return common.tell(arguments, told, *_imported(arguments.folder, told))


def _imported_in_json(done: Imported) -> dict[str, Any]:
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


def _imported(folder: str, told: dict[str, Any]) -> Iterator[str]:
    named = told["judges_named"]
    who = ", ".join(
        f"{counted(number, 'judge') if named else counted(number, 'rating of each text', 'ratings of each text')} "
        f"({panel})"
        for panel, number in told["judges"].items()
    )
    yield (
        f"{folder}: {told['title']}. {counted(told['ratings'], 'rating')} in {counted(told['judgements'], 'answer')}: "
        f"{counted(told['items'], 'item')}, {counted(len(told['systems']), 'system')}, {who}. The study is closed; "
        "it was not run here."
    )
    yield from (f"note: {warning}" for warning in told["warnings"])
    if told["columns_not_read"]:
        unread = ", ".join(map(unquoted, told["columns_not_read"]))
        yield f"note: columns that were not read: {unread}"
    if told["not_numbers"]:
        what = ", ".join(f"{name} {number:,}" for name, number in told["not_numbers"].items())
        yield f"note: left aside, because they are no ratings that count: {what}"
    yield (f"Next: nlgauge study analyse {folder}; nlgauge study statement {folder}")


ACTIONS = {
    "export": Part("write every judgement, or every judge, to a file", _EXPORT_OPTIONS, _export),
    "forget": Part("erase what identifies a judge", _FORGET_OPTIONS, _forget),
    "import": Part("read judgements back from a file, or those of a study run elsewhere", _IMPORT_OPTIONS, _import),
}
