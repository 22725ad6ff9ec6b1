"""Tables from choices made by hand, corpora of users, and a tiny reproduction from beginning to end."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert  # noqa: E402

from nlgauge.cli import main  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge.learned.comparator import Written  # noqa: E402
from nlgauge.reproduce.evaluators import Strengths  # noqa: E402
from nlgauge.reproduce.settings import Settings  # noqa: E402
from nlgauge.reproduce.tables import Group, Said, Truth, choose, table3  # noqa: E402
from nlgauge.reproduce.writing import Wrote, corpus_of  # noqa: E402

TINY = Settings(
    groups=2,
    options=2,
    shares=(0.2, 0.6, 1.0),
    learn=150,
    valid=10,
    shown=8,
    samples=2,
    fresh=12,
    widths=(16,),
    steps=(10, 20),
    watched=20,
    runs=2,
    read=10,
    rated=16,
    games=60,
    batch=8,
    longest=64,
    single=4,
    plays=200,
    comparisons=20,
)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # in this process
    torch.set_num_threads(1)


def wrote(quality: float, perplexity: float, fresh: list[float]) -> Wrote:
    texts = tuple(Written(f"{quality} {place}", f"p{place}") for place in range(5))
    return Wrote({}, texts, perplexity, (1.0,) * 5, (quality,) * 5, tuple(fresh))


def test_an_option_counts_as_best_where_it_is_not_surely_below() -> None:
    random = np.random.default_rng(1)
    best = random.normal(3.0, 0.5, 400)
    near, far = best + random.normal(-0.001, 0.5, 400), best - 0.2 + random.normal(0, 0.5, 400)
    group = Group("one", [wrote(1, 1, some.tolist()) for some in (far, best, near)])
    truth = Truth.of(group)
    assert truth.best == (False, True, True) and np.argmax(truth.means) in (1, 2)


def test_each_evaluator_chooses_by_what_it_says() -> None:
    options = [wrote(1.0, 9.0, [1.0]), wrote(3.0, 5.0, [2.0]), wrote(2.0, 2.0, [3.0])]
    texts = [text for option in options for text in option.texts]
    read = {text: np.array([3 * float(text.text.split()[0]), -5.0]) for text in texts}
    bleu = {text: -float(text.text.split()[0]) for text in texts}
    said = Said({"comparator": Strengths("c", read), "adversarial": Strengths("a", read)}, bleu, bleu)
    chosen = {
        name: [choose(Group("g", options), name, said, TINY, stopping=stopping) for stopping in (False, True)]
        for name in ("comparator", "adversarial", "adem", "bleu", "perplexity")
    }
    assert chosen == {
        "comparator": [1, 1],
        "adversarial": [1, 1],
        "adem": [0, 0],
        "bleu": [0, 0],
        "perplexity": [2, 2],
    }


def test_wins_are_counted_and_tested_exactly() -> None:
    oracle = {"means": [1.0, 3.0, 2.95], "best": [False, True, True]}
    made: list[dict[str, Any]] = [
        {"chosen": {"comparator": 1, "bleu": 2 if number < 2 else 0}, "oracle": oracle} for number in range(10)
    ]
    made[9]["chosen"] = {"comparator": 0, "bleu": 1}
    found = table3(made, 1, stopping=True)
    ours, bleu = found["rows"]
    assert (ours["wins"], ours["highest"], ours["score"]) == (9, 9, pytest.approx(2.8))
    assert (bleu["wins"], bleu["highest"]) == (3, 1)
    assert (bleu["only_comparator"], bleu["only_this"]) == (7, 1)
    assert bleu["p"] == pytest.approx(2 * 9 / 2**8)  # 1 or fewer of 8, either way
    assert found["chance"] == pytest.approx(20 / 3) and found["last"] == 10
    assert found["best_score"] == 3.0 and found["spread"] == 2.0


def dialogues(folder: Path, number: int) -> None:
    folder.mkdir()
    lines = [
        f"How are you , friend {place} ? __eou__ I am fine {place} . __eou__ Good {place} . __eou__"
        for place in range(number)
    ]
    (folder / "dialogues_text.txt").write_text("\n".join(lines), encoding="utf-8")


def test_the_layouts_of_both_corpora_are_read(tmp_path: Path) -> None:
    sizes = replace(TINY, learn=2, valid=1, shown=1, fresh=1, runs=1, read=1)
    dialogues(tmp_path / "talk", 3)
    corpus = corpus_of(sizes, tmp_path / "talk")
    assert corpus.oracle is None and len(corpus.learn) == 2
    pairs = {(story.prompt, story.text) for story in (*corpus.learn, *corpus.valid, *corpus.shown, *corpus.fresh)}
    assert pairs <= {
        pair
        for place in range(3)
        for pair in (
            (f"how are you , friend {place} ?", f"i am fine {place} ."),
            (f"i am fine {place} .", f"good {place} ."),
        )
    }
    stories = tmp_path / "prompts"
    stories.mkdir()
    for part, number in (("train", 5), ("valid", 2)):
        for side in ("source", "target"):
            lines = [f"{part} {side} {place}" for place in range(number)]
            (stories / f"{part}.wp_{side}").write_text("\n".join(lines), encoding="utf-8")
    read = corpus_of(sizes, stories)
    assert all(story.text == story.prompt.replace("source", "target") for story in (*read.learn, *read.read))


def test_corpora_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        corpus_of(TINY, tmp_path / "none")
    with pytest.raises(InputError, match=r"neither train.wp_source .* nor dialogues_text.txt"):
        corpus_of(TINY, tmp_path)
    (tmp_path / "train.wp_source").write_text("a\nb", encoding="utf-8")
    (tmp_path / "train.wp_target").write_text("a", encoding="utf-8")
    with pytest.raises(InputError, match=r"2 lines and train\.wp_target 1"):
        corpus_of(TINY, tmp_path)
    dialogues(tmp_path / "talk", 3)
    with pytest.raises(InputError, match=r"has 6 different prompts, and 200 are needed"):
        corpus_of(TINY, tmp_path / "talk")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tiny_bert(tmp_path / "bert")
    monkeypatch.setattr("nlgauge.reproduce.settings.SMALL", replace(TINY, encoder=str(tmp_path / "bert")))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_tiny_reproduction_prints_the_tables_and_goes_on_where_it_was(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["reproduce", "learning-to-compare", "--small", "--seed", "3", "--html", "page.html"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    for heading in ("Table 1", "Table 2", "Table 3: hyper", "Table 3: early", "Table 5"):
        assert heading in out and heading in (tiny / "page.html").read_text(encoding="utf-8")
    assert "oracle of the rules, not by people" in out
    assert "generators: 6 of 6" in err and "evaluators: 8 of 8" in err
    folder = tiny / "learning-to-compare"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.json") if path.parent != folder}
    (folder / "texts" / "stopping-001.json").unlink()
    assert main([*words, "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == "" and found["settings"]["seed"] == 3 and len(found["choices"]["search"]) == 2
    assert found == json.loads((folder / "result.json").read_text(encoding="utf-8"))
    kept = {path: path.stat().st_mtime_ns for path in before}
    changed = {path.name for path in before if kept[path] != before[path]}
    assert changed == {"stopping-001.json"}
    assert main(["reproduce", "learning-to-compare", "--small", "--seed", "4"]) == 2
    assert "holds a reproduction with other settings" in capsys.readouterr().err


@pytest.mark.long
def test_evaluators_beside_each_other_say_the_same_as_one_after_the_other(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["reproduce", "learning-to-compare", "--small", "--seed", "3", "-o", "out", "--json", "--quiet"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    rmtree(tiny / "out" / "evaluators")
    rmtree(tiny / "out" / "scores")
    monkeypatch.setattr("nlgauge.reproduce.evaluators.with_memory_for", lambda each: 2)
    assert main(words) == 0
    again = json.loads(capsys.readouterr().out)
    assert {**again, "seconds": None} == {**found, "seconds": None}


def test_a_corpus_without_an_oracle_tells_choices_only(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dialogues(tiny / "talk", 120)
    assert main(["reproduce", "learning-to-compare", "--small", "--corpus", "talk", "-o", "out"]) == 0
    out = capsys.readouterr().out
    assert "Tables 1, 2, 3 and 5, which need to know what is good, are left out" in out
    assert "Choices: early stopping" in out and "ADEM" not in out
    assert not (tiny / "out" / "evaluators" / "adem").exists()


def test_what_cannot_be_reproduced_is_refused(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "learning-to-compare", "--groups", "1"]) == 2
    assert "expected 2 or more" in capsys.readouterr().err
    (tiny / "mine").mkdir()
    assert main(["reproduce", "learning-to-compare", "--small", "-o", "out", "--html", "mine"]) == 2
    assert "mine is a folder" in capsys.readouterr().err and not (tiny / "out").exists()
    (tiny / "mine" / "thesis.txt").write_text("x", encoding="utf-8")
    assert main(["reproduce", "learning-to-compare", "--small", "-o", "mine"]) == 2
    assert "is no folder of a reproduction" in capsys.readouterr().err
    assert main(["reproduce", "learning-to-compare", "--corpus", "none", "-o", "out"]) == 2
    assert "is no folder" in capsys.readouterr().err and not (tiny / "out").exists()
