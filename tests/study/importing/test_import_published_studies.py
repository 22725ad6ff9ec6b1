"""Published judgements beside the checkout as finished studies: analysed, stated, with published figures."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.cli import main
from nlgauge.report.study.words import sentences, warnings
from nlgauge.stats.agreement import krippendorff
from nlgauge.stats.correlation import correlate
from nlgauge.study.exchange.importing import Imported, import_study
from nlgauge.study.file import study as design
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.magnitudes.analysis import sorted_out
from nlgauge.study.protocols.magnitudes.file import estimation_study
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.protocols.ratings.analysis.rows import Rated, sort_out
from nlgauge.study.statements import short
from nlgauge.study.statements.read import read

Import = Callable[..., Imported]


@pytest.fixture
def brought(shared: Path, tmp_path: Path) -> Import:
    """Imports a set, or those of its rows that fit, into a folder of the same name."""

    def run(
        name: str, layout: str, *, only: Callable[[dict[str, Any]], bool] | None = None, **options: Any
    ) -> Imported:
        path = shared / "data" / f"{name}.jsonl.gz"
        if only is not None:
            path = kept(path, tmp_path / f"{name}.jsonl", only)
        return import_study(tmp_path / name, [path], layout, **options)

    return run


def kept(path: Path, target: Path, only: Callable[[dict[str, Any]], bool]) -> Path:
    with gzip.open(path, "rt", encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        out.writelines(line for line in lines if only(json.loads(line)))
    return target


def rated(done: Imported) -> Rated:
    return sort_out(done.service.frozen, done.service.judgements())


def pooled(found: Rated, panel: str) -> np.ndarray[Any, Any]:
    """Outputs of all criteria below each other × ratings."""
    tables = [found.column(asked, panel).table()[2] for asked in found.criteria]
    return np.concatenate(tables)


def test_agreement_that_summeval_published(brought: Import) -> None:
    """Krippendorff's alpha at the interval level, criteria pooled: 0.4920 of the turkers and 0.7127 of the experts'
    second round, which is the one handed out, on all 18 systems they annotated. The first round's 0.4132 cannot be
    reached: its answers are not in the file."""
    found = rated(brought("summeval", "summeval"))
    assert krippendorff(pooled(found, "turkers"), "interval").estimate == pytest.approx(0.4920, abs=5e-5)
    assert krippendorff(pooled(found, "experts"), "interval").estimate == pytest.approx(0.7127, abs=5e-5)


def test_correlations_that_hanna_published(brought: Import, shared: Path) -> None:
    """Kendall's tau of BLEU and chrF with the imported ratings, over systems within prompts and over systems' means.

    Two pairs of systems have exactly the same mean Complexity; the published figures keep one tie and break the other
    by the last bit of a sum, and come out where the same sums are compared bit by bit.
    """
    kendalltau = pytest.importorskip("scipy.stats").kendalltau
    found = rated(brought("hanna_scores_only", "hanna"))
    with gzip.open(shared / "data" / "hanna_scores_only.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    machines = [row for row in rows if row["system"] != "Human"]
    systems = sorted({row["system"] for row in machines})
    published = json.loads((shared / "data" / "published.json").read_text())["hanna_scores_only"]["published"]
    for metric in ("BLEU", "chrF"):
        score = {(row["item"], row["system"]): row["metrics"][metric] for row in machines}
        items = sorted({item for item, _ in score})
        for place, asked in enumerate(found.criteria):
            means = found.column(asked, "judges").output_means()
            story = np.mean(
                [tau([score[item, s] for s in systems], [means[item, s] for s in systems]) for item in items]
            )
            assert abs(story) == pytest.approx(published[f"{metric} story"][place], abs=6e-6)
            scores = [np.mean([score[item, s] for item in items]) for s in systems]
            whole = tau(scores, [np.mean([means[item, s] for item in items]) for s in systems])
            in_file = dict.fromkeys(row["item"] for row in machines)
            rounded = [running_sums([means[item, s] for item in in_file]) for s in systems]
            bit_by_bit = kendalltau(scores, rounded).statistic
            assert bit_by_bit == pytest.approx(published[f"{metric} system"][place], abs=6e-6)
            if asked.id != "Complexity":
                assert whole == pytest.approx(bit_by_bit)
                continue
            column = found.column(asked, "judges")
            points = Counter(
                {s: sum(v for v, t in zip(column.values, column.systems, strict=True) if t == s) for s in systems}
            )
            assert points["GPT"] == points["TD-VAE"] == 718 and points["BertGeneration"] == points["RoBERTa"] == 694
            exact = tau(scores, [points[s] for s in systems])  # with both ties
            assert exact == pytest.approx({"BLEU": 0.52286, "chrF": 0.65926}[metric], abs=6e-6)
            assert np.diff([rounded[systems.index(s)] for s in ("GPT", "TD-VAE")]) > 0


def running_sums(values: Sequence[float]) -> float:
    """Added as NumPy adds up to 128 numbers: in eight running sums, and these two by two."""
    eight = [0.0] * 8
    for place, value in enumerate(values):
        eight[place % 8] += float(value)
    a, b, c, d, e, f, g, h = eight
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


def tau(first: Sequence[Any], second: Sequence[Any]) -> float:
    return correlate(list(map(float, first)), list(map(float, second)), statistic="kendall").estimate


def test_agreement_of_usr_where_places_are_taken_for_people(brought: Import, shared: Path, tmp_path: Path) -> None:
    """Mean pairwise Spearman of the three raters, which needs that the first number of each list is one rater's."""
    recomputed = json.loads((shared / "data" / "published.json").read_text())
    for name in ("usr_topicalchat", "usr_personachat"):
        brought(name, "usr")
        file = tmp_path / name / design.FILE
        file.write_text(file.read_text().replace("judges: places", "judges: people"))
        found = rated(brought(name, "usr", fresh=True))
        for asked in found.criteria:
            table = found.column(asked, "judges").table()[2]
            pairs = [
                correlate(table[:, a], table[:, b], statistic="spearman").estimate for a, b in ((0, 1), (0, 2), (1, 2))
            ]
            assert np.mean(pairs) == pytest.approx(recomputed[name]["recomputed"][asked.id], abs=6e-4)


def test_the_linear_model_of_an_imported_study_equals_statsmodels(brought: Import, shared: Path) -> None:
    pd = pytest.importorskip("pandas")
    sm = pytest.importorskip("statsmodels.api")
    with gzip.open(shared / "data" / "webnlg17_human.jsonl.gz", "rt", encoding="utf-8") as lines:
        items = list(dict.fromkeys(json.loads(line)["item"] for line in lines))[:14]
    done = brought("webnlg17_human", "webnlg2017", only=lambda row: row["item"] in items)
    found = rated(done)
    column = found.column(found.criteria[0], "judges")
    models = fit(column)
    assert models.linear is not None and models.slopes
    frame = pd.DataFrame(
        {"y": column.values, "system": column.systems, "judge": column.judges, "item": column.items, "all": 1}
    )
    parts = {"judge": "0 + C(judge)", "item": "0 + C(item)"}
    for name in models.slopes:
        frame[f"{name}_system"] = frame[name] + frame["system"]
        parts[f"{name}:system"] = f"0 + C({name}_system)"
    theirs = sm.MixedLM.from_formula("y ~ C(system)", frame, groups="all", re_formula="0", vc_formula=parts).fit(
        reml=True
    )
    assert models.linear.log_likelihood == pytest.approx(theirs.llf, abs=2e-3)
    assert models.linear.log_likelihood >= theirs.llf - 1e-7
    names = sorted(set(column.systems))
    ours = {one.name: one for one in models.linear.coefficients(baseline=names[0])}
    for place, system in enumerate(names[1:], start=1):
        assert ours[system].estimate == pytest.approx(theirs.params.iloc[place], abs=4e-3)


def unique(frozen: Frozen) -> int:
    return len({(text.item, text.subject) for text in frozen.texts})


TEN: list[tuple[str, str, dict[str, Any]]] = [
    ("summeval", "summeval", {"panel": "experts"}),
    ("summeval", "summeval", {"panel": "turkers"}),
    ("usr_topicalchat", "usr", {}),
    ("usr_personachat", "usr", {}),
    ("hanna_scores_only", "hanna", {}),
    ("webnlg17_human", "webnlg2017", {}),
    ("e2e17_rankme_sets", "e2e-rankme", {}),
    ("dialsummeval", "set", {"scales": ["1-5"], "title": "DialSummEval"}),
    (
        "fed",
        "set",
        {
            "only": lambda row: row["dataset"] == "fed-turn",
            "scales": ["0-2", "Understandable=0-1", "Overall=0-4"],
            "title": "FED, turns",
        },
    ),
    (
        "union_stories",
        "set",
        {
            "only": lambda row: row["dataset"] == "union-rocstories",
            "scales": ["0-1"],
            "protocol": "binary",
            "title": "UNION, ROCStories",
        },
    ),
]
NAMES = [f"{name}-{options.get('panel', '')}".rstrip("-") for name, _, options in TEN]


LONG = ("summeval-turkers", "e2e17_rankme_sets", "dialsummeval")
"""Studies of ten thousand answers and more."""


@pytest.mark.parametrize(
    ("name", "layout", "options"),
    [
        pytest.param(*one, id=name, marks=pytest.mark.slow if name in LONG else ())
        for one, name in zip(TEN, NAMES, strict=True)
    ],
)
def test_ten_statements_lose_by_every_field_that_is_blanked(
    brought: Import, tmp_path: Path, name: str, layout: str, options: dict[str, Any]
) -> None:
    done = brought(name, layout, **options)
    assert unique(done.service.frozen) == len(done.service.frozen.texts)
    statement = read(tmp_path / name).statement
    assert 0.1 < statement.completeness < 0.7  # facts of the documentation, and no inventions
    assert any("collected elsewhere" in note for note in statement.warnings)
    assert any("exact wording" in note and "not known" in note for note in statement.warnings)
    for key in ("instructions", "consent", "pay", "demographics", "dates"):
        assert statement[key].missing
    stated = [field for field in statement if not field.missing]
    assert len(stated) > 5
    for field in stated:
        blanked = statement.without(field.key)
        assert blanked.completeness < statement.completeness
        assert [one.key for one in blanked.missing if one not in statement.missing] == [field.key]
        assert field.name.lower() in str(blanked)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "layout", "options"),
    [
        pytest.param(*row, id=name, marks=() if name.startswith("usr") else pytest.mark.long)
        for row, name in zip(TEN[:7], NAMES[:7], strict=True)
    ],
)
def test_one_command_analyses_each(
    brought: Import, tmp_path: Path, name: str, layout: str, options: dict[str, Any]
) -> None:
    brought(name, layout, **options)
    assert main(["study", "analyse", str(tmp_path / name), "--html", str(tmp_path / "page.html")]) == 0
    assert "question wording unknown" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_e2e_challenge_is_relative_magnitude_estimation(brought: Import) -> None:
    """Screens of five outputs; the orders that they imply put those first that the challenge put first (Dušek,
    Novikova and Rieser 2020, section 6: Slug2Slug for quality, Sheffield's second system for naturalness)."""
    done = brought("e2e17_rankme_sets", "e2e-rankme", only=lambda row: int(row["unit"]) % 3 == 0)
    frozen, judgements = done.service.frozen, done.service.judgements()
    study = estimation_study(frozen.study)
    assert study.protocol == "rankme" and study.per_screen == 5
    assert {len(one.texts) for one in judgements} == {5} and {len(one.answer) for one in judgements} == {1}
    found = sorted_out(frozen, study, judgements)
    assert len(found.counted) == 5 * len(judgements) == len(done.source.ratings)
    wins: dict[str, Counter[str]] = {"quality": Counter(), "naturalness": Counter()}
    for one in judgements:
        for criterion, values in one.answer.items():
            systems = [frozen.text[name].subject for name in one.texts]
            for (a, x), (b, y) in combinations(zip(systems, values, strict=True), 2):
                wins[criterion][a] += (x > y) - (x < y)
                wins[criterion][b] += (y > x) - (y < x)
    best = {criterion: [name for name, _ in own.most_common(3)] for criterion, own in wins.items()}
    assert "slug" in best["quality"] and best["naturalness"][0] == "sheff2"


def test_places_are_not_people(brought: Import, tmp_path: Path) -> None:
    brought("usr_personachat", "usr")
    result = protocol_of("likert").analyse_folder(tmp_path / "usr_personachat")
    assert not result.judging[0].named and not result.judging[0].judges
    assert any("why cannot be said, as judges are not named" in note for note in warnings(result))
    assert not result.singles and not any("single judges" in text for _, text in sentences(result))
    assert result.to_dict()["criteria"][0]["judges"] is None
    assert all("judge" not in one.models.linear.modes for one in result.ratings if one.models.linear)
    assert "3 judges" not in " ".join(text for _, text in sentences(result))
    stated = read(tmp_path / "usr_personachat").statement
    scores, tests, agreed = (stated[key].text for key in ("analysis", "significance", "agreement"))
    assert "judges and items" not in scores + tests and "z scores" not in scores + tests
    assert scores.startswith("Understandable, Uses Knowledge: Shares of yes") and "logistic mixed model" in tests
    assert "3 judges" not in agreed
    short_form = dict(short.rows(stated))["Agreement"]
    assert all(one.criterion.name in short_form for one in result.ratings)
