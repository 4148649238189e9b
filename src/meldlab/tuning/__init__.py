"""Tuning of players: successive halving on common deals, and CMA-ES over all parameters."""
