"""The files of published studies as their authors hand them out, each read into ratings.

summeval    Fabbri et al. (2021): one summary a line with the annotations of experts and turkers
usr         Mehri and Eskenazi (2020): dialogue contexts with rated responses, Topical-Chat and Persona-Chat
hanna       Chhun et al. (2022): one story by one worker a row, with working times
webnlg2017  Shimorina et al. (2017): one text by one worker a row
e2e-rankme  Dušek, Novikova and Rieser (2020): one screen of five outputs a row

The evaluation sets of nlgauge (rows with `ratings`) are read under the same names, so that a set that was brought into
that form once can be imported with its description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.layouts import e2e, hanna, summeval, usr, webnlg
from nlgauge.study.exchange.importing.sets import read_sets
from nlgauge.study.exchange.importing.tables import read_table
from nlgauge.study.exchange.importing.types import Source

Reader = Callable[[Sequence[StrPath]], Source]

PUBLISHED: Mapping[str, Reader] = {
    "summeval": summeval.read,
    "usr": usr.read,
    "hanna": hanna.read,
    "webnlg2017": webnlg.read,
    "e2e-rankme": e2e.read,
}
LAYOUTS: Mapping[str, Reader] = {"table": read_table, "set": read_sets, **PUBLISHED}
"""How files are laid out, by the name that `--format` takes."""
