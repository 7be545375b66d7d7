"""The package `ppaurora` of five folders, and its kernels in C where there is a compiler."""

import hashlib
from pathlib import Path

from setuptools import Extension, find_packages, setup

FLOORS = ("mpc", "protocols", "parties", "bench")
EXPERIMENTS = ("papers", "papers.*", "peers", "peers.*")
"""Folders of `bench` that a checkout has, and an installation does not."""

SOURCES = sorted(Path("mpc/kernels").glob("*.[ch]"))
TEXT = b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in SOURCES)
DIGEST = hashlib.sha256(TEXT).hexdigest()[:16]  # as `source_digest` in mpc/kernels/library.py

setup(
    packages=[
        "ppaurora",
        *(f"ppaurora.{floor}" for floor in FLOORS),
        *(
            f"ppaurora.{floor}.{package}"
            for floor in FLOORS
            for package in find_packages(floor, exclude=EXPERIMENTS if floor == "bench" else ())
        ),
    ],
    package_dir={f"ppaurora.{floor}": floor for floor in FLOORS},
    ext_modules=[
        Extension(
            "ppaurora.mpc.kernels._native",
            [str(path) for path in SOURCES if path.suffix == ".c"],
            depends=[str(path) for path in SOURCES],
            define_macros=[("SOURCE_DIGEST", f"0x{DIGEST}u")],
            extra_compile_args=["-O3", "-Wno-psabi"],
            py_limited_api=True,
            optional=True,
        )
    ],
    # one wheel for every Python from 3.11 on: the kernels use nothing of Python's interface
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
