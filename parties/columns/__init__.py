"""Columns of an owner's list beside score and label: a kind of column is a file of this room."""
