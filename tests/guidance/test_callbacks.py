"""Early stopping inside real trainings of a tiny language model, and Optuna's studies."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.guidance.callbacks import generator, lightning_callback, trainer_callback
from nlgauge.guidance.comparing import ByScore
from nlgauge.guidance.selection import SkillObjective
from nlgauge.guidance.stopping import EarlyStopping
from nlgauge.learned.comparator import Written
from nlgauge.report.figures import write_figures
from nlgauge.report.guidance import stopping_figures

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: no Trainer")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_causal  # noqa: E402

PROMPTS = ["a b", "b c", "c d", "d e", "a c", "b d"]


def letters(texts: Sequence[Written]) -> list[float]:
    """How many words are the letter that the training teaches, e."""
    return [text.text.split().count("e") for text in texts]


TAUGHT = ByScore("count of e", letters)
FORGOT = ByScore("fewest of e", letters, lower=True)  # for which training makes every checkpoint worse


@pytest.fixture
def model(tmp_path: Path) -> tuple[Any, Any]:
    torch.set_num_threads(1)
    folder = tiny_causal(tmp_path / "gpt", list("abcde"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.eos_token
    return transformers.AutoModelForCausalLM.from_pretrained(folder), tokenizer


def trained(folder: Path, model: Any, tokenizer: Any, callbacks: Sequence[Any], **options: Any) -> Any:
    """The Hugging Face Trainer on rows of e."""
    pytest.importorskip("accelerate", reason="accelerate is not installed: the Trainer does not run")
    row = {"input_ids": [2, 3, 6, 6, 6, 6], "labels": [2, 3, 6, 6, 6, 6]}
    trainer = transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=4,
            learning_rate=3e-2,
            max_steps=12,
            eval_strategy="steps",
            eval_steps=2,
            save_steps=2,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            seed=1,
            **options,
        ),
        train_dataset=[row] * 64,
        eval_dataset=[row] * 4,
        processing_class=tokenizer,
        callbacks=list(callbacks),
    )
    trainer.train()
    return trainer


def writes(tokenizer: Any) -> Any:
    return generator(
        tokenizer, PROMPTS, samples=3, max_new_tokens=4, do_sample=True, pad_token_id=tokenizer.pad_token_id
    )


def test_the_trainer_stops_and_the_best_checkpoint_is_loaded(tmp_path: Path, model: tuple[Any, Any]) -> None:
    stopping = EarlyStopping(FORGOT, patience=2, log=tmp_path / "log.jsonl")
    trainer = trained(
        tmp_path / "out",
        *model,
        [trainer_callback(stopping, writes(model[1]))],
        load_best_model_at_end=True,
        metric_for_best_model="skill",
        greater_is_better=True,
        save_total_limit=2,
    )
    assert stopping.stop and trainer.state.global_step == stopping.checks[-1].step < 12
    best = tmp_path / "out" / f"checkpoint-{stopping.best}"
    assert stopping.best < trainer.state.global_step
    assert trainer.state.best_model_checkpoint == str(best) and best.is_dir()
    kept = transformers.AutoModelForCausalLM.from_pretrained(best)
    assert torch.equal(kept.lm_head.weight, trainer.model.cpu().lm_head.weight)
    told = [entry for entry in trainer.state.log_history if "skill" in entry]
    assert [entry["step"] for entry in told] == [check.step for check in stopping.checks]


def test_a_training_that_gets_better_is_not_stopped_nor_changed(tmp_path: Path, model: tuple[Any, Any]) -> None:
    plain = copy.deepcopy(model[0])
    stopping = EarlyStopping(TAUGHT, patience=2)
    watched = trained(
        tmp_path / "watched",
        *model,
        [trainer_callback(stopping, writes(model[1]))],
        dataloader_drop_last=True,
    )
    assert [check.step for check in stopping.checks] == [2, 4, 6, 8, 10, 12] and not stopping.stop
    ratings = stopping.ratings
    assert ratings[12] > ratings[2] == 0
    alone = trained(tmp_path / "alone", plain, model[1], [], dataloader_drop_last=True)
    assert torch.equal(alone.model.lm_head.weight, watched.model.lm_head.weight)
    files = write_figures(stopping_figures(stopping), tmp_path / "figures")
    assert [path.name for path in files] == [
        "01-games-with-the-checkpoints-before.svg",
        "02-skill-of-checkpoints.svg",
    ]
    assert "log odds" in files[1].read_text(encoding="utf-8")


def test_several_processes_are_refused(model: tuple[Any, Any]) -> None:
    class Arguments:
        world_size = 2

    with pytest.raises(InputError, match="2 processes"):
        trainer_callback(EarlyStopping(TAUGHT), writes(model[1])).on_evaluate(Arguments(), None, None)


def test_lightning_stops_and_keeps_the_best(tmp_path: Path, model: tuple[Any, Any]) -> None:
    pl = pytest.importorskip("lightning.pytorch", reason="lightning is not installed: its callback is not run")
    network, tokenizer = model

    class Module(pl.LightningModule):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def training_step(self, batch: Any, place: int) -> Any:
            return self.network(input_ids=batch, labels=batch).loss

        def validation_step(self, batch: Any, place: int) -> None:
            return None

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), lr=3e-2)

    write = writes(tokenizer)
    stopping = EarlyStopping(FORGOT, patience=2)
    kept = pl.callbacks.ModelCheckpoint(dirpath=tmp_path, filename="{step}", monitor="skill", mode="max", save_top_k=1)
    rows = torch.utils.data.DataLoader(torch.tensor([[2, 3, 6, 6, 6, 6]] * 8), batch_size=4)
    trainer = pl.Trainer(
        max_epochs=8,
        accelerator="cpu",
        callbacks=[lightning_callback(stopping, lambda module: write(module.network)), kept],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Module(), rows, rows)
    assert stopping.stop and trainer.current_epoch < 8
    assert [check.step for check in stopping.checks] == [2 * k for k in range(1, len(stopping.checks) + 1)]
    assert kept.best_model_path == str(tmp_path / f"step={stopping.best}.ckpt")


def test_optuna_finds_the_hyperparameter_whose_texts_win() -> None:
    optuna = pytest.importorskip("optuna", reason="optuna is not installed: no study is run")
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def generate(trial: Any) -> list[Written]:
        rate = trial.suggest_categorical("rate", [1, 2, 3, 4, 5])
        return [Written("e " * ((rate * 3 + place) % 16 if rate == 4 else rate), f"p{place}") for place in range(4)]

    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.GridSampler({"rate": [1, 2, 3, 4, 5]}, seed=1)
    )
    objective = SkillObjective(generate, TAUGHT)
    study.optimize(objective, n_trials=5)
    assert study.best_params == {"rate": 4}
    assert objective.final().best == str(study.best_trial.number)
    assert [trial.value for trial in study.trials] == list(objective.ratings.values())
