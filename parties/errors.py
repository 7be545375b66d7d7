"""The errors a user can meet, one exit code each: usage 2, data 3, policy 4, peer or keys 5."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.mpc.errors import AuroraError, PeerError

__all__ = [
    "ConfigurationError",
    "DataError",
    "KeyFault",
    "PeerRefused",
    "PolicyRefusal",
    "StorageFull",
    "StudyDiffers",
    "TooEarly",
    "Unreachable",
]


class ConfigurationError(AuroraError):
    """A study file, a site file or a command that cannot be followed as it stands."""

    exit_code: ClassVar[int] = 2


class DataError(AuroraError):
    """A list of scores and labels that cannot be used; says the row and the column."""

    exit_code: ClassVar[int] = 3


class PolicyRefusal(AuroraError):
    """The site's own policy, or the study's rule, forbids it."""

    exit_code: ClassVar[int] = 4


class TooEarly(PolicyRefusal):
    """What is asked for will be there later: the rule is not met, or the result not ready."""


class KeyFault(PeerError):
    """A key that is missing, unsafe, or not one of the study's."""


class Unreachable(PeerError):
    """A server that does not answer at the address which the study gives."""


class PeerRefused(PeerError):
    """A server said no; the text is its own, and `code` says which kind of no."""

    code: str = ""


class StudyDiffers(PeerError):
    """This side and a server hold different versions of one study."""


class StorageFull(PeerError):
    """A server has no room left to store an upload; nothing acknowledged is lost."""
