"""Writes the Unicode tables of the tokenisers: `text/unicode_tables.json` and `native/unicode_tables.hpp`.

The categories come from the `regex` package, because sacreBLEU's `intl` tokeniser matches with its \\p{P},
\\p{S} and \\p{N}; Python's own `unicodedata` follows the interpreter's version and would make scores depend
on it. White space is what `str.isspace()` (hence `str.split()`) calls white space.

    python tools/make_unicode_tables.py            # needs: pip install regex
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parents[1]
TABLES_FILE = ROOT / "src" / "nlgauge" / "text" / "unicode_tables.json"
CPP_FILE = ROOT / "native" / "unicode_tables.hpp"

# H is a part of L: the letters whose script is Han, which the tokeniser `words` takes one by one.
NAMES = {
    "P": "punctuation",
    "S": "symbol",
    "N": "number",
    "L": "letter",
    "M": "mark",
    "Z": "space",
    "H": "han",
}
PARTS = {"L": "LH"}
OTHER = "."
CODE_POINTS = 0x110000
BLOCK = 256


def unicode_version() -> str:
    """The version of Unicode that the installed `regex` follows, as its package description states it."""
    about = importlib.metadata.metadata("regex")
    text = f"{about.get('Description') or ''}\n{about.get_payload()}"
    found = re.search(r"supports Unicode (\d+\.\d+\.\d+)", text)
    if not found:
        raise SystemExit("the description of the installed regex package does not state its version of Unicode")
    return found[1]


def classes() -> list[str]:
    """The class of every code point: a key of NAMES, or OTHER."""
    result = [OTHER] * CODE_POINTS
    every = "".join(map(chr, range(CODE_POINTS)))
    for key in "PSNLM":
        for character in regex.findall(rf"\p{{{key}}}", every):
            result[ord(character)] = key
    for character in regex.findall(r"\p{Script=Han}", every):
        if result[ord(character)] == "L":
            result[ord(character)] = "H"
    for code in range(CODE_POINTS):
        if chr(code).isspace():
            if result[code] != OTHER:
                raise SystemExit(f"U+{code:04X} is white space and {NAMES[result[code]]}: the classes overlap")
            result[code] = "Z"
    return result


def ranges(table: list[str], keys: str) -> list[tuple[int, int]]:
    """The maximal runs (first, last) of some classes taken together."""
    runs: list[tuple[int, int]] = []
    for code, kind in enumerate(table):
        if kind not in keys:
            continue
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


def tables_source(table: list[str], version: str) -> str:
    """The JSON file: for each class its inclusive ranges in hexadecimal, separated by blanks."""
    found = {"unicode": version}
    for key, name in NAMES.items():
        words = [f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in ranges(table, PARTS.get(key, key))]
        found[name.upper()] = " ".join(words)
    return json.dumps(found, indent=1) + "\n"


def cpp_source(table: list[str], version: str) -> str:
    """The C++ header: a two-stage table, blocks of 256 class letters and an index of the blocks."""
    blocks: dict[str, int] = {}
    index = [blocks.setdefault("".join(table[i : i + BLOCK]), len(blocks)) for i in range(0, CODE_POINTS, BLOCK)]
    if len(blocks) > 256:
        raise SystemExit("more than 256 different blocks: the index needs a wider type")
    lines = [
        "// General categories of code points, O(1). Written by tools/make_unicode_tables.py; do not edit.",
        f"// Unicode {version}; white space as Python's str.isspace().",
        "#pragma once",
        "#include <cstdint>",
        "",
        "namespace nlgauge {",
        "namespace unicode {",
        "",
        "// The class of a code point is one letter: "
        + ", ".join(f"{key} {name}" for key, name in NAMES.items() if key != "H")
        + ",",
        f"// H a letter of the script Han, {OTHER} anything else.",
        f"inline constexpr char blocks[{len(blocks)}][{BLOCK + 1}] = {{",
    ]
    for block in blocks:
        rows = [f'    "{block[i : i + 64]}"' for i in range(0, BLOCK, 64)]
        lines.append("\n".join(rows) + ",")
    lines += ["};", "", f"inline constexpr std::uint8_t index[{len(index)}] = {{"]
    lines += ["    " + ", ".join(map(str, index[i : i + 24])) + "," for i in range(0, len(index), 24)]
    lines += [
        "};",
        "",
        "inline char category(char32_t c) {",
        f"    return c < 0x{CODE_POINTS:x} ? blocks[index[c >> 8]][c & 0xff] : '{OTHER}';",
        "}",
        "",
        "}  // namespace unicode",
        "",
    ]
    for key, name in NAMES.items():
        test = " || ".join(f"kind == '{part}'" for part in PARTS.get(key, key))
        lines.append(f"inline bool is_{name}(char32_t c) {{ const char kind = unicode::category(c); return {test}; }}")
    lines += ["", "}  // namespace nlgauge"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both files."""
    table, version = classes(), unicode_version()
    TABLES_FILE.write_text(tables_source(table, version), encoding="utf-8")
    CPP_FILE.write_text(cpp_source(table, version), encoding="utf-8")
    print(f"Unicode {version}: wrote {TABLES_FILE.relative_to(ROOT)} and {CPP_FILE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
