"""Sorted lists become one: the merge tree, and the sorts that can run on it."""
