"""Both arithmetics: the compiled library, and numpy alone. And no test leaves a link open."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from ctypes import CDLL
from pathlib import Path

import pytest

from ppaurora.mpc.kernels import library

from .link.loopback import close_links


@pytest.fixture(autouse=True)
def _links_closed() -> Iterator[None]:
    """A test that fails leaves no link open: the next one to reclaim memory would wait for it."""
    yield
    close_links()


@pytest.fixture(scope="session")
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The library of this source, made here; None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    made = tmp_path_factory.mktemp("kernels") / "native.so"
    sources = [str(path) for path in library.SOURCES if path.suffix == ".c"]
    digest = f"-DSOURCE_DIGEST={library.source_digest()}u"
    command = [compiler, "-O1", "-w", "-shared", "-fPIC", digest, "-o", str(made), *sources]
    subprocess.run(command, check=True)
    return made


@pytest.fixture(scope="module")
def native(request: pytest.FixtureRequest) -> Iterator[None]:
    """The library is in use: the installed one, or one made here if there is none."""
    with pytest.MonkeyPatch.context() as patch:
        if library._loaded() is None:
            made = request.getfixturevalue("_compiled")
            if made is None:
                pytest.skip("no C compiler here, and none where this was installed")
            patch.setattr(library, "_loaded", lambda: CDLL(str(made)))
            library._bound.cache_clear()
        patch.setattr(library._use(), "native", True)
        yield
    library._bound.cache_clear()


@pytest.fixture(scope="module", params=["native", "numpy"])
def each_arithmetic(request: pytest.FixtureRequest) -> Iterator[str]:
    """The test runs twice: with the library, and with numpy alone."""
    if request.param == "native":
        request.getfixturevalue("native")
        yield request.param
        return
    with library.without_library():
        yield request.param
