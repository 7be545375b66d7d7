"""What the three servers sign about a session, and how anybody checks it later."""
