"""A data owner or a receiver: upload, ask, withdraw, fetch."""
