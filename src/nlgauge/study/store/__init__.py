"""The database of a study.

tables      what is kept, and which of it is append-only
engine      `Store`: transactions on SQLite, where commits share a synchronisation of the log, or PostgreSQL
queries     the statements that every page needs, compiled once
migrations  the version of the tables, and how older ones are brought up to date
"""

from nlgauge.study.store.engine import FILE, Store, file_of, kept_in, reason

__all__ = ["FILE", "Store", "file_of", "kept_in", "reason"]
