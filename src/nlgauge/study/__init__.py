"""Human studies: a study file is checked, frozen and launched; judges answer; answers are stored, exported, analysed.

From the bottom to the top, each importing what stands above it in this list:

model, refusals, languages   texts, slots, judgements: small frozen values; why a verb refuses; wordings by language
file                         one definition for reading YAML, refusing what is wrong by line, and the JSON Schema
designs, criteria            who judges what in which order; questions of published protocols
store                        tables and transactions
freeze                       what is fixed and hashed, the texts it names
protocols                    what is asked, shown, stored and analysed in each kind of study
service                      the verbs of judges and researcher
exchange, simulation         rows out and in; a pool of simulated judges
analysis, checks, statements what counts; what is wrong or risky before launch; the design statement
machine_judges               programs that answer a study; question_review reads its questions

Nothing here knows the web: the pages, the command line, the simulation and the tests call the same verbs. Those of
the commands, for notebooks, are names of this package (`nlgauge.study.launch("wind")`) and stand in `nlgauge.studies`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nlgauge.errors import needing

if TYPE_CHECKING:  # they need the report, which lies above, and are looked up when they are used
    from nlgauge.studies import analyse, check, close, export, launch, links, load, new, open, simulate, statement

__all__ = ["analyse", "check", "close", "export", "launch", "links", "load", "new", "open", "simulate", "statement"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'nlgauge.study' has no attribute {name!r}")
    with needing("a human study", "study"):
        return getattr(import_module("nlgauge.studies"), name)
