"""The public facts of one session, which each proxy tells beside its share of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ppaurora.mpc.party import Phase
from ppaurora.parties.requests.json_document import JsonDocument


@dataclass(frozen=True, slots=True)
class Agreed:
    """Facts on which both proxies must agree: study, session, owners, number of samples.

    `owners` are the names with the lengths of their lists; `refused` those whose lists were unsound
    and are not among the `samples`. The round trip and the megabits a second are what P0 told of
    the network, by which the sort was chosen. `folds` has each owner's samples in each fold, in a
    study of folds.
    """

    study: str
    session: str
    owners: tuple[tuple[str, int], ...]
    refused: tuple[str, ...]
    samples: int
    software: str
    round_trip_us: int
    megabits: int
    folds: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """Everything that went over one link, both ways: payload, headers, control.

    `bulk` says whether large bodies had a lane of their own (`[server] bulk`, and the network).
    """

    bytes: int
    frames: int
    bulk: bool = False


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The measurements of one server: `links` by the name of the peer, time, hops, phases."""

    links: Mapping[str, LinkFacts]
    hops: int
    seconds: float
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Signed(JsonDocument):
    """A server's statement about the session as one text, and its signature in hexadecimal."""

    text: str
    signature: str


@dataclass(frozen=True, slots=True)
class SessionFacts(JsonDocument):
    """A proxy's report on a session; without `server` where its figures depend on the data.

    `statements` are those of all three servers, by the server's name.
    """

    agreed: Agreed
    server: ServerFacts | None
    statements: Mapping[str, Signed]
