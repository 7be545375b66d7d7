"""The errors of servers, participants and studies; whose fault it was is never blurred.

`commands.exit_codes` says which code each kind has.
"""

from __future__ import annotations

from enum import StrEnum

from ppaurora.mpc.errors import AuroraError, PeerError, RemoteProtocolError

# -- the user's, to correct and try again ----------------------------------------------------------


class ConfigurationError(AuroraError):
    """A study file, a site file or a command that cannot be followed as it stands."""


class DataError(AuroraError):
    """A list of scores and labels that cannot be used; says the row and the column."""


class KeyFault(AuroraError):
    """A key that is missing, unsafe, or not one of the study's."""


class PolicyRefusal(AuroraError):
    """The site's own policy, or the study's rule, forbids it."""


class Interrupted(AuroraError):
    """The user ended it; says what is left of it."""


class TooEarly(PolicyRefusal):
    """An answer that will be there later: the rule is not met, or the result not ready."""


# -- this program's, or this machine's -------------------------------------------------------------


class OwnFault(AuroraError):
    """This program met an error that nobody foresaw: a bug here, whoever asked."""


class LocalServerFailed(AuroraError):
    """A server that this program runs on this machine ended by itself, or hung as it started."""


class DiskCode(StrEnum):
    """Kinds of trouble with this server's own disk."""

    FULL = "no room is left; nothing acknowledged is lost"
    UNREADABLE = "stored data cannot be read"
    UNWRITABLE = "data cannot be stored, though there is room"
    SHARE_DAMAGED = "a stored share is not the one that was acknowledged"
    STATE_DAMAGED = "the file of records is damaged so far that the server does not start"


class DiskFault(AuroraError):
    """This server's own disk does not keep what it should; no peer is to blame.

    `code` says in which way it does not.
    """

    def __init__(self, what: str, *, code: DiskCode, advice: str = "") -> None:
        super().__init__(what, advice=advice)
        self.code = code


class ResultDiffers(AuroraError):
    """A private result is not the pooled one: a bug, which only a simulation can notice."""


# -- the owners', found by the proxies' private check ----------------------------------------------


class UnsoundLists(AuroraError):
    """So many lists are unsound that the study's rule is no longer met."""


# -- the other side's ------------------------------------------------------------------------------


class DocumentRefused(RemoteProtocolError):
    """A document from the other side that is not of the kind it should be."""


class AuditBroken(RemoteProtocolError):
    """A log whose lines do not follow from each other, or not the one that was signed."""


class EvidenceRefused(RemoteProtocolError):
    """A statement of the servers that is missing, was changed, or does not agree."""


class ProxiesDisagree(RemoteProtocolError):
    """P0 and P1 sent parts that do not make one result."""


class RosterRefused(PolicyRefusal):
    """A study was computed on as many different sets of uploads as it may be."""


class UploadRefused(PolicyRefusal):
    """An announced upload is not the one stored already under its name or of its owner."""


class UploadWithdrawn(PolicyRefusal):
    """The upload that is under way was withdrawn by its owner, maybe in another process."""


class UploadDamaged(RemoteProtocolError):
    """The bytes that arrived are not those that were announced; they are thrown away."""


class Unreachable(PeerError):
    """A server that does not answer at the address which the study gives."""


class TooManyConnections(Unreachable):
    """A server that has as many connections of this key as it takes, and works on them."""


class PeerRefused(PeerError):
    """A server said no; the text is its own, and `code` says which kind of no."""

    code: str = ""


class ServerFault(PeerError):
    """A server could not answer a request, because it failed internally."""


class StudyDiffers(PeerError):
    """This side and a server hold different versions of one study."""


class StudyStopped(PeerError):
    """A server does nothing more for a study until the operators of all three restart it."""


def sentence_of(error: BaseException) -> str:
    """The error in words for people: what happened, where, and what to do next.

    Of an error that nobody foresaw, only its kind is told: its text may hold anything.
    """
    match error:
        case AuroraError():
            return str(error)
        case OSError():
            where = f" ({error.filename})" if error.filename else ""
            what = f"{error.strerror or type(error).__name__}{where}"
            return f"{what}. Check that this place exists and is yours to use."
        case _:
            what = f"internal error ({type(error).__name__})"
            return f"{what}. Set PPAURORA_DEBUG=1 to see where, and please report it"
