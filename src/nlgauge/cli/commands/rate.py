"""Rank systems from pairwise preferences: ratings with intervals, ranks with intervals, and who beats whom."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs, output
from nlgauge.cli.arguments import JSON, LEVEL, SEED, TRIALS, Arg, Group, html
from nlgauge.cli.common import positive
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.stats.skill import Ratings

EXAMPLES = """\
examples:
  nlgauge rate games.jsonl                                         Bradley–Terry, Davidson's ties, sandwich intervals
  nlgauge rate pairs.jsonl --order common                          … with an advantage of being shown first
  nlgauge rate games.csv --ties half --interval bootstrap --scale elo
  nlgauge rate games.jsonl --method glicko2-zhou --seed 7          Zhou and Xu (2020): draw games until the order stands
  nlgauge rate games.jsonl --schedule least-certain                how many of these games would have been enough
  nlgauge rate games.jsonl --outputs --json                        a rating of each output, and their means
  nlgauge rate games.jsonl --method trueskill --json
  nlgauge rate games.jsonl --matrix --next 5                       who beats whom; which pairs to judge next
  nlgauge rate study.jsonl --criterion fluency --criterion clarity   a study's export (--long): one table for each
  nlgauge rate study.jsonl --criterion fluency --ties rao-kupper --interval two-way   … by the model of study analyse

GAMES: rows {"a", "b", "outcome": "a"/"b"/"tie"} with item, judge and numbers x_… where known, or pairwise rows with
system_a, system_b and ratings.preference; .jsonl, .csv, .tsv, .parquet (.gz, .zst). Of a study's export (--long) the
rows count that `study analyse` counts; practice, checks, repeats and judges left out are set aside and told."""

SCHEDULES = ("least-certain", "information-gain", "round-robin", "random")
ZHOU = "glicko2-zhou"
METHODS = ("bradley-terry", "glicko2", ZHOU, "trueskill", "elo")
# Options that only some methods take, with their names in Python.
OWN = {
    "ties": ("bradley-terry",),
    "order": ("bradley-terry",),
    "covariates": ("bradley-terry",),
    "ridge": ("bradley-terry",),
    "firth": ("bradley-terry",),
    "scale": ("bradley-terry",),
    "period": ("glicko2",),
    "ratio": ("glicko2-zhou",),
    "needed": ("glicko2-zhou",),
    "tau": ("glicko2", "trueskill"),
    "draw_probability": ("trueskill",),
    "k": ("elo",),
    "shuffle": ("glicko2", "trueskill", "elo"),
    "allow_parts": ("glicko2", "glicko2-zhou", "trueskill", "elo"),
}


ARGUMENTS = (
    Arg("games GAMES", "the games, or pairwise rows"),
    Arg("--method", "rating method (default bradley-terry; with --schedule trueskill without drift)", METHODS),
    Arg(
        "--criterion NAME",
        "which question, where the rows of a study have several (repeatable: one table for each)",
        many=True,
    ),
    Arg("--panel NAME", "which panel, where the rows have several"),
    inputs.column("a=model_a"),
    Arg(
        "--interval",
        "how limits are found (default: sandwich over items for bradley-terry, bootstrap for elo, else "
        "deviation); two-way: sandwich over judges and items, as study analyse has it",
        ("sandwich", "two-way", "information", "deviation", "bootstrap"),
    ),
    LEVEL,
    TRIALS,
    Arg(
        "--outputs",
        "rate each output (item and system) by itself, as Zhou and Xu do: 10,000 plays drawn from the games",
    ),
    Arg("--plays N", "plays of --outputs (default 10000)", positive),
    Group(
        "drawing games until the order is certain",
        (
            Arg(
                "--schedule",
                "draw recorded games, each once, as if they were being judged one by one, and rate those drawn: the "
                "neighbours in the order who are least certainly apart, the pair whose game would tell most, or any "
                "(glicko2-zhou: the same as --method glicko2-zhou)",
                (*SCHEDULES, ZHOU),
            ),
            Arg("--certainty P", "stop when the whole order is so certain (default 0.95); with --schedule", float),
            Arg("--max-games N", "cap on the games drawn by --schedule or glicko2-zhou (default 100000)", positive),
        ),
    ),
    Group(
        "bradley-terry",
        (
            Arg("--ties", "ties (default davidson)", ("davidson", "rao-kupper", "half", "drop")),
            Arg("--order", "advantage of the first shown: none, one, or one a judge", ("none", "common", "judge")),
            Arg("--covariates", "use the numbers x_… of the games"),
            Arg("--ridge R", "normal prior on log strengths with variance 1/R (default none)", float),
            Arg("--firth", "Jeffreys' prior (Firth's bias correction)"),
            Arg("--scale", "log odds about 0 (default), or Elo's about 1000", ("log", "elo")),
        ),
    ),
    Group(
        "glicko2, glicko2-zhou, trueskill, elo",
        (
            Arg("--period N", "games in a rating period of glicko2", positive),
            Arg("--ratio R", "draw ratio of glicko2-zhou (default 0.1)", float),
            Arg("--needed N", "games of each player without a change of order (default 50)", positive),
            Arg("--tau T", "tau of glicko2 (0.5) or of trueskill (25/300)", float),
            Arg("--draw-probability P", "of trueskill (default 0.1)", float),
            Arg("-k K", "step of elo (default 4)", float),
            Arg("--shuffle", "take the games in random order"),
            Arg("--allow-parts", "rate players even if some never meet the others"),
        ),
    ),
    Arg("--matrix", "also print who beats whom"),
    Arg("--next N", "also name the N pairs whose next game would tell most", positive),
    SEED,
    JSON,
    *output.PRINTED,
    html("also write a leaderboard: intervals, who beats whom, ratings over the games, example games"),
    output.FIGURES,
)


def run(arguments: argparse.Namespace) -> int:
    """Rate and print."""
    from nlgauge.skill import rate

    if arguments.outputs:
        return _outputs(arguments)
    if arguments.plays is not None:
        raise InputError("--plays is for --outputs, which draws so many games")
    out = output.Shown.of(arguments)
    options = common.given(arguments, ("level", "trials", "seed"))
    if arguments.schedule == ZHOU:  # as nlgauge judge calls it
        if arguments.method not in (None, ZHOU):
            raise InputError(f"the schedule {ZHOU} rates by Glicko-2: leave --method out")
        arguments.method, arguments.schedule = ZHOU, None
    method = arguments.method or ("bradley-terry" if arguments.schedule is None else "trueskill")
    drawing = common.given(arguments, ("interval", "schedule", "certainty", "max_games"))
    options |= {name: value for name, value in drawing.items() if value is not None}
    if arguments.certainty is not None and arguments.schedule is None:
        raise InputError("--certainty is for --schedule, which draws games until the order is so certain")
    if arguments.max_games is not None and arguments.schedule is None and method != "glicko2-zhou":
        raise InputError("--max-games is for --schedule and for glicko2-zhou, which draw games")
    for name, methods in OWN.items():
        value = getattr(arguments, name)
        if value is None or value is False:
            continue
        if method not in methods:
            flag = "-k" if name == "k" else f"--{name.replace('_', '-')}"
            raise InputError(f"{flag} is for {' and '.join(methods)}, not for {method}")
        options[name] = value
    criteria: list[str | None] = list(dict.fromkeys(arguments.criterion or [None]))
    options |= {"panel": arguments.panel, "columns": inputs.columns(arguments)}
    results = [rate(arguments.games, method, criterion=criterion, **options) for criterion in criteria]
    from nlgauge.report.people import paper_figures, write_leaderboard
    from nlgauge.wording.paper import of_ratings

    receipts = [result.receipt for result in results]
    rated = {criterion or "": result for criterion, result in zip(criteria, results, strict=True)}
    unit = {"elo": " (Elo's scale)"}.get(arguments.scale, " (log odds)")
    axis = f"rating by {method}{unit if method == 'bradley-terry' else ''}"
    out.save_figures(lambda: paper_figures(of_ratings(rated), axis))
    if out.page is not None:
        write_leaderboard(rated, out.page, origin=arguments.games, axis=axis)
    if arguments.json:
        out.save(receipts)
        found = [_object(result, criterion, arguments) for result, criterion in zip(results, criteria, strict=True)]
        common.print_json(found[0] if len(found) == 1 else {"criteria": found})
        return 0
    out.show(receipts, lambda own: _print_all(rated, arguments, own), lambda: of_ratings(rated))
    return 0


def _outputs(arguments: argparse.Namespace) -> int:
    """Single outputs as players."""
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.skill import rate_outputs

    other = ("method", "schedule", "interval", "matrix", "next", "html", "figures", *OWN)
    if refused := [name for name in other if getattr(arguments, name)]:
        raise InputError(f"--{refused[0].replace('_', '-')} rates systems and does not go with --outputs")
    if len(arguments.criterion or ()) > 1:
        raise InputError("--outputs takes one --criterion")
    found = rate_outputs(
        arguments.games,
        criterion=(arguments.criterion or [None])[0],
        columns=inputs.columns(arguments),
        **common.given(arguments, ("panel", "level", "seed")),
        **({} if arguments.plays is None else {"plays": arguments.plays}),
    )
    if arguments.json:
        common.print_json(found.to_dict())
        return 0
    print_table(("system", "mean rating"), [(name, f"{mean:.0f}") for name, mean in found.means.items()], right=(1,))
    told = f"{found.found.method}; {len(found.found.games):,} games of {len(found.outputs):,} outputs drawn from"
    notes = [f"note: {note}" for note in found.found.notes]
    print_lines(["", f"{told} {found.recorded:,} recorded; --json has the rating of each output.", *notes])
    return 0


def _print_all(rated: Mapping[str, Ratings], arguments: argparse.Namespace, receipts: bool) -> None:
    for number, (criterion, result) in enumerate(rated.items()):
        if len(rated) > 1:
            print(f"{chr(10) * bool(number)}{criterion}\n")
        _print(result if receipts else replace(result, receipt=""), arguments.matrix)
        _print_next(result, arguments.next)


def _object(result: Ratings, criterion: str | None, arguments: argparse.Namespace) -> dict[str, Any]:
    """The ratings for --json, of a criterion where one was chosen."""
    found = result.to_dict()
    if criterion is not None:
        found["criterion"] = criterion
    if arguments.next:
        following = result.next_pairs(arguments.next)
        found["next"] = [{"a": a, "b": b, "bits": bits} for a, b, bits in following]
    return found


def _print_next(result: Ratings, number: int | None) -> None:
    following = result.next_pairs(number) if number else []
    if following:
        from nlgauge.report.text import print_lines

        told = "; ".join(f"{a} against {b} ({bits:.3f} bits)" for a, b, bits in following)
        print_lines([f"next: {told}"])


def _print(result: Ratings, matrix: bool) -> None:
    from nlgauge.report.text import print_lines, print_table

    headers, rows = result.cells()
    print_table(headers, rows, right=(0, 2, 3, 4, 5, 6, 7, 8), keys=2)
    if matrix:
        what = "share of points of the row's player against the column's, and in brackets what the ratings expect:"
        print_lines(["", what])
        headers, rows = result.matrix_cells()
        print_table(headers, rows, right=range(1, len(headers)))
    print_lines(result.footer())
