"""What participants and servers say to a server, and how it travels."""
