"""Experiments: the runs of the store with their intervals and curves, and contests that are started here."""
