"""Sending one upload as a state machine: from what the owner knows of it to the next step.

A state is what the owner's program knows at one moment; the first rule whose condition it meets
names the step. `Sending` takes the step and looks again, until a step ends the upload. Nothing here
sends, waits, reads a clock or a disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum


class AtServer(StrEnum):
    """One server's part of the upload, as far as its owner knows."""

    UNANNOUNCED = "not announced"
    SHORT = "announced, bytes missing"
    WHOLE = "every byte there, not checked"
    STORED = "checked and stored"


class Trouble(StrEnum):
    """The error of the last step."""

    NONE = "none"
    SERVER_AWAY = "a server went away, or lost bytes on its disk"
    WITHDRAWN = "the upload was withdrawn meanwhile"
    LASTING = "any other one"


class UploadStep(StrEnum):
    """A step of the owner; errors of the last three are raised at once."""

    RECORD = "keep secret, charge and cuts on the disk"
    REACH = "ask P0 for its status"
    ANNOUNCE = "announce it to the first that is without"
    COMPARE = "compare what they have with what they had"
    SEND = "send the first of them the rest"
    COMMIT = "have the last of them check and store it"
    PAUSE = "wait, then announce it to all again"
    FINISH = "note that all servers have it"
    RETIRE = "give up its secret, and raise the error"
    RAISE = "raise the error"


ENDING = frozenset({UploadStep.FINISH, UploadStep.RETIRE, UploadStep.RAISE})
"""The steps with which an upload ends."""


@dataclass(frozen=True, slots=True)
class UploadState:
    """Everything on which the next step depends.

    `parts` are those of the servers that hold shares, P0's first. `recorded`: what must outlive a
    crash is on the disk. `reached`: P0 has answered. `compared`: what the servers said that they
    have was compared with what they had. `overdue`: a server has been away for too long.
    """

    parts: tuple[AtServer, ...]
    recorded: bool = False
    reached: bool = False
    compared: bool = False
    trouble: Trouble = Trouble.NONE
    overdue: bool = False

    def next_step(self) -> UploadStep:
        """The step of the first rule that holds; there is one for every state."""
        return next(rule.step for rule in RULES if rule.holds(self))

    @property
    def next_server(self) -> int:
        """The place in `parts` of the server that the next step announces, sends or commits to.

        P0 is announced to first and stores its part last: once it has, every server holds its own,
        and the upload counts.
        """
        for part in (AtServer.UNANNOUNCED, AtServer.SHORT):
            if part in self.parts:
                return self.parts.index(part)
        return max(place for place, part in enumerate(self.parts) if part is AtServer.WHOLE)

    def with_next(self, part: AtServer) -> UploadState:
        """The state after a step that has changed the part of `next_server`."""
        place = self.next_server
        return replace(self, parts=(*self.parts[:place], part, *self.parts[place + 1 :]))

    def begun_again(self) -> UploadState:
        """The state in which nothing is known of the servers, after a pause."""
        parts = (AtServer.UNANNOUNCED,) * len(self.parts)
        return replace(self, parts=parts, compared=False, trouble=Trouble.NONE, overdue=False)


@dataclass(frozen=True, slots=True)
class UploadRule:
    """A step, and the condition for it where no rule before this one holds."""

    condition: str
    holds: Callable[[UploadState], bool]
    step: UploadStep


RULES = (
    UploadRule(
        "the upload was withdrawn meanwhile",
        lambda s: s.trouble is Trouble.WITHDRAWN,
        UploadStep.RETIRE,
    ),
    UploadRule("a step failed for good", lambda s: s.trouble is Trouble.LASTING, UploadStep.RAISE),
    UploadRule(
        "a server is away, and P0 never answered",
        lambda s: s.trouble is Trouble.SERVER_AWAY and not s.reached,
        UploadStep.RAISE,
    ),
    UploadRule(
        "a server is away for too long",
        lambda s: s.trouble is Trouble.SERVER_AWAY and s.overdue,
        UploadStep.RAISE,
    ),
    UploadRule("a server is away", lambda s: s.trouble is Trouble.SERVER_AWAY, UploadStep.PAUSE),
    UploadRule("nothing is recorded", lambda s: not s.recorded, UploadStep.RECORD),
    UploadRule("P0 has not answered", lambda s: not s.reached, UploadStep.REACH),
    UploadRule(
        "a server was not told of the upload",
        lambda s: AtServer.UNANNOUNCED in s.parts,
        UploadStep.ANNOUNCE,
    ),
    UploadRule("what they have was not compared", lambda s: not s.compared, UploadStep.COMPARE),
    UploadRule("a server lacks bytes", lambda s: AtServer.SHORT in s.parts, UploadStep.SEND),
    UploadRule(
        "a server has not stored it", lambda s: AtServer.WHOLE in s.parts, UploadStep.COMMIT
    ),
    UploadRule(
        "all have stored it",
        lambda s: all(part is AtServer.STORED for part in s.parts),
        UploadStep.FINISH,
    ),
)
