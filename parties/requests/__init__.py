"""Requests to a server: the messages, the documents in them, and how they travel."""
