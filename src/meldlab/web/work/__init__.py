"""Functions that worker processes run; no web framework is imported here."""
