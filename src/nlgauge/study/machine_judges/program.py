"""A program or a Python function as a judge, such as a trained comparator: a screen in, an answer out.

A program reads one JSON object a line on its standard input and writes one a line on its standard output, in order; it
must flush after each line. It is run in the study's folder, and ends when its input ends.

    in   {"id": 7, "protocol": "pairwise", "language": "en", "questions": [{"id": "fluency", "question": "…"}],
          "texts": [{"text": "…", "caption": "", "context": ""}, …],
          "beside": [{"what": "source", "heading": "Input", "value": "…"}]}
    out  {"id": 7, "answer": {"fluency": {"preference": "a"}}}           the protocol's own answer, as exports have it
         {"id": 7, "scores": [0.3, 0.8]}                                 a number for each text, the higher the better
         {"id": 7, "scores": {"fluency": [0.3, 0.8], …}}                 or for each criterion
         {"id": 7, "unanswered": "too long"}                             no answer, and why
    and perhaps "reason": "…"

Scores become the preference, ranking or choice that they stand for; of ratings they are kept as the program's own
numbers. A line that is none of this ends the run; an answer that the study's check refuses leaves the screen open.
"""

from __future__ import annotations

import hashlib
import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from nlgauge.errors import InputError, option
from nlgauge.study.machine_judges.base import Choice, Sheet
from nlgauge.study.machine_judges.forms import work_of
from nlgauge.study.machine_judges.measures import scored_choice
from nlgauge.study.machine_judges.sheets import sheet_values
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.refusals import Refused

KEPT = 20_000  # characters of a line that go into the log
OUT = ("answer", "scores", "unanswered")
Function = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Called:
    """A Python function that takes what a program would read and returns what it would write; `id` may be left out."""

    side_by_side = 1

    def __init__(
        self,
        function: Function,
        study: OutputStudy,
        *,
        name: str,
        language: str = "en",
        margin: float = 0.0,
        settings: Mapping[str, Any] = {},
    ) -> None:
        self.function, self.study, self.name, self.margin = function, study, name, margin
        self.language, self._settings, self._asked = language, dict(settings), 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its name, and what its maker says of it."""
        return {"judge": "function", "name": self.name, "margin": self.margin, **self._settings}

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """Nothing else is known."""
        return {}

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """Nothing to prepare."""

    def decide(self, sheet: Sheet) -> Choice:
        """Hand the screen over, and read what comes back."""
        self._asked += 1
        begun = time.monotonic()
        given = self.function(self.screen(sheet))
        raw = json.dumps(dict(given), ensure_ascii=False)[:KEPT] if isinstance(given, Mapping) else repr(given)[:KEPT]
        return self._read(given, sheet, raw, time.monotonic() - begun)

    def screen(self, sheet: Sheet) -> dict[str, Any]:
        """What is handed over."""
        work = work_of(self.study, self.language, say=str)  # whose questions need no phrases
        head = {"id": self._asked, "protocol": self.study.protocol, "language": self.language}
        return {**head, "questions": list(work.posed(sheet)), **sheet_values(sheet)}

    def _read(self, given: Any, sheet: Sheet, raw: str, seconds: float) -> Choice:
        said = [name for name in OUT if isinstance(given, Mapping) and name in given]
        if len(said) != 1 or given.get("id", self._asked) != self._asked:
            raise InputError(
                f"{self.name} wrote {raw[:200]!r} for screen {self._asked}; expected one JSON object with its id "
                f"({self._asked}) and one of {', '.join(OUT)}"
            )
        reason = given["reason"].strip() if isinstance(given.get("reason"), str) else ""
        reply = {"raw": raw, "seconds": round(seconds, 3)}
        if "unanswered" in given:
            return self._open("refused", reply)
        if "scores" in given:
            scores = self._scores(given["scores"], len(sheet.texts))
            if scores is None:
                return self._open("unreadable", reply)
            told: dict[str, Any] = {"reason": reason, "replies": ({"outcome": "answered", **reply},)}
            return scored_choice(scores, self.study, sheet, self.name, margin=self.margin, **told)
        texts: Any = sheet.checked
        try:
            answer = protocol_of(self.study.protocol).check_answer(given["answer"], texts, self.study)
        except Refused as refused:
            return self._open("unreadable", reply | {"refused": str(refused)})
        return Choice(answer, self.name, reason=reason, replies=({"outcome": "answered", **reply},))

    def _open(self, why: str, reply: Mapping[str, Any]) -> Choice:
        return Choice(None, self.name, why_not=why, replies=({"outcome": why, **reply},))

    def _scores(self, given: Any, texts: int) -> Any:
        """Numbers for every text, of all criteria or of each; None where they are not."""
        names = [worded.id for worded in self.study.questions_asked]
        if isinstance(given, dict) and set(given) != set(names):
            return None
        rows = list(given.values()) if isinstance(given, dict) else [given]
        fits = bool(rows) and all(isinstance(row, list) and len(row) == texts for row in rows)
        numbers = (isinstance(value, int | float) and not isinstance(value, bool) for row in rows for value in row)
        return given if fits and all(numbers) else None


class Piped(Called):
    """A program that is fed line by line."""

    def __init__(
        self,
        command: Sequence[str],
        study: OutputStudy,
        folder: str | Path,
        *,
        language: str = "en",
        margin: float = 0.0,
        timeout: float = 60.0,
    ) -> None:
        if not command:
            raise InputError("no command given; name the program and its arguments")
        digests = {
            word: hashlib.sha256((Path(folder) / word).read_bytes()).hexdigest()
            for word in command
            if (Path(folder) / word).is_file()
        }  # another edition of the program is another judge
        settings, name = {"command": list(command), "files_sha256": digests}, f"command {' '.join(command)}"
        super().__init__(self._ask, study, name=name, language=language, margin=margin, settings=settings)
        self.command, self.folder, self.timeout = list(command), Path(folder), timeout
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._errors: IO[bytes] | None = None

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """Start the program, once."""
        if self._process is not None:
            return
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the program
        try:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
                bufsize=1,
            )
        except OSError as error:
            raise InputError(f"{self.command[0]} cannot be run: {error.strerror}; check the panel's command") from None
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                self._lines.put(line)
        except (ValueError, OSError):  # closed meanwhile, or not UTF-8
            pass
        self._lines.put("")

    def _ask(self, screen: Mapping[str, Any]) -> Mapping[str, Any]:
        process = self._process
        assert process is not None and process.stdin is not None, "prepare comes first"
        try:
            process.stdin.write(json.dumps(screen, ensure_ascii=True) + "\n")
            process.stdin.flush()
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            process.kill()  # a line that came later would be taken for an answer to another screen
            raise InputError(
                f"{self.name} wrote nothing within {self.timeout:g} seconds; it must write one line for each that it "
                f"reads, and flush (in Python: print(…, flush=True)); {option('timeout')} allows more time"
            ) from None
        except OSError:
            line = ""
        if not line:
            raise InputError(f"{self.name} ended early{self._last_words()}; what was answered is stored")
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InputError(
                f"{self.name} wrote {line.strip()[:200]!r} for screen {screen['id']}, which is no JSON object; it must "
                "write nothing but answers on standard output"
            )
        return found

    def _last_words(self) -> str:
        """The last line that the program wrote on standard error."""
        if self._process is not None:
            self._process.wait(timeout=5)
        if self._errors is None:
            return ""
        self._errors.seek(0)
        lines = self._errors.read()[-2_000:].decode("utf-8", "replace").strip().splitlines()
        return f" ({lines[-1][:200]})" if lines else ""

    def close(self) -> None:
        """End the program: it has a moment to end by itself when its input does."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._errors is not None:
            self._errors.close()
