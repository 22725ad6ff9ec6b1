"""Agreement between judges: coefficients with limits, from tables of items × judges with gaps."""

from nlgauge.stats.agreement.chance import (
    brennan_prediger,
    brennan_prediger_table,
    conger,
    fleiss,
    fleiss_table,
    fleiss_zero_test,
    gwet,
    percent_agreement,
    scott,
)
from nlgauge.stats.agreement.cohen import cohen, cohen_table
from nlgauge.stats.agreement.concordance import kendall_w, pairwise_correlation
from nlgauge.stats.agreement.icc import icc, intraclass
from nlgauge.stats.agreement.intervals import Coefficient, Limits, Method
from nlgauge.stats.agreement.judges import JudgeReport, leave_one_out
from nlgauge.stats.agreement.krippendorff import krippendorff
from nlgauge.stats.agreement.ratings import Ratings, UndefinedAgreement, require_pairs
from nlgauge.stats.agreement.spans import (
    character_alpha,
    f1_agreement,
    jaccard_agreement,
    jaccard_distance,
    masi_distance,
    matched,
    positions,
)

__all__ = [
    "Coefficient",
    "JudgeReport",
    "Limits",
    "Method",
    "Ratings",
    "UndefinedAgreement",
    "brennan_prediger",
    "brennan_prediger_table",
    "character_alpha",
    "cohen",
    "cohen_table",
    "conger",
    "f1_agreement",
    "fleiss",
    "fleiss_table",
    "fleiss_zero_test",
    "gwet",
    "icc",
    "intraclass",
    "jaccard_agreement",
    "jaccard_distance",
    "kendall_w",
    "krippendorff",
    "leave_one_out",
    "masi_distance",
    "matched",
    "pairwise_correlation",
    "percent_agreement",
    "positions",
    "require_pairs",
    "scott",
]
