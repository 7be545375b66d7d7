"""Opened words as people read them, and what a released number by itself tells."""
