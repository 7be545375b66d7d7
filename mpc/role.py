"""The three roles of a computation: two proxies hold shares, one helper deals randomness."""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """P0 and P1 hold the shares; the helper (P2 in the papers) deals correlated randomness."""

    P0 = 0
    P1 = 1
    HELPER = 2

    def __str__(self) -> str:
        return "helper" if self is Role.HELPER else self.name

    @property
    def others(self) -> tuple[Role, Role]:
        """The two roles that this one talks to, in order."""
        first, second = (role for role in Role if role is not self)
        return first, second


PROXIES = (Role.P0, Role.P1)
"""The two roles that hold shares."""

Pair = tuple[Role, Role]
PAIRS: tuple[Pair, ...] = ((Role.P0, Role.P1), (Role.P0, Role.HELPER), (Role.P1, Role.HELPER))
"""Every two roles that share a link and a key, the lower role first."""
