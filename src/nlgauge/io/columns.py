"""Which column of a file holds what: by its key, as the caller says (`columns`), or by a well-known other name.

A file that was not written for nlgauge calls its columns otherwise: `id, prediction, target, model`. Such names are
read as the key they mean (`SYNONYMS`), with a warning that says so, where nothing else could be meant: the key itself
is not there, and no second column claims it. Names that mean different things in different files (`answer`, `context`)
are only suggested (`SENSES`), and misspelt keys are refused, so that they cannot silently empty a column.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from nlgauge.errors import ColumnsRead, InputError, shortened, suggest
from nlgauge.io.exported import CANNOT, COUNTS, refuse_answers

TEXTS = frozenset({"item", "system", "hypothesis"})
EDITED = frozenset({"post_edit", "post_edits"})
BESIDE = EDITED | {"reference_weights"}  # what rows with one hypothesis may hold beside SHARED
PAIR_TEXTS = frozenset({"item", "system_a", "system_b", "hypothesis_a", "hypothesis_b"})
SHARED = frozenset({"references", "reference", "source", "source.json", "ratings", "extra"})
_REMARKS = frozenset(
    {"dataset", "split", "category", "document", "domain", "genre", "topic", "language", "metrics", "raters"}
)
DESCRIPTIVE = _REMARKS | {
    *("size", "fact", "means", "system_type", "hypothesis_cased", "candidate_is_reference"),
    *("n_references_raw", "warning", "fold", "direction", CANNOT),
}
NUMBERED = re.compile(r"(?:reference|ref)_?([0-9]{1,9})")


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    """Name -> key, from the names of each key written with blanks between them."""
    return {name: key for key, listed in names.items() for name in listed.split()}


SYNONYMS: Mapping[str, str] = _by_name(
    {
        "item": "id idx index item_id example_id segment segment_id seg_id",
        "system": "model model_name model_id system_name system_id",
        "hypothesis": "hyp pred prediction output generated generated_text generation candidate "
        "model_output system_output",
        "references": "ref refs target targets gold gold_reference reference_text ground_truth expected "
        "expected_output",
        "source": "src input prompt source_text",
    }
)
"""Names that are read as a key where the key itself is not there."""
SENSES: Mapping[str, str] = {
    **SYNONYMS,
    **_by_name(
        {
            "item": "sample sample_id example instance uid key qid no",
            "system": "run team method participant submission",
            "hypothesis": "answer response reply text summary translation caption",
            "references": "label human human_reference reference_summary mention",
            "source": "context question article mr meaning_representation table",
        }
    ),
}
"""What other names may mean: said in a refusal, never read unasked."""
JUDGEMENT_SYNONYMS: Mapping[str, str] = {
    **{name: key for name, key in SYNONYMS.items() if key in ("item", "system")},
    **_by_name(
        {
            "judge": "annotator annotator_id rater rater_id worker worker_id judge_id evaluator",
            "value": "rating score label",
        }
    ),
}
"""The same for tables of single judgements."""
_RATED = """
fluency adequacy coherence consistency relevance grammar grammaticality quality naturalness informativeness overall
clarity correctness accuracy faithfulness engagingness readability simplicity factuality helpfulness rating
"""
CRITERIA = frozenset(_RATED.split())
"""Names of columns that hold ratings in most files."""
_REFERENCES = frozenset({"references", "reference"})
HOW = (
    "name the column that holds a key with --column KEY=NAME (in Python columns={KEY: NAME}), begin a key with x_ to "
    "keep it as a remark, or keep all of them with --allow-extra (allow_extra=True)"
)


class Columns:
    """The names of a file's columns, and the keys they are read as.

    `given` says which column holds a key; `synonyms` are read unasked.
    """

    def __init__(self, given: Mapping[str, str] | None = None, synonyms: Mapping[str, str] = SYNONYMS) -> None:
        self.given, self.synonyms = dict(given or {}), synonyms
        self._wanted = {column for key, column in self.given.items() if key != column}
        self._told: set[str] = set()
        self._seen: dict[str, None] = {}
        self._plain: set[Any] = set()  # names that need no change, met last
        twice = sorted({name for name in self.given.values() if list(self.given.values()).count(name) > 1})
        if twice:
            raise InputError(f"the column {twice[0]!r} is given for two keys; expected one key for each column")

    def header(self, names: Sequence[str], path: str) -> list[str]:
        """A table's header as keys."""
        self._seen |= dict.fromkeys(names)
        self.finish(path)
        keys = self._keys(names, path)
        return ["reference" if keys.get(name) == "references" else keys.get(name, name) for name in names]

    def rows(self, rows: list[Any], path: str) -> list[Any]:
        """Rows with their keys; rows that are no objects are left to the checks that follow."""
        if set(map(type, rows)) != {dict}:
            return rows
        names: set[Any] = set().union(*rows)
        if names == self._plain:
            return rows
        self._seen |= dict.fromkeys(sorted(map(str, names)))
        self._check_texts(path)
        keys = self._keys(sorted(filter(lambda name: isinstance(name, str), names)), path)
        if not keys:
            self._plain = names
            return rows
        return [_listed({keys.get(name, name): value for name, value in row.items()}, keys) for row in rows]

    def finish(self, path: str) -> None:
        """Refuse columns that were given and are not there, once all names are known."""
        missing = sorted(self._wanted - self._seen.keys())
        if missing:
            raise InputError(f"{path}: no column {missing[0]!r}; {suggest(missing[0], self._seen)}")

    def _check_texts(self, path: str) -> None:
        """What every row needs must be there from the start; other columns may come later."""
        late = {column for key, column in self.given.items() if key not in TEXTS}
        if self._wanted - self._seen.keys() - late:
            self.finish(path)

    def _keys(self, names: Iterable[str], path: str) -> dict[str, str]:
        """The key of each column that is not called by its key."""
        there = list(names)
        keys = {column: key for key, column in self.given.items() if column in there and column != key}
        chosen = _grouped(self.given)
        displaced = [name for name in there if name not in keys and _group(name) in _grouped(keys.values())]
        taken = chosen | _grouped(name for name in there if name not in keys)
        if any(name.partition(".")[0] == "ratings" for name in there):
            taken |= {"judge", "value"}  # an evaluation set, whose ratings stand in lists
        claims: dict[str, list[str]] = {}
        for name in there:
            key = self.synonyms.get(_folded(name)) or (_folded(name) if _folded(name) in TEXTS | SHARED else name)
            if name not in keys and key != name:
                claims.setdefault(key, []).append(name)
        guessed = {own[0]: key for key, own in claims.items() if len(own) == 1 and _group(key) not in taken}
        if new := {name: key for name, key in guessed.items() if name not in self._told}:
            told = ", ".join(f"{name} as {key}" for name, key in new.items())
            warnings.warn(ColumnsRead(f"{path}: read {told}"), stacklevel=2)
            self._told |= new.keys()
        return keys | guessed | {name: f"x_{name}" for name in displaced}


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _group(key: str) -> str:
    """Keys that say one thing in different ways."""
    return "references" if key in _REFERENCES or NUMBERED.fullmatch(key) else key.removesuffix(".json")


def _grouped(keys: Iterable[str]) -> set[str]:
    return {_group(key) for key in keys}


def _listed(row: dict[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """References may be one text or a list of texts, whatever their column is called."""
    if "references" in keys.values() and isinstance(row.get("references"), str):
        row["reference"] = row.pop("references")
    return row


def listed_cell(row: dict[str, Any]) -> dict[str, Any]:
    """The same for a table's cell, which holds several texts as a JSON list."""
    cell = row.get("reference")
    if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
        try:
            texts = orjson.loads(cell)
        except orjson.JSONDecodeError:
            return row
        if texts and all(isinstance(text, str) for text in texts):
            del row["reference"]
            row["references"] = texts
    return row


def check_given(columns: Mapping[str, str]) -> None:
    """Refuse keys that an evaluation set does not have."""
    known = TEXTS | PAIR_TEXTS | SHARED | BESIDE | _REMARKS
    for key in columns:
        if not (key in known or key.startswith(("x_", "ratings.")) or NUMBERED.fullmatch(key)):
            raise InputError(
                f"columns: an evaluation set has no key {key!r}; {suggest(key, known)}, ratings.CRITERION, x_…"
            )


def is_known(key: str) -> bool:
    """Whether rows of an evaluation set may have a key without being refused."""
    known = TEXTS | SHARED | DESCRIPTIVE | BESIDE
    return key in known or key.startswith(("x_", "ratings.")) or bool(NUMBERED.fullmatch(key))


def check_keys(keys: Iterable[Any], texts: frozenset[str], allow_extra: bool, place: Callable[[Any], str]) -> None:
    """Refuse unknown keys, all at once, each with what it may mean."""
    keys = list(keys)
    if COUNTS in keys:
        refuse_answers(keys, place(COUNTS))
    beside = BESIDE if texts is TEXTS else frozenset()
    unknown = []
    for key in sorted(set(keys) - texts - SHARED - DESCRIPTIVE - beside, key=str):
        if not isinstance(key, str):
            raise InputError(f"{place(key)}: the key {key!r} is not a text")
        if key.startswith(("x_", "ratings.")) or NUMBERED.fullmatch(key):
            continue
        if texts is TEXTS and key in PAIR_TEXTS:
            raise InputError(f"{place(key)}: {key} belongs to pairwise rows; expected rows with one hypothesis each")
        unknown.append(key)
    if unknown and not allow_extra:
        raise InputError(f"{place(unknown[0])}: {_unknown(unknown, keys, texts, beside)}; {HOW}")


def _unknown(unknown: Sequence[str], keys: Sequence[str], texts: frozenset[str], beside: frozenset[str]) -> str:
    own = sorted(texts, key=lambda key: (key != "item", key))
    shown = [
        *own,
        "references",
        "reference",
        "source",
        "ratings",
        *sorted(beside),
        *sorted(_REMARKS),
        "extra",
    ]
    meant = {key: _meant(key, shown) for key in unknown}
    told = {
        key: f"{sense} is there as well"
        if sense in keys and _folded(key) in SENSES
        else f"did you mean {sense}?" * bool(sense)
        for key, sense in meant.items()
    }
    known = f"{', '.join(shown)}, reference_1 …, ratings.CRITERION, x_…"
    if len(unknown) == 1:
        said = told[unknown[0]]
        return f"unknown key {shortened(unknown[0])}: {f'{said} Known' if said else 'known'}: {known}"
    words = ", ".join(f"{shortened(key)} ({said})" if said else shortened(key) for key, said in told.items())
    return f"unknown keys {words}. Known: {known}"


def _meant(key: str, known: Sequence[str]) -> str:
    """The key that a column's name means: by sense first, then by spelling; nothing where neither is plain."""
    name = _folded(key)
    if name in known:
        return name
    for side in ("_a", "_b"):
        if f"hypothesis{side}" in known and name.endswith(side):
            found = SENSES.get(name.removesuffix(side), "")
            if f"{found}{side}" in known:
                return f"{found}{side}"
    if SENSES.get(name) in known:
        return SENSES[name]
    if name in CRITERIA:
        return f"ratings.{key}"
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.75)), "")
