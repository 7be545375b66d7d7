"""Test vectors of key files and study files."""

from __future__ import annotations

import json

from ppaurora.mpc.keys import fingerprint, link_fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.site.key_files import PRIVATE_PREFIX
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.writing import study_text
from tests.vectors.cases import ASKED, SERVERS, STRANGER, STUDIES, Vectors, refused
from tests.vectors.example_studies import OWNER

WITH_FILES = ("full", "full, 0 to 20", "two scores", "folds", "follows another", "numbers")
"""Studies of which the file is shown, too."""


def keys() -> Vectors:
    """Key files, the names of keys, and a signature."""
    private, public = f"{PRIVATE_PREFIX}{OWNER.private_bytes().hex()}", public_text(OWNER.public)
    message = b"a message"
    return {
        "good": [
            {
                "private_line": private + day,
                "public_line": public + day,
                "exchange": OWNER.public.exchange.hex(),
                "signing": OWNER.public.signing.hex(),
                "fingerprint": fingerprint(OWNER.public),
                "link_fingerprint": link_fingerprint(OWNER.public.exchange),
                "message": message.hex(),
                "signature": OWNER.sign(message).hex(),
            }
            for day in ("", ":2028-11-22")
        ],
        "refused_private": [
            refused("a public key", line=public),
            refused("of the former format", line=f"ppaurora-private-1:{'00' * 32}"),
            refused("a digit is missing", line=private[:-1]),
            refused("no day behind the colon", line=f"{private}:"),
            refused("no day of the calendar", line=f"{private}:2027-02-29"),
        ],
        "refused_public": [
            refused("a private key", line=private),
            refused("of the former format", line=f"ppaurora-1:{'00' * 32}"),
            refused("capital letters", line="ppaurora-2:" + public[11:].upper()),
            refused("a digit too many", line=f"{public}0"),
            refused("a day in another form", line=f"{public}:20281122"),
        ],
        "refused_signature": [
            refused("of another message", message=b"another".hex(), by=OWNER.sign(message).hex()),
            refused("by another key", message=message.hex(), by=STRANGER.sign(message).hex()),
        ],
    }


def studies() -> Vectors:
    """Study files, their canonical texts and their hashes; all other vectors name a study."""
    text, canonical = study_text(ASKED), ASKED.canonical().decode()
    content = json.loads(canonical)
    own_key, another = public_text(OWNER.public), public_text(SERVERS[Role.P0].public)
    last = canonical.replace('{"format":1,', "{").removesuffix("}") + ',"format":1}'
    not_ascii = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {
        "good": [
            {
                "name": name,
                **({"toml": study_text(one)} if name in WITH_FILES else {}),
                "canonical": one.canonical().decode(),
                "hash": one.hash.hex(),
            }
            for name, one in STUDIES.items()
        ],
        "refused": [
            refused("an unknown option", toml=text.replace("decimals =", "decimal =")),
            refused("another format", toml=text.replace("format = 1", "format = 2")),
            refused("a text for a number", toml=text.replace("decimals = 4", 'decimals = "4"')),
            refused("an unknown metric", toml=text.replace('"auroc"', '"auroca"')),
            refused("one public key twice", toml=text.replace(own_key, another)),
            refused("a missing server", toml=text.replace("[servers.P1]", "[servers.P3]")),
        ],
        "refused_canonical": [
            refused("blanks", text=json.dumps(content, sort_keys=True)),
            refused("not in order", text=last),
            refused("letters that are not ASCII", text=not_ascii),
            refused("no object", text="[]"),
        ],
    }
