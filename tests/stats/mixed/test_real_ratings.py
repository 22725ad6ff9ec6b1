"""Published judgements: the linear model agrees with statsmodels, the ordinal one with the linear about the order."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.stats.mixed import linear_mixed, ordinal_mixed

Columns = dict[str, list[Any]]


def read(path: Path, criterion: str, most_items: int) -> Columns:
    """One judgement a row; judges by name where the data name them, else by their place."""
    out: Columns = {"y": [], "system": [], "judge": [], "item": []}
    items: dict[str, None] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["item"] not in items and len(items) >= most_items:
                continue
            items[row["item"]] = None
            ratings = row["ratings"][criterion]
            for place, (rating, judge) in enumerate(
                zip(ratings, row.get("raters") or range(len(ratings)), strict=True)
            ):
                if rating is None:
                    continue
                values = (rating, row["system"], str(judge if row.get("raters") else place), row["item"])
                for key, value in zip(out, values, strict=True):
                    out[key].append(value)
    return out


CASES = [("summeval.jsonl.gz", "expert_coherence", 12), ("webnlg17_human.jsonl.gz", "fluency", 25)]


@pytest.mark.parametrize(("name", "criterion", "items"), CASES)
def test_equal_to_statsmodels_on_published_ratings(shared: Path, name: str, criterion: str, items: int) -> None:
    pd = pytest.importorskip("pandas")
    sm = pytest.importorskip("statsmodels.api")
    data = read(shared / "data" / name, criterion, items)
    frame = pd.DataFrame(data).assign(all=1)
    model = sm.MixedLM.from_formula(
        "y ~ C(system)",
        frame,
        groups="all",
        re_formula="0",
        vc_formula={"judge": "0 + C(judge)", "item": "0 + C(item)"},
    )
    theirs = model.fit(reml=True)
    ours = linear_mixed(data["y"], data["system"], {"judge": data["judge"], "item": data["item"]})
    baseline = sorted(set(data["system"]))[0]
    assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-3)
    assert ours.log_likelihood >= theirs.llf - 1e-7
    found = {one.name: one for one in ours.coefficients(baseline=baseline)}
    for place, system in enumerate(sorted(set(data["system"]))[1:], start=1):
        assert found[system].estimate == pytest.approx(theirs.params.iloc[place], abs=2e-3)
    assert ours["residual"].estimate == pytest.approx(theirs.scale, rel=2e-3)
    assert ours["item"].estimate == pytest.approx(theirs.vcomp[0], rel=0.02)
    assert ours["judge"].estimate == pytest.approx(theirs.vcomp[1], rel=0.03)


# lme4 1.1-31 and lmerTest 3.1-3: y ~ system + (1 | judge) + (1 | item) + (1 | judge:system) + (1 | item:system)
LMER = {
    "turker_coherence": (-9431.53427, 0.684582, 699.330),
    "turker_consistency": (-9669.74359, 1.12990, 710.058),
    "turker_relevance": (-9070.48730, 1.40798, 714.307),
}


@pytest.mark.parametrize("criterion", LMER)
def test_the_crowd_of_summaries_reaches_the_optimum_of_lme4(shared: Path, criterion: str) -> None:
    data = read(shared / "data" / "summeval.jsonl.gz", criterion, 100)
    groups = {"judge": data["judge"], "item": data["item"]}
    fit = linear_mixed(data["y"], data["system"], groups, slopes=("item", "judge"))
    likelihood, f, df = LMER[criterion]
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-4)
    assert (fit.test().statistic, fit.test().df[1]) == pytest.approx((f, df), rel=1e-3)


def test_ordinal_and_linear_agree_about_summaries(shared: Path) -> None:
    data = read(shared / "data" / "summeval.jsonl.gz", "expert_coherence", 100)
    groups = {"judge": data["judge"], "item": data["item"]}
    linear = linear_mixed(data["y"], data["system"], groups)
    ordinal = ordinal_mixed(data["y"], data["system"], groups)
    assert (linear.n, len(linear.systems)) == (5400, 18)
    assert np.corrcoef(linear.beta, ordinal.beta)[0, 1] > 0.99
    assert ordinal.converged and ordinal.test().p < 1e-10
    assert ordinal.expected() == pytest.approx(linear.beta, abs=0.35)
