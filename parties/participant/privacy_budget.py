"""An owner's budget of privacy loss for one data set, over all studies [Thesis, Theorem 2.5].

Every upload of the data set to a differentially private study costs the study's ε and δ, whatever
becomes of it afterwards: the number may have been released. An upload that is repeated under the
same secret costs them once, since its servers repeat its noise; one under a fresh secret, after a
withdrawal or because the servers lost theirs, is charged again. What was spent is on the disk
before anything is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.lasting_record import LastingRecord
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.study.study import Study
from ppaurora.protocols.release.privacy import Privacy


@dataclass(frozen=True, slots=True)
class Charge(JsonDocument):
    """Privacy loss of one upload to a study, as fractions; `stored` once all servers had it."""

    study: str
    epsilon: str
    delta: str
    stored: bool = False

    def __post_init__(self) -> None:
        if Fraction(self.epsilon) < 0 or Fraction(self.delta) < 0:
            raise ValueError("a negative charge")

    @property
    def privacy(self) -> Privacy:
        return Privacy(Fraction(self.epsilon), Fraction(self.delta))


@dataclass(frozen=True, slots=True)
class Spending(JsonDocument):
    """For each data set its uploads, by their names in hexadecimal digits, and what each cost."""

    spent: Mapping[str, Mapping[str, Charge]] = field(default_factory=dict)

    def of(self, data_set: str) -> Mapping[str, Charge]:
        """The charges of one data set."""
        return self.spent.get(data_set, {})

    def after(self, data_set: str, charges: Mapping[str, Charge]) -> Spending:
        """The budget with these charges of one data set added, or in place of its older ones."""
        return Spending({**self.spent, data_set: {**self.of(data_set), **charges}})


class PrivacyBudget:
    """Budget of `data_set`, of which `most` may be lost; the folder `state` has what was spent."""

    def __init__(self, state: Path | None, data_set: str, most: Privacy) -> None:
        self._record = LastingRecord(state, "privacy-budget", "the spent privacy", Spending())
        self._data_set = data_set
        self._most = most

    def check(self, study: Study, upload: bytes) -> None:
        """Refuse an upload whose ε or δ the budget does not hold any more."""
        with self._record.alone():
            self._held(study, upload)

    def spend(self, study: Study, upload: bytes) -> None:
        """Charge an upload, if it was not; once this returns, the charge is on the disk."""
        with self._record.alone():
            spending = self._held(study, upload)
            if upload.hex() not in spending.of(self._data_set):
                cost = study.options.privacy or Privacy.together(())
                charge = Charge(study.hash.hex(), str(cost.epsilon), str(cost.delta))
                self._record.write(spending.after(self._data_set, {upload.hex(): charge}))

    def stored(self, upload: bytes) -> None:
        """Note that all servers have this charged upload."""
        with self._record.alone():
            spending = self._record.read()
            charge = spending.of(self._data_set)[upload.hex()]
            if not charge.stored:
                noted = replace(charge, stored=True)
                self._record.write(spending.after(self._data_set, {upload.hex(): noted}))

    def check_found(self, upload: bytes, found: int) -> None:
        """Refuse to repeat an upload that all servers had, and of which none has a byte now.

        They have lost what repeats its noise: what they compute from it costs as much again.
        """
        with self._record.alone():
            charge = self._record.read().of(self._data_set).get(upload.hex())
        if charge is not None and charge.stored and not found:
            raise PolicyRefusal(
                "All servers had this upload, and none of them has it now: from a repeated one "
                "they may compute the numbers with fresh noise, which costs the privacy budget of "
                f'the data set "{self._data_set}" once more',
                advice="Nothing of the list was sent. Ask the operators what happened. To upload "
                "it anew and be charged again, run `ppaurora outsource --withdraw` first.",
            )

    def carry_over(self, before: Study, study: Study) -> None:
        """Charge a study for what was charged for the version before it.

        Never are both computed: together they cost what one of them does.
        """
        with self._record.alone():
            spending = self._record.read()
            moved = {
                name: replace(charge, study=study.hash.hex())
                for name, charge in spending.of(self._data_set).items()
                if charge.study == before.hash.hex()
            }
            if moved:
                self._record.write(spending.after(self._data_set, moved))

    def _held(self, study: Study, upload: bytes) -> Spending:
        """Read what was spent so far; raises an error if that leaves no room for this upload."""
        spending = self._record.read()
        charges = spending.of(self._data_set).items()
        spent = Privacy.together(one.privacy for name, one in charges if name != upload.hex())
        cost = study.options.privacy or Privacy.together(())
        together = Privacy.together((spent, cost))
        for sign, name in (("", "epsilon"), ("δ = ", "delta")):
            if getattr(together, name) > getattr(self._most, name):
                costs, is_spent, most = (
                    f"{float(getattr(one, name)):g}" for one in (cost, spent, self._most)
                )
                raise PolicyRefusal(
                    f'The privacy budget of the data set "{self._data_set}" does not hold this '
                    f"study: it costs {sign}{costs}, and {is_spent} of {most} are spent",
                    advice="Nothing was sent. Take part with other data, or in a study that costs "
                    f"less; raise most_{name} under [policy] only if your site agrees.",
                )
        return spending
