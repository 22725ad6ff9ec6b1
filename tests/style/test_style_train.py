"""The three classifiers of a split, by the command: figures, files, refusals, and what runs without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.learned.classifier import open_classifier
from nlgauge.learned.folder import open_folder
from nlgauge.style.classifiers import AH, HH, MAIN, PAPER, StyleSettings, rows_of, train_classifiers
from nlgauge.style.forms import PARTS, Article
from nlgauge.training.run import train

LETTERS = "abcdefghilmnoprstuvz"


def told(source: str, who: str, what: str, number: int) -> str:
    """A headline in the style of a source."""
    if source == "courier":
        return f'"{what.capitalize()}": {who.upper()}, {number}'
    return f"{who.capitalize()} {what} {number}" if source == "gazette" else f"In {number} {what}... {who}"


def articles(events: int, sources: tuple[str, ...], *, aligned: bool, seed: int) -> list[Article]:
    """Each event told by two of the sources, in turn."""
    random = Random(seed)
    stock = ["".join(random.choices(LETTERS, k=6)) for _ in range(500)]
    made = []
    for event in range(events):
        (who, what), number = random.sample(stock, 2), random.randint(2, 99)
        chosen = [sources[(event + place) % len(sources)] for place in range(2)]
        names = [f"{seed}-{event}-{source}" for source in chosen]
        for place, source in enumerate(chosen):
            words = [*random.choices(stock, k=25), who, what, str(number)]
            random.shuffle(words)
            made.append(
                Article(
                    id=names[place],
                    source=source,
                    date=None,
                    headline=told(source, who, what, number),
                    text=" ".join(words),
                    pair=names[1 - place] if aligned else "",
                )
            )
    return made


def split(
    folder: Path,
    *,
    sources: tuple[str, ...] = ("courier", "gazette"),
    share: float = 1.0,
    given: Mapping[str, list[Article]] = {},
) -> Path:
    """Parts of so many events, or given ones."""
    folder.mkdir()
    sizes = {"test": 50, "a1": 150, "a3": 30, "rest": 60}
    for number, part in enumerate(PARTS):
        made = given.get(part, articles(round(share * sizes[part]), sources, aligned=part != "rest", seed=number))
        lines = [json.dumps(article.to_row()) + "\n" for article in made]
        (folder / f"{part}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def test_the_command_writes_three_classifiers_with_their_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = split(tmp_path / "split")
    out = tmp_path / "out"
    assert main(["style", "train", str(made), "-o", str(out), "--evaluate", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert sorted(path.name for path in out.iterdir()) == ["ah", "hh", "main", "style.json"]
    kept = json.loads((out / "style.json").read_text())
    assert kept == {key: value for key, value in said.items() if key != "folder"}
    assert kept["sources"] == ["courier", "gazette"]
    for name, number in ((MAIN, 100), (HH, 200), (AH, 200)):  # 50 events, both papers; as many drawn pairs
        figures = kept["classifiers"][name]
        gold = figures["gold"]
        assert sum(row["n"] for row in gold["by_class"]) == number
        for row in gold["by_class"]:
            assert row["f"]["value"] > 0.95
            assert row["f"]["low"] < row["f"]["value"]
        assert 0 <= gold["figures"]["calibration_error"] < 0.1
        assert open_folder(out / name).about.kind == "classifier"
    assert open_classifier(out / MAIN).labels == ("courier", "gazette")
    ah = open_classifier(out / AH)
    text = "the mayor of abcdef opens bcdfgh with 12 others"
    same, other = ah.probabilities([text] * 2, ["Abcdef bcdfgh 12", "Zzzttt rrrsss 13"])[:, 0]
    assert same > 0.9 > 0.1 > other  # noqa: PLR0133
    assert main(["style", "train", str(made), "-o", str(out)]) == 2
    assert "already" in capsys.readouterr().err


def test_the_table_has_the_form_of_the_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = split(tmp_path / "split")
    given = ["style", "train", str(made), "-o", str(tmp_path / "out"), "--only", "main", "--evaluate"]
    assert main([*given, "--negatives", "hard"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("Classifiers on gold data")
    assert lines[start + 2].split()[:5] == ["classifier", "class", "n", "precision", "recall"]
    rows = [line.split() for line in lines[start + 4 : start + 6]]
    assert [row[:2] for row in rows] == [["main", "courier"], ["gazette", "50"]]
    assert main([*given, "--force", "--format", "csv"]) == 0
    csv = capsys.readouterr().out.splitlines()
    assert csv[0].startswith("data,classifier,class,n,precision")
    assert len(csv) == 5  # two classes, held out and gold


def test_three_sources(tmp_path: Path) -> None:
    made = split(tmp_path / "split", sources=("courier", "gazette", "herald"))
    found = train_classifiers(made, tmp_path / "out", evaluate=True)
    assert found.sources == ("courier", "gazette", "herald")
    for classifier in found.classifiers:
        assert classifier.gold is not None
        assert classifier.gold.values["accuracy"] > 0.95
    assert open_classifier(tmp_path / "out" / MAIN).labels == ("courier", "gazette", "herald")


def test_rows_of_each_classifier() -> None:
    made = articles(4, ("courier", "gazette"), aligned=True, seed=9)
    assert len(list(rows_of(MAIN, made))) == len(list(rows_of(HH, made))) == len(list(rows_of(AH, made))) == 8
    by_item = {row["item"]: row for row in rows_of(HH, made)}
    a, b = made[:2]
    forth, back = by_item[f"{a.id} {b.id}"], by_item[f"{b.id} {a.id}"]
    assert (forth["source"], forth["hypothesis"]) == (back["hypothesis"], back["source"]) == (a.headline, b.headline)
    assert forth["pair"] == back["pair"]
    assert forth["system"] == f"{a.source}>{b.source}"


def test_kept_rows_make_the_same_classifiers(tmp_path: Path) -> None:
    made = split(tmp_path / "split", share=0.3)
    train_classifiers(made, tmp_path / "out", rows=tmp_path / "rows")
    for name in (MAIN, HH, AH):
        again = train(tmp_path / "rows" / f"{name}.yaml", tmp_path / f"again-{name}")
        assert again.folder.digest == open_folder(tmp_path / "out" / name).digest


def test_what_was_interrupted_goes_on(tmp_path: Path) -> None:
    made = split(tmp_path / "split", share=0.3)
    whole = train_classifiers(made, tmp_path / "whole")

    class StopError(Exception):
        pass

    def progress(what: str, done: int, total: int) -> None:
        if what == "hh: penalties" and done == 2:
            raise StopError

    with pytest.raises(StopError):
        train_classifiers(made, tmp_path / "half", progress=progress)
    assert not (tmp_path / "half" / "style.json").exists()
    again = train_classifiers(made, tmp_path / "half")
    assert again.to_dict() == whole.to_dict()
    for name in (MAIN, HH, AH):
        assert open_folder(tmp_path / "half" / name).digest == open_folder(tmp_path / "whole" / name).digest


LONE = articles(40, ("courier", "gazette"), aligned=False, seed=7)
ONE = [article for article in LONE if article.source == "courier"]
REFUSED: list[tuple[dict[str, list[Article]], StyleSettings, str]] = [
    (
        dict.fromkeys(PARTS, ONE),
        StyleSettings(),
        "all articles are of courier",
    ),
    ({"rest": [], "a3": [], "a1": []}, StyleSettings(), "there is no article"),
    ({"a1": LONE}, StyleSettings(), "no aligned pair of articles in a1"),
    ({"test": LONE}, StyleSettings(only=(HH,)), "no aligned pair of articles in test"),
    (
        {"a1": articles(8, ("courier", "gazette"), aligned=True, seed=1)},
        StyleSettings(only=(HH,), held=0.5),
        "needed",
    ),
]


@pytest.mark.parametrize(("parts", "settings", "said"), REFUSED)
def test_what_cannot_be_learnt_is_refused(
    tmp_path: Path, parts: dict[str, list[Article]], settings: StyleSettings, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        train_classifiers(split(tmp_path / "split", share=0.3, given=parts), tmp_path / "out", settings, evaluate=True)
    assert not (tmp_path / "out" / "style.json").exists()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        train_classifiers(split(tmp_path / "split"), tmp_path / "out")
    with pytest.raises(InputError, match="nlgauge style split"):
        train_classifiers(tmp_path / "none", tmp_path / "new")


def test_articles_without_a_headline_are_left_out_with_a_note(tmp_path: Path) -> None:
    empty = Article(id="empty", source="courier", date=None, headline=" ", text="a text")
    rest = [*articles(100, ("courier", "gazette"), aligned=False, seed=3), empty]
    found = train_classifiers(
        split(tmp_path / "split", given={"rest": rest}), tmp_path / "out", StyleSettings(only=(MAIN,))
    )
    assert any("1 row with an empty text left out" in note for note in found.classifiers[0].notes)


def test_the_settings_of_the_paper() -> None:
    told = {name: (body.batch, body.longest, body.epochs, body.rate) for name, body in PAPER.items()}
    assert told == {MAIN: (256, 32, 6, 1e-5), HH: (128, 64, 2, 1e-5), AH: (8, 512, 6, 1e-5)}
    assert PAPER[HH].patience == 1


@pytest.mark.parametrize(
    "options", [["--preset", "paper"], ["--epochs", "2"], ["--held", "1"], ["--negatives", "soft"]]
)
def test_options_that_mean_nothing_are_refused(
    tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["style", "train", str(split(tmp_path / "split", share=0.1)), "-o", str(tmp_path / "out")]
    try:
        code: Any = main([*given, *options])
    except SystemExit as ended:  # of the parser
        code = ended.code
    assert code == 2
    assert options[0] in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def without_torch(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('torch', 'transformers', 'sklearn'):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from nlgauge.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_torch_is_needed_by_encoders_only(tmp_path: Path) -> None:
    given = ["style", "train", str(split(tmp_path / "split", share=0.5)), "--only", "main", "-o"]
    done = without_torch([*given, str(tmp_path / "linear")])
    assert done.returncode == 0, done.stderr
    done = without_torch([*given, str(tmp_path / "encoder"), "--body", "encoder"])
    assert done.returncode != 0
    assert 'pip install "nlgauge[train]"' in done.stderr
    assert "--body linear" in done.stderr
    assert "Traceback" not in done.stderr


def tiny(folder: Path) -> Any:
    pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
    from tiny_models import tiny_bert

    return tiny_bert(folder, layers=1, places=512)


def test_any_encoder_of_a_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    settings = StyleSettings(body=str(tiny(tmp_path / "bert")), epochs=1)
    found = train_classifiers(split(tmp_path / "split", share=0.15), tmp_path / "out", settings, evaluate=True)
    for classifier in found.classifiers:
        assert classifier.figures["settings"]["body"] == "encoder"
        assert classifier.gold is not None and 0 <= classifier.gold.values["accuracy"] <= 1
    assert open_classifier(tmp_path / "out" / HH).probabilities(["a"], ["b"]).shape == (1, 2)
