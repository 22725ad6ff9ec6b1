"""Comparisons: several outputs of one input beside each other, and for each criterion which is better.

answers         preferences, ranks, best and worst: what an answer is, and the wins that it stands for
machines        machines beside people: equal preferences, the ceiling, places
simulation      judges who choose as Luce and Bradley and Terry say, between systems of known strength
analysis        strengths, biases, agreement, sentences
"""
