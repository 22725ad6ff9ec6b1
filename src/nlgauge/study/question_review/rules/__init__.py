"""Rule files, one for each language: word lists, patterns, reasons. `language.toml` is read where it stands."""
