"""Comparisons that guide a training: when to stop, which checkpoint or hyperparameters to keep (Zhou and Xu 2020)."""
