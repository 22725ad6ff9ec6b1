"""Judges of pairs without a study folder: the machines of `study.machine_judges`, and people.

matches     which two texts meet: read from an evaluation set or pairwise rows, with people's verdicts
settings    what judges are asked, as a study in memory, and how they are made
cache       verdicts that were paid for, by the digest of everything that was asked
asking      both orders, several samples, failures counted; answers joined into one verdict
bands       the band of ties of scores, learned from people on folds
card        position, ties, consistency, length, self-preference, agreement with people, cost
estimates   each system's win rate from few human verdicts and many of the machine
samples     ratings of single outputs from games drawn for them
rating      outputs rated alone against a rubric
rating_card the same of such a judge: consistency, ties, length, its own system, agreement with people, cost
people      the folder of a pairwise study
judge       all of it: `nlgauge.judge`
"""
