"""The status of a study: what each of the three servers tells about it to whoever takes part."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.study.study import Study


class State(StrEnum):
    """The status of a study at one server, in words for programs."""

    WAITING = "waiting"
    """The study's rule does not allow the computation yet; the detail says what is missing."""
    READY = "ready"
    """P1 or the helper waits for P0 to begin."""
    STARTING = "starting"
    """The rule is met, and P0 begins as soon as all three servers can."""
    COMPUTING = "computing"
    UNSEALED = "unsealed"
    """This proxy has its share of a result; the other one has not confirmed that it has, too."""
    COMPUTED = "computed"
    STOPPED = "stopped"
    """The runs of a computation differed: nothing happens until all three operators restart it."""
    OVER = "over"
    """Everything was deleted; the detail says why."""
    NOT_ANSWERING = "not-answering"
    """Said by the asker of a server that told nothing; the detail says why."""


WORDS = {
    State.READY: "ready, waiting for P0 to begin",
    State.STARTING: "about to be computed",
    State.UNSEALED: "computed, waiting for the other proxy",
    State.NOT_ANSWERING: "gives no status",
}


def in_words(state: State, detail: str) -> str:
    """State and detail in words for people."""
    words = WORDS.get(state, state.value)
    return f"{words}: {detail}" if detail else words


@dataclass(frozen=True, slots=True)
class UploadStatus:
    """The received part of one owner's upload, and the time of its arrival."""

    owner: str
    samples: int
    stored: bool
    received: int
    size: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Computing:
    """The progress of a session: its phase, seconds so far, and about how many more."""

    session: str
    phase: str
    step: int
    steps: int
    seconds: float
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened to the study's uploads or to its result."""

    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Status(JsonDocument):
    """One server's answer about one study; `software` and `at` are its version and its time."""

    study: str
    hash: str
    server: str
    state: State
    detail: str
    uploads: tuple[UploadStatus, ...]
    progress: Computing | None
    last_problem: str
    notes: tuple[Note, ...]
    software: str = ""
    at: datetime | None = None

    @property
    def sentence(self) -> str:
        """State and detail in words for people."""
        return in_words(self.state, self.detail)

    @classmethod
    def unanswered(cls, study: Study, server: str, why: str) -> Status:
        """The status that stands for a server that did not answer."""
        return cls(study.id, study.hash.hex(), server, State.NOT_ANSWERING, why, (), None, "", ())
