"""The package `ppaurora` of five folders, and its kernels in C where there is a compiler."""

from setuptools import Extension, find_packages, setup

FLOORS = ("mpc", "protocols", "parties", "bench")
EXPERIMENTS = ("papers", "papers.*", "peers", "peers.*")
"""Folders of `bench` that a checkout has, and an installation does not."""

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
            ["mpc/kernels/native.c"],
            extra_compile_args=["-O3", "-Wno-psabi"],
            py_limited_api=True,
            optional=True,
        )
    ],
)
