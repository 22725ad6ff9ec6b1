"""`nlgauge study exclude`, `readmit`, `recheck`, `discuss`, `vet` and `record`: what is done about the judges' care."""

from __future__ import annotations

import argparse

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg, Part, seeded, to_write
from nlgauge.cli.commands.study.shared import DATABASE, FOLDER, JUDGE, JUDGE_IF_ANY, STUDY, open_service
from nlgauge.cli.common import Output, number, positive
from nlgauge.errors import InputError

_EXCLUDE_OPTIONS = (
    FOLDER,
    JUDGE_IF_ANY,
    DATABASE,
    Arg("--reason TEXT", "why: the analysis and the statement tell it"),
    Arg("--by-rule", "in place of JUDGE: all whom the study file's rule leaves out"),
)


def _exclude(arguments: argparse.Namespace) -> int:
    if bool(arguments.judge) == arguments.by_rule:
        raise InputError("name a judge and --reason, or --by-rule for all whom the study file's rule leaves out")
    service = open_service(arguments)
    if arguments.by_rule:
        if arguments.reason:
            raise InputError("--by-rule writes the failures as reasons itself; leave --reason out")
        found = service.quality.exclude_by_rule()
    else:
        judge = service.people.find_judge(arguments.judge)
        service.quality.exclude(judge, arguments.reason or "")
        found = {judge: arguments.reason.strip()}
    every = service.quality.excluded()
    lines = [f"{judge} is left out: {reason}." for judge, reason in found.items()]
    who = "1 judge is" if len(every) == 1 else f"{len(every):,} judges are"
    return common.tell(
        arguments,
        {"added": found, "excluded": every},
        *(lines or ["The rule leaves nobody else out."]),
        f"{who} left out in all; their answers stay stored, and the analysis shows the means with and without them.",
    )


def _readmit(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    judge = service.people.find_judge(arguments.judge)
    service.quality.readmit(judge, arguments.reason)
    told = {"readmitted": judge, "excluded": service.quality.excluded()}
    return common.tell(arguments, told, f"{judge} counts again; the log keeps both decisions.")


_RECHECK_OPTIONS = (
    FOLDER,
    Arg("into NEW", "the folder of the new study", Output),
    DATABASE,
    Arg("--sample P", "share of the items (default 0.1)", number, 0.1),
    Arg("--panel NAME", "who judges (default experts)", default="experts"),
    Arg("--judges N", "how many (default 2)", positive, 2),
    seeded("seed of the sample and of the new study"),
)


def _recheck(arguments: argparse.Namespace) -> int:
    from nlgauge.study.exchange.recheck import recheck

    service = open_service(arguments)
    options = common.given(arguments, ("sample", "panel", "judges", "seed"))
    made = recheck(service, arguments.folder, arguments.into, **options)
    return common.tell(
        arguments,
        {"file": str(made.path), "items": made.items, "outputs": made.outputs},
        f"{made.path}: {len(made.items):,} items with {made.outputs:,} outputs for {arguments.judges} judges of the "
        f"panel {arguments.panel}. Look at it, then: nlgauge study launch {arguments.into}, and compare with: nlgauge "
        f"study analyse {arguments.folder} --recheck {arguments.into}",
    )


_DISCUSS_OPTIONS = (
    *STUDY,
    Arg(
        "--least P",
        "outputs whose judges are so far apart on a question, as a share of its scale (default 0.5)",
        number,
        0.5,
    ),
    Arg("--most N", "at most so many, the farthest apart", positive),
    Arg("--comments", "also show the reasons that judges wrote"),
    Arg("--end", "end the round that is open"),
)


def _discuss(arguments: argparse.Namespace) -> int:
    service = open_service(arguments)
    if arguments.end:
        service.discussion.end()
        told = "The discussion has ended; both rounds are kept, and the analysis compares them."
        return common.tell(arguments, {"open": False}, told)
    if not 0 < arguments.least <= 1:
        raise InputError(f"--least is a share of the scale above 0 and up to 1, not {arguments.least:g}")
    gaps = service.protocol.disagreements(service.frozen, service.judgements())
    if not gaps:
        raise InputError(
            "no output has been rated by two judges yet, so there is nothing to discuss; wait for more answers"
        )
    far = sorted((name for name, gap in gaps.items() if gap >= arguments.least), key=lambda name: -gaps[name])
    chosen = far[: arguments.most or len(far)]
    if not chosen:
        raise InputError(
            f"no output has judges {arguments.least:g} of the scale apart (the widest gap is "
            f"{max(gaps.values()):.2g}); lower --least"
        )
    found = service.discussion.open(chosen, least=arguments.least, comments=arguments.comments)
    return common.tell(
        arguments,
        {"round": found.number, "texts": list(found.texts), "open": True},
        f"Round {found.number} is open: {len(found.texts):,} of {len(gaps):,} outputs with several judges are "
        "discussed. Judges see them under the links they have; end the round with --end.",
    )


_VET_OPTIONS = (
    *STUDY,
    Arg(
        "--record FILE",
        "a table with the columns id (of the recruiting platform), right and asked; study record writes one",
        required=True,
    ),
    Arg(
        "--least P",
        "share of right answers below which a person is sent back (default 0: the record only weights)",
        number,
        0.0,
    ),
    Arg("--unknown", "people without a record (default admit)", ("admit", "refuse"), "admit"),
)


def _vet(arguments: argparse.Namespace) -> int:
    from nlgauge.study.service.quality import read_record

    record = read_record(arguments.record)
    service = open_service(arguments)
    refused = service.quality.vet(record, least=arguments.least, unknown=arguments.unknown)
    new = "are let in" if arguments.unknown == "admit" else "are sent back"
    return common.tell(
        arguments,
        {"people": len(record), "refused": refused, "unknown": arguments.unknown},
        f"{len(record):,} people have a record; {refused:,} of them are sent back from now on, and people without one "
        f"{new}. The analysis weights judges by it. The log keeps ids as hashes only.",
    )


def _record(arguments: argparse.Namespace) -> int:
    from nlgauge.io.write import write_rows

    service = open_service(arguments)
    record = service.protocol.record(service.frozen, service.judgements())
    persons = service.people.persons()
    rows = [
        {"id": persons[judge], "right": right, "asked": asked}
        for judge, (right, asked) in record.items()
        if judge in persons
    ]
    if not rows:
        raise InputError(
            "no judge has both a platform's id and an answer with a known truth (attention checks, damaged copies)"
        )
    write_rows(rows, arguments.output, private=True)
    told = f"{arguments.output}: {len(rows):,} people. These are platform ids: keep the file apart."
    return common.tell(arguments, {"people": len(rows), "file": arguments.output}, told)


ACTIONS = {
    "exclude": Part("leave a judge out of the analysis, with a reason", _EXCLUDE_OPTIONS, _exclude),
    "readmit": Part(
        "let a judge in again who was left out",
        (FOLDER, JUDGE, DATABASE, Arg("--reason TEXT", "why", required=True)),
        _readmit,
    ),
    "recheck": Part("a study in which experts judge a sample of the items again", _RECHECK_OPTIONS, _recheck),
    "discuss": Part("a round in which judges see where they differ and judge again", _DISCUSS_OPTIONS, _discuss),
    "vet": Part("let judges in, and weight them, by their record in earlier studies", _VET_OPTIONS, _vet),
    "record": Part(
        "write the record of this study's judges by platform id", (*STUDY, to_write("a .csv or .jsonl file")), _record
    ),
}
