"""The keys in force for those that a study names: after changes, revocations and last days.

A study's file names one key of each party and never changes. Every key that a chain of changes
leads to from there stands for the same party: the newest one, and each older one until its last day
in the overlap. A revoked key and an expired one are refused, always with the reason.

By a clock that has jumped, keys are refused or accepted wrongly until it is right again; nothing is
ever deleted because of a day.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Self

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.study.key_days import expired, nears_its_end
from ppaurora.parties.study.key_statements import KeyChange, Revocation, Statement
from ppaurora.parties.study.study import Study

NEWS_ADVICE = (
    "Give the file of the change to whoever lacks it, to be put where [keys] changes in site.toml "
    "says."
)
REFUSED_ADVICE = (
    "Use the key that took its place, or make a new one and agree on a new study; if the clocks "
    "are wrong, set them."
)


@dataclass(frozen=True, slots=True)
class KeyStatements:
    """The statements about keys that a site was given, none of which contradicts another one.

    `refused` has the fingerprints of keys that this site refuses by itself.
    """

    changes: Mapping[PublicKey, KeyChange] = field(default_factory=dict)
    revoked: frozenset[PublicKey] = frozenset()
    refused: frozenset[str] = frozenset()

    @classmethod
    def of(cls, statements: Iterable[Statement], refused: Collection[str] = ()) -> Self:
        """These statements together; raises `ConfigurationError` if two contradict each other."""
        changes: dict[PublicKey, KeyChange] = {}
        before: dict[PublicKey, KeyChange] = {}
        gone = set()
        for statement in statements:
            if isinstance(statement, Revocation):
                gone.add(statement.key)
                continue
            for known in (changes.get(statement.old), before.get(statement.new)):
                if known is not None and known != statement:
                    raise _contradiction(known, statement)
            changes[statement.old] = before[statement.new] = statement
        in_force = cls(changes, frozenset(gone), frozenset(refused))
        for start in changes:
            in_force.chain(start)
        _check_halves({*changes, *before})
        return in_force

    @property
    def described(self) -> str:
        """Their number, in words."""
        gone = len(self.revoked) + len(self.refused)
        return f"{len(self.changes)} changes and {gone} revocations of keys are known"

    def chain(self, named: PublicKey) -> tuple[PublicKey, ...]:
        """The key and all that took its place, one after the other."""
        if not self.changes:
            return (named,)
        chain = [named]
        while (change := self.changes.get(chain[-1])) is not None:
            if change.new in chain:
                raise ConfigurationError(
                    f"By the changes of keys, {fingerprint(change.new)} takes its own place",
                    advice="Ask its holder which of the files is right, and take the others away.",
                )
            chain.append(change.new)
        return tuple(chain)


NONE = KeyStatements()


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a connection's key: the key in the study, and why it is refused, if it is."""

    named: PublicKey
    key: PublicKey
    refusal: str


@dataclass(frozen=True, slots=True)
class KeysInForce:
    """The keys that stand for those of studies on one day, in UTC."""

    statements: KeyStatements = NONE
    day: date = date.min

    # -- one key -----------------------------------------------------------------------------------

    def accepted(self, named: PublicKey) -> tuple[PublicKey, ...]:
        """The keys that stand for this one today, the newest first."""
        chain = reversed(self.statements.chain(named))
        return tuple(key for key in chain if not self.refusal(key))

    def refusal(self, key: PublicKey) -> str:
        """The reason why this key is refused today, whosever it is; empty if it is not."""
        name, change = fingerprint(key), self.statements.changes.get(key)
        if key in self.statements.revoked:
            return f"key {name} was revoked by its holder"
        if name in self.statements.refused:
            return f"key {name} is refused under [keys] revoked in site.toml"
        if expired(key, self.day):
            return f"key {name} was good until {key.good_until}"
        if change is not None and self.day > change.old_until:
            return (
                f"key {name} was accepted until {change.old_until}, and "
                f"{fingerprint(change.new)} has taken its place"
            )
        return ""

    def is_revoked(self, key: PublicKey) -> bool:
        """Return whether its holder or this site has revoked the key."""
        statements = self.statements
        if key in statements.revoked:
            return True
        return bool(statements.refused) and fingerprint(key) in statements.refused

    # -- a study -----------------------------------------------------------------------------------

    def check(self, study: Study) -> None:
        """Refuse changes that would give one key, or half of one, to two parties of the study."""
        _check_halves({key for named in study.publics for key in self.statements.chain(named)})
        chains = [self.statements.chain(named) for named in study.publics]
        if len({key for chain in chains for key in chain}) != sum(map(len, chains)):
            raise ConfigurationError(
                f"By the changes of keys, two parties of study {study.id} have one key",
                advice="Ask their holders which of the files is right, and take the others away.",
            )

    def holder(self, study: Study, exchange: bytes) -> Holder | None:
        """The holder in this study of the key of a connection; None if nobody's.

        A key that the study names is its own party's, whatever a change of another party says.
        """
        direct = study.holder_of(exchange)
        if direct is not None:
            return Holder(direct, direct, self.refusal(direct))
        for named in study.publics if self.statements.changes else ():
            for key in self.statements.chain(named):
                if key.exchange == exchange:
                    return Holder(named, key, self.refusal(key))
        return None

    def named(self, study: Study, public: PublicKey) -> PublicKey:
        """The key that the study names and for which this one stands; this one if for none."""
        holder = self.holder(study, public.exchange)
        return public if holder is None or holder.key != public else holder.named

    def role_of(self, study: Study, public: PublicKey) -> Role | None:
        """The server whose key this is, or was or will be, if any."""
        return study.role_of(self.named(study, public))

    def check_own(self, study: Study, public: PublicKey) -> None:
        """Refuse one's own key where others will."""
        self.check(study)
        if not study.knows(self.named(study, public)):
            raise KeyFault(
                f"Your key {fingerprint(public)} is not in study {study.id}",
                advice="Send the line of `ppaurora keys show` to the study's author, or name the "
                "right key in site.toml; after a change, also its file under [keys] changes.",
            )
        holder = self.holder(study, public.exchange)
        if holder is not None and holder.refusal:
            raise KeyFault(f"Your {holder.refusal}", advice=REFUSED_ADVICE)

    def of_server(self, study: Study, role: Role) -> tuple[PublicKey, ...]:
        """The keys that the server may have today, the newest first; raises if it may have none."""
        named = study.server(role).public
        accepted = self.accepted(named)
        if not accepted:
            raise KeyFault(
                f"{role} of study {study.id} has no key that is accepted: its "
                f"{self.refusal(self.statements.chain(named)[-1])}",
                advice=f"Ask its operator for the file of a change to a new key. {NEWS_ADVICE}",
            )
        return accepted

    def ever_of_servers(self, study: Study) -> dict[Role, tuple[PublicKey, ...]]:
        """All keys by which the servers may have signed, today or before."""
        return {server.role: self.statements.chain(server.public) for server in study.servers}

    def disagreement(self, study: Study, keys: Mapping[Role, PublicKey]) -> str:
        """The reason why these are not the keys of the study's servers today; empty if they are."""
        for role, key in keys.items():
            named = study.server(role).public
            if key not in self.statements.chain(named):
                return f"{role} uses the key {fingerprint(key)}, of which nothing is known here"
            if refusal := self.refusal(key):
                return f"the {refusal}; it is {role}'s"
        return ""

    def warnings(self, study: Study) -> list[str]:
        """The warnings about the study's keys, before they end and after."""
        names = [str(server.role) for server in study.servers] + [
            participant.name for participant in study.participants
        ]
        warnings = []
        for name, named in zip(names, study.publics, strict=True):
            newest = self.statements.chain(named)[-1]
            if self.is_revoked(newest):
                warnings.append(f"{name}: {self.refusal(newest)}")
            elif end := nears_its_end(newest, self.day):
                warnings.append(f"{name}: key {fingerprint(newest)} {end}")
        return warnings


def _check_halves(keys: Collection[PublicKey]) -> None:
    """Different keys must differ in both halves: a connection shows one half only."""
    if len({half for key in keys for half in (key.exchange, key.signing)}) != 2 * len(keys):
        raise ConfigurationError(
            "Two keys share a half, so that a connection would not show whose it is",
            advice="Ask who made the changes of keys; each is made by `ppaurora keys rotate`.",
        )


def _contradiction(known: KeyChange, other: KeyChange) -> ConfigurationError:
    return ConfigurationError(
        f"Two changes of keys contradict each other: {known.sentence}; {other.sentence}",
        advice="Ask the holder by telephone which one is right and take the other file away. Who "
        "made the other one has the key, too: have it revoked.",
    )
