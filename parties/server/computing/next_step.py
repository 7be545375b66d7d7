"""Leading one study as a state machine: from what P0 knows of the study to its next step.

A state is what P0 knows at one moment; the first rule whose condition it meets names the step.
`StudyLeader` takes the step and looks again, until a step ends the visit. Nothing here waits,
connects, reads a clock or a disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Halt(StrEnum):
    """Halt of the study after a mismatch."""

    NONE = "none, or restarted since"
    UNTOLD = "one that the others were not told of"
    CURRENT = "halted"


class Share(StrEnum):
    """P0's share of a result."""

    NONE = "none"
    UNSEALED = "not sealed"
    SEALED = "sealed"


class Others(StrEnum):
    """The uploads that the other servers hold."""

    UNASKED = "not asked yet"
    LOST = "uploads gone, result sealed"
    SHORT = "too few for the rule"
    MET = "enough for the rule"


class Session(StrEnum):
    """The session of this visit."""

    NONE = "none"
    REFUSED = "given up"
    RESERVED = "reserved here"
    GATHERED = "begun at the others"
    OVER = "over"


class LeaderStep(StrEnum):
    """A step of P0, whose errors end the visit: the study is tried again after a pause."""

    REST = "rest"
    EXCHANGE_CLOCKS = "exchange clocks"
    TELL_HALT = "tell the others of the halt"
    SEAL = "seal at all, here at last"
    ASK_OTHERS = "ask the others for their uploads"
    WAIT = "wait, and say for what"
    RESERVE = "reserve a session here"
    GATHER = "have the others reserve it and begin"
    RUN = "run it"


ENDING = frozenset({LeaderStep.REST, LeaderStep.SEAL, LeaderStep.WAIT})
"""The steps with which a visit ends."""


@dataclass(frozen=True, slots=True)
class LeaderState:
    """Everything on which the next step depends.

    `clocks_due`: the time has come to compare clocks. `ready`: P0's own uploads meet the study's
    rule, and none of them is damaged.
    """

    ended: bool = False
    clocks_due: bool = False
    halt: Halt = Halt.NONE
    share: Share = Share.NONE
    ready: bool = False
    others: Others = Others.UNASKED
    session: Session = Session.NONE

    def next_step(self) -> LeaderStep:
        """The step of the first rule that holds; there is one for every state."""
        return next(rule.step for rule in RULES if rule.holds(self))


@dataclass(frozen=True, slots=True)
class StepRule:
    """A step, and the condition for it where no rule before this one holds."""

    condition: str
    holds: Callable[[LeaderState], bool]
    step: LeaderStep


RULES = (
    StepRule("the study is over", lambda s: s.ended, LeaderStep.REST),
    StepRule(
        "clocks are due, and no share waits for its seal",
        lambda s: s.clocks_due and s.share is not Share.UNSEALED,
        LeaderStep.EXCHANGE_CLOCKS,
    ),
    StepRule("a halt is untold", lambda s: s.halt is Halt.UNTOLD, LeaderStep.TELL_HALT),
    StepRule("the study is halted", lambda s: s.halt is Halt.CURRENT, LeaderStep.REST),
    StepRule("P0's share is sealed", lambda s: s.share is Share.SEALED, LeaderStep.REST),
    StepRule("P0's share is not sealed", lambda s: s.share is Share.UNSEALED, LeaderStep.SEAL),
    StepRule(
        "the session is over without a share, or given up",
        lambda s: s.session in (Session.OVER, Session.REFUSED),
        LeaderStep.REST,
    ),
    StepRule("the others have begun", lambda s: s.session is Session.GATHERED, LeaderStep.RUN),
    StepRule(
        "the session is reserved here", lambda s: s.session is Session.RESERVED, LeaderStep.GATHER
    ),
    StepRule("P0's own uploads do not meet the rule", lambda s: not s.ready, LeaderStep.REST),
    StepRule(
        "the others are not asked", lambda s: s.others is Others.UNASKED, LeaderStep.ASK_OTHERS
    ),
    StepRule("another server has sealed", lambda s: s.others is Others.LOST, LeaderStep.REST),
    StepRule("the common uploads are too few", lambda s: s.others is Others.SHORT, LeaderStep.WAIT),
    StepRule(
        "the common uploads meet the rule", lambda s: s.others is Others.MET, LeaderStep.RESERVE
    ),
)
