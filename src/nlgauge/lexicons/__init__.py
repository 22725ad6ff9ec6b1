"""Dictionaries that metrics consult, read from where the user's machine has them; none is part of this package.

`wordnet` reads the Princeton database, `meteor` the tables of METEOR 1.5, `phrases` indexes paraphrase tables,
`pivoting` builds such a table from a parallel corpus.
"""
