"""One of the three servers: it answers requests, keeps state, and computes."""
