"""Have a machine compare or rate outputs without a study folder: verdicts, and a report card of the judge."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, LEVEL, SEED, TRIALS, Arg, Group
from nlgauge.cli.commands.study.judge import asking
from nlgauge.cli.common import Output, number, positive
from nlgauge.errors import InputError, counted
from nlgauge.learned.folder import COMPARATOR

if TYPE_CHECKING:
    from nlgauge.judging.judge import Judged

EXAMPLES = """\
examples:
  nlgauge judge outputs.jsonl --judge metric --metric chrf -o games.jsonl         then: nlgauge rate games.jsonl
  nlgauge judge judged.jsonl --judge metric --metric chrf --human quality --margin learn
  nlgauge judge outputs.jsonl --judge comparator --model letters --budget 2000
  nlgauge judge pairs.jsonl --judge openai --url http://127.0.0.1:8080/v1 --model tiny --samples 3 \\
      --price-in 0.5 --price-out 1.5
  nlgauge judge outputs.jsonl --judge openai --url … --model tiny --schedule information-gain --budget 500
  nlgauge judge outputs.jsonl --judge comparator --model letters --rate samples -o rated.jsonl
  nlgauge judge outputs.jsonl --judge openai --url … --model tiny --rate samples --comparisons 4
  nlgauge judge outputs.jsonl --judge openai --url … --model tiny --rubric rubric.txt -o rated.jsonl
  nlgauge judge outputs.jsonl --judge command --command "python3 judge.py"
  nlgauge judge outputs.jsonl --judge people --budget 300 -o study

DATA: an evaluation set with outputs of several systems, or pairwise rows. Answers of language models and programs are
kept in a file that only grows: an interrupted or repeated command pays for nothing twice."""

OF_MODELS = ("url", "key_env", "temperature", "prompt", "parameter", "concurrency", "retries", "price_in", "price_out")
HANDED_ON = (
    *("criterion", "question", "budget", "schedule", "orders", "samples"),
    *("human", "human_tie", "tie_rate", "own", "cache", "level", "trials", "seed"),
    *("rate", "plays", "references", "comparisons", "across"),
)
QUALITY = "overall-quality"
KINDS = ("comparator", "metric", "openai", "command", "people")


ARGUMENTS = (
    Arg("data DATA", "evaluation set with several systems, or pairwise rows"),
    Arg("--judge", "who judges", KINDS, required=True),
    inputs.column(),
    Arg("--metric SPEC", "metric: for example chrf or bleu(smooth=exp)"),
    Arg(
        "--model NAME",
        f"comparator: the folder that nlgauge train wrote (default: {COMPARATOR}, which comes with nlgauge); "
        "openai: the model's name",
    ),
    Arg("--command LINE", "command: reads pairs, writes answers as JSON lines"),
    Arg("--criterion ID", "what is asked, by the catalogue of criteria (default overall-quality)", default=QUALITY),
    Arg("--question TEXT", "what is asked, in your own words", default=""),
    Group(
        "which pairs",
        (
            Arg("--budget N", "at most N games", positive),
            Arg(
                "--schedule",
                "all pairs of systems for each item, shuffled (default); or one game after the other until the order "
                "of systems is certain (glicko2-zhou: as Zhou and Xu do, until it stands)",
                ("all", "random", "round-robin", "information-gain", "least-certain", "glicko2-zhou"),
                "all",
            ),
            Arg(
                "--orders",
                "both orders where places may matter, joined into one verdict (default), or one by chance",
                ("both", "one"),
                "both",
            ),
            Arg("--samples K", "openai: answers to each order (default 1)", positive, 1),
        ),
    ),
    Group(
        "ties, people",
        (
            Arg("--margin X", "scores that differ by no more are a tie; learn: from human verdicts"),
            Arg("--tie-rate P", "instead: the band with such a share of ties, 0 to 1", number),
            Arg("--human NAME", "the criterion that people rated, for the report card"),
            Arg("--human-tie X", "ratings of a judge that differ by no more are a tie (default 0)", number, 0.0),
            Arg("--own SYSTEM", "the judge's own system, for its self-preference"),
        ),
    ),
    asking("with {questions} and {texts}"),
    Group(
        "language models: rubric, cost, answers kept",
        (
            Arg("--rubric FILE", "rate each output alone, from 1 to 5, against this rubric"),
            Arg("--price-in X", "price of a million tokens sent", number),
            Arg("--price-out X", "price of a million tokens received", number),
            Arg("--cache FILE", "where answers are kept (default: in the user's cache folder)"),
        ),
    ),
    Group(
        "ratings",
        (
            Arg(
                "--rate",
                "also rate the systems from the verdicts, by Bradley and Terry's model; or rate each output, as Zhou "
                "and Xu (2020) do, with games drawn for it",
                ("systems", "samples"),
            ),
            Arg("--plays N", "samples: games, each output a player (default 10000)", positive),
            Arg(
                "--references N",
                "samples: instead, 3, 1 or 0 points against N common references, drawn from the outputs (the paper: "
                "50)",
                positive,
            ),
            Arg(
                "--comparisons K",
                "samples: instead, a score from 1 to 5 from K comparisons with others (the paper: 4)",
                positive,
            ),
            Arg(
                "--across",
                "samples: outputs of different items meet too, each with its own input (as references always do)",
            ),
        ),
    ),
    LEVEL,
    TRIALS,
    SEED,
    Arg(
        "-o --output FILE",
        "write the games for nlgauge rate, the rated outputs, or (people) the folder of the study",
        Output,
    ),
    JSON,
)


def run(arguments: argparse.Namespace) -> int:
    """Judge and print."""
    _check(arguments)
    if arguments.judge == "people":
        return _people(arguments)
    if arguments.rubric is not None:
        return _rubric(arguments)
    from nlgauge.cli.commands.study.judge import shown_progress
    from nlgauge.io import write_jsonl
    from nlgauge.judging.judge import judge

    output = common.output_file(arguments.output)
    with shown_progress(quiet=arguments.json, what="answers") as progress:
        judged = judge(
            arguments.data,
            _judge(arguments),
            **common.given(arguments, HANDED_ON),
            **_asked(arguments),
            margin=_margin(arguments.margin),
            progress=progress,
        )
    written = judged.games if judged.sample_ratings is None else judged.sample_ratings.rows
    if output is not None and written:
        write_jsonl(written, output)
    return common.show(arguments, judged, lambda found: _print(found, arguments.output))


def _check(arguments: argparse.Namespace) -> None:
    """Options of other judges are refused, not ignored."""
    kind = arguments.judge
    owners = {"metric": ("metric",), "command": ("command",), "model": ("comparator", "openai")}
    owners |= dict.fromkeys(OF_MODELS, ("openai",))
    owners |= {
        "margin": ("metric", "command"),
        "tie_rate": ("metric", "command"),
        "rubric": ("openai", "command"),
        "timeout": ("openai", "command"),
    }
    for option, kinds in owners.items():
        if getattr(arguments, option) is not None and kind not in kinds:
            raise InputError(f"--{option.replace('_', '-')} is for --judge {' or '.join(kinds)}")
    needed = {"metric": ("metric",), "command": ("command",), "openai": ("url", "model")}
    missing = [option for option in needed.get(kind, ()) if not getattr(arguments, option)]
    if missing:
        raise InputError(f"--judge {kind} needs {' and '.join(f'--{option}' for option in missing)}")
    pairs = arguments.rate or arguments.schedule != "all" or arguments.margin or arguments.tie_rate is not None
    compared = arguments.question or arguments.criterion != QUALITY or arguments.orders != "both"
    if arguments.rubric is not None and (pairs or compared):
        raise InputError(
            "--rubric rates single outputs by what the file says: leave --rate, --schedule, --margin, --tie-rate, "
            "--criterion, --question and --orders out"
        )
    given = [name for name in ("plays", "references", "comparisons", "across") if getattr(arguments, name)]
    if given and arguments.rate != "samples":
        raise InputError(f"--{given[0]} is for --rate samples, which rates single outputs")
    if kind == "people":
        _check_people(arguments)


def _check_people(arguments: argparse.Namespace) -> None:
    """A study has its own file for what else is asked and how."""
    if arguments.output is None:
        raise InputError("--judge people writes a study: name its folder with -o")
    usual = {"schedule": "all", "orders": "both", "samples": 1, "question": "", "human_tie": 0.0}
    usual |= dict.fromkeys(("rate", "human", "own", "cache"))
    for option, value in usual.items():
        if getattr(arguments, option) != value:
            raise InputError(
                f"--judge people writes a study with every pair of its items: leave --{option.replace('_', '-')} out, "
                "and edit the study file"
            )


def _judge(arguments: argparse.Namespace) -> Any:
    from nlgauge.cli.commands.study.judge import parameters_of, words_of
    from nlgauge.study.protocols.outputs.judge import LanguageModel, Measure, Program, TrainedComparator

    if arguments.judge == "metric":
        return Measure(metric=arguments.metric)
    if arguments.judge == "command":
        return Program(command=words_of(arguments.command))
    if arguments.judge == "comparator":
        return TrainedComparator(model=arguments.model or COMPARATOR)
    given = parameters_of(arguments)
    return LanguageModel(
        model=arguments.model,
        temperature=given.pop("temperature", None),
        seed=given.pop("seed", None),
        max_tokens=given.pop("max_tokens", 0),
        parameters={name: json.dumps(value) for name, value in given.items()},
    )


def _margin(given: str | None) -> Any:
    if given is None or given == "learn":
        return given
    try:
        margin = float(given)
    except ValueError:
        raise InputError(f"--margin must be a number or learn, not {given!r}") from None
    if not margin >= 0:
        raise InputError(f"--margin must be 0 or more, not {given}")
    return margin


def _asked(arguments: argparse.Namespace) -> dict[str, Any]:
    """How a machine is reached and paid, and what the columns are called."""
    from nlgauge.cli.commands.study.judge import reached_by
    from nlgauge.judging.judge import Prices, Reached

    asked = (arguments.price_in, arguments.price_out)
    if any(price is not None and not price >= 0 for price in asked):
        raise InputError("--price-in and --price-out must be 0 or more")
    prices = None if asked == (None, None) else Prices(*(price or 0.0 for price in asked))
    columns = inputs.columns(arguments) or None
    return {"prices": prices, "reached": Reached(**reached_by(arguments)), "columns": columns}


def _people(arguments: argparse.Namespace) -> int:
    from nlgauge.cli.commands.study.make import tell_made
    from nlgauge.judging.settings import study_of

    made = study_of(
        arguments.data,
        arguments.output,
        columns=inputs.columns(arguments) or None,
        **common.given(arguments, ("criterion", "budget", "seed")),
    )
    return tell_made(arguments, made, arguments.output)


def _rubric(arguments: argparse.Namespace) -> int:
    from nlgauge.cli.commands.study.judge import shown_progress
    from nlgauge.io import write_jsonl
    from nlgauge.io.files import decode, readable
    from nlgauge.judging.rating import rate_by_rubric
    from nlgauge.report.judging_text import CARD, rating_card_rows, spent_lines
    from nlgauge.report.text import print_lines, print_table

    output = common.output_file(arguments.output)
    with readable(Path(arguments.rubric)):
        rubric = decode(Path(arguments.rubric).read_bytes(), arguments.rubric, 1)
    with shown_progress(quiet=arguments.json, what="answers") as progress:
        rated = rate_by_rubric(
            arguments.data,
            _judge(arguments),
            rubric,
            **common.given(arguments, ("budget", "samples", "human", "human_tie", "own", "cache")),
            **common.given(arguments, ("level", "trials", "seed")),
            **_asked(arguments),
            progress=progress,
        )
    if output is not None and rated.rows:
        write_jsonl(rated.rows, output)
    if arguments.json:
        common.print_json(rated.to_dict())
        return 0
    print_lines([f"{rated.judge}: {rated.card.rated:,} of {rated.card.outputs:,} outputs rated"])
    if rated.card.rated:
        print_table(CARD, list(rating_card_rows(rated.card)), prose=True)
        print_lines([""])
        means = sorted(rated.means.items(), key=lambda mean: -mean[1])
        print_table(("system", "mean rating"), [(system, f"{mean:.2f}") for system, mean in means], right=(1,))
    told = spent_lines(rated.spent, rated.left, what=("outputs", "output"), cost=rated.cost)
    print_lines(["", *told, rated.receipt])
    if arguments.output:
        print_lines([f"Next: nlgauge compare {arguments.output} --human rubric"])
    return 0


def _print(judged: Judged, written: str | None) -> None:
    from nlgauge.report.judging_text import CARD, RATES, card_rows, judged_lines, rate_rows, sample_lines
    from nlgauge.report.text import print_lines, print_table

    card = judged.card
    matches = counted(card.matches, "match", "matches")
    print_lines([f"{judged.judge}: {card.judged:,} of {matches} judged, {len(judged.systems)} systems"])
    if card.judged:
        print_table(CARD, list(card_rows(card)), prose=True)
    rates = list(rate_rows(judged))
    if rates:
        print_lines(["", "win rates as people see them, from the items that they judged and the machine on all:"])
        print_table(RATES, rates, right=range(1, len(RATES)))
    if judged.ratings is not None:
        print_lines([""])
        headers, rows = judged.ratings.cells()
        print_table(headers, rows, right=(0, 2, 3, 4, 5, 6, 7, 8), keys=2)
        print_lines(judged.ratings.footer())
    samples = judged.sample_ratings
    if samples is not None:
        print_lines([""])
        digits = 0 if samples.name == "skill" else 2
        means = [(system, f"{mean:.{digits}f}") for system, mean in samples.means.items()]
        print_table(("system", f"mean {samples.name}"), means, right=(1,))
        print_lines(["", *sample_lines(samples)])
    print_lines([*judged_lines(judged), judged.receipt])
    if written:
        following = f"rate {written}" if samples is None else f"compare {written} --human {samples.name}"
        print_lines([f"Next: nlgauge {following}"])
