"""Replies to requests: who may ask for what, what is done, what the reply says."""
