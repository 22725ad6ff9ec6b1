"""Learning without ratings: which reply follows, and who wrote a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError
from nlgauge.learned.turns import Turn, dialogue
from nlgauge.training.examples import gather
from nlgauge.training.run import read_config, train
from nlgauge.training.split import held_out
from nlgauge.training.supervision import CORRUPTIONS

TOPICS = ("fox dog cat", "river lake sea", "stone wall roof", "bread wine cheese", "car road wheel")


def rows(items: int = 40, seed: int = 1) -> list[dict[str, Any]]:
    """Dialogues whose true reply speaks of what was spoken of; a system always says the same."""
    random, made = Random(seed), []
    for item in range(items):
        words = TOPICS[item % len(TOPICS)].split()
        said = [" ".join(random.choice(words) for _ in range(6)) for _ in range(4)]
        row = {"item": str(item), "system": "dull", "hypothesis": "i do not know", "source": said[:3]}
        made.append({**row, "references": [said[3], f"well , {said[3]}"]})
    return made


def write(folder: Path, given: Iterable[Mapping[str, Any]], supervise: str, more: str = "") -> Path:
    """A configuration beside its data."""
    (folder / "talk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    path = folder / "metric.yaml"
    path.write_text(
        f"kind: features\nname: follows\ndata:\n  - {{path: talk.jsonl}}\nsupervise: {supervise}\n"
        f"features: [length]\n{more}",
        encoding="utf-8",
    )
    return path


def test_true_replies_are_one_and_replies_of_other_items_nought_on_each_side_of_the_split(
    tmp_path: Path,
) -> None:
    config = read_config(
        write(tmp_path, rows(), "{kind: next, negatives: 2, corrupt: [shuffled], same_speaker: 1}", "split: 0.3")
    )
    found = gather(config, tmp_path)
    assert len(found) == 80
    assert set(found.targets) == {1.0}
    held = held_out(found, config.split, 1)
    whole, held = config.supervise.completed(found, held, 1)
    items, systems = np.array(whole.items), np.array([row.system for row in whole.rows])
    assert not set(items[held]) & set(items[~held])
    texts = np.array([folded(row.text or "") for row in whole.rows])
    for side in (held, ~held):
        true = set(texts[side & (whole.targets == 1)])
        assert set(texts[side & (systems == "another item")]) <= true
    replies = {(item, text) for item, text, target in zip(items, texts, whole.targets, strict=True) if target}
    assert not any(
        (item, text) in replies for item, text, target in zip(items, texts, whole.targets, strict=True) if not target
    )
    better, worse = whole.pairs.T
    assert whole.targets[better].all()
    assert not whole.targets[worse].any()
    assert (items[better] == items[worse]).all()
    own = [row for row in whole.rows if row.system == "the same speaker"]
    assert own
    assert all(row.text == row.source[1] for row in own)  # two speakers take turns
    again, _ = config.supervise.completed(found, held_out(found, config.split, 1), 1)
    assert [row.text for row in again.rows] == [row.text for row in whole.rows]


def test_a_reply_is_never_among_its_own_references(tmp_path: Path) -> None:
    for supervise in ("next", "origin"):
        found = gather(read_config(write(tmp_path, rows(), supervise)), tmp_path)
        assert all(folded(row.text or "") not in map(folded, row.references) for row in found.rows)
        assert {len(row.references) for row in found.rows} == {1}  # as many for a system's as for people's


def test_texts_of_people_are_one_and_those_of_systems_nought(tmp_path: Path) -> None:
    given = [*rows(), *({**row, "system": "human", "hypothesis": f"yes {row['item']}"} for row in rows())]
    found = gather(read_config(write(tmp_path, given, "{kind: origin, people: [human]}")), tmp_path)
    said = {row.text: target for row, target in zip(found.rows, found.targets, strict=True)}
    assert said["i do not know"] == 0
    assert said["yes 3"] == 1
    assert (found.targets == 1).sum() == 120
    result = train(
        read_config(write(tmp_path, given, "{kind: origin, people: [human]}")),
        tmp_path / "kept",
        beside=tmp_path,
    )
    assert result.folder.about.target["supervise"] == "origin"
    assert {"accuracy", "auc", "error"} <= set(result.figures["held_out"])
    assert "who wrote a text" in (tmp_path / "kept" / "README.md").read_text()


def test_spoilt_texts_of_people_are_nought_and_stay_on_their_side(tmp_path: Path) -> None:
    config = read_config(
        write(
            tmp_path,
            [{**row, "source": {"image": [float(row["item"])]}} for row in rows()],
            "{kind: origin, augment: [others, shuffled, replaced]}",
            "split: 0.3",
        )
    )
    found = gather(config, tmp_path)
    held = held_out(found, config.split, 1)
    whole, sides = config.supervise.completed(found, held, 1)
    added = range(len(found), len(whole))
    assert {whole.rows[place].system for place in added} == {"others", "shuffled", "replaced"}
    assert not whole.targets[len(found) :].any()
    assert np.array_equal(sides[: len(found)], held)
    people = {
        side: {folded(row.text or "") for row, own in zip(found.rows, held, strict=True) if own == side}
        for side in (False, True)
    }
    for place in added:
        row = whole.rows[place]
        assert row.source["image"] == [float(row.item)]  # the text is another, the image is not
        assert folded(row.text or "") not in map(folded, row.references)
        if row.system == "others":
            assert folded(row.text or "") in people[bool(sides[place])]
    assert not set(np.array(whole.items)[sides]) & set(np.array(whole.items)[~sides])


@pytest.mark.parametrize(
    ("given", "supervise", "said"),
    [
        (
            [{**row, "source": None} for row in rows()],
            "next",
            "20 texts of people with a source are needed; found 0",
        ),
        (
            [{**row, "item": "1", "source": ["a"], "references": [f"r{n}" for n in range(30)]} for row in rows(2)],
            "next",
            "one item only",
        ),
        ([{**row, "references": []} for row in rows()], "origin", "found 0 and 40"),
        ([{**row, "references": []} for row in rows()], "next", "found 0"),
    ],
)
def test_data_that_say_nothing_are_refused(tmp_path: Path, given: Any, supervise: str, said: str) -> None:
    path = write(tmp_path, given, supervise, "split: 0.0")
    with pytest.raises(InputError) as refused:
        train(read_config(path), tmp_path / "kept", beside=tmp_path)
    assert said in str(refused.value)


def test_ratings_and_learning_without_them_exclude_each_other(tmp_path: Path) -> None:
    path = write(tmp_path, rows(), "next")
    path.write_text(path.read_text().replace("talk.jsonl}", "talk.jsonl, human: quality}"))
    with pytest.raises(InputError, match="line 4: human names ratings, and supervise: next learns without"):
        read_config(path)


def test_corruptions_keep_the_words() -> None:
    text = "the old fox sings under the bridge at night"
    made = {name: corrupt(text, Random(1)).split() for name, corrupt in CORRUPTIONS.items()}
    assert sorted(made["shuffled"]) == sorted(text.split())
    assert made["shuffled"] != text.split()
    assert 0 < len(made["dropped"]) < len(text.split()) < len(made["repeated"])
    assert all(set(words) <= set(text.split()) for words in made.values())


@pytest.mark.parametrize(
    ("source", "reply", "turns", "answer"),
    [
        ("hi\n\nhello", "fine", (Turn("a", "hi"), Turn("b", "hello")), Turn("a", "fine")),
        (
            "User: hi\nSystem: yes?\nUser: no",
            "System: ok",
            (Turn("User", "hi"), Turn("System", "yes?"), Turn("User", "no")),
            Turn("System", "ok"),
        ),
        (
            [{"speaker": "A", "text": "hi"}, {"speaker": "B", "text": "ho"}],
            "he",
            (Turn("A", "hi"), Turn("B", "ho")),
            Turn("A", "he"),
        ),
    ],
)
def test_turns_and_speakers_of_a_source(source: Any, reply: str, turns: Any, answer: Turn) -> None:
    found = dialogue(source, reply, "item 1")
    assert (found.turns, found.reply) == (turns, answer)


def test_a_source_without_a_turn_is_refused() -> None:
    with pytest.raises(InputError, match=r"item 7 has no source; expected a text with one turn a line"):
        dialogue(None, "x", "item 7")
