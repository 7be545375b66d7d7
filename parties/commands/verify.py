"""`ppaurora verify`: whether a saved result is what the three servers have signed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.commands.options import ChangeOption
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.files import read_text, result_in
from ppaurora.parties.reports.verification import proof_lines, released, verified
from ppaurora.parties.study.key_statements import load_statement
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.study import Study


def verify(
    result: Annotated[Path, typer.Argument(help="The file that `ppaurora result` saved.")],
    study: Annotated[Path, typer.Option(help="The study file that all parties agreed on.")],
    change: ChangeOption = None,
) -> None:
    """Check a saved result against the signatures of the study's three servers.

    The values are put together once more from the shares in the file. All three servers must have
    signed to which shares both proxies are bound, the same facts, and which keys the three had in
    that session; each must have signed with that key, and be led to it by the changes that are
    given. It shows who signed, not that a server computed as it should.
    """
    keys = KeysInForce(KeyStatements.of(map(load_statement, change or ())))
    with result_in(result):
        text = read_text(result)
        agreed_on = released(text, Study.load(study))
        proof = verified(text, agreed_on, keys.ever_of_servers(agreed_on))
    out().print(f"{result}: signed by all three servers of study {agreed_on.id}")
    for role in Role:
        key = proof.keys[role]
        out().print(f"  {role}: {fingerprint(key)}")
        if keys.is_revoked(key):
            err().print(
                f"warning: this key of {role} is revoked; whoever has stolen it can sign, too, and "
                "the signature does not show when it was made"
            )
    for line in proof_lines(agreed_on, proof):
        out().print(line)
