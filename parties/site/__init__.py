"""A site's own files: its key, its settings, its policy."""
