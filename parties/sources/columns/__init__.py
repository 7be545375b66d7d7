"""Two columns of texts or values made into scores and labels; every fault with its place."""
