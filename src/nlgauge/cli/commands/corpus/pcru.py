"""pCRU: generation rules trained on raw texts, run greedily, at random, by weight, by a 2-gram model or by Viterbi."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, SEED, Arg, Part, Parts, to_write
from nlgauge.cli.common import Output, positive
from nlgauge.errors import InputError, counted

EXAMPLES = """\
examples:
  nlgauge corpus pcru forecasts -o wind.jsonl
  nlgauge corpus pcru train wind wind.jsonl -o trained.pcru
  nlgauge corpus pcru generate trained.pcru wind.jsonl --mode greedy -o greedy.jsonl
  nlgauge corpus pcru generate trained.pcru wind.jsonl --mode ngram --texts wind.jsonl
  nlgauge corpus pcru demonstrate"""

HAND = "rules"


def _forecasts(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.pcru.wind import make_corpus

    path = common.target(arguments)
    corpus = make_corpus(arguments.forecasts, arguments.seed)
    rows = [
        {"item": made.item, "source": made.source(), "references": [made.text], "x_writer": made.writer}
        for made in corpus
    ]
    _write(path, rows)
    told = {"corpus": str(path), "forecasts": len(rows)}
    return common.tell(arguments, told, f"{counted(len(rows), 'forecast')}, generated: {path}")


def _train(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.pcru.reading import read_rules, read_texts
    from nlgauge.corpus.pcru.training import train
    from nlgauge.io import atomic_file

    path = common.target(arguments)
    found = train(read_rules(arguments.rules), read_texts(arguments.texts))
    with atomic_file(path) as out:
        out.write(found.base.written().encode())
    unused = sum(rule.weights == (0.0,) for rule in found.base.rules)
    told: dict[str, Any] = {"rules": len(found.base.rules), "unused": unused, "texts": found.texts}
    told |= {"ambiguous": found.ambiguous, "unparsed": list(found.unparsed), "output": str(path)}
    lines = [
        f"{counted(len(found.base.rules), 'rule')} trained on {counted(found.texts, 'text')}: {path}",
        f"{found.ambiguous:,} texts have several derivations, which share their count.",
    ]
    lines += [f"{counted(unused, 'rule')} never used."] if unused else []
    if found.unparsed:
        lines.append(f"note: the rules do not parse {len(found.unparsed):,} texts, for example {found.unparsed[0]!r}")
    return common.tell(arguments, told, *lines)


def _generate(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.pcru.generating import Generator, learn
    from nlgauge.corpus.pcru.reading import read_inputs, read_rules, read_texts
    from nlgauge.corpus.pcru.training import words_of
    from nlgauge.corpus.pcru.wind import realise

    path, mode = common.output(arguments.output), arguments.mode
    if (mode == "ngram") != bool(arguments.texts):
        raise InputError("--mode ngram and --texts go together: the texts are those of its 2-gram model")
    base = read_rules(arguments.rules)
    contents = read_inputs(arguments.data, base, inputs.columns(arguments))
    if mode == HAND:
        bare = next((given for given in contents if not given.winds), None)
        if bare is not None:
            raise InputError(
                f"item {bare.item}: --mode {HAND} writes from wind tuples, and its input is relations; use another mode"
            )
        texts = [realise(given.winds) for given in contents]
    else:
        model = learn(map(words_of, read_texts(arguments.texts))) if arguments.texts else None
        made = Generator(base, mode, seed=arguments.seed, column=arguments.weights, model=model)
        texts = [made.generate(given.content) for given in contents]
    system = HAND if mode == HAND else f"pcru-{mode}"
    rows = [
        {**given.row, "item": given.item, "system": system, "hypothesis": text}
        for given, text in zip(contents, texts, strict=True)
    ]
    if path is not None:
        _write(path, rows)
    told: dict[str, Any] = {"system": system, "seed": arguments.seed, "texts": len(rows)}
    told |= {"output": str(path)} if path else {"rows": rows}
    return common.tell(arguments, told, *([f"{counted(len(rows), 'text')} of {system}: {path}"] if path else texts))


def _demonstrate(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.pcru.demonstration import CORPUS, demonstrate
    from nlgauge.experiments.bias import reported
    from nlgauge.report.pcru import ASSUMED, conclusion, print_demonstration

    folder = None if arguments.output is None else Path(arguments.output)
    if folder is not None and folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"the folder {folder} is not empty; name another, which will be made")
    found = demonstrate(arguments.seed, arguments.forecasts)
    files = {"outputs.jsonl": found.against_references(), "held-out.jsonl": found.against_corpus()}
    judged = reported(files["outputs.jsonl"], arguments.seed, CORPUS)
    held = reported(files["held-out.jsonl"], arguments.seed, None)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror}; choose another") from None
        for name, rows in files.items():
            _write(folder / name, rows)
    if arguments.json:
        tables = {"references": judged.to_dict(), "corpus": held.to_dict()}
        common.print_json({"note": ASSUMED, "conclusion": conclusion(judged), **tables})
    else:
        print_demonstration(judged, held)
    return 0


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    from nlgauge.io import atomic_file

    with atomic_file(path) as out:
        for row in rows:
            out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


_RULES = Arg("rules RULES", "a rule file, or `wind` for the rules of wind forecasts that come with nlgauge")
_SIZE = (Arg("--forecasts N", "forecasts in the corpus (default 450)", positive, 450), SEED)
_STEPS = {
    "forecasts": Part(
        "write a corpus of wind forecasts, all generated",
        (*_SIZE, to_write("the file to write, JSON lines")),
        _forecasts,
    ),
    "train": Part(
        "weights of rules from raw texts",
        (
            _RULES,
            Arg("texts TEXTS", "a .txt file with a text a line, or rows with references"),
            to_write("the file to write: the rules with their counts"),
        ),
        _train,
    ),
    "generate": Part(
        "texts for inputs, in one of the modes",
        (
            _RULES,
            Arg("data DATA", "rows whose source is a list of wind tuples or of [relation, argument, …]"),
            Arg(
                "--mode",
                f"how rules are chosen (default greedy); {HAND}: the hand-written realiser of wind tuples",
                ("greedy", "roulette", "viterbi", "ngram", "random", HAND),
                "greedy",
            ),
            Arg("--texts TEXTS", "with --mode ngram: the texts that its model is built from"),
            Arg("--weights NAME", "which weights, where the rules have several (wind: keel, mast, …)"),
            Arg("-o --output FILE", "write an evaluation set, JSON lines", Output),
            inputs.column("source=tuples"),
            SEED,
        ),
        _generate,
    ),
    "demonstrate": Part(
        "frequency bias: pCRU's modes and a hand-written realiser before metrics and simulated readers",
        (*_SIZE, Arg("-o --output DIR", "write the outputs with their marks there, JSON lines", Output)),
        _demonstrate,
    ),
}
PARTS = {
    "pcru": Part(
        "generation rules trained on texts, and what metrics make of frequent choices",
        (Parts(_STEPS, title="step", metavar="STEP", dest="step", each=(JSON,), described=False),),
        about=(__doc__ or "").strip(),
        examples=EXAMPLES,
    )
}
