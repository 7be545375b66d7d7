"""The three servers, owners and receivers, the study: everything around the protocols."""
