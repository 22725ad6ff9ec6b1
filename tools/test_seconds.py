"""Which test files take long, from a run's record, into tests/seconds.json: the longest begin first, and `make quick`
leaves them out.

make test PYTEST_ADDOPTS=--junitxml=tests.xml
python tools/test_seconds.py tests.xml
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

TESTS = Path(__file__).resolve().parents[1] / "tests"
LONG = 2.0  # seconds


def main(record: str) -> None:
    """Write the list."""
    taken: Counter[str] = Counter()
    for test in ElementTree.parse(record).iter("testcase"):
        parts = test.attrib["classname"].split(".")[1:]  # from the folder of tests on; a class may follow
        paths = (TESTS.joinpath(*parts[:end]).with_suffix(".py") for end in range(len(parts), 0, -1))
        file = next(path for path in paths if path.exists())
        taken[file.relative_to(TESTS).as_posix()] += float(test.attrib["time"])
    long = {name: round(seconds) for name, seconds in taken.most_common() if seconds > LONG}
    (TESTS / "seconds.json").write_text(json.dumps(long, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
