"""What a proxy holds of an owner, as the study's rule counts it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["StoredUpload"]


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """One stored upload: whose it is, its name, its number of samples, and of each fold's."""

    owner: str
    upload: bytes
    samples: int
    folds: tuple[int, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of its lists."""
        return self.folds or (self.samples,)
