"""Machines as judges: the same triads, the same verbs, a panel of their own.

base        what a machine is shown and what it answers; its kinds:
farthest    the text farthest from the other two, by one of the `encoders`
endpoint    a language model behind an OpenAI-compatible address, asked with a stored `prompt`
run         from enlisting to the last triad; an interrupted run goes on where it stopped
"""
