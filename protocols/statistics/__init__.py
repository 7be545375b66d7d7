"""The statistics, one file each: `registry` finds them, `statistic` is their contract."""
