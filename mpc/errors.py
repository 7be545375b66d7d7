"""The error tree: every error says what happened, where, and what to do next.

Each error says whose fault it was. `LocalProtocolError`: this program erred. `RemoteProtocolError`:
the other side sent what it must not. `PeerError`: the two cannot work together, because the other
side cannot be reached, is somebody else, or means another computation. The root is for handlers
that catch them all; it is never raised itself. No message ever holds a share, a score, a label or a
key.
"""

from __future__ import annotations

from ppaurora.mpc.role import Role


class AuroraError(Exception):
    """An error: its words, session, step and peer, and what to do next."""

    def __init__(
        self,
        what: str,
        *,
        advice: str = "",
        session: str = "",
        step: str = "",
        peer: str = "",
    ) -> None:
        if type(self) is AuroraError:
            raise TypeError("the root of the error tree is never raised: choose a kind of error")
        super().__init__(what)
        self.what = what
        self.advice = advice
        self.session = session
        self.step = step
        self.peer = peer

    def __str__(self) -> str:
        where = ", ".join(
            f"{name} {value}"
            for name, value in (
                ("session", self.session),
                ("step", self.step),
                ("peer", self.peer),
            )
            if value
        )
        text = f"{self.what} ({where})" if where else self.what
        return f"{text}. {self.advice}" if self.advice else text


class LocalProtocolError(AuroraError):
    """This side broke a rule of the runtime: a bug here or a wrong call."""


class BoundExceeded(LocalProtocolError):
    """The public sizes are beyond what the 64-bit arithmetic holds exactly."""


class RemoteProtocolError(AuroraError):
    """The other side sent what the protocol does not allow at this point."""


class BadFrame(RemoteProtocolError):
    """A frame that is malformed, replayed, out of order, of the wrong size or kind.

    `field` names the header's field that differs from what was expected, if it is one.
    """

    field: str = ""


class CheatingDetected(RemoteProtocolError):
    """In a covert study, something differs that is the same where all three servers are honest.

    It names what differs and never data. Each such stop may tell the party that caused it one bit.
    """


class PeerAborted(RemoteProtocolError):
    """The other side gave up and said so; `culprit` gave up first, for the `reason` told."""

    culprit: Role | None = None
    reason: str = ""


class PeerError(AuroraError):
    """The other side cannot be reached, is not who it should be, or disagrees about the study."""


class PeerLost(PeerError):
    """The connection to the peer broke, or could not be made."""


class PeerSilent(PeerError):
    """The peer said nothing until the deadline."""


class IdentityRefused(PeerError):
    """The peer's key is not the one that was expected."""


class HandshakeMismatch(PeerError):
    """The parties disagree about version, role, study, session or parameters."""
