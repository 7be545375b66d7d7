"""A study before there is data: how many samples it needs, what it costs and what it tells."""
