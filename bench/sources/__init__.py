"""Speed of engines that count or give lists: DuckDB, PostgreSQL, Spark, data frames."""
