"""What a server stores of an upload: its shares of all runs in which it is a proxy, one by one.

    run 1's share | run 2's share | ..      without what it does not get

They are announced, sent, kept, checked and deleted as one.
"""

from __future__ import annotations

from ppaurora.mpc.role import Role
from ppaurora.parties.study.runs import StudyRun, proxy_runs
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import SHARE_OF

__all__ = ["share_of_run", "stored_bytes"]


def stored_bytes(study: Study, server: Role, words: int) -> int:
    """The bytes that a server stores of an upload of so many words."""
    return sum(_size(run, server, words) for run in proxy_runs(study, server))


def share_of_run(run: StudyRun, server: Role, stored: bytes, words: int) -> bytes:
    """The server's share of this run, from all that it stores of an upload of so many words."""
    before = proxy_runs(run.study, server)[: proxy_runs(run.study, server).index(run)]
    begin = sum(_size(one, server, words) for one in before)
    return stored[begin : begin + _size(run, server, words)]


def _size(run: StudyRun, server: Role, words: int) -> int:
    return SHARE_OF[run.role(server)].size(words)
