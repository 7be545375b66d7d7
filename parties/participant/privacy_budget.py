"""An owner's budget of privacy loss for one data set, over all studies [Thesis, Theorem 2.5].

Every differentially private study that gets the data set costs its ε and its δ, whatever becomes of
the study afterwards: the number may have been released. The same study costs them once, however
often its upload is repeated or withdrawn, since its servers release one result. What was spent is
on the disk before anything is sent.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError, DocumentRefused, PolicyRefusal
from ppaurora.parties.private_file import write_private
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.study.study import Study
from ppaurora.protocols.release.privacy import Privacy

__all__ = ["PrivacyBudget"]

FILE = "privacy-budget.json"


@dataclass(frozen=True, slots=True)
class Charge(JsonDocument):
    """What one study cost, as fractions."""

    epsilon: str
    delta: str

    @property
    def privacy(self) -> Privacy:
        return Privacy(Fraction(self.epsilon), Fraction(self.delta))


@dataclass(frozen=True, slots=True)
class Spending(JsonDocument):
    """For each data set the studies that got it, by their hash, and what each of them cost."""

    spent: Mapping[str, Mapping[str, Charge]] = field(default_factory=dict)

    def of(self, data_set: str, but: str = "") -> Privacy:
        """The sum for one data set, without the study `but`."""
        studies = self.spent.get(data_set, {})
        return Privacy.together(one.privacy for key, one in studies.items() if key != but)

    def after(self, data_set: str, study: str, cost: Privacy) -> Spending:
        """The same with one study more."""
        charge = Charge(str(cost.epsilon), str(cost.delta))
        return Spending({**self.spent, data_set: {**self.spent.get(data_set, {}), study: charge}})


class PrivacyBudget:
    """What may be lost of `data_set` in all, `most`; what was spent lies in the folder `state`."""

    def __init__(self, state: Path | None, data_set: str, most: Privacy) -> None:
        if state is None:
            raise ConfigurationError(
                "A budget of privacy loss needs a place that outlives this program",
                advice="Name a folder under [participant] state in site.toml.",
            )
        self._path = state / FILE
        self._data_set = data_set
        self._most = most

    def check(self, study: Study) -> None:
        """Refuse a study whose ε or δ the budget does not hold any more."""
        cost = study.options.privacy or Privacy.together(())
        spent = self._spending().of(self._data_set, but=study.hash.hex())
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

    def spend(self, study: Study) -> None:
        """Charge a study that was checked; once this returns, the charge is on the disk."""
        with self._alone():
            self.check(study)
            cost = study.options.privacy or Privacy.together(())
            self._write(self._spending().after(self._data_set, study.hash.hex(), cost))

    def carry_over(self, before: Study, study: Study) -> None:
        """Charge a study for what was charged for the version before it.

        Never are both computed: together they cost what one of them does.
        """
        with self._alone():
            spending = self._spending()
            studies = dict(spending.spent.get(self._data_set, {}))
            charge = studies.pop(before.hash.hex(), None)
            if charge is not None:
                studies[study.hash.hex()] = charge
                self._write(Spending({**spending.spent, self._data_set: studies}))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other program charges the same budget meanwhile."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self._path.with_name(f".{FILE}.lock"), os.O_WRONLY | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._fault(f"written: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _write(self, spending: Spending) -> None:
        try:
            write_private(self._path, json.dumps(spending.plain(), indent=2).encode())
        except OSError as error:
            raise self._fault(f"written: {error.strerror}") from None

    def _spending(self) -> Spending:
        """What was spent so far; a damaged file is never taken for an empty one."""
        try:
            spending = Spending.from_json(self._path.read_text(encoding="utf-8"))
            for data_set in spending.spent:
                spending.of(data_set)
        except FileNotFoundError:
            return Spending()
        except OSError as error:
            raise self._fault(f"read: {error.strerror}") from None
        except (DocumentRefused, ValueError, ZeroDivisionError):
            raise self._fault("understood: it is damaged") from None
        return spending

    def _fault(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self._path}, where the spent privacy is kept, cannot be {what}",
            advice="Put its last backup in its place, or check that this folder is yours to use.",
        )
