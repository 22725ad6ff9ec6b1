"""Alignment: vectors and cosines as scikit-learn has them, whatever the blocks; one-to-one pairs; refusals."""

from __future__ import annotations

import datetime
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.style.aligning.align import AlignSettings, align, close_pairs
from nlgauge.style.aligning.sides import cleaned, days_of, read_side
from nlgauge.style.aligning.vectors import splitter, terms, tfidf
from nlgauge.style.demonstration import newspapers
from nlgauge.style.forms import STRONG, WEAK, Article

ROOT2 = 2**-0.5
DAY = datetime.date(2026, 1, 1)


def articles(source: str, *texts: str, days: tuple[int, ...] = ()) -> list[Article]:
    dates = [DAY + datetime.timedelta(days=day) for day in days or (0,) * len(texts)]
    return [
        Article(f"{source}{number}", source, date, f"headline {number}", text)
        for number, (text, date) in enumerate(zip(texts, dates, strict=True))
    ]


def random_texts(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    words = [f"w{number}" for number in range(400)]
    weights = [1 / (rank + 1) for rank in range(400)]
    return [" ".join(draw.choices(words, weights, k=draw.randint(1, 60))) for _ in range(count)]


def test_weights_by_hand() -> None:
    a, b = tfidf(["x x y"], ["y", ""], terms)
    # x: df 1, y: df 2 of 3 texts
    idf = np.log(4 / np.array([2, 3])) + 1
    weights = np.array([2, 1]) * idf
    assert np.allclose(a.toarray()[0], weights / np.linalg.norm(weights))
    assert np.allclose(b.toarray(), [[0, 1], [0, 0]])


@pytest.mark.parametrize("cost", [0.001, 150.0, 1e9])  # all terms by the inverted index, some, all dense
def test_pairs_equal_scikit_learn_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch, cost: float) -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    monkeypatch.setattr("nlgauge.style.aligning.align.SPARSE_COST", cost)
    monkeypatch.setattr("nlgauge.style.aligning.align.ROWS", 13)
    monkeypatch.setattr("nlgauge.style.aligning.align.COLUMNS", 7)
    left, right = random_texts(90, 1), ["", *random_texts(110, 2)]
    draw = random.Random(3)
    days_a, days_b = (np.array([draw.randint(0, 40) for _ in side]) for side in (left, right))
    found = close_pairs(*tfidf(left, right, terms), days_a, days_b, days=9, threshold=0.3)
    vectorizer = text.TfidfVectorizer(analyzer=terms).fit(left + right)
    cells = (vectorizer.transform(left) @ vectorizer.transform(right).T).toarray()
    near = np.abs(days_a[:, None] - days_b[None, :]) <= 9
    rows, columns = np.nonzero((cells >= 0.3) & near)
    assert len(rows) > 200
    assert list(zip(found.a, found.b, strict=True)) == list(zip(rows, columns, strict=True))
    assert np.abs(found.score - cells[rows, columns]).max() < 1e-9


def test_default_words_of_scikit_learn_give_its_scores() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    left, right = ["Alpha beta, beta gamma!", "delta epsilon zeta"], ["beta GAMMA delta", "Zeta; zeta eta"]
    vectorizer = text.TfidfVectorizer().fit(left + right)
    cells = (vectorizer.transform(left) @ vectorizer.transform(right).T).toarray()
    none = np.zeros(2, dtype=np.int64)
    found = close_pairs(*tfidf(left, right, terms), none, none, days=None, threshold=1e-6)
    assert np.allclose(found.score, cells[cells > 0], atol=1e-12)


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.style.aligning.align.MOST_PAIRS", 8)
    none = np.zeros(3, dtype=np.int64)
    with pytest.raises(InputError, match="more than 8 pairs"):
        close_pairs(*tfidf(["a b"] * 3, ["a b"] * 3, terms), none, none, days=None, threshold=0.1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("L’ÈRA è già finita: 25 aprile!", ["l", "èra", "è", "già", "finita", "25", "aprile"]),
        ("e\u0300 gia\u0300", ["è", "già"]),  # accents as characters of their own
        ("Мэр ОТКРЫЛ мост №5", ["мэр", "открыл", "мост", "5"]),
        ("市长打开大桥，7月", ["市长", "长打", "打开", "开大", "大桥", "7", "月"]),
        ("Plain ASCII_text", ["plain", "ascii", "text"]),
    ],
)
def test_terms_of_many_scripts(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_other_tokenisers_read_lower_case() -> None:
    assert list(splitter("13a")("The END.")) == ["the", "end", "."]


# Three events in each language, told twice, and one story that only one paper has.
LANGUAGES = {
    "it": (
        [
            "Il sindaco ha inaugurato ieri il nuovo ponte sul fiume dopo tre anni di lavori.",
            "La squadra cittadina ha vinto il derby con due gol nella ripresa davanti a novemila tifosi.",
            "Sciopero dei treni venerdì: garantite soltanto le fasce dei pendolari, dicono i sindacati.",
            "È morto a novant’anni lo scultore che restaurò la fontana della piazza.",
        ],
        [
            "VENERDÌ SCIOPERO DEI TRENI, i sindacati: garantite le fasce per i pendolari e basta.",
            "Dopo tre anni di lavori apre il ponte sul fiume: ieri il sindaco lo ha inaugurato.",
            "Derby, la squadra cittadina ha vinto nella ripresa: due gol e novemila tifosi in festa.",
        ],
    ),
    "ru": (
        [
            "Мэр города открыл вчера новый мост через реку после трёх лет строительства.",
            "Городская команда выиграла дерби, забив два гола во втором тайме при девяти тысячах зрителей.",
            "Забастовка железнодорожников в пятницу: профсоюз обещает утренние поезда для рабочих.",
            "Скончался скульптор, который восстановил фонтан на площади.",
        ],
        [
            "ПРОФСОЮЗ: забастовка железнодорожников пройдёт в пятницу, утренние поезда для рабочих сохранят.",
            "После трёх лет строительства мэр города вчера открыл мост через реку.",
            "Два гола во втором тайме: городская команда выиграла дерби, девять тысячах зрителей ликуют.",
        ],
    ),
    "zh": (
        [
            "市长昨天为历时三年修建的跨河大桥揭幕，市民可以步行过桥。",
            "市足球队下半场攻入两球赢得德比，九千名球迷到场观看。",
            "铁路工会宣布星期五罢工，只保证上下班高峰时段的列车。",
            "曾修复广场喷泉的雕塑家去世，享年九十岁。",
        ],
        [
            "星期五罢工！铁路工会说只保证高峰时段的列车运行。",
            "跨河大桥历时三年修建完成，市长昨天揭幕。",
            "德比之战：市足球队下半场攻入两球，九千名球迷欢呼。",
        ],
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages(language: str) -> None:
    left, right = (articles(source, *texts) for source, texts in zip("ab", LANGUAGES[language], strict=True))
    found = align(left, right)
    assert {(pair.a, pair.b) for pair in found.pairs} == {("a0", "b1"), ("a1", "b2"), ("a2", "b0")}


def test_pairs_are_chosen_by_score_whatever_the_order() -> None:
    papers = newspapers(60, seed=4)
    found = align(papers.gazette, papers.courier)
    turned = align(papers.gazette[::-1], papers.courier[::-1])
    assert found.pairs == turned.pairs and found.curve == turned.curve
    assert [pair.score for pair in found.pairs] == sorted((pair.score for pair in found.pairs), reverse=True)
    for side in ("a", "b"):
        ids = [getattr(pair, side) for pair in found.pairs]
        assert len(set(ids)) == len(ids)
    assert all((pair.score > 0.5) == (pair.band == STRONG) and pair.score > 0.185 for pair in found.pairs)
    assert {pair.band for pair in found.pairs} == {STRONG, WEAK}


def test_the_closest_pair_is_kept_though_two_others_would_sum_to_more() -> None:
    left = articles("a", "one two three four", "one two five six")
    right = articles("b", "one two three four nine", "three four seven eight")
    many = align(left, right, AlignSettings(many=True, weak=0.05, strong=0.9))
    scores = {(pair.a, pair.b): pair.score for pair in many.pairs}
    closest = max(scores, key=scores.__getitem__)
    assert closest == ("a0", "b0")
    assert ("a0", "b1") in scores and ("a1", "b0") in scores and ("a1", "b1") not in scores
    found = align(left, right, AlignSettings(weak=0.05, strong=0.9))
    assert [(pair.a, pair.b) for pair in found.pairs] == [("a0", "b0")]


def test_only_dates_of_the_window_meet() -> None:
    left = articles("a", "the mayor opened a bridge", days=(0,))
    right = articles("b", "mayor opened the bridge", "a mayor opened the bridge today", days=(7, 8))
    assert [pair.b for pair in align(left, right, AlignSettings(many=True)).pairs] == ["b0"]
    assert len(align(left, right, AlignSettings(many=True, days=8)).pairs) == 2
    undated = [replace(article, date=None) for article in left]
    assert len(align(undated, right, AlignSettings(many=True, days=None)).pairs) == 2


def test_the_curve_counts_pairs_and_may_begin_lower() -> None:
    papers = newspapers(60, seed=4)
    found = align(papers.gazette, papers.courier, AlignSettings(floor=0.1))
    counts = {point.threshold: point.pairs for point in found.curve}
    assert next(iter(counts)) == 0.1 and counts[0.1] >= counts[0.185] == len(found.pairs)
    assert counts[0.5] == found.in_band(STRONG)
    for threshold, count in counts.items():
        if threshold >= 0.185:
            assert count == sum(pair.score > threshold for pair in found.pairs)


GOOD = articles("a", "one two"), articles("b", "two three")


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ([], GOOD[1], "side 1 has no articles"),
        (GOOD[0], articles("a", "two three"), "two sides are of the source 'a'; expected another each"),
        ([*GOOD[0], *articles("c", "x")], GOOD[1], "side 1 has articles of 2 sources"),
        (GOOD[0], articles("b", " ", "x", ""), "b: article 'b0' has an empty text, and 1 more"),
        (GOOD[0], articles("b", "one two"), "have the same text"),
        (GOOD[0], [replace(GOOD[1][0], id="a0")], "two sources have an article with the id 'a0'"),
        ([replace(GOOD[0][0], date=None)], GOOD[1], "a: article 'a0' has no date"),
    ],
)
def test_refusals(left: list[Article], right: list[Article], said: str) -> None:
    with pytest.raises(InputError, match=said):
        align(left, right)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"strong": 0.1}, "0 < weak < strong < 1, not weak 0.185 and strong 0.1"),
        ({"weak": 0}, "0 < weak"),
        ({"strong": 1.0}, "strong < 1"),
        ({"weak": float("nan")}, "0 < weak"),
        ({"floor": 0.3}, "not above the weak threshold"),
    ],
)
def test_thresholds_the_wrong_way_round(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        AlignSettings(**settings)


def test_cleaning_counts_what_it_leaves_out() -> None:
    left = [*articles("a", "", "same", "own"), replace(articles("a", "undated")[0], date=None)]
    right = articles("b", "same", "other")
    kept = cleaned([left, right], dated=True)
    a, b = kept.sides
    assert [article.text for article in a] == ["own"] and [article.text for article in b] == ["other"]
    assert (kept.empty, kept.undated, kept.in_several) == (1, 1, 2)
    assert len(cleaned([left, right], dated=False).sides[0]) == 2


def test_change_its_tables_are_read(tmp_path: Path) -> None:
    table = tmp_path / "change-it.ilgiornale.test.csv"
    table.write_text(',headline,full_text,alignment\n7,"Roma, ""apre"" il ponte",Il testo è qui.,A2\n9,Due,Altro,A2\n')
    found = read_side(table)
    assert found[0] == Article("ilgiornale.test-0", "ilgiornale", None, 'Roma, "apre" il ponte', "Il testo è qui.")
    assert [article.id for article in found] == ["ilgiornale.test-0", "ilgiornale.test-1"]
    with pytest.raises(InputError, match="has no date, and 1 more"):
        days_of(found, 7)
    assert list(days_of(found, None)) == [0, 0]
