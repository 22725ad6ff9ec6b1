"""The researcher's login: one password for a study, a code to set it with, sessions, and the slowing down of guesses.

Two files of mode 0600 lie in the study's folder, which every worker reads: `dashboard.password` (scrypt with its salt
and cost) and, until it was used, `dashboard.setup` (the SHA-256 of the code that `study serve` printed). Attempts and
logouts are kept in a table of their own in the study's database, so that all workers count together and a restart
forgets nothing; neither is part of any export. No route is here.

A session is a signed cookie. Its key is made of the site's secret and the stored password, so that setting another
password ends every session. Guesses are slowed down exponentially, in one count for everybody whom the site does not
know and one for each browser that has logged in before (OWASP's "device cookies"): a stranger who guesses all day
cannot keep the researcher out.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.io.outputs import PASSWORD, SETUP
from nlgauge.study.store import Store
from nlgauge.web.security import sign, verify

SHORTEST, LONGEST, DIFFERENT = 10, 1_000, 5
RULES = (
    f"at least {SHORTEST} characters; several words are easier to remember than signs",
    f"at least {DIFFERENT} different characters",
    "not the title of the study",
)
SESSION_SECONDS = 12 * 3600.0
DEVICE_SECONDS = 180 * 86_400.0
LONGEST_DELAY = 900.0
AHEAD = 5.0  # seconds by which workers' clocks may differ
FORGIVEN = 86_400.0  # seconds after which a failure counts no more
TRIED, ENTERED, LEFT = "tried", "entered", "left"
_LOCK = 0x6E6C6764  # any number, the same in every worker
_COOKIE = re.compile(r"([0-9a-f]{32})\.([0-9]{1,12})\.([0-9a-f]{64})")
_DEVICE = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{64})")


# ---------------------------------------------------------------------------------------------------- passwords


@dataclass(frozen=True)
class Cost:
    """What one guess costs: 128·n·r bytes of memory, p times over."""

    n: int = 2**15
    r: int = 8
    p: int = 3


def problem_with(password: str, again: str, titles: Iterable[str] = ()) -> str:
    """What is wrong with a new password, in a sentence; empty where nothing is."""
    plain = _normal(password)
    if password != again:
        return "The two passwords are not the same."
    if len(plain) < SHORTEST:
        return f"The password has {len(plain)} characters; it needs at least {SHORTEST}."
    if len(plain) > LONGEST:
        return f"The password is longer than {LONGEST:,} characters."
    if len(set(plain)) < DIFFERENT:
        return f"The password has fewer than {DIFFERENT} different characters."
    if plain.casefold() in {_normal(title).casefold() for title in titles}:
        return "The password is the title of the study, which every judge can read."
    return ""


def hash_password(password: str, cost: Cost | None = None) -> str:
    """A line that holds scheme, cost, salt and hash."""
    cost, salt = cost or Cost(), secrets.token_bytes(16)
    return f"$scrypt$n={cost.n},r={cost.r},p={cost.p}${_text(salt)}${_text(_scrypt(password, salt, cost))}"


def fits(password: str, stored: str) -> bool:
    """Whether a password is the stored one. Where none is stored the same work is done in vain."""
    try:
        _, scheme, costs, salt, expected = (stored or _NOBODY).split("$")
        numbers = dict(part.split("=") for part in costs.split(","))
        cost = Cost(int(numbers["n"]), int(numbers["r"]), int(numbers["p"]))
        known = base64.b64decode(expected, validate=True)
        given = _scrypt(password, base64.b64decode(salt, validate=True), cost)
    except (ValueError, KeyError):
        raise InputError(
            f"{PASSWORD} cannot be read; set a new password: nlgauge study serve DIR --reset-password"
        ) from None
    return hmac.compare_digest(known, given) and bool(stored) and scheme == "scrypt"


def _normal(password: str) -> str:
    return unicodedata.normalize("NFKC", password)


def _scrypt(password: str, salt: bytes, cost: Cost) -> bytes:
    room = 132 * cost.n * cost.r * cost.p + 2**20
    # HMAC, on which scrypt rests, takes no notice of NULs at the end of a password
    plain = _normal(password).replace("\x00", "\ufffd").encode("utf-8", "surrogatepass")[: 4 * LONGEST]
    return hashlib.scrypt(plain, salt=salt, n=cost.n, r=cost.r, p=cost.p, maxmem=room, dklen=32)


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


_NOBODY = f"$scrypt$n={Cost.n},r={Cost.r},p={Cost.p}${_text(bytes(16))}${_text(bytes(32))}"


# -------------------------------------------------------------------------------------------------------- files


@dataclass(frozen=True)
class Vault:
    """Password and set-up code of a study's folder."""

    folder: Path

    def password(self) -> str:
        """The stored line; empty where no password was set yet."""
        return _read(self.folder / PASSWORD)

    def set_password(self, password: str, cost: Cost | None = None) -> None:
        """Store a password; a set-up code that is still about is worth nothing any more."""
        _write_private(self.folder / PASSWORD, hash_password(password, cost))
        (self.folder / SETUP).unlink(missing_ok=True)

    def new_code(self) -> str:
        """A code of 128 random bits that allows a password to be set, once; it takes the place of an earlier one."""
        code = secrets.token_hex(16)
        _write_private(self.folder / SETUP, digest(code))
        return code

    def code_fits(self, code: str) -> bool:
        """Whether this is the code that was printed last and not used yet."""
        held = _read(self.folder / SETUP)
        return hmac.compare_digest(held or "-" * 64, digest(code)) and bool(held)

    def use_code(self, code: str, password: str, cost: Cost | None = None) -> bool:
        """Set the password with the code; of two who do so at once, one succeeds."""
        if not self.code_fits(code):
            return False
        line = hash_password(password, cost)
        taken = self.folder / f"{SETUP}.{secrets.token_hex(8)}"
        try:
            (self.folder / SETUP).rename(taken)  # one process can do this
        except FileNotFoundError:
            return False
        try:
            if not hmac.compare_digest(_read(taken), digest(code)):  # a newer code came in between
                taken.rename(self.folder / SETUP)
                return False
            _write_private(self.folder / PASSWORD, line)
        finally:
            taken.unlink(missing_ok=True)
        return True


def prepare(
    folder: str | Path, *, password: str | None = None, reset: bool = False, cost: Cost | None = None
) -> str | None:
    """Before the site starts: the set-up code to print, or None where a password is set.

    `password` (from a file or the environment) is stored unless it is the stored one already. `reset` takes the old
    password away, which ends all sessions, and makes a new code.
    """
    vault = Vault(Path(folder))
    if password is not None:
        if reset:
            raise InputError("give a password or ask for a new set-up code, not both")
        wrong = problem_with(password, password)
        if wrong:
            raise InputError(wrong)
        stored = vault.password()
        if not stored or not fits(password, stored):
            vault.set_password(password, cost)
        return None
    if reset:
        (vault.folder / PASSWORD).unlink(missing_ok=True)
    return None if vault.password() else vault.new_code()


def _read(path: Path) -> str:
    with suppress(FileNotFoundError):
        return path.read_text(encoding="ascii", errors="replace").strip()
    return ""


def _write_private(path: Path, line: str) -> None:
    """Replace a file by one that only its owner may read."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); check who owns the folder") from None
    finally:
        temporary.unlink(missing_ok=True)


def digest(code: str) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()


# ----------------------------------------------------------------------------------------------------- sessions


@dataclass(frozen=True)
class Session:
    """Somebody who knew the password."""

    id: str
    issued: float


def new_session(secret: bytes, stored: str, now: float) -> tuple[Session, str]:
    """A new session and its cookie."""
    session = Session(secrets.token_hex(16), float(int(now)))
    issued = str(int(session.issued))
    return session, f"{session.id}.{issued}.{sign(secret, 'dashboard session', stored, session.id, issued)}"


def read_session(secret: bytes, stored: str, cookie: str, now: float) -> Session | None:
    """The session of a cookie; None where it is forged, too old, or of an earlier password."""
    found = _COOKIE.fullmatch(cookie)
    if found is None or not stored:
        return None
    name, issued, signature = found.groups()
    if not verify(secret, signature, "dashboard session", stored, name, issued):
        return None
    session = Session(name, float(issued))
    return session if session.issued - 60 <= now < session.issued + SESSION_SECONDS else None


def new_device(secret: bytes) -> str:
    """A cookie by which a browser that has logged in is known again; it opens nothing."""
    name = secrets.token_hex(8)
    return f"{name}.{sign(secret, 'dashboard device', name)}"


def read_device(secret: bytes, cookie: str) -> str:
    """The name of a browser that has logged in before; empty for all others."""
    found = _DEVICE.fullmatch(cookie)
    return found[1] if found and verify(secret, found[2], "dashboard device", found[1]) else ""


# ------------------------------------------------------------------------------------------------------ guesses


def delay(failures: int) -> float:
    """Seconds after so many failures in a row: 0, 1, 2, 4 … up to a quarter of an hour."""
    return 0.0 if failures < 1 else min(LONGEST_DELAY, 2.0 ** min(failures - 1, 30))


def left_to_wait(failures: Sequence[float], now: float) -> float:
    """Seconds until the next attempt is allowed, given when the failures were."""
    # A failure of the time to come was noted before the clock was set back: it would lock everybody out until then.
    # Attempts are counted together by all workers, and over restarts, so no clock that only runs forward is at hand.
    recent = [at for at in failures if now - FORGIVEN < at <= now + AHEAD]
    return max(0.0, max(recent) + delay(len(recent)) - now) if recent else 0.0


_own = sa.MetaData()
visits = sa.Table(
    "dashboard_visits",
    _own,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("study", sa.String(64), nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),  # tried, entered, left
    sa.Column("name", sa.String(64), nullable=False),  # of a known browser, empty for strangers; of the session left
    sa.Index("dashboard_visits_by_name", "study", "name", "at"),
)


@dataclass(frozen=True)
class Gate:
    """Counts attempts and logouts in the store."""

    store: Store
    study: str
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        with self.store.write() as connection:
            if connection.dialect.name == "postgresql":  # several workers may start at once
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            _own.create_all(connection)

    def admit(self, device: str = "") -> float:
        """Count an attempt before it is checked, so that many at once are many attempts.

        Returns 0 where it may be checked, else the seconds to wait; an attempt that is refused does not count.
        """
        with self.store.write() as connection:
            if connection.dialect.name == "postgresql":  # attempts take turns, as on SQLite they do anyway
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            wait = left_to_wait(self._failures(connection, device), self.clock())
            if wait == 0.0:
                self._note(connection, TRIED, device)
            return wait

    def wait(self, device: str = "") -> float:
        """Seconds until an attempt would be admitted."""
        with self.store.read() as connection:
            return left_to_wait(self._failures(connection, device), self.clock())

    def entered(self, device: str = "") -> None:
        """The attempt was right, and counts no more; a known browser's earlier failures are forgiven too."""
        with self.store.write() as connection:
            self._note(connection, ENTERED, device)

    def leave(self, session: Session) -> None:
        """End one session before its time."""
        with self.store.write() as connection:
            self._note(connection, LEFT, session.id)

    def has_left(self, session: Session) -> bool:
        """Whether a session was ended by a logout."""
        query = sa.select(visits.c.seq).where(
            visits.c.study == self.study, visits.c.name == session.id, visits.c.kind == LEFT
        )
        with self.store.read() as connection:
            return connection.execute(query).first() is not None

    def _failures(self, connection: sa.Connection, device: str) -> list[float]:
        query = (
            sa.select(visits.c.at, visits.c.kind)
            .where(visits.c.study == self.study, visits.c.name == device)
            .where(visits.c.at > self.clock() - FORGIVEN)
            .order_by(visits.c.seq)
        )
        failures: list[float] = []
        for at, kind in connection.execute(query):
            if kind == TRIED:
                failures.append(float(at))
            elif device:
                failures = []
            else:  # that stranger was the researcher; the others may be anybody
                failures = failures[:-1]
        return failures

    def _note(self, connection: sa.Connection, kind: str, name: str) -> None:
        values = {"study": self.study, "at": self.clock(), "kind": kind, "name": name}
        connection.execute(visits.insert().values(**values))
