"""A whole study on one machine, beside the pooled data."""
