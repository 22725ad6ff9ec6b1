"""Experiments with controlled corpora: what makes a corpus hard to learn from, by training systems on many of them.

`design` is the file, `cells` the corpora and outputs of each combination of levels and seed, `measures` what is
counted of outputs, `analysis` the effects, `run` all of it, `bias` the experiment on frequent choices.
"""
