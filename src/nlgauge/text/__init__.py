"""Tokenisers and stemmers."""
