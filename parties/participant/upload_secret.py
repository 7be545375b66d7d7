"""The secret of an owner's upload in one study: kept to repeat an interrupted upload.

From it come the seeds and the name of the upload, and what the owner draws at random for it. It is
random and forgotten when the upload is withdrawn, so the same list uploaded twice looks like
another one to the servers.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.mpc.words import Words
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.private_file import make_private_folder, write_private
from ppaurora.parties.requests.messages import UPLOAD_BYTES
from ppaurora.parties.site.endings import Endings
from ppaurora.parties.study.runs import runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import SEED_BYTES, as_bytes

SECRET_BYTES = 32
UPLOAD_DOMAIN = b"ppAURORA upload 2\0"
DRAWING_DOMAIN = b"ppAURORA drawing 1\0"


class UploadSecret:
    """One owner's secret for one study, in the file `path`; without one it lasts as this object."""

    def __init__(self, path: Path | None, check: Callable[[], None] = lambda: None) -> None:
        """`check` refuses a secret for an upload that is not to be begun."""
        self._path = path
        self._check = check
        self._secret: bytes | None = None

    @classmethod
    def of(cls, state: Path | None, study: Study, named: PublicKey) -> UploadSecret:
        """The secret of this owner in the folder `state`; for a study that was ended there is none.

        `named` is the owner's key in the study.
        """
        name = f"{study.id}-{study.hash.hex()[:16]}-{named.exchange.hex()[:16]}.secret"
        check = partial(Endings(state).check, study)
        return cls(state / name if state else None, check)

    def __repr__(self) -> str:
        return "<UploadSecret>"

    def get(self) -> bytes:
        """The secret of the upload that may be under way, or else a fresh one, not yet kept."""
        self._check()
        if self._secret is None:
            self._secret = self._kept() or os.urandom(SECRET_BYTES)
        return self._secret

    def keep(self) -> None:
        """Put the secret on the disk before anything is sent, readable by its owner alone.

        One that another process has kept there is never replaced: that process needs it.
        """
        secret, kept = self.get(), self._kept()
        if self._path is None or kept == secret:
            return
        if kept is not None:
            self._secret = None
            raise PolicyRefusal(
                "Another process of yours has begun an upload in this study since this one was "
                "prepared",
                advice="Nothing of this one was sent now. To repeat it, start it again; if the "
                "other one is not to count, run `ppaurora outsource --withdraw` first.",
            )
        try:
            make_private_folder(self._path.parent)
            write_private(self._path, secret, like=self._path.parent)
        except OSError as error:
            raise self._fault("written", error) from None

    def forget(self) -> None:
        """The next upload has another secret."""
        self._secret = None
        if self._path is not None:
            with contextlib.suppress(FileNotFoundError):
                try:
                    self._path.unlink()
                except PermissionError as error:
                    raise self._fault("deleted", error) from None

    @property
    def begun(self) -> float | None:
        """The time at which the upload was begun, as the file of its secret has it; else None."""
        with contextlib.suppress(OSError):
            return None if self._path is None else self._path.stat().st_mtime
        return None

    def retire(self) -> None:
        """The next upload has another secret; one that was chosen and kept meanwhile stays."""
        if self._kept() == self._secret:
            self.forget()
        self._secret = None

    def _kept(self) -> bytes | None:
        """The secret on the disk; a damaged one counts as none."""
        if self._path is None:
            return None
        try:
            secret = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._fault("read", error) from None
        return secret if len(secret) == SECRET_BYTES else None

    def _fault(self, what: str, error: OSError) -> ConfigurationError:
        return ConfigurationError(
            f"{self._path} cannot be {what}: {error.strerror}",
            advice="Name a folder that you may write under [participant] state in site.toml.",
        )


def derive_upload(
    secret: bytes, owner: PublicKey, study: Study, words: Words, folds: Sequence[int]
) -> tuple[list[bytes], bytes]:
    """The seed of every run and the upload's name: the same for the same secret and words.

    HKDF-SHA256 of the upload's secret; info binds the owner, by the key that the study names, the
    study, the words and the sizes of the folds in them. Nobody without the secret can tell any of
    them from random, whatever others of them it knows, and two different uploads never share a
    seed.
    """
    content = hashlib.sha256(as_bytes(words))
    content.update(" ".join(map(str, folds)).encode())
    derived = HKDF(
        algorithm=hashes.SHA256(),
        length=UPLOAD_BYTES + SEED_BYTES * len(runs_of(study)),
        salt=None,
        info=UPLOAD_DOMAIN + study.hash + owner.to_bytes() + content.digest(),
    ).derive(secret)
    name = derived[SEED_BYTES : SEED_BYTES + UPLOAD_BYTES]
    seeds = derived[:SEED_BYTES] + derived[SEED_BYTES + UPLOAD_BYTES :]
    places = range(0, len(seeds), SEED_BYTES)
    return [seeds[place : place + SEED_BYTES] for place in places], name


def derive_drawing(secret: bytes, owner: PublicKey, study: Study) -> bytes:
    """The key from which an owner draws what its upload has of chance.

    HKDF-SHA256 of the upload's secret; info binds the owner and the study.
    """
    info = DRAWING_DOMAIN + study.hash + owner.to_bytes()
    return HKDF(algorithm=hashes.SHA256(), length=KEY_BYTES, salt=None, info=info).derive(secret)
