"""Several panels: the same question to experts and to the public, or by different protocols.

Without a difference every judge of every panel guesses, so the pooled count is binomial and the pooled difference test
is exact however the panels differ. Whether they differ is tested first (Fisher's exact test for two panels, otherwise
the likelihood ratio). Similarity is concluded for all panels when it holds in each (the largest p counts: no correction
is needed), and for the people of all panels together when the pooled count is low enough; the second says nothing of a
small panel of experts among many others, and is noted as such.

Panels with different protocols share no p_c, but may share d′: a common d′ is fitted by maximum likelihood and compared
with separate ones by the likelihood ratio (R's sensR: dprime_test, dprime_compare). d′ is not negative, so a panel
worse than guessing has d′ = 0, and panels that are all worse do not differ in d′ however their answers do. sensR does
not bound the separate fits; its p is given beside ours (`homogeneity_p_unbounded`). With one protocol, too, a panel
worse than guessing calls for the bounded likelihood ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import at_most, log_likelihood, reached, within
from nlgauge.stats.discrimination.estimates import PROFILE, Measure, Sensitivity, estimate
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.wording import Told, chance, percent


@dataclass(frozen=True)
class Panel:
    """One panel's answers."""

    name: str
    correct: int
    judges: int
    protocol: str = "triangle"


@dataclass(frozen=True)
class Combined(Told):
    """Several panels together. `p_pooled` is NaN where protocols differ; `d_prime` is common to all panels."""

    KEYS = (
        "goal, panels = _panels, p_pooled, p_fisher, p_stouffer, p_all, homogeneity = _homogeneity, d_prime, "
        "d_prime_p, concluded, sentence, warnings = notes"
    )
    ROWS = "panels"

    goal: str
    panels: tuple[Panel, ...]
    sensitivities: tuple[Sensitivity, ...]
    p_values: tuple[float, ...]  # exact, one per panel
    p_pooled: float
    p_fisher: float  # Fisher's combination of the panels' p-values
    p_stouffer: float  # Stouffer's, weighted by √judges
    p_all: float  # the largest: the conclusion holds in every panel
    homogeneity_p: float
    homogeneity_test: str
    homogeneity_p_unbounded: float  # answers worse than guessing also count as a difference
    d_prime: Measure
    d_prime_p: float  # likelihood root against d′ = 0 (difference) or the limit (similarity: NaN)
    concluded: bool
    risk: float
    p_d_limit: float
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        counts = "; ".join(f"{p.name}: {p.correct:,} of {p.judges:,}" for p in self.panels)
        alike = "differ" if self.homogeneity_p <= 0.05 else "were not shown to differ"
        head = (
            f"Correct answers by panel: {counts}. The panels {alike} in how well they perceive the difference "
            f"({self.homogeneity_test}, {chance(self.homogeneity_p)})."
        )
        if self.goal == "similarity":
            verdict = "holds in every panel" if self.concluded else "was not shown in every panel"
            return (
                f"{head} Similarity (p_d below {percent(self.p_d_limit)}, β = {self.risk:g}) {verdict} "
                f"(largest exact {chance(self.p_all)})."
            )
        together, p = ("pooled exact binomial", self.p_pooled)
        if math.isnan(p):
            together, p = ("Fisher's combination of exact tests", self.p_fisher)
        verdict = "There is a perceptible difference" if self.concluded else "No perceptible difference was shown"
        return f"{head} {verdict} in the panels together ({together}, {chance(p)}, α = {self.risk:g})."

    def _panels(self) -> list[dict[str, Any]]:
        return [
            {**vars(panel), "p_value": p, "p_c": scales.p_c, "p_d": scales.p_d, "d_prime": scales.d_prime}
            for panel, p, scales in zip(self.panels, self.p_values, self.sensitivities, strict=True)
        ]

    def _homogeneity(self) -> dict[str, Any]:
        p, unbounded = self.homogeneity_p, self.homogeneity_p_unbounded
        return {"p": p, "test": self.homogeneity_test, "p_unbounded": unbounded}


def combine(
    panels: Sequence[Panel] | Mapping[str, tuple[int, int]],
    *,
    goal: str = "difference",
    alpha: float = 0.05,
    beta: float | None = None,
    p_d: float | None = None,
    protocol: str | Protocol = "triangle",
    level: float = 0.95,
) -> Combined:
    """Panels given as `Panel` values, or as a mapping from name to (correct, judges) with one `protocol`.

    Args:
        panels: `Panel` values, or a mapping from name to (correct, judges)
        goal: difference or similarity
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        protocol: that of the panels where they are a mapping
        level: the confidence of the limits

    >>> from nlgauge.triangle import combine
    >>> both = combine({"Leeds": (20, 40), "Basel": (18, 36)})
    >>> round(both.d_prime.estimate, 3)
    1.466
    """
    if isinstance(panels, Mapping):
        shared = find(protocol).name
        panels = [Panel(name, correct, judges, shared) for name, (correct, judges) in panels.items()]
    panels = checks.several(panels, "the panels")
    if not all(isinstance(panel, Panel) for panel in panels):
        raise InputError("each panel must be a Panel, or give a mapping from name to (correct, judges)")
    if len(panels) < 2:
        raise InputError("combining needs at least two panels; with one, use the plain test")
    if len({panel.name for panel in panels}) < len(panels):
        raise InputError("two panels have the same name; give each its own")
    checked = [Panel(p.name, *checks.answers(p.correct, p.judges), find(p.protocol).name) for p in panels]
    if checks.goal(goal) == "similarity" and (beta is None or p_d is None):
        raise InputError("a similarity test needs beta and p_d")
    risk = checks.risk(alpha, "alpha") if goal == "difference" else checks.risk(beta, "beta")
    limit = 0.0 if goal == "difference" else checks.share(p_d)
    p_values = tuple(_exact(panel, goal, limit) for panel in checked)
    same = len({panel.protocol for panel in checked}) == 1
    pooled = math.nan
    if same:
        total = Panel("all", sum(p.correct for p in checked), sum(p.judges for p in checked), checked[0].protocol)
        pooled = _exact(total, goal, limit)
    homogeneity, test, unbounded = _homogeneity(checked, same)
    common, p_common = common_d_prime(checked, level=level)
    fisher, stouffer = _fisher(p_values), _stouffer(p_values, [p.judges for p in checked])
    decisive = max(p_values) if goal == "similarity" else pooled if same else fisher
    notes = _worse(checked)
    if homogeneity <= 0.05:
        notes.append("the panels differ: report them one by one, the common estimate describes none of them")
    if goal == "similarity" and same and within(pooled, risk) and not within(max(p_values), risk):
        notes.append(
            f"pooled over all panels similarity would be concluded (exact {chance(pooled)}), which says "
            "nothing about each panel"
        )
    return Combined(
        goal=goal,
        panels=tuple(checked),
        sensitivities=tuple(estimate(p.correct, p.judges, protocol=p.protocol, level=level) for p in checked),
        p_values=p_values,
        p_pooled=pooled,
        p_fisher=fisher,
        p_stouffer=stouffer,
        p_all=max(p_values),
        homogeneity_p=homogeneity,
        homogeneity_test=test,
        homogeneity_p_unbounded=unbounded,
        d_prime=common,
        d_prime_p=p_common if goal == "difference" else math.nan,
        concluded=bool(within(decisive, risk)),
        risk=risk,
        p_d_limit=limit,
        notes=tuple(notes),
    )


def common_d_prime(panels: Sequence[Panel], *, level: float = 0.95) -> tuple[Measure, float]:
    """One d′ for all panels by maximum likelihood, with profile limits, and the one-sided p against d′ = 0.

    Args:
        panels: panels, of any protocols
        level: the confidence of the limits

    >>> from nlgauge.triangle import Panel, common_d_prime
    >>> d_prime, p_value = common_d_prime([Panel("Leeds", 20, 40), Panel("Basel", 18, 36, "tetrad")])
    >>> round(d_prime.estimate, 3), round(p_value, 5)
    (1.152, 0.00207)
    """
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import ndtr

    asked = [find(panel.protocol) for panel in panels]

    def height(d: float) -> float:
        return sum(
            log_likelihood(p.correct, p.judges, float(a.p_correct(d))) for p, a in zip(panels, asked, strict=True)
        )

    n = sum(panel.judges for panel in panels)
    found = minimize_scalar(lambda d: -height(d), bounds=(0.0, 12.0), method="bounded", options={"xatol": 1e-10})
    best = float(found.x) if -found.fun > height(0.0) else 0.0
    top = height(best)
    drop = 0.5 * z_of((1 - checks.level(level)) / 2) ** 2

    def excess(d: float) -> float:
        return top - height(d) - drop

    all_correct = all(panel.correct == panel.judges for panel in panels)
    best = math.inf if all_correct else best
    edge = 12.0 if all_correct else best
    low = float(brentq(excess, 0.0, edge, xtol=1e-9)) if excess(0.0) > 0 else 0.0
    high = math.inf if all_correct else float(brentq(excess, best, 40.0, xtol=1e-9))
    error = math.nan if all_correct or best == 0 else _standard_error(height, best)
    root = math.sqrt(max(0.0, 2 * (top - height(0.0))))
    measure = Measure(best, low, high, level, PROFILE, n, name="d′", standard_error=error)
    return measure, float(ndtr(-root)) if root > 0 else 0.5


def _exact(panel: Panel, goal: str, p_d: float) -> float:
    return reached(goal, panel.correct, panel.judges, find(panel.protocol).from_p_d(p_d))


def _homogeneity(panels: Sequence[Panel], same: bool) -> tuple[float, str, float]:
    """Whether the panels share one d′: p, the name of the test, and p where separate fits may fall below guessing."""
    name, unbounded = _unbounded(panels, same)
    if not any(_below(panel) for panel in panels):
        return unbounded, name, unbounded
    # The floor is the curve at 0 and not the guessing rate, from which it may differ in the last digit.
    own = [max(panel.correct / panel.judges, _share(panel, 0.0)) for panel in panels]
    return _ratio(panels, own, _common(panels)), "likelihood ratio of d′", unbounded


def _unbounded(panels: Sequence[Panel], same: bool) -> tuple[str, float]:
    """As sensR has it: a panel below guessing also speaks against a common d′."""
    from scipy.stats import fisher_exact

    own = [panel.correct / panel.judges for panel in panels]
    if not same:
        return "likelihood ratio of d′", _ratio(panels, own, _common(panels))
    if len(panels) == 2:
        table = [[panel.correct, panel.judges - panel.correct] for panel in panels]
        return "Fisher's exact test", float(fisher_exact(table)[1])
    pooled = sum(p.correct for p in panels) / sum(p.judges for p in panels)
    return "likelihood ratio", _ratio(panels, own, [pooled] * len(panels))


def _common(panels: Sequence[Panel]) -> list[float]:
    """The share of correct answers of each panel at the common d′."""
    best = common_d_prime(panels)[0].estimate
    return [_share(panel, best) for panel in panels]


def _share(panel: Panel, d_prime: float) -> float:
    return float(find(panel.protocol).p_correct(d_prime))


def _ratio(panels: Sequence[Panel], apart: Sequence[float], common: Sequence[float]) -> float:
    """The likelihood ratio test of the common p_c of each panel against its own."""
    from scipy.special import chdtrc

    def height(shares: Sequence[float]) -> float:
        return sum(log_likelihood(p.correct, p.judges, share) for p, share in zip(panels, shares, strict=True))

    return float(chdtrc(len(panels) - 1, max(0.0, 2 * (height(apart) - height(common)))))


def _below(panel: Panel) -> bool:
    return panel.correct < panel.judges * find(panel.protocol).guess


def _worse(panels: Sequence[Panel]) -> list[str]:
    """One sentence for each panel that did worse than guessing."""
    notes = []
    for panel in panels:
        if _below(panel):
            p = float(at_most(panel.correct, panel.judges, find(panel.protocol).guess))
            far, check = ("far ", "; check how correct answers were counted") if p < 0.01 else ("", "")
            notes.append(
                f"{panel.name}: {far}fewer correct answers than guessing gives ({chance(p)}), d′ is set to 0{check}"
            )
    return notes


def _standard_error(height: Callable[[float], float], best: float) -> float:
    """From the curvature at the maximum: a central difference extrapolated to step 0."""
    step = 0.02 * min(best, 1.0)
    rough, fine = ((height(best + h) - 2 * height(best) + height(best - h)) / h**2 for h in (step, step / 2))
    curvature = -(4 * fine - rough) / 3
    return 1 / math.sqrt(curvature) if curvature > 0 else math.nan


def _fisher(p_values: Sequence[float]) -> float:
    from scipy.special import chdtrc

    if min(p_values) == 0:
        return 0.0
    return float(chdtrc(2 * len(p_values), -2 * sum(math.log(p) for p in p_values)))


def _stouffer(p_values: Sequence[float], judges: Sequence[int]) -> float:
    from scipy.special import ndtr, ndtri

    clipped = [min(max(p, 1e-300), 1 - 1e-16) for p in p_values]
    z = sum(math.sqrt(n) * -float(ndtri(p)) for p, n in zip(clipped, judges, strict=True))
    return float(ndtr(-z / math.sqrt(sum(judges))))
