"""RECYCLE, a language for card games, and a machine that runs it."""
