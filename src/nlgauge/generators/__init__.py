"""Small sequence-to-sequence generators (PyTorch) for experiments with corpora by rule: no weights ship."""
