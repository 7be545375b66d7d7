"""Everything that a server keeps: records, shares, keys, and how they go away."""
