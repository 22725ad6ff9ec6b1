"""Every wrong input is refused with a sentence: what, where, what was expected and what to do."""

from __future__ import annotations

import builtins
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nlgauge import io
from nlgauge.errors import InputError, MissingExtra

GOOD: dict[str, Any] = {"item": "1", "system": "a", "hypothesis": "h", "references": ["r"]}
FINITE = "expected a finite number (null where a rater gave none)"
SAME = "give the same in every row of it, or in one row only"


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(data: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        io.load(data, **options)
    return str(caught.value)


VALUES: list[tuple[dict[str, Any], str]] = [
    ({"hypothesis": 3}, "hypothesis is a number (3); expected a text in quotation marks"),
    ({"hypothesis": True}, "hypothesis is true or false (True); expected a text in quotation marks"),
    (
        {"hypothesis": "\ud800"},
        "a text holds a lone surrogate and is not valid Unicode; decode the original bytes as UTF-8",
    ),
    ({"item": None}, "the key item is missing; expected a text or a whole number"),
    ({"item": 1.5}, "item is a number (1.5); expected a text or a whole number"),
    ({"item": ""}, "item is empty; expected a name"),
    ({"system": ""}, "system is empty; expected a name"),
    (
        {"system": None},
        "the key system is missing, but the data, row 1 names its system; name it in every row, "
        "or in none where all rows are one system's",
    ),
    ({"references": "r"}, "references is a text ('r'); expected a list of texts; wrap a single one: [\"…\"]"),
    ({"references": ["r", 1]}, "references holds a number (1); expected a list of texts"),
    ({"references": ["r", None]}, "references holds null; expected a list of texts"),
    (
        {"reference": "r"},
        "references are given in more than one way; keep one of references (a list), "
        "reference (one text) or reference_1, reference_2, …",
    ),
    ({"source": 5}, "source is a number (5); expected a text, a list or an object"),
    ({"extra": 5}, "extra is a number (5); expected an object"),
    (
        {"ratings": [4]},
        'ratings is a list ([4]); expected an object, e.g. {"fluency": [4, 5], "quality": 4.3}',
    ),
    ({"ratings": {"f": float("nan")}}, "the rating 'f' is a number (nan); " + FINITE),
    ({"ratings": {"f": [1, float("inf")]}}, "the rating 'f' is a number (inf); " + FINITE),
    ({"ratings": {"f": "good"}}, "the rating 'f' is a text ('good'); " + FINITE),
    ({"ratings": {"f": "a"}}, "the rating 'f' is a text ('a'); " + FINITE),
    ({"ratings": {"f": True}}, "the rating 'f' is true or false (True); " + FINITE),
    (
        {"ratings": {"preference": ["a", "c"]}},
        'the rating \'preference\' is a text (\'c\'); expected "a", "b" or "tie"',
    ),
    ({"hypothesis_a": "x"}, "hypothesis_a belongs to pairwise rows; expected rows with one hypothesis each"),
]


@pytest.mark.parametrize(("changes", "sentence"), VALUES)
def test_wrong_values(changes: dict[str, Any], sentence: str) -> None:
    assert refusal([GOOD, GOOD | {"item": "2"} | changes]) == "the data, row 2: " + sentence


ROWS: list[tuple[Any, str]] = [
    (
        {"item": "2", "system": "a", "references": ["r"]},
        "the key hypothesis is missing; expected the system's "
        'output as a text ("" for an empty output, null for one that is missing)',
    ),
    (
        GOOD,
        "item '1' of system 'a' was already given at the data, row 1; each item may occur once for a system: "
        'remove one row, name the repeated items apart, or keep both with repeats="number"',
    ),
    (
        GOOD | {"system": "b", "references": ["r", "s"]},
        "item '1' has other references than at the data, row 1; references belong to the item: " + SAME,
    ),
    (
        GOOD | {"system": "b", "source": "t"},
        "item '1' has other sources than at the data, row 1; sources belong to the item: " + SAME,
    ),
    (
        ["1", "a"],
        "the row is a list (['1', 'a']); expected an object with the keys item, system, hypothesis, references …",
    ),
]


@pytest.mark.parametrize(("row", "sentence"), ROWS)
def test_wrong_rows(row: Any, sentence: str) -> None:
    assert refusal([GOOD | {"source": "s"}, row]) == "the data, row 2: " + sentence


def test_unknown_key_has_a_suggestion(tmp_path: Path) -> None:
    bad = {"item": 1, "hypotesis": "h", "references": ["r"]}
    path = write(tmp_path / "a.jsonl", json.dumps(GOOD) + "\n" + json.dumps(bad) + "\n")
    message = refusal(path)
    assert message.startswith(f"{path}, line 2: unknown key 'hypotesis': did you mean hypothesis")
    assert "begin a key with x_ to keep it as a remark" in message


def test_malformed_json(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", json.dumps(GOOD) + "\n\n{'item': 1}\n")
    assert refusal(path).startswith(f"{path}, line 3: not valid JSON (")
    assert refusal(path).endswith("(\"{'item': 1}\"); expected one object on each line")
    path = write(tmp_path / "b.jsonl", json.dumps(GOOD) + "\n[1, 2]\n")
    assert refusal(path).startswith(f"{path}, line 2: the row is a list ([1, 2]); expected an object")
    path = write(tmp_path / "c.jsonl", json.dumps(GOOD).encode() + b'\n{"item": "\xe9"}\n')
    assert refusal(path).startswith(f"{path}, line 2: byte 11 is not valid UTF-8 (found 0xe9)")
    path = write(tmp_path / "d.json", '[{"item": 1},\n {"item"]')
    assert refusal(path).startswith(f"{path}, line 2: not valid JSON (")
    path = write(tmp_path / "e.json", json.dumps(GOOD, indent=1))
    assert refusal(path).startswith(f"{path}, line 1: not valid JSON (")
    path = write(tmp_path / "f.json", json.dumps([GOOD, GOOD | {"item": 2, "hypothesis": 7}]))
    assert refusal(path).startswith(f"{path}, row 2: hypothesis is a number (7)")
    path = write(tmp_path / "g.jsonl", '{"item": 1, "hypothesis": "h", "ratings": {"q": NaN}}\n')
    assert refusal(path).startswith(f"{path}, line 1: not valid JSON (")


def test_lines_are_counted_beyond_the_first_chunk(tmp_path: Path) -> None:
    lines = [json.dumps(GOOD | {"item": n}) for n in range(3000)]
    lines[2345] = json.dumps(GOOD | {"item": 17})
    path = write(tmp_path / "a.jsonl", "\n".join(lines))
    sentence = f"{path}, line 2,346: item '17' of system 'a' was already given at {path}, line 18;"
    assert refusal(path).startswith(sentence)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.tsv", "a.jsonl.gz"])
def test_empty_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for content in (b"", b"\n\n"):
        write(path, gzip.compress(content) if name.endswith("gz") else content)
        assert refusal(path) == f"{path} is empty: it has no rows; expected one row for each output"


def test_no_rows_and_no_outputs(tmp_path: Path) -> None:
    assert refusal([]) == "the list of rows is empty; expected one row for each output"
    assert refusal(write(tmp_path / "a.json", "[]")).startswith(f"{tmp_path / 'a.json'} is empty")
    assert refusal([GOOD | {"hypothesis": None}]) == (
        "the data has no outputs: every row lacks a hypothesis or has null; expected some texts"
    )


def test_files_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, missing = write(tmp_path / "outputs.jsonl", json.dumps(GOOD)), tmp_path / "outptus.jsonl"
    assert refusal(missing) == f"no such file: {missing}; did you mean {path}?"
    away = tmp_path / "nowhere" / "a.jsonl"
    assert refusal(away) == f"no such file: {away}; there is no folder {tmp_path / 'nowhere'}"
    assert refusal(None, hyp={"a": missing}) == f"no such file: {missing}; did you mean {path}?"
    assert refusal(None, hyp={"a": tmp_path}) == f"{tmp_path} is a folder; expected a file"

    def denied(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(builtins, "open", denied)
    assert refusal(path) == f"{path}: no permission to read this file; change its mode or its owner"


def test_unsupported_inputs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", "x")
    assert refusal(path) == (
        f"{path}: the extension .xlsx is not one of .jsonl, .ndjson, .json, .csv, .tsv (each also "
        ".gz or .zst), .parquet; rename the file, or give plain texts as line files (--hyp "
        "NAME=FILE --ref FILE; in Python hyp=…, refs=…)"
    )
    assert refusal(tmp_path / "b.xlsx").startswith("no such file")
    path = write(tmp_path / "a.gz", "x")
    assert refusal(path).startswith(f"{path}: the extension (none) is not one of")
    assert refusal(7) == (
        "cannot read an evaluation set from a int; expected a path, a list of dictionaries or a data frame"
    )
    assert refusal([GOOD], repeats="drop") == "repeats must be refuse or number; got 'drop'"
    assert refusal([GOOD], refs=["x"]) == "hyp, refs, src and pair belong to files; rows were given"


def test_truncated_archives(tmp_path: Path) -> None:
    lines = "".join(json.dumps(GOOD | {"item": n}) + "\n" for n in range(500)).encode()
    path = write(tmp_path / "a.jsonl.gz", gzip.compress(lines)[:-20])
    assert refusal(path).startswith(f"{path} is not a complete gzip file (")
    assert refusal(path).endswith("it is truncated or damaged: fetch or write it again")
    assert "is not a complete gzip file" in refusal(write(tmp_path / "b.jsonl.gz", lines))
    zstandard = pytest.importorskip("zstandard")
    path = write(tmp_path / "a.jsonl.zst", zstandard.compress(lines)[:-5])
    assert refusal(path).startswith(f"{path} is not a complete zstd file (")
    assert "is not a complete zstd file" in refusal(write(tmp_path / "b.jsonl.zst", lines))


CSV = [
    (
        "item,system,hypothesis\n1,a,x\n2,a,x,y\n",
        "FILE, line 3: 4 fields; expected 3 as in the header (item, "
        "system, hypothesis); quote fields that hold the separator",
    ),
    ("item,system,hypotesis\n", "FILE, header: unknown key 'hypotesis': did you mean hypothesis"),
    (
        "item,system\n1,a\n",
        "FILE: no column hypothesis; found item, system; expected the columns item, system",
    ),
    ("item,item,hypothesis\n", "FILE, line 1: the column 'item' occurs twice; expected each name once"),
    ("item;system;hypothesis\n", "FILE, line 1: the columns seem separated by semicolons; expected commas"),
    (
        'item,hypothesis\n1,"open\n2,x\n',
        "FILE, line 2: not a valid row (unexpected end of data); a field that",
    ),
    ('item,hypothesis\n1,"open\n2,"x\n', "FILE, line 2: not a valid row ("),
    ("item,hypothesis,references\n1,x,r\n", "FILE, line 2: references is not valid JSON ("),
    ("item,hypothesis,ratings.f\n1,x,nan\n", "FILE, line 2: the rating 'f' is a number (nan); " + FINITE),
    ("item,hypothesis,ratings.f\n1,x,high\n", "FILE, line 2: the rating 'f' is a text ('high'); " + FINITE),
    (
        'item,hypothesis\n1,"x\ny"\n1,x\n',
        "FILE, line 4: item '1' of system 'unnamed' was already given at FILE, line 2;",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), CSV)
def test_csv(tmp_path: Path, text: str, sentence: str) -> None:
    path = write(tmp_path / "a.csv", text)
    assert refusal(path).replace(str(path), "FILE").startswith(sentence)


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"item": [1], "references": [["r"]], "system": ["a"]}), path)
    assert refusal(path).startswith(f"{path}, row 1: the key hypothesis is missing; expected the system's output")
    parquet.write_table(pa.table({"item": [1], "system": ["a"]}), path)
    assert refusal(path).startswith(f"{path}: no column hypothesis; found item, system; expected the columns")
    path.write_bytes(path.read_bytes()[:-9])
    assert refusal(path).startswith(f"{path} is not a readable Parquet file (")


@pytest.mark.parametrize(
    ("module", "name", "extra"), [("pyarrow", "a.parquet", "parquet"), ("zstandard", "a.jsonl.zst", "zstd")]
)
def test_missing_extras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    path = write(tmp_path / name, "x")
    with pytest.raises(MissingExtra) as caught:
        io.load(path)
    assert str(caught.value) == (
        f'reading {path} needs the package {module}, which is not installed: pip install "nlgauge[{extra}]"'
    )


def test_missing_extra_for_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"writing .* needs the package zstandard"):
        io.write_jsonl([GOOD], tmp_path / "b.jsonl.zst")
    assert not list(tmp_path.iterdir())


PAIR: dict[str, Any] = {"item": 1, "system_a": "x", "system_b": "y", "hypothesis_a": "A", "hypothesis_b": "B"}
PAIRS: list[tuple[dict[str, Any], str]] = [
    ({}, "FILE, line 2: item '1' of system 'x and y' was already given at FILE, line 1;"),
    (
        {"system_a": "y", "system_b": "x"},
        "FILE, line 2: item '1' of system 'y and x' was already given at FILE",
    ),
    (
        {"hypothesis_b": True},
        "FILE, line 2: hypothesis_b is true or false (True); expected a text in quotation",
    ),
    ({"hypothesis_b": None}, "FILE, line 2: hypothesis_b is null; expected a text in quotation marks"),
    ({"system_b": "x"}, "FILE, line 2: system_a and system_b are both 'x'; expected two systems"),
    ({"hypothesis_bb": "x"}, "FILE, line 2: unknown key 'hypothesis_bb': did you mean hypothesis_b"),
    (
        {"ratings": {"preference": "A"}},
        "FILE, line 2: the rating 'preference' is a text ('A'); expected \"a\"",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), PAIRS)
def test_pairs(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    path = write(tmp_path / "p.jsonl", json.dumps(PAIR) + "\n" + json.dumps(PAIR | changes) + "\n")
    with pytest.raises(InputError) as caught:
        io.load_pairs(path)
    assert str(caught.value).replace(str(path), "FILE").startswith(sentence)


def test_pairs_where_segments_are_expected(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", json.dumps(PAIR | {"hypothesis_b": True}))
    assert io.load_pairs(path, coerce=True)[0].hypothesis_b == "true"
    assert "belongs to pairwise rows" in refusal(path)
    with pytest.raises(InputError, match="list of pairs is empty"):
        io.pairs_to_set([])
