"""Early stopping by comparison inside the Hugging Face Trainer and Lightning.

The libraries are loaded when a callback is made, not before. At every evaluation the model writes texts, which are
compared with those of earlier checkpoints (`guidance.stopping`). Texts are drawn with random numbers of their own, so
that a training that is watched takes the same course as one that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, MissingResource
from nlgauge.guidance.stopping import Check, EarlyStopping
from nlgauge.learned.comparator import Written
from nlgauge.models.pytorch import libraries

Generate = Callable[[Any], Sequence[Written]]  # what a model writes, for the same prompts each time
SKILL = "skill"


def generator(
    tokenizer: Any,
    prompts: Sequence[str],
    *,
    samples: int = 1,
    batch: int = 16,
    seed: int = 12345,
    **options: Any,
) -> Generate:
    """What `model.generate` continues each prompt with, `samples` times; `options` go there (max_new_tokens, …)."""
    torch, _ = libraries("generating texts")
    wanted = [prompt for prompt in prompts for _ in range(samples)]

    def generate(model: Any) -> list[Written]:
        training, side = model.training, tokenizer.padding_side
        devices = [model.device] if model.device.type == "cuda" else []
        made: list[str] = []
        model.eval()
        tokenizer.padding_side = "left"
        try:
            with torch.random.fork_rng(devices=devices), torch.no_grad():
                torch.manual_seed(seed)
                for start in range(0, len(wanted), batch):
                    fed = tokenizer(wanted[start : start + batch], return_tensors="pt", padding=True)
                    ids, mask = (fed[name].to(model.device) for name in ("input_ids", "attention_mask"))
                    found = model.generate(input_ids=ids, attention_mask=mask, **options)
                    begins = 0 if model.config.is_encoder_decoder else ids.shape[1]
                    made += tokenizer.batch_decode(found[:, begins:], skip_special_tokens=True)
        finally:
            tokenizer.padding_side = side
            model.train(training)
        return [Written(text.strip(), prompt) for text, prompt in zip(made, wanted, strict=True)]

    return generate


def trainer_callback(stopping: EarlyStopping, generate: Generate) -> Any:
    """A `TrainerCallback`: at each evaluation the model's texts are checked, and training ends when they say so.

    The rating is put among the metrics as `eval_skill`, so that `metric_for_best_model="skill"`,
    `greater_is_better=True` and `load_best_model_at_end=True` keep the best checkpoint; its folder is
    `state.best_model_checkpoint`.
    """
    _, transformers = libraries("a callback of the Trainer")

    class SkillCallback(transformers.TrainerCallback):  # type: ignore[misc,name-defined]
        def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            _refuse_several(args.world_size)
            check = stopping.check(state.global_step, generate(given["model"]))
            ratings = stopping.ratings
            told = _figures(check, ratings[check.step])
            given["metrics"].update({f"eval_{name}": value for name, value in told.items()})
            state.log_history.append({**told, "step": check.step})
            if args.metric_for_best_model in (SKILL, f"eval_{SKILL}"):
                # ratings change with every game: the Trainer must ask whether this one is the highest now
                earlier = [rating for step, rating in ratings.items() if step != check.step]
                state.best_metric = max(earlier, default=None)
                state.best_global_step = stopping.best
            if check.stop:
                control.should_training_stop = True

        def on_save(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            folder = Path(args.output_dir) / f"checkpoint-{stopping.best}"
            if folder.is_dir():
                state.best_model_checkpoint = str(folder)

    return SkillCallback()


def lightning_callback(stopping: EarlyStopping, generate: Generate) -> Any:
    """A Lightning callback: the same at the end of each validation, with `skill` logged for `ModelCheckpoint`."""
    pl = _lightning()

    class SkillCallback(pl.Callback):  # type: ignore[misc,name-defined]
        def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            if trainer.sanity_checking:
                return
            _refuse_several(trainer.world_size)
            check = stopping.check(trainer.global_step, generate(pl_module))
            for name, value in _figures(check, stopping.ratings[check.step]).items():
                pl_module.log(name, float(value))
            if check.stop:
                trainer.should_stop = True

    return SkillCallback()


def _figures(check: Check, rating: float) -> dict[str, float]:
    return {
        SKILL: rating,
        f"{SKILL}_wins": check.wins,
        f"{SKILL}_losses": check.losses,
        f"{SKILL}_ties": check.ties,
    }


def _refuse_several(processes: int) -> None:
    if processes > 1:
        raise InputError(
            f"the training runs in {processes} processes, which would check and stop each by itself; call "
            "EarlyStopping.check in one of them and tell the others"
        )


def _lightning() -> Any:
    for name in ("lightning.pytorch", "pytorch_lightning"):
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    raise MissingResource("a callback of Lightning", "the package lightning", "pip install lightning")
