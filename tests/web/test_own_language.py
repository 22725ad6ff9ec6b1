"""Pages in a language of one's own: its phrases, its direction, its numbers, and the language that stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made
import yaml
from made import Visitor, heading

from nlgauge.web.language import choose, of_study

KEYS = {"consent": None, "questions": None, "practice": None, "instructions": None, "completion": None}


def site(folder: Path, phrases: dict[str, Any], tag: str = "fa", **changes: Any) -> Visitor:
    folder.mkdir(parents=True)
    values = {"name": "فارسی", "phrases": phrases, **changes}
    (folder / "own.yaml").write_text(yaml.safe_dump(values, allow_unicode=True), encoding="utf-8")
    asked = {"question": {tag: "کدام متن؟", "en": "Which?"}, "title": {tag: "چه کسی؟", "en": "Who?"}}
    service = made.launched(folder, **KEYS, **asked, translations={tag: "own.yaml"}, languages=[tag, "en"])
    return Visitor(made.client(service, folder), made.links(service, "experts")[0])


def test_its_own_phrases_are_shown_and_the_others_in_the_fallback(tmp_path: Path) -> None:
    visitor = site(tmp_path / "s", {"begin": "شروع <b>{{", "instructions_title": "کار شما"}, fallback="fr")
    page = visitor.browser.get(visitor.path, headers={"accept-language": "fa-IR"}).text
    assert '<html lang="fa" dir="rtl">' in page and heading(page) == "کار شما"
    assert "شروع &lt;b&gt;{</button>" in page  # escaped like every word; a doubled brace is one
    assert "\u2068Quitter l’étude\u2069" in page  # set apart: it runs the other way
    assert '<option value="fa" lang="fa" selected>فارسی</option>' in page


def test_the_direction_can_be_set(tmp_path: Path) -> None:
    visitor = site(tmp_path / "s", {"begin": "x"}, tag="ha", direction="rtl")
    assert 'dir="rtl"' in visitor.browser.get(visitor.path, headers={"accept-language": "ha"}).text


def test_its_numbers_have_its_forms(tmp_path: Path) -> None:
    forms = {"one": "{total} tekst", "few": "{total} teksty", "many": "{total} tekstów"}
    visitor = site(tmp_path / "s", {"rating_count": forms, "error_long": "{most}"}, tag="pl", group="none")
    phrases = of_study(visitor.browser.app.state.site.service.study, "pl")  # type: ignore[attr-defined]
    said = [phrases.say("rating_count", total=number) for number in (1, 3, 5, 22)]
    assert said == ["1 tekst", "3 teksty", "5 tekstów", "22 teksty"]
    assert phrases.say("error_long", most=20000) == "20000"
    assert phrases.say("comparison_count", total=1) == "You will make one comparison."


def test_a_whole_study_is_read_in_it(tmp_path: Path) -> None:
    visitor = site(tmp_path / "s", {"done_title": "سپاس"})
    visitor.browser.headers["accept-language"] = "fa"
    visitor.send("begin")
    for _ in range(3):
        visitor.send("answer", {"answer": "1"})
    assert heading(visitor.get().text) == "سپاس"


def test_a_browsers_wish_finds_tags_with_regions() -> None:
    spoken = ("en", "pt-BR", "zh-Hant")
    for accepted, found in (
        ("pt-BR,en;q=0.5", "pt-BR"),
        ("pt-PT,en;q=0.5", "pt-BR"),
        ("ZH-HANT", "zh-Hant"),
        ("eu", "en"),
    ):
        assert choose(accepted, spoken) == found
