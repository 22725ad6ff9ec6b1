"""Magnitude estimation: any number above 0, in proportion to a standard or to the judge's own first number.

magnitude is asked about one output at a time (Bard, Robertson and Sorace 1996); rankme about several outputs of one
input on a screen, for one criterion at a time, so that numbers give a ranking too (Novikova, Dušek and Rieser 2018).

answers         numbers as they are typed and stored
each            questions about one text, put to several at once
simulation      judges with a unit of their own who see systems' true ratios through noise
analysis        logarithms, then as ratings; the ranking that the numbers imply
"""
