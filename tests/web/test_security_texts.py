"""Whatever a study or a judge writes is shown as text, everywhere, and turns nothing but itself."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attack
import made
import pytest
from attack import HOSTILE, Reading
from researcher import CHEAP, GOOD, Clock, Researcher

from nlgauge.errors import InputError
from nlgauge.study.exchange import export
from nlgauge.study.service import Service
from nlgauge.study.store import Store
from nlgauge.web.login import Vault

EVERY = " ¦ ".join(HOSTILE)
SEEN = "".join(sign for sign in EVERY if sign.isprintable())  # names stand in sentences, and must be
BLOCKS = re.findall(
    r"\w+",
    "p div li td th dt dd dl h1 h2 h3 h4 ul ol table tr section form fieldset legend header footer main body "
    "figure figcaption details summary pre option textarea title label caption nav article blockquote text",
)
EMPTY = ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "'=1",
    "'tis true",
)


class Turned(HTMLParser):
    """Texts that could turn what follows them: not isolated, and not alone in their block."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, bool, int]] = []  # tag, isolated, number of the block
        self.blocks: dict[int, list[str]] = {0: []}
        self.titles: set[int] = set()
        self.suspects: list[tuple[int, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in EMPTY:
            return
        number = self.stack[-1][2] if self.stack else 0
        if tag in BLOCKS:
            number = len(self.blocks)
            self.blocks[number] = []
            self.titles |= {number} if tag == "title" else set()
        own = tag == "bdi" or ("dir" in dict(attrs) and tag != "html")
        self.stack.append((tag, own, number))

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        number = self.stack[-1][2] if self.stack else 0
        self.blocks[number].append(data.strip())
        isolated = any(own for _, own, block in self.stack if block == number)
        isolated |= [tag for tag, _, _ in self.stack[-2:]] == [
            "label",
            "span",
        ]  # a box to mark: laid out by itself
        if any(sign in data for sign in "\u202e\u202d\u2067") and not isolated:
            self.suspects.append((number, data))

    @property
    def found(self) -> list[str]:
        """What turns other text."""
        bad = []
        for number, data in self.suspects:
            if number in self.titles:  # the name of a tab; nothing follows in it
                continue
            others = [one for one in self.blocks[number] if one and one != data.strip()]
            start, end = data.find("\u2068"), data.rfind("\u2069")
            turning = min(data.find(sign) for sign in "\u202e\u202d\u2067" if sign in data)
            isolated = 0 <= start < turning < end
            if not isolated and (others or (turning > 0 and not _whole(data))):
                bad.append(data)
        return bad


def _whole(data: str) -> bool:
    """Whether a block holds nothing but a text of the study."""
    return EVERY in data and data.strip() == EVERY


def check_page(answer: Any, *, holds: bool = True) -> None:
    """A page that shows every hostile text as text."""
    found = Reading(answer.text)
    where = str(answer.request.url)
    assert found.running == [] and found.comments == [], where
    assert "svg/onload" not in found.tags and not set(found.tags) & {"i", "iframe", "object"}, where
    shown = found.text + "\n".join(found.values)
    if holds:
        assert EVERY in shown or all(one in shown for one in HOSTILE), where
    assert "49" not in shown.replace(EVERY, "").split(), where
    assert Turned(answer.text).found == [], where


def hostile_study(**changes: Any) -> dict[str, Any]:
    """A study whose every wording is hostile."""
    said = {"en": EVERY, "ar": EVERY}
    texts = {
        name: [{"text": f"{k}{name} {EVERY}", "caption": EVERY, "context": f"{EVERY} {k}"} for k in range(8)]
        for name in "AB"
    }
    return {
        "title": EVERY,
        "subjects": {name: {"name": SEEN, "texts": found} for name, found in texts.items()},
        "question": said,
        "instructions": said,
        "context": said,
        "consent": {"text": said, "agree": said},
        "questions": [
            {
                "id": EVERY[:60],
                "text": said,
                "options": [said, {"en": "none", "ar": "none"}],
                "required": True,
            },
            {"id": "word", "text": said, "type": "text", "required": True},
        ],
        "practice": {"examples": [{"texts": [EVERY + "1", EVERY + "2", EVERY + "3"], "odd": 2, "explanation": said}]},
        "panels": {
            EVERY[:58]: {"judges": 6, "access": "links", "description": EVERY},
            "open <b>": {"judges": 2, "access": "open"},
        },
        "completion": {"text": said, "code": EVERY},
        "ethics": {"approval": EVERY, "body": EVERY, "contact": EVERY},
        "reasons": {"text": "required", "highlight": "optional"},
        "corrections": "allow",
        **changes,
    }


@pytest.fixture(scope="module", params=["en", "ar"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("site") / "study"
    with attack.opened(folder, **hostile_study()) as found:
        Vault(folder).set_password(GOOD, CHEAP)
        found.service.context.clock = Clock()
        found.browser.headers["accept-language"] = request.param
        yield found


def test_judges_pages_show_texts_as_text(site: attack.Site) -> None:
    visitor = site.visitor()
    check_page(visitor.get())
    check_page(visitor.get("/leave"))
    check_page(visitor.send("consent", {"agree": "yes"}))  # without the tick: shown again
    visitor.send("consent", {"agree": "yes", "ticked": "yes"})
    check_page(visitor.get())
    check_page(visitor.send("questions", {"q1": EVERY}))  # one lacks: shown again with what was typed
    visitor.send("questions", {"q0": "1", "q1": EVERY})
    check_page(visitor.get())
    visitor.send("begin")
    check_page(visitor.get())
    check_page(visitor.browser.get(visitor.send("practice", {"answer": "1"}).headers["location"]))
    page = visitor.get()
    check_page(page)
    again = visitor.send("answer", {"reason": EVERY, "mark": "0-0-3"}, page.text)
    assert again.status_code == 422
    check_page(again)
    assert visitor.send("answer", {"answer": "1", "reason": EVERY, "mark": "0-0-9"}).status_code == 303
    check_page(visitor.get())
    check_page(visitor.get("/change"))
    check_page(visitor.get(f"/change/{site.service.judgements()[-1].id}"))
    for path in ("/", "/nowhere", "/j/" + "0" * 44, site.link("open")):
        check_page(visitor.browser.get(path))
    stored = site.service.judgements()[-1]
    assert stored.reason == EVERY.strip()  # and kept as it was written
    assert any(answers["word"] == EVERY for answers in site.service.people.personal().values())


def test_what_stands_in_an_address_is_shown_as_text(site: attack.Site) -> None:
    for odd in HOSTILE:
        for path in (
            "/{}",
            "/j/{}",
            "/o/{}",
            "/p/{}",
            "/dashboard/{}",
            "/static/{}/x",
            "/dashboard/setup/{}",
        ):
            answer = site.browser.get(path.format(quote(odd, safe="")))
            assert answer.status_code in (303, 404), path
            found = Reading(answer.text)
            assert found.running == [] and found.comments == []


def test_the_dashboard_shows_texts_as_text(site: attack.Site) -> None:
    service = site.service
    for panel in service.study.panels:
        while (numbers := service.progress.report()["panels"][panel])["done"] < numbers["planned"]:
            judge, _ = service.arrivals.register(panel, language="en", client=EVERY)
            service.people.consent(judge, True)
            service.people.answer_questions(judge, {EVERY[:60]: "0", "word": EVERY})
            service.dealing.step(judge)
            service.answers.answer_practice(judge, 1, 0, client=EVERY)
            shown = service.dealing.step(judge).evaluation
            assert shown is not None
            choice = numbers["done"] % 3
            service.answers.answer(judge, shown.claim, choice, reason=EVERY, highlights=[(0, 0, 28)], client=EVERY)
    researcher = Researcher(site.browser)
    if researcher.get().status_code != 200:
        assert researcher.log_in().status_code == 303
    for path in ("", "/links", "/judges", "/export", "/study", "/close", "/password"):
        check_page(researcher.get(path), holds=path in ("/links", "/study"))
    check_page(researcher.get(f"/judges/{service.people.judges()[0]['id']}/forget"), holds=False)
    check_page(researcher.get(f"/judges?panel={EVERY}"), holds=False)
    check_page(researcher.get("/links?page-0=%3Cscript%3E&said=%3Cscript%3E&n=%3Cb%3E"), holds=False)
    refused = Reading(researcher.post("/links", {"panel": EVERY, "count": "3"}).text)
    assert refused.running == [] and "has no panel" in refused.text
    answer = researcher.get("/analysis")
    assert answer.status_code == 200, Reading(answer.text).text
    check_page(answer, holds=False)
    assert "<script>alert" not in answer.text and "onerror=alert(1)>" not in answer.text
    assert "<script>alert" in Reading(answer.text).text  # words that were marked, and texts that were odd


@pytest.mark.slow
def test_a_text_of_a_megabyte_is_shown_whole(tmp_path: Path) -> None:
    large = "<script>alert(1)</script> & word " * 33_000
    (tmp_path / "study").mkdir()
    rows = [
        {
            "item": str(k),
            "system": name,
            "source": "s",
            "hypothesis": f"{k} {name} {large}",
            "references": ["r"],
        }
        for k in range(4)
        for name in "AB"
    ]
    (tmp_path / "study" / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    subjects = {name: {"data": "data.jsonl", "system": name} for name in "AB"}
    panels = {"experts": {"judges": 2, "access": "links"}}
    with attack.opened(tmp_path / "study", subjects=subjects, panels=panels, **attack.BARE) as site:
        answer = site.reading().get()
        assert answer.status_code == 200 and len(answer.content) > 3 * len(large)
        found = Reading(answer.text)
        assert found.running == [] and large in found.text
        # the boxes to mark are bounded, however long the texts are
        assert answer.text.count('name="mark"') <= 1_000


# ------------------------------------------------------------------------------------------- odd characters of a file


def test_a_text_with_a_nul_is_refused_in_a_sentence(tmp_path: Path) -> None:
    texts = [f"{k} before\x00after" for k in range(8)]
    changes = [
        {"subjects": {"A": {"texts": texts}, "B": {"texts": ["other"] * 8}}},
        {"question": "Which?\x00"},
        {"title": "Who\x00?"},
    ]
    for number, change in enumerate(changes):
        with pytest.raises(InputError, match="NUL"):
            made.launched(tmp_path / str(number), Store.memory(), **change)


@pytest.mark.parametrize("name", ["\u202epanel", "a\u2067b", "a\tb", "a\nb", "a\u200bb"])
def test_a_name_that_would_turn_sentences_is_refused(tmp_path: Path, name: str) -> None:
    """Names of panels stand in the middle of sentences, of files and of addresses."""
    with pytest.raises(InputError, match="panels"):
        made.launched(tmp_path / "study", Store.memory(), panels={name: {"judges": 3}})
    subjects = made.description()["subjects"]
    subjects["A"]["name"] = name
    with pytest.raises(InputError, match="subjects"):
        made.launched(tmp_path / "study", Store.memory(), subjects=subjects)


def test_other_control_characters_do_no_harm(tmp_path: Path) -> None:
    odd = "before\x01\x08\x0b\x0c\x1b[31m\x7f\x85\ufffe\uffffafter"
    subjects = {name: {"texts": [f"{k} {name} {odd}" for k in range(8)]} for name in "AB"}
    panels = {"experts": {"judges": 2, "access": "links"}}
    with attack.opened(tmp_path / "study", subjects=subjects, panels=panels, **attack.BARE) as site:
        answer = site.reading().get()
        assert answer.status_code == 200 and odd in Reading(answer.text).text


@pytest.mark.parametrize("place", ["texts", "question", "title"])
def test_half_a_surrogate_pair_is_refused_in_a_sentence(tmp_path: Path, place: str) -> None:
    values = made.description(**attack.BARE)
    text = json.dumps(values, ensure_ascii=True)
    inner = {"texts": "Rain will fall", "question": "Which text is", "title": "Who wrote it?"}[place]
    (tmp_path / "study.yaml").write_text(text.replace(inner, inner + "\\ud800"), encoding="utf-8")
    from nlgauge.study.file import study
    from nlgauge.study.service import launch

    with pytest.raises(InputError):
        launch(study.load(tmp_path), tmp_path, Store.memory())


# ------------------------------------------------------------------------------------------------------------ exports


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Service]:
    """A study with reasons that a spreadsheet would compute."""
    panels = {"experts": {"judges": len(FORMULAS), "access": "links"}}
    with attack.opened(tmp_path / "study", panels=panels, **attack.BARE) as site:
        for formula in FORMULAS:
            visitor = site.reading()
            visitor.headers = {"user-agent": formula.strip()}
            assert visitor.send("answer", {"answer": "0", "reason": formula}).status_code == 303
        yield site.service


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_an_export_reads_back_whatever_was_written(written: Service, tmp_path: Path, ending: str) -> None:
    judgements = written.judgements()
    assert {judgement.reason for judgement in judgements} == {formula.strip() for formula in FORMULAS}
    export.write(judgements, tmp_path / f"out.{ending}")
    assert export.read(tmp_path / f"out.{ending}") == judgements


def test_no_cell_of_a_table_for_spreadsheets_is_a_formula(written: Service, tmp_path: Path) -> None:
    for ending, delimiter in (("csv", ","), ("tsv", "\t")):
        path = tmp_path / f"out.{ending}"
        export.write(written.judgements(), path)
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, delimiter=delimiter))
        assert len(rows) == len(FORMULAS) + 1
        for row in rows:
            for cell in row:
                if not _number(cell):
                    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_the_table_of_links_has_no_formula_either(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    panels = {name: {"judges": 2, "access": "links"} for name in ("=1+1", "@x", "plain")}
    with attack.opened(folder, panels=panels, **attack.BARE) as site:
        Vault(folder).set_password(GOOD, CHEAP)
        researcher = Researcher(site.browser)
        assert researcher.log_in().status_code == 303
        found = list(csv.reader(io.StringIO(researcher.get("/links.csv").text)))
        assert len(found) == 7
        assert not any(cell.startswith(("=", "+", "@")) for row in found for cell in row)


def test_files_are_sent_to_be_saved_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    with attack.opened(folder, **attack.BARE) as site:
        Vault(folder).set_password(GOOD, CHEAP)
        researcher = Researcher(site.browser)
        researcher.log_in()
        sent = [researcher.get(path) for path in ("/links.csv", "/links.txt")]
        sent += [
            researcher.post("/export", {"format": kind, "confirm": "yes"}, "/export")
            for kind in ("csv", "jsonl", "parquet")
        ]
        for answer in sent:
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith("attachment; filename=")
            assert not answer.headers["content-type"].startswith(("text/html", "image/svg"))
            attack.check_headers(answer)


MARKED = """# Loud heading

<script>alert(1)</script> <img src=x onerror=alert(1)> [go](javascript:alert(1)) ![see](http://evil.example/x.png)
<http://evil.example>

| a | b |
|--:|---|
| **1** | `<i>` |

```html"><script>alert(2)</script>
<b>bold</b>
```
"""


def test_markdown_and_code_are_shown_and_hold_nothing_that_acts() -> None:
    from nlgauge.web.texts import rendered

    page = str(rendered(MARKED, "markdown"))
    assert '<p class="heading">Loud heading</p>' in page and "<strong>1</strong>" in page and "<td>" in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page and "<code>&lt;i&gt;</code>" in page
    for forbidden in ("<script", "<img", "<a ", "href=", 'src=x"', "style=", "<b>", "<h1"):
        assert forbidden not in page, forbidden
    code = str(rendered(MARKED, "code"))
    assert code.startswith("<pre><code># Loud heading\n") and "<script" not in code and "&lt;script&gt;" in code
    assert str(rendered("**a** <b>", "plain")) == "**a** &lt;b&gt;"
    assert not any(rendered(" ", how).strip() for how in ("plain", "code", "markdown"))  # the page says so
