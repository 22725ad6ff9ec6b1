"""Design statements: what a study asked, of whom, how and in which order, so that others can repeat and compare it.

Schoch, Yang and Ji (2020, section 4) call for them: most papers do not even report their questions. Everything here is
filled from the study file, the frozen design and the store; what only a person knows is asked for under `statement` in
the study file, and what nobody told is listed as missing.

keys        the part of the study file that only a person can fill
facts       what the store tells: who came, how many questions and minutes each, what was left out
told        what a protocol tells of its questions, screens and order
types       the statement itself: sections of fields, each with its value and source, or missing
build       all of it together
markdown, latex, short   its forms (the page is `report.statement`)
heds        the Human Evaluation Datasheet (Shimorina and Belz 2022)
compare     what differs between two studies
"""
