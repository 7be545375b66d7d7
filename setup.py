"""The kernels in C, which an installation does without where there is no compiler."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "ppaurora.mpc.kernels._native",
            ["mpc/kernels/native.c"],
            extra_compile_args=["-O3", "-Wno-psabi"],
            py_limited_api=True,
            optional=True,
        )
    ]
)
