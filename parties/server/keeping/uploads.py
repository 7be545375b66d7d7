"""The record of an upload, and its bytes: the shares of all runs in which a server is a proxy.

    run 1's share | run 2's share | ..      without what it does not get

They are announced, sent, kept, checked and deleted as one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.role import Role
from ppaurora.parties.server.keeping.database import Row
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.runs import StudyRun, proxy_runs
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import SHARE_OF, UploadForm


@dataclass(frozen=True, slots=True)
class Upload:
    """One part of one owner's upload, as announced."""

    owner: str
    upload: bytes
    samples: int
    size: int
    digest: bytes
    stored: bool
    at: float
    folds: tuple[int, ...] = ()

    @property
    def announced(self) -> tuple[object, ...]:
        """Announcement of its owner, made before sending it."""
        return self.samples, self.size, self.digest, self.folds

    @property
    def stored_upload(self) -> StoredUpload:
        """Facts about it that the study's rule counts."""
        return StoredUpload(self.owner, self.upload, self.samples, self.folds)

    @property
    def name(self) -> str:
        """Name of the upload's files."""
        return self.upload.hex()

    @classmethod
    def of(cls, row: Row) -> Upload:
        """The record that a sound row of `uploads` is."""
        _, owner, upload, samples, size, digest, stored, at, folds = row
        assert isinstance(upload, bytes)
        assert isinstance(digest, bytes)
        assert isinstance(folds, str)
        return cls(
            str(owner), upload, int(samples), int(size), digest, bool(stored), float(at),
            tuple(map(int, folds.split())),
        )  # fmt: skip


def stored_bytes(study: Study, server: Role, form: UploadForm) -> int:
    """The bytes that a server stores of an upload of this form."""
    return sum(_size(run, server, form) for run in proxy_runs(study, server))


def share_of_run(run: StudyRun, server: Role, stored: bytes, form: UploadForm) -> bytes:
    """The server's share of this run, from all that it stores of an upload of this form."""
    before = proxy_runs(run.study, server)[: proxy_runs(run.study, server).index(run)]
    begin = sum(_size(one, server, form) for one in before)
    return stored[begin : begin + _size(run, server, form)]


def _size(run: StudyRun, server: Role, form: UploadForm) -> int:
    return SHARE_OF[run.role(server)].size(form)
