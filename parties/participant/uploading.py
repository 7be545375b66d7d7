"""An owner's upload: prepared, sent, carried over to a new version of the study, or withdrawn.

An upload is announced to P0 first, and a withdrawal is asked of P0 last: what was begun before is
withdrawn, and what is begun afterwards is another upload, at every server. A server may be asked to
withdraw an upload that is yet to be announced to it. So each is told by name what the others had,
until all of them refuse the same.
"""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DataError, KeyFault, PeerRefused, PolicyRefusal, Unreachable
from ppaurora.parties.participant.member import Member
from ppaurora.parties.participant.prepared import Prepared, shared
from ppaurora.parties.participant.sending import Report, Sending
from ppaurora.parties.participant.servers import Servers
from ppaurora.parties.participant.upload_records import UploadRecords
from ppaurora.parties.participant.upload_secret import derive_drawing, derive_upload
from ppaurora.parties.participant.upload_words import upload_rows, upload_words
from ppaurora.parties.requests.messages import (
    MOST_WITHDRAWN,
    UPLOAD_BYTES,
    ConfirmUpload,
    Received,
    Withdraw,
    Withdrawn,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.site.policy import check_groups, check_samples, check_study
from ppaurora.parties.site.site import Policy
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import check_only_adds_owners

ROUNDS = 3
"""Rounds of a withdrawal: after the second all have told what they had, after the third all know
that."""


class Uploading:
    """The upload of one owner to the servers of its study; `state` keeps its records."""

    def __init__(
        self,
        member: Member,
        servers: Servers,
        policy: Policy,
        state: Path | None,
        fold_key: Path | None,
    ) -> None:
        """`fold_key` is the file of the key that owners share in a study of folds."""
        self.records = UploadRecords(member, policy, state)
        self._member = member
        self._study = member.study
        self._servers = servers
        self._policy = policy
        self._fold_key = fold_key

    @property
    def drawing_secret(self) -> bytes:
        """The key of what the owner draws at random; as lasting as the secret of the upload."""
        return derive_drawing(self.records.secret.get(), self._member.named, self._study)

    def prepare(self, table: Labelled | Counted) -> Prepared:
        """Check everything that can be checked here, and split the list; sends nothing."""
        study, entry = self._study, self._member.entry
        if not entry.uploads:
            raise KeyFault(
                f"{entry.name} receives the result but uploads nothing in this study",
                advice="See [[participants]] in study.toml.",
            )
        check_study(self._policy, study)
        check_samples(self._policy, len(table))
        if not len(table):
            raise DataError("The list is empty", advice="Give a list with at least one sample.")
        words, folds = upload_words(
            study,
            table,
            self._fold_key,
            self.drawing_secret,
            shows=self._policy.own_values,
        )
        # the parts of an upload are those of the groups in a study that has some, and joins none
        groups = () if study.options.least_join else study.options.groups
        check_groups(self._policy, dict(zip(groups, folds, strict=False)))
        least = study.rule.least_list
        if len(table) < least:
            raise PolicyRefusal(
                f"The study takes lists of at least {least} samples, this one has {len(table)}",
                advice="Nothing was sent. See least_list under [rule] in study.toml.",
            )
        secret = self.records.secret.get()
        seeds, upload = derive_upload(secret, self._member.named, study, words, folds)
        rows = upload_rows(study, table, self._fold_key) if study.period else None
        self.records.check(upload, rows)
        form = study.options.pipeline.form(len(table))
        return shared(upload, len(table), words, form, seeds, folds, rows)

    def send(self, prepared: Prepared, report: Report | None) -> None:
        """Send what was prepared; an interrupted upload goes on where it was."""
        Sending(prepared, self._servers, self.records, report).run()

    def accept(self, before: Study) -> bool:
        """Accept this version in place of the one `before`; whether an upload counts for it now."""
        check_only_adds_owners(before, self._study)
        check_study(self._policy, self._study)
        self.records.accept()
        if not self._member.entry.uploads:
            return False
        self.records.carry_over(before)
        request = ConfirmUpload(before.hash)
        try:
            for role in reversed(holders(self._study)):
                self._servers.through_restarts(partial(self._servers.ask, role, request, Received))
        except PeerRefused as refusal:
            if refusal.code != Code.NO_UPLOAD:
                raise
            return False
        return True

    def withdraw(self) -> bool:
        """Have all servers delete their part; whether any has told of an upload."""
        there = [self._lists_own(role) for role in holders(self._study)]
        self._withdraw_everywhere()
        self.records.withdrawn()
        return any(there)

    def _withdraw_everywhere(self) -> None:
        """Have every server delete what this owner uploaded, and refuse the rest of it."""
        known: dict[Role, set[bytes]] = {}
        names: set[bytes] = set()
        for server in ROUNDS * tuple(reversed(holders(self._study))):
            if known.get(server) == names:
                continue
            uploads = self._withdraw_at(server, tuple(sorted(names)))
            if len(uploads) > MOST_WITHDRAWN or any(len(one) != UPLOAD_BYTES for one in uploads):
                raise PeerRefused(
                    f"{server} answers strangely: names of uploads that no server gives",
                    advice="Compare the versions of ppaurora at both ends.",
                )
            names |= set(uploads)
            known[server] = set(names)

    def _withdraw_at(self, server: Role, names: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The names of what the server has deleted or refuses from now on."""
        replies: list[Withdrawn] = []
        self._servers.through_restarts(
            lambda: replies.append(self._servers.ask(server, Withdraw(names), Withdrawn))
        )
        return replies[0].uploads

    def _lists_own(self, role: Role) -> bool:
        """True if the server's status lists an upload of this owner."""
        with contextlib.suppress(Unreachable):
            own = self._member.entry.name
            return own in [one.owner for one in self._servers.status(role).uploads]
        return False
