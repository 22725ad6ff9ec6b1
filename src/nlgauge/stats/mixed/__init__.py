"""Mixed models of ratings with judges and items as crossed random effects: linear, and ordinal."""

from nlgauge.stats.mixed.linear import LinearMixed, likelihood_ratio, linear_mixed
from nlgauge.stats.mixed.ordinal import OrdinalMixed, ordinal_mixed
from nlgauge.stats.mixed.results import Component, Effect, Joint, Mode

__all__ = [
    "Component",
    "Effect",
    "Joint",
    "LinearMixed",
    "Mode",
    "OrdinalMixed",
    "likelihood_ratio",
    "linear_mixed",
    "ordinal_mixed",
]
