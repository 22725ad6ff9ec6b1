"""What every study of systems' outputs shares, whatever is asked about them.

file            the keys of the study file: systems, criteria, panels, what is shown
texts           the texts and what stands beside each
layout          the sheets of a design as slots
contradictions  what the keys do not allow together
judge           the keys of a panel that is a machine's
machines        which panels are machines'
check           what `study check` says
quality         the keys of quality control, and what is wrong with them
damage          damaged copies of outputs
control         the checks of judges, and the rule that follows from them
statement       what the design statement says of both
template        what `study new` chooses and writes
protocol        what the engine asks of all these protocols alike
criteria        what the questions of all these protocols have in common
analysis        what their analyses have in common
statement       what their design statements have in common
"""
