"""The form of what is kept on a disk: a number beside it, and how an older one is read.

A version that changes a form adds one step to its `KeptForm`: how what stood in the form before
stands in the new one. So every form from the first release on is read, by the steps behind it in
turn, and is written anew in the last form. A newer form than this program's is refused: what an
older program does not know it would neither keep nor obey. A form from before the first release is
refused, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import ppaurora
from ppaurora.parties.errors import ConfigurationError

Step = TypeVar("Step")


@dataclass(frozen=True, slots=True)
class KeptForm(Generic[Step]):
    """The forms of one thing that this program reads: the `first` that was released, and a step
    for each after it.

    >>> form = KeptForm(6, ("six to seven", "seven to eight"))
    >>> form.number, form.steps_from(7, "x", newer="", older="")
    (8, ('seven to eight',))
    """

    first: int
    steps: tuple[Step, ...] = ()

    @property
    def number(self) -> int:
        """The form in which this program writes."""
        return self.first + len(self.steps)

    def steps_from(self, found: int, what: str, *, newer: str, older: str) -> tuple[Step, ...]:
        """The steps that lead from the form `found` to this program's, in turn.

        `newer` and `older` are the advice where there is no such way.
        """
        if found > self.number:
            raise ConfigurationError(
                f"{what} was written by a newer version of ppaurora: it has the form {found}, and "
                f"this one, {ppaurora.__version__}, reads none above {self.number}",
                advice=newer,
            )
        if found < self.first:
            raise ConfigurationError(
                f"{what} was written by a version of ppaurora before the first release",
                advice=older,
            )
        return self.steps[found - self.first :]
