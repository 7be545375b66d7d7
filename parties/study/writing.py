"""Writing a study.toml that explains itself, and the site.toml beside a key."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ppaurora.mpc.role import Role
from ppaurora.parties.study.public_keys import (
    public_text,
)
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.folds import FORMS
from ppaurora.protocols.options import EXACT, Options
from ppaurora.protocols.sorting import SORTS

__all__ = ["site_text", "study_text"]


def study_text(study: Study) -> str:
    """The study as a file for people: every option with a word about it."""
    options, scores, rule = study.options, study.scores, study.rule
    return "\n".join(
        [
            "# A ppAURORA study: the same file for every server, owner and receiver.",
            "# Compare its hash (`ppaurora study show`) and all fingerprints by telephone.",
            "format = 1",
            f"id = {_text(study.id)}",
            f"title = {_text(study.title)}",
            *([f"follows = {_text(study.follows)}"] if study.follows else []),
            "",
            "[scores]",
            f'code = {_text(options.code):<21} # "unit": scores in [0, 1]; "real": any real scores',
            f'direction = {_text(options.direction):<16} # "higher" or "lower" scores: positive',
            f"positive = {_text(scores.positive):<17} # the label of the positive class",
            f"negative = {_text(scores.negative):<17} # the label of the negative class",
            f"against = {_text(scores.against):<18} # the column of the second scores, if two",
            "",
            "[metrics]",
            f"names = {json.dumps(list(options.metrics))}",
            f"decimals = {options.decimals:<17} # so many are released, correctly rounded",
            "",
            "[protocol]",
            *_protocol(options),
            *_assurance(options),
            *_folds(study),
            "",
            "[rule]",
            f"least_owners = {rule.least_owners}",
            f"least_samples = {rule.least_samples}",
            f'start = {_text(rule.start):<20} # "complete": when all have uploaded; "request"',
            f"keep_days = {rule.keep_days!r:<16} # then the servers delete what is left",
            f"least_list = {rule.least_list:<15} # no owner's list may be shorter",
            f"most_share = {rule.most_share!r:<15} # no owner may have more of all samples",
            f"most_samples = {rule.most_samples:<13} # in all; 0: no limit",
            *(line for server in study.servers for line in _server(study, server.role)),
            *(
                line
                for one in study.participants
                for line in (
                    "",
                    "[[participants]]",
                    f"name = {_text(one.name)}",
                    f"public_key = {_text(public_text(one.public))}",
                    f"uploads = {_bool(one.uploads)}",
                    f"receives = {_bool(one.receives)}",
                )
            ),
            "",
        ]
    )


def _folds(study: Study) -> list[str]:
    by = study.fold_by
    if by is None:
        return []
    cuts = json.dumps(list(by.cuts), ensure_ascii=False)
    return [
        "",
        "[folds]",
        f"count = {study.options.folds:<20} # of a cross-validation; a list of each is uploaded",
        f"by = {_text(by.column):<23} # the column of identifiers: a patient is in one fold only",
        f"form = {_text(by.form):<21} # {' or '.join(map(_text, FORMS))}: how they are written",
        f"least = {by.least:<20} # no fold may have fewer samples in all; 0: any",
        f"cuts = {cuts} # public, where each fold begins"
        if by.cuts
        else f"key = {_text(by.key)} # of the owners' shared key: `ppaurora folds key`",
    ]


def _protocol(options: Options) -> list[str]:
    if options.mode == EXACT:
        return [
            f"merge = {_text(options.merge):<20} # {' or '.join(map(_text, SORTS))}",
            f"delta = {options.delta:<20} # odd; more than 1 opens comparisons",
            f'ties = {_text(options.ties):<21} # "compare", or "helper": see the ledger',
        ]
    return [
        f'mode = {_text(options.mode):<21} # "grid" counts scores in bins; "exact" sorts them',
        f"bins = {options.bins:<21} # of equal width from 0 to 1: a power of two",
    ]


def _assurance(options: Options) -> list[str]:
    if not options.covert:
        return []
    return [
        f"assurance = {_text(options.assurance):<16} # three runs with rotated roles must agree",
        f"dealings = {options.dealings:<17} # committed in each run; all but one are opened",
    ]


def _server(study: Study, role: Role) -> list[str]:
    server = study.server(role)
    lines = [
        "",
        f"[servers.{role}]",
        f"operator = {_text(server.operator)}",
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


def _bool(value: bool) -> str:
    return "true" if value else "false"
