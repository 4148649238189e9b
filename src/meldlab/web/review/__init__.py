"""Looking back at a match: what each decision cost, trying again, and practice from all mistakes."""
