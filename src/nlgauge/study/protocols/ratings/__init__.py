"""Single-text ratings: one output at a time, one question for each criterion, on points, on a slider, or yes and no.

simulation      judges with a bias of their own who see systems' true quality through noise
"""
