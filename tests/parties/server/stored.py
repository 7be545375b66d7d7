"""A store with one study, for tests of what it keeps and of what is damaged in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.uploads import Upload
from tests.parties.sample import study

STUDY = study()
DATA = bytes(range(200)) * 4
SESSION, LATER = b"s" * 16, b"t" * 16


def upload(owner: str = "ann", name: int = 1, data: bytes = DATA) -> Upload:
    digest = hashlib.sha256(data).digest()
    return Upload(owner, bytes([name]) * 16, len(data) // 8, len(data), digest, False, 0.0)


def opened(tmp_path: Path, *, encrypt: bool = False, secrets: str | None = None) -> Store:
    folder = "secrets" if encrypt else secrets
    keys = tmp_path / folder if folder else None
    store = Store(tmp_path / "state", secrets=keys, encrypt=encrypt)
    store.register(STUDY)
    return store


def reopened(
    store: Store, tmp_path: Path, *, encrypt: bool = False, secrets: str | None = None
) -> Store:
    """As after a crash: nothing is flushed or finished by the old one."""
    store.close()
    return opened(tmp_path, encrypt=encrypt, secrets=secrets)


def put(store: Store, one: Upload, data: bytes = DATA) -> None:
    found = store.begin(STUDY, one)
    store.append(STUDY, found, 0, data)
    store.commit(STUDY, found)


def files(tmp_path: Path) -> list[str]:
    return sorted(path.suffix for path in (tmp_path / "state" / "shares").rglob("*.*"))
