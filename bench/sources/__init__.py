"""How fast engines count and give lists: DuckDB, PostgreSQL, Spark, data frames."""
