"""The messages: what participants and servers ask a server, and what it replies.

Each message is a frozen dataclass, some of which differ in their name only, and travels as `wire`
writes it. Who is asking is never in a message: it is whoever holds the key of the connection.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ppaurora.parties.study.rule import StoredUpload
from ppaurora.protocols.sorting.sort import USUAL

CHUNK_BYTES = 1 << 20
UPLOAD_BYTES = 16
"""The length of the name of an upload."""
MOST_WITHDRAWN = 64
"""So many withdrawn uploads of one owner a server remembers, the last ones, and names."""


@dataclass(frozen=True, slots=True)
class Bare:
    """A message that says all by its name."""


@dataclass(frozen=True, slots=True)
class OfSession:
    """A message about one session, which says what by its name."""

    session: bytes


# -- what a server answers -------------------------------------------------------------------------


class Done(Bare):
    """The request was carried out, and what it changed is on the server's disk."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The request was not carried out: `code` says why to programs, the texts say it to people."""

    code: str
    what: str
    advice: str


@dataclass(frozen=True, slots=True)
class Received:
    """The number of bytes of an upload that have arrived, and whether it is stored for good."""

    size: int
    stored: bool


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The owner's uploads of which the server holds nothing any more, and takes nothing again."""

    uploads: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON text, such as a `Status`."""

    text: str


@dataclass(frozen=True, slots=True)
class ResultPart:
    """One proxy's share of every released value with its blind, and what it says about it all.

    `signature` is the proxy's under the words, for this receiver and session.
    """

    session: bytes
    words: tuple[int, ...] = field(repr=False)
    about: str
    signature: bytes = b""


@dataclass(frozen=True, slots=True)
class KnownVerdict:
    """The verdict on an upload in a run of the study, from an earlier session."""

    upload: bytes
    run: int
    sound: bool


@dataclass(frozen=True, slots=True)
class StoredUploads:
    """The uploads that a server holds, whose shares it found damaged, seconds since 1970.

    `stopped` is the session that has stopped the study here, until it is restarted; `verdicts` are
    those that the server keeps of its uploads.
    """

    uploads: tuple[StoredUpload, ...]
    damaged: tuple[str, ...]
    clock: int
    stopped: bytes = b""
    verdicts: tuple[KnownVerdict, ...] = ()


# -- what a participant asks -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeginUpload:
    """Announce an owner's share of a list; the reply says from which byte on to send it.

    `folds` has the samples of each fold, in a study that has folds.
    """

    upload: bytes
    samples: int
    size: int
    digest: bytes
    folds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SendChunk:
    """The next bytes of the announced share."""

    upload: bytes
    offset: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CommitUpload:
    """Ask the server to check the bytes that it received, and to keep them."""

    upload: bytes


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Ask the server to delete what this owner uploaded, and to take none of it again.

    `uploads` are those withdrawn at other servers, which may not be announced to this one yet.
    """

    uploads: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfirmUpload:
    """Have an upload count for this version of the study that was stored for the version `before`.

    Only its owner can ask that; the share need not be sent again.
    """

    before: bytes


class AskStatus(Bare):
    """Ask how the study stands; anybody in the study may."""

    __slots__ = ()


class AskCompute(Bare):
    """Ask P0 to start as soon as the study's rule allows it."""

    __slots__ = ()


class AskResult(OfSession):
    """Ask for this server's share of the result: of one session, or of the final one if empty."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ReportMismatch:
    """Show the server that the runs of this session do not come to the same result.

    `openings` are what proves it, as `ppaurora.parties.evidence.mismatch` writes them.
    """

    session: bytes
    openings: str = field(repr=False)


class RestartStudy(Bare):
    """An operator asks the own server to go on with a study that a mismatch has stopped."""

    __slots__ = ()


class ResultSaved(OfSession):
    """Tell the server that this receiver has saved the result of the session."""

    __slots__ = ()


# -- what P0 asks the other servers ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskUploads:
    """Ask a server for its uploads; tells P0's clock, sealed session and last stop."""

    clock: int
    sealed: bytes
    stopped: bytes = b""


@dataclass(frozen=True, slots=True)
class ProposeSession:
    """Ask a server to reserve itself for this session, over these uploads.

    P0 tells what it measured of the network, by which all three choose the sort, and in which slot
    of the study's link ports the session is to run. `keys` are those that P0, P1 and the helper
    use, in this order; there are none where the study names them all. `verdicts` are those that are
    known of these uploads: what is known is not checked again.
    """

    session: bytes
    roster: tuple[StoredUpload, ...]
    round_trip_us: int = USUAL.round_trip_us
    megabits: int = USUAL.megabits
    slot: int = 0
    keys: tuple[bytes, ...] = ()
    verdicts: tuple[KnownVerdict, ...] = ()


class StartSession(OfSession):
    """Ask a server that has reserved itself to open its links and compute."""

    __slots__ = ()


class AskStored(OfSession):
    """Ask a server whether it has stored its shares of this session, sealed or not."""

    __slots__ = ()


class SealSession(OfSession):
    """Ask a server to keep its shares of this session for good; all others have stored theirs."""

    __slots__ = ()


Reply = Done | Refused | Received | Withdrawn | Document | ResultPart | StoredUploads
Request = (
    BeginUpload
    | SendChunk
    | CommitUpload
    | Withdraw
    | ConfirmUpload
    | AskStatus
    | AskCompute
    | AskResult
    | ReportMismatch
    | ResultSaved
    | AskUploads
    | ProposeSession
    | StartSession
    | AskStored
    | SealSession
    | RestartStudy
)
