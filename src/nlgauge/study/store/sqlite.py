"""Several commits, one synchronisation: the write-ahead log of SQLite is put on disk for all who wait.

With `synchronous=NORMAL` SQLite writes a commit to the log and leaves it to the operating system when that reaches the
disk: safe against a crash of the program, not against a power cut. Synchronising each commit by itself costs
milliseconds and allows a few hundred commits a second. Here whoever has committed asks for a synchronisation that
begins later than the commit, and all who ask while one is under way share the next. A log that was carried over into
the database in between is covered as well: SQLite synchronises both files before it starts the log anew.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path


class GroupSync:
    """The synchronisation of one file, shared between threads."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._changed = threading.Condition()
        self._asked = self._done = 0  # tickets handed out, and those that were dealt with
        self._busy = False
        self._faults: dict[int, OSError] = {}  # by ticket: met by another who synchronised for all

    def wait(self) -> None:
        """Return when everything that was written before this call is on disk."""
        with self._changed:
            self._asked += 1
            ticket = self._asked
            while self._done < ticket:
                if self._busy:
                    self._changed.wait()
                else:
                    self._lead()
                if ticket in self._faults:
                    raise self._faults.pop(ticket)

    def _lead(self) -> None:
        """Synchronise for all who have asked so far; the lock is held before and after, not meanwhile.

        A fault is everybody's: the system reports it once, and another attempt would succeed without what was lost.
        """
        covered, self._busy = self._asked, True
        self._changed.release()
        fault: OSError | None = None
        try:
            self._synchronise()
        except OSError as error:
            fault = error
        finally:
            self._changed.acquire()
            self._busy = False
            self._changed.notify_all()
        if fault is not None:
            self._faults |= dict.fromkeys(range(self._done + 1, covered + 1), fault)
        self._done = max(self._done, covered)

    def _synchronise(self) -> None:
        try:
            file = os.open(self.path, os.O_RDWR)  # anew each time: SQLite may have replaced the log
        except FileNotFoundError:
            return  # carried over into the database and removed
        try:
            os.fsync(file)
        finally:
            os.close(file)
