"""Reviews of matches as pages."""
