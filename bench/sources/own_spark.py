"""A Spark in local mode for a while: no page in a browser, no address but this machine's own."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from typing import Any

from ppaurora.bench.errors import ToolAbsent


@contextlib.contextmanager
def own_spark(cores: int) -> Iterator[Any]:
    """A session on so many cores."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ToolAbsent(
            "Spark is not installed",
            advice='Run `pip install ".[spark]"` in your clone; it needs Java 17.',
        ) from None
    with tempfile.TemporaryDirectory(prefix="ppaurora-spark-") as folder:
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": folder,
            "spark.sql.shuffle.partitions": str(cores),
        }
        building = SparkSession.builder.master(f"local[{cores}]").appName("ppaurora")
        for name, value in settings.items():
            building = building.config(name, value)
        session = building.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        try:
            yield session
        finally:
            session.stop()
