"""Pipelines: how the owners' uploads become what statistics are computed from."""
