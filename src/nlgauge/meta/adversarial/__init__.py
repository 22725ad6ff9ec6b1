"""Adversarial search: which few edits of an output raise a metric, and not the metrics that guard it."""
