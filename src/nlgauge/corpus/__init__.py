"""Corpora of inputs and texts: what they hold, which templates they are made of, and what an output says or leaves out.

`entries` has the values that all parts share; `reading` makes them of files, `templates` delexicalises texts, `profile`
describes a corpus and checks the outputs of systems against their inputs; `grammar` has rules that texts are parsed,
mended and drawn by.
"""
