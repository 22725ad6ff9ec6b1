"""Models that are trained here: what is learnt from which data, and the recipe that repeats it (`nlgauge train`)."""
