"""The kernels in C, which an installation does without where there is no compiler."""

import hashlib
from pathlib import Path

from setuptools import Extension, setup

SOURCES = sorted(Path("mpc/kernels").glob("*.[ch]"))
TEXT = b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in SOURCES)
DIGEST = hashlib.sha256(TEXT).hexdigest()[:16]  # as `source_digest` in mpc/kernels/library.py

setup(
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
    ]
)
