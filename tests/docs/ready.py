"""A process with nlgauge imported that runs commands, each in a child of its own.

Most of the time of a quick command goes into starting Python and importing. Here both happen once: the process forks
for each command, so that every command still begins with nothing done, in its folder, with its own output. Where a
system cannot fork, a command is started as usual.

    python tests/docs/ready.py      reads a JSON object a line: words, folder, output, errors; answers with exit codes
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import threading
import traceback
from concurrent.futures.thread import _python_exit
from pathlib import Path
from types import TracebackType
from typing import Any

# What commands import on the way; torch and other libraries of models stay out, because their threads do not survive.
LIBRARIES = (
    "numpy",
    "scipy.stats",
    "scipy.optimize",
    "sqlalchemy.dialects.sqlite",
    "yaml",
    "jinja2",
    "rich.table",
)
PACKAGES = ("cli", "io", "metrics", "stats", "study", "report", "wording", "engine", "meta", "humans")


class Ready:
    """Runs commands of nlgauge; a context manager that ends its process."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Ready:
        if hasattr(os, "fork"):
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=self.environment,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(timeout=60)

    def run(self, words: list[str], folder: Path, scratch: Path) -> tuple[int, str, str]:
        """Exit code, output and errors of `nlgauge WORDS` in a folder; both are written in `scratch` on the way."""
        if self.process is None:
            line = [sys.executable, "-m", "nlgauge", *words]
            done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, env=self.environment)
            return done.returncode, done.stdout, done.stderr
        assert self.process.stdin is not None and self.process.stdout is not None
        files = scratch / "output", scratch / "errors"
        asked = {"words": words, "folder": str(folder), "output": str(files[0]), "errors": str(files[1])}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that runs commands ended: {self.process.wait()}")
        output, errors = (file.read_text(encoding="utf-8") for file in files)
        return int(answer), output, errors


def import_all() -> None:
    """Everything a command may import that does not load a model."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for package in PACKAGES:
        found = importlib.import_module(f"nlgauge.{package}")
        for module in pkgutil.walk_packages(found.__path__, f"{found.__name__}."):
            importlib.import_module(module.name)


def child(asked: dict[str, Any]) -> int:
    """One command, in the process that was forked for it."""
    from nlgauge.cli import main

    os.chdir(asked["folder"])
    for name, number in (("output", 1), ("errors", 2)):
        file = os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["nlgauge", *asked["words"]]
    try:
        return main(asked["words"])
    except SystemExit as end:  # after --help
        return end.code if isinstance(end.code, int) else 1
    except Exception:  # as the interpreter does, which a child of this process never comes back to
        traceback.print_exc()
        return 1


def leave(code: int) -> None:
    """End as a process of its own would, but for taking down all that was imported, which takes longest."""
    _python_exit()  # idle threads of a pool that is still referred to end only now; joined before, they never would
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def serve() -> None:
    """Answer until nobody asks any more."""
    import_all()
    gc.collect()
    gc.freeze()  # a child need not look through what is here already
    answers = os.fdopen(os.dup(1), "w")  # a child gets an output of its own in its place
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            leave(child(json.loads(line)))
        _, status = os.waitpid(number, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


if __name__ == "__main__":
    serve()
