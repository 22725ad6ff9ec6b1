"""Robustness probes: perturbations whose effect on quality is known, and how metrics react to them."""
