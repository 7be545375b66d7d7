"""What the sorted list says: labels, ties, and the positives at the ends of groups."""
