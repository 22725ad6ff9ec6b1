"""Options that a command and a function of Python share, each spelled once.

A typed dictionary lists the options of a command; with each type stand its default, its meaning and its limits. The
command's arguments (`cli.common.add_options`), the function's keywords (`keywords`) and what the receipt says (`facts`)
are made from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypedDict, TypeVar, cast, get_args, get_origin, get_type_hints

from nlgauge.errors import InputError, suggest

F = TypeVar("F", bound=Callable[..., Any])
Test = Literal["ar", "bootstrap"]
Ties = Literal["count", "ignore"]
Interval = Literal["percentile", "bca"]

DEFAULT_SEED = 12345  # sacreBLEU's, so that its draws and ours are the same
MOST_DRAWS = 10_000_000


@dataclass(frozen=True)
class Option:
    """One option: its default, what it means, its limits, and whether receipts say it (where it is given)."""

    default: Any
    help: str
    low: int | None = None
    high: int | None = None
    metavar: str | None = None
    fact: bool = False


@dataclass(frozen=True)
class Known:
    """An option with its name, its type without None, and the values it may have (none: any)."""

    name: str
    kind: Any
    choices: tuple[str, ...]
    option: Option


Draws = Annotated[int, Option(1000, "bootstrap draws (default 1000)", low=1, high=MOST_DRAWS, metavar="N")]
Level = Annotated[float, Option(0.95, "confidence level (default 0.95)", metavar="P", fact=True)]
Limits = Annotated[
    Interval,
    Option(
        "percentile",
        "limits of the bootstrap: percentile (default) or bias-corrected and accelerated",
        fact=True,
    ),
]
Cluster = Annotated[
    str | None,
    Option(
        None,
        "draw items that share this key of the rows together, e.g. document, category, source",
        metavar="KEY",
        fact=True,
    ),
]
Seed = Annotated[
    int,
    Option(DEFAULT_SEED, f"seed of all draws (default {DEFAULT_SEED})", low=0, high=2**63 - 1, metavar="N", fact=True),
]
Jobs = Annotated[int, Option(1, "threads for the kernels (default 1)", low=1, high=1024, metavar="N")]


class ScoreOptions(TypedDict, total=False):
    """Options of `nlgauge score` and `nlgauge.score`; those that receipts say stand in their order there."""

    ci: Annotated[bool, Option(False, "bootstrap interval for every score")]
    trials: Draws
    interval: Limits
    cluster: Cluster
    level: Level
    seed: Seed
    segments: Annotated[
        Path | None,
        Option(None, "also write one row per segment with its scores (.jsonl, .csv, .tsv, .gz)", metavar="FILE"),
    ]
    jobs: Jobs


class CompareOptions(TypedDict, total=False):
    """Options of `nlgauge compare` and `nlgauge.compare`; those that receipts say stand in their order there."""

    test: Annotated[Test, Option("ar", "approximate randomisation (ar, the default) or paired bootstrap", fact=True)]
    trials: Annotated[
        int | None,
        Option(
            None,
            "trials of the test (default 10000 for ar, 1000 for bootstrap, more where many pairs are tested)",
            low=1,
            high=MOST_DRAWS,
            metavar="N",
        ),
    ]
    ties: Annotated[
        Ties,
        Option(
            "count",
            "trials equal to the observed difference: count them (default; valid at any n) or ignore, as sacreBLEU",
            fact=True,
        ),
    ]
    interval: Limits
    cluster: Cluster
    baseline: Annotated[
        str | None,
        Option(None, "compare every other system with this one (default: all pairs)", metavar="SYSTEM", fact=True),
    ]
    level: Level
    seed: Seed
    common: Annotated[bool, Option(False, "compare on the items that all systems have, where some lack items")]
    jobs: Jobs


@cache
def known(options: Any) -> dict[str, Known]:
    """The options of a typed dictionary by their names.

    >>> known(CompareOptions)["ties"].choices
    ('count', 'ignore')
    """
    found = {}
    for name, hint in get_type_hints(options, include_extras=True).items():
        kind, option = get_args(hint)
        (kind,) = [part for part in get_args(kind) if part is not NoneType] if get_origin(kind) is UnionType else [kind]
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        found[name] = Known(name, str if choices else kind, choices, option)
    return found


def keywords(options: Any) -> Callable[[F], F]:
    """Let a function take options as keywords: defaults are filled in, and what there is not is refused.

    >>> class Greeting(TypedDict, total=False):
    ...     times: Annotated[int, Option(2, "how often")]
    >>> @keywords(Greeting)
    ... def greet(name, **given):
    ...     return " ".join([name] * given["times"])
    >>> greet("Ada"), greet("Ada", times=1), str(inspect.signature(greet))
    ('Ada Ada', 'Ada', '(name, *, times: int = 2)')
    >>> greet("Ada", time=1)
    Traceback (most recent call last):
    nlgauge.errors.InputError: greet has no option 'time'; did you mean times or name? Known: name, times
    """

    def decorated(function: F) -> F:
        signature = inspect.signature(function)
        own = [part for part in signature.parameters.values() if part.kind is not part.VAR_KEYWORD]
        entries, hints = known(options), get_type_hints(options)
        defaults = {name: entry.option.default for name, entry in entries.items()}
        names = {*defaults, *(part.name for part in own)}

        @wraps(function)
        def filled(*arguments: Any, **given: Any) -> Any:
            for name, value in given.items():
                if name not in names:
                    raise InputError(f"{function.__name__} has no option {name!r}; {suggest(name, names)}")
                if name in entries and entries[name].choices and value not in entries[name].choices:
                    raise InputError(f"{name} must be {' or '.join(entries[name].choices)}; got {value!r}")
            return function(*arguments, **{**defaults, **given})

        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hints[name])
            for name in entries
        ]
        vars(filled)["__signature__"] = signature.replace(parameters=[*own, *more])
        meanings = "".join(f"\n    {name}: {entry.option.help}" for name, entry in entries.items())
        filled.__doc__ = f"{inspect.getdoc(function) or ''}\n\nOptions:{meanings}\n"
        return cast(F, filled)

    return decorated


def facts(options: Any, given: Mapping[str, Any], **made: Mapping[str, object]) -> dict[str, object]:
    """What a receipt says of the options, in their order; `made` holds what is said otherwise than by the bare value.

    >>> facts(CompareOptions, {"ties": "count", "level": 0.9, "cluster": None}, test={"test": "ar:1000"})
    {'test': 'ar:1000', 'ties': 'count', 'level': 0.9}
    """
    said: dict[str, object] = {}
    for name, entry in known(options).items():
        if name in made:
            said |= made[name]
        elif entry.option.fact and given.get(name) is not None:
            said[name] = given[name]
    return said
