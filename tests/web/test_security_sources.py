"""Nothing tells who wrote what: exchanged roles give the same bytes, and so do right and wrong answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import attack
import made
import pytest
import yaml
from made import PIXEL, Visitor
from starlette.testclient import TestClient

from nlgauge.study.file import study as design
from nlgauge.study.freeze import frozen
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import odd_position
from nlgauge.study.service import Service, start
from nlgauge.study.store import Store

PICTURES = (PIXEL, PIXEL + b"longer " * 40)
EXCHANGED = str.maketrans("AB", "BA")


def exchanged(study: Frozen) -> Frozen:
    """The same texts on the same screens, A's called B's and B's called A's."""
    subjects = {"A": study.study.subjects["B"], "B": study.study.subjects["A"]}
    return replace(
        study,
        study=replace(study.study, subjects=subjects),
        texts=tuple(replace(text, subject=text.subject.translate(EXCHANGED)) for text in study.texts),
        slots=tuple(replace(slot, role=slot.role.translate(EXCHANGED)) for slot in study.slots),
        practice=tuple(replace(slot, role=slot.role.translate(EXCHANGED)) for slot in study.practice),
    )


def names() -> Callable[[], str]:
    """The same names for both studies, so that nothing but the roles differs."""
    number = itertools.count(1)
    return lambda: f"{next(number) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[list[tuple[Service, TestClient, list[Any]]]]:
    """A study and the same with exchanged roles, each with its site and the statements it runs."""
    folder = tmp_path / "study"
    folder.mkdir()
    for name, content in zip(("a.png", "b.png"), PICTURES, strict=True):
        (folder / name).write_bytes(content)
    subjects = {
        "A": {
            "name": "a person",
            "texts": [{"text": f"Rain falls over valley {k}.", "image": "a.png"} for k in range(14)],
        },
        "B": {
            "name": "the machine",
            "texts": [{"text": f"Valley {k}: showers, longer.", "image": "b.png"} for k in range(14)],
        },
    }
    values = made.description(subjects=subjects, corrections="allow")
    (folder / design.FILE).write_text(yaml.safe_dump(values, allow_unicode=True), encoding="utf-8")
    study = frozen.freeze(design.load(folder), folder)
    sites = []
    for one in (study, exchanged(study)):
        service = start(one, Store.memory(), clock=lambda: 1_800_000_000.0, generator=names())
        asked: list[Any] = []
        attack.traced(service.store, asked)
        browser = made.client(service, folder)
        browser.__enter__()
        sites.append((service, browser, asked))
    yield sites
    for service, browser, _ in sites:
        browser.__exit__(None, None, None)
        service.store.close()


def journey(browser: TestClient, link: str) -> Iterator[tuple[str, Any]]:
    """All answers that a judge gets who sees everything, the choices fixed beforehand; practice without its result."""
    visitor = Visitor(browser, link)
    yield "consent", visitor.get()
    yield "consented", visitor.send("consent", {"agree": "yes"})
    yield "questions", visitor.send("questions", {"q0": "1"})
    yield "instructions", visitor.get()
    yield "begun", visitor.send("begin")
    yield "practice", visitor.get()
    yield "practised", visitor.send("practice", {"answer": "1"})
    for number in range(3):
        page = visitor.get()
        claim = visitor.hidden("answer", page.text)["claim"]
        yield f"texts {number}", page
        for place in range(3):
            yield f"picture {number} {place}", visitor.get(f"/image/{claim}/{place}")
        yield f"incomplete {number}", visitor.send("answer", {}, page.text)
        yield f"answered {number}", visitor.send("answer", {"answer": str(number)}, page.text)
        yield f"again {number}", visitor.send("answer", {"answer": str(number)}, page.text)
        yield f"changes {number}", visitor.get("/change")
    yield "the end", visitor.get()


def test_exchanged_roles_give_the_same_bytes(pair: list[tuple[Service, TestClient, list[Any]]]) -> None:
    (first, _, _), (second, _, _) = pair
    links = [link.path for link in first.arrivals.links("experts")]
    assert links == [link.path for link in second.arrivals.links("experts")]
    for link in links[:2]:
        both = [list(journey(browser, link)) for _, browser, _ in pair]
        for (what, one), (_, other) in zip(*both, strict=True):
            assert one.status_code == other.status_code, what
            assert one.headers == other.headers, what  # lengths too
            assert one.content == other.content, what  # one secret, the same names: even the tokens are equal
    # and yet the roles are exchanged: what was right in one is answered alike and judged by other triads
    right = [[judgement.role for judgement in service.judgements()] for service in (first, second)]
    assert [triad.translate(EXCHANGED) for triad in right[0]] == right[1] != right[0]


def test_the_same_statements_are_run_whoever_is_who(
    pair: list[tuple[Service, TestClient, list[Any]]],
) -> None:
    """What takes time is the database and the page: both do the same work."""
    link = pair[0][0].arrivals.links("experts")[0].path
    for _, browser, asked in pair:
        asked.clear()
        for _ in journey(browser, link):
            pass
    assert len(pair[0][2]) > 50 and pair[0][2] == pair[1][2]


@pytest.mark.parametrize("practice", [False, True])
def test_right_and_wrong_answers_get_the_same_answer(tmp_path: Path, practice: bool) -> None:
    """In evaluations, and in practice until the result is asked for, nothing tells which it was."""
    changes = {**attack.BARE, "practice": made.description()["practice"]} if practice else attack.BARE
    with attack.opened(tmp_path / "study", **changes) as site:
        asked: list[str] = []
        attack.traced(site.service.store, asked)
        purpose = "practice" if practice else "answer"
        seen: dict[bool, list[Any]] = {}
        for number in range(3):
            visitor = site.reading()
            page = visitor.get().text
            del asked[:]
            sent = visitor.send(purpose, {"answer": str(number)}, page)
            statements, after = list(asked), visitor.get()
            assert any("INSERT INTO judgements" in statement for statement in statements)
            judgement = site.service.judgements()[-1]
            assert judgement.correct == (odd_position(judgement.role) == number)
            seen.setdefault(judgement.correct, []).append(
                (
                    sent.status_code,
                    attack.without_names(str(sent.headers)),
                    sent.content,
                    statements,
                    after.status_code,
                    set(after.headers),
                )
            )
        assert set(seen) == {True, False}, "the seed gives no answer of one kind; choose another"
        assert len({str(one) for found in seen.values() for one in found}) == 1


def test_a_page_names_no_slot_triad_subject_input_or_text(
    pair: list[tuple[Service, TestClient, list[Any]]],
) -> None:
    service, browser, _ = pair[0]
    study = service.frozen
    hidden = {text.id for text in study.texts} | {slot.id for slot in study.slots} | {study.id, study.digest}
    hidden |= set(study.images) | set(study.images.values()) | {"a person", "the machine", "subject"}
    for what, answer in journey(browser, service.arrivals.links("experts")[0].path):
        if answer.headers.get("content-type", "").startswith("image/"):
            assert not {"etag", "last-modified", "content-disposition"} & set(answer.headers), what
            continue
        said = answer.text + str(answer.headers)
        for name in hidden:
            assert name not in said, (what, name)
        for triad in ("AAB", "ABA", "BAA", "BBA", "BAB", "ABB"):
            assert triad not in attack.Reading(answer.text).text, what


def test_the_address_of_a_picture_tells_its_place_only(
    pair: list[tuple[Service, TestClient, list[Any]]],
) -> None:
    service, browser, _ = pair[0]
    visitor = Visitor(browser, service.arrivals.links("experts")[0].path)
    visitor.practised()
    page = visitor.get().text
    claim = visitor.hidden("answer", page)["claim"]
    shown = [one for one in attack.Reading(page).addresses if "/image/" in one]
    assert shown == [f"{visitor.path}/image/{claim}/{place}" for place in range(3)]
    kinds = {visitor.browser.get(address).headers["content-type"] for address in shown}
    assert kinds == {"image/png"}
    alternatives = {value for value in attack.Reading(page).values if "picture" in value.lower()}
    assert not any("png" in value for value in alternatives)
