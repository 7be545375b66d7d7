"""The client of a data owner or a receiver: upload, ask, withdraw, fetch.

    owner = Participant.of(Path("site.toml"))
    owner.outsource(owner.take(Path("scores.csv")))
    result = owner.result(wait=600)

Sending the same list again is harmless: the shares are derived from the list and a random secret
of this upload, so they are the same shares again, and of another list they would be others. After a
withdrawal the secret is another one, and the servers cannot tell whether the list is the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.participant.fetching import Fetching
from ppaurora.parties.participant.member import Member
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.participant.sending import Report
from ppaurora.parties.participant.servers import Servers
from ppaurora.parties.participant.upload_records import SentList
from ppaurora.parties.participant.uploading import Uploading
from ppaurora.parties.reports.result import Result
from ppaurora.parties.requests.messages import AskCompute, Done
from ppaurora.parties.requests.status import Status
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import Passphrase, asked
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import source_of, study_data
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.key_days import day_at
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.releases import release_meant
from ppaurora.parties.study.study import Study


class Participant:
    """One participant of one study, connected to its servers.

    `folder` holds the files that `simulate(..., folder=folder)` leaves. While the servers run,
    `owner.outsource(...)` sends a list and `owner.result()` fetches the result.

    >>> with Participant.of(folder / "owner-1.toml") as owner:
    ...     owner.name
    'owner-1'
    """

    def __init__(
        self,
        identity: Identity,
        study: Study,
        policy: Policy | None = None,
        state: Path | None = None,
        fold_key: Path | None = None,
        keys: KeysInForce | None = None,
    ) -> None:
        """`state` is the folder that outlives this process, for repeating interrupted uploads.

        `fold_key` is the file of the key that owners share in a study of folds. `keys` are those in
        force for the ones that the study names.
        """
        self.study = study
        self.identity = identity
        self.keys = keys or KeysInForce(day=day_at(time.time()))
        self.member = Member.of(study, identity, self.keys)
        self.role = self.member.role
        self.servers = Servers(self.member)
        self.uploading = Uploading(self.member, self.servers, policy or Policy(), state, fold_key)
        self.fetching = Fetching(self.member, self.servers)

    @classmethod
    def of(
        cls,
        site_path: Path,
        study_path: Path | None = None,
        release: str = "",
        passphrase: Passphrase = asked,
    ) -> Self:
        """The participant whose site file this is; `passphrase` opens a locked key.

        Of a study with a schedule it takes part in the `release` of that name, or else in the one
        that is open now.
        """
        site = Site.load(site_path)
        study = release_meant(Study.load(study_path or site.only_study), release, time.time())
        identity = own_identity(site, passphrase)
        keys = Keyring(site.keys).in_force()
        return cls(identity, study, site.policy, site.participant_state, site.fold_key, keys)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The name of a participant, or the role of a server."""
        return self.member.name

    def close(self) -> None:
        """Close the connections to the servers."""
        self.servers.close()

    # -- uploading ---------------------------------------------------------------------------------

    def take(self, given: object, columns: Columns | None = None) -> Labelled | Counted:
        """Take what this study needs of a list: its rows, or its counts, made where the data lie.

        `given` is a path, a source, or data in memory; `columns` says which columns of a file.
        """
        study = self.study
        return study_data(source_of(given, columns), study.scores, study.options, study.extra)

    def prepare(self, table: Labelled | Counted) -> Prepared:
        """Check everything that can be checked here, and split the list; sends nothing."""
        return self.uploading.prepare(table)

    def outsource(self, table: Labelled | Counted, report: Report | None = None) -> Prepared:
        """Check, split and send; once this returns, all servers have stored their part."""
        prepared = self.prepare(table)
        self.send(prepared, report)
        return prepared

    def send(self, prepared: Prepared, report: Report | None = None) -> None:
        """Send what was prepared; an interrupted upload goes on where it was.

        One that was withdrawn meanwhile does not, and has to be prepared again.
        """
        self.uploading.send(prepared, report)

    def accept(self, before: Study) -> bool:
        """Accept this version in place of the one `before`; whether an upload counts for it now.

        The shares that were sent for the version before are not sent again. Where there are none
        the list has yet to be uploaded.
        """
        return self.uploading.accept(before)

    def withdraw(self) -> bool:
        """Have all servers delete their part of this owner's upload, before it is computed on.

        What another process still sends of it is refused by all of them, also by one that it has
        reached only after this withdrawal had. False if none has told of an upload.
        """
        return self.uploading.withdraw()

    def lists_of_releases(self) -> dict[str, SentList]:
        """The lists that this site has sent for releases of the agreement, by its own records."""
        return self.uploading.records.of_releases()

    # -- asking ------------------------------------------------------------------------------------

    def status(self) -> dict[str, Status]:
        """The status at each server, by its name; of one that does not answer, why."""
        return {str(role): self.servers.status_or_fault(role) for role in Role}

    def compute(self) -> None:
        """Ask P0 to start; a study that starts by itself needs no asking."""
        self.servers.ask(Role.P0, AskCompute(), Done)

    def progress(self) -> Status:
        """The status at P0 at this moment."""
        return self.servers.status(Role.P0)

    def result(self, wait: float = 0.0, watch: Callable[[Status], None] | None = None) -> Result:
        """The result, put together here; waits up to `wait` seconds for it."""
        return self.fetching.result(wait, watch)

    def saved(self, session: bytes) -> None:
        """Tell the servers that the session's result is kept here, so that they need not keep it.

        Each is told whatever the other one says; then the first failure is raised.
        """
        self.fetching.saved(session)
