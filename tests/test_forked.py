"""A forked process of the program is one of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests import forked
from tests.parties.world import World


def test_a_command_has_its_own_folder_output_and_exit_code(tmp_path: Path) -> None:
    made = forked.run(["keys", "new", "a.key"], tmp_path)
    assert (made.returncode, made.stderr.count("Traceback")) == (0, 0)
    assert (tmp_path / "a.key").exists()
    assert made.stdout.splitlines()[0] == (tmp_path / "a.key.pub").read_text().strip()
    refused = forked.run(["keys", "show", "no.key"], tmp_path)
    assert (
        refused.returncode
        == forked.run(["keys", "show", "no.key"], tmp_path, {"A": "b"}).returncode
    )
    assert refused.returncode > 0
    assert refused.stdout == ""
    assert refused.stderr.startswith("ppaurora: ")


def test_a_server_can_be_told_to_end_and_be_killed(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        first, second, third = world.processes.values()
        assert len({os.getpid(), first.pid, second.pid, third.pid}) == 4
        assert [one.poll() for one in (first, second, third)] == [None] * 3
        with pytest.raises(subprocess.TimeoutExpired):
            first.wait(0.01)
        first.terminate()
        second.kill()
        assert first.wait(60) == 0
        assert second.wait(60) == -signal.SIGKILL
        first.kill()  # it is over: nobody who has its number now
        assert first.poll() == 0
        assert third.poll() is None
