"""Many studies at once on the same three servers."""
