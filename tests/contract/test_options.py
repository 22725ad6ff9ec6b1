"""Options are keywords with types, and each typed list holds what the functions take."""

from __future__ import annotations

from dataclasses import fields
from inspect import Parameter, signature

import pytest

import nlgauge as ng
from nlgauge.cli import parser_for
from nlgauge.meta.settings import Settings, SettingsOptions
from nlgauge.options import CompareOptions, ScoreOptions, known
from nlgauge.skill import RUN, SYSTEMS, RateOptions
from nlgauge.stats.skill import draw_games, rate_bradley_terry, rate_sequential, rate_zhou

TEXTS = {"a": ["x y z", "u v"] * 9, "b": ["x y", "u v w"] * 9}


def keywords(function: object) -> set[str]:
    return {name for name, part in signature(function).parameters.items() if part.kind is Parameter.KEYWORD_ONLY}  # type: ignore[arg-type]


def test_typed_options_are_those_that_functions_take() -> None:
    assert set(SettingsOptions.__annotations__) == {field.name for field in fields(Settings)} | {"statistic"}
    constants = {field.name for system in SYSTEMS.values() for field in fields(system)}
    drawn = {"certainty", "max_games"}  # of `draw_games`, whose level is that of the order
    taken = keywords(rate_bradley_terry) | keywords(rate_zhou) | keywords(rate_sequential) | constants | drawn
    assert set(RateOptions.__annotations__) == taken and taken >= RUN
    assert "max_games" in signature(draw_games).parameters


@pytest.mark.parametrize(("command", "options"), [("score", ScoreOptions), ("compare", CompareOptions)])
def test_a_command_and_its_function_have_the_same_options(command: str, options: type) -> None:
    actions = {action.dest: action for action in parser_for(command)._actions}
    parameters = signature(getattr(ng, command)).parameters
    for name, entry in known(options).items():
        assert actions[name].default == parameters[name].default == entry.option.default
        assert actions[name].help == entry.option.help
        assert tuple(actions[name].choices or ()) == entry.choices


def test_what_is_no_option_or_no_choice_is_refused() -> None:
    with pytest.raises(ng.InputError, match="compare has no option 'base_line'; did you mean baseline"):
        ng.compare(TEXTS, TEXTS["a"], "wer", base_line="a")  # type: ignore[call-arg]
    with pytest.raises(ng.InputError, match="interval must be percentile or bca; got 'normal'"):
        ng.score(TEXTS, TEXTS["a"], "wer", ci=True, interval="normal")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'column'"):
        ng.load("x.jsonl", column={})  # type: ignore[call-arg]
