"""Files and locks on a system without POSIX."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ppaurora.parties import posix
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.private_file import make_private_folder, write_private
from ppaurora.parties.site.plain_file import read_plain
from ppaurora.parties.site.private_line import create_private, private_line


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("geteuid", "getegid", "getgroups", "fchmod", "fchown", "chown"):
        monkeypatch.delattr(os, name)
    for name in ("fcntl", "pwd"):
        monkeypatch.setattr(posix, name, None)


@pytest.mark.usefixtures("windows")
def test_files_are_written_and_read_without_users_and_modes(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_private_folder(folder)
    write_private(folder / "record", b"kept", like=folder)
    (folder / "record").chmod(0o666)
    assert read_plain(folder / "record", 10)[0] == b"kept"
    create_private(folder / "key", "secret", "take it", like=folder)
    (folder / "key").chmod(0o666)
    assert private_line(folder / "key", "make one") == "secret"
    assert posix.user_name(1234) == "1234"
    assert not posix.is_root()


@pytest.mark.usefixtures("windows")
def test_a_link_is_no_plain_file_where_no_flag_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppaurora.parties.site.plain_file.NO_LINK", 0)
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(ConfigurationError, match="is a link"):
        read_plain(tmp_path / "link", 10)


@pytest.mark.usefixtures("windows")
def test_a_file_is_synced_through_a_handle_that_may_write_and_a_folder_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Path, int]] = []
    really = os.open

    def noted(path: Path, flags: int) -> int:
        opened.append((path, flags))
        return really(path, flags)

    monkeypatch.setattr(os, "open", noted)
    (tmp_path / "file").write_bytes(b"text")
    posix.sync(tmp_path)
    posix.sync(tmp_path / "file")
    assert opened == [(tmp_path / "file", os.O_RDWR)]


@pytest.mark.usefixtures("windows")
def test_a_lock_that_gives_up_after_ten_seconds_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int, int]] = []

    def locking(handle: int, how: int, count: int) -> None:
        asked.append((handle, how, count))
        if len(asked) < 3:
            raise OSError(36, "Resource deadlock avoided")

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_LOCK=1))
    posix.wait_for_lock(7)
    assert asked == [(7, 1, 1)] * 3


@pytest.mark.usefixtures("windows")
def test_servers_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="needs Linux or macOS"):
        posix.check_servers_run_here()
