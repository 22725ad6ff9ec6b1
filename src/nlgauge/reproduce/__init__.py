"""Reproductions of papers that run anywhere: corpus, models, evaluators and tables from one command."""
