"""The compiled kernels. They are optional: where no compiler is present the install still succeeds and
`nlgauge` runs on the pure-Python twins (``nlgauge list`` says which backend is in use)."""

from pathlib import Path

from setuptools import setup

try:
    from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext

    ParallelCompile("NLGAUGE_BUILD_JOBS", default=2).install()
    extensions = [
        Pybind11Extension(
            "nlgauge._native",
            sorted(str(path) for path in Path("native").glob("*.cpp")),
            include_dirs=["native"],
            depends=sorted(str(path) for path in Path("native").glob("*.hpp")),
            cxx_std=17,
            # no fused multiply-adds: the Python twins round after each step, and both must agree to the last bit
            extra_compile_args=["-O3", "-fvisibility=hidden", "-ffp-contract=off"],
            optional=True,
        )
    ]
    setup(ext_modules=extensions, cmdclass={"build_ext": build_ext})
except ImportError:
    setup()
