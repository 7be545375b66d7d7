"""Delimited text, read as it stands: encoding, dialect, records."""
