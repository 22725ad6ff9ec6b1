"""Reading evaluation sets: formats, columns, alignment, digests."""

from __future__ import annotations

import gzip
import json
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nlgauge import io
from nlgauge.digest import Tally
from nlgauge.errors import InputError
from nlgauge.types import Pair, Segment

ROWS: list[dict[str, Any]] = [
    {
        "item": "1",
        "system": "tgen",
        "source": "name[Blue Spice]",
        "references": ["Blue Spice is a pub.", "A pub: Blue Spice."],
        "hypothesis": "Blue Spice is a pub .",
        "ratings": {"fluency": [4, 5, None], "quality": 4.3},
        "category": "pub",
    },
    {"item": 2, "system": "tgen", "references": ["Ça va ?"], "hypothesis": ""},
    {"item": "1", "system": "slug", "hypothesis": "a \u2028 line\x0bseparator\x1c"},
    {"item": "3", "system": "slug", "references": ["x"], "hypothesis": "y"},
    {"item": "2", "system": "slug", "hypothesis": None},
]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def jsonl(path: Path, rows: list[Any] = ROWS) -> Path:
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def test_columns_items_and_counts(tmp_path: Path) -> None:
    data = io.load(jsonl(tmp_path / "a.jsonl"))
    assert data.systems == ["tgen", "slug"]
    assert data.items == ["1", "2", "3"]
    assert len(data) == 4
    tgen = data.column("tgen")
    assert (tgen.system, tgen.items, tgen.hypotheses) == ("tgen", ["1", "2"], ["Blue Spice is a pub .", ""])
    assert tgen.references == [("Blue Spice is a pub.", "A pub: Blue Spice."), ("Ça va ?",)]
    assert tgen.sources == ["name[Blue Spice]", None]
    # references given once belong to every row of the item
    assert data.column("slug").references == [("Blue Spice is a pub.", "A pub: Blue Spice."), ("x",)]
    summary = data.summary
    assert (summary.segments, summary.systems, summary.items) == (4, 2, 3)
    assert (summary.references_min, summary.references_max) == (1, 2)
    assert (summary.empty, summary.missing) == (1, 1)
    assert str(summary) == (
        "4 segments, 2 systems, 3 items, 1–2 references an item, 1 empty hypothesis (scored), "
        "1 row without an output left out"
    )


def test_segments_ratings_and_extra(tmp_path: Path) -> None:
    data = io.load(jsonl(tmp_path / "a.jsonl"))
    first, second = list(data.segments("tgen"))
    assert first.source == "name[Blue Spice]"
    assert first.extra == {"category": "pub"}
    assert first.ratings["quality"] == 4.3
    scores = first.ratings["fluency"]
    assert isinstance(scores, tuple)
    assert scores[:2] == (4.0, 5.0)
    assert math.isnan(float(scores[2]))  # the third rater gave none, and the others keep their places
    assert second.ratings == {}
    assert data.criteria == ["fluency", "quality"]
    assert len(data.ratings("slug")) == 2
    texts = ["Blue Spice is a pub .", "", "a \u2028 line\x0bseparator\x1c", "y"]
    assert [segment.hypothesis for segment in data] == texts


def test_aligned_keeps_the_common_items_in_the_order_of_the_first_name() -> None:
    rows = [{"item": item, "system": "a", "hypothesis": f"a{item}"} for item in "1234"]
    rows += [{"item": item, "system": "b", "hypothesis": f"b{item}"} for item in "5312"]
    data = io.load(rows)
    first, second = data.aligned(["a", "b"])
    assert first.items == second.items == ["1", "2", "3"]
    assert first.hypotheses == ["a1", "a2", "a3"]
    assert second.hypotheses == ["b1", "b2", "b3"]
    assert data.missing(["a", "b"]) == {"a": 1, "b": 1}
    assert data.aligned(["b", "a"])[0].items == ["1", "2", "3"]  # whichever comes first
    assert [column.items for column in data.aligned(["b"])] == [["5", "3", "1", "2"]]
    assert data.missing(["b"]) == {"b": 0}
    with pytest.raises(InputError, match="no system 'A': did you mean a"):
        data.aligned(["A"])


def test_digest_follows_the_texts_and_their_order_but_not_the_interleaving() -> None:
    def rows(order: str = "a1 a2 b1 b2") -> list[dict[str, Any]]:
        return [
            {"item": key[1], "system": key[0], "hypothesis": key, "references": ["r" + key[1]]} for key in order.split()
        ]

    digest = io.load(rows()).digest
    assert len(digest) == 12
    assert int(digest, 16) >= 0
    assert digest == io.load(rows("b1 a1 a2 b2")).digest
    assert digest != io.load(rows("a2 a1 b1 b2")).digest
    changed = [rows() for _ in range(4)]
    changed[0][0]["hypothesis"] += " "
    changed[1][0]["references"] = changed[1][2]["references"] = ["r1", ""]
    changed[2][0]["system"] = changed[2][1]["system"] = "c"
    changed[3][0]["item"] = changed[3][2]["item"] = "9"
    digests = {io.load(each).digest for each in changed}
    assert len(digests) == 4
    assert digest not in digests
    unrated = rows()
    unrated[0] |= {"ratings": {"x": 1}, "source": "s", "x_note": "n"}
    assert io.load(unrated).digest == digest


def test_digest_cannot_confuse_borders() -> None:
    def digest(*texts: str) -> str:
        return io.load([{"item": n, "hypothesis": text} for n, text in enumerate(texts)]).digest

    assert digest("ab", "c") != digest("a", "bc")
    row = {"item": 1, "hypothesis": "h"}
    one, two = io.load([row | {"references": ["ab"]}]), io.load([row | {"references": ["a", "b"]}])
    assert one.digest != two.digest


def test_recorded_digest_stays_the_same() -> None:
    """Receipts are compared across versions: a change of the digest is a visible change."""
    rows = [{"item": "1", "system": "s", "hypothesis": "é", "references": ["a", "b"]}]
    assert io.load(rows).digest == "57e5540d2c7d"


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a.jsonl.gz", "a.jsonl.zst", "a.JSONL"])
def test_json_lines_under_all_names(tmp_path: Path, name: str) -> None:
    expected = io.load(jsonl(tmp_path / "plain.jsonl"))
    raw = (tmp_path / "plain.jsonl").read_bytes()
    if name.endswith(".gz"):
        raw = gzip.compress(raw[:50]) + gzip.compress(raw[50:])  # two members, as from `cat a.gz b.gz`
    if name.endswith(".zst"):
        zstandard = pytest.importorskip("zstandard")
        raw = zstandard.compress(raw[:50]) + zstandard.compress(raw[50:])
    data = io.load(write(tmp_path / name, raw))
    assert data.digest == expected.digest
    assert data.summary == expected.summary


def test_json_array_with_bom_and_odd_layout(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", b"\xef\xbb\xbf \n" + json.dumps(ROWS, indent=1).encode())
    assert io.load(path).digest == io.load(ROWS).digest


def test_bom_crlf_and_blank_lines_in_json_lines(tmp_path: Path) -> None:
    text = "\r\n\r\n".join(json.dumps(row) for row in ROWS) + "\r\n"
    data = io.load(write(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + text.encode()))
    assert data.digest == io.load(ROWS).digest


def test_csv_with_numbered_references_and_ratings(tmp_path: Path) -> None:
    text = (
        "item,system,hypothesis,reference_1,ref2,ratings.fluency,ratings.quality,category\n"
        '1,a,"x, ""y""\nz",r1,r2,"[4, 5]",3.5,news\n'
        "\n"
        "2,a,,only,,,,\n"
        "3,a,h,,second,N/A,2,\n"
    )
    data = io.load(write(tmp_path / "a.csv", text))
    column = data.column("a")
    assert column.hypotheses == ['x, "y"\nz', "", "h"]
    assert column.references == [("r1", "r2"), ("only",), ("second",)]
    rated = [dict(each) for each in data.ratings("a")]
    assert rated == [{"fluency": (4.0, 5.0), "quality": 3.5}, {}, {"quality": 2.0}]
    assert next(data.segments()).extra == {"category": "news"}


def test_tsv_with_a_json_list_and_long_fields(tmp_path: Path) -> None:
    long = "x" * 200_000
    text = f'item\tsystem\thypothesis\treferences\tsource\n1\ta\t{long}\t"[""r1"", ""r2""]"\tin\n'
    column = io.load(write(tmp_path / "a.tsv", text)).column("a")
    assert column.hypotheses == [long]
    assert column.references == [("r1", "r2")]
    assert column.sources == ["in"]


def test_reference_as_a_single_text() -> None:
    rows = [
        {"item": 1, "hypothesis": "h", "reference": "r"},
        {"item": 2, "hypothesis": "h", "references": ["s"]},
    ]
    assert io.load(rows).column("unnamed").references == [("r",), ("s",)]
    assert io.load(rows[:1]).column("unnamed").references == [("r",)]


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table(
        {
            "item": [1, 2],
            "system": ["a", "a"],
            "hypothesis": ["x", None],
            "references": [["r", "s"], []],
            "ratings": [{"fluency": [1.0, 2.0], "adequacy": None}, {"fluency": None, "adequacy": 3.0}],
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    data = io.load(tmp_path / "a.parquet")
    assert list(data) == [Segment("1", "a", "x", ("r", "s"), None, {"fluency": (1.0, 2.0)})]
    assert data.summary.missing == 1


class Frame:
    """What is used of a data frame."""

    columns = ("item", "system", "hypothesis", "reference_1", "reference_2", "ratings.q")

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        nan = float("nan")
        cells = [(1, "a", "x", "r", nan, 1.5), (2, "a", nan, "r", "s", nan), (3, "a", "z", "r", "s", nan)]
        return [dict(zip(self.columns, row, strict=True)) for row in cells]


def test_data_frame_without_pandas() -> None:
    data = io.load(Frame())
    assert data.column("a").references == [("r",), ("r", "s")]
    assert data.summary.missing == 1
    assert [dict(each) for each in data.ratings("a")] == [{"q": 1.5}, {}]


def test_real_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    assert io.load(pandas.DataFrame(ROWS[:2])).digest == io.load(ROWS[:2]).digest


def test_list_of_segments_and_generator() -> None:
    segments = [Segment("1", "a", "h", ("r",), ["turn", "turn"]), Segment("2", "a", "h", ("r",))]
    assert list(io.load(segments)) == segments
    assert list(io.load(segment for segment in segments)) == segments


def test_references_in_a_file_of_their_own(tmp_path: Path) -> None:
    outputs = jsonl(tmp_path / "out.jsonl", [{"item": n, "system": "a", "hypothesis": "h"} for n in (1, 2)])
    refs = jsonl(tmp_path / "refs.jsonl", [{"item": n, "references": [f"r{n}"]} for n in (3, 2, 1)])
    for paths in ([outputs, refs], [refs, outputs]):
        data = io.load(paths)
        assert data.items == ["1", "2"]
        assert data.column("a").references == [("r1",), ("r2",)]


def test_items_come_in_the_order_of_their_first_segment_whatever_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = ["a1", "b2", "a3", "b1", "a2", "c4", "a4"]
    rows = [{"item": key[1], "system": key[0], "hypothesis": key} for key in keys]
    path = jsonl(tmp_path / "a.jsonl", rows)
    for size in (1, 2, 3, 100):
        monkeypatch.setattr("nlgauge.io.streaming.PARSE", size)
        data = io.load(path)
        assert data.items == ["1", "2", "3", "4"]
        assert data.column("a").hypotheses == ["a1", "a3", "a2", "a4"]


def test_unnamed_system_and_required_columns() -> None:
    data = io.load([{"item": 1, "hypothesis": "h", "system": None}, {"item": 2, "hypothesis": "h"}])
    assert data.systems == ["unnamed"]
    data.require(["models"])
    with pytest.raises(InputError, match=r"item '1' of system 'unnamed' \(and 1 more.*has no references"):
        data.require(["references"])
    with pytest.raises(InputError, match="has no source"):
        data.require(["source"])


def test_repeated_items_numbered_on_request() -> None:
    rows = [{"item": "7", "hypothesis": text, "references": [text]} for text in "xyz"]
    with pytest.raises(InputError, match=r"row 2: item '7' of system 'unnamed' was already given at .*row 1"):
        io.load(rows)
    data = io.load(rows, repeats="number")
    assert data.items == ["7", "7#2", "7#3"]
    assert data.column("unnamed").references == [("x",), ("y",), ("z",)]


def test_extra_keys() -> None:
    row = {"item": 1, "hypothesis": "h", "x_note": "n", "extra": {"a": 1}, "split": "test"}
    assert next(iter(io.load([row]))).extra == {"x_note": "n", "a": 1, "split": "test"}
    assert next(iter(io.load([row | {"colour": "red"}], allow_extra=True))).extra["colour"] == "red"


def test_a_set_can_be_pickled() -> None:
    data = io.load(ROWS)
    assert pickle.loads(pickle.dumps(data)).digest == data.digest


def test_tally_of_nothing() -> None:
    assert Tally().summary().segments == 0
    assert len(Tally().digest) == 12


PAIRS: list[dict[str, Any]] = [
    {
        "item": "1",
        "system_a": "x",
        "system_b": "y",
        "hypothesis_a": "A",
        "hypothesis_b": "B",
        "source": "s",
        "ratings": {"preference": ["a", "tie", "b"]},
    },
    {
        "item": "1",
        "system_a": "z",
        "system_b": "x",
        "hypothesis_a": "C",
        "hypothesis_b": "A",
        "ratings": {"preference": "b"},
    },
]


def test_pairs(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", PAIRS)
    assert io.is_pairwise(path)
    assert not io.is_pairwise(jsonl(tmp_path / "s.jsonl"))
    pairs = io.load_pairs(path)
    assert pairs[0].preferences == ("a", "tie", "b")
    assert pairs[1] == Pair("1", "z", "x", "C", "A", (), None, {"preference": "b"})
    assert pairs[1].preferences == ("b",)
    data = io.pairs_to_set(pairs)
    assert data.systems == ["x", "y", "z"]
    assert [segment.hypothesis for segment in data] == ["A", "B", "C"]
    assert data.column("z").sources == ["s"]
    unnamed = jsonl(tmp_path / "u.jsonl", [{"item": 1, "hypothesis_a": "A", "hypothesis_b": ""}])
    assert io.load_pairs(unnamed) == [Pair("1", "a", "b", "A", "")]
    io.write_jsonl(pairs, tmp_path / "again.jsonl")
    assert io.load_pairs(tmp_path / "again.jsonl") == pairs


def test_pairs_with_different_texts_are_refused() -> None:
    pairs = [Pair("1", "x", "y", "A", "B"), Pair("1", "x", "z", "other", "C")]
    with pytest.raises(InputError, match=r"pair 2: the output of system 'x' for item '1' differs .* pair 1"):
        io.pairs_to_set(pairs)


def test_types_need_only_the_standard_library() -> None:
    code = "import sys, nlgauge.types; sys.exit(any(m in sys.modules for m in ('numpy', 'orjson', 'pyarrow')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
