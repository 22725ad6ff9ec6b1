"""Judgements and logs out and in: exported files, studies run elsewhere, answers restored."""
