"""Transfer systems: what each learns from, that they learn, go on where they were, and refuse what they cannot do."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_papers import SOURCES, split, write_split

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.style.forms import Article, read_transfers
from nlgauge.style.systems import FORMS, Settings, directions_between, tasks_of, transfer
from nlgauge.text.pieces import joined

TINY = Settings(steps=4, batch=8, width=16, words=12, seed=1)
PAPERS = split(12)


def one_thread() -> None:
    """So small networks are slower with more."""
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
    torch.set_num_threads(1)


def texts(examples: tuple[tuple[str, str], ...]) -> set[tuple[str, str]]:
    return {(joined(prompt.split()), joined(headline.split())) for prompt, headline in examples}


def test_each_system_learns_from_its_parts() -> None:
    directions = directions_between(PAPERS)
    assert directions == ["courier>gazette", "gazette>courier"]
    tasks = tasks_of(PAPERS, tuple(FORMS), directions, TINY)
    sizes = {key: len(task.examples) for key, task in tasks.items() if key[1] == directions[0]}
    assert sizes == {("SUM", directions[0]): 24, ("S2S1", directions[0]): 12} | {
        ("S2S2", directions[0]): 24,
        ("S2S3", directions[0]): 12,
    }
    there, back = (tasks["S2S3", direction] for direction in directions)
    by_id = {article.id: article for article in PAPERS["a1"]}
    expected = {
        (article.headline, by_id[article.pair].headline) for article in PAPERS["a1"] if article.source == "courier"
    }
    assert texts(there.examples) == expected
    assert texts(back.examples) == {(target, source) for source, target in expected}
    own = {article.headline for part in ("rest", "a3") for article in PAPERS[part] if article.source == "gazette"}
    assert {text for _, text in texts(tasks["SUM", "courier>gazette"].examples)} == own
    assert all(len(prompt.split()) == 12 for prompt, _ in tasks["SUM", "courier>gazette"].examples)


def test_of_three_sources_a_direction_learns_from_its_own_pairs_whoever_names_them() -> None:
    papers = split(10, SOURCES)
    directions = directions_between(papers)
    assert len(directions) == 6
    tasks = tasks_of(papers, ("SUM", "S2S3"), directions, TINY)
    by_id = {article.id: article for article in papers["a1"]}
    for direction in directions:
        source, _, target = direction.partition(">")
        for prompt, wrote in texts(tasks["S2S3", direction].examples):
            assert any(
                article.headline == prompt and other.source == target and other.headline == wrote
                for article in by_id.values()
                if article.source == source
                for other in by_id.values()
            )
        assert len(tasks["S2S3", direction].examples) == 10
    assert tasks["SUM", "courier>herald"] is tasks["SUM", "gazette>herald"]
    with pytest.raises(
        InputError, match=r"S2S3 has nothing to learn courier>herald from: a1\.jsonl holds no headline of"
    ):
        lone = {part: [replace(article, pair="") for article in articles] for part, articles in papers.items()}
        tasks_of(lone, ["S2S3"], ["courier>herald"], TINY)


def test_they_are_trained_kept_and_trained_again_when_anything_else_is_asked(tmp_path: Path) -> None:
    one_thread()
    told: list[tuple[int, int]] = []
    first = transfer(PAPERS, tmp_path, settings=TINY, jobs=1, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 8) for done in range(9)]
    assert len(first.transfers) == 4 * 24
    assert [network["examples"] for network in first.networks] == [24, 24, 12, 12, 24, 24, 12, 12]
    written = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*")}
    again = transfer(PAPERS, tmp_path, settings=TINY, jobs=1)
    assert again.transfers == first.transfers
    assert len(again.reused) == 8
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*")} == written
    one = next(tmp_path.glob("SUM-gazette-*"))
    (one / "receipt.json").unlink()  # an interrupted training
    assert len(transfer(PAPERS, tmp_path, settings=TINY, jobs=1).reused) == 7
    other = transfer(PAPERS, tmp_path, systems=["S2S1"], settings=replace(TINY, seed=2), jobs=1)
    assert other.reused == ()
    assert other.settings.seed == 2


def test_a_direction_among_three_is_learnt(tmp_path: Path) -> None:
    one_thread()
    papers = split(80, SOURCES)
    settings = Settings(steps=220, batch=32, width=32, rate=0.01, dropout=0.0, words=20, seed=1)
    found = transfer(
        papers, tmp_path, systems=["SUM", "S2S2"], directions=["courier>gazette"], settings=settings, jobs=1
    )
    events = {article.id: article for article in papers["test"]}
    wanted = {id_[1:]: article.headline for id_, article in events.items() if article.source == "gazette"}
    assert {row.direction for row in found.transfers} == {"courier>gazette"}
    for system in ("SUM", "S2S2"):
        rows = [row for row in found.transfers if row.system == system]
        assert len(rows) == 80
        right = sum(row.text == wanted[row.id[1:]] for row in rows)
        assert right >= 68, (system, right)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one_thread()
    folder = write_split(tmp_path / "split", PAPERS)
    out = tmp_path / "outputs.jsonl"
    command = ["style", "transfer", str(folder), "-o", str(out), "--system", "S2S1", "--steps", "2"]
    command += ["--width", "8", "--jobs", "1"]
    assert main(command) == 0
    shown = capsys.readouterr()
    assert "24 headlines of courier>gazette, gazette>courier" in shown.out
    assert shown.err.split("\n")[0] == "networks: 0 of 2"
    rows = read_transfers(out)
    assert [row.id for row in rows if row.direction == "courier>gazette"] == [f"ctest{n}" for n in range(12)]
    assert main([*command, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["steps"] == 2
    assert [network["examples"] for network in found["networks"]] == [12, 12]
    assert found == {
        "outputs": str(out),
        "rows": 24,
        **json.loads((tmp_path / "outputs-networks" / "receipt.json").read_text()),
    }


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--system", "SUMM"], "there is no system 'SUMM'; did you mean SUM"),
        (["--direction", "courier>gazete"], "there is no source 'gazete'; did you mean gazette"),
        (["--direction", "courier>courier"], "direction 'courier>courier' leads nowhere"),
        (["--direction", "courier"], "direction 'courier' must be SOURCE>TARGET"),
        (["--networks", "/dev/null"], "/dev/null is a file; expected a folder"),
    ],
)
def test_what_is_refused(options: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one_thread()
    folder = write_split(tmp_path / "split", PAPERS)
    assert main(["style", "transfer", str(folder), "-o", str(tmp_path / "out.jsonl"), *options]) == 2
    assert expected in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["split"]


def test_sources_that_cannot_be_transferred_are_told() -> None:
    alone = {
        part: [article for article in articles if article.source == "courier"] for part, articles in PAPERS.items()
    }
    with pytest.raises(InputError, match="the split holds articles of courier only"):
        directions_between(alone)
    with pytest.raises(InputError, match="the split holds no articles"):
        directions_between({part: [] for part in PAPERS})
    untested = {**PAPERS, "test": alone["test"]}
    with pytest.raises(InputError, match=r"test\.jsonl has no article of gazette for gazette>courier"):
        directions_between(untested)


def test_texts_that_are_empty_are_not_learnt_from_and_give_nothing(tmp_path: Path) -> None:
    one_thread()
    empty = Article("x", "courier", None, "", "")
    papers = {part: [*articles, empty] for part, articles in PAPERS.items()}
    found = transfer(papers, tmp_path, systems=["SUM"], settings=TINY, jobs=1)
    assert [network["examples"] for network in found.networks] == [24, 24]
    assert [row.text for row in found.transfers if row.id == "x"] == [""]


def test_the_lack_of_torch_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("nlgauge.generators", "nlgauge.style.networks"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    folder = write_split(tmp_path / "split", PAPERS)
    assert main(["style", "transfer", str(folder), "-o", str(tmp_path / "out.jsonl")]) == 2
    assert 'needs the package torch, which is not installed: pip install "nlgauge[train]"' in capsys.readouterr().err


def test_a_network_with_a_damaged_receipt_counts_as_unfinished(tmp_path: Path) -> None:
    one_thread()
    from nlgauge.style.networks import kept

    assert not kept(tmp_path)
    (tmp_path / "receipt.json").write_text('{"name": ', encoding="utf-8")
    assert not kept(tmp_path)
    (tmp_path / "receipt.json").write_text('{"name": "SUM"}', encoding="utf-8")
    assert kept(tmp_path)
