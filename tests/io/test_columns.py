"""Columns that are called otherwise: named by the caller, read by well-known names, or refused with what they mean."""

import csv
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from nlgauge import api
from nlgauge.agreement import agree, judgements
from nlgauge.cli import main
from nlgauge.errors import ColumnsRead, InputError
from nlgauge.io import load, stream
from nlgauge.io.columns import CRITERIA, DESCRIPTIVE, SENSES, SYNONYMS
from nlgauge.io.games import read_games
from nlgauge.io.judgements import read_judgements
from nlgauge.meta.observations import observe

ROWS: list[dict[str, Any]] = [
    {"id": 1, "prediction": "the cat sat", "target": "the cat sat down", "model": "A"},
    {"id": 2, "prediction": "", "target": "a dog", "model": "A"},
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows in the format of the file's name."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        with path.open("w", newline="") as out:
            table = csv.DictWriter(out, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
            table.writeheader()
            table.writerows(rows)
    return path


@pytest.mark.parametrize("kind", [".jsonl", ".csv", ".tsv", ".parquet"])
def test_well_known_names_are_read_as_what_they_mean_and_said_once(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / f"d{kind}", ROWS)
    with pytest.warns(ColumnsRead) as told:
        (first, second) = load(path)
    assert (first.item, first.system, first.hypothesis) == ("1", "A", "the cat sat")
    assert first.references == ("the cat sat down",) and second.hypothesis == ""
    assert len(told) == 1
    for words in ("id as item", "prediction as hypothesis", "target as references", "model as system"):
        assert words in str(told[0].message)
    with pytest.warns(ColumnsRead):
        batches = list(stream(path))
    assert [text for batch in batches for text in batch.hypotheses] == ["the cat sat", ""]


def test_a_newcomers_file_is_scored_by_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "d.jsonl", ROWS)
    assert main(["score", str(path), "-m", "chrf", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["scores"][0]["system"] == "A"
    assert err.count("\n") == 1 and err.startswith("nlgauge: note: ") and "prediction as hypothesis" in err


def test_references_are_one_text_or_a_list_under_any_name(tmp_path: Path) -> None:
    rows = [
        {"item": "1", "hypothesis": "a", "gold": ["b", "c"]},
        {"item": "2", "hypothesis": "a", "gold": "d"},
    ]
    with pytest.warns(ColumnsRead):
        data = load(rows)
    assert [segment.references for segment in data] == [("b", "c"), ("d",)]
    cells = [{**row, "gold": json.dumps(row["gold"]) if isinstance(row["gold"], list) else row["gold"]} for row in rows]
    data = load(written(tmp_path / "d.csv", cells), columns={"references": "gold"})
    assert [segment.references for segment in data] == [("b", "c"), ("d",)]


@pytest.mark.parametrize("kind", [".jsonl", ".csv", ".parquet"])
def test_columns_that_are_named_are_read_without_a_word(tmp_path: Path, kind: str) -> None:
    rows = [{"n": 1, "mine": "x", "hypothesis": "old", "r": "y", "flu": 4.0, "why": "so"}]
    columns = {
        "item": "n",
        "hypothesis": "mine",
        "reference_1": "r",
        "ratings.fluency": "flu",
        "x_why": "why",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (segment,) = load(written(tmp_path / f"d{kind}", rows), columns=columns)
    assert (segment.item, segment.hypothesis, segment.references) == ("1", "x", ("y",))
    assert segment.ratings == {"fluency": 4.0}
    assert segment.extra == {"x_why": "so", "x_hypothesis": "old"}  # what gave way is kept as a remark


def test_a_data_frame_is_read_alike() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.warns(ColumnsRead):
        data = load(pandas.DataFrame([*ROWS, {**ROWS[0], "id": 3, "prediction": None}]))
    assert [segment.item for segment in data] == ["1", "2"] and data.summary.missing == 1


def test_nothing_is_guessed_where_two_columns_could_be_meant() -> None:
    with pytest.raises(InputError, match=r"unknown key 'prediction': hypothesis is there as well"):
        load([{"item": "1", "hypothesis": "a", "prediction": "b"}])
    with pytest.raises(InputError, match=r"'output' \(did you mean hypothesis\?\), 'prediction' \(did you mean"):
        load([{"item": "1", "output": "a", "prediction": "b"}])


def test_unknown_keys_are_told_at_once_each_with_its_sense() -> None:
    row = {"item": "1", "hypotesis": "a", "fluency": 4, "answer": "b", "context": "c", "zzz": 1}
    with pytest.raises(InputError) as refused:
        load([row])
    told = str(refused.value)
    assert "unknown keys 'answer'" in told and "'zzz'." in told
    for key, sense in (("hypotesis", "hypothesis"), ("fluency", "ratings.fluency"), ("context", "source")):
        assert f"{key!r} (did you mean {sense}?)" in told
    assert "--column KEY=NAME" in told and "columns={KEY: NAME}" in told
    assert "n_references_raw" not in told and "hypothesis_cased" not in told


def test_the_tables_of_names_do_not_contradict_each_other() -> None:
    assert SYNONYMS.items() <= SENSES.items()
    assert not (SENSES.keys() | CRITERIA) & DESCRIPTIVE and not SENSES.keys() & CRITERIA


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"hypothesis": "predction"}, "no column 'predction'; did you mean prediction"),
        ({"hypotesis": "prediction"}, "no key 'hypotesis'; did you mean hypothesis"),
        ({"hypothesis": "prediction", "system": "prediction"}, "'prediction' is given for two keys"),
        ({"ratings.fluency": "flu"}, "no column 'flu'"),
    ],
)
def test_columns_that_cannot_be_are_refused(tmp_path: Path, columns: dict[str, str], words: str) -> None:
    path = written(tmp_path / "d.jsonl", ROWS)
    with warnings.catch_warnings(), pytest.raises(InputError, match=words):
        warnings.simplefilter("ignore", ColumnsRead)
        load(path, columns=columns)


def test_pairwise_rows_games_judgements_and_meta_take_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = [{"item": str(n), "left": f"a {n}", "right": f"b {n}", "ref": "a b", "won": "ab"[n % 2]} for n in range(6)]
    path = written(tmp_path / "p.jsonl", pairs)
    columns = {"hypothesis_a": "left", "hypothesis_b": "right", "ratings.preference": "won"}
    with pytest.warns(ColumnsRead, match="ref as references"):
        assert api.load(path, columns=columns).systems == ["a", "b"]
    with pytest.warns(ColumnsRead):
        assert len(observe(path, columns=columns).pairs) == 6
    games = [{"model_a": "x", "model_b": "y", "winner": "ab"[n % 2]} for n in range(6)]
    given = ["--column", "a=model_a", "--column", "b=model_b", "--column", "outcome=winner"]
    assert main(["rate", str(written(tmp_path / "g.csv", games)), *given, "--json"]) == 0
    assert {row["player"] for row in json.loads(capsys.readouterr().out)["ratings"]} == {"x", "y"}
    rows = [{"id": n, "annotator": j, "rating": n % 3} for n in range(6) for j in "ab"]
    with pytest.warns(ColumnsRead, match="annotator as judge, id as item, rating as value"):
        assert agree(judgements(rows))["percent"].estimate == 1


def test_an_evaluation_set_keeps_its_lists_of_ratings_beside_a_score() -> None:
    rows = [{"item": str(n), "score": 0.5, "ratings": {"q": [1, 2 + n % 2]}} for n in range(5)]
    assert judgements(rows).values[0] == [1, 2]


def test_unknown_columns_are_kept_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "d.jsonl", [{**row, "seed": 3} for row in ROWS])
    assert main(["score", str(path), "-m", "chrf"]) == 2
    assert "--allow-extra" in capsys.readouterr().err
    assert main(["score", str(path), "-m", "chrf", "--allow-extra"]) == 0


def test_a_misspelt_column_of_rows_in_python_is_refused() -> None:
    judged = [{"item": "1", "worker": "w", "value": 1}, {"item": "1", "worker": "v", "value": 2}]
    with pytest.raises(InputError, match="no column 'wroker'; did you mean worker"):
        read_judgements(judged, columns={"judge": "wroker"})
    with pytest.raises(InputError, match="no column 'model_c'; did you mean"):
        read_games([{"model_a": "x", "model_b": "y", "winner": "a"}], columns={"a": "model_c"})
    rows = [{"item": "1", "system": "s", "text": "a", "ratings": {"q": 1}}]
    with pytest.raises(InputError, match="no column 'textt'; did you mean text"):
        observe(rows, columns={"hypothesis": "textt"})
    with pytest.raises(InputError, match="no key 'hypothesys'; did you mean hypothesis"):
        observe(rows, columns={"hypothesys": "text"})
