"""Extrinsic evaluation: can a reader of this output answer questions about it, and how quickly?

questions       questions as they are asked, and which answers are right
simulation      readers of known ability, questions of known difficulty
analysis        success, time, efficiency, difficulty of questions
"""
