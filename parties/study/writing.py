"""Writing a study.toml that explains itself, and the site.toml beside a key."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ppaurora.mpc.role import Role
from ppaurora.parties.study.canonical import Value
from ppaurora.parties.study.parts import chosen_by_table
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.study import Study
from ppaurora.protocols.option import Option


def study_text(study: Study) -> str:
    """The study as a file for people: every option with a word about it."""
    return "\n".join(
        [
            "# A ppAURORA study: the same file for every server, owner and receiver.",
            "# Compare its hash (`ppaurora study show`) and all fingerprints by telephone.",
            "format = 1",
            f"id = {_text(study.id)}",
            f"title = {_text(study.title)}",
            *([f"follows = {_text(study.follows)}"] if study.follows else []),
            *([f"period = {_text(study.period)}"] if study.period else []),
            *(
                line
                for table, chosen in chosen_by_table(study.declared).items()
                for line in ("", f"[{table}]", *(_line(one, value) for one, value in chosen))
            ),
            *(line for server in study.servers for line in _server(study, server.role)),
            *(
                line
                for participant in study.participants
                for line in (
                    "",
                    "[[participants]]",
                    f"name = {_text(participant.name)}",
                    f"public_key = {_text(public_text(participant.public))}",
                    f"uploads = {_value(participant.uploads)}",
                    f"receives = {_value(participant.receives)}",
                )
            ),
            "",
        ]
    )


def _line(option: Option, value: Value) -> str:
    choices = f" ({' or '.join(filter(None, option.choices))})" if option.choices else ""
    assigned = f"{option.key} = {_value(value)}"
    return f"{assigned:<28} # {option.title}{choices}"


def _server(study: Study, role: Role) -> list[str]:
    server = study.server(role)
    lines = [
        "",
        f"[servers.{role}]",
        f"{f'operator = {_text(server.operator)}':<28} # the institution that runs this server",
        f"public_key = {_text(public_text(server.public))}",
        f"address = {_text(server.address)}",
    ]
    if server.link_ports:
        lines.append(f"link_ports = {list(server.link_ports)}")
    return lines


def site_text(key: str, studies: Sequence[str], more: str = "") -> str:
    """A site file that names its key and its studies, followed by `more`."""
    return f"key = {_text(key)}\nstudies = {json.dumps(list(studies))}\n{more}"


def _text(text: str) -> str:
    """A TOML string is a JSON string, except that TOML wants DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
