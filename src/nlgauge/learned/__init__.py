"""Metrics that were trained on people's judgements: features, what was learnt over them, and its folder."""
