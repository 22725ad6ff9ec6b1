"""Presets beside the scripts they are named after: running where these are installed, else as recorded."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from recorded import recorded

from nlgauge import EvaluationSet, parse, presets, score
from nlgauge.engine.availability import missing
from nlgauge.text.sentences import sentences

REFERENCES = [
    ["A man rides a brown horse along the beach.", "A rider on horseback near the sea!"],
    ["Two dogs play with a red ball on the grass.", "Two puppies are fighting over a ball, outdoors."],
    ["The woman's umbrella is open, it's raining.", "A lady holds an umbrella in the rain."],
    ["Children watch a clown juggle five balls.", "A clown entertains some kids."],
]
OUTPUTS = [
    "A man is riding a horse on the beach.",
    "Two dogs are playing on the grass, near a ball.",
    "A woman doesn't hold her umbrella in the rain.",
    "A clown is juggling balls for children.",
]
SOURCES = [
    "A gentleman proceeds upon a brown horse along the beach.",
    "Two dogs are occupied with a red ball on the lawn.",
    "The woman's umbrella has been opened because of precipitation.",
    "Children observe a clown who juggles five balls.",
]
DATA = EvaluationSet.of({"x": OUTPUTS}, REFERENCES, SOURCES)


def ours(name: str, data: EvaluationSet = DATA) -> list[float]:
    """The values of a preset, without what this machine lacks."""
    metrics, _ = presets.choose(name, data)
    return [found.value for found in score(data, metrics).scores]


def kit(name: str) -> Any:
    return pytest.importorskip(f"pycocoevalcap.{name}", reason="the live comparison runs pycocoevalcap")


def tokenised(texts: list[list[str]], folder: Path) -> dict[int, list[str]]:
    """As the kit tokenises captions: by Stanford's program, without the marks on its list."""
    module = kit("tokenizer.ptbtokenizer")
    jar = Path(module.__file__).with_name(module.STANFORD_CORENLP_3_4_1_JAR)
    if shutil.which("java") is None or not jar.is_file():
        pytest.skip("needs Java and the jar in the package pycocoevalcap")
    file = folder / "texts.txt"
    file.write_text("\n".join(text for several in texts for text in several), encoding="utf-8")
    command = [
        "java",
        "-cp",
        str(jar),
        "edu.stanford.nlp.process.PTBTokenizer",
        "-preserveLines",
        "-lowerCase",
    ]
    lines = iter(subprocess.run([*command, str(file)], capture_output=True, check=True).stdout.decode().splitlines())
    return {
        place: [" ".join(word for word in next(lines).split() if word not in module.PUNCTUATIONS) for _ in several]
        for place, several in enumerate(texts)
    }


def of_the_kit(outputs: list[str], references: list[list[str]], folder: Path) -> list[float]:
    """BLEU-1 to 4 from 0 to 100, METEOR, ROUGE-L and CIDEr as the kit's own classes give them."""
    wanted, given = tokenised(references, folder), tokenised([[text] for text in outputs], folder)
    bleu, _ = kit("bleu.bleu").Bleu(4).compute_score(wanted, given, verbose=0)
    scorers = [kit("meteor.meteor").Meteor, kit("rouge.rouge").Rouge, kit("cider.cider").Cider]
    return [
        *(100 * value for value in bleu),
        *(scorer().compute_score(wanted, given)[0] for scorer in scorers),
    ]


@pytest.mark.slow  # Java reads METEOR's tables
def test_coco_equals_the_caption_kit(tmp_path: Path) -> None:
    theirs = of_the_kit(OUTPUTS, REFERENCES, tmp_path)
    assert ours("coco")[:7] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.long
def test_coco_equals_the_caption_kit_on_real_captions(shared: Path, tmp_path: Path) -> None:
    with gzip.open(shared / "data" / "flickr8k_expert.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = {row["item"]: row for row in map(json.loads, file)}
    outputs = [row["hypothesis"] for row in rows.values()]
    references = [row["references"] for row in rows.values()]
    theirs = of_the_kit(outputs, references, tmp_path)
    data = EvaluationSet.of({"x": outputs}, references)
    metrics, _ = presets.choose("coco", data)
    found = [one.value for one in score(data, metrics[:7]).scores]
    assert found == pytest.approx(theirs, rel=1e-4)


def test_coco_and_qg_equal_recorded_scores() -> None:
    if not recorded():
        pytest.skip("the recorded numbers are kept outside the project")
    flavours = {"jmhessel/clipscore": "coco", "Maluuba/nlg-eval": "qg"}
    checked = 0
    for case in recorded():
        name = flavours.get(case.system.partition("@")[0])
        if case.metric != "BLEU" or name is None:
            continue
        data = EvaluationSet.of({"x": case.hypotheses}, case.references)
        metrics = [metric for metric in presets.choose(name, data)[0] if metric.name == "bleu"]
        values = [found.value / 100 for found in score(data, metrics).scores]
        case.check(dict(zip(("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"), values, strict=True)))
        checked += 1
    assert checked == 3


def test_wmt_equals_sacrebleu_in_every_language() -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics", reason="the live comparison runs sacreBLEU")
    texts = {
        "de": ("Über den Fluß gingen sie.", "Sie gingen über den Fluß."),
        "zh": ("他们走过了河上的桥。", "他们走过河上的那座桥。"),
        "ja": ("彼らは橋を渡った。", "彼らは川の橋を渡った。"),
        "ko": ("그들은 다리를 건넜다.", "그들은 강의 다리를 건넜다."),
    }
    for language, (output, reference) in texts.items():
        metrics, _ = presets.choose("wmt", language=language)
        if len(metrics) < 3:
            continue  # without the package that splits this language
        found = [metric.corpus([output], [[reference]]) for metric in metrics]
        scorers = [sacrebleu.BLEU(trg_lang=language), sacrebleu.CHRF(), sacrebleu.TER()]
        theirs = [scorer.corpus_score([output], [[reference]]).score for scorer in scorers]
        assert found == pytest.approx(theirs, abs=1e-9), language


def test_summarisation_equals_rouge_score() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="the live comparison runs rouge-score")
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    texts = [text.replace(", ", ",\n") for text in OUTPUTS]
    data = EvaluationSet.of({"x": texts}, [[texts[0]] for texts in REFERENCES])
    theirs = scorer.RougeScorer(types, use_stemmer=True)
    each = [theirs.score(several[0], text) for several, text in zip(REFERENCES, texts, strict=True)]
    wanted = [sum(found[kind].fmeasure for found in each) / len(each) for kind in types]
    assert ours("summarisation", data) == pytest.approx(wanted, abs=1e-12)


def test_simplification_equals_what_easse_computes() -> None:
    """EASSE hands BLEU to sacreBLEU, lower-cased; its SARI and FKGL are compared where they are tested."""
    sacrebleu = pytest.importorskip("sacrebleu.metrics", reason="the live comparison runs sacreBLEU")
    streams = [list(stream) for stream in zip(*REFERENCES, strict=True)]
    bleu = sacrebleu.BLEU(lowercase=True, force=True).corpus_score(OUTPUTS, streams).score
    assert [str(metric) for metric in presets.choose("simplification", DATA)[0]] == [
        *("sari(form=easse)", "bleu(lower=yes)", "fkgl")
    ]
    assert ours("simplification")[1] == pytest.approx(bleu, abs=1e-9)


def test_webnlg20_equals_the_parts_of_its_script() -> None:
    """Its BLEU is that of multi-bleu-detok, which is sacreBLEU's without smoothing; its chrF++ was recorded."""
    sacrebleu = pytest.importorskip("sacrebleu.metrics", reason="the live comparison runs sacreBLEU")
    streams = [list(stream) for stream in zip(*REFERENCES, strict=True)]
    bleu = sacrebleu.BLEU(smooth_method="none").corpus_score(OUTPUTS, streams).score
    metrics, notes = presets.choose("webnlg20", DATA)
    values = dict(zip(map(str, metrics), ours("webnlg20"), strict=True))
    assert values["bleu(smooth=none)"] == pytest.approx(bleu, abs=1e-9)
    chrf = next(metric for metric in metrics if metric.name == "chrf")
    for case in recorded():
        if case.id in ("chrf++-001", "chrf++-002"):  # of m-popovic/chrF, whose program the script runs
            case.check(chrf.corpus(case.hypotheses, case.references), case.expected["corpus_F"])
    if missing(parse("bertscore(model=roberta-large)")) is not None:
        assert any("nlgauge models get roberta-large" in note for note in notes)


def test_webnlg20_has_the_ter_of_its_script() -> None:
    pyter = pytest.importorskip("pyter", reason="the live comparison runs pyter3")
    tokenize = pytest.importorskip("nltk", reason="the live comparison runs NLTK").word_tokenize

    def words(text: str) -> list[str]:
        return [word for line in sentences(text) for word in tokenize(line, preserve_line=True)]

    rates = [
        min(pyter.ter(words(text), words(reference)) for reference in several)
        for text, several in zip(OUTPUTS, REFERENCES, strict=True)
    ]
    values = {
        str(metric): value for metric, value in zip(presets.choose("webnlg20", DATA)[0], ours("webnlg20"), strict=True)
    }
    assert values["pyter(tok=nltk)"] == pytest.approx(sum(rates) / len(rates), abs=1e-12)
