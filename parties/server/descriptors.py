"""How many files and connections this process may have open at once."""

from __future__ import annotations

import resource

__all__ = ["raise_the_limit"]

ENOUGH = 1 << 16


def raise_the_limit() -> int:
    """The number of descriptors that this process may have from now on.

    The limit that the system enforces by default, often 1,024, suits programs that wait with
    `select`; each of them may raise it up to the hard limit. A server needs one for each
    connection, and silent strangers could use up a thousand.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return soft
    most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if most > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)
