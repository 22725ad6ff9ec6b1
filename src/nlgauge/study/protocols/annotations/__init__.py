"""Annotations: a judge works on one output, by editing it or by marking its errors, and may rate it afterwards.

post-edit   the text is edited until it is acceptable; HTER, edits, time
spans       errors are marked in the text with category and severity, as MQM and ESA have it

edits           what an answer to post-editing is, and the edits it stands for
spans           what an answer to error marking is
simulation      judges who edit or mark at known rates
analysis        from answers to measures, and from these by the models of ratings

Everything around the work (design, questions, what stands beside a text) is that of ratings, and the classes derive
from theirs.
"""
