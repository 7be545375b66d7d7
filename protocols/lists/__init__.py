"""An owner's list: scores and labels as keys, in two shares, checked by the proxies."""
