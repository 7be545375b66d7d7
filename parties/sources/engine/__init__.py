"""DuckDB with every guess switched off and every door shut, for Parquet files and queries."""
