"""The keys that the three servers use in one session: P0 proposes, the others agree or say why.

While a server's key changes, each of the three must know that it does, and the session runs with
exactly one key of each: P0 tells which ones it has seen the others prove, and its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.study.keys_in_force import NEWS_ADVICE, KeysInForce
from ppaurora.parties.study.study import Study

SessionKeys = Mapping[Role, PublicKey]


def named_keys(study: Study) -> SessionKeys:
    """The servers' keys as the study's file names them."""
    return {one.role: one.public for one in study.servers}


def written(study: Study, keys: SessionKeys) -> tuple[bytes, ...]:
    """The keys as a proposal tells them: none where they are those that the study names."""
    return () if keys == named_keys(study) else tuple(keys[role].to_bytes() for role in Role)


def proposed_keys(study: Study, told: Sequence[bytes]) -> SessionKeys:
    """The keys that `written` told; raises `BadFrame` for anything else."""
    if not told:
        return named_keys(study)
    try:
        return {role: PublicKey.from_bytes(data) for role, data in zip(Role, told, strict=True)}
    except ValueError:
        raise BadFrame("A proposal whose keys are not three keys") from None


def refusal_of(
    study: Study, role: Role, own: PublicKey, keys: SessionKeys, in_force: KeysInForce
) -> Refused | None:
    """Refusal of these keys by this server, in its role with its own key; None if accepted."""
    if keys[role] != own:
        return refused(
            Code.KEYS_DIFFER,
            f"P0 takes {role}'s key to be {fingerprint(keys[role])}, and {role} uses "
            f"{fingerprint(own)}",
            f"P0 tries again; if this lasts: {NEWS_ADVICE}",
        )
    if why := in_force.disagreement(study, {one: keys[one] for one in role.others}):
        return refused(
            Code.KEYS_DIFFER, f"{role} refuses the keys of this session: {why}", NEWS_ADVICE
        )
    return None
