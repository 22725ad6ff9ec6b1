"""The metrics: one file each, found by name through `nlgauge.metrics.registry`."""
