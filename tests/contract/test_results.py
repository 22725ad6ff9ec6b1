"""Whatever a function of the interface returns prints, and goes into JSON, a data frame, a paper and a notebook."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import orjson
import pytest

import nlgauge as ng
from nlgauge.results import Result, Rows
from nlgauge.stats import correlation, mixed, skill

WORDS = ("a b c d", "e f g", "h i j k l", "m n o") * 15
REFERENCES = [f"{text} {number}" for number, text in enumerate(WORDS)]
SYSTEMS = {
    "one": [f"{text} x" for text in REFERENCES],
    "two": [text.replace("a ", "").replace("n ", "") for text in REFERENCES],
    "three": [text[2:] for text in REFERENCES],
}
JUDGES = ["ann", "bob", "cy"]
GRADES = {"one": [3, 4, 3], "two": [1, 3, 2], "three": [5, 4, 2]}
ROWS = [
    {
        "item": str(place),
        "system": system,
        "hypothesis": texts[place],
        "references": [REFERENCES[place]],
        "ratings": {"clarity": [(grade + place * (judge + 1)) % 5 + 1 for judge, grade in enumerate(GRADES[system])]},
        "raters": JUDGES,
    }
    for place in range(len(REFERENCES))
    for system, texts in SYSTEMS.items()
]
GAMES = [
    {
        "item": str(number),
        "system_a": a,
        "system_b": b,
        "hypothesis_a": a,
        "hypothesis_b": b,
        "ratings": {"preference": w},
    }
    for number, (a, b, w) in enumerate([("x", "y", "a"), ("y", "z", "a"), ("z", "x", "a"), ("x", "y", "a")] * 6)
]


def data() -> ng.EvaluationSet:
    return ng.load(ROWS)


def modelled(fit: Callable[..., Any]) -> Any:
    cells = [
        (row["system"], judge, row["item"], grade)
        for row in ROWS
        for judge, grade in zip(JUDGES, row["ratings"]["clarity"], strict=True)
    ]
    systems, judges, items, grades = zip(*cells, strict=True)
    return fit(grades, systems, {"judge": judges, "item": items})


EXAMPLES: dict[str, Callable[[], Any]] = {
    "score": lambda: ng.score(data(), ["bleu", "wer"], ci=True),
    "compare": lambda: ng.compare(data(), ["bleu", "wer"], trials=99),
    "agree": lambda: ng.agree(data(), "clarity"),
    "rate": lambda: ng.rate(GAMES),
    "meta_evaluate": lambda: ng.meta_evaluate(data(), ["chrf", "wer"], "clarity", draws=100),
    "explain": lambda: ng.explain(data(), "bleu", "1", "one"),
    "attack": lambda: ng.attack(data(), "wer", ["chrf"], items=3, edits=1),
    "tune": lambda: ng.tune("chrf", data(), "clarity", fields={"beta": (1, 3)}, steps=2, draws=100),
    "means": lambda: ng.humans.means(data(), "clarity"),
    "compare_with_metric": lambda: ng.humans.compare_with_metric(data(), "clarity", "chrf"),
    "humans.compare": lambda: ng.humans.compare(data(), "clarity"),
    "estimate": lambda: ng.humans.estimate(data(), "clarity", "chrf"),
    "plan": lambda: ng.humans.plan(data(), "clarity", effect=1.0, simulations=100)[0],
    "a_not_a": lambda: ng.triangle.a_not_a(30, 40, 15, 40),
    "same_different": lambda: ng.triangle.same_different(30, 40, 15, 40),
    "beta_binomial": lambda: ng.triangle.beta_binomial([3, 2, 4, 1, 3], 5),
    "combine": lambda: ng.triangle.combine({"first": (20, 36), "second": (18, 36)}),
    "critical": lambda: ng.triangle.critical(60, alpha=0.05),
    "estimate (triangle)": lambda: ng.triangle.estimate(25, 60),
    "group_sequential": lambda: ng.triangle.group_sequential([20, 40, 60], 0.05, 0.3),
    "plan (triangle)": lambda: ng.triangle.plan(alpha=0.05, beta=0.05, p_d=0.5),
    "preference": lambda: ng.triangle.preference(30, 20, 10),
    "replicated_plan": lambda: ng.triangle.replicated_plan(0.05, 0.1, 0.4, per_judge=3, gamma=0.2),
    "sequential": lambda: ng.triangle.sequential(alpha=0.05, beta=0.1, p_d=0.5),
    "test": lambda: ng.triangle.test(correct=30, judges=60, alpha=0.05),
    "linear_mixed": lambda: modelled(mixed.linear_mixed),
    "ordinal_mixed": lambda: modelled(mixed.ordinal_mixed),
    "correlate": lambda: correlation.correlate([[1, 2, 3, 4]], [[1, 3, 2, 4]]),
    "rate_samples": lambda: skill.rate_samples(3, lambda pairs: ["a" if a < b else "b" for a, b in pairs], plays=20),
}
"""One for each class of results."""
NO_RESULTS = {
    "Choice",
    "Design",
    "EvaluationSet",
    "Judgements",
    "Kind",
    "Metric",
    "Needed",
    "Preset",
    "Protocol",
    "Runnable",
}
MODULES: tuple[ModuleType, ...] = (ng.humans, ng.triangle, ng.presets, mixed)


def returned() -> Iterator[type]:
    """The dataclasses that functions of the interface return."""
    functions = [getattr(ng, name) for name in ng.__all__]
    functions += [getattr(module, name) for module in MODULES for name in getattr(module, "__all__", dir(module))]
    for function in functions:
        if inspect.isfunction(function) and function.__module__.startswith("nlgauge."):
            kind = typing.get_type_hints(function).get("return")
            for part in (kind, *typing.get_args(kind)):
                if dataclasses.is_dataclass(part) and isinstance(part, type):
                    yield part


def test_what_functions_return_is_a_result() -> None:
    others = {kind.__name__ for kind in returned() if not issubclass(kind, Result)}
    assert others <= NO_RESULTS


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_result_can_be_shown_everywhere(name: str) -> None:
    result = EXAMPLES[name]()
    assert isinstance(result, Result)
    assert str(result).strip() and str(result) != repr(result)
    assert orjson.loads(orjson.dumps(result.to_dict())).keys() == result.to_dict().keys()
    assert len(result.to_pandas()) == len(result.paper().rows) > 0
    assert result.to_csv().count("\n") >= 1
    assert result.to_markdown().startswith("**")
    assert r"\begin{tabular}" in result.to_latex()
    assert result._repr_html_().startswith("<table>")


@pytest.mark.parametrize("name", EXAMPLES)
def test_rows_are_iterated_and_asked_for(name: str) -> None:
    result = EXAMPLES[name]()
    if not isinstance(result, Rows):
        return
    assert len(result) == len(list(result)) > 0
    assert result[0] == next(iter(result)) == result[:1][0]
