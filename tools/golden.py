"""Golden outputs: what every command, exported file and page gave before a redesign, and whether it still does.

    python tools/golden.py make  [--only PART …] [--src FOLDER]    write tests/golden again (from known-good code only!)
    python tools/golden.py check [--only PART …] [--close]         compare; exits 1 and shows what differs

Each folder of `tests/golden` with a `script.txt` is a part; `tests/golden/inputs` holds files that scripts copy. A line
of a script is `NAME: WORDS OF A COMMAND`; a name that begins with `+` prepares and is not recorded; the word
`JUDGE:FOLDER:3` stands for the id of a study's third judge. Recorded are standard output (`NAME.txt`, or `NAME.json`
where it is JSON), standard error and exit code (`NAME.err.txt`, where there is something to say), and every file that
the command wrote or changed (`NAME/…`), databases left out. Lines that begin
with `@` are done here:

    @copy FROM TO                       a file of the inputs, or of the part's own folder if it is there
    @edit FILE PATTERN NEW              replace by a regular expression
    @copytree FROM TO                   a folder beside itself
    @judge FOLDER LINKS PAGES [PANEL]   visits by the first LINKS addresses, PAGES pages at most; every page is kept
    @dashboard FOLDER                   log in, look at every page, press what only looks

All of it runs in one process with the clock standing still (a minute passes before each line), and with random names
that count upwards, in a fresh folder with relative paths. In what is kept, these are replaced: names drawn at random
(`<name 1>`, numbered as they appear), tokens of forms, nonces, the folder's path, versions of nlgauge, Python and
libraries, and the digests that name static files. Files over 6,000 characters are gzip-packed.

`RENAMES` documents what a redesign calls otherwise; it is applied to the golden files before they are compared.
"""

from __future__ import annotations

import argparse
import difflib
import fnmatch
import gzip
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch
from urllib.parse import urljoin, urlsplit

from golden_pages import Page, fill, hidden
from golden_world import CLOCK, NAMES, NOON, main, normal, printed, stand_still, undigested

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
INPUTS = "inputs"
SCRIPT = "script.txt"
DIGESTS = ("outputs.jsonl",)  # of which a digest is enough
TOLD = ("study.schema.json",)  # the same in every study, and recorded once: `study schema`
BIG = 6_000  # characters from which on a file is packed
SLOW = 0.5  # seconds: what `--times` shows
SHOWN = 20  # lines of a difference
SITE = "http://site.test"
PASSWORD = "seven small stones"


@dataclass(frozen=True)
class Rename:
    """A documented change: `old` is `new` from now on, in golden files that fit `files`."""

    kind: Literal["key", "text", "pattern", "file"]  # of JSON; literally; as a regular expression; a file's own name
    old: str
    new: str
    reason: str
    files: str = "*"


RENAMES: tuple[Rename, ...] = (
    Rename(
        "text", "\n\n<section", "\n<section", "no empty line where a section is left out", "corpus/conform/page.html"
    ),
    Rename("text", '<p class="">', "<p>", "paragraphs of reports have no empty class", "*.html"),
    Rename("key", "triad", "role", "the triangle test's word served for every protocol", "studies-*"),
    Rename("text", '"found"', '"imported"', "a study run elsewhere is called imported", "studies-*/schema.*"),
    Rename("text", "kind: found", "kind: imported", "the same in its file", "studies-*"),
    Rename("text", '"kind": "found"', '"kind": "imported"', "the same in its frozen form", "studies-*/frozen.json"),
    Rename(
        "pattern", r'^( +"de": "[^\n]*\n)( +"es": [^\n]*\n)', r"\2\1", "languages in one order", "studies-*/frozen.json"
    ),
    Rename(
        "pattern",
        r'(<div class="wording"><span class="code">de</span>(?:(?!</div>)[\s\S])*</div>\s*)'
        r'(<div class="wording"><span class="code">es</span>(?:(?!</div>)[\s\S])*</div>\s*)',
        r"\2\1",
        "languages in one order",
        "studies-*/study.html",
    ),
    Rename("text", '"(299.0,)"', "[299.0]", "lists in cells are written as in JSON", "people/agree-csv.txt"),
    Rename("text", ",(),", ",[],", "the same", "people/agree-csv.txt"),
    Rename("pattern", r"(?<=,number,)triad(?=,)", "role", "the same as a column", "studies-*"),
    Rename("pattern", r"(?<=^ {4}number, )triad(?=,)", "role", "the same as a column", "studies-*"),
    Rename(
        "pattern",
        r'"text":"none can be told: ([^"]*)"',
        r'"cause":"\1"',
        "the log of an analysis holds figures of agreement, of which the statement makes words",
        "studies-*/log.jsonl",
    ),
    Rename(
        "text",
        '"text":"Krippendorff\'s alpha (ordinal) 0.00 (95 % limits -1.00 to 1.00); 8 judges, 2 outputs that several '
        'of them judged"',
        '"coefficient":"Krippendorff\'s alpha (ordinal)","estimate":0.0,"low":-1.0,"high":1.0,"level":0.95,'
        '"n":2,"unit":"outputs","judges":8',
        "the same",
        "studies-ratings/export/log.jsonl",
    ),
    Rename(
        "text",
        '"text":"Krippendorff\'s alpha (ordinal) -0.42 (95 % limits -1.00 to 0.21); 8 judges, 2 outputs that several '
        'of them judged"',
        '"coefficient":"Krippendorff\'s alpha (ordinal)","estimate":-0.416667,"low":-1.0,"high":0.2108,"level":0.95,'
        '"n":2,"unit":"outputs","judges":8',
        "the same",
        "studies-ratings/export/log.jsonl",
    ),
)


# ------------------------------------------------------------------------------------------------------- one part


@dataclass
class Part:
    """A script as it runs: its folder, and what has been recorded."""

    name: str
    folder: Path
    timed: bool = False
    kept: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)  # digests of files

    def run(self) -> dict[str, str]:
        """Every line of the script."""
        self.files()
        for line in (GOLDEN / self.name / SCRIPT).read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            CLOCK.now += 60
            begun = time.perf_counter()
            if line.startswith("@"):
                verb, *words = shlex.split(line[1:])
                getattr(self, f"do_{verb}")(*words)
            else:
                name, words_given = line.split(":", 1)
                self.command(name.strip(), [self.person(word) for word in shlex.split(words_given)])
            if self.timed and (seconds := time.perf_counter() - begun) > SLOW:
                print(f"  {seconds:5.1f} s  {line}"[:100], flush=True)
        return self.kept

    def command(self, name: str, words: list[str]) -> None:
        """Run one command and record what it said and wrote."""
        with printed() as (out, err):
            code = main(words)
        if name.startswith("+"):
            if code:
                raise SystemExit(f"{self.name}: {name}: exit code {code}: {err()}")
            self.files()
            return
        shown, said = out(), err()
        if shown:
            self.keep(f"{name}.{'json' if is_json(shown) else 'txt'}", shown)
        if said or code:
            self.keep(f"{name}.err.txt", f"exit code {code}\n{said}")
        for path, content in self.files().items():
            self.keep(f"{name}/{path}", content)

    def person(self, word: str) -> str:
        """`JUDGE:FOLDER:3` is the id of the third judge of a study; other words are themselves."""
        if not word.startswith("JUDGE:"):
            return word
        _, study, number = word.split(":")
        with printed() as (_, err):
            if main(["study", "export", study, "--people", "-o", ".people.jsonl"]):
                raise SystemExit(f"{self.name}: {word}: {err()}")
        rows = (self.folder / ".people.jsonl").read_text(encoding="utf-8").splitlines()
        if len(rows) < int(number):
            raise SystemExit(f"{self.name}: {word}: there are {len(rows)} judges")
        return str(json.loads(rows[int(number) - 1])["judge"])

    def keep(self, name: str, text: str) -> None:
        """Record a text."""
        if name in self.kept:
            raise SystemExit(f"{self.name}: {name} is recorded twice")
        text = normal(text, self.folder)
        self.kept[name] = undigested(text) if self.name.startswith("studies") else text

    def files(self) -> dict[str, str]:
        """The files that are new or changed since the last look, as text."""
        changed = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if not path.is_file() or path.name in TOLD or re.search(r"\.sqlite|\.lock$|(^|/)\.", name):
                continue
            raw = path.read_bytes()
            digest = hashlib.sha256(raw).hexdigest()
            if self.seen.get(name) != digest:
                changed[name] = f"sha256 {digest}\n" if path.name in DIGESTS else as_text(raw)
            self.seen[name] = digest
        return changed

    def do_copy(self, source: str, target: str) -> None:
        """A file of the inputs into the folder."""
        own = self.folder / source
        (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(own if own.exists() else GOLDEN / INPUTS / source, self.folder / target)
        self.files()

    def do_copytree(self, source: str, target: str) -> None:
        """A folder beside itself."""
        shutil.copytree(self.folder / source, self.folder / target)
        self.files()

    def do_edit(self, file: str, pattern: str, new: str) -> None:
        """Change a text file; a pattern that finds nothing is a mistake."""
        path = self.folder / file
        text, number = re.subn(pattern, new, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if not number:
            raise SystemExit(f"{self.name}: nothing in {file} fits {pattern!r}")
        path.write_text(text, encoding="utf-8")
        self.files()

    def do_judge(self, study: str, links: str, pages: str, panel: str = "") -> None:
        """Judges come by the first links and do what the pages ask."""

        def visit(get: Callable[..., Any]) -> None:
            with printed() as (out, _):
                main(["study", "links", study, "--base", SITE, *(["--panel", panel] if panel else [])])
            addresses = [line.strip() for line in out().splitlines() if SITE in line]
            for number, address in enumerate(addresses[: int(links)], 1):
                path = re.sub(r"\{\{%(\w+)%\}\}", rf"\1-{number}", address[address.index(SITE) :]).split()[0]
                self._walk(get, f"{study}-judge-{panel}{number}", path, int(pages))

        self._served(study, visit, rehearsal=True)

    def _walk(self, send: Callable[..., Any], name: str, path: str, pages: int) -> None:
        answer, walked = send("GET", path), 0
        for number in range(1, pages + 1):
            while answer.status_code in (301, 302, 303, 307, 308):
                path = urljoin(path, answer.headers["location"])
                if urlsplit(path).netloc not in ("", urlsplit(SITE).netloc):
                    break
                answer = send("GET", path)
            self.keep(f"{name}/page-{number:02}.html", f"<!-- {answer.status_code} -->\n{answer.text}")
            CLOCK.now += 30
            page = Page(answer.text)
            form, walked = page.main(), walked + 1
            if form is not None:
                refused = answer.status_code == 422
                path = urljoin(path, form["action"])
                answer = send("POST", path, fill(form, number, thorough=refused))
            elif page.next:
                path = urljoin(path, page.next)
                answer = send("GET", path)
            else:
                break

    def do_dashboard(self, study: str, *pages: str) -> None:
        """The researcher's pages."""

        def visit(send: Callable[..., Any]) -> None:
            # the address at which the password is set stands on standard output only: it is given by file instead
            form = Page(send("GET", "/dashboard/login").text).main()
            assert form is not None
            send("POST", "/dashboard/login", [*hidden(form), ("password", PASSWORD)])
            for path in pages or (
                "",
                "/analysis",
                "/links",
                "/links.csv",
                "/links.txt",
                "/judges",
                "/export",
                "/study",
            ):
                answer = send("GET", f"/dashboard{path}")
                kind = answer.headers.get("content-type", "").partition(";")[0].rpartition("/")[2]
                ending = {"plain": "txt"}.get(kind, kind) or "txt"
                name = path.strip("/").partition(".")[0] or "overview"
                where = answer.headers.get("location", "")
                shown = f"{answer.status_code} {where}".strip()
                self.keep(f"{study}-dashboard/{name}.{ending}", f"<!-- {shown} -->\n{answer.text}")
            for path in ("/", "/health", "/openapi.json"):
                answer = send("GET", path)
                self.keep(f"{study}-site/{path.strip('/').partition('.')[0] or 'home'}.txt", answer.text)

        self._served(study, visit)

    def _served(self, study: str, visit: Callable[..., None], *, rehearsal: bool = False) -> None:
        """Serve a study without a network: uvicorn is handed the application, and it is asked directly."""
        import uvicorn
        from starlette.testclient import TestClient

        def run(server: Any, sockets: Any = None) -> None:
            for socket in sockets or ():
                socket.close()
            client = TestClient(server.config.app, base_url=SITE, raise_server_exceptions=False, follow_redirects=False)
            with client as browser:

                def send(method: str, path: str, fields: list[tuple[str, str]] | None = None) -> Any:
                    data: dict[str, list[str]] = {}
                    for name, value in fields or ():
                        data.setdefault(name, []).append(value)
                    origin = {"Origin": SITE} if method == "POST" else {}
                    return browser.request(method, path, data=data or None, headers=origin | {"Accept-Language": "en"})

                visit(send)

        password = self.folder / ".password"
        password.write_text(PASSWORD + "\n", encoding="utf-8")
        with patch.object(uvicorn.Server, "run", run), printed() as (_, err):
            words = ["study", "serve", study, "--port", "0", "--base", SITE, "--password-file", str(password)]
            if main([*words, *(["--rehearsal"] if rehearsal else [])]):
                raise SystemExit(f"{self.name}: {study} is not served: {err()}")
        self.files()


def is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def as_text(raw: bytes) -> str:
    """A file's content; unpacked; of what is no text, its size and digest."""
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"{len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}\n"


# ------------------------------------------------------------------------------------------------ making, checking


def parts(only: list[str] | None = None) -> list[str]:
    """The names of all parts, or of those asked for."""
    known = sorted(path.parent.name for path in GOLDEN.glob(f"*/{SCRIPT}"))
    for name in only or ():
        if name not in known:
            raise SystemExit(f"there is no part {name!r}; there are {', '.join(known)}")
    return [name for name in known if not only or name in only]


def recorded(part: str, *, timed: bool = False) -> dict[str, str]:
    """What a part gives now."""
    CLOCK.now, NAMES.drawn = NOON, {}
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = Path(name).resolve()
        work = folder / "work"
        work.mkdir()
        os.environ |= {"HOME": name, "NLGAUGE_CACHE": f"{name}/cache", "XDG_CACHE_HOME": f"{name}/cache"}
        os.chdir(work)
        try:
            return Part(part, work, timed).run()
        finally:
            os.chdir(here)


def stored(part: str) -> dict[str, str]:
    """What it gave."""
    found = {}
    for path in sorted((GOLDEN / part).rglob("*")):
        name = path.relative_to(GOLDEN / part).as_posix()
        if path.is_file() and name != SCRIPT:
            raw = path.read_bytes()
            found[name.removesuffix(".gz")] = as_text(raw)
    return found


def store(part: str, texts: dict[str, str]) -> None:
    """Write a part's golden files, and take away those that are no longer."""
    for path in sorted((GOLDEN / part).rglob("*"), reverse=True):
        if path.is_dir():
            path.rmdir()
        elif path.name != SCRIPT:
            path.unlink()
    for name, text in texts.items():
        path = GOLDEN / part / (f"{name}.gz" if len(text) > BIG else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = text.encode()
        path.write_bytes(gzip.compress(raw, 9, mtime=0) if len(text) > BIG else raw)


def renamed(part: str, texts: dict[str, str]) -> dict[str, str]:
    """Golden texts in today's words."""
    return dict(_renamed(part, name, text) for name, text in texts.items())


def _renamed(part: str, name: str, text: str) -> tuple[str, str]:
    file = f"{part}/{name}"
    for rename in RENAMES:
        if fnmatch.fnmatch(file, rename.files):
            if rename.kind == "key":
                text = re.sub(rf'"{re.escape(rename.old)}"(\s*:)', rf'"{rename.new}"\1', text)
            elif rename.kind == "text":
                text = text.replace(rename.old, rename.new)
            elif rename.kind == "pattern":
                text = re.sub(rename.old, rename.new, text, flags=re.MULTILINE)
            else:
                name = re.sub(rename.old, rename.new, name)
    return name, text


def difference(name: str, before: str, now: str) -> list[str]:
    """The first lines that differ; JSON, and pages, a value or an element a line."""
    if name.endswith(".json") and is_json(before) and is_json(now):
        before, now = (json.dumps(json.loads(text), indent=1, ensure_ascii=False) for text in (before, now))
    elif name.endswith((".html", ".svg")):
        before, now = (re.sub(r"(?<=.)(?=<(?!/))", "\n", text) for text in (before, now))
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), "golden", "now", lineterm="", n=1)
    return [line if len(line) < 300 else f"{line[:300]}…" for line, _ in zip(lines, range(SHOWN), strict=False)]


NUMBER = re.compile(r"-?\d+\.\d{9,}(?:[eE][-+]?\d+)?|-?\d(?:\.\d+)?[eE][-+]?\d+")


def close(before: str, now: str) -> bool:
    """Whether texts differ only in the last digits of numbers given in full, as between processors."""
    if NUMBER.split(before) != NUMBER.split(now):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(now), strict=True)
    return all(math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-12) for one, other in pairs)


def check(part: str, *, closely: bool, timed: bool) -> list[str]:
    """What a part gives otherwise than it did."""
    before, now = renamed(part, stored(part)), recorded(part, timed=timed)
    told = [f"{part}/{name}: no longer there" for name in before if name not in now]
    told += [f"{part}/{name}: new" for name in now if name not in before]
    for name, text in before.items():
        if name in now and now[name] != text and not (closely and close(text, now[name])):
            told.append("\n".join([f"{part}/{name}: differs", *difference(name, text, now[name])]))
    return told


def run() -> int:
    """The command line of this tool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("make", "check", "list"))
    parser.add_argument("--only", nargs="+", metavar="PART")
    parser.add_argument(
        "--src", type=Path, default=ROOT / "src", help="the sources that run (default: beside the tool)"
    )
    parser.add_argument("--close", action="store_true", help="let numbers given in full differ by 1e-9 of their size")
    parser.add_argument("--times", action="store_true", help="also show the lines that take longest")
    arguments = parser.parse_args()
    if arguments.action == "list":
        print("\n".join(parts()))
        return 0
    sys.path.insert(0, str(arguments.src.resolve()))
    stand_still()
    failed = False
    for part in parts(arguments.only):
        begun = time.perf_counter()
        if arguments.action == "make":
            texts = recorded(part, timed=arguments.times)
            store(part, texts)
            said = f"{len(texts)} recorded"
        else:
            told = check(part, closely=arguments.close, timed=arguments.times)
            failed |= bool(told)
            said = f"{len(told)} differ" if told else "as it was"
            print("\n".join(told), end="\n" if told else "")
        print(f"{part}: {said}, {time.perf_counter() - begun:.1f} s", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(run())
