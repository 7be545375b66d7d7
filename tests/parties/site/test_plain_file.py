"""Files that decide what a site takes part in: read only where nobody else can have written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.site.acceptances import MOST_STUDY_BYTES, Acceptances
from ppaurora.parties.site.plain_file import read_plain
from tests.parties.sample import study

STUDY = study()


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_study_that_others_could_have_put_there_is_not_accepted(
    tmp_path: Path, mode: int
) -> None:
    Acceptances(tmp_path).add(STUDY)
    [path] = (tmp_path / "accepted").iterdir()
    path.chmod(mode)
    assert Acceptances(tmp_path).find(STUDY.hash) is None
    path.chmod(0o644)
    assert Acceptances(tmp_path).find(STUDY.hash) == STUDY


def test_a_file_is_read_up_to_its_bound_and_no_longer_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(1000))
    assert read_plain(path, 1000)[0] == bytes(1000)
    with pytest.raises(ConfigurationError, match="holds more than 999 bytes"):
        read_plain(path, 999)
    # one without an end to it takes no memory: all of it is a hole
    os.truncate(path, 1 << 40)
    with pytest.raises(ConfigurationError, match=f"holds more than {MOST_STUDY_BYTES} bytes"):
        read_plain(path, MOST_STUDY_BYTES)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_not_waited_for_or_followed(tmp_path: Path, kind: str) -> None:
    (tmp_path / "there").write_bytes(b"elsewhere")
    path = tmp_path / "file"
    if kind == "link":
        path.symlink_to(tmp_path / "there")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(ConfigurationError, match="so it is not used"):
        read_plain(path, 1000)
