"""Plan and analyse discrimination tests: can people tell two kinds of text apart?"""

from __future__ import annotations

from nlgauge.cli.arguments import Parts
from nlgauge.cli.commands.triangle import plan, test

EXAMPLES = """\
examples:
  nlgauge triangle plan --pd .5                               how many judges (α = β = 0.05 unless given)
  nlgauge triangle plan --judges 24                           what 24 judges can do
  nlgauge triangle critical -n 24 --alpha .05                 correct answers needed
  nlgauge triangle test --correct 36 --judges 98 --goal similarity --beta .01 --pd .3
  nlgauge triangle replicated --by-judge 3,2,6,5 --per-judge 12
  nlgauge triangle sequential --alpha .05 --beta .05 --pd .5
  nlgauge triangle panels --panel experts=13/24 --panel public=36/98
  nlgauge triangle tables

Three numbers fix a test: α, the risk of finding a difference where none is; β, the risk of missing one; and p_d, the
share of people who perceive the difference. The method is that of González Corbelle, Alonso and Bugarín (2020).
`nlgauge triangle ACTION --help` shows an action's options and examples. --protocol chooses another test: duo-trio,
tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them."""


_ACTIONS = (
    plan.PLAN | plan.CRITICAL | test.TEST | plan.TABLES | test.REPLICATED | plan.SEQUENTIAL | test.PANELS | test.COUNTS
)
ARGUMENTS = (Parts(_ACTIONS, title="actions", metavar="ACTION", dest="action"),)
