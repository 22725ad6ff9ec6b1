"""`nlgauge study simulate`: simulated judges go through the study."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg, Part, seeded
from nlgauge.cli.commands.study.shared import STUDY, database, open_service
from nlgauge.cli.common import number, positive
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.studies import Simulated
    from nlgauge.web.rehearsal import Traffic


_SIMULATE_OPTIONS = (
    *STUDY,
    Arg("--judges N", "judges who finish (default: as planned)", positive),
    Arg(
        "--pd P",
        "triangle: share of judges who perceive the difference (default: 0 for similarity, else the plan's p_d)",
        number,
    ),
    Arg("--dropouts P", "share who leave in between", number, 0.0),
    Arg("--speeders P", "share who guess at once", number, 0.0),
    Arg(
        "--spammers P",
        "ratings: share who answer without reading, half of them one number throughout (default 0)",
        number,
    ),
    Arg(
        "--cannot-judge P",
        "share of answers that are “I cannot judge this”, where the study offers it (default 0)",
        number,
    ),
    Arg("--damage S", "ratings: how much lower damaged copies are seen, as a share of the scale (default 0.3)", number),
    Arg("--gamma G", "triangle: how much judges differ, 0 to 0.95 (default 0)", number),
    Arg(
        "--mean SYSTEM=SHARE",
        "ratings: a system's true mean as a share of the scale, 0 to 1 (default: spread from 0.35 to 0.75); task,"
        " classification: its share of right answers; magnitudes: its ratio to the standard (default: spread from"
        " 0.7 to 1.4)",
        many=True,
    ),
    Arg(
        "--strength SYSTEM=LOGITS",
        "comparisons: a system's true strength in logits (default: spread from -0.5 to 0.5)",
        many=True,
    ),
    Arg("--tie-width W", "comparisons: logits below which two texts are a tie (default 0.3)", number),
    Arg(
        "--rate SYSTEM=RATE",
        "post-edit: the share of a system's words that are edited (default: spread from 0.05 to 0.3); spans: its "
        "errors in a hundred words (default: spread from 2 to 12)",
        many=True,
    ),
    Arg(
        "--wording-effect NAME[/SYSTEM]=SIZE",
        "where judges are dealt wordings: by how much one makes them see all systems, or one system, better: "
        "ratings in shares of the scale, comparisons in logits, magnitudes in natural logarithms (default 0)",
        many=True,
    ),
    Arg(
        "--judge-sd S",
        "how much judges differ: ratings in shares of the scale (default 0.1), comparisons in logits (default 0),"
        " magnitudes in natural logarithms (default 0.2)",
        number,
    ),
    Arg("--item-sd S", "the same for items (default 0.05, 0 and 0.1)", number),
    Arg("--noise S", "ratings, magnitudes: how much single answers vary (default 0.15, and 0.25)", number),
    Arg("--scratch", "in memory: leaves no trace, and needs no launch"),
    Arg("--http", "through the pages of the real site, which is started for the purpose; judges answer at once"),
    Arg("--url URL", "with --http: a site that runs already, served with --rehearsal"),
    Arg("--at-once N", "with --http: judges at the same time (default 20)", positive, 20),
    Arg("--seconds S", "with --http: median time for an answer (default 0)", number, 0.0),
    seeded("seed of the judges"),
)


def _simulate(arguments: argparse.Namespace) -> int:
    from nlgauge import studies
    from nlgauge.study.protocols import protocol_of

    crowd = _crowd_options(arguments)
    if arguments.http:
        found, traffic = _through_the_site(arguments, crowd)
    elif arguments.url:
        raise InputError("--url names a site: add --http to send the judges there")
    else:
        found = studies.simulate(
            arguments.folder, **common.given(arguments, ("judges", "seed", "scratch", "db")), **crowd
        )
    if not arguments.scratch:
        print(
            f"note: {arguments.folder} now holds simulated answers, and real judges are turned away; for them launch "
            f"it afresh (nlgauge study launch {arguments.folder} --fresh). --scratch rehearses and leaves no trace.",
            file=sys.stderr,
        )
    if arguments.json:
        site = {"site": traffic.to_dict()} if arguments.http else {}
        common.print_json({**found.to_dict(), **site})
        return 0
    from nlgauge.report.text import print_table

    print_table(*protocol_of(found.study.protocol).table(found.outcome.panels))
    print(f"\n{found}")
    if arguments.http and traffic.answers:
        print(f"\n{traffic}")
    return 0


def _crowd_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the simulated judges are told to be like; None: as the protocol has it."""
    given: dict[str, Any] = {"p_d": arguments.pd, "spread": arguments.gamma}
    given |= common.given(arguments, ("judge_sd", "item_sd", "noise", "tie_width"))
    given |= {key: _sizes(getattr(arguments, name), name, what) for key, (name, what) in _SIZES.items()}
    given |= common.given(arguments, ("spammers", "damage", "cannot_judge", "dropouts", "speeders"))
    return given | ({"seconds": arguments.seconds} if arguments.http else {})


_SIZES = {
    "means": ("mean", "a system and its share of the scale, or its ratio to the standard, as in tgen=0.6"),
    "strengths": ("strength", "a system and its strength in logits, as in tgen=0.6"),
    "rates": ("rate", "a system and its rate, as in tgen=0.6"),
    "wordings": ("wording_effect", "a wording and the size of its effect, as in positive=0.1"),
}


def _sizes(given: Sequence[str] | None, name: str, what: str) -> dict[str, float] | None:
    """Numbers by name, each given once."""
    found: dict[str, float] = {}
    option = f"--{name.replace('_', '-')}"
    for written in given or ():
        called, _, value = written.rpartition("=")
        if called in found:
            raise InputError(f"{option} is given twice for {called!r}; give it once")
        try:
            found[called] = float(value)
        except ValueError:
            raise InputError(f"{option} {written!r}: write {what}") from None
    return None if given is None else found


def _through_the_site(arguments: argparse.Namespace, crowd: dict[str, Any]) -> tuple[Simulated, Traffic]:
    """Over HTTP: to a site that runs, or to one that is started beside the study or beside a copy of it."""
    import tempfile

    from nlgauge import studies
    from nlgauge.study.protocols import protocol_of
    from nlgauge.web import rehearsal

    study = studies.load(arguments.folder)
    pool = protocol_of(study.protocol).crowd(study, crowd)
    options = {"seed": arguments.seed, "judges": arguments.judges, "at_once": arguments.at_once}
    if arguments.scratch:
        if arguments.url:
            raise InputError("--scratch makes a study of its own, which the site at --url does not serve")
        with tempfile.TemporaryDirectory(prefix="nlgauge-") as made:
            service = rehearsal.copied(arguments.folder, made)
            with rehearsal.site(made) as url:
                outcome, traffic = rehearsal.rehearse(service, url, pool, **options)
    else:
        service = open_service(arguments, simulated=True)
        studies.refuse_in_use(arguments.folder, service, beside=bool(arguments.url))
        started: AbstractContextManager[str] = nullcontext(arguments.url)
        if not arguments.url:
            started = rehearsal.site(arguments.folder, database(arguments))
        with started as url:
            outcome, traffic = rehearsal.rehearse(service, url, pool, **options)
    return studies.Simulated(study, pool, outcome), traffic


ACTIONS = {"simulate": Part("send simulated judges through the study", _SIMULATE_OPTIONS, _simulate)}
