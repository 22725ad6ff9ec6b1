"""How trained metrics are made: what to learn from which data, examples, fitting, checkpoints, cards."""
