"""`nlgauge study new`, `check`, `launch` and `schema`: from an idea to a study that waits for judges."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import Arg, Part
from nlgauge.cli.commands.study.shared import FOLDER, STUDY, database
from nlgauge.cli.common import Output, SchemaOutput, number, positive, seed
from nlgauge.errors import InputError, counted
from nlgauge.study.protocols import PROTOCOLS

if TYPE_CHECKING:
    from nlgauge.study.file.template import Made


_NEW_OPTIONS = (
    FOLDER,
    Arg(
        "--protocol NAME",
        f"kind of study: triangle (default), {', '.join(PROTOCOLS[1:-1])} or {PROTOCOLS[-1]}",
        default="triangle",
    ),
    Arg("--from DATA", "evaluation set with the texts", dest="data", required=True),
    inputs.column(),
    Arg("--systems A,B", "the authors, two in a triangle test: systems of the set, or references"),
    Arg("--task NAME", "all but triangle: the usual criteria of a task"),
    Arg("--criteria ID,ID", "all but triangle: these criteria of the catalogue"),
    Arg(
        "--design KIND",
        "all but triangle: who sees what; for one text at a time latin (Latin squares, default), williams, "
        "random, crossed or overlap; for several bibd (balanced incomplete blocks, default), crossed or overlap; "
        "pairwise: pairs (default) or one of these",
    ),
    Arg("--scheme NAME", "spans: the scheme of errors, mqm (default) or esa; elsewhere the same as --design"),
    Arg("--truth KEY", "classification: the key of the rows that holds the true class"),
    Arg("--goal GOAL", "triangle: difference (default) or similarity"),
    Arg("--alpha P", "triangle: α (default 0.05)", number),
    Arg("--beta P", "triangle: β (default 0.05)", number),
    Arg("--pd P", "triangle: p_d (default 0.3)", number),
    Arg(
        "--judges N",
        "number of judges (default: triangle, from which on every number keeps the risks; else as the protocol "
        "and its design need)",
        positive,
    ),
    Arg("--languages XX,XX", "languages of the pages (default en)", default="en"),
    Arg("--access", "how judges come", ("links", "open", "platform"), "links"),
    Arg("--title TEXT", "what judges see above everything", default=""),
    Arg("--seed N", "seed (default: drawn)", seed),
)


def _new(arguments: argparse.Namespace) -> int:
    from nlgauge import studies
    from nlgauge.study.designs import DESIGNS

    design, scheme = arguments.design, arguments.scheme
    if scheme in DESIGNS and design is not None and arguments.protocol != "triangle":
        raise InputError(
            f"--scheme {scheme} and --design {design} both name a design of the study: give one of the two"
        )
    if design is None and arguments.protocol != "triangle" and (arguments.protocol != "spans" or scheme in DESIGNS):
        design, scheme = scheme, None  # papers call a design a scheme, too
    made = studies.new(
        arguments.folder,
        arguments.data,
        p_d=arguments.pd,
        design=design,
        scheme=scheme,
        criteria=tuple(arguments.criteria.split(",")) if arguments.criteria else None,
        systems=tuple(arguments.systems.split(",")) if arguments.systems else (),
        languages=tuple(arguments.languages.split(",")),
        columns=inputs.columns(arguments) or None,
        **common.given(
            arguments, ("protocol", "goal", "alpha", "beta", "truth", "task", "judges", "access", "title", "seed")
        ),
    )
    return tell_made(arguments, made, arguments.folder)


def tell_made(arguments: argparse.Namespace, made: Made, folder: str) -> int:
    """Print what a new study folder holds, and what to do next."""
    notes = [f"note: {note}" for note in made.notes]
    following = f"Edit the file, then: nlgauge study check {folder}"
    return common.tell(arguments, made.to_dict(), f"{made.path}: {made.sentence}.", *notes, following)


_CHECK_OPTIONS = (
    FOLDER,
    Arg("--no-simulation", "leave the simulated run out"),
    Arg("--no-calls", "do not try the systems of a chat study"),
)


def _check(arguments: argparse.Namespace) -> int:
    from nlgauge import studies

    found = studies.check(arguments.folder, simulate=not arguments.no_simulation, call=not arguments.no_calls)
    code = 2 if found.errors else 0
    if arguments.json:
        common.print_json(found.to_dict())
        return code
    for finding in found:
        print(finding)
    print()
    if code:
        weigh = f", {found.risks} to weigh so far" if found.risks else ""
        print(f"{found.errors} to mend before launch{weigh}; risks are looked for once the errors are mended.")
    elif found.launched:
        changed = "; study.yaml or the data were changed since then" if found.changed else ""
        print(
            f"The study is launched and frozen (SHA-256 {found.launched[:16]}…){changed}. "
            f"Next: nlgauge study serve {arguments.folder}"
        )
    else:
        print(f"Nothing forbids a launch; {found.risks} to weigh. Next: nlgauge study launch {arguments.folder}")
    return code


_LAUNCH_OPTIONS = (*STUDY, Arg("--fresh", "set an earlier launch aside (its files are renamed) and start anew"))


def _launch(arguments: argparse.Namespace) -> int:
    from nlgauge.study.file import study as design
    from nlgauge.study.protocols import protocol_of
    from nlgauge.study.protocols.outputs.parts import plain_texts
    from nlgauge.study.service.launching import launch_whole

    study = design.load(arguments.folder)
    service, moved = launch_whole(study, arguments.folder, database(arguments), fresh=arguments.fresh)
    for path in moved:
        print(f"nlgauge: set aside as {path}", file=sys.stderr)
    kinds = protocol_of(study.protocol).kinds
    texts = len(plain_texts(service.frozen.served))
    evaluations = {name: [slot.role for slot in service.slots(name)] for name in study.panels}
    triads = {name: {kind: own.count(kind) for kind in kinds} for name, own in evaluations.items()}
    if arguments.json:
        told = {"study": service.id, "digest": service.frozen.digest, "texts": texts, "triads": triads}
        return common.tell(arguments, {**told, "links": len(service.arrivals.links())})
    from nlgauge.report.text import print_table

    print_table(
        ("panel", "evaluations", *kinds),
        [(name, f"{len(evaluations[name]):,}", *(f"{n:,}" for n in found.values())) for name, found in triads.items()],
    )
    print(
        f"\nLaunched as {service.id}: the design, {counted(texts, 'text')} and every assignment are fixed "
        f"in frozen.json (SHA-256 {service.frozen.digest[:16]}…)."
    )
    print(f"Next: nlgauge study serve {arguments.folder}, and nlgauge study links {arguments.folder}")
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    import orjson

    from nlgauge.io.outputs import SCHEMA
    from nlgauge.io.write import atomic_file
    from nlgauge.study.file.study import study_schema

    path = common.output(arguments.output)
    if path is None:
        common.print_json(study_schema())
        return 0
    with atomic_file(path, own=path.name == SCHEMA) as out:
        out.write(orjson.dumps(study_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    print(f"{path}: the JSON Schema of a study file.")
    return 0


_TRANSLATION_OPTIONS = (
    Arg("tag TAG", "the language to translate into: eu, pt-BR, fa …"),
    Arg("--from LANGUAGE", "language to translate from (default en)", default="en", dest="source"),
    Arg("-o --output FILE", "write it to a file", Output),
)


def _translation(arguments: argparse.Namespace) -> int:
    from nlgauge.io.write import atomic_file
    from nlgauge.study.file.translations import template

    path = common.output(arguments.output)
    text = template(arguments.tag, arguments.source)
    if path is not None and path.exists():
        raise InputError(f"{path} is there already; choose another name, so that nothing that was translated is lost")
    if arguments.json:
        common.print_json({"language": arguments.tag, "from": arguments.source, "template": text})
    elif path is None:
        print(text, end="")
    if path is not None:
        with atomic_file(path) as out:
            out.write(text.encode())
        if not arguments.json:
            print(f"{path}: fill it in, and write into study.yaml:  translations: {{{arguments.tag}: {path.name}}}")
    return 0


ACTIONS = {
    "new": Part("make a folder with a study file that works as it stands", _NEW_OPTIONS, _new),
    "check": Part("everything wrong or risky before launch, with figures", _CHECK_OPTIONS, _check),
    "launch": Part("freeze the design and deal out texts to judges to come", _LAUNCH_OPTIONS, _launch),
    "translation": Part("a file with the phrases of the pages, to be translated", _TRANSLATION_OPTIONS, _translation),
    "schema": Part(
        "the JSON Schema of a study file, for editors",
        (Arg("-o --output FILE", "write it to a file", SchemaOutput),),
        _schema,
    ),
}
