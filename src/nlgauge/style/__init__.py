"""Style transfer between sources of texts: alignment, splits, scores by classifiers of style and content, reports."""
