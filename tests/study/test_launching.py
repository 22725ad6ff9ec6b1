"""A launch that ended half-way is completed, and the files of a study that is being served stay where they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import rated
from studies import Clock, launched

from nlgauge.errors import InputError
from nlgauge.study.checks.run import drift
from nlgauge.study.file import study
from nlgauge.study.freeze import frozen, in_use
from nlgauge.study.service import launch
from nlgauge.study.service.launching import set_aside
from nlgauge.study.store import Store


def test_a_launch_that_ended_before_its_file_is_completed(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, clock, Store.at(tmp_path))
    links = [link.token for link in service.arrivals.links()]
    (tmp_path / frozen.FILE).unlink()
    again = launch(study.load(tmp_path), tmp_path, Store.at(tmp_path), clock=clock)
    assert frozen.read(tmp_path).digest == service.frozen.digest
    assert [link.token for link in again.arrivals.links()] == links


def test_with_judges_it_is_refused_as_before(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, clock, Store.at(tmp_path))
    service.arrivals.register(next(iter(service.study.panels)))
    (tmp_path / frozen.FILE).unlink()
    with pytest.raises(InputError, match="already holds this study"):
        launch(study.load(tmp_path), tmp_path, Store.at(tmp_path), clock=clock)


def test_what_is_served_is_not_set_aside(tmp_path: Path, clock: Clock) -> None:
    launched(tmp_path, clock, Store.at(tmp_path))
    with in_use.served(tmp_path), in_use.served(tmp_path):
        with pytest.raises(InputError, match="is being served; stop the server first"):
            set_aside(tmp_path)
        assert (tmp_path / frozen.FILE).exists()
    assert [path.name for path in set_aside(tmp_path)][:1] == [f"earlier-1-{frozen.FILE}"]


def test_a_new_edition_of_the_catalogue_is_not_an_edit_of_the_file(tmp_path: Path, clock: Clock) -> None:
    running = rated.launched(tmp_path / "s", clock).frozen
    assert running.study.asked
    reworded = replace(running, study=replace(running.study, asked=running.study.asked[1:]))
    assert drift(tmp_path / "s", reworded).changed == ()
    fewer = replace(running.study, asked=running.study.asked[1:], criteria=running.study.criteria[1:])
    assert "criteria" in drift(tmp_path / "s", replace(running, study=fewer)).changed
