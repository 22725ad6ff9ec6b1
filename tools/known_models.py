"""Write the SHA-256 of the packaged models' files that are installed here into src/nlgauge/models/known.json.

Run it after a package was raised or the reader was trained anew; versions that the table has stay in it.
"""

from __future__ import annotations

import json
from pathlib import Path

from nlgauge.models.catalogue import ENTRIES
from nlgauge.models.resolve import locate, table

FILE = Path(__file__).resolve().parents[1] / "src/nlgauge/models/known.json"


def main() -> None:
    """Add what is installed."""
    found = {alias: dict(versions) for alias, versions in table().items()}
    for entry in ENTRIES:
        if not entry.lacking():
            model = locate(entry.alias, entry.kinds[0])
            found.setdefault(entry.alias, {})[model.revision] = model.by_file()
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
