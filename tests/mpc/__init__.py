"""The runtime's tests: words and bits, streams, shares, gates, the parties, every primitive."""
