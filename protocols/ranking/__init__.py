"""Quantities of the sorted list: labels, ties, and the positives at the ends of groups."""
