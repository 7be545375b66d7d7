"""DuckDB, imported when something of it is first used: most lists are read without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import Later

__all__ = ["duckdb"]

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = Later("duckdb")
