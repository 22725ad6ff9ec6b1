"""The compiled kernels. They are optional: where no compiler is present the install still succeeds and
`nlgauge` runs on the pure-Python twins (``nlgauge list`` says which backend is in use)."""

from pathlib import Path

from setuptools import setup

# Units that are compiled as one: each file that binds functions costs seconds for the binding library alone, more than
# most kernels. Files that use the same name for different things stay in different groups.
TOGETHER = (
    ("module", "bleu", "cder", "lanes", "stems", "ter", "yisi"),
    ("rouge", "eed", "parent", "skill"),
    ("wordnet", "snowball", "resample", "chrf"),
    ("alignment", "cider", "rouge_skip"),
    ("character", "nist", "transport"),
    ("iter", "weighted", "tokens"),
)


def sources() -> list[str]:
    """A file for each group, made in `build`, and the files that are in none."""
    native, build = Path("native"), Path("build") / "native"
    build.mkdir(parents=True, exist_ok=True)
    grouped = [name for group in TOGETHER for name in group]
    files = sorted(str(path) for path in native.glob("*.cpp") if path.stem not in grouped)
    for group in TOGETHER:
        file = build / f"with_{group[0]}.cpp"
        text = "".join(f'#include "{name}.cpp"\n' for name in group)
        if not file.is_file() or file.read_text() != text:
            file.write_text(text)
        files.append(str(file))
    return files


try:
    from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext

    ParallelCompile("NLGAUGE_BUILD_JOBS", default=2).install()
    extensions = [
        Pybind11Extension(
            "nlgauge._native",
            sources(),
            include_dirs=["native"],
            depends=sorted(str(path) for path in Path("native").glob("*.[ch]pp")),
            cxx_std=17,
            # no fused multiply-adds: the Python twins round after each step, and both must agree to the last bit
            extra_compile_args=["-O3", "-fvisibility=hidden", "-ffp-contract=off"],
            optional=True,
        )
    ]
    setup(ext_modules=extensions, cmdclass={"build_ext": build_ext})
except ImportError:
    setup()
