"""Experiments: the runs of the store with their intervals and curves, and contests that are begun here."""
