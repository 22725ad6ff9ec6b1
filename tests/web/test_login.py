"""The researcher's password: how it is kept, how guesses are slowed down, how long a session lasts."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import made
import pytest
from researcher import CHEAP, GOOD, Clock

from nlgauge.errors import InputError
from nlgauge.study.service import Service
from nlgauge.study.store import Store
from nlgauge.web import login
from nlgauge.web.login import Cost, Gate, Vault

SECRET = b"s" * 32


@pytest.fixture
def gate(service: Service, clock: Clock) -> Gate:
    return Gate(service.store, service.id, clock)


# ---------------------------------------------------------------------------------------------------- passwords


def test_a_password_is_known_again_and_no_other() -> None:
    line = login.hash_password(GOOD, CHEAP)
    assert line.startswith("$scrypt$n=2,r=8,p=1$")
    assert GOOD not in line
    assert login.fits(GOOD, line)
    assert not login.fits(GOOD + " ", line)
    assert not login.fits("", line)


def test_the_same_password_is_stored_differently_each_time() -> None:
    assert login.hash_password(GOOD, CHEAP) != login.hash_password(GOOD, CHEAP)


def test_composed_and_decomposed_letters_are_one_password() -> None:
    line = login.hash_password("\u00e9t\u00e9 \u00e0 la plage", CHEAP)
    assert login.fits("e\u0301te\u0301 a\u0300 la plage", line)


def test_where_no_password_is_set_none_fits_and_the_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    real = login._scrypt

    def counted(password: str, salt: bytes, cost: Cost) -> bytes:
        done.append(cost)
        return real(password, salt, CHEAP)

    monkeypatch.setattr(login, "_scrypt", counted)
    assert not login.fits(GOOD, "")
    assert done == [Cost()]


def test_the_usual_cost_is_what_is_recommended() -> None:
    assert Cost() == Cost(n=32_768, r=8, p=3)  # 32 MiB, three times over
    assert login.hash_password(GOOD).startswith("$scrypt$n=32768,r=8,p=3$")


def test_a_damaged_file_is_refused_in_a_sentence() -> None:
    for line in (
        "nonsense",
        "$scrypt$n=x,r=8,p=1$AA==$AA==",
        "$scrypt$n=2,r=8$AA==$AA==",
        "$scrypt$n=2,r=8,p=1$!$!",
    ):
        with pytest.raises(InputError, match="--reset-password"):
            login.fits(GOOD, line)


@pytest.mark.parametrize(
    ("password", "again", "said"),
    [
        (GOOD, GOOD, ""),
        (GOOD, "seven small stone", "not the same"),
        ("short one", "short one", "9 characters; it needs at least 10"),
        ("aaaaaaaaaaaaa", "aaaaaaaaaaaaa", "fewer than 5 different"),
        ("x1y2z" * 300, "x1y2z" * 300, "longer than"),
        ("WHO WROTE IT?", "WHO WROTE IT?", "title of the study"),
    ],
)
def test_the_rules_for_a_new_password(password: str, again: str, said: str) -> None:
    found = login.problem_with(password, again, ["¿Quién?", "Who wrote it?"])
    assert (said in found) if said else not found


# -------------------------------------------------------------------------------------------------------- files


def test_the_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.new_code()
    assert stat.S_IMODE((tmp_path / login.SETUP).stat().st_mode) == 0o600
    vault.set_password(GOOD, CHEAP)
    assert stat.S_IMODE((tmp_path / login.PASSWORD).stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [login.PASSWORD]


def test_a_code_works_once(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    code = vault.new_code()
    assert len(code) == 32
    assert code not in (tmp_path / login.SETUP).read_text()
    assert vault.code_fits(code)
    assert not vault.code_fits(code[:-1])
    assert not vault.use_code("0" * 32, GOOD, CHEAP)
    assert vault.use_code(code, GOOD, CHEAP)
    assert login.fits(GOOD, vault.password())
    assert not vault.code_fits(code)
    assert not vault.use_code(code, "another password", CHEAP)
    assert login.fits(GOOD, vault.password())


def test_without_a_code_an_empty_one_does_not_fit(tmp_path: Path) -> None:
    assert not Vault(tmp_path).code_fits("")
    assert not Vault(tmp_path).use_code("", GOOD, CHEAP)


def test_of_many_who_use_a_code_at_once_one_succeeds(tmp_path: Path) -> None:
    vault, done = Vault(tmp_path), []
    code = vault.new_code()
    barrier = threading.Barrier(8)

    def use(number: int) -> None:
        barrier.wait()
        if vault.use_code(code, f"{GOOD} {number}", CHEAP):
            done.append(number)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1
    assert login.fits(f"{GOOD} {done[0]}", vault.password())


def test_the_first_start_gives_a_code_and_later_ones_do_not(tmp_path: Path) -> None:
    first = login.prepare(tmp_path)
    second = login.prepare(tmp_path)
    assert first and second and first != second
    assert not Vault(tmp_path).code_fits(first)
    Vault(tmp_path).use_code(second, GOOD, CHEAP)
    assert login.prepare(tmp_path) is None


def test_a_password_may_come_from_outside(tmp_path: Path) -> None:
    assert login.prepare(tmp_path, password=GOOD, cost=CHEAP) is None
    before = Vault(tmp_path).password()
    assert login.prepare(tmp_path, password=GOOD, cost=CHEAP) is None
    assert Vault(tmp_path).password() == before  # sessions outlive a restart
    login.prepare(tmp_path, password="eight small stones", cost=CHEAP)
    assert Vault(tmp_path).password() != before
    with pytest.raises(InputError, match="at least 10"):
        login.prepare(tmp_path, password="short")
    with pytest.raises(InputError, match="not both"):
        login.prepare(tmp_path, password=GOOD, reset=True)


def test_a_reset_takes_the_old_password_away(tmp_path: Path) -> None:
    login.prepare(tmp_path, password=GOOD, cost=CHEAP)
    code = login.prepare(tmp_path, reset=True)
    assert code is not None
    assert Vault(tmp_path).password() == ""
    assert Vault(tmp_path).use_code(code, "eight small stones", CHEAP)


# ----------------------------------------------------------------------------------------------------- sessions


def test_a_session_lasts_twelve_hours() -> None:
    session, cookie = login.new_session(SECRET, "line", 1000.0)
    assert login.read_session(SECRET, "line", cookie, 1000.0) == session
    assert login.read_session(SECRET, "line", cookie, 1000.0 + 12 * 3600 - 1) == session
    assert login.read_session(SECRET, "line", cookie, 1000.0 + 12 * 3600) is None
    assert login.read_session(SECRET, "line", cookie, 900.0) is None  # from the future


def test_a_session_ends_with_its_password_and_cannot_be_forged() -> None:
    session, cookie = login.new_session(SECRET, "line", 1000.0)
    assert login.read_session(SECRET, "other", cookie, 1000.0) is None
    assert login.read_session(b"t" * 32, "line", cookie, 1000.0) is None
    assert login.read_session(SECRET, "", login.new_session(SECRET, "", 1000.0)[1], 1000.0) is None
    name, issued, signature = cookie.split(".")
    for forged in (
        "",
        ".",
        "..",
        f"{name}.{issued}.",
        f"{name}.9999999999.{signature}",
        f"{'0' * 32}.{issued}.{signature}",
        f"{name}.{issued}.{signature[:-1]}0" if signature[-1] != "0" else f"{name}.{issued}.{signature[:-1]}1",
        f"{name}.1e9.{signature}",
        f"{name}.{issued}.{signature}\n",
        "\u0661" * 32,
        f"{session.id}.٣.{signature}",
    ):
        assert login.read_session(SECRET, "line", forged, 1000.0) is None


def test_two_sessions_have_nothing_in_common() -> None:
    first, second = (login.new_session(SECRET, "line", 1000.0)[1] for _ in range(2))
    assert not set(first.split(".")) & set(second.split(".")) - {"1000"}


def test_a_browser_is_known_again_by_a_signed_name() -> None:
    cookie = login.new_device(SECRET)
    assert login.read_device(SECRET, cookie) == cookie.split(".")[0]
    assert login.read_device(b"t" * 32, cookie) == ""
    assert login.read_device(SECRET, "abc.def") == login.read_device(SECRET, "") == ""


# ------------------------------------------------------------------------------------------------------ guesses


def test_the_delay_doubles_up_to_a_quarter_of_an_hour() -> None:
    assert [login.delay(failures) for failures in range(12)] == [
        0,
        1,
        2,
        4,
        8,
        16,
        32,
        64,
        128,
        256,
        512,
        900,
    ]
    assert login.delay(10_000) == 900


def test_guesses_are_admitted_ever_more_slowly(tmp_path: Path, clock: Clock) -> None:
    """Whoever tries whenever it is allowed, for a day, has 96 to 109 guesses."""
    service = made.launched(tmp_path / "study", Store.memory())
    gate, begin, admitted = Gate(service.store, service.id, clock), clock.now, 0
    while clock.now < begin + 86_400:
        wait = gate.admit()
        if wait == 0:
            admitted += 1
            assert gate.admit() > 0  # at once again
        else:
            clock.now += wait
    assert 96 <= admitted < 110


def test_a_refused_attempt_does_not_count(gate: Gate, clock: Clock) -> None:
    assert gate.admit() == 0
    assert [gate.admit() for _ in range(5)] == [1.0] * 5
    clock.now += 1
    assert gate.admit() == 0
    assert gate.wait() == 2.0


def test_all_workers_count_together_and_a_restart_forgets_nothing(tmp_path: Path, clock: Clock) -> None:
    service = made.launched(tmp_path / "study")
    other = Store.at(tmp_path / "study")
    assert Gate(service.store, service.id, clock).admit() == 0
    assert Gate(other, service.id, clock).admit() == 1.0
    service.store.close()
    other.close()


def test_of_many_attempts_at_once_one_is_checked(gate: Gate) -> None:
    waits: list[float] = []
    barrier = threading.Barrier(8)

    def attempt() -> None:
        barrier.wait()
        waits.append(gate.admit())

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == [0.0] + [1.0] * 7


def test_strangers_do_not_keep_a_known_browser_out(gate: Gate, clock: Clock) -> None:
    for _ in range(10):
        clock.now += gate.wait()
        assert gate.admit() == 0
    assert gate.wait() == 512
    assert gate.admit("0123456789abcdef") == 0
    assert gate.wait("0123456789abcdef") == 1
    gate.entered("0123456789abcdef")
    assert gate.wait("0123456789abcdef") == 0
    assert gate.wait() == 512  # and their failures are not forgiven by it


def test_a_stranger_who_knows_the_password_is_forgiven_that_attempt_only(gate: Gate, clock: Clock) -> None:
    for _ in range(3):
        clock.now += gate.wait()
        gate.admit()
    clock.now += gate.wait()
    assert gate.admit() == 0
    gate.entered()
    assert gate.wait() == 0
    assert gate.admit() == 0
    assert gate.wait() == 8  # the fourth failure


def test_failures_are_forgiven_after_a_day(gate: Gate, clock: Clock) -> None:
    for _ in range(5):
        clock.now += gate.wait()
        gate.admit()
    clock.now += 86_401
    assert gate.admit() == 0
    assert gate.wait() == 1


def test_a_clock_that_is_set_back_after_a_failure_locks_nobody_out(gate: Gate, clock: Clock) -> None:
    assert gate.admit() == 0
    clock.now -= 40_000
    assert gate.wait() == 0
    assert gate.admit() == 0
    assert gate.admit() == 1.0  # failures from then on count as ever
    clock.now -= 3  # workers' clocks may differ by seconds
    assert 0 < gate.wait() <= 5


def test_a_session_that_was_left_is_over(gate: Gate, clock: Clock) -> None:
    session, _ = login.new_session(SECRET, "line", clock.now)
    other, _ = login.new_session(SECRET, "line", clock.now)
    assert not gate.has_left(session)
    gate.leave(session)
    assert gate.has_left(session)
    assert not gate.has_left(other)
