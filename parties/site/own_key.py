"""The key pair of a site: opened with the passphrase that its site file or its user gives."""

from __future__ import annotations

import time

from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.site.key_files import load_identity
from ppaurora.parties.site.passphrase import Passphrase, from_file
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.key_days import day_at, expired


def own_identity(site: Site, passphrase: Passphrase | None = None) -> Identity:
    """The site's key pair, which must not have expired.

    The file that the site names gives the passphrase of a locked key, or else `passphrase` does.
    """
    file = site.keys.passphrase_file
    identity = load_identity(site.key, passphrase if file is None else from_file(file))
    if expired(identity.public, day_at(time.time())):
        raise KeyFault(
            f"Your key {fingerprint(identity.public)} was good until {identity.public.good_until}",
            advice=f"Replace it: `ppaurora keys rotate {site.key}`; if it is still good, set the "
            "clock of this machine.",
        )
    return identity
