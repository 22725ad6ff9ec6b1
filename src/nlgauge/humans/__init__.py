"""What people said, in Python: means, comparisons, plans, metrics that save judgements, HUSE.

    from nlgauge import humans
    humans.means(data, "clarity")                                   means with intervals
    humans.compare(data, "clarity", baseline="rules")               differences with exact tests
    humans.plan(data, "clarity", baseline="rules", effect=0.3)      how many items the next study needs
    humans.estimate(data, "clarity", "chrf")                        few judgements, a metric on all items
    humans.huse(data, "clarity", "neural", reference="human", log_probability="x_logprob")

Ratings come from an evaluation set: `ratings` of a row holds a number, or a list with one per judge. Who the judges
were is told by the key `raters`, a list beside the ratings; without it, position in the list is the judge.
"""

from nlgauge.humans.assisted import HumanEstimates, compare_with_metric, estimate, huse
from nlgauge.humans.comparing import Plan, compare, means, merged, merged_scores, plan
from nlgauge.humans.ratings import Judgements, judgements

__all__ = [
    "HumanEstimates",
    "Judgements",
    "Plan",
    "compare",
    "compare_with_metric",
    "estimate",
    "huse",
    "judgements",
    "means",
    "merged",
    "merged_scores",
    "plan",
]
