"""`ppaurora health`, as a probe runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.parties.requests.local_pages import LocalPage, LocalPages
from tests import forked
from tests.parties.commands.test_start import HEAVY, modules_after


@pytest.fixture
def place(tmp_path: Path) -> tuple[str, int]:
    """The address that the site file in `tmp_path` gives."""
    [port] = free_ports(1)
    (tmp_path / "site.toml").write_text(f'[server]\nhealth = "127.0.0.1:{port}"\n')
    return "127.0.0.1", port


def probed(folder: Path, *more: str) -> tuple[int, str]:
    """The exit code, and what was written to stdout."""
    ended = forked.run(("health", "--site", "site.toml", *more), folder)
    return ended.returncode, ended.stdout


def test_the_exit_code_tells_how_the_server_is(tmp_path: Path, place: tuple[str, int]) -> None:
    assert probed(tmp_path) == (1, "the server does not answer\n")
    pages = LocalPages(*place)
    pages.start(
        {
            "/healthz": lambda: LocalPage(200, "ok\n"),
            "/readyz": lambda: LocalPage(503, "no study\n"),
        }
    )
    try:
        assert probed(tmp_path) == (0, "ok\n")
        assert probed(tmp_path, "--ready") == (1, "no study\n")
    finally:
        pages.close()


def test_a_probe_loads_nothing_that_computes(
    tmp_path: Path, place: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place
    monkeypatch.chdir(tmp_path)
    loaded = modules_after("health", "--site", "site.toml")
    assert "ppaurora.parties.requests.local_pages" in loaded
    assert not loaded & set(HEAVY)
