"""The desk: a page on this machine for owners and receivers who use no terminal."""
