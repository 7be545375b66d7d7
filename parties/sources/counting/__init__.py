"""Counting a list on a grid where its rows lie: one SELECT that any engine understands."""
