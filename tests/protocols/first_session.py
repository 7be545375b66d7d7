"""A process that computes one study after the start, and prints what it generated meanwhile."""

from __future__ import annotations

import gc
import json
import sys
from functools import _lru_cache_wrapper
from typing import Any

import numpy as np

from ppaurora.mpc.primitives.carry import fill_session_tables
from ppaurora.mpc.streams import gcm_is_quicker
from ppaurora.protocols.options import Options

from .studies import Owner, Study, run

MAKERS = ("ppaurora.mpc.primitives.carry", "ppaurora.mpc.streams")
"""Modules whose functions generate, or find out, what a process needs once."""


def makers() -> dict[str, _lru_cache_wrapper[Any]]:
    """The functions that generate something once, by name."""
    return {
        one.__name__: one
        for one in gc.get_objects()
        if isinstance(one, _lru_cache_wrapper) and one.__module__ in MAKERS
    }


def main() -> None:
    scores, labels = np.linspace(0, 1, int(sys.argv[3])), np.arange(int(sys.argv[3])) % 2
    owners = (Owner(scores, labels), Owner(scores[::3], labels[::3]))
    study = Study(owners, Options(metrics=tuple(sys.argv[1].split(",")), merge=sys.argv[2]))
    fill_session_tables()
    gcm_is_quicker()
    found, modules = makers(), set(sys.modules)
    before = {name: maker.cache_info() for name, maker in found.items()}
    run(study)
    after = {name: maker.cache_info() for name, maker in found.items()}
    told = {
        "used": [name for name in found if after[name].hits > before[name].hits],
        "generated": [name for name in found if after[name].misses > before[name].misses],
        "imported": sorted(set(sys.modules) - modules),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
