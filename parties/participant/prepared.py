"""An owner's list in shares, ready to be sent: what each server gets of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ppaurora.mpc.committed import server_of
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words
from ppaurora.parties.participant.releases_sent import ListRows
from ppaurora.protocols.lists.outsourcing import Share, UploadForm, split


@dataclass(frozen=True, slots=True)
class Prepared:
    """An owner's list in its shares, ready to be sent under the upload's name.

    `shares` has those of the first run by role, and `rotated` those of the further runs. `folds`
    has its samples in each fold, in a study of folds, and `rows` the list itself, for the record of
    a schedule's releases.
    """

    upload: bytes
    samples: int
    shares: Mapping[Role, Share]
    folds: tuple[int, ...] = ()
    rotated: tuple[Mapping[Role, Share], ...] = field(default=(), repr=False)
    rows: ListRows | None = field(default=None, repr=False)

    @property
    def at_servers(self) -> dict[Role, list[Share]]:
        """The shares that each server gets: one for each run in which it is a proxy, in order."""
        found: dict[Role, list[Share]] = {}
        for number, shares in enumerate((self.shares, *self.rotated)):
            for role, share in shares.items():
                found.setdefault(Role(server_of(role, number)), []).append(share)
        return dict(sorted(found.items()))

    @property
    def parts(self) -> dict[Role, memoryview]:
        """Bytes that are sent to each server: its shares, one after the other."""
        return {server: _joined(own) for server, own in self.at_servers.items()}

    @property
    def size(self) -> int:
        """The bytes that travel in all."""
        return sum(one.nbytes for own in self.at_servers.values() for one in own)


def _joined(shares: Sequence[Share]) -> memoryview:
    """The bytes of these shares; of a single one without a copy."""
    if len(shares) == 1:
        return shares[0].view()
    return memoryview(b"".join(share.view() for share in shares))


def shared(
    upload: bytes,
    samples: int,
    words: Words,
    form: UploadForm,
    seeds: Sequence[bytes],
    folds: tuple[int, ...],
    rows: ListRows | None = None,
) -> Prepared:
    """The words of an upload, shared afresh for each run, with the seed of that run."""
    first, *rotated = (split(words, seed, form=form) for seed in seeds)
    return Prepared(upload, samples, first, folds, tuple(rotated), rows)
