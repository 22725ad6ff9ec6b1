"""Running metrics over data: batches in, rows of sufficient statistics out."""
