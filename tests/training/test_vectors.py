"""Trained metrics over vectors: formulas by hand, and each head from real dialogues to scores in a new process."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.heads import HEADS, Adem, Cmade, Maude, Read, Ruber, Ruse, Ssrem
from nlgauge.learned.trained import Trained
from nlgauge.learned.vectors import Encoder, Joined, Projection, Sight, VectorForm, encoded
from nlgauge.training import heads as plans
from nlgauge.training.examples import gather
from nlgauge.training.run import KINDS, RECIPES, read_config, recipe, recipes, train
from nlgauge.training.split import held_out
from nlgauge.training.vectors import smoothed, values

FORMS = {
    "ruse": "head: {kind: ruse, hidden: [8]}\ndecay: 0.01",
    "adem": "head: adem",
    "cmade": "head: {kind: cmade, hidden: [32], pretrain: 10}\ndecay: 0.01\nrate: 1e-3",
    "ruber": "head: {kind: ruber, hidden: [16]}\nturns: 2",
    "ruber-entropy": "head: {kind: ruber, hidden: [16], loss: entropy, join: geometric}\nturns: 2",
    "ssrem": "head: {kind: ssrem, join: min, referenced: glove}\nturns: 2",
    "maude": "head: {kind: maude, hidden: [16]}\nturns: 2",
}
RATED = ("ruse", "adem", "cmade")


def dialogues(shared: Path, folder: Path) -> Path:
    """Both sets of USR and that of Gupta et al., as one file."""
    with (folder / "dialogues.jsonl").open("w", encoding="utf-8") as file:
        for name in ("usr_topicalchat", "usr_personachat", "gupta19_multiref_dialogue"):
            told = gzip.decompress((shared / "data" / f"{name}.jsonl.gz").read_bytes()).decode("utf-8")
            for row in map(json.loads, told.splitlines()):
                file.write(json.dumps({**row, "item": f"{name}/{row['item']}"}) + "\n")
    return folder / "dialogues.jsonl"


def config(folder: Path, form: str, more: str = "", epochs: int = 40) -> Path:
    """A configuration over word vectors, which are quick."""
    rated = form in RATED
    data = "{path: dialogues.jsonl, human: Overall}" if rated else "{path: dialogues.jsonl}"
    supervise = "ratings" if rated else "{kind: next, negatives: 3, same_speaker: 1}"
    path = folder / f"{form}.yaml"
    path.write_text(
        f"kind: vectors\nname: {form}\ndata:\n  - {data}\nsupervise: {supervise}\nencoders: [glove]\nreduce: 20\n"
        f"split: 0.25\nepochs: {epochs}\n{FORMS[form]}\n{more}",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_head_learns_from_real_dialogues_and_scores_alike_in_a_new_process(
    shared: Path, tmp_path: Path, form: str
) -> None:
    dialogues(shared, tmp_path)
    found = train(read_config(config(tmp_path, form)), tmp_path / "kept", beside=tmp_path)
    held = found.figures["held_out"]
    if form in RATED:
        assert held["error"] < held["error_of_the_mean"]
        assert held["pearson"] > 0.1
    else:
        assert held["auc"] > 0.55
        assert held["pairs_in_order"] > 0.55
    source = ["do you like music ?", "yes , i sing in a band .", "what kind of songs ?"]
    batch = (["rock songs and some jazz", "my dog is brown"], [["mostly rock music"]] * 2, [source] * 2)
    here = Trained(model=str(tmp_path / "kept")).scores(Batch(*batch))
    assert np.isfinite(here).all()
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, sys; from nlgauge.learned.trained import Trained; from nlgauge.kernels.batch import Batch;"
            "print(json.dumps(Trained(model=sys.argv[1]).scores(Batch(*json.loads(sys.argv[2]))).tolist()));"
            "assert 'torch' not in sys.modules",
            str(tmp_path / "kept"),
            json.dumps(batch),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout) == here.tolist()


def test_a_seed_gives_the_same_weights_again_and_another_gives_others(shared: Path, tmp_path: Path) -> None:
    dialogues(shared, tmp_path)
    made: list[Any] = [
        train(
            read_config(config(tmp_path, "ruber", f"seed: {seed}", epochs=2)),
            tmp_path / f"kept{number}",
            beside=tmp_path,
        ).folder.form.arrays()
        for number, seed in enumerate((1, 1, 2))
    ]
    assert all(np.abs(made[0][name] - made[1][name]).max() < 1e-6 for name in made[0])
    assert np.abs(made[0]["head.M"] - made[2]["head.M"]).max() > 1e-3


@pytest.mark.parametrize("form", ["adem", "cmade"])
def test_an_interrupted_training_goes_on_from_its_last_checkpoint(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    from nlgauge.training import vectors as trainings

    monkeypatch.setattr(trainings, "EVERY", 2)
    dialogues(shared, tmp_path)
    training = read_config(config(tmp_path, form, epochs=5))
    curve: list[dict[str, float]] = []
    real, steps = trainings.Part.only, [0]

    def counted(part: Any, places: Any) -> Any:
        steps[-1] += 1
        return real(part, places)

    monkeypatch.setattr(trainings.Part, "only", counted)
    whole = train(training, tmp_path / "whole", beside=tmp_path, report=curve.append)
    seen: list[dict[str, float]] = []

    def interrupt(figures: dict[str, float]) -> None:
        if len(seen) == len(curve) - 1:
            raise KeyboardInterrupt
        seen.append(figures)

    steps.append(0)
    with pytest.raises(KeyboardInterrupt):
        train(training, tmp_path / "kept", beside=tmp_path, report=interrupt)
    steps.pop()
    assert list((tmp_path / "kept.checkpoints").glob("*.pt"))
    again: list[dict[str, float]] = []
    steps.append(0)
    found = train(training, tmp_path / "kept", beside=tmp_path, report=again.append)
    assert steps[1] < steps[0] / 2
    assert again == curve  # those before the interruption too
    for name, values_ in whole.folder.form.arrays().items():
        np.testing.assert_array_equal(found.folder.form.arrays()[name], values_)
    for path in (tmp_path / "kept.checkpoints").glob("*.pt"):
        path.write_bytes(path.read_bytes()[:100])
    assert train(training, tmp_path / "kept", beside=tmp_path).folder.digest == whole.folder.digest


def test_no_context_of_what_is_held_out_is_learnt_from(shared: Path, tmp_path: Path) -> None:
    path = dialogues(shared, tmp_path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number, row in enumerate(rows):  # one context with different references, as items of their own
        row |= {"item": f"{row['item']}-{number}", "references": [*row["references"], f"reply {number}"]}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for form in ("adem", "maude"):
        training = read_config(config(tmp_path, form))
        found = gather(training, tmp_path)
        found, held = training.supervise.completed(found, held_out(found, training.split, 1), 1)
        contexts = [folded(str(row.source)) for row in found.rows]
        sides = [{context for context, out in zip(contexts, held, strict=True) if out == side} for side in (0, 1)]
        assert min(map(len, sides)) > 20
        assert not sides[0] & sides[1]


def test_ratings_without_sources_teach_no_dialogue(shared: Path, tmp_path: Path) -> None:
    path = dialogues(shared, tmp_path)
    rows = [{**json.loads(line), "source": None} for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match="item 'usr_topicalchat/0' has no source"):
        train(read_config(config(tmp_path, "adem")), tmp_path / "kept", beside=tmp_path)


def test_turns_are_read_from_the_last_and_averaged() -> None:
    sight = Sight((Encoder.of("glove"),), 2)
    batch = Batch(["fox", "fox"], [[], []], [["stone", "dog", "cat"], "bird"])
    words = dict(
        zip(("dog", "cat", "bird", "fox"), encoded(sight.encoders, ["dog", "cat", "bird", "fox"]), strict=True)
    )
    read, owner = sight.read(Ssrem(), batch)
    np.testing.assert_allclose(read.context, [(words["dog"] + words["cat"]) / 2, words["bird"]])
    np.testing.assert_allclose(read.reply, [words["fox"]] * 2)
    assert owner.tolist() == [0, 1]
    read, _ = sight.read(Maude(), batch)
    np.testing.assert_allclose(read.turns, [[words["dog"], words["cat"]], [0 * words["bird"], words["bird"]]])
    assert read.said.tolist() == [[1, 1], [0, 1]]


def vectors(seed: int = 0, count: int = 3, size: int = 2, turns: int = 3) -> Read:
    """Some numbers."""
    random = np.random.default_rng(seed)
    said = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    reply, reference, context = random.normal(size=(3, count, size))
    return Read(reply, reference, context, random.normal(size=(count, turns, size)), said)


def test_bilinear_heads_are_their_papers_formulas() -> None:
    read = vectors()
    r, v, c = read.reply, read.reference, read.context
    m, n = np.random.default_rng(1).normal(size=(2, 2, 2))
    expected = [
        (
            sum(c[k, i] * m[i, j] * r[k, j] for i in range(2) for j in range(2))
            + sum(v[k, i] * n[i, j] * r[k, j] for i in range(2) for j in range(2))
            - 0.7
        )
        / 1.6
        for k in range(3)
    ]
    weights = {"M": m, "N": n, "alpha": np.array([0.7]), "beta": np.array([1.6])}
    np.testing.assert_allclose(Adem().score(np, weights, read), expected)
    np.testing.assert_allclose(Ssrem().score(np, {"M": m}, read), [c[k] @ m @ r[k] for k in range(3)])


def test_networks_read_the_parts_of_their_papers() -> None:
    read, random = vectors(), np.random.default_rng(2)
    r, v, c = read.reply[1], read.reference[1], read.context[1]
    parts = {
        Ruse: np.concatenate([r, v, abs(r - v), r * v]),
        Cmade: np.concatenate([c, r, c * r, abs(c - r)]),
        Ruber: np.concatenate([c, [c @ np.eye(2) @ r / np.sqrt(2)], r]),
    }
    for kind, features in parts.items():
        head = kind(hidden=(4,))
        weights = head.first(2, random)
        hidden = np.tanh(features @ weights["weight.0"] + weights["bias.0"])
        expected = (hidden @ weights["weight.1"] + weights["bias.1"])[0]
        assert head.score(np, weights, read)[1] == pytest.approx(expected)


def test_the_recurrent_network_is_that_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    head, random, read = Maude(hidden=(3,)), np.random.default_rng(3), vectors()
    weights = {name: value + random.normal(0, 0.1, value.shape) for name, value in head.first(2, random).items()}
    cell = torch.nn.GRUCell(2, 2, dtype=torch.double)
    with torch.no_grad():  # PyTorch's order of gates is reset, update, new
        cell.weight_ih.copy_(torch.tensor(np.concatenate([weights[f"W.{gate}"].T for gate in "gzn"])))
        cell.bias_ih.copy_(torch.tensor(np.concatenate([weights[f"b.{gate}"] for gate in "gzn"])))
        cell.bias_hh.zero_()
        # there the reset gate multiplies h U, here h: the same where U of the new state is diagonal
        weights["U.n"] = np.diag([0.5, -0.8])
        cell.weight_hh.copy_(torch.tensor(np.concatenate([weights[f"U.{gate}"].T for gate in "gzn"])))
        for place in range(3):
            h = torch.zeros(1, 2, dtype=torch.double)
            for turn, there in zip(read.turns[place], read.said[place], strict=True):
                h = cell(torch.tensor(turn)[None], h) if there else h
            np.testing.assert_allclose(head.remembered(np, weights, read)[place], h[0].numpy())


def test_losses_by_hand() -> None:
    torch = pytest.importorskip("torch")
    s, y = np.array([2.0, 0.5, -1.0, 0.3]), np.array([1.0, 0.0, 0.0, 1.0])
    pairs = np.array([[0, 1], [0, 2], [3, 2]])
    given = (torch, torch.tensor(s), torch.tensor(y), torch.tensor(pairs))
    chance = 1 / (1 + np.exp(-s))
    hinge = np.mean([max(0, 0.5 - chance[better] + chance[worse]) for better, worse in pairs])
    assert float(plans.Ruber().miss(*given)) == pytest.approx(hinge)
    entropy = (-np.log(chance[[0, 3]]).mean() - np.log(1 - chance[[1, 2]]).mean()) / 2
    assert float(plans.entropy(*given)) == pytest.approx(entropy)
    softmax = -np.log([np.exp(2) / np.exp([2, 0.5, -1]).sum(), np.exp(0.3) / np.exp([0.3, -1]).sum()]).mean()
    assert float(plans.candidates(*given)) == pytest.approx(softmax)
    compared = np.log1p(np.exp([0.5 - 2, -1 - 2, 0.5 - 0.3, -1 - 0.3])).mean()
    assert float(plans.comparison(*given)) == pytest.approx(compared)
    assert float(plans.squared(*given)) == pytest.approx(((s - y) ** 2).mean())


def test_scores_beyond_the_reach_of_exp_have_a_loss() -> None:
    torch = pytest.importorskip("torch")
    s = torch.tensor([1000.0, 990.0, -1000.0], dtype=torch.double, requires_grad=True)
    for better, worse, expected in ((0, 1, np.log1p(np.exp(-10.0))), (1, 0, 10 + np.log1p(np.exp(-10.0)))):
        loss = plans.candidates(torch, s, None, torch.tensor([[better, worse], [better, 2]]))
        assert loss.item() == pytest.approx(expected)
        loss.backward()
    assert bool(torch.isfinite(s.grad).all())


@pytest.mark.parametrize("kind", HEADS)
def test_a_score_does_not_depend_on_what_is_read_beside_it(kind: str) -> None:
    random = np.random.default_rng(6)
    head = HEADS[kind](hidden=(16,))
    joined = Joined("mean", Encoder.of("glove"), np.array([[0.0, 1.0], [0.0, 1.0]])) if head.chance else None
    project = Projection(random.normal(size=50), random.normal(size=(50, 20)))
    form = VectorForm(head, Sight((Encoder.of("glove"),), 2), project, head.first(20, random), joined)
    words = ["the", "dog", "cat", "bird", "fox", "sings", "runs", "sleeps", "loud", "here", "and", "now"]
    texts, others, sources = ([" ".join(random.choice(words, size=6)) for _ in range(150)] for _ in range(3))
    batch = Batch(texts, [[text] for text in others], sources=sources)
    together = form.predict(batch)
    alone = [
        form.predict(Batch([text], [[other]], sources=[source]))[0]
        for text, other, source in zip(texts, others, sources, strict=True)
    ]
    assert together.tolist() == alone


def test_losses_of_pairs_are_nought_without_any() -> None:
    torch = pytest.importorskip("torch")
    for plan in (plans.Ruber(), plans.Ssrem()):
        s = torch.tensor([3.0, -1.0], dtype=torch.double, requires_grad=True)
        loss = plan.miss(torch, s, torch.ones(2), torch.zeros((0, 2), dtype=torch.long))
        loss.backward()
        assert loss.item() == 0
        assert s.grad.tolist() == [0, 0]


def test_a_side_without_a_pair_of_replies_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "dialogues.jsonl").open("w", encoding="utf-8") as file:
        for item in range(30):
            row = {"item": str(item), "system": "s", "hypothesis": "x", "source": [f"what is {item} ?"]}
            file.write(json.dumps({**row, "references": [f"it is {item} ."]}) + "\n")
    path = config(tmp_path, "ruber")
    path.write_text(path.read_text().replace("split: 0.25", "split: 0.03").replace(", same_speaker: 1", ""))
    with pytest.raises(InputError, match="holds no pair of replies"):
        train(read_config(path), tmp_path / "kept", beside=tmp_path)


def test_replies_are_exchanged_with_those_of_other_contexts_only() -> None:
    from nlgauge.training.vectors import swapped_replies

    random = np.random.default_rng(1)
    context = random.normal(size=(5, 3))[[0, 0, 1, 2, 3, 4]]
    reply = random.normal(size=(5, 3))[[0, 1, 2, 3, 4, 4]]
    for seed in range(200):
        part = swapped_replies(Read(reply, context=context), np.random.default_rng(seed))
        bad = part.targets == 0
        assert (part.targets == 1).sum() == 6
        true = {(tuple(c), tuple(r)) for c, r in zip(context, reply, strict=True)}
        made = zip(part.read.context[bad], part.read.reply[bad], strict=True)
        assert not any((tuple(c), tuple(r)) in true for c, r in made)
        assert (part.groups[bad] < 6).all()
    assert bad.sum() > 0


def test_values_of_examples_are_shapleys() -> None:
    random = np.random.default_rng(4)
    points, others = random.normal(size=(5, 2)), random.normal(size=(3, 2))
    good, known = random.random(5) < 0.5, random.random(3) < 0.5

    def worth(chosen: tuple[int, ...], other: int) -> float:
        nearest = sorted(chosen, key=lambda place: ((points[place] - others[other]) ** 2).sum())[:2]
        return float(sum(good[place] == known[other] for place in nearest)) / 2

    expected = np.zeros(5)
    orders = list(permutations(range(5)))
    for order in orders:
        for place in range(5):
            for other in range(3):
                expected[order[place]] += worth(order[: place + 1], other) - worth(order[:place], other)
    found = values(points, good, others, known, 2)
    np.testing.assert_allclose(found, expected / len(orders) / 3, atol=1e-12)


def test_ratings_are_averaged_over_neighbours() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    np.testing.assert_allclose(smoothed(np.array([1.0, 3.0, 5.0, 7.0]), points, 2), [2, 2, 6, 6])


def test_two_scores_are_joined_by_their_ranges() -> None:
    own, cosine = np.array([0.2, 0.6, 0.9]), np.array([0.5, 0.75, 0.4])
    ranges = np.array([[0.2, 0.7], [0.5, 1.0]])
    parts = np.array([[0.0, 0.8, 1.0], [0.0, 0.5, 0.0]])
    for how, expected in (
        ("mean", parts.mean(axis=0)),
        ("geometric", np.sqrt(parts.prod(axis=0))),
        ("min", parts.min(axis=0)),
        ("max", parts.max(axis=0)),
    ):
        np.testing.assert_allclose(Joined(how, Encoder.of("glove"), ranges)(own, cosine), expected)


def test_pooled_word_vectors_are_the_means_and_extremes_of_the_words() -> None:
    words = encoded([Encoder.of("glove")], ["fox", "dog", "fox dog zzqqx", ""])
    np.testing.assert_allclose(words[2], (words[0] + words[1]) / 2)
    assert not words[3].any()
    both = encoded([Encoder.of("glove:extremes")], ["fox dog"])[0]
    np.testing.assert_allclose(both, [*np.maximum(*words[:2]), *np.minimum(*words[:2])])
    assert [Encoder.of(name).kind for name in ("use", "minilm-int8", "minilm-int8:max", "glove")] == [
        "sentence",
        "sentence",
        "contextual",
        "static",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"supervise: {kind: next": "supervise: {kind: origin", ", negatives: 3, same_speaker: 1": ""},
            "ruber learns by supervise: next",
        ),
        ({"encoders: [glove]": "encoders: []"}, "encoders is empty"),
        ({"encoders: [glove]": "encoders: [nothing-such]"}, "nothing-such"),
        ({"kind: ruber": "kind: rubber"}, "head.kind cannot be 'rubber'"),
    ],
)
def test_what_cannot_be_learnt_is_refused(shared: Path, tmp_path: Path, change: dict[str, str], said: str) -> None:
    dialogues(shared, tmp_path)
    path = config(tmp_path, "ruber")
    text = path.read_text(encoding="utf-8")
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        train(read_config(path), tmp_path / "kept", beside=tmp_path)
    assert said in str(refused.value)


def test_both_scores_are_explained_and_a_segment_without_a_source_is_refused(shared: Path, tmp_path: Path) -> None:
    dialogues(shared, tmp_path)
    train(read_config(config(tmp_path, "ssrem", epochs=1)), tmp_path / "kept", beside=tmp_path)
    metric = Trained(model=str(tmp_path / "kept"))
    told = metric.explained(Batch(["yes"], [["no"]], [["a", "b"]]))
    assert [figure.name for figure in told.figures] == ["unreferenced", "referenced"]
    assert not any("Shapley" in note for note in told.notes)
    with pytest.raises(InputError, match="segment 0 has no source"):
        Trained(model=str(tmp_path / "kept")).scores(Batch(["yes"], [["no"]]))


def test_every_recipe_can_be_read_and_says_what_it_makes(tmp_path: Path) -> None:
    for name, about in recipes().items():
        assert about, name
        path = tmp_path / f"{name}.yaml"
        path.write_text(recipe(name), encoding="utf-8")
        assert read_config(path).kind in KINDS
        assert "# Rows have " in recipe(name).partition("kind:")[0], name
    assert set(HEADS) | {"ruber-bert"} <= set(recipes())


def test_recipes_are_listed_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    from nlgauge.cli import main

    def run(*words: str) -> tuple[int, Any]:
        code = main(["train", *words])
        return code, capsys.readouterr()

    code, said = run("--recipes")
    assert code == 0
    assert "RUBER (Tao et al. 2018)" in said.out
    assert run("--recipe", "ruber")[1].out == recipe("ruber")
    assert "nlgauge train --recipe NAME > metric.yaml" in said.out and str(RECIPES) in said.out
    told = json.loads(run("--recipes", "--json")[1].out)
    assert "ruber" in told["recipes"] and (Path(told["folder"]) / "ruber.yaml").is_file()
    code, said = run("--recipe", "rubr")
    assert code == 2
    assert "did you mean ruber" in said.err
    code, said = run()
    assert code == 2
    assert "train needs CONFIG and -o FOLDER" in said.err


def test_the_survey_says_how_a_metric_is_trained_and_counts_it_as_not_running(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from nlgauge.cli import main
    from nlgauge.metrics.registry import METRICS
    from nlgauge.metrics.survey import ENTRIES

    trainable = [entry for entry in ENTRIES if entry.recipe]
    assert {entry.recipe for entry in trainable} <= set(recipes())
    runs = {name for entry in trainable for name in set(entry.names) & set(METRICS)}
    assert runs == {"bleurt"}  # which needs a checkpoint, so that it does not run as it stands
    assert main(["list", "--task", "dialogue", "--json"]) == 0
    told = {row["metric"]: row for row in json.loads(capsys.readouterr().out)["metrics"]}
    assert told["RUBER"]["training"] == "train it: nlgauge train --recipe ruber"
    assert not told["RUBER"]["installed"]
    main(["list", "--taxonomy"])
    said = capsys.readouterr().out
    assert "RUBER: train it: nlgauge train --recipe ruber" in said
    assert f"; {len(trainable)} can be trained" in " ".join(said.split())
