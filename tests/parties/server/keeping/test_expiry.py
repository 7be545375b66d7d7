"""Data of a study are deleted when they are due, whatever the disk does to another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import DiskCode, DiskFault
from ppaurora.parties.server.keeping.expiry import expire
from ppaurora.parties.server.keeping.key_watch import KeyWatch
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.clock import Clock
from ppaurora.parties.site.keyring import KeySettings
from ppaurora.parties.study.key_statements import revoked
from ppaurora.parties.study.study import Study
from tests.parties.sample import KEYS
from tests.parties.server.stored import STUDY, put, upload

FAILING = replace(STUDY, id="failing")


def test_a_disk_that_fails_one_study_keeps_no_upload_of_a_revoked_key_in_another(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(study: Study) -> None:
        if study == FAILING:
            raise DiskFault("worn out", code=DiskCode.UNWRITABLE)

    monkeypatch.setattr(store, "drop_unsent", failing)
    put(store, upload("ann"))
    put(store, upload("ben", 2))
    stolen = Identity.from_private(bytes([4]) * 64)
    (tmp_path / "one.toml").write_text(revoked(stolen).text)
    keys = KeyWatch(KeySettings(tmp_path, changes=("one.toml",)), KEYS[0])
    expire([FAILING, STUDY], store, keys, Clock(), lambda study: True)
    assert [one.owner for one in store.uploads(STUDY)] == ["ann", "ben"]
    expire([FAILING, STUDY], store, keys, Clock(), lambda study: False)
    assert [one.owner for one in store.uploads(STUDY)] == ["ben"]
