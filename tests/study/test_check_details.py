"""What `check` says of pictures, wordings and rules of stopping: cases that break a rule, and cases that do not."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
import rated
from studies import write

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.checks.run import Finding, check
from nlgauge.study.freeze.pictures import picture
from nlgauge.study.languages import LANGUAGES, worded


def findings(folder: Path, **changes: Any) -> list[Finding]:
    return check(write(folder, **changes), simulate=False)[0]


def of(found: list[Finding], kind: str, severity: str = "risk") -> list[str]:
    return [one.message for one in found if one.kind == kind and one.severity == severity]


# ------------------------------------------------------------------------------------------------------- pictures


def png(width: int, height: int, **notes: str) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = zlib.compress(b"".join(b"\0" + b"\0" * width for _ in range(height)))
    text = b"".join(chunk(b"tEXt", f"{key}\0{value}".encode()) for key, value in notes.items())
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + text + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def jpeg(width: int, height: int, exif: bytes = b"", comment: bytes = b"") -> bytes:
    def segment(marker: int, body: bytes) -> bytes:
        return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body

    parts = segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
    if exif:
        parts += segment(0xE1, b"Exif\0\0" + exif)
    if comment:
        parts += segment(0xFE, comment)
    frame = segment(0xC0, b"\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\x00")
    return b"\xff\xd8" + parts + frame + segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x00\xff\xd9"


def webp(width: int, height: int, note: bytes = b"") -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"VP8X" + struct.pack("<I", 10) + b"\x08\0\0\0" + sizes
    if note:
        body += b"XMP " + struct.pack("<I", len(note)) + note + b"\0" * (len(note) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def lossless(width: int, height: int) -> bytes:
    bits = struct.pack("<I", (width - 1) | (height - 1) << 14)
    body = b"VP8L" + struct.pack("<I", 6) + b"\x2f" + bits + b"\0"
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def gif(width: int, height: int, comment: bytes = b"") -> bytes:
    note = b"\x21\xfe" + bytes([len(comment)]) + comment + b"\0" if comment else b""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0" + note + b";"


def avif(width: int, height: int) -> bytes:
    return b"\0\0\0\x1cftypavif\0\0\0\0avifmif1" + b"\0\0\0\x14ispe\0\0\0\0" + struct.pack(">II", width, height)


def test_headers_of_every_kind(tmp_path: Path) -> None:
    for name, data, kind in (
        ("a.png", png(30, 20), "PNG"),
        ("a.jpg", jpeg(30, 20), "JPEG"),
        ("a.gif", gif(30, 20), "GIF"),
        ("a.webp", webp(30, 20), "WebP"),
        ("b.webp", lossless(30, 20), "WebP"),
        ("a.avif", avif(30, 20), "AVIF"),
    ):
        (tmp_path / name).write_bytes(data)
        found = picture(tmp_path / name)
        assert (found.kind, found.width, found.height, found.metadata) == (kind, 30, 20, ())


def test_what_files_say_of_their_origin(tmp_path: Path) -> None:
    for name, data, where, words in (
        ("a.png", png(3, 2, Software="DALL-E 3"), "tEXt", "DALL-E 3"),
        ("a.jpg", jpeg(3, 2, exif=b"II*\0Canon EOS R5\0"), "EXIF", "Canon EOS R5"),
        ("b.jpg", jpeg(3, 2, comment=b"made by rules"), "comment", "made by rules"),
        ("a.gif", gif(3, 2, b"hand drawn"), "comment", "hand drawn"),
        ("a.webp", webp(3, 2, b"<x:xmpmeta>generator</x:xmpmeta>"), "XMP", "generator"),
    ):
        (tmp_path / name).write_bytes(data)
        [(place, said)] = picture(tmp_path / name).metadata
        assert place == where and words in said


@pytest.mark.parametrize(
    "data", [b"", b"not a picture", png(30, 20)[:60], jpeg(30, 20)[:12], webp(3, 2)[:-3], png(0, 0)]
)
def test_broken_pictures(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(InputError, match=r"broken|no picture"):
        picture(tmp_path / "a.png")


def pictured(folder: Path, a: bytes, b: bytes, kind: str = "png", **names: str) -> list[Finding]:
    for subject, data in (("A", a), ("B", b)):
        place = folder / names.get(subject, "images")
        place.mkdir(parents=True, exist_ok=True)
        for k in range(12):
            (place / f"{subject.lower() if not names else ''}{k}.{kind}").write_bytes(data)
    subjects = {
        subject: {
            "texts": [
                {
                    "text": f"Forecast {k} of a day with rain.{' ' * (subject == 'B')}",
                    "image": f"{names.get(subject, 'images')}/{subject.lower() if not names else ''}{k}.{kind}",
                }
                for k in range(12)
            ]
        }
        for subject in "AB"
    }
    return findings(folder, subjects=subjects)


def test_like_pictures_are_not_mentioned(tmp_path: Path) -> None:
    found = pictured(tmp_path, png(64, 48), png(64, 48))
    assert not [one for one in found if one.kind == "images"]
    assert not any("pictures" in one.message for one in found)


def test_broken_and_misnamed_pictures_are_errors(tmp_path: Path) -> None:
    found = of(pictured(tmp_path, b"oops", jpeg(64, 48)), "images", "error")
    assert len(found) == 24
    assert "is no picture that browsers show" in found[0]
    assert "is called PNG by its name but is a JPEG file" in found[-1]


def test_sizes_that_differ_are_told_in_the_unit_of_the_test(tmp_path: Path) -> None:
    found = of(pictured(tmp_path, png(64, 48), png(256, 48)), "give-away")
    assert any("width of the pictures gives the author away" in one and "100 % of" in one for one in found)
    assert any("A has 64.0 pixels on average, B 256.0" in one for one in found)
    assert any("shape of the pictures" in one for one in found)
    assert not any("height" in one for one in found)


def test_metadata_and_names_that_tell_the_source(tmp_path: Path) -> None:
    found = pictured(tmp_path, png(64, 48), png(64, 48, Software="DALL-E 3"), A="photos", B="made")
    [risk] = of(found, "images")
    assert "12 pictures carry metadata (0 of A's, 12 of B's; for example made/0.png, tEXt" in risk
    assert "DALL-E 3" in risk and "passes on as it is" in risk
    [note] = of(found, "images", "note")
    assert "A's and B's lie apart" in note and "judges never see these names" in note


def test_kinds_that_differ(tmp_path: Path) -> None:
    (tmp_path / "i").mkdir(parents=True)
    subjects: dict[str, Any] = {"A": {"texts": []}, "B": {"texts": []}}
    for k in range(12):
        for subject, name, data in (("A", f"i/{k}.png", png(9, 9)), ("B", f"i/{k}.jpg", jpeg(9, 9))):
            (tmp_path / name).write_bytes(data)
            subjects[subject]["texts"].append({"text": f"{subject} {k}", "image": name})
    found = of(findings(tmp_path, subjects=subjects), "images")
    assert "0 % of A's pictures and 100 % of B's are JPEG files" in found[0]


# ------------------------------------------------------------------------------------------------------- wordings


def wording(folder: Path, **changes: Any) -> list[str]:
    return of(findings(folder, **changes), "wording")


def test_the_wordings_of_a_new_study_pass_in_every_language(tmp_path: Path) -> None:
    assert (
        wording(
            tmp_path,
            title=worded("triangle.title"),
            question=worded("triangle.question"),
            instructions=worded("triangle.instructions"),
            consent={"text": worded("consent")},
            languages=list(LANGUAGES),
        )
        == []
    )


@pytest.mark.parametrize(
    "question",
    [
        "Which text was written by a different author?",
        "Select the text that you think was written by a different author.",
        "Two of these texts share an author. Which is the third?",
        "Pick the odd one out.",
        "One forecast comes from another writer: which one?",
    ],
)
def test_neutral_questions(tmp_path: Path, question: str) -> None:
    assert wording(tmp_path, question=question) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": "Which text was written by a machine?"}, "question says “machine”"),
        ({"question": "Which one was AI-generated?"}, "question says “AI”"),
        ({"title": "Can readers tell generated forecasts?"}, "title says “generated”"),
        ({"instructions": "A computer wrote some of them."}, "instructions says “computer”"),
        ({"question": {"de": "Welchen Text hat eine KI geschrieben?"}}, "says “KI”"),
        ({"question": {"es": "¿Qué texto escribió una máquina?"}}, "says “máquina”"),
        ({"question": {"fr": "Quel texte vient d’un ordinateur ?"}}, "says “ordinateur”"),
        ({"question": {"it": "Quale testo è di un robot?"}}, "says “robot”"),
        ({"question": {"gl": "Que texto foi xerado?"}}, "says “xerado”"),
        ({"question": {"ar": "أي نص كتبه روبوت ؟"}}, "says “روبوت”"),
        ({"question": "Which text is obviously by another author?"}, "“obviously”, which leads"),
        ({"question": "Which text reads unnatural?"}, "“unnatural”, which leads"),
        ({"question": "How much better is the first text?"}, "“better”, which leads"),
        ({"question": "Which one is odd, and why do you think so?"}, "asks two things at once"),
        ({"question": "Which is odd? Which is longest?"}, "asks two things at once"),
        ({"question": "Which text was not written by the same author?"}, "is negated (“not”)"),
        ({"question": "Which two texts don't differ?"}, "is negated (“don't”)"),
        ({"instructions": "We hope that you see no difference."}, "what is hoped for"),
        ({"context": "Texts of our new system."}, "what is hoped for"),
        ({"question": " ".join(["word"] * 41)}, "question has 41 words; more than 40"),
        ({"instructions": " ".join(["word"] * 251)}, "instructions has 251 words"),
        ({"consent": {"text": " ".join(["word"] * 501)}}, "consent.text has 501 words"),
        ({"languages": ["en", "de"]}, "question has one wording for 2 languages (en, de)"),
    ],
)
def test_wordings_that_steer(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    found = wording(tmp_path, **changes)
    assert any(message in one for one in found), found


def test_every_single_wording_is_told_where_two_languages_are_spoken(tmp_path: Path) -> None:
    question = {
        "id": "reads",
        "text": {"en": "Do you read?", "de": "Lesen Sie?"},
        "options": ["daily", "never"],
    }
    found = wording(
        tmp_path,
        question={"en": "Which?", "de": "Welcher?"},
        instructions=None,
        questions=[question],
        completion={"text": "Thank you."},
        consent={"text": {"en": "You may stop.", "de": "Sie können aufhören."}, "agree": "Yes"},
    )
    single = [one.partition(" has one wording for 2 languages (en, de)")[0] for one in found]
    assert single == ["title", "completion.text", "consent.agree", "questions.1.options"]
    named = wording(tmp_path, title={"en": "Rain", "de": "Regen"}, question={"en": "Which?", "de": "Welcher?"})
    assert not any(one.startswith("title") for one in named)


def test_the_default_wordings_speak_of_authors() -> None:
    """One of the two may be a program: no language may speak of a person."""
    author = {
        "en": "author",
        "es": "autor",
        "de": "Autor",
        "fr": "auteur",
        "it": "autore",
        "gl": "autor",
        "ar": "مؤلف",
    }
    lacking = [language for language in LANGUAGES if language not in author]
    assert not lacking, f"add the word for an author in {', '.join(lacking)} above"
    for language in LANGUAGES:
        for words in (worded("triangle.question")[language], worded("triangle.instructions")[language]):
            assert author[language] in words
            assert not any(one in words for one in ("person", "Person", "persoa", "jemand", "quelqu", "كاتب"))


def test_an_empty_contact_is_noted(tmp_path: Path) -> None:
    assert any("no contact" in one for one in of(findings(tmp_path), "ethics", "note"))
    assert not of(findings(tmp_path / "b", ethics={"contact": "a@b.example"}), "ethics", "note")


def test_a_wording_that_names_an_author(tmp_path: Path) -> None:
    texts = {s: {"name": n, "texts": [f"{s}{k}" for k in range(12)]} for s, n in (("A", "TGen"), ("B", "Ana"))}
    found = wording(tmp_path, subjects=texts, question="Which text is not like those of tgen?")
    assert any("question names 'TGen', one of the two authors" in one for one in found)
    assert wording(tmp_path, subjects=texts, question="Which one has another analysis?") == []


def test_wordings_have_their_line(tmp_path: Path) -> None:
    found = [one for one in findings(tmp_path, question="Which is by a robot?") if one.kind == "wording"]
    lines = (tmp_path / "study.yaml").read_text(encoding="utf-8").splitlines()
    assert lines[found[0].line - 1].startswith("question:")


def test_missing_language_versions_are_errors(tmp_path: Path) -> None:
    changes: dict[str, Any] = {
        "question": {"en": "Which?", "de": "Welcher?"},
        "practice": {"examples": [{"texts": ["a", "b", "c"], "odd": 1, "explanation": {"en": "a"}}]},
        "instructions": {"en": "Read."},
    }
    errors = of(findings(tmp_path, **changes), "file", "error")
    assert any("instructions has no wording for de" in one for one in errors)
    assert any("practice.examples.1.explanation has no wording for de" in one for one in errors)


# ----------------------------------------------------------------------------------------------- rules of stopping


def test_walds_test_that_is_cut_off_too_early(tmp_path: Path) -> None:
    found = findings(tmp_path, sequential={"plan": "wald"}, panels={"p": {"judges": 29, "access": "open"}})
    [risk] = of(found, "judges")
    assert (
        "right conclusion with probability 0.906, below the 0.95 asked; otherwise it ends undecided; 41 answers" in risk
    )
    [plan] = of(found, "plan", "note")
    assert "Risks really run: α = 0.0283" in plan and "14.1" not in plan
    enough = findings(tmp_path, sequential={"plan": "wald"}, panels={"p": {"judges": 41, "access": "open"}})
    assert of(enough, "judges") == []


def test_looks_and_their_power(tmp_path: Path) -> None:
    changes = {"risks": {"alpha": 0.05, "beta": 0.05, "p_d": 0.3}, "sequential": {"looks": [24, 48, 72]}}
    found = findings(tmp_path, panels={"p": {"judges": 72, "access": "open"}}, **changes)
    assert of(found, "judges") == []
    assert "at 24 judges at least 17 correct" in of(found, "plan", "note")[0]
    changes["sequential"] = {"looks": [12, 36]}
    [risk] = of(findings(tmp_path, panels={"p": {"judges": 36, "access": "open"}}, **changes), "judges")
    assert "add answers to the last look" in risk


def test_the_simulated_run_follows_the_rule(tmp_path: Path) -> None:
    panels = {"p": {"judges": 40, "access": "open"}}
    found, _ = check(write(tmp_path, sequential={"plan": "wald"}, panels=panels))
    runs = [one for one in found if one.kind == "simulation"]
    assert [one.figures["p_d"] for one in runs] == [0.0, 0.5]
    assert all(one.figures["answers"] <= 40 for one in runs) and runs[1].figures["answers"] < 40


def test_check_says_when_no_two_judges_see_the_same_output(tmp_path: Path) -> None:
    alone = {"public": {"judges": 3, "evaluations": 6, "access": "open"}}
    twice = {"public": {"judges": 6, "evaluations": 6, "access": "open"}}
    for protocol in ("likert", "magnitude"):
        changes = {"protocol": protocol, "criteria": ["fluency"]}
        for panels, told in ((alone, 1), (twice, 0)):
            found, _ = check(rated.write(tmp_path / protocol, **changes, panels=panels), simulate=False)
            assert [one.severity for one in found if one.kind == "agreement"] == ["risk"] * told


def test_check_of_a_launched_study_names_what_was_edited_and_does_not_send_to_launch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "s")
    assert main(["study", "launch", str(folder)]) == 0
    capsys.readouterr()
    main(["study", "check", str(folder), "--no-simulation"])
    said = capsys.readouterr().out
    assert "launched with these files" in said and "study launch" not in said
    write(folder, question="Which one?", panels={"public": {"judges": 18, "access": "open"}})
    main(["study", "check", str(folder), "--no-simulation"])
    said = capsys.readouterr().out
    assert "question (Which text was written by a different author? at launch, now Which one?)" in said
    assert "panels.public.judges (12 at launch, now 18)" in said
    assert "The study is launched and frozen" in said and "Next: nlgauge study launch" not in said
    assert main(["study", "check", str(folder), "--no-simulation", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["launched"] != told["digest"] and len(told["changed"]) == 2
