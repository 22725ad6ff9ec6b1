"""What the columns of an analysis's tables mean, in a sentence beside them."""

LIMITS = (
    "Limits of means are the mixed model's, for other judges and items; those of weighted means hold "
    "for other items and these judges."
)

CLUSTER = (
    "cluster: a new number begins where every system above is significantly better than every one below, so that "
    "systems with one number may differ (see the differences of pairs); ranks: the best and the worst place that a "
    "system can have, by how many systems are significantly better or worse than it."
)

COLUMNS = {
    "Means": (
        "mean, low, high: by the model, with 95 % limits for other judges and items where it has "
        "both (of yes-or-no "
        "answers the share, with exact limits); plain mean: of the ratings as they are; z: mean of "
        f"the ratings after each judge's were put on mean 0 and deviation 1; {CLUSTER}",
        "plain mean",
    ),
    "Distribution": (
        "All ratings that count, before any model, reverse-keyed questions turned round: how many fall on each point, "
        "or the quartiles where there are no points.",
        "",
    ),
    "Strengths": (
        "strength, low, high: log odds of being preferred, with 95 % limits; expected wins: against "
        f"a system drawn at random; {CLUSTER}",
        "",
    ),
    "Differences": (
        "Every pair by the model, with 95 % limits; p (Holm): corrected for the number of pairs; where they stand "
        "beside it: ordinal or logistic, by that model; Wilcoxon, by that test of outputs' means; permutation, within "
        "items.",
        "",
    ),
    "Errors by category and severity": (
        "per text, low, high: plain means with 95 % limits for other inputs and these judges; the "
        "limits under Means hold for other judges as well and are wider or narrower for that.",
        "",
    ),
    "Single judges compared": (
        "How well one judge stands for the panel: the mean correlation of single judges with the mean "
        "of all; left out: with the mean of the others.",
        "",
    ),
    "Cannot judge": (
        "asked: answers that were asked for, with “I cannot judge this”, which is no part of means, models and "
        "agreement; a screen of several texts counts for each of their systems; p: of the hypothesis that systems do "
        "not differ in its share, by permutation of systems within items.",
        "",
    ),
    "By position of the question": (
        "Each judge met the criteria in an order of their own; the plain mean of the answers to a criterion, by its "
        "place on the page. A description, not a test: who met it where differs by chance as well.",
        "",
    ),
    "Criteria compared": (
        "r: Pearson's correlation, ρ: Spearman's, over systems' and over outputs' means.",
        "",
    ),
    "Panels compared": (
        "r: Pearson's correlation, ρ: Spearman's, over systems' and over outputs' means.",
        "",
    ),
    "Judges": (
        "mean (0-1): of all ratings as shares of their scales; deviation: their standard deviation; "
        "weight: by precision, all weights add up to 1.",
        "weight",
    ),
    "Checks of care": (
        "original - copy: how much higher the originals of damaged copies were rated; own kappa, own "
        "ICC: agreement with oneself on repeated texts; longest run: of one answer; entropy: 0 for "
        "one answer throughout, 1 for all answers alike often.",
        "",
    ),
}
"""By kind of table: the words, and the column without which they do not fit."""
