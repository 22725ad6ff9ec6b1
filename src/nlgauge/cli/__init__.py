"""The command line. Each command is one file with `ARGUMENTS` and `run(arguments)`; only the one that is
called is imported, so that `nlgauge --help` answers at once."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn, TextIO

from nlgauge import __version__
from nlgauge.cli.common import guarded
from nlgauge.errors import ColumnsRead, NlgaugeError, at_the_command_line, suggest

COMMANDS = {
    "score": "score the outputs of one or more systems",
    "compare": "say whether differences between systems are real",
    "meta": "say which metrics follow human judgement",
    "attack": "search for edits that raise a metric without making the output better by others",
    "tune": "fit the numeric fields of a metric to human judgements",
    "agree": "say whether judges agree",
    "judge": "have a metric, comparator, language model or program compare outputs, with a report card",
    "rate": "rank systems from pairwise preferences",
    "triangle": "plan and analyse triangle tests and other discrimination tests",
    "study": "run a study with human judges, from plan to answers",
    "review-questions": "find wording that steers the judges of a study, with neutral rewordings",
    "corpus": "describe corpora (predicates, templates, splits, noise, slot errors); check outputs by a grammar",
    "style": "style transfer between two sources: alignment, splits, classifiers, scores",
    "lexicon": "make tables of paraphrases, function words and copy words for METEOR",
    "models": "the models that metrics run on: what is installed, how to get the rest, the cache",
    "train": "train metrics from judgements",
    "reproduce": "run a paper's experiments where true quality is known, and print its tables",
    "list": "the metrics, tokenisers and stemmers at hand",
    "explain": "what a metric spec or a receipt means, and what matched in one segment",
    "demo": "the main job on the bundled example: scores, comparison, report",
}

_OVERVIEW = """\
examples:
  nlgauge demo
  nlgauge score outputs.jsonl -m bleu -m chrf++ --ci
  nlgauge score captions.jsonl --preset coco
  nlgauge score --hyp tgen=out.txt --ref ref1.txt --ref ref2.txt
  nlgauge compare outputs.jsonl -m bleu -m ter --baseline tgen
  nlgauge meta judged.jsonl -m bleu -m chrf --human quality --level system
  nlgauge tune chrf judged.jsonl --human quality
  nlgauge agree judged.jsonl --criterion quality
  nlgauge judge outputs.jsonl --judge metric --metric chrf -o games.jsonl
  nlgauge rate preferences.jsonl
  nlgauge triangle plan --alpha .05 --beta .05 --pd .5
  nlgauge review-questions questions.txt
  nlgauge explain "bleu(tok=intl)"
  nlgauge explain bleu outputs.jsonl --item 17 --system tgen

`nlgauge COMMAND --help` shows a command's options. Results go to standard output, messages and progress to
standard error. Exit codes: 0 success, 2 bad input (one sentence says what and where), 130 interrupted."""


class _Parser(argparse.ArgumentParser):
    """Refuses in one sentence, as everything else does."""

    def error(self, message: str) -> NoReturn:
        raise NlgaugeError(f"{message} (options: {self.prog} --help)")


def _overview() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="nlgauge",
        description="Evaluate natural-language-generation systems: scores, intervals, paired tests, reports.",
        epilog=_OVERVIEW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"nlgauge {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, add_help=False)
    return parser


def parser_for(command: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    from nlgauge.cli.arguments import add, run_part

    module = import_module(f"nlgauge.cli.commands.{command.replace('-', '_')}")
    parser = _Parser(
        prog=f"nlgauge {command}",
        description=(module.__doc__ or "").strip(),
        epilog=module.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add(parser, module.ARGUMENTS)
    parser.set_defaults(run=getattr(module, "run", run_part))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _prepare_output()
    try:
        if not arguments or arguments[0] in ("-h", "--help", "--version"):
            _overview().parse_args(arguments or ["--help"])
            return 0
        if arguments[0] not in COMMANDS:
            raise NlgaugeError(f"there is no command {arguments[0]!r}; {suggest(arguments[0], COMMANDS)}")
        parsed = parser_for(arguments[0]).parse_args(arguments[1:])
        with warnings.catch_warnings(), at_the_command_line(), guarded(parsed):
            # NumPy's remarks on rounding and overflow are not for users: what is undefined gets a note of its own.
            warnings.simplefilter("ignore", RuntimeWarning)
            warnings.simplefilter("default", ColumnsRead)  # once, however often a file is read
            warnings.showwarning = _noted
            code: int = parsed.run(parsed) or 0
        sys.stdout.flush()
        return code
    except NlgaugeError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        _discard_output()  # the reader (head, less) has gone: not an error
        return 0
    except KeyboardInterrupt:
        print("nlgauge: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        return _refuse("there is not enough memory for this; use fewer trials, fewer metrics, or --stream")
    except RecursionError:
        return _refuse("the data are nested too deeply to be read")
    except OSError as error:
        _discard_output()
        return _refuse(f"{error.filename or 'the output'}: {error.strerror or error}")


def _noted(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A remark on how the data were read, for standard error; it does not stand among the results."""
    if category.__module__.startswith("nlgauge."):
        from nlgauge.wording.tables import visible

        print(f"nlgauge: note: {visible(str(message))}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno), end="", file=sys.stderr)


def _prepare_output() -> None:
    """Print on any terminal: what its encoding lacks becomes a question mark, and a closed output swallows all."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _discard_output() -> None:
    """Python would complain again at exit about what it could not write."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    from nlgauge.wording.tables import visible  # names of the data may hold line breaks and controls

    print(f"nlgauge: {visible(sentence)}", file=sys.stderr)
    return 2
