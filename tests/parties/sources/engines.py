"""Real engines for tests, each started once: a PostgreSQL of one's own, and Spark in local mode."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from ppaurora.bench.sources.own_postgres import OwnPostgres, own_postgres
from ppaurora.bench.sources.own_spark import own_spark


@pytest.fixture(scope="session")
def postgres() -> Iterator[OwnPostgres]:
    """A server whose password is in the environment, as every program of libpq takes it."""
    with own_postgres() as server, pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "PGPASSWORD", server.password)
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on one core, where it is installed."""
    pytest.importorskip("pyspark", reason="Spark is not installed: scripts/engines.py --spark")
    with own_spark(cores=1) as session:
        yield session
