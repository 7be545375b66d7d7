"""A study with more owners takes the place of the one before it, at one server.

First the server closes the version before, in one transaction: after any crash it serves either the
one or the other. What was uploaded stays where it is, and counts for the new version as soon as its
owner says so.
"""

from __future__ import annotations

from dataclasses import replace

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.uploads import Upload
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import added_owners, check_only_adds_owners

NEW_STUDY = "More owners need a new study, with a new id."


def close_before(store: Store, before: Study, study: Study) -> None:
    """Close a version for good, and have the one that follows it go by its id.

    Refused if the new one does more than add owners, or if the one before has a result or is over.
    """
    check_only_adds_owners(before, study)
    names = ", ".join(added_owners(before, study))
    with store.transaction():
        if (result := store.results.find(before.hash)) is not None:
            raise ConfigurationError(
                f"Study {study.id} was computed without {names}, in the version before"
                + ("" if result.sealed else ", and the other proxy has not sealed that yet"),
                advice=NEW_STUDY,
            )
        store.halts.add_interrupted(before)
        if store.halts.current(before) is not None:
            raise ConfigurationError(
                f"The version before of study {study.id} is stopped",
                advice="Another version does not go round that: restart it first, at all three "
                "servers (`ppaurora study restart`).",
            )
        if why := store.ended(before):
            raise ConfigurationError(
                f"The version before of study {study.id} is over: {why}", advice=NEW_STUDY
            )
        if store.versions.current(study.id) not in (b"", before.hash):
            raise ConfigurationError(
                f"This server serves another version of study {study.id} than the one before this",
                advice="Have it serve the versions in their order.",
            )
        store.audit.record(
            "version closed",
            study=study.id,
            before=before.hash.hex(),
            hash=study.hash.hex(),
            added=names,
        )
        store.versions.close(before, study, f"closed, because {names} was added", store.now())
        store.add_event(
            study, f"{names} added; earlier uploads count once their owners accept that"
        )


def confirm(store: Store, study: Study, before: Study, upload: Upload) -> None:
    """Keep an upload for this version that was stored for one before it.

    It is written anew, as if it had been sent again, and then deleted where it was.
    """
    data = store.read_share(before, upload.upload)
    found = store.begin(study, replace(upload, stored=False))
    there = store.received(study, found)
    store.append(study, found, there, data[there:])
    store.commit(study, found)
    store.versions.forget_uploads(study, upload.owner)
