"""Human studies: write one file, check it, launch it, send links, and read a verdict."""

from __future__ import annotations

import argparse
import sys

from nlgauge.cli.arguments import JSON, Parts, run_part
from nlgauge.cli.commands.study import exchange, judge, make, quality, results, serve, simulate
from nlgauge.errors import InputError, MissingExtra

EXAMPLES = """\
examples:
  nlgauge study new forecasts --protocol triangle --from outputs.jsonl
  nlgauge study check forecasts            everything wrong or risky, before anyone is asked
  nlgauge study launch forecasts           freeze the design, deal out the texts
  nlgauge study serve forecasts            judges' pages and dashboard
  nlgauge study links forecasts            one address a line
  nlgauge study status forecasts           how far it is
  nlgauge study simulate forecasts --scratch --pd .3
  nlgauge study run-judge forecasts --judge chars
  nlgauge study export forecasts -o judgements.csv
  nlgauge study exclude forecasts --by-rule     leave out who fails by the file's rule; see both analyses
  nlgauge study analyse forecasts          the verdict, when all have answered
  nlgauge study import summeval model_annotations.aligned.jsonl --format summeval
  nlgauge study statement forecasts        what was asked, of whom and how, for the paper

`nlgauge study ACTION --help` shows an action's options."""


_MODULES = (make, serve, simulate, exchange, quality, judge, results)
_ACTIONS = {name: part for module in _MODULES for name, part in module.ACTIONS.items()}
ARGUMENTS = (Parts(_ACTIONS, title="actions", metavar="ACTION", dest="action", each=(JSON,)),)


def run(arguments: argparse.Namespace) -> int:
    """Run one action."""
    try:
        return run_part(arguments)
    except ModuleNotFoundError as error:
        if error.name in ("yaml", "sqlalchemy", "starlette", "jinja2", "uvicorn", "anyio"):
            raise MissingExtra("a human study", error.name, "study") from None
        raise
    except Exception as error:
        sentence = _of_the_database(error)
        if sentence is None:
            raise
        raise InputError(sentence) from error


def _of_the_database(error: Exception) -> str | None:
    """What happened, where the database went away, is full, locked or read-only; None for every other error."""
    if "sqlalchemy" not in sys.modules:
        return None
    from sqlalchemy.exc import DatabaseError, IntegrityError, InterfaceError, ProgrammingError, TimeoutError

    ours = isinstance(error, IntegrityError | ProgrammingError)  # a fault of the program, to be seen whole
    if ours or not isinstance(error, DatabaseError | InterfaceError | TimeoutError):
        return None
    from nlgauge.study.store import reason

    return f"the study's database failed: {reason(error)}; what was stored before is safe, so try again"
