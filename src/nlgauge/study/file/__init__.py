"""The study file: its keys, what contradicts itself, its template, the texts of its languages."""
