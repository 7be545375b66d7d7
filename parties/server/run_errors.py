"""What goes wrong in a run, told of the servers as the study knows them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.role import Role
from ppaurora.parties.study.runs import StudyRun

__all__ = ["told_of_servers"]


@contextlib.contextmanager
def told_of_servers(run: StudyRun) -> Iterator[None]:
    """Have errors name the peer by its role in the study, and tell whose role is whose in the run.

    The run itself names everybody by the roles in it.
    """
    servers = {str(role): str(run.place(role)) for role in Role}
    try:
        yield
    except AuroraError as error:
        error.peer = servers.get(error.peer, error.peer)
        if run.number:
            roles = ", ".join(f"{server} is {role}" for role, server in servers.items())
            error.what = f"{error.what} [run {run.title}, in which {roles}]"
        raise
