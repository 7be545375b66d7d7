"""The experiments of the five papers, one file each; `registry` finds them."""
