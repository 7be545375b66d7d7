"""The same work by what one would pick instead: each peer in an environment of its own."""
