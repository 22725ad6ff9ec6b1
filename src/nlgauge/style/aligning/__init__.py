"""Alignment of two sources: pairs of articles whose tf-idf vectors are close and whose dates lie close together."""
