"""Machines as judges: the same screens, the same verbs, a panel of their own.

base        what a machine is shown and what it answers
run         from enlisting to the last screen; an interrupted run goes on where it stopped

Of triangle tests:
farthest    the text farthest from the other two, by one of the `encoders`
prompt      what a language model is asked, and how its reply is read

Of studies of outputs (ratings, comparisons):
sheets      what a machine is shown: texts, and what stands beside them
forms       how it answers: the form in words, replies read strictly, scores turned into answers
asking      what a language model is asked
measures    a metric as a judge
comparing   a trained comparator as a judge
program     a program or a Python function as a judge
making      the machine that a panel of the study file names
cost        how many requests and tokens a panel will take

endpoint    a language model behind an OpenAI-compatible address, for all of them
"""
