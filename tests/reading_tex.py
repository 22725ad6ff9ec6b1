"""A reader of LaTeX that finds what TeX would stop at."""

from __future__ import annotations

import re

KNOWN = re.compile(
    r"documentclass|usepackage|pagestyle|small|ifPDFTeX|else|fi|setlength|parindent|parskip|sloppy|begin|end|section|subsection|item"
    r"|emph|textbf|par|newline|text(?:backslash|asciicircum|asciitilde|less|greater|bar|quotedbl|asciigrave|quotesingle)"
    r"|quotedblbase|ldots|times|pm|leq|geq|rightarrow|alpha|beta|gamma|lambda|texteuro|textperiodcentered"
    r"|centering|toprule|midrule|bottomrule|caption|label|uparrow|downarrow|triangle|kappa|rho|tau|chi|infty"
)


def latex_faults(text: str) -> list[str]:
    """What TeX would stop at: braces and environments that do not close, unknown commands, bare special characters."""
    faults: list[str] = []
    opened: list[str] = []
    environments: list[str] = []
    math = False
    body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    for found in re.finditer(r"\\(begin|end)\{(\w+)\}|\\([A-Za-z]+)\*?|\\(.)|([{}$&%#_^~])", body):
        kind, name, command, sign, bare = found.groups()
        if kind == "begin":
            environments.append(name)
        elif kind == "end":
            if not environments or environments.pop() != name:
                faults.append(f"\\end{{{name}}}")
        elif command is not None and KNOWN.fullmatch(command) is None:
            faults.append(f"\\{command}")
        elif sign is not None and sign not in "{}$&%#_," and not (sign == "\\" and "tabular" in environments):
            faults.append(f"\\{sign}")
        elif bare == "{":
            opened.append(bare)
        elif bare == "}":
            if not opened:
                faults.append("}")
            else:
                opened.pop()
        elif bare == "$":
            math = not math
        elif bare == "&" and "tabular" in environments:
            continue
        elif bare is not None and bare != "~" and not (bare == "^" and math):
            faults.append(bare)
    return [*faults, *opened, *environments, *(["$"] if math else [])]
