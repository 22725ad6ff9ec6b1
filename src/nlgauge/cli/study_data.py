"""`nlgauge study links`, `simulate` and `export`: judges and their answers."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.study_make import add_base, add_database, add_folder, open_service
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from nlgauge.cli.study_ import Action
    from nlgauge.study.protocols.base import Crowd
    from nlgauge.study.service import Service
    from nlgauge.study.simulation import Outcome
    from nlgauge.web.rehearsal import Traffic


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
        service.more_links(arguments.panel, arguments.more)
    found = [
        {
            "address": arguments.base.rstrip("/") + link.path,
            "panel": link.panel,
            "kind": link.kind,
            "used": link.judge is not None,
        }
        for link in service.links(arguments.panel)
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


def _simulate_options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    parser.add_argument("--judges", type=common.positive, metavar="N", help="judges who finish (default: as planned)")
    parser.add_argument(
        "--pd",
        type=common.number,
        metavar="P",
        help="triangle: share of judges who perceive the difference (default: 0 for similarity, else the plan's p_d)",
    )
    parser.add_argument("--dropouts", type=common.number, default=0.0, metavar="P", help="share who leave in between")
    parser.add_argument("--speeders", type=common.number, default=0.0, metavar="P", help="share who guess at once")
    parser.add_argument(
        "--spammers",
        type=common.number,
        metavar="P",
        help="ratings: share who answer without reading, half of them one number throughout (default 0)",
    )
    parser.add_argument(
        "--cannot-judge",
        type=common.number,
        metavar="P",
        help="share of answers that are “I cannot judge this”, where the study offers it (default 0)",
    )
    parser.add_argument(
        "--damage",
        type=common.number,
        metavar="S",
        help="ratings: how much lower damaged copies are seen, as a share of the scale (default 0.3)",
    )
    parser.add_argument(
        "--gamma",
        type=common.number,
        metavar="G",
        help="triangle: how much judges differ, 0 to 0.95 (default 0)",
    )
    parser.add_argument(
        "--mean",
        action="append",
        metavar="SYSTEM=SHARE",
        help="ratings: a system's true mean as a share of the scale, 0 to 1 (default: spread from 0.35 to 0.75); "
        "task, classification: its share of right answers; "
        "magnitudes: its ratio to the standard (default: spread from 0.7 to 1.4)",
    )
    parser.add_argument(
        "--strength",
        action="append",
        metavar="SYSTEM=LOGITS",
        help="comparisons: a system's true strength in logits (default: spread from -0.5 to 0.5)",
    )
    parser.add_argument(
        "--tie-width",
        type=common.number,
        metavar="W",
        help="comparisons: logits below which two texts are a tie (default 0.3)",
    )
    parser.add_argument(
        "--rate",
        action="append",
        metavar="SYSTEM=RATE",
        help="post-edit: the share of a system's words that are edited (default: spread from 0.05 to 0.3); spans: its "
        "errors in a hundred words (default: spread from 2 to 12)",
    )
    parser.add_argument(
        "--wording-effect",
        action="append",
        metavar="NAME[/SYSTEM]=SIZE",
        help="where judges are dealt wordings: by how much one makes them see all systems, or one system, better: "
        "ratings in shares of the scale, comparisons in logits, magnitudes in natural logarithms (default 0)",
    )
    parser.add_argument(
        "--judge-sd",
        type=common.number,
        metavar="S",
        help="how much judges differ: ratings in shares of the scale (default 0.1), comparisons in logits (default 0), "
        "magnitudes in natural logarithms (default 0.2)",
    )
    parser.add_argument(
        "--item-sd", type=common.number, metavar="S", help="the same for items (default 0.05, 0 and 0.1)"
    )
    parser.add_argument(
        "--noise",
        type=common.number,
        metavar="S",
        help="ratings, magnitudes: how much single answers vary (default 0.15, and 0.25)",
    )
    parser.add_argument("--scratch", action="store_true", help="in memory: leaves no trace, and needs no launch")
    parser.add_argument(
        "--http",
        action="store_true",
        help="through the pages of the real site, which is started for the purpose; judges answer at once",
    )
    parser.add_argument("--url", metavar="URL", help="with --http: a site that runs already, served with --rehearsal")
    parser.add_argument(
        "--at-once",
        type=common.positive,
        default=20,
        metavar="N",
        help="with --http: judges at the same time (default 20)",
    )
    parser.add_argument(
        "--seconds",
        type=common.number,
        default=0.0,
        metavar="S",
        help="with --http: median time for an answer (default 0)",
    )
    common.add_seed(parser, "seed of the judges")


def _simulate(arguments: argparse.Namespace) -> int:
    from nlgauge.study.file import study as design
    from nlgauge.study.launch.frozen import freeze
    from nlgauge.study.protocols import protocol_of
    from nlgauge.study.simulation import numbered, rehearse, simulate

    study = design.load(arguments.folder)
    protocol = protocol_of(study.protocol)
    crowd = protocol.crowd(study, _crowd_options(arguments))
    if arguments.http:
        outcome, traffic = _through_the_site(arguments, crowd)
    elif arguments.url:
        raise InputError("--url names a site: add --http to send the judges there")
    elif arguments.scratch:
        frozen = freeze(study, arguments.folder)
        _, outcome = rehearse(frozen, crowd, seed=arguments.seed, judges=arguments.judges)
    else:
        service = open_service(arguments, simulated=True)
        _refuse_in_use(arguments.folder, service)
        service.generator = numbered(arguments.seed, after=len(service.judges()))
        outcome = simulate(service, crowd, seed=arguments.seed, judges=arguments.judges)
    if not arguments.scratch:
        print(
            f"note: {arguments.folder} now holds simulated answers, and real judges are turned away; for them launch "
            f"it afresh (nlgauge study launch {arguments.folder} --fresh). --scratch rehearses and leaves no trace.",
            file=sys.stderr,
        )
    if arguments.json:
        site = {"site": traffic.to_dict()} if arguments.http else {}
        common.print_json({**crowd.to_dict(), "simulated": True, **outcome.to_dict(), **site})
        return 0
    from nlgauge.report.text import print_table

    print_table(*protocol.table(outcome.panels))
    said = protocol.remark(crowd)
    print(f"\n{outcome}" + (f" {said}" if outcome.came and said else ""))
    if arguments.http and traffic.answers:
        print(f"\n{traffic}")
    return 0


def _refuse_in_use(folder: str, service: Service, *, beside: bool = False) -> None:
    """Not into a study that takes no judges, nor, unless `beside` a server for it, into one that people are sent to."""
    from nlgauge.study.launch import in_use

    if service.status != "open":
        after = "reopen" if service.status == "closed" else "resume"
        raise InputError(
            f"{folder} is {service.status} and takes no judges, not even simulated ones: nlgauge study {after} "
            f"{folder}, or rehearse a copy of it with --scratch"
        )
    if not beside and not service.progress()["simulated"] and in_use.is_served(folder):
        raise InputError(
            f"{folder} is being served, and simulated judges would take the places of people: rehearse a copy of it "
            "with --scratch, or stop the server"
        )


def _crowd_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the simulated judges are told to be like; None: as the protocol has it."""
    given: dict[str, Any] = {"p_d": arguments.pd, "spread": arguments.gamma}
    given |= {"judge_sd": arguments.judge_sd, "item_sd": arguments.item_sd, "noise": arguments.noise}
    given["means"] = _sizes(
        arguments.mean,
        "--mean",
        "a system and its share of the scale, or its ratio to the standard, as in tgen=0.6",
    )
    given["strengths"] = _sizes(arguments.strength, "--strength", "a system and its strength in logits, as in tgen=0.6")
    given["tie_width"] = arguments.tie_width
    given["rates"] = _sizes(arguments.rate, "--rate", "a system and its rate, as in tgen=0.6")
    given["wordings"] = _sizes(
        arguments.wording_effect,
        "--wording-effect",
        "a wording and the size of its effect, as in positive=0.1",
    )
    given |= {"spammers": arguments.spammers, "damage": arguments.damage}
    given["cannot_judge"] = arguments.cannot_judge
    given |= {"dropouts": arguments.dropouts, "speeders": arguments.speeders}
    return given | ({"seconds": arguments.seconds} if arguments.http else {})


def _sizes(given: Sequence[str] | None, option: str, what: str) -> dict[str, float] | None:
    """Numbers by name, each given once."""
    found: dict[str, float] = {}
    for written in given or ():
        name, _, value = written.rpartition("=")
        if name in found:
            raise InputError(f"{option} is given twice for {name!r}; give it once")
        try:
            found[name] = float(value)
        except ValueError:
            raise InputError(f"{option} {written!r}: write {what}") from None
    return None if given is None else found


def _through_the_site(arguments: argparse.Namespace, pool: Crowd) -> tuple[Outcome, Traffic]:
    """Over HTTP: to a site that runs, or to one that is started beside the study or beside a copy of it."""
    import os
    import tempfile

    from nlgauge.web import rehearsal

    options = {"seed": arguments.seed, "judges": arguments.judges, "at_once": arguments.at_once}
    if arguments.scratch:
        if arguments.url:
            raise InputError("--scratch makes a study of its own, which the site at --url does not serve")
        with tempfile.TemporaryDirectory(prefix="nlgauge-") as made:
            service = rehearsal.copied(arguments.folder, made)
            with rehearsal.site(made) as url:
                return rehearsal.rehearse(service, url, pool, **options)
    service = open_service(arguments, simulated=True)
    _refuse_in_use(arguments.folder, service, beside=bool(arguments.url))
    if arguments.url:
        return rehearsal.rehearse(service, arguments.url, pool, **options)
    with rehearsal.site(arguments.folder, arguments.db or os.environ.get("NLGAUGE_DB")) as url:
        return rehearsal.rehearse(service, url, pool, **options)


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
    from nlgauge.study.exchange import export
    from nlgauge.study.exchange import log as study_log

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
    if arguments.transcripts:
        rows = export.write_transcripts(service, path)
    elif arguments.set:
        rows = export.write_set(service, path)
    elif arguments.long:
        rows = export.write_long(service, path)
    else:
        rows = export.write(judgements, path, service.excluded())
    complete = service.note_export(judgements=written)
    events = None if log is None else study_log.write(service, log)
    done, planned = service.planned_answers()
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
    simulated = bool(service.progress()["simulated"])
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
    from nlgauge.study import people

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


ACTIONS: dict[str, Action] = {
    "links": ("the addresses to send to judges, one a line", _links_options, _links),
    "simulate": ("send simulated judges through the study", _simulate_options, _simulate),
    "export": ("write every judgement, or every judge, to a file", _export_options, _export),
}
