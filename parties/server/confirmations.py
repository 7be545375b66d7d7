"""An owner's word that an upload made for an earlier version counts for the one with more owners.

Whoever asks has proved to hold the owner's key, and its request names the hash of the version that
it has accepted. The earlier version is one of those that this server has closed on the way to this
one, each of which differs in its owners only; so the share is right as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from ppaurora.parties.errors import ShareDamaged, UploadRefused
from ppaurora.parties.requests.messages import ConfirmUpload, Received, Reply
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.logs import log_often
from ppaurora.parties.server.new_version import confirm
from ppaurora.parties.server.store import Store
from ppaurora.parties.server.upload_sizes import beyond_rule
from ppaurora.parties.study.study import ParticipantEntry, Study

__all__ = ["Confirmations"]


class Confirmations:
    """Answers owners at one proxy; `version` gives an accepted study by its hash."""

    def __init__(self, store: Store, version: Callable[[bytes], Study | None]) -> None:
        self._store = store
        self._version = version

    def answer(self, study: Study, who: ParticipantEntry, request: ConfirmUpload) -> Reply:
        """The upload, stored for this version; the same request again changes nothing."""
        stored = [one for one in self._store.uploads(study) if one.stored]
        before = self._version(request.before)
        if before is None or request.before not in self._store.versions.before(study.hash):
            return refused(
                Code.NO_UPLOAD,
                "That is no version before this one: an upload counts for the options that it was "
                "made on",
                "Upload the list for this version: `ppaurora outsource`.",
            )
        mine = [one for one in self._store.uploads(before) if one.stored and one.owner == who.name]
        if not mine:
            done = next((one for one in stored if one.owner == who.name), None)
            if done is not None:
                return Received(done.size, stored=True)
            return refused(
                Code.NO_UPLOAD,
                "No whole upload of yours for the version before is here",
                "Upload the list for this version: `ppaurora outsource`.",
            )
        if beyond := beyond_rule(study, who, mine[0].samples, stored):
            return beyond
        try:
            confirm(self._store, study, before, mine[0])
        except UploadRefused as refusal:
            return refused(
                Code.OTHER_DATA,
                f"{refusal.what}, so this upload is not taken",
                "To replace it, run `ppaurora outsource --withdraw` first.",
            )
        except ShareDamaged as error:
            return refused(Code.DAMAGED, error.what, error.advice)
        self._store.audit.record("upload confirmed", study=study.id, owner=who.name)
        log_often("upload confirmed", of=who.name, study=study.id, owner=who.name)
        return Received(mine[0].size, stored=True)
