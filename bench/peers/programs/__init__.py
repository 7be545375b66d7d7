"""The peers' programs; each runs in its peer's environment and imports nothing of this project."""
