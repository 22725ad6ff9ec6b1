"""What every study of systems' outputs shares, whatever is asked about them.

file            the keys of the study file: systems, criteria, panels, what is shown
texts           the texts and what stands beside each
layout          the sheets of a design as slots
contradictions  what the keys do not allow together
judge           the keys of a panel that is a machine's
machines        which panels are machines'
check           what `study check` says
template        what `study new` chooses
criteria        what the questions of all these protocols have in common
analysis        what their analyses have in common
statement       what their design statements have in common
"""
