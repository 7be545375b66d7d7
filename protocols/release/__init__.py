"""Opened words as the texts that people read."""
