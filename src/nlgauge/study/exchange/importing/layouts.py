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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from nlgauge.errors import InputError, option
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.tables import PLACES, read_sets, read_table, rows_of
from nlgauge.study.exchange.importing.types import LONGEST_ITEM, Rating, Source, name_of, number_of, text_of

Row = Mapping[str, Any]
REMARK = "the ids of the crowd's platform were replaced by numbers, because they lead to people"


def is_set(path: StrPath) -> bool:
    """Whether a file is an evaluation set: its first row has `ratings`."""
    return "ratings" in next(iter(rows_of(path)))[1]


class Relabelled:
    """Judges of a crowd under numbers in place of the ids of their platform: the same number for the same id."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self._numbers.setdefault(name, f"w{len(self._numbers) + 1:03}")


def _ratings(files: Sequence[StrPath], of_row: Callable[[str, Row], Iterable[Rating]]) -> tuple[Rating, ...]:
    """Those of every row of the files."""
    return tuple(rating for path in files for place, row in rows_of(path) for rating in of_row(place, row))


def _check_columns(place: str, row: Row, names: Iterable[str], file: str) -> None:
    lacking = [name for name in names if name not in row]
    if lacking:
        raise InputError(f"{place}: there is no {lacking[0]!r}; expected the columns of {file}")


PANELS = {"expert": "experts", "turker": "turkers"}


def summeval_names(key: str) -> tuple[str, str]:
    """The panel and the criterion of `expert_coherence`."""
    who, _, criterion = key.partition("_")
    if who not in PANELS or not criterion:
        raise InputError(
            f"SummEval's ratings are called expert_… and turker_…, not {key!r}; import other sets with "
            f"{option('format', 'set')}"
        )
    return PANELS[who], criterion


def read_summeval(files: Sequence[StrPath]) -> Source:
    """`model_annotations.aligned.jsonl`: `expert_annotations` and `turker_annotations`, lists of objects."""
    if is_set(files[0]):
        return read_sets(files, split=summeval_names, described="summeval")
    return Source(_ratings(files, _of_summary), "places", "summeval", (PLACES,))


def _of_summary(place: str, row: Row) -> Iterator[Rating]:
    for who, panel in PANELS.items():
        annotations = row.get(f"{who}_annotations")
        if not isinstance(annotations, list) or not all(isinstance(given, Mapping) for given in annotations):
            raise InputError(
                f"{place}: expert_annotations and turker_annotations must be lists of objects, as in SummEval's "
                "model_annotations.aligned.jsonl"
            )
        item = name_of(row.get("id"), "id", place, longest=LONGEST_ITEM)
        system = name_of(row.get("model_id"), "model_id", place)
        text = text_of(row.get("decoded", row.get("summary")), "decoded", place)
        source = text_of(row.get("text"), "text", place)
        output = Rating(item, system, "", "", 0.0, place, panel=panel, text=text, source=source)
        for number, given in enumerate(annotations, start=1):
            told = ((str(criterion), value) for criterion, value in given.items() if value is not None)
            yield from (output.rated(criterion, value, judge=str(number)) for criterion, value in told)


USR_CRITERIA = ("Understandable", "Natural", "Maintains Context", "Engaging", "Uses Knowledge", "Overall")
PERSONA = "your persona"  # how the facts of Persona-Chat begin


def read_usr(files: Sequence[StrPath]) -> Source:
    """`tc_usr_data.json` and `pc_usr_data.json`: contexts, each with responses whose criteria hold three numbers."""
    fact = next(iter(rows_of(files[0])))[1].get("fact")
    persona = isinstance(fact, str) and fact.lstrip().lower().startswith(PERSONA)
    described = "usr-personachat" if persona else "usr-topicalchat"
    if is_set(files[0]):
        return read_sets(files, described=described)
    return Source(_ratings(files, partial(_of_context, count())), "places", described, (PLACES,))


def _of_context(items: Iterator[int], place: str, row: Row) -> Iterator[Rating]:
    responses = row.get("responses")
    if not isinstance(responses, list):
        raise InputError(f"{place}: there are no responses; expected USR's list of contexts")
    item = str(next(items))
    for response in responses:
        if not isinstance(response, Mapping):
            raise InputError(f"{place}: a response must be an object with response, model and the criteria")
        system = name_of(response.get("model"), "model", place)
        text, source = text_of(response.get("response"), "response", place), row.get("context")
        output = Rating(item, system, "", "", 0.0, place, text=text, source=text_of(source, "context", place))
        for criterion in USR_CRITERIA:
            values = response.get(criterion)
            if not isinstance(values, list):
                raise InputError(f"{place}: the response of {system} has no list of numbers for {criterion!r}")
            judges = enumerate(values, start=1)
            yield from (output.rated(criterion, value, judge=str(number)) for number, value in judges)


HANNA_CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
STORY, PROMPT, HANNA_WORKER, TIME = "Story ID", "Prompt", "Worker ID", "Work time in seconds"


def read_hanna(files: Sequence[StrPath]) -> Source:
    """`hanna_stories_annotations.csv`: one worker's ratings of one story a row, with the time of the assignment."""
    if is_set(files[0]):
        return read_sets(files, described="hanna")
    prompts: dict[str, str] = {}
    return Source(_ratings(files, partial(_of_story, Relabelled(), prompts)), "people", "hanna", (REMARK,))


def _of_story(workers: Relabelled, prompts: dict[str, str], place: str, row: Row) -> list[Rating]:
    names = (STORY, PROMPT, "Model", HANNA_WORKER, *HANNA_CRITERIA)
    _check_columns(place, row, names, "HANNA's hanna_stories_annotations.csv")
    prompt = name_of(row[PROMPT], "prompt", place, longest=LONGEST_ITEM) if row[PROMPT] else ""
    item = prompts.setdefault(prompt, str(len(prompts)))
    system = name_of(row["Model"], "model", place)
    judge = workers[name_of(row[HANNA_WORKER], "worker", place)]
    time = None if row.get(TIME) in (None, "") else number_of(row[TIME], "working time", place)
    text = text_of(row.get("Story"), "story", place)
    output = Rating(item, system, judge, "", 0.0, place, text=text, source=prompt, seconds=time)
    return [output.rated(criterion, row[criterion]) for criterion in HANNA_CRITERIA]


WEBNLG_CRITERIA = {"fluency": "fluency", "grammaticality": "grammar", "semantic_adequacy": "semantics"}
"""The columns of the file, and what the challenge calls the criteria in its results."""
WEBNLG_UNIT, WEBNLG_WORKER = "X_unit_id", "X_worker_id"


def read_webnlg(files: Sequence[StrPath]) -> Source:
    """`all_data_final_scores_anonymised.csv`: one worker's three ratings of one text a row; texts by people stand
    under the system `webnlg`."""
    if is_set(files[0]):
        return read_sets(files, described="webnlg2017")
    return Source(_ratings(files, partial(_of_webnlg_row, Relabelled())), "people", "webnlg2017", (REMARK,))


def _of_webnlg_row(workers: Relabelled, place: str, row: Row) -> list[Rating]:
    names = (WEBNLG_UNIT, WEBNLG_WORKER, "mr", "team", *WEBNLG_CRITERIA)
    _check_columns(place, row, names, "the challenge's all_data_final_scores_anonymised.csv")
    item = name_of(row["mr"], "mr", place, longest=LONGEST_ITEM)
    system = name_of(row["team"], "team", place)
    judge = workers[name_of(row[WEBNLG_WORKER], "worker", place)]
    text, screen = text_of(row.get("text"), "text", place) or "", str(row[WEBNLG_UNIT])
    output = Rating(item, system, judge, "", 0.0, place, text=text.strip(), source=item, screen=screen)
    return [output.rated(name, row[column], called=column) for column, name in WEBNLG_CRITERIA.items()]


E2E_CRITERIA = {"quality": "quality", "natur": "naturalness"}
"""How the columns of the ratings begin, and the criterion."""
E2E_PLACES = range(1, 6)
E2E_UNIT, E2E_WORKER = "_unit_id", "_worker_id"


def read_e2e(files: Sequence[StrPath]) -> Source:
    """`quality.csv` and `naturalness.csv`, whichever are there: a judge's numbers for a screen of five outputs a row;
    test questions of the platform are left aside.

    RankME (Novikova, Dušek and Rieser 2018) takes magnitude estimates: numbers without an upper end, given against each
    other. Each output of a screen becomes one rating and keeps the name of its screen, by which `making` puts them
    together again.
    """
    ratings: list[Rating] = []
    workers, tests, people = Relabelled(), 0, False
    for path in files:
        screens = is_set(path)
        people = people or not screens
        for place, row in rows_of(path):
            if str(row.get("gold", row.get("_golden", ""))).lower() == "true":
                tests += 1
                continue
            ratings += _of_e2e_screen(place, row) if screens else _of_e2e_row(place, row, workers)
    remarks = (REMARK,) if people else ()
    skipped = {"test questions of the platform": tests} if tests else {}
    return Source(tuple(ratings), "people", "e2e-rankme", remarks, skipped=skipped)


def _of_e2e_screen(place: str, row: Row) -> Iterator[Rating]:
    """A row of the evaluation set: lists of systems, outputs and ratings."""
    systems, texts, given = row.get("systems"), row.get("hypotheses"), row.get("ratings")
    if not (isinstance(systems, list) and isinstance(texts, list) and isinstance(given, Mapping)):
        raise InputError(f"{place}: expected a screen with systems, hypotheses and ratings, each a list")
    for criterion, values in given.items():
        if not isinstance(values, list) or not len(values) == len(systems) == len(texts):
            raise InputError(f"{place}: the ratings of {criterion} must be one for each of the systems")
        for output in zip(systems, texts, values, strict=True):
            yield _of_e2e_output(place, row, str(criterion), output)


def _of_e2e_row(place: str, row: Row, workers: Relabelled) -> Iterator[Rating]:
    start = next((name for name in E2E_CRITERIA if f"{name}1" in row), None)
    if start is None or E2E_WORKER not in row or E2E_UNIT not in row or "mr" not in row:
        raise InputError(
            f"{place}: expected the columns of the challenge's quality.csv or naturalness.csv: mr, sys1 to sys5, "
            "ref1 to ref5, quality1 or natur1 and so on"
        )
    judge = workers[name_of(row[E2E_WORKER], "worker", place)]
    made = {**row, "item": row["mr"], "source": row["mr"], "judge": judge, "unit": row[E2E_UNIT]}
    for number in E2E_PLACES:
        output = (row.get(f"sys{number}"), row.get(f"ref{number}"), row.get(f"{start}{number}"))
        yield _of_e2e_output(place, made, E2E_CRITERIA[start], output)


def _of_e2e_output(place: str, row: Row, criterion: str, output: tuple[Any, Any, Any]) -> Rating:
    """A system, its text and the number it got."""
    system, text, value = output
    return Rating(
        item=name_of(row.get("item"), "item", place, longest=LONGEST_ITEM),
        system=name_of(system, "system", place),
        judge=name_of(row.get("judge"), "judge", place),
        criterion=criterion,
        value=number_of(value, f"rating of {criterion}", place),
        place=place,
        text=text_of(text, "output", place),
        source=text_of(row.get("source"), "source", place),
        screen=f"{criterion} {row.get('unit')}",
    )


Reader = Callable[[Sequence[StrPath]], Source]

PUBLISHED: Mapping[str, Reader] = {
    "summeval": read_summeval,
    "usr": read_usr,
    "hanna": read_hanna,
    "webnlg2017": read_webnlg,
    "e2e-rankme": read_e2e,
}
LAYOUTS: Mapping[str, Reader] = {"table": read_table, "set": read_sets, **PUBLISHED}
"""How files are laid out, by the name that `--format` takes."""
