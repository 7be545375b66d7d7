"""Membership in a study: a key, and the part that the study gives to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ppaurora.mpc.keys import Identity, PublicKey, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.study.key_days import nears_its_end
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import ParticipantEntry, Study


@dataclass(frozen=True, slots=True)
class Member:
    """An owner, a receiver or a server of a study, with the key that it uses now.

    `named` is its key as the study names it, and `role` its role if it is a server.
    """

    study: Study
    identity: Identity
    keys: KeysInForce
    named: PublicKey
    role: Role | None

    @classmethod
    def of(cls, study: Study, identity: Identity, keys: KeysInForce) -> Self:
        """The member with this key; `KeyFault` if it is nobody's, or not to be used."""
        keys.check_own(study, identity.public)
        named = keys.named(study, identity.public)
        return cls(study, identity, keys, named, keys.role_of(study, identity.public))

    @property
    def entry(self) -> ParticipantEntry:
        """The study's entry of this owner or receiver; `KeyFault` for a server, which has none."""
        found = self.study.participant_of(self.named)
        if found is None:
            raise KeyFault(
                f"You are {self.role} in this study, which neither uploads nor receives",
                advice="Use the site file of an owner or a receiver.",
            )
        return found

    @property
    def name(self) -> str:
        """The name of an owner or a receiver; the role of a server."""
        return self.entry.name if self.role is None else str(self.role)

    @property
    def key_warnings(self) -> list[str]:
        """Warnings of keys in this study that near their end, or are revoked."""
        end = nears_its_end(self.identity.public, self.keys.day)
        own = [f"your key {fingerprint(self.identity.public)} {end}"] if end else []
        return own + self.keys.warnings(self.study)
