"""The database of a study.

tables      what is kept, and which of it is append-only
engine      `Store`: transactions on SQLite or PostgreSQL
queries     the statements that every page needs, compiled once
migrations  the version of the tables, and how older ones are brought up to date
sqlite      commits that come together share one synchronisation of the log
postgres    a server is told when the tables have grown
"""

from nlgauge.study.store.engine import FILE, Store, file_of, kept_in, reason

__all__ = ["FILE", "Store", "file_of", "kept_in", "reason"]
