"""Discrimination tests: the triangle test and its relatives, planned, analysed and combined.

protocols    how often a judge of sensitivity d′ is right, for each kind of test
binomial     exact tails and critical counts
limits, estimates   p_c, p_d and d′ with their limits
planning, plans     how many judges; dips; the best risks for the judges at hand
testing      the test and its sentence; normal: the paper's approximations; tables: its tables
replicated   judges who answer several times; panels: several panels
sequential   judges one after the other; stagewise: p and limits of a test that could have stopped earlier
ties, yes_no        preference with ties (2-AC), A-not-A, same-different
wording      evidence, labels, exploratory or confirmatory
"""

from nlgauge.stats.discrimination.estimates import Measure, Sensitivity, estimate, rescale
from nlgauge.stats.discrimination.panels import Combined, Panel, combine, common_d_prime
from nlgauge.stats.discrimination.planning import (
    Design,
    Needed,
    design,
    judges_table,
    max_correct_table,
    min_correct_table,
    needed,
    settings,
    smallest_p_d,
)
from nlgauge.stats.discrimination.plans import Critical, Plan, critical, plan
from nlgauge.stats.discrimination.protocols import PROTOCOLS, Protocol
from nlgauge.stats.discrimination.protocols import find as protocol
from nlgauge.stats.discrimination.replicated import Replicated, beta_binomial
from nlgauge.stats.discrimination.replicated_plans import ReplicatedPlan, replicated_plan, replicated_power
from nlgauge.stats.discrimination.sequential import (
    GroupSequential,
    LookAhead,
    Sequential,
    enough,
    group_sequential,
    look_ahead,
    sequential,
)
from nlgauge.stats.discrimination.stagewise import Adjusted, adjusted
from nlgauge.stats.discrimination.testing import DiscriminationTest, test
from nlgauge.stats.discrimination.ties import Preference, preference
from nlgauge.stats.discrimination.wording import Kind, evidence, sensitivity_label, size_of, study_kind
from nlgauge.stats.discrimination.yes_no import Biased, a_not_a, same_different

__all__ = [
    "PROTOCOLS",
    "Adjusted",
    "Biased",
    "Combined",
    "Critical",
    "Design",
    "DiscriminationTest",
    "GroupSequential",
    "Kind",
    "LookAhead",
    "Measure",
    "Needed",
    "Panel",
    "Plan",
    "Preference",
    "Protocol",
    "Replicated",
    "ReplicatedPlan",
    "Sensitivity",
    "Sequential",
    "a_not_a",
    "adjusted",
    "beta_binomial",
    "combine",
    "common_d_prime",
    "critical",
    "design",
    "enough",
    "estimate",
    "evidence",
    "group_sequential",
    "judges_table",
    "look_ahead",
    "max_correct_table",
    "min_correct_table",
    "needed",
    "plan",
    "preference",
    "protocol",
    "replicated_plan",
    "replicated_power",
    "rescale",
    "same_different",
    "sensitivity_label",
    "sequential",
    "settings",
    "size_of",
    "smallest_p_d",
    "study_kind",
    "test",
]
