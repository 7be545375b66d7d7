"""The limit of connections follows from the number of descriptors."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ppaurora.mpc.link.connection_quota import descriptors_free
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.server.watching.descriptors import KEPT_BACK, port_caps


@pytest.mark.parametrize("limit", [352, 480, 1024, 4096, 1 << 16])
def test_connections_at_all_ports_leave_what_a_session_needs(limit: int) -> None:
    caps = port_caps(limit)
    assert limit - 3 * (caps.requests.in_all + 2 * caps.link.in_all) >= KEPT_BACK
    assert caps.requests.in_all >= 24
    assert caps.link.in_all >= 2 * caps.link.of_an_address >= 4


def test_a_server_with_too_few_descriptors_does_not_start() -> None:
    with pytest.raises(ConfigurationError, match="351 files and connections"):
        port_caps(351)


EXHAUSTING = """
import os, resource
from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Endpoint, open_links
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.connection import RequestConnection

me = Identity.generate()
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
taken = []
try:
    while True:
        taken.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass
for _ in range(30):
    os.close(taken.pop())
    try:
        endpoint = Endpoint("127.0.0.1", 0, me.public, True)
        open_links(Role.P0, me, {Role.P1: endpoint}, bytes(16))
    except AuroraError as error:
        print(error.what)
    connection = RequestConnection(me, "P1", "127.0.0.1", 1, me.public)
    try:
        connection._connect(me.public)
    except AuroraError as error:
        print(error.what)
"""


def test_without_descriptors_links_and_requests_fail_and_the_process_goes_on() -> None:
    """libzmq would end the process, if it were asked for a context."""
    done = subprocess.run(
        [sys.executable, "-c", EXHAUSTING],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 60
    assert all("may open no more files and connections" in line for line in lines)


def test_descriptors_that_are_counted_as_spare_are_given_back() -> None:
    before = len(os.listdir("/proc/self/fd"))
    assert descriptors_free(20)
    assert len(os.listdir("/proc/self/fd")) == before
