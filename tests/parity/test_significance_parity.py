"""Paired tests against the recorded p-values of Moses and multeval and, live, against sacreBLEU's PairedTest.

sacreBLEU does not count trials that equal the observed difference, we do (see nlgauge.stats.resample); the live tests
check both that `ties="ignore"` gives its p and that on BLEU and chrF there is nothing to ignore.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from recorded import FIXTURES, Case, cases

from nlgauge import stats
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse

significance = pytest.importorskip("sacrebleu.significance", reason="the live comparison runs sacreBLEU beside ours")
theirs = pytest.importorskip("sacrebleu.metrics")

WMT17 = "corpora/wmt17-en-de"
THEIRS: dict[str, tuple[Any, dict[str, str]]] = {
    "bleu": (theirs.BLEU, {}),
    "bleu(tok=none)": (theirs.BLEU, {"tokenize": "none"}),
    "chrf": (theirs.CHRF, {}),
    "ter": (theirs.TER, {}),
}
TESTS = {"ar": stats.approximate_randomisation, "bs": stats.paired_bootstrap}


@cache
def lines(name: str) -> tuple[str, ...]:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return tuple(text.removesuffix("\n").split("\n"))


@cache
def rows_of_file(spec: str, name: str, references: str) -> np.ndarray:
    return parse(spec).corpus_rows(lines(name), [[line] for line in lines(references)])


def recorded_pair(case: Case, spec: str) -> tuple[np.ndarray, np.ndarray, Metric]:
    files = (case.hypothesis["file"], case.options["baseline"]["file"])
    system, baseline = (rows_of_file(spec, name, case.reference["file"]) for name in files)
    return system, baseline, parse(spec)


@pytest.mark.parametrize("case", cases("paired-bootstrap p"))
def test_recorded_bootstrap(case: Case) -> None:
    system, baseline, metric = recorded_pair(case, "bleu(tok=none)")
    case.check(stats.paired_bootstrap(system, baseline, metric.score, trials=case.options["n_samples"]).p)


@pytest.mark.parametrize("case", cases("approximate-randomisation p"))
def test_recorded_randomisation(case: Case) -> None:
    got = {}
    for name, spec in (("BLEU", "bleu(tok=none)"), ("TER", "ter")):
        system, baseline, metric = recorded_pair(case, spec)
        got[name] = stats.approximate_randomisation(system, baseline, metric.score, trials=case.options["n_samples"]).p
    case.check(got)


def noisy_systems(n: int, seed: int) -> tuple[list[str], dict[str, list[str]]]:
    """References and four systems that spoil words at nearly the same rate."""
    rng = random.Random(seed)
    words = [f"{stem}{ending}" for stem in ("ba", "ko", "mi", "tu", "sel") for ending in ("", "n", "ra", "t.", "ling")]
    references = [" ".join(rng.choices(words, k=rng.randint(6, 25))) for _ in range(n)]
    rates = {"baseline": 0.20, "twin": 0.20, "close": 0.22, "worse": 0.30}
    systems = {
        name: [
            " ".join(rng.choice(words) if rng.random() < rate else word for word in line.split()) for line in references
        ]
        for name, rate in rates.items()
    }
    return references, systems


def their_results(
    systems: dict[str, list[str]], references: list[str], *, spec: str, kind: str, trials: int, seed: int
) -> dict[str, Any]:
    """sacreBLEU's result for each system; the first one is the baseline. Its seed comes from the environment."""
    make, options = THEIRS[spec]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACREBLEU_SEED", str(seed))
        table: dict[str, Any] = significance.PairedTest(
            list(systems.items()), {spec: make(**options)}, [references], test_type=kind, n_samples=trials
        )()[1]
    return dict(zip(table.pop("System"), next(iter(table.values())), strict=True))


def check_against_theirs(
    systems: dict[str, list[str]], references: list[str], *, spec: str, kind: str, trials: int, seed: int
) -> None:
    """Scores, p, and for the bootstrap the mean and half-width of the interval."""
    wanted = their_results(systems, references, spec=spec, kind=kind, trials=trials, seed=seed)
    metric, test = parse(spec), TESTS[kind]
    rows = {name: metric.corpus_rows(texts, [[line] for line in references]) for name, texts in systems.items()}
    first, *others = systems
    for name in others:
        counted = test(rows[name], rows[first], metric.score, trials=trials, seed=seed)
        ignored = test(rows[name], rows[first], metric.score, trials=trials, seed=seed, ties="ignore")
        assert counted.value == pytest.approx(wanted[name].score, abs=1e-9)
        assert ignored.p == wanted[name].p_value
        if spec != "ter":
            assert counted.ties == 0 and counted.p == wanted[name].p_value
        if kind == "bs":
            interval = stats.bootstrap(rows[name], metric.score, trials=trials, seed=seed)
            assert interval.mean == pytest.approx(wanted[name].mean, abs=1e-4)
            assert interval.half_width == pytest.approx(wanted[name].ci, abs=1e-4)


@pytest.mark.parametrize("kind", ["ar", "bs"])
@pytest.mark.parametrize("spec", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("seed", [12345, 1, 2**31])
def test_live_on_near_ties(kind: str, spec: str, seed: int) -> None:
    references, systems = noisy_systems(90, seed)
    check_against_theirs(systems, references, spec=spec, kind=kind, trials=300, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ar", "bs"])
@pytest.mark.parametrize("spec", ["bleu(tok=none)", "chrf"])
@pytest.mark.parametrize("seed", [12345, 7])
def test_live_on_wmt17(shared: Any, kind: str, spec: str, seed: int) -> None:
    names = ("LIUM-NMT.4900", "online-B.0", "xmu.4910")
    systems = {name: list(lines(f"{WMT17}/newstest2017.{name}.en-de.txt"))[:1000] for name in names}
    references = list(lines(f"{WMT17}/reference.txt"))[:1000]
    check_against_theirs(systems, references, spec=spec, kind=kind, trials=1000, seed=seed)


@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_live_on_identical_systems(kind: str) -> None:
    # What sacreBLEU calls as significant as can be is no evidence at all.
    references, systems = noisy_systems(30, 1)
    same = {"baseline": systems["baseline"], "copy": systems["baseline"]}
    wanted = their_results(same, references, spec="bleu", kind=kind, trials=200, seed=12345)
    metric = parse("bleu")
    rows = metric.corpus_rows(same["copy"], [[line] for line in references])
    assert wanted["copy"].p_value == 1 / 201
    assert TESTS[kind](rows, rows, metric.score, trials=200, ties="ignore").p == 1 / 201
    assert TESTS[kind](rows, rows, metric.score, trials=200).p == 1.0
